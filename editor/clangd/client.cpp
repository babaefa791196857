#include "editor/clangd/client.h"

#include "engine/device/occupancy.h"

#include <QCoreApplication>
#include <QStandardPaths>
#include <QUrl>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kw::editor {

std::vector<std::string> clangd_flags(const ClangdOptions& options) {
    // Device code only, as the candidates are. -nocudalib: libdevice is not looked for; -nocudainc: a toolkit newer
    // than clang knows of would be refused, so that what it would include by itself is named here.
    // An architecture that clang does not know ends everything, and clang 14, Debian's, knows none after this one.
    constexpr int kNewest = 80;
    const int capability = device::capability_of(options.arch).value_or(kNewest);
    std::vector<std::string> flags{"-x",
                                   "cuda",
                                   "--cuda-device-only",
                                   fmt::format("--cuda-gpu-arch=sm_{}", std::min(capability, kNewest)),
                                   "-nocudalib",
                                   "-nocudainc",
                                   "-std=c++17",
                                   "-Wno-unknown-cuda-version"};
    if (options.toolkit_include.isEmpty()) {
        flags.insert(flags.end(), {"-include", "__clang_cuda_builtin_vars.h"});
        for (const char* word : {"global", "device", "host", "shared", "constant", "managed"})
            flags.push_back(fmt::format("-D__{0}__=__attribute__(({0}))", word));
    } else {
        flags.insert(flags.end(),
                     {"-isystem", options.toolkit_include.toStdString(), "-include", "__clang_cuda_runtime_wrapper.h"});
    }
    for (const auto& [name, value] : options.defines) flags.push_back(fmt::format("-D{}={}", name, value));
    return flags;
}

QString find_clangd() {
    QStringList names{QStringLiteral("clangd")};
    for (int version = 21; version >= 14; --version) names << QStringLiteral("clangd-%1").arg(version);
    for (const auto& name : names)
        if (QString path = QStandardPaths::findExecutable(name); !path.isEmpty()) return path;
    return {};
}

ClangdClient::ClangdClient(QObject* parent) : QObject(parent) {
    watchdog_.setInterval(500);
    connect(&watchdog_, &QTimer::timeout, this, [this] {
        const qint64 now = clock_.elapsed();
        if (std::ranges::any_of(pending_, [&](const auto& p) { return now - p.second.first > patience_ms_; }))
            give_up(tr("clangd does not answer, so completion goes on without it."));
    });
    connect(&process_, &QProcess::readyReadStandardOutput, this, &ClangdClient::read);
    connect(&process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            give_up(tr("%1 cannot be started, so completion goes on without it.").arg(options_.program));
    });
    connect(&process_, &QProcess::finished, this,
            [this] { give_up(tr("clangd has ended unexpectedly, so completion goes on without it.")); });
    process_.setStandardErrorFile(QProcess::nullDevice());
}

ClangdClient::~ClangdClient() {
    process_.disconnect(this);
    if (process_.state() == QProcess::NotRunning) return;
    process_.kill();
    process_.waitForFinished(200); // a killed process is gone in a moment; QProcess warns when it is destroyed before
}

void ClangdClient::start(const ClangdOptions& options) {
    if (!off_ || process_.state() != QProcess::NotRunning) return;
    options_ = options;
    off_ = false;
    version_ = 0;
    clock_.start();
    watchdog_.start();
    process_.start(options.program, {QStringLiteral("--background-index=false"), QStringLiteral("--clang-tidy=false"),
                                     QStringLiteral("-j=1"), QStringLiteral("--limit-results=100"),
                                     QStringLiteral("--header-insertion=never"), QStringLiteral("--log=error")});
    Json capabilities{
        {"textDocument",
         {{"completion", {{"completionItem", {{"snippetSupport", false}, {"documentationFormat", {"plaintext"}}}}}},
          {"hover", {{"contentFormat", {"plaintext"}}}},
          {"signatureHelp", {{"signatureInformation", {{"documentationFormat", {"plaintext"}}}}}}}}};
    ask("initialize",
        {{"processId", QCoreApplication::applicationPid()},
         {"rootUri", nullptr},
         {"capabilities", std::move(capabilities)},
         {"initializationOptions", {{"fallbackFlags", clangd_flags(options)}}}},
        [this](const Json&) {
            tell("initialized", Json::object());
            ready_ = true;
            if (const auto text = std::exchange(waiting_text_, std::nullopt)) set_text(*text);
            Q_EMIT ready();
        });
}

