#pragma once

#include "agent/launch/launch.h"

#include <QVariantMap>
#include <QWidget>

#include <optional>
#include <stop_token>

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QSpinBox;

namespace kw::desktop {

/// What is chosen of a driver before it starts: which one, what it needs, what it may use up, where it begins. Keys are
/// never typed here; it is said where one was found.
class AgentForm : public QWidget {
    Q_OBJECT
public:
    explicit AgentForm(QWidget* parent = nullptr);
    ~AgentForm() override;

    /// The task that is open, by which lessons are offered; `lesson` is empty where there is none of it.
    void set_task(const QString& name, const QString& lesson);
    /// The step that a branch may begin from, and its driver; none: there is no step.
    void set_selected_step(std::optional<trajectory::StepId> id);
    /// Begins from the selected step, with the message ready to be written.
    void branch_from_selected();

    /// Driver, model, budget, origin and message; files, task and evaluation are the caller's.
    [[nodiscard]] agent::LaunchOptions options() const;
    /// Instead of the text in the editor or options().from.
    [[nodiscard]] bool begins_from_best() const;
    [[nodiscard]] bool approve_each() const;
    /// Why it cannot start as it stands; empty: it can.
    [[nodiscard]] QString problem() const;
    [[nodiscard]] QString driver_title() const;
    void choose_driver(const QString& name);
    /// What is worth choosing once: not where it begins nor the message, and nothing that may hold a secret (headers, a
    /// proxy with a password).
    [[nodiscard]] QVariantMap fields() const;
    void set_fields(const QVariantMap& fields);

Q_SIGNALS:
    void changed();
    void approve_each_changed(bool on);

private:
    [[nodiscard]] QString driver() const;
    void update_rows();
    void look_for_key();

    std::optional<trajectory::StepId> step_;
    QString lesson_;
    std::stop_source looking_;
    QFormLayout* form_;
    QComboBox* driver_;
    QComboBox* search_;
    QLabel* lesson_label_;
    QLineEdit* replay_;
    QComboBox* provider_;
    QLineEdit* base_url_;
    QLineEdit* key_env_;
    QLabel* key_;
    QLineEdit* model_;
    QComboBox* effort_;
    QDoubleSpinBox* temperature_;
    QLineEdit* proxy_;
    QLineEdit* ca_file_;
    QPlainTextEdit* headers_;
    QComboBox* origin_;
    QPlainTextEdit* message_;
    QSpinBox* steps_;
    QSpinBox* minutes_;
    QSpinBox* tokens_;
    QDoubleSpinBox* cost_;
    QCheckBox* approve_;
};

} // namespace kw::desktop
