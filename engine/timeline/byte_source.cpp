#include "engine/timeline/byte_source.h"

#include "engine/base/descriptor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

namespace kw::timeline {
namespace {

/// Random access to bytes that may lie in a file or in memory.
class Raw {
public:
    virtual ~Raw() = default;
    [[nodiscard]] virtual Result<std::size_t> read_at(std::uint64_t offset, char* to, std::size_t capacity) = 0;
    [[nodiscard]] virtual std::uint64_t size() const = 0;
};

class MemoryRaw : public Raw {
public:
    explicit MemoryRaw(std::string bytes) : bytes_(std::move(bytes)) {}
    Result<std::size_t> read_at(std::uint64_t offset, char* to, std::size_t capacity) override {
        if (offset >= bytes_.size()) return 0;
        return bytes_.copy(to, capacity, offset);
    }
    [[nodiscard]] std::uint64_t size() const override { return bytes_.size(); }

private:
    std::string bytes_;
};

class FileRaw : public Raw {
public:
    FileRaw(Descriptor file, std::string name, std::uint64_t size)
        : file_(std::move(file)), name_(std::move(name)), size_(size) {}
    Result<std::size_t> read_at(std::uint64_t offset, char* to, std::size_t capacity) override {
        std::size_t done = 0;
        while (done < capacity) {
            const auto got = ::pread(file_.get(), to + done, capacity - done, static_cast<off_t>(offset + done));
            if (got < 0 && errno == EINTR) continue;
            if (got < 0)
                return fail(Stage::environment, ErrorCode::invalid_input,
                            fmt::format("cannot read {}: {}", name_, std::strerror(errno)));
            if (got == 0) break;
            done += static_cast<std::size_t>(got);
        }
        return done;
    }
    [[nodiscard]] std::uint64_t size() const override { return size_; }

private:
    Descriptor file_;
    std::string name_;
    std::uint64_t size_;
};

class PlainSource : public ByteSource {
public:
    explicit PlainSource(std::unique_ptr<Raw> raw) : raw_(std::move(raw)) {}
    Result<std::size_t> read(char* to, std::size_t capacity) override {
        auto got = raw_->read_at(at_, to, capacity);
        if (got) at_ += *got;
        return got;
    }
    Result<std::string> read_at(std::uint64_t offset, std::size_t size) override {
        std::string bytes(size, '\0');
        const auto got = raw_->read_at(offset, bytes.data(), size);
        if (!got) return std::unexpected(got.error());
        bytes.resize(*got);
        return bytes;
    }
    [[nodiscard]] double fraction() const override {
        return raw_->size() == 0 ? 1 : std::min(1.0, static_cast<double>(at_) / static_cast<double>(raw_->size()));
    }

private:
    std::unique_ptr<Raw> raw_;
    std::uint64_t at_ = 0;
};

/// A zlib stream that is ended with the object.
class Inflater {
public:
    Inflater() {
        constexpr int kGzipOrZlib = 15 + 32;
        ready_ = inflateInit2(&stream_, kGzipOrZlib) == Z_OK;
    }
    Inflater(const Inflater& other) {
        // inflateCopy wants a source that is not const but leaves it as it is.
        ready_ = other.ready_ && inflateCopy(&stream_, &const_cast<Inflater&>(other).stream_) == Z_OK;
    }
    Inflater& operator=(const Inflater&) = delete;
    ~Inflater() {
        if (ready_) inflateEnd(&stream_);
    }
    [[nodiscard]] bool ready() const { return ready_; }
    z_stream& stream() { return stream_; }

private:
    z_stream stream_{};
    bool ready_ = false;
};

/// Unpacks, and keeps copies of the state every so often so that offsets can be found again.
class GzipSource : public ByteSource {
public:
    explicit GzipSource(std::unique_ptr<Raw> raw) : raw_(std::move(raw)) { remember(); }

    Result<std::size_t> read(char* to, std::size_t capacity) override {
        if (done_) return 0;
        if (cursor_.produced >= points_.back()->produced + kBetweenPoints) remember();
        auto got = unpack(cursor_, to, capacity);
        if (got && *got < capacity) {
            done_ = true;
            cut_short_ = cursor_.problem;
        }
        return got;
    }

    Result<std::string> read_at(std::uint64_t offset, std::size_t size) override {
        const auto after = std::ranges::upper_bound(points_, offset, {}, [](const auto& p) { return p->produced; });
        Cursor cursor(**std::prev(after));
        std::string bytes(std::size_t{1} << 16, '\0');
        while (cursor.produced < offset) {
            const auto skip = std::min<std::uint64_t>(bytes.size(), offset - cursor.produced);
            const auto got = unpack(cursor, bytes.data(), skip);
            if (!got) return std::unexpected(got.error());
            if (*got < skip) return std::string{};
        }
        bytes.resize(size);
        const auto got = unpack(cursor, bytes.data(), size);
        if (!got) return std::unexpected(got.error());
        bytes.resize(*got);
        return bytes;
    }

