#include "app/desktop/alive_mark.h"

#include <QUuid>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <system_error>
#include <vector>

namespace kw::desktop {

AliveMark::AliveMark(const std::filesystem::path& folder)
    : id_(QUuid::createUuid().toString(QUuid::WithoutBraces).toStdString()) {
    path_ = folder / id_;
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    lock_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock_ >= 0) (void)::flock(lock_, LOCK_EX | LOCK_NB);
}

AliveMark::~AliveMark() {
    if (lock_ < 0) return;
    (void)::unlink(path_.c_str());
    (void)::close(lock_);
}

bool AliveMark::alive(const std::filesystem::path& folder, const std::string& id) {
    // What a session says is not to lead out of the folder.
    const auto allowed = [](unsigned char c) { return std::isalnum(c) || c == '-'; };
    if (id.empty() || !std::ranges::all_of(id, allowed)) return false;
    const auto path = folder / id;
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    // Shared, so that two who ask at one moment do not take each other for the holder.
    const bool held = ::flock(file, LOCK_SH | LOCK_NB) != 0;
    if (!held) (void)::unlink(path.c_str());
    (void)::close(file);
    return held;
}

std::size_t AliveMark::count(const std::filesystem::path& folder) {
    std::error_code error;
    std::vector<std::string> names;
    for (const auto& each : std::filesystem::directory_iterator(folder, error))
        names.push_back(each.path().filename().string());
    return static_cast<std::size_t>(
        std::ranges::count_if(names, [&](const auto& name) { return alive(folder, name); }));
}

} // namespace kw::desktop
