#include "agent/review/export_dialog.h"

#include "engine/base/file_writer.h"
#include "widgets/theme.h"

#include <QButtonGroup>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QRadioButton>
#include <QStyle>
#include <QVBoxLayout>

namespace kw::review {
namespace {

using trajectory::SessionFile;

Error stopped() { return {Stage::usage, ErrorCode::cancelled, "the export was stopped"}; }

QString label_of(std::string_view form) {
    const auto name = [](const QString& what, const char* extension) {
        return QStringLiteral("%1  (%2)").arg(what, QLatin1String(extension));
    };
    if (form == "csv") return name(ExportDialog::tr("Rewards, one row a step"), ".csv");
    if (form == "jsonl") return name(ExportDialog::tr("Steps with sources and evaluations"), ".jsonl");
    if (form == "atif") return name(ExportDialog::tr("Agent trajectory, ATIF 1.7"), ".json");
    if (form == "chat") return name(ExportDialog::tr("Conversations for SFT and RFT"), ".jsonl");
    if (form == "kto") return name(ExportDialog::tr("Rows for KTO"), ".jsonl");
    if (form == "dpo") return name(ExportDialog::tr("Pairs for DPO"), ".jsonl");
    if (form == "chrome") return name(ExportDialog::tr("Timeline for Chrome and Perfetto"), ".json");
    return name(ExportDialog::tr("Report that stands alone and prints"), ".html");
}

} // namespace

ExportDialog::ExportDialog(std::filesystem::path session, std::map<std::string, Json, std::less<>> tools,
                           QWidget* parent)
    : QDialog(parent), session_(std::move(session)), tools_(std::move(tools)) {
    setWindowTitle(tr("Export the session"));
    auto* all = new QVBoxLayout(this);
    auto* columns = new QHBoxLayout;
    columns->addWidget(make_choices());
    text_ = new QPlainTextEdit;
    text_->setReadOnly(true);
    text_->setLineWrapMode(QPlainTextEdit::NoWrap);
    text_->setFont(widgets::Theme::instance().code_font());
    text_->setAccessibleName(tr("The beginning of what is written"));
    text_->setPlaceholderText(tr("Nothing is written in this form."));
    columns->addWidget(text_, 1);
    all->addLayout(columns, 1);

    auto* row = new QHBoxLayout;
    told_ = new QLabel;
    told_->setWordWrap(true);
    told_->setTextFormat(Qt::PlainText);
    told_->setAccessibleName(tr("State of the export"));
    progress_ = new QProgressBar;
    progress_->setRange(0, 0);
    progress_->setAccessibleName(tr("Writing"));
    progress_->setMaximumWidth(120);
    progress_->hide();
    save_ = new QPushButton(tr("Save…"));
    save_->setDefault(true);
    close_ = new QPushButton(tr("Close"));
    row->addWidget(told_, 1);
    row->addWidget(progress_);
    row->addWidget(save_);
    row->addWidget(close_);
    all->addLayout(row);
    connect(save_, &QPushButton::clicked, this, &ExportDialog::ask_path);
    connect(close_, &QPushButton::clicked, this, [this] {
        if (progress_->isHidden()) return reject();
        thread_.request_stop();
    });
    resize(960, 560);
    choose();
}

ExportDialog::~ExportDialog() {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
}

QWidget* ExportDialog::make_choices() {
    auto* choices = new QWidget;
    auto* column = new QVBoxLayout(choices);
    column->setContentsMargins(0, 0, 8, 0);
    forms_ = new QButtonGroup(this);
    int index = 0;
    for (const auto& form : trajectory::export_forms()) {
        auto* button = new QRadioButton(label_of(form.name));
        button->setChecked(index == 0);
        forms_->addButton(button, index++);
        column->addWidget(button);
    }
    column->addSpacing(8);
    const auto option = [&](QLabel* label, QWidget* control) {
        auto* row = new QWidget;
        auto* line = new QHBoxLayout(row);
        line->setContentsMargins(0, 0, 0, 0);
        label->setBuddy(control);
        control->setAccessibleName(label->text());
        line->addWidget(label, 1);
        line->addWidget(control);
        column->addWidget(row);
        return row;
    };
    reward_ = new QDoubleSpinBox;
    reward_->setRange(-1001, 1000);
    reward_->setDecimals(1);
    reward_->setSpecialValueText(tr("any"));
    reward_label_ = new QLabel;
    reward_row_ = option(reward_label_, reward_);
    pairs_ = new QComboBox;
    pairs_->addItem(tr("that began from the same step"));
    pairs_->addItem(tr("of the whole session"));
    pairs_row_ = option(new QLabel(tr("Compare steps")), pairs_);
    column->addStretch(1);
    connect(forms_, &QButtonGroup::idClicked, this, &ExportDialog::choose);
    connect(reward_, &QDoubleSpinBox::valueChanged, this, &ExportDialog::preview);
    connect(pairs_, &QComboBox::currentIndexChanged, this, &ExportDialog::preview);
    return choices;
}

const trajectory::ExportForm& ExportDialog::form() const {
    return trajectory::export_forms()[static_cast<std::size_t>(forms_->checkedId())];
}

trajectory::TrainingOptions ExportDialog::options() const {
    trajectory::TrainingOptions options{.min_reward = {}, .tools = tools_};
    if (!reward_row_->isHidden() && reward_->value() > reward_->minimum()) options.min_reward = reward_->value();
    if (!pairs_row_->isHidden() && pairs_->currentIndex() == 1)
        options.pairs = trajectory::TrainingOptions::Pairs::task;
    return options;
}

void ExportDialog::choose() {
    const auto name = form().name;
    reward_row_->setVisible(name == "chat" || name == "kto");
    pairs_row_->setVisible(name == "dpo");
    reward_label_->setText(name == "kto" ? tr("Good from this reward on") : tr("Reaching at least this reward"));
    reward_->setAccessibleName(reward_label_->text());
    const QSignalBlocker quiet(reward_);
    reward_->setValue(name == "kto" ? 2 : reward_->minimum());
    preview();
}

void ExportDialog::preview() {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
    tell({}, false);
    thread_ = std::jthread([this, asked = ++asked_, session = session_, form = std::string(form().name),
                            options = options()](const std::stop_token& stop) {
        std::string text;
        bool whole = false;
        auto done = [&]() -> Result<void> {
            const auto file = SessionFile::open(session, SessionFile::Access::read);
            if (!file) return std::unexpected(file.error());
            return export_as(form, *file, options, [&](std::string_view piece) -> Result<void> {
                if (stop.stop_requested()) return std::unexpected(stopped());
                text += piece.substr(0, kPreviewBytes - text.size());
                if (text.size() >= kPreviewBytes) return std::unexpected(stopped());
                return {};
            });
        }();
        whole = done.has_value();
        // Enough of it is no failure.
        const QString problem = whole || done.error().code == ErrorCode::cancelled
                                    ? QString()
                                    : QString::fromStdString(done.error().message);
        QMetaObject::invokeMethod(this, [this, asked, whole, problem, text = QString::fromStdString(text)] {
            if (asked != asked_) return;
            text_->setPlainText(text);
            save_->setEnabled(problem.isEmpty() && !text.isEmpty());
            if (!problem.isEmpty())
                tell(problem, true);
            else if (text.isEmpty())
                tell(tr("No step of this session fits the form and the choices."), false);
            else
                tell(whole ? tr("This is all of it.") : tr("This is the beginning."), false);
            Q_EMIT previewed();
        });
    });
}

void ExportDialog::ask_path() {
    const auto& chosen = form();
    auto proposal = session_.stem().string();
    if (chosen.name == "chat" || chosen.name == "kto" || chosen.name == "dpo")
        proposal += "-" + std::string(chosen.name);
    proposal += chosen.extension;
    const auto path = QFileDialog::getSaveFileName(this, windowTitle(), QString::fromStdString(proposal));
    if (!path.isEmpty()) write_to(path);
}

void ExportDialog::write_to(const QString& path) {
    const std::filesystem::path target = path.toStdString();
    if (auto may = trajectory::check_replaced(target); !may)
        return tell(QString::fromStdString(may.error().message), true);
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
    progress_->show();
    save_->setEnabled(false);
    close_->setText(tr("Cancel"));
    tell(tr("Writing %1…").arg(path), false);
    thread_ = std::jthread([this, asked = ++asked_, target, path, session = session_, form = std::string(form().name),
                            options = options()](const std::stop_token& stop) {
        std::uint64_t bytes = 0;
        auto done = [&]() -> Result<void> {
            const auto source = SessionFile::open(session, SessionFile::Access::read);
            if (!source) return std::unexpected(source.error());
            auto file = FileWriter::create(target, Stage::usage);
            if (!file) return std::unexpected(file.error());
            auto written = export_as(form, *source, options, [&](std::string_view piece) -> Result<void> {
                if (stop.stop_requested()) return std::unexpected(stopped());
                bytes += piece.size();
                return file->write(piece);
            });
            return written ? file->finish() : written;
        }();
        QMetaObject::invokeMethod(this, [this, asked, path, bytes,
                                         error = done ? QString() : QString::fromStdString(done.error().message)] {
            if (asked != asked_) return;
            progress_->hide();
            close_->setText(tr("Close"));
            save_->setEnabled(true);
            if (!error.isEmpty()) return tell(error, true);
            tell(tr("%1 was written, %2.")
                     .arg(path, QLocale().formattedDataSize(static_cast<qint64>(bytes), 1, QLocale::DataSizeSIFormat)),
                 false);
            Q_EMIT written(path);
        });
    });
}

void ExportDialog::tell(const QString& text, bool bad) {
    told_->setText(text);
    told_->setProperty("tone", bad ? QStringLiteral("bad") : QString());
    told_->style()->polish(told_);
}

} // namespace kw::review
