#include "engine/runtime/site.h"

#include "engine/base/process.h"

#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <fmt/format.h>
#include <link.h>

#include <cctype>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace fs = std::filesystem;

namespace kw::runtime {
namespace {

/// Wrappers in the toolkit's headers, and what nvcc generates, are not what a person wrote.
bool generated(std::string_view file) {
    return file.starts_with("??") || file.starts_with("/usr/include") || file.find(".stub.c") != std::string_view::npos
           || file.find(".cudafe") != std::string_view::npos || file.find("cuda_runtime.h") != std::string_view::npos
           || file.find("/include/crt/") != std::string_view::npos;
}

std::set<std::string>& hidden() {
    static auto* names = new std::set<std::string>; // NOLINT(cppcoreguidelines-owning-memory): used until the very end
    return *names;
}

std::string shortened(const std::string& file) {
    std::error_code error;
    const auto folder = fs::current_path(error);
    if (error) return file;
    const auto relative = fs::path(file).lexically_normal().lexically_relative(folder);
    return relative.empty() || *relative.begin() == ".." ? file : relative.string();
}

struct Position {
    std::string file; ///< what addr2line is to read
    std::uint64_t offset = 0;
};

/// The object file that holds a return address, and the call's place in it.
std::optional<Position> position_of(void* address) {
    Dl_info info{};
    link_map* map = nullptr;
    if (dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 || !map) return std::nullopt;
    // The main program has no name in the loader's list.
    const std::string file = map->l_name && *map->l_name ? map->l_name : "/proc/self/exe";
    return Position{file, reinterpret_cast<std::uintptr_t>(address) - 1 - map->l_addr};
}

/// "FILE:LINE (discriminator 2)" without what follows the line.
std::string without_note(std::string_view line) { return std::string(line.substr(0, line.find(" ("))); }

std::string look_up(const Site& site) {
    Dl_info self{};
    dladdr(reinterpret_cast<void*>(&call_site), &self);
    std::string program;
    std::vector<std::string> addresses;
    for (std::size_t index = 0; index < site.count; ++index) {
        Dl_info info{};
        if (dladdr(site.frames[index], &info) != 0 && info.dli_fbase == self.dli_fbase) continue;
        const auto position = position_of(site.frames[index]);
        if (!position || position->file != "/proc/self/exe") continue;
        addresses.push_back(fmt::format("{:#x}", position->offset));
    }
    if (addresses.empty()) return {};
    std::error_code error;
    program = fs::read_symlink("/proc/self/exe", error).string();
    if (error) return {};
    std::vector<std::string> command{"addr2line", "-f", "-i", "-e", program};
    command.insert(command.end(), addresses.begin(), addresses.end());
    const auto ran = kw::run(command, {.environment = {{"LD_LIBRARY_PATH", std::nullopt}}});
    if (!ran || !ran->status.success()) return {};
    std::string_view rest = ran->output;
    const auto next_line = [&] {
        const auto end = rest.find('\n');
        const auto line = rest.substr(0, end);
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
        return line;
    };
    while (!rest.empty()) {
        const std::string function{next_line()};
        const std::string line = without_note(next_line());
        const auto colon = line.rfind(':');
        if (colon == std::string::npos || generated(line) || line.ends_with(":?") || line.ends_with(":0")) continue;
        if (hidden().contains(function) || function.find("device_stub_") != std::string::npos) continue;
        return shortened(line.substr(0, colon)) + line.substr(colon);
    }
    return {};
}

} // namespace

void hide_function(std::string name) { hidden().insert(std::move(name)); }

std::string short_path(const std::string& file) { return shortened(file); }

Site call_site() {
    Site site;
    const int count = backtrace(site.frames.data(), static_cast<int>(site.frames.size()));
    site.count = count > 0 ? static_cast<std::size_t>(count) : 0;
    return site;
}

std::string place(const Site& site) {
    static auto& known = *new std::map<std::array<void*, 12>, std::string>;
    if (const auto at = known.find(site.frames); at != known.end()) return at->second;
    return known.emplace(site.frames, look_up(site)).first->second;
}

std::string address_taken(std::string_view place, std::string_view call) {
    const auto colon = place.rfind(':');
    if (colon == std::string_view::npos) return {};
    std::ifstream file{std::string(place.substr(0, colon))};
    std::string line;
    for (int left = std::atoi(std::string(place.substr(colon + 1)).c_str()); left > 0; --left)
        if (!std::getline(file, line)) return {};
    auto at = line.find(call);
    if (at == std::string::npos) return {};
    at = line.find('&', at + call.size());
    if (at == std::string::npos) return {};
    ++at;
    while (at < line.size() && line[at] == ' ') ++at;
    std::string name;
    const auto part_of_name = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::strchr("_.->[]", c) != nullptr;
    };
    while (at < line.size() && part_of_name(line[at])) name += line[at++];
    return name;
}

} // namespace kw::runtime
