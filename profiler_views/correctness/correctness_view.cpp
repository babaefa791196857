#include "profiler_views/correctness/correctness_view.h"

#include "profiler_views/correctness/element_panel.h"
#include "profiler_views/correctness/error_bars.h"
#include "profiler_views/correctness/map_canvas.h"
#include "profiler_views/correctness/tolerance_panel.h"
#include "profiler_views/ulp_text.h"
#include "widgets/numbers.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QLabel>
#include <QLocale>
#include <QProgressBar>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QStackedWidget>
#include <QTableView>

#include <algorithm>
#include <cmath>
#include <utility>

namespace kw::profiler_views {
namespace {

QString count_text(std::uint64_t count) { return QLocale().toString(static_cast<qulonglong>(count)); }

bool same(const task::Tolerance& a, const task::Tolerance& b) { return a.atol == b.atol && a.rtol == b.rtol; }

QString summary_of(const pipeline::Evaluation& evaluation) {
    if (!evaluation.compile.ok) return CorrectnessView::tr("It does not compile, so nothing was checked.");
    const auto& verify = *evaluation.verify;
    const auto total = verify.checks.size();
    const auto right = static_cast<std::size_t>(std::ranges::count(verify.checks, true, &pipeline::Check::ok));
    if (verify.fault)
        return CorrectnessView::tr("%1 after %2 checks")
            .arg(QString::fromStdString(verify.fault->message), QString::number(total));
    if (right < total) return CorrectnessView::tr("%1 of %2 checks are wrong").arg(total - right).arg(total);
    double largest = 0;
    std::uint64_t ulp = 0;
    for (const auto& check : verify.checks) {
        largest = std::max(largest, check.comparison.max_abs);
        ulp = std::max(ulp, check.comparison.max_ulp);
    }
    return CorrectnessView::tr("All %1 checks passed; largest error %2, %3")
        .arg(QString::number(total), widgets::format_number(largest), ulp_text(ulp));
}

std::vector<ErrorBars::Bar> ulp_bars(const verify::ErrorHistogram& histogram, bool floating) {
    using Bar = ErrorBars::Bar;
    std::size_t last = 1;
    for (std::size_t i = 1; i < histogram.ulp.size(); ++i)
        if (histogram.ulp[i] > 0) last = i;
    std::vector<Bar> bars{{.count = histogram.exact, .range = ErrorBars::tr("exact"), .tick = QStringLiteral("0")}};
    for (std::size_t i = 1; i <= std::min<std::size_t>(std::max<std::size_t>(last, 8), 64); ++i) {
        const double from = std::ldexp(1.0, static_cast<int>(i) - 1);
        const auto text =
            i == 1 ? QStringLiteral("1") : QStringLiteral("%1 – %2").arg(from, 0, 'g', 4).arg(2 * from - 1, 0, 'g', 4);
        bars.push_back({.count = histogram.ulp[i],
                        .range = floating ? ErrorBars::tr("%1 ULP").arg(text) : ErrorBars::tr("off by %1").arg(text),
                        .tick = (i - 1) % 4 == 0 ? QString::number(from, 'g', 3) : QString()});
    }
    if (histogram.never > 0)
        bars.push_back({.count = histogram.never,
                        .range = ErrorBars::tr("NaN, or infinite alone"),
                        .tick = QStringLiteral("NaN"),
                        .warm = true});
    return bars;
}

std::vector<ErrorBars::Bar> relative_bars(const verify::ErrorHistogram& histogram, double rtol) {
    using verify::ErrorHistogram;
    std::size_t first = ErrorHistogram::kOctaves - 1, last = 0;
    for (std::size_t i = 0; i < histogram.relative.size(); ++i)
        if (histogram.relative[i] > 0) {
            first = std::min(first, i);
            last = i;
        }
    if (first > last) return {};
    // A few around, so that one bar is not as wide as the plot.
    first -= std::min<std::size_t>(first, 6);
    last = std::min(last + 6, ErrorHistogram::kOctaves - 1);
    std::vector<ErrorBars::Bar> bars;
    for (std::size_t i = first; i <= last; ++i) {
        const double from = ErrorHistogram::relative_edge(i);
        const double exponent = std::ceil(std::log10(from > 0 ? from : 1e-300));
        // The bar that holds a power of ten.
        const bool decade = from > 0 && std::pow(10.0, exponent) < 2 * from;
        bars.push_back({.count = histogram.relative[i],
                        .range = ErrorBars::tr("relative error from %1").arg(from, 0, 'g', 2),
                        .tick = decade ? QStringLiteral("1e%1").arg(exponent) : QString(),
                        .warm = from >= rtol});
    }
    return bars;
}

} // namespace

void CorrectnessView::show_nothing() {
    forget_outputs();
    fault_.reset();
    model_->set_checks({});
    pages_->setCurrentWidget(empty_);
}

void CorrectnessView::forget_outputs() {
    ++map_generation_;
    run_.reset();
    asked_.reset();
    histogram_.reset();
    selected_value_.reset();
    progress_->hide();
    element_->clear();
    if (current())
        show_map();
    else
        map_->clear();
}

void CorrectnessView::show_evaluation(const pipeline::Evaluation& evaluation, bool can_rerun) {
    if (!evaluation.verify && evaluation.compile.ok) return show_nothing();
    can_rerun_ = can_rerun && evaluation.compile.ok;
    fault_ = evaluation.verify ? evaluation.verify->fault : std::nullopt;
    auto checks = evaluation.verify ? evaluation.verify->checks : std::vector<pipeline::Check>{};
    if (fault_) {
        // The check that faulted has no numbers, but what it wrote until then can be had.
        const std::size_t outputs = std::max<std::size_t>(
            1, static_cast<std::size_t>(std::ranges::count_if(checks, [&](const pipeline::Check& check) {
                return check.seed == checks.front().seed && check.sizes == checks.front().sizes;
            })));
        const std::size_t index = checks.size() / outputs;
        fault_case_ = index / pipeline::kChecksPerCase;
        pipeline::Check faulted{.sizes = {},
                                .seed = pipeline::check_seed(evaluation.verify->seed, index),
                                .tensor = {},
                                .ok = false,
                                .problem = fault_->message,
                                .comparison = {}};
        if (index % pipeline::kChecksPerCase != 0 && !checks.empty()) faulted.sizes = checks.back().sizes;
        checks.push_back(std::move(faulted));
    }
    run_.reset();
    asked_.reset();
    progress_->hide();
    summary_->setText(summary_of(evaluation));
    const bool has_line = fault_ && !fault_->where.file.empty() && fault_->where.line > 0;
    fault_line_->setVisible(has_line);
    if (has_line)
        fault_line_->setText(tr("Go to %1:%2").arg(QString::fromStdString(fault_->where.file)).arg(fault_->where.line));
    model_->set_checks(std::move(checks));
    pages_->setCurrentIndex(1);
    select_first();
}

void CorrectnessView::select_first() {
    if (sorted_->rowCount() == 0) return forget_outputs();
    table_->setCurrentIndex(sorted_->index(0, 0));
    current_changed();
}

const pipeline::Check* CorrectnessView::current() const {
    const auto index = sorted_->mapToSource(table_->currentIndex());
    return index.isValid() ? &model_->check(index.row()) : nullptr;
}

std::optional<std::size_t> CorrectnessView::current_tensor() const {
    const auto* check = current();
    if (!check || !run_ || !run_->source || run_->seed != check->seed) return std::nullopt;
    // A check that faulted is of all outputs.
    if (check->tensor.empty()) return run_->tensors.empty() ? std::nullopt : std::optional<std::size_t>{0};
    const auto found = std::ranges::find(run_->tensors, check->tensor, &verify::TensorOutput::name);
    if (found == run_->tensors.end()) return std::nullopt;
    return static_cast<std::size_t>(found - run_->tensors.begin());
}

void CorrectnessView::current_changed() {
    if (!current()) return;
    show_map();
    rerun_if_wanted();
}

void CorrectnessView::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    rerun_if_wanted();
}

