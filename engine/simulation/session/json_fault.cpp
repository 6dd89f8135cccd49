// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/session/json_fault.hpp"

#include "engine/core/nearest.hpp"
#include "engine/core/utf8.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

namespace tawara::simulation {
namespace {

struct At
{
    std::size_t place; ///< byte of the text
    std::string what;
};

bool digit(char c)
{
    return c >= '0' && c <= '9';
}

bool letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

std::string hexadecimal(char c)
{
    char text[8];
    std::snprintf(text, sizeof text, "0x%02x", static_cast<unsigned char>(c));
    return text;
}

/// A number as JSON writes it.
bool is_number(std::string_view w)
{
    std::size_t i = 0;
    const auto digits = [&] {
        const auto from = i;
        while (i < w.size() && digit(w[i]))
            ++i;
        return i - from;
    };
    if (i < w.size() && w[i] == '-')
        ++i;
    const auto whole = i;
    const auto n = digits();
    if (n == 0 || (n > 1 && w[whole] == '0'))
        return false;
    if (i < w.size() && w[i] == '.' && (++i, digits() == 0))
        return false;
    if (i < w.size() && (w[i] == 'e' || w[i] == 'E')) {
        ++i;
        if (i < w.size() && (w[i] == '+' || w[i] == '-'))
            ++i;
        if (digits() == 0)
            return false;
    }
    return i == w.size();
}

/// A text as JSON writes it between quotes, its escapes resolved.
std::string unescaped(const std::string& raw)
{
    if (raw.find('\\') == std::string::npos)
        return raw;
    const auto text = nlohmann::json::parse('"' + raw + '"', nullptr, false);
    return text.is_string() ? text.get<std::string>() : raw;
}

/// Walks through a text and throws an At where it is no JSON or, if asked to, where an object has a
/// key twice. Without recursion: as deep as may be.
class Walk
{
  public:
    explicit Walk(std::string_view text, bool keys_differ = false)
        : text_(text), keys_differ_(keys_differ)
    {
        if (text_.starts_with("\xEF\xBB\xBF"))
            at_ = 3;
    }

    void all()
    {
        bool value_next = true; // else what follows a value
        do {
            skip();
            value_next = value_next ? value() : after_value();
        } while (value_next || !open_.empty());
        skip();
        if (at_ < text_.size())
            fail("expected the end of the file", at_);
    }

  private:
    struct Open
    {
        bool object;
        std::size_t place;                            ///< of its bracket
        std::string_view name;                        ///< key that it is the value of
        std::string_view key;                         ///< of an object: the newest
        std::size_t count = 0;                        ///< of a list: elements begun
        std::map<std::string, std::size_t> keys = {}; ///< of an object, where they stand
    };

    char now() const { return at_ < text_.size() ? text_[at_] : '\0'; }

    void skip()
    {
        while (at_ < text_.size() && std::string_view(" \t\r\n").find(now()) != text_.npos)
            ++at_;
    }

    /// Letters, digits and signs that stand together.
    std::string_view word(std::size_t from) const
    {
        std::size_t end = from;
        while (end < text_.size() && (letter(text_[end]) || digit(text_[end]) ||
                                      std::string_view("+-.").find(text_[end]) != text_.npos))
            ++end;
        return text_.substr(from, end - from);
    }

    std::string found(std::size_t at) const
    {
        constexpr std::size_t shown = 30;
        if (at >= text_.size())
            return "the end of the file";
        const auto shortened = [](std::string_view w) {
            return w.size() > shown ? std::string(w.substr(0, shown)) + ".." : std::string(w);
        };
        if (const auto w = word(at); !w.empty())
            return shortened(w);
        if (text_[at] == '"') {
            const auto end = text_.find_first_of("\"\n", at + 1);
            if (end != text_.npos && text_[end] == '"' && end - at < shown)
                return std::string(text_.substr(at, end + 1 - at));
        }
        const auto n = utf8_length(text_, at);
        if (n == 0 || static_cast<unsigned char>(text_[at]) < 32)
            return "the byte " + hexadecimal(text_[at]);
        return "'" + std::string(text_.substr(at, n)) + "'";
    }

    /// What often stands in place of JSON, and what to write.
    std::string advice(std::size_t at) const
    {
        const auto rest = text_.substr(std::min(at, text_.size()));
        for (const char* quote :
             {"'", "`", "\xE2\x80\x98", "\xE2\x80\x99", "\xE2\x80\x9C", "\xE2\x80\x9D"})
            if (rest.starts_with(quote))
                return "; keys and texts stand in straight double quotes";
        if (rest.starts_with("//") || rest.starts_with("/*") || rest.starts_with("#"))
            return "; JSON has no comments, take it out";
        return {};
    }

