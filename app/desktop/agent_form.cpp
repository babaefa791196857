#include "app/desktop/agent_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QCoreApplication>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMetaObject>
#include <QPlainTextEdit>
#include <QPointer>
#include <QSpinBox>
#include <QThreadPool>
#include <QToolButton>
#include <QVBoxLayout>

#include <utility>

namespace kw::desktop {
namespace {

/// Below any that may be chosen.
constexpr double kServersTemperature = -0.1;

template<class Widget> Widget* named(Widget* widget, const char* name, const QString& accessible) {
    widget->setObjectName(QString::fromLatin1(name));
    widget->setAccessibleName(accessible);
    return widget;
}

QComboBox* choices(std::initializer_list<std::pair<QString, const char*>> list) {
    auto* box = new QComboBox;
    for (const auto& [title, name] : list) box->addItem(title, QString::fromLatin1(name));
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(8);
    return box;
}

/// 0 stands for no limit.
template<class Box> Box* limit(Box* box, double most, double start) {
    box->setRange(0, static_cast<decltype(box->maximum())>(most));
    box->setValue(static_cast<decltype(box->value())>(start));
    box->setSpecialValueText(AgentForm::tr("no limit"));
    return box;
}

QLabel* quiet() {
    auto* label = new QLabel;
    label->setTextFormat(Qt::PlainText);
    label->setProperty("tone", QStringLiteral("quiet"));
    label->setWordWrap(true);
    // A form knows nothing of lines that wrap.
    label->setMinimumHeight(2 * label->fontMetrics().lineSpacing() + 4);
    return label;
}

} // namespace

AgentForm::AgentForm(QWidget* parent)
    : QWidget(parent),
      form_(new QFormLayout),
      driver_(named(choices({{tr("Advisor: edits that a profile suggests"), "advisor"},
                             {tr("Tuner: values of //@ tune"), "tuner"},
                             {tr("Lesson of the task"), "lesson"},
                             {tr("Replay of a session"), "replay"},
                             {tr("Language model"), "llm"}}),
                    "agent_driver", tr("Driver"))),
      search_(named(choices({{tr("guided by times so far"), "guided"},
                             {tr("at random"), "random"},
                             {tr("all, in order"), "exhaustive"}}),
                    "agent_search", tr("How the tuner chooses"))),
      lesson_label_(quiet()),
      replay_(named(new QLineEdit, "agent_replay", tr("Session to replay"))),
      provider_(named(choices({{tr("Chat Completions"), "chat"},
                               {tr("Responses"), "responses"},
                               {tr("Anthropic Messages"), "anthropic"}}),
                      "agent_provider", tr("Protocol of the server"))),
      base_url_(named(new QLineEdit, "agent_base_url", tr("Server"))),
      key_env_(named(new QLineEdit, "agent_key_env", tr("Environment variable with the key"))),
      key_(quiet()),
      model_(named(new QLineEdit, "agent_model", tr("Model"))),
      effort_(named(
          choices(
              {{tr("as the server has it"), ""}, {tr("low"), "low"}, {tr("medium"), "medium"}, {tr("high"), "high"}}),
          "agent_effort", tr("How much it thinks"))),
      temperature_(named(new QDoubleSpinBox, "agent_temperature", tr("Temperature"))),
      proxy_(named(new QLineEdit, "agent_proxy", tr("Proxy"))),
      ca_file_(named(new QLineEdit, "agent_ca_file", tr("Certificates of authorities, a file"))),
      headers_(named(new QPlainTextEdit, "agent_headers", tr("Further headers, one a line"))),
      origin_(named(new QComboBox, "agent_origin", tr("Where it begins"))),
      message_(named(new QPlainTextEdit, "agent_message", tr("Message to the model"))),
      steps_(named(limit(new QSpinBox, 100000, 16), "agent_steps", tr("Steps at most"))),
      minutes_(named(limit(new QSpinBox, 1440, 0), "agent_minutes", tr("Minutes at most"))),
      tokens_(named(limit(new QSpinBox, 1'000'000'000, 0), "agent_tokens", tr("Tokens at most"))),
      cost_(named(limit(new QDoubleSpinBox, 100000, 0), "agent_cost", tr("US dollars at most"))),
      approve_(named(new QCheckBox(tr("Wait for approval after each step")), "agent_approve_each",
                     tr("Wait for approval after each step"))) {
    replay_->setPlaceholderText(tr("session file"));
    base_url_->setPlaceholderText(tr("the protocol's vendor; local: http://localhost:8000/v1"));
    key_env_->setPlaceholderText(QStringLiteral("KW_API_KEY"));
    model_->setPlaceholderText(tr("as the server calls it"));
    message_->setPlaceholderText(tr("What the model is to know beside the task"));
    message_->setTabChangesFocus(true);
    message_->setFixedHeight(3 * message_->fontMetrics().lineSpacing() + 12);
    temperature_->setRange(kServersTemperature, 2);
    temperature_->setSingleStep(0.1);
    temperature_->setSpecialValueText(tr("as the server has it"));
    temperature_->setValue(kServersTemperature);
    proxy_->setPlaceholderText(tr("as the environment says"));
    ca_file_->setPlaceholderText(tr("those of the system"));
    headers_->setPlaceholderText(tr("Name: value"));
    headers_->setTabChangesFocus(true);
    headers_->setFixedHeight(2 * headers_->fontMetrics().lineSpacing() + 12);
    tokens_->setSingleStep(50000);
    cost_->setPrefix(QStringLiteral("$"));
    key_->setObjectName(QStringLiteral("agent_key"));

    auto* browse = new QToolButton;
    browse->setText(tr("Browse…"));
    connect(browse, &QToolButton::clicked, this, [this] {
        const auto file = QFileDialog::getOpenFileName(this, tr("Session to replay"), {}, tr("Sessions (*.kwsession)"));
        if (!file.isEmpty()) replay_->setText(file);
    });
    auto* replay = new QWidget;
    auto* replay_row = new QHBoxLayout(replay);
    replay_row->setContentsMargins(0, 0, 0, 0);
    replay_row->addWidget(replay_, 1);
    replay_row->addWidget(browse);

    form_->setContentsMargins(0, 0, 0, 0);
    form_->setHorizontalSpacing(12);
    form_->setVerticalSpacing(6);
    form_->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form_->addRow(tr("Driver"), driver_);
    form_->addRow(tr("Search"), search_);
    form_->addRow(tr("Lesson"), lesson_label_);
    form_->addRow(tr("Session"), replay);
    form_->addRow(tr("Protocol"), provider_);
    form_->addRow(tr("Server"), base_url_);
    form_->addRow(tr("Key variable"), key_env_);
    form_->addRow(tr("Key"), key_);
    form_->addRow(tr("Model"), model_);
    form_->addRow(tr("Thinks"), effort_);
    form_->addRow(tr("Temperature"), temperature_);
    form_->addRow(tr("Proxy"), proxy_);
    form_->addRow(tr("CA file"), ca_file_);
    form_->addRow(tr("Headers"), headers_);
    form_->addRow(tr("Begins from"), origin_);
    form_->addRow(tr("Message"), message_);
    form_->addRow(tr("Steps"), steps_);
    form_->addRow(tr("Minutes"), minutes_);
    form_->addRow(tr("Tokens"), tokens_);
    form_->addRow(tr("Cost"), cost_);
    form_->addRow(QString(), approve_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addLayout(form_);

    connect(driver_, &QComboBox::currentIndexChanged, this, &AgentForm::update_rows);
    for (auto* edit : {replay_, model_}) connect(edit, &QLineEdit::textChanged, this, &AgentForm::changed);
    connect(provider_, &QComboBox::currentIndexChanged, this, &AgentForm::look_for_key);
    for (auto* edit : {base_url_, key_env_, proxy_, ca_file_})
        connect(edit, &QLineEdit::editingFinished, this, &AgentForm::look_for_key);
    connect(approve_, &QCheckBox::toggled, this, &AgentForm::approve_each_changed);
    set_selected_step({});
    update_rows();
}

AgentForm::~AgentForm() { looking_.request_stop(); }

QString AgentForm::driver() const { return driver_->currentData().toString(); }

QString AgentForm::driver_title() const {
    return driver() == QStringLiteral("llm") && !model_->text().isEmpty() ? model_->text()
                                                                          : driver_->currentText().section(u':', 0, 0);
}

void AgentForm::choose_driver(const QString& name) { driver_->setCurrentIndex(driver_->findData(name)); }

void AgentForm::set_task(const QString& name, const QString& lesson) {
    lesson_ = lesson;
    lesson_label_->setText(lesson.isEmpty()
                               ? tr("There is no lesson of the task %1.").arg(name)
                               : tr("A written course of candidates for %1, from naive to best.").arg(name));
    Q_EMIT changed();
}

void AgentForm::set_selected_step(std::optional<trajectory::StepId> id) {
    const bool from_step = origin_->currentData().toString() == QStringLiteral("step");
    step_ = id;
    const QSignalBlocker quiet_now(origin_);
    origin_->clear();
    origin_->addItem(tr("the text in the editor"), QStringLiteral("text"));
    if (id) origin_->addItem(tr("step %1, which is selected").arg(*id), QStringLiteral("step"));
    if (id) origin_->addItem(tr("the best step"), QStringLiteral("best"));
    if (from_step && id) origin_->setCurrentIndex(1);
}

void AgentForm::branch_from_selected() {
    if (driver() == QStringLiteral("lesson") || driver() == QStringLiteral("replay"))
        choose_driver(QStringLiteral("advisor"));
    origin_->setCurrentIndex(std::max(0, origin_->findData(QStringLiteral("step"))));
    if (message_->isVisibleTo(this))
        message_->setFocus(Qt::OtherFocusReason);
    else
        origin_->setFocus(Qt::OtherFocusReason);
}

void AgentForm::update_rows() {
    const auto name = driver();
    const bool model = name == QStringLiteral("llm");
    const auto show = [this](QWidget* field, bool shown) { form_->setRowVisible(field, shown); };
    show(search_, name == QStringLiteral("tuner"));
    show(lesson_label_, name == QStringLiteral("lesson"));
    show(replay_->parentWidget(), name == QStringLiteral("replay"));
    for (auto* field :
         std::initializer_list<QWidget*>{provider_, base_url_, key_env_, key_, model_, effort_, temperature_, proxy_,
                                         ca_file_, headers_, message_, tokens_, cost_})
        show(field, model);
    show(origin_, name != QStringLiteral("lesson") && name != QStringLiteral("replay"));
    if (model) look_for_key();
    Q_EMIT changed();
}

void AgentForm::look_for_key() {
    looking_.request_stop();
    looking_ = std::stop_source{};
    key_->setText(tr("Looking for a key…"));
    // A keyring may ask its user, so nobody waits for it here.
    QThreadPool::globalInstance()->start([form = QPointer<AgentForm>(this), server = options().model.server,
                                          stop = looking_.get_token()] {
        const auto found = agent::key_of(server, stop);
        if (stop.stop_requested()) return;
        QString text;
        if (!found)
            text = QString::fromStdString(found.error().message);
        else if (!found->source.empty())
            text =
                tr("%1: found in %2").arg(QString::fromStdString(found->host), QString::fromStdString(found->source));
        else if (found->local)
            text = tr("%1: none, and most local servers need none").arg(QString::fromStdString(found->host));
        else
            text = tr("%1: none found; set KW_API_KEY and start again").arg(QString::fromStdString(found->host));
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [form, text, stop] {
                if (form && !stop.stop_requested()) form->key_->setText(text);
            },
            Qt::QueuedConnection);
    });
}

agent::LaunchOptions AgentForm::options() const {
    agent::LaunchOptions options;
    options.driver = driver().toStdString();
    options.search = search_->currentData().toString().toStdString();
    options.lesson = lesson_.toStdString();
    options.replayed = replay_->text().toStdString();
    const bool model = options.driver == "llm";
    options.model.server = {.provider = provider_->currentData().toString().toStdString(),
                            .base_url = base_url_->text().trimmed().toStdString(),
                            .key_env = key_env_->text().trimmed().toStdString(),
                            .proxy = proxy_->text().trimmed().toStdString(),
                            .ca_file = ca_file_->text().trimmed().toStdString()};
    for (const auto& line : headers_->toPlainText().split(u'\n'))
        if (!line.trimmed().isEmpty()) options.model.server.headers.push_back(line.trimmed().toStdString());
    if (temperature_->value() > kServersTemperature) options.model.temperature = temperature_->value();
    options.model.name = model_->text().trimmed().toStdString();
    options.model.effort = effort_->currentData().toString().toStdString();
    if (model) options.message = message_->toPlainText().trimmed().toStdString();
    const bool begins = form_->isRowVisible(origin_);
    if (begins && origin_->currentData().toString() == QStringLiteral("step")) options.from = step_;
    if (steps_->value() > 0) options.budget.steps = static_cast<std::size_t>(steps_->value());
    if (minutes_->value() > 0) options.budget.seconds = 60.0 * minutes_->value();
    if (model && tokens_->value() > 0) options.budget.tokens = tokens_->value();
    if (model && cost_->value() > 0) options.budget.cost_usd = cost_->value();
    return options;
}

QVariantMap AgentForm::fields() const {
    QVariantMap fields;
    for (const auto* box : {driver_, search_, provider_, effort_}) fields[box->objectName()] = box->currentData();
    for (const auto* edit : {replay_, base_url_, key_env_, model_, proxy_, ca_file_})
        if (edit != proxy_ || !edit->text().contains(u'@')) fields[edit->objectName()] = edit->text();
    for (const auto* box : {steps_, minutes_, tokens_}) fields[box->objectName()] = box->value();
    for (const auto* box : {cost_, temperature_}) fields[box->objectName()] = box->value();
    fields[approve_->objectName()] = approve_->isChecked();
    return fields;
}

void AgentForm::set_fields(const QVariantMap& fields) {
    const auto has = [&fields](const QWidget* field) { return fields.contains(field->objectName()); };
    const auto value = [&fields](const QWidget* field) { return fields[field->objectName()]; };
    for (auto* box : {driver_, search_, provider_, effort_})
        if (const int index = box->findData(value(box)); has(box) && index >= 0) box->setCurrentIndex(index);
    for (auto* edit : {replay_, base_url_, key_env_, model_, proxy_, ca_file_})
        if (has(edit)) edit->setText(value(edit).toString());
    for (auto* box : {steps_, minutes_, tokens_})
        if (has(box)) box->setValue(value(box).toInt());
    for (auto* box : {cost_, temperature_})
        if (has(box)) box->setValue(value(box).toDouble());
    if (has(approve_)) approve_->setChecked(value(approve_).toBool());
    update_rows();
}

bool AgentForm::begins_from_best() const {
    return form_->isRowVisible(origin_) && origin_->currentData().toString() == QStringLiteral("best");
}

bool AgentForm::approve_each() const { return approve_->isChecked(); }

QString AgentForm::problem() const {
    if (driver() == QStringLiteral("lesson") && lesson_.isEmpty()) return lesson_label_->text();
    if (driver() == QStringLiteral("replay") && replay_->text().isEmpty())
        return tr("Choose the session whose steps are to be tried again.");
    if (driver() == QStringLiteral("llm") && model_->text().trimmed().isEmpty())
        return tr("Name the model, as its server calls it.");
    return {};
}

} // namespace kw::desktop
