#include "engine/base/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <thread>

namespace kw {
namespace {

using Clock = std::chrono::steady_clock;

/// PR_SET_PDEATHSIG fires when the *thread* that forked ends, so every child is forked by this one, which never ends.
class ForkThread {
public:
    static void run(const std::function<void()>& work) {
        static auto* const instance = new ForkThread; // never destroyed: the thread outlives static destruction
        instance->call(work);
    }

private:
    ForkThread() {
        std::thread{[this] { loop(); }}.detach();
    }

    void call(const std::function<void()>& work) {
        const std::scoped_lock one{callers_};
        std::unique_lock lock{mutex_};
        work_ = &work;
        changed_.notify_all();
        changed_.wait(lock, [this] { return work_ == nullptr; });
    }

    void loop() {
        std::unique_lock lock{mutex_};
        for (;;) {
            changed_.wait(lock, [this] { return work_ != nullptr; });
            (*work_)();
            work_ = nullptr;
            changed_.notify_all();
        }
    }

    std::mutex callers_;
    std::mutex mutex_;
    std::condition_variable changed_;
    const std::function<void()>* work_ = nullptr;
};

/// Everything the child needs between fork and exec, made beforehand: there it may neither allocate nor lock.
struct ExecPlan {
    const char* path;
    char* const* arguments;
    char* const* environment;
    const char* folder;         ///< null: stay
    std::array<int, 3> streams; ///< become 0, 1, 2; -1: stay as they are
    int death_signal;
    pid_t parent;
    int report; ///< errno is written here when exec fails
};

[[noreturn]] void exec_child(const ExecPlan& plan) {
    const auto give_up = [&plan] {
        const int reason = errno;
        const ssize_t ignored = ::write(plan.report, &reason, sizeof reason);
        static_cast<void>(ignored);
        ::_exit(127);
    };
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, plan.death_signal);
    if (::getppid() != plan.parent) ::_exit(127); // it died before the line above

    struct sigaction action{};
    action.sa_handler = SIG_DFL;
    for (int number = 1; number < NSIG; ++number) ::sigaction(number, &action, nullptr);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);

    // The ends are all above 2 (see raise_above_standard), so that none is overwritten before it is used.
    for (int fd = 0; fd < 3; ++fd)
        if (plan.streams[static_cast<std::size_t>(fd)] >= 0
            && ::dup2(plan.streams[static_cast<std::size_t>(fd)], fd) < 0)
            give_up();
    ::close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);
    if (plan.folder && ::chdir(plan.folder) != 0) give_up();
    ::execve(plan.path, plan.arguments, plan.environment);
    give_up();
    ::_exit(127);
}

/// A parent that runs without standard streams could be given 0 to 2 as pipe ends; the child's dup2 needs them out of
/// the way.
Result<void> raise_above_standard(Descriptor& fd) {
    if (!fd || fd.get() > 2) return {};
    const int raised = ::fcntl(fd.get(), F_DUPFD_CLOEXEC, 3);
    if (raised < 0)
        return fail(Stage::environment, ErrorCode::internal,
                    fmt::format("cannot duplicate a file descriptor: {}", std::strerror(errno)));
    fd.reset(raised);
    return {};
}

std::vector<std::string> changed_environment(const SpawnOptions& options) {
    std::vector<std::string> result;
    const auto changes = [&](std::string_view name) {
        return std::ranges::any_of(options.environment, [&](const auto& change) { return change.first == name; });
    };
    for (char** entry = environ; entry && *entry; ++entry) {
        const std::string_view text{*entry};
        if (!changes(text.substr(0, text.find('=')))) result.emplace_back(text);
    }
    for (const auto& [name, value] : options.environment)
        if (value) result.push_back(name + "=" + *value);
    return result;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> result;
    result.reserve(texts.size() + 1);
    for (auto& text : texts) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
}

/// The child's end goes to `theirs`, ours to `ours`.
Result<void> open_stream(SpawnOptions::Stream kind, bool child_reads, Descriptor& theirs, Descriptor& ours) {
    if (kind == SpawnOptions::Stream::inherit) return {};
    if (kind == SpawnOptions::Stream::null) {
        theirs.reset(::open("/dev/null", (child_reads ? O_RDONLY : O_WRONLY) | O_CLOEXEC));
        if (!theirs) return fail(Stage::environment, ErrorCode::not_found, "cannot open /dev/null");
        return raise_above_standard(theirs);
    }
    auto pipe = make_pipe();
    if (!pipe) return std::unexpected(std::move(pipe.error()));
    theirs = std::move(child_reads ? pipe->read : pipe->write);
    ours = std::move(child_reads ? pipe->write : pipe->read);
    auto raised = raise_above_standard(theirs);
    return raised ? raise_above_standard(ours) : raised;
}

pid_t fork_and_exec(const ExecPlan& plan) {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    // No handler of this process may run in the child.
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t pid = ::fork();
    if (pid == 0) exec_child(plan);
    const int reason = errno;
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = reason;
    return pid;
}

} // namespace

