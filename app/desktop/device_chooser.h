#pragma once

#include "engine/base/result.h"
#include "engine/device/device.h"

#include <QStringList>
#include <QToolButton>

#include <vector>

class QLineEdit;
class QMenu;

namespace kw::desktop {

/// Where kernels run: which worker, and which of its devices. One menu.
class DeviceChooser : public QToolButton {
    Q_OBJECT
public:
    explicit DeviceChooser(QWidget* parent = nullptr);

    /// `remotes` and `worker` as rpc::worker_command takes them; "local" is always there.
    void set_workers(const QStringList& remotes, const QString& worker);
    /// The present worker's devices, and which of them is wanted; the first where that is not among them.
    void set_devices(const std::vector<device::Info>& devices, const QString& wanted);
    /// The present worker does not answer.
    void set_problem(const QString& sentence);
    /// It has been asked for its devices that long ago.
    void set_waiting(int seconds);

    /// The name of the device no longer than it can be told by.
    void set_short(bool shorter);

    /// As --device takes it; "auto" until the devices are known.
    [[nodiscard]] QString device() const { return device_; }
    [[nodiscard]] QString worker() const { return worker_; }
    [[nodiscard]] const device::Info* info() const;

Q_SIGNALS:
    void device_chosen(const QString& id);
    /// Also the present one, to be tried again.
    void worker_chosen(const QString& specification);
    /// Nobody wants to wait for the present worker any longer.
    void wait_cancelled();
    /// Somebody typed a new one, or wants an old one gone.
    void remote_added(const QString& specification);
    void remote_removed(const QString& specification);

private:
    void rebuild();
    void add_devices();
    void add_workers();
    void add_sentence(const QString& text);
    [[nodiscard]] QString waiting_text() const;
    void show_device();

    QMenu* menu_;
    QLineEdit* entry_ = nullptr;
    QStringList remotes_;
    QString worker_ = QStringLiteral("local");
    QString device_ = QStringLiteral("auto");
    QString problem_;
    bool short_ = false;
    int waiting_ = 0; ///< seconds; 0: not for long
    QAction* waiting_action_ = nullptr;
    std::vector<device::Info> devices_;
};

/// "ssh:HOST" as people say it: "ssh host", "srun --gres=gpu:1".
[[nodiscard]] QString worker_label(const QString& specification);

} // namespace kw::desktop
