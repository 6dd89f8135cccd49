// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cell/compiler/parse/mmt_lines.hpp"

#include "engine/core/error.hpp"

#include <cctype>

namespace tawara::cell::compiler {
namespace {

/// Walks over the text, one statement at a time.
class Cutter
{
  public:
    Cutter(std::string_view t, const std::string& file) : t_(t), file_(file) {}

    std::vector<MmtLine> all()
    {
        std::vector<MmtLine> out;
        while (at_ < t_.size()) {
            MmtLine l;
            l.line = line_;
            for (; at_ < t_.size() && (t_[at_] == ' ' || t_[at_] == '\t' || t_[at_] == '\r'); ++at_)
                l.indent += t_[at_] == '\t' ? 4 : 1;
            l.meta = is_meta();
            statement(l);
            while (!l.text.empty() && std::isspace(static_cast<unsigned char>(l.text.back())))
                l.text.pop_back();
            if (!l.text.empty())
                out.push_back(std::move(l));
        }
        return out;
    }

  private:
    bool is_meta() const
    {
        std::size_t p = at_;
        const auto word = [](char c) {
            return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
        };
        while (p < t_.size() && word(t_[p]))
            ++p;
        if (p == at_)
            return false;
        while (p < t_.size() && t_[p] == ' ')
            ++p;
        return p < t_.size() && t_[p] == ':';
    }

    void statement(MmtLine& l)
    {
        int depth = 0;
        for (; at_ < t_.size(); ++at_) {
            const char c = t_[at_];
            if (c == '#') {
                while (at_ < t_.size() && t_[at_] != '\n')
                    ++at_;
                if (at_ == t_.size())
                    return;
            }
            if (t_[at_] == '\n') {
                ++line_;
                if (depth <= 0) {
                    ++at_;
                    return;
                }
                l.text += '\n';
            } else if (c == '\\' && rest_of_line_blank()) {
                l.text += '\n';
                ++line_;
            } else if (c == ':' && depth <= 0) {
                ++at_;
                note(l);
                return;
            } else {
                // a section's own brackets, "[[model]]" or "[component]", do not join lines
                depth += c == '(' ? 1 : c == ')' ? -1 : 0;
                l.text += c;
            }
        }
        if (depth > 0)
            throw InputError(file_, l.line,
                             "a bracket is opened in this statement and never closed; add ')'");
    }

    bool rest_of_line_blank()
    {
        std::size_t p = at_ + 1;
        while (p < t_.size() && (t_[p] == ' ' || t_[p] == '\r'))
            ++p;
        if (p < t_.size() && t_[p] != '\n')
            return false;
        at_ = p;
        return true;
    }

    void note(MmtLine& l)
    {
        while (at_ < t_.size() && (t_[at_] == ' ' || t_[at_] == '\t'))
            ++at_;
        std::size_t end;
        if (t_.substr(at_, 3) == "\"\"\"") {
            at_ += 3;
            end = t_.find("\"\"\"", at_);
            if (end == std::string_view::npos)
                throw InputError(file_, l.line,
                                 "text that starts with \"\"\" never ends; close it with \"\"\"");
            l.note = t_.substr(at_, end - at_);
            for (const char c : l.note)
                line_ += c == '\n';
            at_ = t_.find('\n', end);
        } else {
            end = t_.find('\n', at_);
            l.note = t_.substr(at_, end == std::string_view::npos ? end : end - at_);
            at_ = end;
        }
        if (at_ == std::string_view::npos)
            at_ = t_.size();
        else {
            ++at_;
            ++line_;
        }
    }

    std::string_view t_;
    const std::string& file_;
    std::size_t at_ = 0;
    long line_ = 1;
};

} // namespace

std::vector<MmtLine> mmt_lines(std::string_view text, const std::string& file)
{
    return Cutter(text, file).all();
}

} // namespace tawara::cell::compiler