std::string to_string(const ExitStatus& status) {
    if (status.signal == 0) return fmt::format("exit status {}", status.code);
    const char* name = ::sigabbrev_np(status.signal);
    return name ? fmt::format("signal {} (SIG{})", status.signal, name) : fmt::format("signal {}", status.signal);
}

std::filesystem::path find_program(const std::string& name) {
    if (name.empty()) return {};
    if (name.contains('/')) return name;
    const char* variable = std::getenv("PATH");
    std::string_view rest = variable ? variable : "/usr/local/bin:/usr/bin:/bin";
    for (;;) {
        const auto colon = rest.find(':');
        const auto folder = rest.substr(0, colon);
        const auto path = std::filesystem::path{folder.empty() ? std::string_view{"."} : folder} / name;
        struct stat info{};
        if (::access(path.c_str(), X_OK) == 0 && ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode)) return path;
        if (colon == std::string_view::npos) return {};
        rest.remove_prefix(colon + 1);
    }
}

std::string shell_word(std::string_view text) {
    constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
    if (!text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos) return std::string{text};
    std::string word = "'";
    for (const char c : text) {
        if (c == '\'')
            word += "'\\''";
        else
            word += c;
    }
    return word + "'";
}

Result<Child> Child::spawn(const SpawnOptions& options) {
    if (options.arguments.empty()) return fail(Stage::environment, ErrorCode::internal, "no program was named");
    const auto& name = options.arguments.front();
    const auto found = find_program(name);
    if (found.empty())
        return fail(Stage::environment, ErrorCode::not_found,
                    fmt::format("no program '{}' is in PATH; install it or give its whole path", name));
    // The child changes its folder before it looks for the program.
    std::error_code no_folder;
    const auto path = options.folder.empty() ? found : std::filesystem::absolute(found, no_folder);
    if (no_folder)
        return fail(Stage::environment, ErrorCode::not_found,
                    fmt::format("cannot start '{}': the current folder is gone", name));

    Child child;
    std::array<Descriptor, 3> theirs;
    using Streams = std::array<std::pair<SpawnOptions::Stream, Descriptor*>, 3>;
    const Streams streams{
        {{options.input, &child.input_}, {options.output, &child.output_}, {options.errors, &child.errors_}}};
    for (std::size_t i = 0; i < streams.size(); ++i)
        if (auto opened = open_stream(streams[i].first, i == 0, theirs[i], *streams[i].second); !opened)
            return std::unexpected(std::move(opened.error()));
    auto report = make_pipe();
    if (!report) return std::unexpected(std::move(report.error()));
    if (auto raised = raise_above_standard(report->write); !raised) return std::unexpected(std::move(raised.error()));

    auto arguments = options.arguments;
    auto environment = changed_environment(options);
    const auto argument_pointers = pointers(arguments);
    const auto environment_pointers = pointers(environment);
    const ExecPlan plan{path.c_str(),
                        argument_pointers.data(),
                        environment_pointers.data(),
                        options.folder.empty() ? nullptr : options.folder.c_str(),
                        {theirs[0].get(), theirs[1].get(), theirs[2].get()},
                        options.death_signal,
                        ::getpid(),
                        report->write.get()};
    int reason = 0;
    ForkThread::run([&] {
        child.pid_ = fork_and_exec(plan);
        if (child.pid_ < 0) reason = errno;
    });
    report->write.reset();
    if (child.pid_ < 0)
        return fail(Stage::environment, ErrorCode::internal,
                    fmt::format("cannot start '{}': {}", name, std::strerror(reason)));
    // By number: glibc 2.36 declares pidfd_open without extern "C".
    child.pidfd_.reset(static_cast<int>(::syscall(SYS_pidfd_open, child.pid_, 0)));
    const auto told = read_some(report->read.get(), reinterpret_cast<char*>(&reason), sizeof reason);
    if (told == static_cast<std::ptrdiff_t>(sizeof reason)) {
        child.kill_and_wait();
        const auto code =
            reason == ENOENT || reason == EACCES || reason == ENOEXEC ? ErrorCode::not_found : ErrorCode::internal;
        return fail(Stage::environment, code,
                    fmt::format("cannot start '{}': {}", path.string(), std::strerror(reason)));
    }
    if (!child.pidfd_) {
        child.kill_and_wait();
        return fail(Stage::environment, ErrorCode::unsupported,
                    "this kernel has no pidfd_open; Linux 5.3 or later is needed");
    }
    return child;
}

Child::~Child() {
    if (pid_ > 0 && !status_) kill_and_wait();
}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      pidfd_(std::move(other.pidfd_)),
      input_(std::move(other.input_)),
      output_(std::move(other.output_)),
      errors_(std::move(other.errors_)),
      status_(other.status_) {}

Child& Child::operator=(Child&& other) noexcept {
    if (this != &other) {
        this->~Child();
        new (this) Child(std::move(other));
    }
    return *this;
}

