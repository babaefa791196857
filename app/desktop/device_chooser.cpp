#include "app/desktop/device_chooser.h"

#include "engine/rpc/worker_client.h"
#include "widgets/icons.h"
#include "widgets/theme.h"

#include <QActionGroup>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QVBoxLayout>
#include <QWidgetAction>

#include <algorithm>

namespace kw::desktop {

QString worker_label(const QString& specification) {
    if (specification == QStringLiteral("local")) return DeviceChooser::tr("This machine");
    QString label = specification;
    const auto colon = label.indexOf(QLatin1Char(':'));
    return colon < 0 ? label : label.replace(colon, 1, QStringLiteral(" "));
}

DeviceChooser::DeviceChooser(QWidget* parent) : QToolButton(parent), menu_(new QMenu(this)) {
    setObjectName(QStringLiteral("deviceChooser"));
    setAccessibleName(tr("Device"));
    setToolTip(tr("Where kernels run (Ctrl+Shift+E). Simulated GPUs estimate time from counted events."));
    setPopupMode(QToolButton::InstantPopup);
    setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    setMenu(menu_);
    setFocusPolicy(Qt::TabFocus);
    connect(menu_, &QMenu::aboutToShow, this, &DeviceChooser::rebuild);
    const auto icon = [this] { setIcon(widgets::icon(QStringLiteral("device"))); };
    connect(&widgets::Theme::instance(), &widgets::Theme::changed, this, icon);
    icon();
    show_device();
}

void DeviceChooser::set_workers(const QStringList& remotes, const QString& worker) {
    remotes_ = remotes;
    if (worker != worker_) {
        worker_ = worker;
        devices_.clear();
        device_ = QStringLiteral("auto");
        problem_.clear();
        waiting_ = 0;
    }
    show_device();
}

void DeviceChooser::set_devices(const std::vector<device::Info>& devices, const QString& wanted) {
    devices_ = devices;
    problem_.clear();
    waiting_ = 0;
    const bool known = std::ranges::any_of(devices_, [&](const auto& info) { return info.id == wanted.toStdString(); });
    if (known)
        device_ = wanted;
    else if (!devices_.empty())
        device_ = QString::fromStdString(devices_.front().id); // what "auto" means
    show_device();
}

void DeviceChooser::set_problem(const QString& sentence) {
    problem_ = sentence;
    waiting_ = 0;
    devices_.clear();
    show_device();
}

void DeviceChooser::set_short(bool shorter) {
    short_ = shorter;
    show_device();
}

void DeviceChooser::set_waiting(int seconds) {
    problem_.clear();
    waiting_ = seconds;
    if (waiting_action_) waiting_action_->setText(waiting_text());
    show_device();
}

QString DeviceChooser::waiting_text() const {
    return waiting_ > 0 ? tr("Asking for devices… (%n s)", nullptr, waiting_) : tr("Asking for devices…");
}

const device::Info* DeviceChooser::info() const {
    const auto found = std::ranges::find(devices_, device_.toStdString(), &device::Info::id);
    return found == devices_.end() ? nullptr : &*found;
}

void DeviceChooser::show_device() {
    const auto* chosen = info();
    QString name = chosen ? QString::fromStdString(chosen->name) : tr("automatic");
    if (worker_ != QStringLiteral("local")) name += tr(" · %1").arg(worker_label(worker_));
    if (waiting_ > 0 && devices_.empty())
        name = tr("%1 · waiting, %2 s").arg(worker_label(worker_), QString::number(waiting_));
    if (!problem_.isEmpty()) name = tr("%1 · no answer").arg(worker_label(worker_));
    constexpr int kLetters = 14;
    setText(short_ ? fontMetrics().elidedText(name, Qt::ElideRight, fontMetrics().averageCharWidth() * kLetters)
                   : name);
    setAccessibleDescription(problem_.isEmpty() ? name : problem_);
}

void DeviceChooser::rebuild() {
    menu_->clear();
    entry_ = nullptr;
    waiting_action_ = nullptr;
    add_devices();
    add_workers();
}

void DeviceChooser::add_devices() {
    if (!problem_.isEmpty()) {
        add_sentence(problem_);
        connect(menu_->addAction(tr("Try again")), &QAction::triggered, this,
                [this] { Q_EMIT worker_chosen(worker_); });
        return;
    }
    auto* group = new QActionGroup(menu_);
    const auto add = [&](const device::Info& info) {
        auto* action = menu_->addAction(QString::fromStdString(info.name));
        action->setToolTip(QString::fromStdString(info.id + ", " + info.arch));
        action->setCheckable(true);
        action->setChecked(device_.toStdString() == info.id);
        group->addAction(action);
        connect(action, &QAction::triggered, this, [this, id = QString::fromStdString(info.id)] {
            device_ = id;
            show_device();
            Q_EMIT device_chosen(id);
        });
    };
    const auto of_kind = [&](device::Kind kind, const QString& title) {
        bool first = true;
        for (const auto& info : devices_) {
            if (info.kind != kind) continue;
            if (first) menu_->addSection(title);
            first = false;
            add(info);
        }
    };
    of_kind(device::Kind::cuda, tr("GPUs"));
    of_kind(device::Kind::sim, tr("Simulator"));
    if (!devices_.empty()) return;
    waiting_action_ = menu_->addAction(waiting_text());
    waiting_action_->setEnabled(false);
    connect(menu_->addAction(tr("Cancel")), &QAction::triggered, this, &DeviceChooser::wait_cancelled);
}

void DeviceChooser::add_sentence(const QString& text) {
    // A menu would be as wide as the sentence is long.
    constexpr int kWidth = 360;
    auto* label = new QLabel(text);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setContentsMargins(12, 8, 12, 8);
    label->setFixedWidth(kWidth);
    auto* action = new QWidgetAction(menu_);
    action->setDefaultWidget(label);
    menu_->addAction(action);
}

void DeviceChooser::add_workers() {
    menu_->addSection(tr("Machine"));
    auto* group = new QActionGroup(menu_);
    for (const QString& specification : QStringList{QStringLiteral("local")} + remotes_) {
        auto* action = menu_->addAction(worker_label(specification));
        action->setCheckable(true);
        action->setChecked(specification == worker_);
        group->addAction(action);
        connect(action, &QAction::triggered, this, [this, specification] {
            if (specification != worker_) Q_EMIT worker_chosen(specification);
        });
    }
    if (remotes_.contains(worker_))
        connect(menu_->addAction(tr("Forget %1").arg(worker_label(worker_))), &QAction::triggered, this,
                [this, gone = worker_] { Q_EMIT remote_removed(gone); });

    auto* holder = new QWidget;
    auto* layout = new QVBoxLayout(holder);
    layout->setContentsMargins(12, 4, 12, 8);
    layout->setSpacing(4);
    entry_ = new QLineEdit;
    entry_->setPlaceholderText(tr("ssh:HOST, srun:--gres=gpu:1 or command:PROGRAM"));
    entry_->setAccessibleName(tr("Another machine"));
    entry_->setMinimumWidth(300);
    auto* told = new QLabel(tr("kw-worker has to be installed there."));
    told->setProperty("tone", QStringLiteral("quiet"));
    told->setWordWrap(true);
    layout->addWidget(entry_);
    layout->addWidget(told);
    auto* action = new QWidgetAction(menu_);
    action->setDefaultWidget(holder);
    menu_->addAction(action);
    connect(entry_, &QLineEdit::returnPressed, this, [this, told] {
        const QString text = entry_->text().trimmed();
        if (const auto command = rpc::worker_command(text.toStdString()); !command) {
            told->setText(QString::fromStdString(command.error().message));
            return;
        }
        menu_->hide();
        Q_EMIT remote_added(text);
    });
}

} // namespace kw::desktop
