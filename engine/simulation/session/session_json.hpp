// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/error.hpp"
#include "engine/core/vec3.hpp"

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tawara::simulation {

/// Keeps the keys in the document's order. What is built begins as Json::object() or Json::array():
/// a null value that a key or an element is added to is left broken where memory ends just then,
/// and its destructor fails.
using Json = nlohmann::ordered_json;

/// Keys exclude each other.
struct ExclusiveKeys : InputError
{
    ExclusiveKeys(const std::string& file_, const std::string& pointer_, const std::string& reason_,
                  std::vector<std::string> keys_)
        : InputError(file_, pointer_, reason_), keys(std::move(keys_))
    {
    }
    std::vector<std::string> keys; ///< JSON pointers of those that were given
};

/// A place in a JSON document that is read strictly: whatever is not as asked for is an InputError
/// with file, JSON pointer, what is there and what would be right. Refers to the document.
class JsonNode
{
  public:
    JsonNode(const Json& value, std::string file, std::string pointer = {})
        : value_(&value), file_(std::move(file)), pointer_(std::move(pointer))
    {
    }

    /// @throws InputError always, with this place
    [[noreturn]] void fail(const std::string& reason) const;
    /// "is VALUE; it should be SHOULD".
    [[noreturn]] void fail_value(const std::string& should) const;
    /// This key excludes another one. @throws ExclusiveKeys always
    [[noreturn]] void fail_exclusive(const std::string& reason) const;
    /// Keys of this object exclude each other; of those listed the ones that are there count.
    /// @param at  the key that the reason is about; empty: the object
    /// @throws ExclusiveKeys always
    [[noreturn]] void fail_exclusive(const std::string& reason,
                                     std::initializer_list<std::string_view> of,
                                     std::string_view at = {}) const;

    /// This is an object and has no keys but these.
    void only(std::initializer_list<std::string_view> known) const;
    void only(std::span<const std::string> known) const;
    /// The keys of an object, in the document's order.
    std::vector<std::string> keys() const;
    bool has(std::string_view key) const;
    /// The child; what it should be is said where it is missing.
    JsonNode at(std::string_view key, std::string_view should) const;
    std::optional<JsonNode> find(std::string_view key) const;

    bool is_text() const { return value_->is_string(); }
    bool is_number() const { return value_->is_number(); }
    bool is_object() const { return value_->is_object(); }
    std::string text() const;
    /// One of the words; the nearest is named in the error. Returns its index.
    std::size_t word(std::span<const std::string_view> known) const;
    std::size_t word(std::initializer_list<std::string_view> known) const
    {
        return word(std::span(known.begin(), known.size()));
    }
    bool truth() const;                                        ///< true or false
    double number(std::string_view should = "a number") const; ///< finite
    double positive(std::string_view unit) const;              ///< > 0
    double not_negative(std::string_view unit) const;          ///< >= 0
    double within(double low, double high, std::string_view unit) const;
    std::int64_t integer(std::int64_t low, std::int64_t high) const;
    Vec3 point(std::string_view should = "three numbers, [x, y, z] in mm") const;
    /// The elements of an array of at least `least` elements.
    std::vector<JsonNode> items(std::string_view should, std::size_t least = 0) const;

    const std::string& file() const { return file_; }
    const std::string& pointer() const { return pointer_; }
    const Json& value() const { return *value_; }

  private:
    void need_object() const;
    JsonNode child(std::string_view key, const Json& value) const;

    const Json* value_;
    std::string file_, pointer_;
};

/// Reads a JSON document; refuses a key that is given twice.
/// @throws InputError with line and column of either fault, in words for people
Json parse_json(const std::string& text, const std::string& file);

/// The whole of a file.
/// @throws InputError when it cannot be read
std::string read_text(const std::string& file);

} // namespace tawara::simulation
