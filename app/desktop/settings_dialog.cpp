#include "app/desktop/settings_dialog.h"

#include "app/desktop/settings.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace kw::desktop {
namespace {

QLabel* explanation(const QString& text) {
    auto* label = new QLabel(text);
    label->setProperty("tone", QStringLiteral("quiet"));
    label->setWordWrap(true);
    return label;
}

} // namespace

SettingsDialog::SettingsDialog(Settings& settings, QWidget* parent) : QDialog(parent), settings_(settings) {
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Settings"));
    auto* theme = new QComboBox;
    theme->setAccessibleName(tr("Theme"));
    theme->addItem(tr("As the system"), QStringLiteral("system"));
    theme->addItem(tr("Dark"), QStringLiteral("dark"));
    theme->addItem(tr("Light"), QStringLiteral("light"));
    theme->setCurrentIndex(theme->findData(settings.theme()));
    connect(theme, &QComboBox::activated, this, [this, theme] {
        settings_.set_theme(theme->currentData().toString());
        Q_EMIT look_changed();
    });

    auto* size = new QComboBox;
    size->setAccessibleName(tr("Text size"));
    for (const int percent : {100, 125, 150, 175, 200}) size->addItem(tr("%1 %").arg(percent), percent / 100.0);
    size->setCurrentIndex(std::max(0, size->findData(settings.text_scale())));
    connect(size, &QComboBox::activated, this, [this, size] {
        settings_.set_text_scale(size->currentData().toDouble());
        Q_EMIT look_changed();
    });

    auto* close_pairs = new QCheckBox(tr("Close brackets and quotes as they are opened"));
    close_pairs->setChecked(settings.auto_close());
    connect(close_pairs, &QCheckBox::toggled, this, [this](bool enabled) {
        settings_.set_auto_close(enabled);
        Q_EMIT editing_changed();
    });

    auto* toolkit = new QLineEdit(settings.toolkit());
    toolkit->setAccessibleName(tr("CUDA Toolkit"));
    toolkit->setPlaceholderText(tr("found automatically"));
    toolkit->setMinimumWidth(320);
    connect(toolkit, &QLineEdit::editingFinished, this, [this, toolkit] {
        if (toolkit->text() == settings_.toolkit()) return;
        settings_.set_toolkit(toolkit->text());
        Q_EMIT toolkit_changed();
    });

    auto* form = new QFormLayout;
    form->setLabelAlignment(Qt::AlignRight);
    form->setHorizontalSpacing(16);
    form->setVerticalSpacing(8);
    form->addRow(tr("Theme"), theme);
    form->addRow(tr("Text size"), size);
    form->addRow(tr("Editing"), close_pairs);
    form->addRow(tr("CUDA Toolkit"), toolkit);
    form->addRow(
        {}, explanation(tr("Folder or library of NVRTC on the machine that compiles. Empty: $CUDA_HOME, the loader's "
                           "path, /usr/local/cuda and Python's folders are searched.")));
    form->addRow(
        tr("Sessions"),
        explanation(tr("Every run is kept in %1").arg(QString::fromStdString((data_folder() / "sessions").string()))));
    auto* close = new QPushButton(tr("Close"));
    connect(close, &QPushButton::clicked, this, &QDialog::close);
    auto* buttons = new QHBoxLayout;
    buttons->addStretch();
    buttons->addWidget(close);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(24, 24, 24, 16);
    layout->setSpacing(16);
    layout->addLayout(form);
    layout->addLayout(buttons);
}

} // namespace kw::desktop
