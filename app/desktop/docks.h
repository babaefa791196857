#pragma once

#include <QDockWidget>
#include <QObject>
#include <QString>

#include <functional>
#include <vector>

class QAction;
class QMainWindow;

namespace kw::desktop {

class Settings;

/// A pane of the window. Its content is made when it is first seen, so that starting costs only what is looked at.
class Pane : public QDockWidget {
    Q_OBJECT
public:
    using Make = std::function<QWidget*()>;
    Pane(const QString& id, const QString& title, Make make, QWidget* parent);

    /// Makes the content now where there is none yet.
    void ensure();
    /// Makes it visible, in front of its tabs.
    void reveal();
    /// In front of its tabs, or alone.
    [[nodiscard]] bool in_front() const { return in_front_; }
    /// Among tabs the tab is the title, and a second one would say the same.
    void show_title(bool shown);

Q_SIGNALS:
    void came_to_front();

private:
    Make make_;
    QWidget* title_;
    QWidget* no_title_;
    bool in_front_ = false;
};

/// The panes of the window and the three ways to arrange them. Each arrangement remembers what was done to it.
class Docks : public QObject {
    Q_OBJECT
public:
    enum class Place { left, beside, right, bottom }; ///< beside: next to the source, in the layout Review alone
    struct Layout {
        QString name; ///< in the settings
        QString title;
        QString icon;
    };

    Docks(QMainWindow& window, Settings& settings);

    /// Call for all panes before restore(). Those at one place are tabs, in the order of adding.
    Pane* add(const QString& id, const QString& title, Place place, Pane::Make make);
    [[nodiscard]] const std::vector<Pane*>& panes() const { return panes_; }

    /// False where there is no such pane.
    bool reveal(const QString& id);

    [[nodiscard]] static const std::vector<Layout>& layouts();
    [[nodiscard]] const QString& current() const { return current_; }
    /// One pane and no other, which is none of the layouts and is not remembered.
    void show_only(const QString& id);
    /// As it was last left, else as it is meant to be.
    void apply(const QString& layout);
    /// As it is meant to be, whatever was done to it.
    void reset();
    /// Keeps the present arrangement.
    void remember();

Q_SIGNALS:
    void applied(const QString& layout);

private:
    void arrange(const QString& layout);
    void set_sizes();
    void update_titles();
    [[nodiscard]] Pane* pane(const QString& id) const;

    QMainWindow& window_;
    Settings& settings_;
    struct Placed {
        Pane* pane;
        Place place;
    };
    std::vector<Placed> placed_;
    std::vector<Pane*> panes_;
    QString current_;
};

} // namespace kw::desktop
