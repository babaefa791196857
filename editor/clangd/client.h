#pragma once

#include "editor/call_tip.h"
#include "editor/clangd/messages.h"
#include "editor/completion.h"
#include "engine/base/json.h"

#include <QElapsedTimer>
#include <QObject>
#include <QProcess>
#include <QTimer>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kw::editor {

/// A place in a text as the protocol counts: lines from 0, columns in UTF-16 units from 0.
struct TextPosition {
    int line = 0;
    int column = 0;
};

struct ClangdOptions {
    QString program; ///< found by find_clangd(), or what the settings say
    QString file;    ///< absolute path of the text that is edited; it need not exist
    std::string arch = "sm_80";
    QString toolkit_include{}; ///< "/usr/local/cuda/include"; empty: CUDA's headers are not to be had
    std::vector<std::pair<std::string, std::string>> defines{}; ///< tunables at their values
};

/// What clangd has to be told to read CUDA device code.
[[nodiscard]] std::vector<std::string> clangd_flags(const ClangdOptions& options);
/// The newest of clangd, clangd-21 … clangd-14 in PATH; empty when there is none.
[[nodiscard]] QString find_clangd();

/// clangd for one text. Nothing here waits: answers come later or never. A crash, silence or nonsense on its side ends
/// in switched_off(), once, and from then on nothing is asked any more.
class ClangdClient : public QObject {
    Q_OBJECT
public:
    explicit ClangdClient(QObject* parent = nullptr);
    ~ClangdClient() override;

    void start(const ClangdOptions& options);
    /// Whether it is worth asking.
    [[nodiscard]] bool running() const { return ready_; }

    /// Before it is ready the latest text is kept and sent then.
    void set_text(const std::string& text);
    void complete(TextPosition at, std::function<void(std::vector<CompletionItem>)> done);
    void hover(TextPosition at, std::function<void(const QString&)> done);
    void signature(TextPosition at, std::function<void(const CallTipText&)> done);

    /// How long it may stay silent when asked. For tests.
    void set_patience(int milliseconds) { patience_ms_ = milliseconds; }

Q_SIGNALS:
    void ready();
    /// One sentence for the user.
    void switched_off(const QString& reason);

private:
    using Answer = std::function<void(const Json& result)>;

    void ask(const char* method, Json params, Answer done);
    void tell(const char* method, Json params);
    void send(const Json& message);
    void read();
    void handle(const Json& message);
    void give_up(const QString& reason);
    [[nodiscard]] Json place(TextPosition at) const;

    QProcess process_;
    MessageReader reader_;
    ClangdOptions options_;
    std::map<int, std::pair<qint64, Answer>> pending_; ///< by id; when it was asked, ms
    QElapsedTimer clock_;
    QTimer watchdog_;
    int next_id_ = 0;
    int version_ = 0;
    int patience_ms_ = 8000;
    std::optional<std::string> waiting_text_;
    bool ready_ = false;
    bool off_ = true;
};

} // namespace kw::editor