    /// Right behind what stands before a place.
    std::size_t behind(std::size_t at) const
    {
        at = std::min(at, text_.size());
        while (at > 0 && std::string_view(" \t\r\n").find(text_[at - 1]) != text_.npos)
            --at;
        return at;
    }

    /// @param at     what is found
    /// @param place  what has to be mended, where that is another one; the file's end is where its
    /// last line with
    ///               anything in it ends
    [[noreturn]] void fail(const std::string& expected, std::size_t at,
                           const std::string& right = {},
                           std::optional<std::size_t> place = {}) const
    {
        const auto to_mend = at >= text_.size() ? behind(at) : place.value_or(at);
        std::string what = expected + "; found " + found(at);
        if (at < text_.size() && line_of(at) != line_of(to_mend))
            what += " in line " + std::to_string(line_of(at));
        what += advice(at) + right;
        const bool other =
            !open_.empty() && at < text_.size() && text_[at] == (open_.back().object ? ']' : '}');
        if (!open_.empty() && (at >= text_.size() || other))
            what += ", while the " + std::string(open_.back().object ? "'{'" : "'['") +
                    " of line " + std::to_string(line_of(open_.back().place)) + " is open";
        throw At{to_mend, what};
    }

    std::size_t line_of(std::size_t place) const
    {
        std::size_t line = 1;
        for (std::size_t i = 0; i < place; ++i)
            line += text_[i] == '\n';
        return line;
    }

    /// `"dt_ms"`, or what else the value that is next or was last is.
    std::string subject() const
    {
        if (open_.empty())
            return "the file";
        const Open& o = open_.back();
        const auto quoted = [](std::string_view key) {
            constexpr std::size_t shown = 60;
            return "\"" + std::string(key.substr(0, shown)) + (key.size() > shown ? "...\"" : "\"");
        };
        if (o.object)
            return quoted(o.key);
        return "element " + std::to_string(o.count) +
               (o.name.empty() ? " of the list" : " of " + quoted(o.name));
    }

    /// @return whether another value follows at once: it was an opening bracket
    bool value()
    {
        if (!open_.empty() && !open_.back().object)
            ++open_.back().count;
        const char c = now();
        if (c == '{' || c == '[') {
            if (open_.size() == most_json_depth)
                throw At{at_, "is nested more than " + std::to_string(most_json_depth) + " deep"};
            open_.push_back({c == '{', at_, name(), {}});
            ++at_;
            skip();
            if (now() == (c == '{' ? '}' : ']')) {
                close();
                return false;
            }
            if (c == '{')
                key(true);
            return true;
        }
        if (c == '"')
            text();
        else
            scalar();
        return false;
    }

    std::string_view name() const
    {
        return open_.empty()         ? std::string_view()
               : open_.back().object ? open_.back().key
                                     : open_.back().name;
    }

    void close()
    {
        ++at_;
        open_.pop_back();
    }

    /// @return whether another value follows
    bool after_value()
    {
        const bool object = open_.back().object;
        if (now() == (object ? '}' : ']')) {
            close();
            return false;
        }
        if (now() != ',' || at_ >= text_.size())
            fail(std::string("expected ',' or ") + (object ? "'}'" : "']'") + " after " +
                     (object ? "the value of " : "") + subject(),
                 at_, {}, behind(at_));
        ++at_;
        skip();
        if (object)
            key(false);
        else if (now() == ']')
            fail("expected another value after the ','", at_, "; leave out the ','",
                 behind(at_) - 1);
        return true;
    }

    void key(bool first)
    {
        if (now() != '"')
            fail(std::string(first ? "expected a key in double quotes or '}'"
                                   : "expected another key in double quotes after the ','"),
                 at_, !first && now() == '}' ? "; leave out the ','" : "",
                 !first && now() == '}' ? std::optional(behind(at_) - 1) : std::nullopt);
        const auto place = at_;
        open_.back().key = text();
        if (keys_differ_)
            need_new_key(place);
        skip();
        if (now() != ':')
            fail("expected ':' after the key " + subject(), at_);
        ++at_;
    }

    void need_new_key(std::size_t place)
    {
        const std::string key = unescaped(std::string(open_.back().key));
        const auto [first, fresh] = open_.back().keys.emplace(key, place);
        if (!fresh)
            throw At{place, "key '" + key.substr(0, 60) +
                                "' is given twice in one object, first in line " +
                                std::to_string(line_of(first->second)) + "; keep one"};
    }