void CorrectnessView::rerun_if_wanted() {
    const auto* check = current();
    if (!isVisible() || !can_rerun_ || !check || check->ok || current_tensor()) return;
    if (asked_ && asked_->seed == check->seed) return;
    rerun();
}

void CorrectnessView::rerun() {
    const auto* check = current();
    if (!check || !can_rerun_) return;
    pipeline::OutputsQuery query{.case_index = 0, .sizes = check->sizes, .seed = check->seed};
    if (check->sizes.empty()) {
        // The first check of a further case, which has said nothing of its sizes.
        query.sizes.reset();
        query.case_index = fault_case_;
    }
    asked_ = query;
    show_rerun_progress(tr("Running the check again …"));
    Q_EMIT rerun_requested(query);
}

void CorrectnessView::show_rerun_progress(const QString& what) {
    if (!asked_) return;
    progress_->show();
    show_notice(what, false);
}

void CorrectnessView::show_rerun_problem(const QString& problem) {
    if (!asked_) return;
    progress_->hide();
    show_notice(problem, can_rerun_);
}

void CorrectnessView::show_outputs(const rpc::OutputsRun& run) {
    // An answer to an earlier question.
    if (!asked_ || asked_->seed != run.seed) return;
    progress_->hide();
    if (!run.compile.ok || !run.source)
        return show_rerun_problem(run.problem.empty() ? tr("The check could not be run again.")
                                                      : QString::fromStdString(run.problem));
    run_ = run;
    show_map();
}

