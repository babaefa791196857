#pragma once

#include "agent/trajectory/step.h"

#include <QAbstractItemModel>
#include <QSortFilterProxyModel>

#include <optional>
#include <vector>

namespace kw::review {

/// The steps of a session, in the order of writing or by branch. A snapshot.
///
/// By branch, the first step that was made from another goes on in its line; further ones are branches and stand below
/// the step that they were made from. So a session without branches is a list in either form, and what is there keeps
/// its place while steps are added.
class StepsModel : public QAbstractItemModel {
    Q_OBJECT
public:
    enum Column { kVerdict, kNumber, kReward, kSpeedup, kChange, kTokens, kTook, kColumns };
    /// The row's trajectory::StepId, as qlonglong.
    static constexpr int kIdRole = Qt::UserRole;
    /// What a column sorts by: a number, a text, or nothing where it is not known.
    static constexpr int kSortRole = Qt::UserRole + 1;
    /// All that a filter looks at, in lower case.
    static constexpr int kFilterRole = Qt::UserRole + 2;

    using QAbstractItemModel::QAbstractItemModel;
    /// A list that the present one is the beginning of only grows; any other takes its place.
    void set(const std::vector<trajectory::StepSummary>& steps, std::optional<trajectory::StepId> best);
    void set_by_branch(bool by_branch);
    [[nodiscard]] bool by_branch() const { return by_branch_; }
    /// Whether any step was made from one that another was made from before.
    [[nodiscard]] bool branched() const { return branched_; }
    [[nodiscard]] bool has_tokens() const { return has_tokens_; }
    /// The most that an audit found of a step.
    [[nodiscard]] int most_findings() const { return most_findings_; }

    [[nodiscard]] const std::vector<trajectory::StepSummary>& steps() const { return steps_; }
    /// Invalid where there is no such step.
    [[nodiscard]] QModelIndex index_of(trajectory::StepId id, int column = kVerdict) const;
    /// How far the lowest branch stands below the first line.
    [[nodiscard]] int depth() const;
    /// Those with branches below them.
    [[nodiscard]] std::vector<QModelIndex> parents() const;

    [[nodiscard]] QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex& index) const override;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    static constexpr int kRoot = -1;
    /// Where steps_[i] stands.
    struct Node {
        int parent = kRoot;
        int row = 0;
        bool goes_on = false;  ///< a step was made from it
        bool branches = false; ///< it does not go on from the row above
        std::vector<int> children{};
    };
    struct Place {
        int parent = kRoot;
        int row = 0;
        bool branches = false;
    };

    [[nodiscard]] std::vector<int>& children_of(int node) {
        return node == kRoot ? top_ : nodes_[static_cast<std::size_t>(node)].children;
    }
    [[nodiscard]] int find(trajectory::StepId id) const;
    /// For the step after those that have one.
    [[nodiscard]] Place next_place() const;
    void put(const Place& place);
    void place_all();
    [[nodiscard]] QModelIndex index_at(int node, int column) const;
    [[nodiscard]] QString text(int node, int column) const;
    [[nodiscard]] QVariant sort_value(int node, int column) const;
    [[nodiscard]] QString tip(int node) const;
    [[nodiscard]] QString mark(const trajectory::StepSummary& step) const;
    [[nodiscard]] QString findings_of(const trajectory::StepSummary& step) const;
    [[nodiscard]] QString spoken(const trajectory::StepSummary& step) const;

    std::vector<trajectory::StepSummary> steps_;
    std::vector<Node> nodes_; ///< one for each of steps_
    std::vector<int> top_;
    std::optional<trajectory::StepId> best_;
    bool by_branch_ = false;
    bool branched_ = false;
    bool has_tokens_ = false;
    int most_findings_ = 0;
};

/// Sorts steps by what a column means, what is not known last, and shows those that have all words of a text.
class StepsFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit StepsFilter(QObject* parent = nullptr);
    void set_words(const QString& text);

protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
    [[nodiscard]] bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

private:
    QStringList words_;
};

} // namespace kw::review