Json ClangdClient::place(TextPosition at) const {
    return {{"textDocument", {{"uri", QUrl::fromLocalFile(options_.file).toString(QUrl::FullyEncoded).toStdString()}}},
            {"position", {{"line", at.line}, {"character", at.column}}}};
}

void ClangdClient::set_text(const std::string& text) {
    if (!ready_) {
        if (!off_) waiting_text_ = text;
        return;
    }
    Json document{{"uri", QUrl::fromLocalFile(options_.file).toString(QUrl::FullyEncoded).toStdString()},
                  {"version", ++version_}};
    if (version_ == 1) {
        document["languageId"] = "cuda";
        document["text"] = text;
        tell("textDocument/didOpen", {{"textDocument", std::move(document)}});
    } else {
        tell("textDocument/didChange",
             {{"textDocument", std::move(document)}, {"contentChanges", Json::array({{{"text", text}}})}});
    }
}

void ClangdClient::complete(TextPosition at, std::function<void(std::vector<CompletionItem>)> done) {
    ask("textDocument/completion", place(at),
        [done = std::move(done)](const Json& result) { done(completions_of(result)); });
}

void ClangdClient::hover(TextPosition at, std::function<void(const QString&)> done) {
    ask("textDocument/hover", place(at),
        [done = std::move(done)](const Json& result) { done(QString::fromStdString(hover_of(result))); });
}

void ClangdClient::signature(TextPosition at, std::function<void(const CallTipText&)> done) {
    ask("textDocument/signatureHelp", place(at),
        [done = std::move(done)](const Json& result) { done(signatures_of(result)); });
}

void ClangdClient::ask(const char* method, Json params, Answer done) {
    if (off_) return;
    const int id = ++next_id_;
    pending_.emplace(id, std::pair{clock_.elapsed(), std::move(done)});
    send({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}});
}

void ClangdClient::tell(const char* method, Json params) {
    send({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}});
}

void ClangdClient::send(const Json& message) {
    if (!off_) process_.write(QByteArray::fromStdString(frame(message))); // buffered, never waits
}

void ClangdClient::read() {
    const QByteArray bytes = process_.readAllStandardOutput();
    reader_.add({bytes.constData(), static_cast<std::size_t>(bytes.size())});
    while (!off_) {
        const auto message = reader_.next();
        if (!message) {
            give_up(tr("clangd's answers make no sense (%1), so completion goes on without it.")
                        .arg(QString::fromStdString(message.error().message)));
            return;
        }
        if (!*message) return;
        handle(**message);
    }
}

void ClangdClient::handle(const Json& message) {
    const auto id = message.find("id");
    if (id == message.end()) return;  // a notification: none is of interest
    if (message.contains("method")) { // a request of its own
        send({{"jsonrpc", "2.0"}, {"id", *id}, {"result", nullptr}});
        return;
    }
    if (!id->is_number_integer()) return;
    const auto pending = pending_.find(id->get<int>());
    if (pending == pending_.end()) return;
    const Answer done = std::move(pending->second.second);
    pending_.erase(pending);
    // An error answers a question too: with nothing.
    const auto result = message.find("result");
    done(result != message.end() ? *result : Json());
}

void ClangdClient::give_up(const QString& reason) {
    if (off_) return;
    off_ = true;
    ready_ = false;
    watchdog_.stop();
    pending_.clear();
    waiting_text_.reset();
    process_.kill();
    Q_EMIT switched_off(reason);
}

} // namespace kw::editor
