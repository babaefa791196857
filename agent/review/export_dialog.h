#pragma once

#include "agent/trajectory/exports.h"

#include <QDialog>

#include <filesystem>
#include <string>
#include <thread>

class QButtonGroup;
class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QProgressBar;
class QPushButton;

namespace kw::review {

/// Writes a session in a form that others read, and shows first what that will be.
class ExportDialog : public QDialog {
    Q_OBJECT
public:
    /// `tools` as in TrainingOptions.
    ExportDialog(std::filesystem::path session, std::map<std::string, Json, std::less<>> tools,
                 QWidget* parent = nullptr);
    ~ExportDialog() override;

    /// Writes what is chosen; written() or a sentence in the dialog tells.
    void write_to(const QString& path);

    /// The beginning of a text that is shown, bytes.
    static constexpr std::size_t kPreviewBytes = 64 * 1024;

Q_SIGNALS:
    void previewed();
    void written(const QString& path);

private:
    [[nodiscard]] const trajectory::ExportForm& form() const;
    [[nodiscard]] trajectory::TrainingOptions options() const;
    QWidget* make_choices();
    void choose();
    void preview();
    void ask_path();
    void tell(const QString& text, bool bad);

    std::filesystem::path session_;
    std::map<std::string, Json, std::less<>> tools_;
    std::jthread thread_;
    quint64 asked_ = 0; ///< answers to what was asked earlier are left out

    QButtonGroup* forms_;
    QWidget* reward_row_;
    QDoubleSpinBox* reward_;
    QLabel* reward_label_;
    QWidget* pairs_row_;
    QComboBox* pairs_;
    QPlainTextEdit* text_;
    QLabel* told_;
    QProgressBar* progress_;
    QPushButton* save_;
    QPushButton* close_;
};

} // namespace kw::review
