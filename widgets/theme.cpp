#include "widgets/theme.h"

#include "widgets/style_sheet.h"

#include <QApplication>
#include <QFile>
#include <QFontDatabase>
#include <QPalette>
#include <QStyleFactory>

#include <cmath>

namespace kw::widgets {
namespace {

const Tokens kDark{
    .scheme = Scheme::dark,
    .surface0 = QColor(0x12, 0x14, 0x18),
    .surface1 = QColor(0x18, 0x1b, 0x20),
    .surface2 = QColor(0x21, 0x25, 0x2b),
    .surface3 = QColor(0x2c, 0x31, 0x39),
    .line = QColor(0x2a, 0x2f, 0x36),
    .text1 = QColor(0xe6, 0xe9, 0xed),
    .text2 = QColor(0xb0, 0xb8, 0xc2),
    .text3 = QColor(0x86, 0x8f, 0x9a),
    .accent = QColor(0x5b, 0x9d, 0xf5),
    .on_accent = QColor(0x0b, 0x12, 0x1c),
    .good = QColor(0x4f, 0xc3, 0x8a),
    .bad = QColor(0xff, 0x7b, 0x72),
    .warn = QColor(0xe3, 0xb3, 0x41),
    .info = QColor(0x79, 0xc0, 0xff),
    .selection = QColor(0x26, 0x3f, 0x63),
    .added_line = QColor(0x1a, 0x2e, 0x25),
    .removed_line = QColor(0x36, 0x20, 0x23),
    .added_word = QColor(0x24, 0x50, 0x3a),
    .removed_word = QColor(0x66, 0x2c, 0x30),
    .data = {QColor(0x56, 0xb4, 0xe9), QColor(0xe6, 0x9f, 0x00), QColor(0x2f, 0xb8, 0x8f), QColor(0xcc, 0x79, 0xa7),
             QColor(0xf0, 0xe4, 0x42), QColor(0x4f, 0x94, 0xe0), QColor(0xe8, 0x75, 0x2a), QColor(0xb0, 0xb8, 0xc2)},
    .code_keyword = QColor(0xc6, 0x92, 0xe9),
    .code_cuda = QColor(0x4e, 0xc9, 0xb0),
    .code_number = QColor(0xe5, 0xa8, 0x6b),
    .code_string = QColor(0x9a, 0xc9, 0x7f),
    .code_comment = QColor(0x86, 0x8f, 0x9a),
    .code_directive = QColor(0x79, 0xc0, 0xff),
    .code_preprocessor = QColor(0xd6, 0x8a, 0xb0),
};

const Tokens kLight{
    .scheme = Scheme::light,
    .surface0 = QColor(0xf3, 0xf4, 0xf6),
    .surface1 = QColor(0xff, 0xff, 0xff),
    .surface2 = QColor(0xeb, 0xed, 0xf0),
    .surface3 = QColor(0xdf, 0xe2, 0xe7),
    .line = QColor(0xd8, 0xdc, 0xe1),
    .text1 = QColor(0x1b, 0x1f, 0x24),
    .text2 = QColor(0x46, 0x4e, 0x58),
    .text3 = QColor(0x63, 0x6b, 0x75),
    .accent = QColor(0x0b, 0x5c, 0xd0),
    .on_accent = QColor(0xff, 0xff, 0xff),
    .good = QColor(0x17, 0x73, 0x40),
    .bad = QColor(0xbf, 0x2b, 0x2b),
    .warn = QColor(0x83, 0x5b, 0x00),
    .info = QColor(0x09, 0x60, 0xc8),
    .selection = QColor(0xcf, 0xe1, 0xfb),
    .added_line = QColor(0xe2, 0xf5, 0xe8),
    .removed_line = QColor(0xfc, 0xe8, 0xe6),
    .added_word = QColor(0xb4, 0xe3, 0xc3),
    .removed_word = QColor(0xf6, 0xc3, 0xbf),
    .data = {QColor(0x1f, 0x7f, 0xb8), QColor(0xa8, 0x6a, 0x00), QColor(0x00, 0x7a, 0x58), QColor(0xa3, 0x4f, 0x7c),
             QColor(0x7d, 0x72, 0x00), QColor(0x00, 0x5c, 0x96), QColor(0xb8, 0x4a, 0x00), QColor(0x46, 0x4e, 0x58)},
    .code_keyword = QColor(0x83, 0x2f, 0xb8),
    .code_cuda = QColor(0x0b, 0x72, 0x64),
    .code_number = QColor(0x9a, 0x52, 0x0b),
    .code_string = QColor(0x2f, 0x73, 0x22),
    .code_comment = QColor(0x63, 0x6b, 0x75),
    .code_directive = QColor(0x09, 0x60, 0xc8),
    .code_preprocessor = QColor(0x9c, 0x2c, 0x66),
};

/// The bytes of a font of the program's; of a code font without its ligatures, which hide what "/=" and "<<<" are made
/// of and which QScintilla, measuring character by character, draws over their neighbours. Qt 6.4 cannot switch them
/// off, so the table that holds them (GSUB, OpenType 1.9) gets a tag that nobody looks for.
QByteArray without_ligatures(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return {};
    QByteArray bytes = file.readAll();
    if (!path.contains(QLatin1String("Mono"))) return bytes;
    constexpr qsizetype kHeader = 12, kRecord = 16; // of the table directory; the number of tables is at byte 4
    const qsizetype tables =
        bytes.size() < kHeader ? 0 : static_cast<uchar>(bytes[4]) << 8 | static_cast<uchar>(bytes[5]);
    for (qsizetype i = 0; i < tables && kHeader + kRecord * (i + 1) <= bytes.size(); ++i)
        if (bytes.mid(kHeader + kRecord * i, 4) == "GSUB") bytes[kHeader + kRecord * i + 3] = 'x';
    return bytes;
}

QPalette palette_of(const Tokens& t) {
    QPalette palette;
    palette.setColor(QPalette::Window, t.surface0);
    palette.setColor(QPalette::WindowText, t.text1);
    palette.setColor(QPalette::Base, t.surface1);
    palette.setColor(QPalette::AlternateBase, t.surface2);
    palette.setColor(QPalette::Text, t.text1);
    palette.setColor(QPalette::Button, t.surface2);
    palette.setColor(QPalette::ButtonText, t.text1);
    palette.setColor(QPalette::Highlight, t.selection);
    palette.setColor(QPalette::HighlightedText, t.text1);
    palette.setColor(QPalette::PlaceholderText, t.text3);
    palette.setColor(QPalette::ToolTipBase, t.surface3);
    palette.setColor(QPalette::ToolTipText, t.text1);
    palette.setColor(QPalette::Link, t.accent);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, t.text3);
    return palette;
}

double luminance(const QColor& color) {
    const auto channel = [](double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
    return 0.2126 * channel(color.redF()) + 0.7152 * channel(color.greenF()) + 0.0722 * channel(color.blueF());
}

} // namespace

Theme::Theme() : tokens_(&kDark) {}

Theme& Theme::instance() {
    static Theme theme;
    return theme;
}

const Tokens& Theme::tokens_of(Scheme scheme) { return scheme == Scheme::dark ? kDark : kLight; }

void Theme::apply(QApplication& application, Scheme scheme) {
    if (!fonts_loaded_) {
        for (const char* file : {"Inter-Regular.otf", "Inter-Medium.otf", "Inter-SemiBold.otf",
                                 "JetBrainsMono-Regular.ttf", "JetBrainsMono-Bold.ttf"})
            QFontDatabase::addApplicationFontFromData(
                without_ligatures(QStringLiteral(":/kw/fonts/") % QLatin1String(file)));
        application.setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
        fonts_loaded_ = true;
    }
    application.setFont(interface_font());
    tokens_ = &tokens_of(scheme);
    application.setPalette(palette_of(*tokens_));
    application.setStyleSheet(style_sheet(*tokens_, text_scale_));
    Q_EMIT changed();
}

QFont Theme::interface_font() const {
    QFont font(QStringLiteral("Inter"));
    font.setPixelSize(static_cast<int>(std::lround(13 * text_scale_)));
    font.setStyleHint(QFont::SansSerif);
    return font;
}

QFont Theme::code_font() const {
    QFont font(QStringLiteral("JetBrains Mono"));
    font.setPointSizeF(10 * text_scale_); // in points: QScintilla knows no pixel sizes
    font.setStyleHint(QFont::Monospace);
    font.setFixedPitch(true);
    return font;
}

double contrast(const QColor& a, const QColor& b) {
    const double la = luminance(a), lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

} // namespace kw::widgets
