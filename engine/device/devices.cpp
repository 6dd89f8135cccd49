// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/device/devices.hpp"

#include "engine/core/error.hpp"

#include <charconv>
#include <string_view>

namespace tawara::device {
namespace {

constexpr std::string_view listed = "cuda:";

[[noreturn]] void refuse(const std::string& text)
{
    throw InputError("--devices", "unknown device '" + text + "'; use cpu, cuda, cuda:0,1 or auto");
}

std::vector<int> numbers_of(const std::string& text)
{
    std::vector<int> numbers;
    const char *at = text.data() + listed.size(), *end = text.data() + text.size();
    for (;;) {
        int number = -1;
        const auto [next, error] = std::from_chars(at, end, number);
        if (error != std::errc() || number < 0 || (next != end && *next != ','))
            refuse(text);
        numbers.push_back(number);
        if (next == end)
            return numbers;
        at = next + 1;
    }
}

} // namespace

Devices::Devices(const std::string& text)
{
    if (text == "cpu") {
        kind = Kind::cpu;
    } else if (text == "cuda") {
        kind = Kind::cuda;
    } else if (text.starts_with(listed)) {
        kind = Kind::cuda;
        numbers = numbers_of(text);
    } else if (text != "auto") {
        refuse(text);
    }
}

Devices Devices::cuda(std::vector<int> numbers)
{
    Devices d;
    d.kind = Kind::cuda;
    d.numbers = std::move(numbers);
    return d;
}

std::string Devices::text() const
{
    if (kind != Kind::cuda)
        return kind == Kind::cpu ? "cpu" : "auto";
    if (numbers.empty())
        return "cuda";
    std::string text(listed);
    for (const int n : numbers)
        text += (text.size() > listed.size() ? "," : "") + std::to_string(n);
    return text;
}

} // namespace tawara::device