void Child::kill(int signal) {
    const std::scoped_lock lock{reaping_};
    if (pid_ <= 0 || status_) return;
    // The child may not have reached setpgid yet; then only it exists.
    if (::kill(-pid_, signal) != 0) ::kill(pid_, signal);
}

std::optional<ExitStatus> Child::wait(std::optional<std::chrono::milliseconds> timeout) {
    if (status_) return status_;
    if (pid_ <= 0) return ExitStatus{};
    if (timeout) {
        const auto deadline = Clock::now() + *timeout;
        for (;;) {
            pollfd ended{pidfd_.get(), POLLIN, 0};
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
            const int n = ::poll(
                &ended, 1, static_cast<int>(std::clamp<std::chrono::milliseconds::rep>(left.count(), 0, 1 << 30)));
            if (n > 0) break;
            if (n == 0) return std::nullopt;
        }
    }
    siginfo_t info{};
    while (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
    }
    const std::scoped_lock lock{reaping_};
    // While the leader is unreaped its number cannot be another group's.
    ::kill(-pid_, SIGKILL);
    int raw = 0;
    while (::waitpid(pid_, &raw, 0) < 0 && errno == EINTR) {
    }
    status_ = WIFSIGNALED(raw) ? ExitStatus{0, WTERMSIG(raw)} : ExitStatus{WEXITSTATUS(raw), 0};
    return status_;
}

ExitStatus Child::kill_and_wait() {
    kill(SIGKILL);
    return wait().value_or(ExitStatus{});
}

namespace {

struct Reader {
    Descriptor* fd;
    std::string* to;
};

/// One read; false when the stream is over its limit.
bool drain(Reader& reader, std::size_t limit) {
    std::array<char, 65536> buffer;
    const auto n = read_some(reader.fd->get(), buffer.data(), buffer.size());
    if (n <= 0) {
        if (n == 0 || errno != EAGAIN) reader.fd->reset();
        return true;
    }
    reader.to->append(buffer.data(), static_cast<std::size_t>(n));
    return reader.to->size() <= limit;
}

} // namespace

Result<RunResult> run(const std::vector<std::string>& arguments, const RunOptions& options, std::stop_token stop) {
    SpawnOptions spawn_options{.arguments = arguments, .environment = options.environment, .folder = options.folder};
    if (options.input.empty()) spawn_options.input = SpawnOptions::Stream::null;
    const auto deadline = Clock::now() + options.timeout;
    auto child = Child::spawn(spawn_options);
    if (!child) return std::unexpected(std::move(child.error()));

    const Descriptor stopped{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    if (!stopped)
        return fail(Stage::environment, ErrorCode::internal,
                    fmt::format("cannot make an event descriptor: {}", std::strerror(errno)));
    const std::stop_callback on_stop{stop, [&stopped] { ::eventfd_write(stopped.get(), 1); }};

    RunResult result;
    std::array<Reader, 2> readers{{{&child->output(), &result.output}, {&child->errors(), &result.errors}}};
    std::string_view input = options.input;
    if (child->input()) ::fcntl(child->input().get(), F_SETFL, O_NONBLOCK);

    bool ended = false;
    while (!ended || child->output() || child->errors()) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
        if (left <= 0)
            return fail(Stage::environment, ErrorCode::timeout,
                        fmt::format("'{}' did not end within {} ms and was killed", arguments.front(),
                                    options.timeout.count()));
        // A descriptor of -1 is ignored by poll(2), so closed streams need no special case.
        std::array<pollfd, 5> waiting{{{child->output().get(), POLLIN, 0},
                                       {child->errors().get(), POLLIN, 0},
                                       {child->input().get(), POLLOUT, 0},
                                       {ended ? -1 : child->ended_descriptor(), POLLIN, 0},
                                       {stopped.get(), POLLIN, 0}}};
        if (::poll(waiting.data(), waiting.size(), static_cast<int>(std::min<std::int64_t>(left, 1 << 30))) < 0) {
            if (errno == EINTR) continue;
            return fail(Stage::environment, ErrorCode::internal, fmt::format("poll: {}", std::strerror(errno)));
        }
        if (waiting[4].revents)
            return fail(Stage::environment, ErrorCode::cancelled,
                        fmt::format("'{}' was stopped on request", arguments.front()));
        for (std::size_t i = 0; i < readers.size(); ++i)
            if (waiting[i].revents && !drain(readers[i], options.output_limit))
                return fail(Stage::environment, ErrorCode::unsupported,
                            fmt::format("'{}' wrote more than {} bytes and was killed", arguments.front(),
                                        options.output_limit));
        if (waiting[2].revents) {
            const auto n = write_some(child->input().get(), input);
            if (n > 0) input.remove_prefix(static_cast<std::size_t>(n));
            if (input.empty() || (n < 0 && errno != EAGAIN)) child->input().reset();
        }
        if (waiting[3].revents) {
            ended = true;
            child->input().reset();
            // Grandchildren that hold the pipes open would keep this loop waiting.
            child->kill();
        }
    }
    result.status = *child->wait();
    return result;
}

} // namespace kw
