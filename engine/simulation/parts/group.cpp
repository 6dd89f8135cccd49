// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/parts/group.hpp"

#include "engine/core/error.hpp"
#include "engine/device/ranks/pack.hpp"

#include <algorithm>
#include <numeric>

namespace tawara::simulation::parts {
namespace {

using device::ranks::Pack;
using device::ranks::Unpack;

enum Word : std::uint8_t {
    said,    ///< a message
    asked,   ///< a message whose sender waits for an answer
    failed,  ///< as asked, what it failed with
    answered ///< by the first one
};

Bytes told(const std::exception_ptr& why)
{
    Pack out;
    try {
        std::rethrow_exception(why);
    } catch (const InputError& e) {
        out << std::uint8_t{1} << e.file << e.where << e.reason;
    } catch (const std::exception& e) {
        out << std::uint8_t{0} << std::string(e.what());
    }
    return out.take();
}

} // namespace

void Group::send(Bytes message, std::uint8_t word)
{
    message.push_back(std::byte{word});
    ranks_.send(0, message);
}

Bytes Group::heard(int from, std::uint8_t& word)
{
    auto message = ranks_.receive(from);
    word = static_cast<std::uint8_t>(message.back());
    message.pop_back();
    return message;
}

void Group::throw_failure()
{
    Unpack in(failure_);
    if (in.read<std::uint8_t>() == 0)
        throw Error(in.read<std::string>());
    const auto file = in.read<std::string>(), where = in.read<std::string>();
    throw InputError(file, where, in.read<std::string>());
}

/// What all said, in the first process.
std::vector<Bytes> Group::collect(Bytes here, std::uint8_t word)
{
    if (!is_first()) {
        send(std::move(here), word);
        return {};
    }
    std::vector<Bytes> all{std::move(here)};
    for (int r = 1; r < size(); ++r) {
        std::uint8_t how = said;
        all.push_back(heard(r, how));
        if (how != failed)
            continue;
        ended_[static_cast<std::size_t>(r)] = 1;
        if (failure_.empty())
            failure_ = all.back();
    }
    if (!failure_.empty())
        throw_failure();
    return all;
}

Bytes Group::together(Bytes here, const std::function<Bytes(const std::vector<Bytes>&)>& make)
{
    const auto all = collect(std::move(here), asked);
    if (is_first()) {
        auto answer = make(all);
        answer.push_back(std::byte{answered});
        for (int r = 1; r < size(); ++r)
            ranks_.send(r, answer);
        answer.pop_back();
        return answer;
    }
    std::uint8_t word = 0;
    auto answer = heard(0, word);
    if (word != answered)
        throw Elsewhere();
    return answer;
}

std::vector<Bytes> Group::at_first(Bytes here)
{
    return collect(std::move(here), said);
}

std::vector<double> Group::sums(const std::vector<double>& here)
{
    const auto out = together((Pack() << here).take(), [](const std::vector<Bytes>& all) {
        std::vector<double> sum, one;
        for (const auto& said_there : all) {
            Unpack(said_there) >> one;
            sum.resize(std::max(sum.size(), one.size()), 0);
            for (std::size_t k = 0; k < one.size(); ++k)
                sum[k] += one[k];
        }
        return (Pack() << sum).take();
    });
    std::vector<double> sum;
    Unpack(out) >> sum;
    return sum;
}

double Group::sum(double here)
{
    return sums({here}).front();
}

double Group::largest(double here)
{
    const auto out = together((Pack() << here).take(), [](const std::vector<Bytes>& all) {
        double most = Unpack(all.front()).read<double>();
        for (const auto& said_there : all)
            most = std::max(most, Unpack(said_there).read<double>());
        return (Pack() << most).take();
    });
    return Unpack(out).read<double>();
}

bool Group::any(bool here)
{
    return largest(here ? 1 : 0) > 0;
}

std::int64_t Group::count(std::int64_t here)
{
    const auto out = together((Pack() << here).take(), [](const std::vector<Bytes>& all) {
        std::int64_t sum = 0;
        for (const auto& said_there : all)
            sum += Unpack(said_there).read<std::int64_t>();
        return (Pack() << sum).take();
    });
    return Unpack(out).read<std::int64_t>();
}

void Group::write(const std::function<void()>& work)
{
    Pack here;
    try {
        work();
    } catch (const InputError& e) {
        here << e.file << e.where << e.reason;
    }
    const auto answer = together(here.take(), [](const std::vector<Bytes>& all) {
        const auto first = std::find_if(all.begin(), all.end(),
                                        [](const Bytes& message) { return !message.empty(); });
        return first != all.end() ? *first : Bytes();
    });
    if (answer.empty())
        return;
    Unpack in(answer);
    const auto file = in.read<std::string>(), where = in.read<std::string>();
    throw WriteFailed(file, where, in.read<std::string>());
}

void Group::in_pieces(
    std::int64_t all, std::span<const std::int64_t> number,
    const std::function<Bytes(std::size_t from, std::size_t to)>& make,
    const std::function<void(std::int64_t, std::int64_t, const std::vector<Bytes>&)>& use)
{
    constexpr std::int64_t piece = 1 << 16;
    std::size_t from = 0;
    for (std::int64_t first = 0; first < all; first += piece) {
        const auto last = std::min(first + piece, all);
        const auto to = static_cast<std::size_t>(
            std::lower_bound(number.begin() + static_cast<std::ptrdiff_t>(from), number.end(),
                             last) -
            number.begin());
        const auto said_of = at_first(make(from, to));
        if (is_first())
            use(first, last, said_of);
        from = to;
    }
}

void Group::fail(const std::exception_ptr& why)
{
    try {
        if (!is_first()) {
            send(told(why), failed);
            ranks_.receive(0);
            return;
        }
        for (int r = 1; r < size(); ++r) {
            std::uint8_t word = ended_[static_cast<std::size_t>(r)] != 0 ? failed : said;
            while (word == said)
                heard(r, word);
            ranks_.send(r, {std::byte{failed}});
        }
    } catch (const std::exception&) { // a rank has died, and mpirun ends the others
    }
}

} // namespace tawara::simulation::parts
