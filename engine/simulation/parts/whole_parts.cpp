// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulation/parts/whole_parts.hpp"

#include "engine/device/ranks/pack.hpp"

#include <algorithm>

namespace tawara::simulation::parts {
namespace {

using device::ranks::Pack;
using device::ranks::Unpack;
using Row = diffusion::Whole::Row;

constexpr std::size_t rows_at_once = 4096;

bool before(const Row& a, const Row& b)
{
    return std::pair(a.key, a.number) < std::pair(b.key, b.number);
}

/// Rows of one process, a message at a time.
class Stream
{
  public:
    Stream(Communicator& ranks, int rank, std::span<const Row> here)
        : ranks_(ranks), rank_(rank), here_(here)
    {
        if (rank_ != 0)
            refill();
    }
    const Row* top() const
    {
        if (rank_ == 0)
            return at_ < here_.size() ? &here_[at_] : nullptr;
        return at_ < rows_.size() ? &rows_[at_] : nullptr;
    }
    void pop()
    {
        ++at_;
        if (rank_ != 0 && at_ == rows_.size())
            refill();
    }

  private:
    void refill()
    {
        ranks_.send(rank_, (Pack() << true).take());
        const auto message = ranks_.receive(rank_);
        Unpack(message) >> rows_;
        at_ = 0;
    }

    Communicator& ranks_;
    int rank_;
    std::span<const Row> here_;
    std::vector<Row> rows_;
    std::size_t at_ = 0;
};

/// Gives the first process rows for as long as it asks.
void give(Communicator& ranks, std::span<const Row> sorted)
{
    for (std::size_t at = 0;;) {
        const auto question = ranks.receive(0);
        if (!Unpack(question).read<bool>())
            return;
        const auto n = std::min(rows_at_once, sorted.size() - at);
        const auto part = sorted.subspan(at, n);
        ranks.send(0, (Pack() << std::vector<Row>(part.begin(), part.end())).take());
        at += n;
    }
}

} // namespace

WholeParts::WholeParts(const PartTissue& t, Group& group)
    : tissue_(t), group_(group), size_(static_cast<std::size_t>(t.unknowns()))
{
    for (std::size_t u = 0; u < t.own.size(); ++u)
        if (t.own[u]) {
            own_number_.push_back(t.number[u]);
            own_at_.push_back(static_cast<std::int32_t>(u));
        }
}

double WholeParts::sum_in_order(std::span<const double> values)
{
    double sum = 0;
    std::vector<double> piece;
    group_.in_pieces(
        static_cast<std::int64_t>(size_), own_number_,
        [&](std::size_t from, std::size_t to) {
            std::vector<std::int64_t> number(own_number_.begin() +
                                                 static_cast<std::ptrdiff_t>(from),
                                             own_number_.begin() + static_cast<std::ptrdiff_t>(to));
            std::vector<double> of;
            for (auto k = from; k < to; ++k)
                of.push_back(values[static_cast<std::size_t>(own_at_[k])]);
            return (Pack() << number << of).take();
        },
        [&](std::int64_t first, std::int64_t last, const std::vector<Bytes>& said) {
            piece.assign(static_cast<std::size_t>(last - first), 0);
            std::vector<std::int64_t> number;
            std::vector<double> of;
            for (const auto& message : said) {
                Unpack(message) >> number >> of;
                for (std::size_t k = 0; k < number.size(); ++k)
                    piece[static_cast<std::size_t>(number[k] - first)] = of[k];
            }
            for (const double x : piece)
                sum += x;
        });
    const auto answer =
        group_.together({}, [&](const std::vector<Bytes>&) { return (Pack() << sum).take(); });
    return Unpack(answer).read<double>();
}

double WholeParts::in_order(std::span<const Row> sorted,
                            const std::function<double(const std::function<bool(Row&)>&)>& use)
{
    auto& ranks = group_.ranks();
    double out = 0;
    if (group_.is_first()) {
        std::vector<Stream> streams;
        for (int r = 0; r < group_.size(); ++r)
            streams.emplace_back(ranks, r, sorted);
        out = use([&](Row& row) {
            Stream* best = nullptr;
            for (auto& s : streams)
                if (s.top() != nullptr && (best == nullptr || before(*s.top(), *best->top())))
                    best = &s;
            if (best == nullptr)
                return false;
            row = *best->top();
            best->pop();
            return true;
        });
        for (int r = 1; r < group_.size(); ++r)
            ranks.send(r, (Pack() << false).take());
    } else {
        give(ranks, sorted);
    }
    const auto answer =
        group_.together({}, [&](const std::vector<Bytes>&) { return (Pack() << out).take(); });
    return Unpack(answer).read<double>();
}

} // namespace tawara::simulation::parts
