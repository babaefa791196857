#include "engine/base/file.h"

#include "engine/base/file_writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

namespace kw {
namespace {

std::unexpected<Error> fail_errno(Stage stage, std::string_view what, const std::filesystem::path& path) {
    const int error = errno;
    const auto code = error == ENOENT ? ErrorCode::not_found : ErrorCode::invalid_input;
    return fail(stage, code, fmt::format("cannot {} '{}': {}", what, path.string(), std::strerror(error)),
                Where{path.string()});
}

/// The file that a path stands for, which need not exist yet; as many links as the system itself would follow.
std::filesystem::path behind_links(std::filesystem::path path) {
    std::error_code error;
    for (int followed = 0; followed < 40; ++followed) {
        const auto link = std::filesystem::read_symlink(path, error);
        if (error) return path;
        path = path.parent_path() / link;
    }
    return path;
}

/// A new file beside `target`, readable as the user's umask has it; none with errno.
Descriptor open_neighbour(const std::filesystem::path& target, std::filesystem::path& name) {
    static std::atomic<unsigned> count = 0;
    for (;;) {
        name = target.string() + fmt::format(".{}-{}.tmp", ::getpid(), count++);
        Descriptor file{::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)};
        if (file || errno != EEXIST) return file;
    }
}

} // namespace

Result<std::string> read_file(const std::filesystem::path& path, std::size_t max_bytes, Stage stage) {
    // O_NONBLOCK so that a FIFO in a task folder is refused instead of waited for.
    const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (!file) return fail_errno(stage, "open", path);
    struct stat info{};
    if (::fstat(file.get(), &info) != 0) return fail_errno(stage, "read", path);
    if (!S_ISREG(info.st_mode))
        return fail(stage, ErrorCode::invalid_input, fmt::format("'{}' is not a regular file", path.string()),
                    Where{path.string()});
    if (static_cast<std::uint64_t>(info.st_size) > max_bytes)
        return fail(stage, ErrorCode::invalid_input,
                    fmt::format("'{}' holds {} bytes; at most {} are read", path.string(), info.st_size, max_bytes),
                    Where{path.string()});
    std::string text(static_cast<std::size_t>(info.st_size), '\0');
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t n = ::read(file.get(), text.data() + done, text.size() - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return fail_errno(stage, "read", path);
        if (n == 0) break;
        done += static_cast<std::size_t>(n);
    }
    text.resize(done);
    return text;
}

Result<FileWriter> FileWriter::create(const std::filesystem::path& path, Stage stage) {
    struct stat info{};
    const bool exists = ::stat(path.c_str(), &info) == 0;
    if (!exists && errno != ENOENT) return fail_errno(stage, "write", path);
    FileWriter writer;
    writer.path_ = path;
    writer.stage_ = stage;
    // Devices and pipes cannot be replaced, only written to.
    const bool in_place = exists && !S_ISREG(info.st_mode);
    if (in_place) {
        writer.file_.reset(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    } else {
        writer.target_ = behind_links(path);
        writer.file_ = open_neighbour(writer.target_, writer.temporary_);
    }
    if (!writer.file_) {
        writer.temporary_.clear();
        return fail_errno(stage, "write", path);
    }
    if (exists && !in_place && ::fchmod(writer.file_.get(), info.st_mode & 07777) != 0)
        return fail_errno(stage, "write", path);
    return writer;
}

FileWriter::FileWriter(FileWriter&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      file_(std::move(other.file_)),
      stage_(other.stage_) {}

FileWriter& FileWriter::operator=(FileWriter&& other) noexcept {
    if (this == &other) return *this;
    give_up();
    path_ = std::move(other.path_);
    target_ = std::move(other.target_);
    temporary_ = std::exchange(other.temporary_, {});
    file_ = std::move(other.file_);
    stage_ = other.stage_;
    return *this;
}

FileWriter::~FileWriter() { give_up(); }

void FileWriter::give_up() {
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
    temporary_.clear();
}

Result<void> FileWriter::write(std::string_view text) {
    while (!text.empty()) {
        const auto n = write_some(file_.get(), text);
        if (n < 0) return fail_errno(stage_, "write", path_);
        text.remove_prefix(static_cast<std::size_t>(n));
    }
    return {};
}

Result<void> FileWriter::finish() {
    // A full disk or quota may show itself only now. After EINTR the descriptor is closed all the same (Linux).
    if (::close(file_.release()) != 0 && errno != EINTR) return fail_errno(stage_, "write", path_);
    if (temporary_.empty()) return {};
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) return fail_errno(stage_, "write", path_);
    temporary_.clear();
    return {};
}

Result<void> write_file(const std::filesystem::path& path, std::string_view text, Stage stage) {
    auto writer = FileWriter::create(path, stage);
    if (!writer) return std::unexpected(std::move(writer.error()));
    if (auto written = writer->write(text); !written) return written;
    return writer->finish();
}

std::size_t first_invalid_utf8(std::string_view text) {
    std::size_t i = 0;
    while (i < text.size()) {
        const auto lead = static_cast<unsigned char>(text[i]);
        if (lead < 0x80) {
            ++i;
            continue;
        }
        const int extra = lead >= 0xC2 && lead <= 0xDF   ? 1
                          : lead >= 0xE0 && lead <= 0xEF ? 2
                          : lead >= 0xF0 && lead <= 0xF4 ? 3
                                                         : 0;
        if (extra == 0 || text.size() - i <= static_cast<std::size_t>(extra)) return i;
        std::uint32_t value = lead & (0x3Fu >> extra);
        for (int k = 1; k <= extra; ++k) {
            const auto next = static_cast<unsigned char>(text[i + static_cast<std::size_t>(k)]);
            if ((next & 0xC0u) != 0x80u) return i;
            value = value << 6 | (next & 0x3Fu);
        }
        // Overlong forms, surrogates and values past U+10FFFF are not UTF-8 (RFC 3629 §3).
        if ((extra == 2 && value < 0x800) || (extra == 3 && (value < 0x10000 || value > 0x10FFFF))
            || (value >= 0xD800 && value <= 0xDFFF))
            return i;
        i += static_cast<std::size_t>(extra) + 1;
    }
    return std::string_view::npos;
}

Where position_at(std::string_view text, std::size_t offset, std::string file) {
    offset = offset < text.size() ? offset : text.size();
    Where where{std::move(file), 1, 1};
    for (std::size_t i = 0; i < offset; ++i) {
        if (text[i] == '\n') {
            ++where.line;
            where.column = 1;
        } else {
            ++where.column;
        }
    }
    return where;
}

std::filesystem::path executable_folder() {
    std::error_code error;
    const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
    return error ? std::filesystem::path{} : path.parent_path();
}

} // namespace kw
