#include "app/desktop/alive_mark.h"

#include <QUuid>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>

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

} // namespace kw::desktop
