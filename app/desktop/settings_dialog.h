#pragma once

#include <QDialog>

namespace kw::desktop {

class Settings;

/// What can be set. Everything takes effect at once; there is nothing to confirm.
class SettingsDialog : public QDialog {
    Q_OBJECT
public:
    SettingsDialog(Settings& settings, QWidget* parent);

Q_SIGNALS:
    void look_changed();
    void toolkit_changed();
    void editing_changed();

private:
    Settings& settings_;
};

} // namespace kw::desktop