void CorrectnessView::show_notice(const QString& text, bool button) {
    notice_->setText(text);
    notice_->setVisible(!text.isEmpty());
    look_->setVisible(button);
}

void CorrectnessView::show_map() {
    ++map_generation_;
    histogram_.reset();
    selected_value_.reset();
    element_->clear();
    ulp_bars_->set_bars({});
    relative_bars_->set_bars({});
    const auto* check = current();
    const auto tensor = current_tensor();
    const bool waiting = progress_->isVisibleTo(this);
    tolerance_->setVisible(tensor.has_value());
    ulp_bars_->setVisible(tensor.has_value());
    relative_bars_->setVisible(tensor.has_value());
    if (tensor) {
        const auto& about = run_->tensors[*tensor];
        tolerance_->set_task_tolerance(about.tolerance, task::is_floating(about.type));
        map_->show_outputs(run_->source, *tensor, about);
        show_notice(
            run_->fault
                ? tr("%1 What is shown was written until then.").arg(QString::fromStdString(run_->fault->message))
                : QString(),
            false);
        load_histogram();
        if (const auto selected = map_->selected())
            element_selected(*selected);
        else if (about.comparison.first_mismatch)
            map_->go_to_element(about.comparison.first_mismatch->index, false);
        return;
    }
    if (check->comparison.map) {
        map_->show_recorded(*check->comparison.map);
        const auto& map = *check->comparison.map;
        if (!waiting)
            show_notice(tr("Recorded by tiles of %1 × %2 elements.").arg(map.tile_rows).arg(map.tile_columns),
                        can_rerun_);
        return;
    }
    map_->clear();
    if (!waiting)
        show_notice(check->ok
                        ? tr("All elements of %1 are within the tolerance.").arg(QString::fromStdString(check->tensor))
                        : QString::fromStdString(pipeline::Check(*check).problem),
                    can_rerun_);
}

void CorrectnessView::load_histogram() {
    const auto tensor = current_tensor();
    if (!tensor) return;
    run_->source->histogram(*tensor, poster_.deliver([this, generation = map_generation_,
                                                      tensor = *tensor](Result<verify::ErrorHistogram> histogram) {
        if (generation != map_generation_ || !run_) return;
        if (!histogram) return show_notice(QString::fromStdString(histogram.error().message), can_rerun_);
        histogram_ = std::move(*histogram);
        const auto& about = run_->tensors[tensor];
        ulp_bars_->set_bars(ulp_bars(*histogram_, task::is_floating(about.type)));
        relative_bars_->set_bars(relative_bars(*histogram_, tolerance_->tolerance().rtol));
        if (task::is_floating(about.type) && same(tolerance_->tolerance(), about.tolerance))
            tolerance_->set_result(
                tr("%1 of %2 pass")
                    .arg(count_text(about.map.elements - about.comparison.mismatches), count_text(about.map.elements)));
    }));
}

void CorrectnessView::tolerance_changed(const task::Tolerance& tolerance, bool rested) {
    const auto tensor = current_tensor();
    if (!tensor) return;
    ++tolerance_generation_;
    map_->set_tolerance(tolerance, rested);
    describe_selected();
    const auto elements = run_->tensors[*tensor].map.elements;
    if (histogram_) {
        const auto passing = histogram_->joint.passing(tolerance);
        tolerance_->set_result(
            passing.at_least == passing.at_most
                ? tr("%1 of %2 would pass").arg(count_text(passing.at_most), count_text(elements))
                : tr("%1 to %2 of %3 would pass")
                      .arg(count_text(passing.at_least), count_text(passing.at_most), count_text(elements)));
        relative_bars_->set_bars(relative_bars(*histogram_, tolerance.rtol));
    }
    if (!rested) return;
    run_->source->mismatches(
        *tensor, tolerance,
        poster_.deliver([this, generation = tolerance_generation_, map = map_generation_,
                         elements](Result<std::uint64_t> mismatches) {
            if (generation != tolerance_generation_ || map != map_generation_) return;
            tolerance_->set_result(
                mismatches ? tr("%1 of %2 would pass").arg(count_text(elements - *mismatches), count_text(elements))
                           : QString::fromStdString(mismatches.error().message));
        }));
}

