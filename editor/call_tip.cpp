#include "editor/call_tip.h"

#include "editor/completion.h"
#include "widgets/theme.h"

#include <QGuiApplication>
#include <QLabel>
#include <QScreen>
#include <QVBoxLayout>

#include <algorithm>

namespace kw::editor {
namespace {

constexpr std::size_t kMostOverloads = 4;

QString escaped(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())).toHtmlEscaped();
}

} // namespace

CallTip::CallTip(QWidget* parent) : QFrame(parent, Qt::ToolTip | Qt::FramelessWindowHint), label_(new QLabel) {
    setObjectName(QStringLiteral("callTip"));
    setAttribute(Qt::WA_ShowWithoutActivating);
    setFocusPolicy(Qt::NoFocus);
    setAccessibleName(tr("Call tip"));
    label_->setTextFormat(Qt::RichText);
    label_->setAccessibleName(tr("Call tip"));
    label_->setWordWrap(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 6, 12, 6);
    layout->addWidget(label_);
    connect(&widgets::Theme::instance(), &widgets::Theme::changed, this, &CallTip::apply_theme);
    apply_theme();
    hide();
}

void CallTip::apply_theme() {
    const auto& tokens = widgets::Theme::instance().tokens();
    setStyleSheet(QStringLiteral("QFrame#callTip { background: %1; border: 1px solid %2; }"
                                 "QFrame#callTip QLabel { background: transparent; }")
                      .arg(tokens.surface2.name(), tokens.line.name()));
    label_->setText(html());
}

QString CallTip::html() const {
    const auto& theme = widgets::Theme::instance();
    const auto& tokens = theme.tokens();
    QString out;
    std::vector<std::string> shown;
    // Overloads that take as many arguments as have been written come first.
    for (const bool fitting : {true, false})
        for (const auto& signature : text_.signatures)
            if ((argument_ == 0 || parameter_range(signature, argument_).end > 0) == fitting)
                shown.push_back(signature);
    const std::size_t most = std::min(shown.size(), kMostOverloads);
    for (std::size_t i = 0; i < most; ++i) {
        const std::string_view signature = shown[i];
        const auto range = parameter_range(signature, argument_);
        out += QStringLiteral("<div style=\"font-family:'%1'; font-size:%2pt; color:%3;\">")
                   .arg(theme.code_font().family())
                   .arg(theme.code_font().pointSizeF())
                   .arg(tokens.text2.name());
        out += escaped(signature.substr(0, range.begin));
        if (range.end > 0)
            out += QStringLiteral("<b style=\"color:%1\">").arg(tokens.accent.name())
                   % escaped(signature.substr(range.begin, range.end - range.begin)) % QStringLiteral("</b>");
        out += escaped(signature.substr(range.end)) % QStringLiteral("</div>");
    }
    if (shown.size() > most)
        out += QStringLiteral("<div style=\"color:%1;\">").arg(tokens.text3.name())
               % tr("and %n more", nullptr, static_cast<int>(shown.size() - most)) % QStringLiteral("</div>");
    if (!text_.about.empty())
        out += QStringLiteral("<div style=\"color:%1; margin-top:4px;\">").arg(tokens.text1.name())
               % escaped(text_.about) % QStringLiteral("</div>");
    return out;
}

void CallTip::show_for(const CallTipText& text, int argument, const QRect& caret) {
    text_ = text;
    argument_ = argument;
    label_->setText(html());
    const int most = fontMetrics().averageCharWidth() * 90;
    label_->setFixedWidth(QWIDGETSIZE_MAX);
    label_->setWordWrap(false);
    label_->setFixedWidth(std::min(most, label_->sizeHint().width()));
    label_->setWordWrap(true);
    adjustSize();
    QPoint corner(caret.left(), caret.top() - height() - 4);
    if (const auto* screen = QGuiApplication::screenAt(caret.center())) {
        const QRect area = screen->availableGeometry();
        if (corner.y() < area.top()) corner.setY(caret.bottom() + 4);
        corner.setX(std::clamp(corner.x(), area.left(), std::max(area.left(), area.right() - width())));
    }
    move(corner);
    if (isVisible()) return;
    show();
    raise();
}

} // namespace kw::editor
