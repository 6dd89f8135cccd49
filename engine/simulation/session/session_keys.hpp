// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

namespace tawara::simulation {

struct Session;

/// How a key's value lies in a struct of session.hpp: a number, whole number, bool, enum or text.
struct Member
{
    enum class Type { none, number, integer, truth, choice, text };
    Type type = Type::none;                ///< none: code of its own reads and writes the value
    const std::type_info* owner = nullptr; ///< the struct
    double (*get)(const void* owner) = nullptr;
    void (*set)(void* owner, double value) = nullptr;
    std::string& (*text)(void* owner) = nullptr; ///< of a text, in place of get and set
    double (*fallback)() = nullptr;              ///< what the struct begins with
    bool of(const std::type_info& t) const { return owner != nullptr && *owner == t; }
};

template <class Owner, class Value>
Owner owner_of(Value Owner::*);

/// Where a path of pointers to members leads, through what is Held.
template <class Value>
Value& along(Value& value)
{
    return value;
}
template <class Owner, class First, class... Rest>
auto& along(Owner& owner, First first, Rest... rest)
{
    if constexpr (requires { *owner; })
        return along((*owner).*first, rest...);
    else
        return along(owner.*first, rest...);
}

/// The member that a path of pointers to members leads to, e.g. of<&Session::dt_ms>().
template <auto First, auto... Rest>
Member of()
{
    using Owner = decltype(owner_of(First));
    const auto at = [](auto* owner) -> auto&
    {
        return along(*owner, First, Rest...);
    };
    using Value = std::remove_cvref_t<decltype(at(std::declval<Owner*>()))>;
    using At = decltype(at);
    Member out{.owner = &typeid(Owner)};
    if constexpr (std::is_same_v<Value, std::string>) {
        out.type = Member::Type::text;
        out.text = [](void* owner) -> std::string& { return At()(static_cast<Owner*>(owner)); };
    } else {
        out.type = std::is_enum_v<Value>             ? Member::Type::choice
                   : std::is_same_v<Value, bool>     ? Member::Type::truth
                   : std::is_floating_point_v<Value> ? Member::Type::number
                                                     : Member::Type::integer;
        out.get = [](const void* owner) {
            return static_cast<double>(At()(static_cast<const Owner*>(owner)));
        };
        out.set = [](void* owner, double value) {
            At()(static_cast<Owner*>(owner)) = static_cast<Value>(value);
        };
        out.fallback = [] {
            const Owner fresh{};
            return static_cast<double>(At()(&fresh));
        };
    }
    return out;
}

/// What a row of the table may say of a key.
struct KeyParts
{
    /// Both ends are allowed, but not `low` itself where it is `above`.
    struct Range
    {
        double low = -std::numeric_limits<double>::infinity(),
               high = std::numeric_limits<double>::infinity();
        bool above = false;
    };
    /// A number box of the window: what can be chosen there, which may be less than the range.
    struct Box
    {
        double step = 0; ///< 0: there is none
        int decimals = 0;
        double low = -std::numeric_limits<double>::infinity(),
               high = std::numeric_limits<double>::infinity();
    };
    enum class Write { always, changed }; ///< changed: only where it is not the default
    /// Whether a run that goes on from a checkpoint needs the same value (without --branch).
    /// problem: yes; it acts through what fingerprint() has of device::TissueProblem.
    /// value: yes; fingerprint() takes it where it is not the default. unnamed, negated: likewise,
    /// but without the key's name, as in checkpoints of earlier versions.
    enum class Fixed { no, problem, value, unnamed, negated };

    struct Also
    {
        std::string_view words{};  ///< of a choice, as the enum has them from `first` on
        int first = 0;             ///< of a choice: the value of the first word
        std::string_view more{};   ///< what the page adds to the sentence
        std::string_view needed{}; ///< what to give where it is missing; empty: it may be left out
        std::string_view beyond{}; ///< why no more than range.high, in the message
        std::string_view zero{};   ///< what 0 means
        std::string_view left_out{}; ///< default in words, where the member does not say it
        Write write = Write::always;
        Fixed fixed = Fixed::no;
        /// A time between events [ms], which is rounded to steps (intervals.hpp): a member of
        /// Session, 0 for never.
        bool interval = false;
        bool (*used)(const Session& s) = nullptr; ///< of an interval, where 0 alone does not tell
        Box box{};
    };
};

/// A key of session files. All of them are in one table (session_keys.cpp, with
/// tissue_keys.cpp): the reader, the writer,
/// fields of the window, resources/sessions/README.md and checkpoints take theirs from there.
struct Key : KeyParts
{
    std::string_view at;   ///< JSON pointer; "#" stands for any index or name
    Member member;         ///< none: numbers in the value may still have range, unit and box
    Range range;           ///< of numbers
    std::string_view unit; ///< as messages write it
    std::string_view what; ///< one sentence, for the page and the tool tip of a field
    Also also;

    Key(std::string_view at_, Member member_, Range range_, std::string_view unit_,
        std::string_view what_, Also also_ = {})
        : at(at_), member(member_), range(range_), unit(unit_), what(what_), also(also_)
    {
    }
    Key(std::string_view at_, Member member_, std::string_view what_, Also also_ = {})
        : Key(at_, member_, {}, {}, what_, also_)
    {
    }
    Key(std::string_view at_, std::string_view what_, Also also_ = {})
        : Key(at_, {}, {}, {}, what_, also_)
    {
    }
    std::string_view name() const { return at.substr(at.rfind('/') + 1); }
    /// Pointer of the object that it is a key of.
    std::string_view object() const { return at.substr(0, at.rfind('/')); }
    std::vector<std::string_view> words_list() const;
};

/// Every key, objects in the order of files.
std::span<const Key> session_keys();
/// The key at a pointer, e.g. "/stimuli/#/duration_ms". @throws std::logic_error if there is none
const Key& session_key(std::string_view at);
/// Keys of an object, e.g. "/stimuli/#", in the order in which files have them.
std::vector<const Key*> keys_of(std::string_view object);

} // namespace tawara::simulation