void CorrectnessView::element_selected(quint64 index) {
    const auto tensor = current_tensor();
    if (!tensor) return;
    const auto& map = run_->tensors[*tensor].map;
    const std::uint64_t row = index / map.columns, column = index % map.columns;
    const auto generation = ++selection_generation_;
    run_->source->values(*tensor, {row, row + 1, column, column + 1},
                         poster_.deliver([this, generation](Result<verify::Values> values) {
                             if (generation != selection_generation_ || !current_tensor()) return;
                             if (!values)
                                 return show_notice(QString::fromStdString(values.error().message), can_rerun_);
                             selected_value_ = std::move(*values);
                             describe_selected();
                         }));
}

void CorrectnessView::describe_selected() {
    const auto tensor = current_tensor();
    if (!tensor || !selected_value_ || selected_value_->actual.empty()) return;
    const auto& about = run_->tensors[*tensor];
    const auto index = selected_value_->region.row * about.map.columns + selected_value_->region.column;
    QStringList coordinates;
    for (const auto at : verify::coordinates_of(index, about.shape)) coordinates << QString::number(at);
    element_->set_element(QString::fromStdString(about.name) + QLatin1Char('[') + coordinates.join(QStringLiteral(", "))
                              + QLatin1Char(']'),
                          verify::describe_element(reinterpret_cast<const std::byte*>(selected_value_->expected.data()),
                                                   reinterpret_cast<const std::byte*>(selected_value_->actual.data()),
                                                   about.type, tolerance_->tolerance()));
}

void CorrectnessView::find_writers() {
    const auto tensor = current_tensor();
    const auto selected = map_->selected();
    if (!tensor || !selected) return;
    element_->set_writers_pending();
    run_->source->writers(*tensor, *selected,
                          poster_.deliver([this, generation = selection_generation_,
                                           map = map_generation_](Result<verify::WriterReport> report) {
                              if (generation != selection_generation_ || map != map_generation_) return;
                              if (report)
                                  element_->set_writers(*report);
                              else
                                  element_->set_writers_problem(QString::fromStdString(report.error().message));
                          }));
}

void CorrectnessView::go_to_next(bool forward) {
    const auto tensor = current_tensor();
    if (!tensor) return;
    const auto elements = run_->tensors[*tensor].map.elements;
    if (elements == 0) return;
    const auto from = map_->selected().value_or(forward ? elements - 1 : 0);
    run_->source->next_mismatch(
        *tensor, from, forward, tolerance_->tolerance(),
        poster_.deliver([this, map = map_generation_](Result<std::optional<std::uint64_t>> found) {
            if (map != map_generation_) return;
            if (!found) return show_notice(QString::fromStdString(found.error().message), can_rerun_);
            if (*found)
                map_->go_to_element(**found, true);
            else
                pointed_->setText(tr("No element fails."));
        }));
}

void CorrectnessView::copy() {
    auto text = table_->hasFocus() ? QString() : map_->values_as_tsv();
    if (text.isEmpty()) {
        QStringList lines;
        for (int row = -1; row < sorted_->rowCount(); ++row) {
            QStringList cells;
            for (int column = 0; column < sorted_->columnCount(); ++column)
                cells << (row < 0 ? sorted_->headerData(column, Qt::Horizontal) : sorted_->index(row, column).data())
                             .toString();
            lines << cells.join(QLatin1Char('\t'));
        }
        text = lines.join(QLatin1Char('\n'));
    }
    QApplication::clipboard()->setText(text);
}

QString CorrectnessView::export_picture(const QString& path) const {
    if (map_->grab().save(path, "PNG")) return {};
    return tr("%1 could not be written; choose a folder that you may write to").arg(path);
}

void CorrectnessView::choose_picture() {
    auto* dialog = new QFileDialog(this, tr("Export the error map"), {}, tr("Pictures (*.png)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("png"));
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
        if (const auto problem = export_picture(path); !problem.isEmpty()) pointed_->setText(problem);
    });
    dialog->open();
}

} // namespace kw::profiler_views
