#pragma once

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/profile/report.h"

#include <fmt/format.h>

#include <concepts>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Strict reading of JSON that this project writes: a member that is missing or of another type is an error that names
/// it. Members that nobody asks for are left alone, so that a newer peer stays readable.
namespace kw::profile {

/// What a reader throws; read_json() turns it into an Error, so that it never leaves the folder.
struct MalformedJson {
    std::string message;
};

/// One object or array, which knows how it is called: "launches[2].grid".
class JsonReader {
public:
    JsonReader(const Json& json, std::string path) : json_(json), path_(std::move(path)) {}

    [[nodiscard]] JsonReader at(std::string_view key) const {
        need(json_.is_object(), "an object");
        const auto member = json_.find(key);
        if (member == json_.end()) throw MalformedJson{fmt::format("'{}' is missing", path_of(key))};
        return {*member, path_of(key)};
    }
    [[nodiscard]] bool has(std::string_view key) const {
        need(json_.is_object(), "an object");
        return json_.contains(key);
    }
    /// Calls `use` with every element of the list `key`.
    template<class Use> void each(std::string_view key, const Use& use) const {
        const auto list = at(key);
        list.need(list.json_.is_array(), "a list");
        for (std::size_t i = 0; i < list.json_.size(); ++i)
            use(JsonReader{list.json_[i], fmt::format("{}[{}]", list.path_, i)});
    }
    /// Calls `use` with the name of every member of the object `key` and its value.
    template<class Use> void members(std::string_view key, const Use& use) const {
        const auto object = at(key);
        object.need(object.json_.is_object(), "an object");
        for (const auto& [name, value] : object.json_.items()) use(name, JsonReader{value, object.path_of(name)});
    }

    template<class T> void required(std::string_view key, T& out) const { at(key).get(out); }
    /// Leaves `out` as it is when there is no such member.
    template<class T> void optional(std::string_view key, T& out) const {
        if (has(key)) at(key).get(out);
    }

    void get(std::string& out) const {
        need(json_.is_string(), "a text");
        out = json_.get<std::string>();
    }
    void get(bool& out) const {
        need(json_.is_boolean(), "true or false");
        out = json_.get<bool>();
    }
    void get(double& out) const {
        need(json_.is_number(), "a number");
        out = json_.get<double>();
    }
    template<std::integral T> void get(T& out) const {
        need(json_.is_number_integer(), "an integer");
        const bool fits = json_.is_number_unsigned() ? std::in_range<T>(json_.get<std::uint64_t>())
                                                     : std::in_range<T>(json_.get<std::int64_t>());
        need(fits, fmt::format("between {} and {}", std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
        out = json_.get<T>();
    }
    void get(device::Dim3& out) const {
        need(json_.is_array() && json_.size() == 3, "a list of three integers");
        JsonReader{json_[0], path_ + "[0]"}.get(out.x);
        JsonReader{json_[1], path_ + "[1]"}.get(out.y);
        JsonReader{json_[2], path_ + "[2]"}.get(out.z);
    }
    /// null stands for a number that is not known.
    void get(std::vector<double>& out) const {
        need(json_.is_array(), "a list of numbers");
        for (const auto& item : json_) {
            need(item.is_number() || item.is_null(), "a list of numbers");
            out.push_back(item.is_null() ? std::numeric_limits<double>::quiet_NaN() : item.get<double>());
        }
    }
    void get(std::map<std::string, double>& out) const {
        need(json_.is_object(), "an object of numbers");
        for (const auto& [name, value] : json_.items()) JsonReader{value, path_of(name)}.get(out[name]);
    }

    [[noreturn]] void wrong(std::string_view what) const {
        throw MalformedJson{fmt::format("'{}' is not {}", path_.empty() ? "it" : path_, what)};
    }
    void need(bool good, std::string_view what) const {
        if (!good) wrong(what);
    }
    [[nodiscard]] const Json& json() const { return json_; }

private:
    [[nodiscard]] std::string path_of(std::string_view key) const {
        return path_.empty() ? std::string{key} : fmt::format("{}.{}", path_, key);
    }

    const Json& json_;
    std::string path_;
};

/// `what` is what error sentences call the value: "profile".
template<class T, class Read> Result<T> read_json(std::string_view what, const Json& json, const Read& read) {
    try {
        return read(JsonReader{json, {}});
    } catch (const MalformedJson& malformed) {
        return fail(Stage::profile, ErrorCode::invalid_input,
                    fmt::format("the {} is malformed: {}", what, malformed.message));
    }
}

[[nodiscard]] Activity read_activity(const JsonReader& reader);
[[nodiscard]] Sampling read_sampling(const JsonReader& reader);

} // namespace kw::profile
