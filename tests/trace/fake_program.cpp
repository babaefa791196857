// A program that "uses CUDA": where it would call cuInit it does what the driver does there, and where it would launch
// it has the fake CUPTI make the records. What it does is its arguments, one after the other.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

namespace {

void* g_cupti = nullptr;
std::uint32_t g_correlation = 0;

template<class Function> Function fake(const char* name) {
    return g_cupti ? reinterpret_cast<Function>(dlsym(g_cupti, name)) : nullptr;
}

void initialise_cuda() {
    const char* injected = std::getenv("CUDA_INJECTION64_PATH");
    if (!injected) return;
    void* const library = dlopen(injected, RTLD_NOW);
    if (!library) {
        std::fprintf(stderr, "the injected library does not load: %s\n", dlerror());
        std::exit(99);
    }
    if (const char* path = std::getenv("KW_TRACE_CUPTI")) g_cupti = dlopen(path, RTLD_NOW);
    if (reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection"))() != 1) std::exit(98);
    if (const auto device = fake<void (*)()>("fake_device")) device();
}

void launch(int count) {
    const auto now = fake<std::uint64_t (*)()>("fake_now");
    const auto kernel =
        fake<void (*)(const char*, std::uint64_t, std::uint64_t, std::uint32_t, std::uint32_t, std::uint32_t)>(
            "fake_launch");
    const auto copy = fake<void (*)(std::uint64_t, std::uint64_t, std::uint64_t, std::uint32_t)>("fake_copy");
    if (!now) return;
    auto time = now();
    for (int i = 0; i < count; ++i) {
        // Each starts 2 µs after the one before; its kernel takes 1 µs.
        kernel(i % 2 == 0 ? "_Z4axpyfPKfPfi" : "reduce", time, 1000, ++g_correlation, 7,
               static_cast<std::uint32_t>(getpid()));
        time += 2000;
    }
    copy(time, 1000, 64000, ++g_correlation);
}

void end_child(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
}

bool run(const std::string& step, const char* program) {
    const auto colon = step.find(':');
    const auto what = step.substr(0, colon);
    const int number = colon == std::string::npos ? 0 : std::atoi(step.c_str() + colon + 1);
    if (what == "init") {
        initialise_cuda();
    } else if (what == "launch") {
        launch(number);
    } else if (what == "sleep") {
        std::this_thread::sleep_for(std::chrono::milliseconds{number});
    } else if (what == "say") {
        std::printf("%s\n", step.c_str() + colon + 1);
        std::fflush(stdout);
    } else if (what == "echo") { // standard input to standard output
        for (int c = std::getchar(); c != EOF; c = std::getchar()) std::putchar(c);
    } else if (what == "raise") {
        std::raise(number);
    } else if (what == "_exit") {
        _exit(number);
    } else if (what == "exit") {
        std::exit(number);
    } else if (what == "fork") { // a child that ends in order, with the parent's CUDA in it
        if (const pid_t child = fork(); child == 0)
            std::exit(0);
        else
            end_child(child);
    } else if (what == "children") { // that start CUDA by themselves
        for (int i = 0; i < number; ++i)
            if (const pid_t child = fork(); child == 0) {
                initialise_cuda();
                launch(10);
                std::exit(0);
            } else {
                end_child(child);
            }
    } else if (what == "exec") {
        execl(program, program, "init", "launch:5", nullptr);
        return false;
    } else if (what == "closefrom") { // as a daemon does, and its own file takes the first number
        for (int fd = 3; fd < 256; ++fd) close(fd);
        const int own = open(step.c_str() + colon + 1, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (own != 3 || write(own, "mine", 4) != 4) return false;
    } else if (what == "litter") { // what is no stream among the streams
        const char* folder = std::getenv("KW_TRACE_FOLDER");
        if (!folder) return false;
        const std::string base = std::string{folder} + "/0";
        if (mkdir((base + "1.kwtrace").c_str(), 0700) != 0 || mkfifo((base + "2.kwtrace").c_str(), 0600) != 0
            || symlink("/dev/zero", (base + "3.kwtrace").c_str()) != 0)
            return false;
    } else if (what == "on_interrupt") {
        std::signal(
            SIGINT, +[](int) {
                const ssize_t written = write(STDOUT_FILENO, "interrupted\n", 12);
                std::_Exit(written == 12 ? 5 : 6);
            });
    } else if (what == "environment") {
        const char* value = std::getenv(step.c_str() + colon + 1);
        std::printf("%s\n", value ? value : "(unset)");
    } else {
        std::fprintf(stderr, "unknown step %s\n", step.c_str());
        return false;
    }
    return true;
}

} // namespace

int main(int argc, char** argv) {
    for (int i = 1; i < argc; ++i)
        if (!run(argv[i], argv[0])) return 97;
    return 0;
}