    [[nodiscard]] double fraction() const override {
        return std::min(1.0, static_cast<double>(cursor_.consumed)
                                 / static_cast<double>(std::max<std::uint64_t>(1, raw_->size())));
    }
    [[nodiscard]] std::string cut_short() const override { return cut_short_; }
    [[nodiscard]] std::uint64_t memory_bytes() const override {
        constexpr std::uint64_t kWindowAndState = 32768 + 7200; // of zlib, which does not tell
        return points_.size() * (sizeof(Cursor) + kWindowAndState);
    }

private:
    static constexpr std::uint64_t kBetweenPoints = std::uint64_t{8} << 20;

    struct Cursor {
        Inflater inflater{};
        std::uint64_t consumed = 0; ///< compressed bytes given to the inflater
        std::uint64_t produced = 0;
        bool ended = false;
        std::string problem{};
    };

    void remember() {
        auto point = std::make_unique<Cursor>(cursor_);
        if (point->inflater.ready()) points_.push_back(std::move(point));
    }

    /// Less than `capacity` at the end, where `problem` says whether that was the proper one.
    Result<std::size_t> unpack(Cursor& cursor, char* to, std::size_t capacity) {
        std::size_t done = 0;
        auto& stream = cursor.inflater.stream();
        while (done < capacity && !cursor.ended) {
            const auto got = raw_->read_at(cursor.consumed, input_.data(), input_.size());
            if (!got) return std::unexpected(got.error());
            if (*got == 0) {
                cursor.ended = true;
                cursor.problem = "the gzip data ends early; what came before is shown";
                break;
            }
            stream.next_in = reinterpret_cast<unsigned char*>(input_.data());
            stream.avail_in = static_cast<unsigned>(*got);
            stream.next_out = reinterpret_cast<unsigned char*>(to + done);
            const auto room = static_cast<unsigned>(std::min<std::size_t>(capacity - done, 1u << 30));
            stream.avail_out = room;
            const int status = inflate(&stream, Z_NO_FLUSH);
            cursor.consumed += *got - stream.avail_in;
            done += room - stream.avail_out;
            cursor.produced += room - stream.avail_out;
            if (status == Z_STREAM_END) {
                // Another member may follow, as `cat a.gz b.gz` writes them.
                std::array<char, 2> magic{};
                const auto more = raw_->read_at(cursor.consumed, magic.data(), magic.size());
                if (!more) return std::unexpected(more.error());
                if (*more < 2 || magic[0] != '\x1f' || magic[1] != '\x8b' || inflateReset(&stream) != Z_OK)
                    cursor.ended = true;
            } else if (status != Z_OK && status != Z_BUF_ERROR) {
                cursor.ended = true;
                cursor.problem = fmt::format("the gzip data is damaged at byte {} ({}); what came before is shown",
                                             cursor.consumed, stream.msg ? stream.msg : "no reason given");
            }
        }
        return done;
    }

    std::unique_ptr<Raw> raw_;
    std::vector<char> input_ = std::vector<char>(std::size_t{1} << 18);
    Cursor cursor_;
    std::vector<std::unique_ptr<Cursor>> points_;
    bool done_ = false;
    std::string cut_short_;
};

Result<std::unique_ptr<ByteSource>> source_of(std::unique_ptr<Raw> raw) {
    std::array<char, 2> magic{};
    const auto got = raw->read_at(0, magic.data(), magic.size());
    if (!got) return std::unexpected(got.error());
    if (*got == 2 && magic[0] == '\x1f' && magic[1] == '\x8b') return std::make_unique<GzipSource>(std::move(raw));
    return std::make_unique<PlainSource>(std::move(raw));
}

} // namespace

Result<std::unique_ptr<ByteSource>> open_source(const std::filesystem::path& path) {
    const auto refuse = [&](ErrorCode code, std::string_view why) {
        return fail(Stage::environment, code, fmt::format("cannot open {}: {}", path.string(), why));
    };
    Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
    if (!file) return refuse(ErrorCode::not_found, std::strerror(errno));
    struct ::stat info{};
    if (::fstat(file.get(), &info) != 0) return refuse(ErrorCode::not_found, std::strerror(errno));
    if (!S_ISREG(info.st_mode)) return refuse(ErrorCode::invalid_input, "it is not a file");
    return source_of(
        std::make_unique<FileRaw>(std::move(file), path.string(), static_cast<std::uint64_t>(info.st_size)));
}

Result<std::unique_ptr<ByteSource>> memory_source(std::string bytes) {
    return source_of(std::make_unique<MemoryRaw>(std::move(bytes)));
}

} // namespace kw::timeline