    /// A text in quotes; gives what stands between them.
    std::string_view text()
    {
        const auto begin = at_++;
        while (at_ < text_.size() && now() != '"' && now() != '\n') {
            if (now() == '\\') {
                escape();
                continue;
            }
            if (static_cast<unsigned char>(now()) < 32)
                throw At{at_, "a text holds the byte " + hexadecimal(now()) +
                                  "; leave it out, or write it as an escape, e.g. \\t"};
            const auto n = utf8_length(text_, at_);
            if (n == 0)
                throw At{at_, "a text holds the byte " + hexadecimal(now()) +
                                  ", which is not UTF-8; save the file in that encoding"};
            at_ += n;
        }
        if (now() != '"' || at_ >= text_.size())
            throw At{begin, "the text that begins here has no closing '\"' in its line"};
        return text_.substr(begin + 1, at_++ - begin - 1);
    }

    void escape()
    {
        const auto begin = at_++;
        if (now() == 'u') {
            ++at_;
            const unsigned first = four_digits(begin);
            if (first >= 0xDC00 && first <= 0xDFFF)
                half(begin);
            if (first < 0xD800 || first > 0xDBFF)
                return;
            if (text_.substr(at_, 2) != "\\u")
                half(begin);
            at_ += 2;
            if (const unsigned second = four_digits(at_ - 2); second < 0xDC00 || second > 0xDFFF)
                half(begin);
            return;
        }
        if (at_ >= text_.size() || std::string_view("\"\\/bfnrt").find(now()) == text_.npos)
            throw At{begin,
                     "a text holds a backslash before " +
                         (at_ < text_.size() ? "'" + std::string(1, now()) + "'" : "the end") +
                         ", which is no escape; write a backslash as \\\\"};
        ++at_;
    }

    [[noreturn]] void half(std::size_t begin) const
    {
        throw At{begin, "'" + std::string(text_.substr(begin, 6)) +
                            "' is half a character (a surrogate); write the character itself"};
    }

    unsigned four_digits(std::size_t begin)
    {
        const auto four = std::string(text_.substr(at_, 4));
        if (four.size() < 4 || four.find_first_not_of("0123456789abcdefABCDEF") != four.npos)
            throw At{begin, "'\\u' in a text wants four hexadecimal digits after it"};
        at_ += 4;
        return static_cast<unsigned>(std::stoul(four, nullptr, 16));
    }

    /// A number, true, false or null.
    void scalar()
    {
        static const std::vector<std::string> literals{"true", "false", "null"};
        static const std::vector<std::string> not_numbers{"nan", "inf", "infinity"};
        const std::string w(word(at_));
        for (const auto& l : literals)
            if (w == l) {
                at_ += w.size();
                return;
            }
        if (is_number(w)) {
            if (std::isinf(std::strtod(w.c_str(), nullptr)))
                throw At{at_, "the number " + w + " is too large; write a finite one"};
            at_ += w.size();
            return;
        }
        const auto near = w == "None" ? "null" : likely(w, literals);
        const bool name = !w.empty() && letter(w[0]) && likely(w, not_numbers).empty();
        fail(open_.empty()         ? "expected an object, {...}"
             : open_.back().object ? "expected the value of " + subject()
                                   : "expected " + subject(),
             at_,
             w.empty()       ? ""
             : !near.empty() ? "; write " + near
             : name          ? "; a text stands in double quotes"
                             : "; write a number as 0.5, -1 or 2e-3");
    }

    std::string_view text_;
    bool keys_differ_;
    std::size_t at_ = 0;
    std::vector<Open> open_;
};

/// For a person.
JsonFault fault_at(std::string_view text, const At& a)
{
    JsonFault f{1, 1, a.what};
    for (std::size_t i = 0; i < std::min(a.place, text.size()); ++i) {
        if (text[i] == '\n') {
            ++f.line;
            f.column = 1;
        } else if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) {
            ++f.column; // not for the further bytes of a character
        }
    }
    return f;
}

} // namespace

std::optional<JsonFault> json_fault(std::string_view text)
{
    try {
        Walk(text).all();
        return std::nullopt;
    } catch (const At& a) {
        return fault_at(text, a);
    }
}

std::optional<JsonFault> json_key_twice(std::string_view text)
{
    if (json_fault(text))
        return std::nullopt;
    try {
        Walk(text, true).all();
        return std::nullopt;
    } catch (const At& a) {
        return fault_at(text, a);
    }
}

} // namespace tawara::simulation
