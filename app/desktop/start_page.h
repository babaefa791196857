#pragma once

#include <QStringList>
#include <QWidget>

#include <filesystem>
#include <vector>

class QGridLayout;
class QLabel;
class QVBoxLayout;

namespace kw::desktop {

/// What is seen when nothing is open: what was opened last, the bundled tasks, and how to open others.
class StartPage : public QWidget {
    Q_OBJECT
public:
    explicit StartPage(QWidget* parent = nullptr);

    struct Bundled {
        QString title;
        QString name;
        std::filesystem::path folder;
    };
    /// `unsaved` are those of `recent` of which there is text that was never saved.
    /// A task for which `lessons` has a session of the same name is opened by its lesson too.
    void show_content(const QStringList& recent, const QStringList& unsaved, const std::vector<Bundled>& tasks,
                      const std::filesystem::path& lessons);
    /// Something could not be opened.
    void show_problem(const QString& headline, const QString& sentence);

    /// Reads the titles of the tasks in a folder; what is not a task is left out.
    [[nodiscard]] static std::vector<Bundled> tasks_in(const std::filesystem::path& folder);

Q_SIGNALS:
    void open_requested(const QString& path);
    /// A task's folder or a lesson's session, which are not for writing.
    void bundled_requested(const QString& path);
    void browse_requested();

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    /// As many beside each other as there is room for at the size of the text.
    void place_cards();

    std::vector<QWidget*> cards_{};
    QLabel* problem_;
    QVBoxLayout* recent_;
    QGridLayout* tasks_;
    QWidget* content_ = nullptr;
};

} // namespace kw::desktop
