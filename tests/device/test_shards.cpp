// SPDX-License-Identifier: GPL-3.0-or-later
// Shards stepped on the CPU as the kernels step them: separators first, their values sent into the
// halos of others, then the interior. What comes out must be that of the plain rows, bit for bit.
#include "engine/calcium/description.hpp"
#include "engine/calcium/paced_cell.hpp"
#include "engine/calcium/reaction.hpp"
#include "engine/core/error.hpp"
#include "engine/device/cuda/front_lists.hpp"
#include "engine/device/cuda/shards.hpp"
#include "engine/device/ranks/share.hpp"
#include "tests/device/tissue_problem.hpp"

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

using namespace tawara;
using namespace tawara::device;
using namespace tawara::test;

namespace {

std::size_t at(std::int64_t i)
{
    return static_cast<std::size_t>(i);
}

/// v <- v + dt sum_j alpha_ij (v_j - v_i), row by row as the mesh numbers them.
template <class Value>
std::vector<double> plain_pass(const TissueProblem& p, const std::vector<double>& v)
{
    const auto& a = p.system.alpha;
    auto next = v;
    for (std::size_t i = 0; i < v.size(); ++i) {
        double sum = 0;
        for (auto e = a.first[i]; e < a.first[i + 1]; ++e)
            sum += static_cast<Value>(a.value[at(e)]) * (v[at(a.column[at(e)])] - v[i]);
        next[i] = v[i] + p.dt_ms * sum;
    }
    return next;
}

/// The same over shards.
template <class Value>
class Sharded
{
  public:
    Sharded(const TissueProblem& p, int count, partition::Ordering ordering,
            std::span<const double> shares = {})
        : dt_(p.dt_ms),
          all_(cuda::make_shards(p, count, 16 / int{sizeof(Value)}, ordering, {}, shares))
    {
        for (const auto& s : all_.shards) {
            v_.emplace_back(at(s.slots + s.halo), std::nan(""));
            next_.push_back(v_.back());
        }
    }
    /// A share of a tissue, whose halo others fill.
    Sharded(const TissueProblem& share, partition::Ordering ordering, const Halo& others)
        : dt_(share.dt_ms),
          all_(cuda::make_shards(share, 1, 16 / int{sizeof(Value)}, ordering, {}, {}, &others))
    {
        v_.emplace_back(at(all_.shards[0].slots + all_.shards[0].halo), std::nan(""));
        next_.push_back(v_.back());
    }
    const cuda::Sharding& sharding() const { return all_; }

    /// Of one share: its next values become the present ones.
    void begin() { std::swap(v_, next_); }
    /// Between its separator and its interior: what others read, and its halo.
    void separator() { rows(0, 0, all_.shards[0].separator); }
    double& next_at(std::int32_t unknown) { return next_[0][at(all_.place[at(unknown)].slot)]; }
    double& next_in_halo(std::size_t k) { return next_[0][at(all_.shards[0].slots) + k]; }
    void interior()
    {
        rows(0, all_.shards[0].separator, all_.shards[0].slots);
        std::swap(v_, next_);
    }

    void set(const std::vector<double>& v)
    {
        for (std::size_t u = 0; u < v.size(); ++u)
            v_[at(all_.place[u].part)][at(all_.place[u].slot)] = v[u];
        exchange(v_);
    }
    void pass()
    {
        for (std::size_t k = 0; k < v_.size(); ++k)
            rows(k, 0, all_.shards[k].separator);
        exchange(next_);
        for (std::size_t k = 0; k < v_.size(); ++k)
            rows(k, all_.shards[k].separator, all_.shards[k].slots);
        std::swap(v_, next_);
    }
    std::vector<double> values() const
    {
        std::vector<double> v(all_.place.size());
        for (std::size_t u = 0; u < v.size(); ++u)
            v[u] = v_[at(all_.place[u].part)][at(all_.place[u].slot)];
        return v;
    }

  private:
    void exchange(std::vector<std::vector<double>>& v) const
    {
        for (std::size_t k = 0; k < v.size(); ++k)
            for (const auto& send : all_.shards[k].sends)
                for (std::size_t i = 0; i < send.from.size(); ++i)
                    v[send.part][at(send.to) + i] = v[k][at(send.from[i])];
    }
    static std::int32_t column(const cuda::Shard& s, std::size_t slice, std::size_t to)
    {
        const auto* from = s.column.data() + std::size_t{s.column_chunk[slice] >> 1} * 32 *
                                                 static_cast<std::size_t>(s.pack);
        if (s.column_chunk[slice] & 1U) {
            std::int32_t j = 0;
            std::memcpy(&j, from + 2 * to, sizeof j);
            return j;
        }
        return static_cast<std::int32_t>(slice * 32) + from[to];
    }
    void rows(std::size_t k, std::int64_t begin, std::int64_t end)
    {
        const auto& s = all_.shards[k];
        const auto pack = static_cast<std::size_t>(s.pack);
        for (auto slot = at(begin); slot < at(end); ++slot) {
            const auto slice = slot / 32;
            const double own = v_[k][slot];
            double sum = 0;
            const auto entries = std::size_t{s.chunk[slice + 1] - s.chunk[slice]} * pack;
            for (std::size_t e = 0; e < entries; ++e) {
                const auto to = (e / pack * 32 + slot % 32) * pack + e % pack;
                const auto place = std::size_t{s.chunk[slice]} * 32 * pack + to;
                const Value value = [&]() -> Value {
                    if constexpr (sizeof(Value) == 4)
                        return s.single_value[place];
                    else
                        return s.double_value[place];
                }();
                if (value != 0) // unused entries point at the row itself
                    sum += value * (v_[k][at(column(s, slice, to))] - own);
            }
            next_[k][slot] = own + dt_ * sum;
        }
    }

    double dt_;
    cuda::Sharding all_;
    std::vector<std::vector<double>> v_, next_;
};

/// Of a share; nobody swaps through it.
class Border final : public Halo
{
  public:
    explicit Border(const ranks::Share& s)
    {
        for (const auto& n : s.neighbours) {
            given_.insert(given_.end(), n.give.begin(), n.give.end());
            taken_.insert(taken_.end(), n.take.begin(), n.take.end());
        }
    }
    std::span<const std::int32_t> given() const override { return given_; }
    std::span<const std::int32_t> taken() const override { return taken_; }
    void swap(std::span<const double>, std::span<double>, std::size_t) override
    {
        throw Error("nobody is there");
    }
    bool any(bool here) override { return here; }

  private:
    std::vector<std::int32_t> given_, taken_;
};

std::vector<double> bump(const TissueProblem& p)
{
    std::vector<double> v;
    for (const auto& x : p.position_mm)
        v.push_back(-85 + 120 * std::exp(-0.3 * (x[0] * x[0] + x[1] * x[1])) + std::sin(7 * x[2]));
    for (std::size_t u = 0; u < v.size(); ++u)
        if (!p.has_cells(u))
            v[u] = std::numeric_limits<double>::quiet_NaN();
    return v;
}

/// Fourteen steps by `Value` over `count` shards and by plain rows; whether all bits agree.
template <class Value>
bool agrees(const TissueProblem& p, int count, partition::Ordering ordering,
            std::span<const double> shares = {})
{
    auto expected = bump(p);
    Sharded<Value> s(p, count, ordering, shares);
    s.set(expected);
    for (int k = 0; k < 14; ++k) {
        expected = plain_pass<Value>(p, expected);
        s.pass();
    }
    const auto found = s.values();
    return std::memcmp(found.data(), expected.data(), found.size() * sizeof(double)) == 0;
}

} // namespace

class TestShards : public QObject
{
    Q_OBJECT
  private Q_SLOTS:
    void anyNumberOfShardsGivesTheSameBits_data()
    {
        QTest::addColumn<int>("scheme");
        QTest::addColumn<int>("count");
        QTest::addColumn<int>("ordering");
        for (int scheme : {0, 1})
            for (int count : {1, 2, 4, 8})
                for (int ordering : {0, 1})
                    QTest::addRow("%s, %d, %s", scheme ? "p1" : "fvm", count,
                                  ordering ? "metis" : "hilbert")
                        << scheme << count << ordering;
    }
    void anyNumberOfShardsGivesTheSameBits()
    {
        QFETCH(int, scheme);
        QFETCH(int, count);
        QFETCH(int, ordering);
        ProblemOptions o;
        o.scheme = static_cast<diffusion::Scheme>(scheme);
        o.dt_ms = 0.01;
        o.types = 2;
        auto p = slab_problem({6, 5, 4}, 0.5, o);
        p.groups.push_back(p.groups[0]); // two groups: ranges within a shard
        for (std::size_t u = 0; u < p.size(); ++u)
            p.group[u] = p.position_mm[u][1] > 3;
        const auto by = static_cast<partition::Ordering>(ordering);
        QVERIFY(agrees<double>(p, count, by));
        QVERIFY(agrees<float>(p, count, by)); // `mixed`: the matrix in single precision
    }

    /// As GPUs of several processes step them: separators first, then what others give, then the
    /// interior.
    void sharesOfProcessesGiveTheSameBits()
    {
        ProblemOptions o;
        o.dt_ms = 0.01;
        o.types = 2;
        o.insulated = true;
        for (const auto scheme : {diffusion::Scheme::fvm, diffusion::Scheme::p1}) {
            o.scheme = scheme;
            const auto p = slab_problem({6, 5, 4}, 0.5, o);
            const auto rank_of = ranks::ranks_of_unknowns(p, 3);
            auto v = bump(p);
            std::vector<ranks::Share> share;
            std::vector<Border> border;
            std::vector<Sharded<double>> step;
            for (int r = 0; r < 3; ++r) {
                share.push_back(ranks::share_of(p, rank_of, r, {}));
                border.emplace_back(share.back());
                step.emplace_back(share.back().problem, partition::Ordering::hilbert,
                                  border.back());
                const auto& s = step.back().sharding().shards.at(0);
                QVERIFY(s.separator > 0 && s.separator < s.stepped);
                for (const auto u : border.back().given())
                    QVERIFY(step.back().sharding().place[at(u)].slot < s.separator);
            }
            // the place of each unknown of the whole in its share
            std::vector<std::int32_t> local(p.size(), -1);
            for (const auto& s : share)
                for (std::size_t k = 0; k < s.own(); ++k)
                    local[at(s.whole[k])] = static_cast<std::int32_t>(k);
            const auto next_of = [&](std::size_t u) -> double& {
                return step[at(rank_of[u])].next_at(local[u]);
            };
            const auto exchange = [&] { // each share's neighbours list the same unknowns
                for (std::size_t r = 0; r < 3; ++r) {
                    std::size_t k = 0;
                    for (const auto& n : share[r].neighbours) {
                        const auto& there = share[at(n.rank)].neighbours;
                        const auto back = std::find_if(there.begin(), there.end(), [&](auto& x) {
                            return x.rank == static_cast<int>(r);
                        });
                        QCOMPARE(back->give.size(), n.take.size());
                        for (const auto u : back->give)
                            step[r].next_in_halo(k++) = step[at(n.rank)].next_at(u);
                    }
                }
            };
            for (std::size_t u = 0; u < p.size(); ++u)
                if (p.has_cells(u))
                    next_of(u) = v[u];
            exchange();
            for (auto& s : step)
                s.begin();
            for (int k = 0; k < 14; ++k) {
                v = plain_pass<double>(p, v);
                for (auto& s : step)
                    s.separator();
                exchange();
                for (auto& s : step)
                    s.interior();
            }
            for (auto& s : step)
                s.begin(); // the last values are the next ones again
            for (std::size_t u = 0; u < p.size(); ++u)
                if (p.has_cells(u))
                    QVERIFY(next_of(u) == v[u]);
        }
    }

    /// Unknowns without cells: in one slot of a shard, which no range holds; parts are of the rest.
    void unknownsWithoutCellsShareASlot()
    {
        ProblemOptions o;
        o.insulated = true;
        o.dt_ms = 0.01;
        for (const auto scheme : {diffusion::Scheme::fvm, diffusion::Scheme::p1}) {
            o.scheme = scheme;
            const auto p = slab_problem({6, 5, 4}, 0.5, o);
            const auto cells = static_cast<double>(p.with_cells());
            QVERIFY(p.with_cells() < p.size());
            for (int count : {1, 3})
                for (const auto ordering :
                     {partition::Ordering::hilbert, partition::Ordering::metis}) {
                    QVERIFY(agrees<double>(p, count, ordering));
                    const auto all = cuda::make_shards(p, count, 2, ordering);
                    std::vector<double> part(at(count), 0);
                    for (std::size_t u = 0; u < p.size(); ++u) {
                        const auto& s = all.shards[at(all.place[u].part)];
                        const auto slot = all.place[u].slot;
                        QVERIFY(p.has_cells(u) ? slot < s.stepped : slot == s.stepped);
                        QVERIFY(slot < s.slots);
                        part[at(all.place[u].part)] += p.has_cells(u) ? 1 / cells : 0;
                    }
                    for (const auto& s : all.shards)
                        for (const auto& r : s.ranges)
                            QVERIFY(r.end <= s.stepped && r.group == 0);
                    for (double x : part)
                        QVERIFY(std::abs(x - 1.0 / count) < 0.05);
                }
        }
    }

    void shardsCoverEveryUnknownOnceAndSendWhatIsRead()
    {
        const auto p = slab_problem({8, 5, 4}, 0.5);
        const auto all = cuda::make_shards(p, 4, 2, partition::Ordering::metis);
        std::vector<int> seen(p.size(), 0);
        for (std::size_t k = 0; k < all.shards.size(); ++k) {
            const auto& s = all.shards[k];
            QCOMPARE(s.separator % 32, std::int64_t{0});
            QCOMPARE(s.slots % 32, std::int64_t{0});
            std::int64_t halo = 0;
            for (std::size_t slot = 0; slot < s.old_of.size(); ++slot)
                if (s.old_of[slot] >= 0) {
                    ++seen[at(s.old_of[slot])];
                    QCOMPARE(all.place[at(s.old_of[slot])].part, static_cast<std::int32_t>(k));
                }
            for (const auto& other : all.shards)
                for (const auto& send : other.sends)
                    if (send.part == k) {
                        halo += static_cast<std::int64_t>(send.from.size());
                        QVERIFY(std::all_of(send.from.begin(), send.from.end(),
                                            [&](auto slot) { return slot < other.separator; }));
                    }
            QCOMPARE(halo, s.halo);
            QVERIFY(s.halo > 0);
            QVERIFY(s.separator < s.slots); // an interior to hide the exchange behind
        }
        QVERIFY(std::all_of(seen.begin(), seen.end(), [](int n) { return n == 1; }));
    }

    /// Devices of unequal speed: parts of the sizes asked for, the same bits.
    void unequalSharesGiveTheSameBits()
    {
        const auto p = slab_problem({8, 5, 4}, 0.5);
        const std::vector<double> shares{0.5, 0.2, 0.3};
        for (const auto ordering : {partition::Ordering::hilbert, partition::Ordering::metis}) {
            QVERIFY(agrees<double>(p, 3, ordering, shares));
            const auto all = cuda::make_shards(p, 3, 2, ordering, {}, shares);
            std::vector<double> part(3, 0);
            for (const auto& place : all.place)
                part[at(place.part)] += 1 / static_cast<double>(p.size());
            for (std::size_t k = 0; k < 3; ++k)
                QVERIFY2(std::abs(part[k] - shares[k]) < 0.015,
                         qPrintable(QString::number(part[k])));
        }
        QVERIFY_THROWS_EXCEPTION(InputError, cuda::make_shards(p, 3, 2, partition::Ordering::metis,
                                                               {}, std::vector<double>{0.5, 0.5}));
        QVERIFY_THROWS_EXCEPTION(InputError, cuda::make_shards(p, 2, 2, partition::Ordering::metis,
                                                               {}, std::vector<double>{1, 0}));
    }

    /// A cell of ten thousand dyads takes as long as thousands of others: these are shared evenly,
    /// whatever other cells there are.
    void cellsWithDyadsAreSharedEvenly()
    {
        calcium::make_dyads_known();
        auto p = slab_problem({8, 5, 4}, 0.5);
        CellGroup g;
        g.types = {cell::make_cell_type(calcium::dyad_model, "healthy", {}, {})};
        g.reaction = std::make_shared<calcium::DyadReactionModel>(
            std::vector{calcium::dyad_type(g.types[0])}, calcium::Grid{100, 10, 10}, 7);
        const auto dyads = static_cast<std::uint8_t>(p.groups.size());
        p.groups.push_back(std::move(g));
        double all = 0;
        for (std::size_t u = 0; u < p.size(); ++u)
            if (p.position_mm[u][0] < 4) {
                p.group[u] = dyads;
                p.type[u] = 0;
                ++all;
            }
        for (const auto ordering : {partition::Ordering::hilbert, partition::Ordering::metis})
            for (const int count : {2, 3, 4}) {
                const auto sharding = cuda::make_shards(p, count, 2, ordering);
                std::vector<double> part(at(count), 0);
                for (std::size_t u = 0; u < p.size(); ++u)
                    part[at(sharding.place[u].part)] += p.group[u] == dyads ? count / all : 0;
                for (const double share : part)
                    QVERIFY2(std::abs(share - 1) < 0.05, qPrintable(QString::number(share)));
                QVERIFY(agrees<double>(p, count, ordering));
            }
    }

    void partsEndWhereWeightsSay()
    {
        using Ends = std::vector<std::size_t>;
        const std::vector<std::int32_t> alike(100, 1), two{1, 1, 1, 1, 500, 500};
        QCOMPARE(partition::ends_of_parts(alike, 3, std::vector<double>{0.5, 0.2, 0.3}),
                 (Ends{50, 70, 100}));
        QCOMPARE(partition::ends_of_parts(two, 2, {}), (Ends{5, 6}));
        // none is left without one
        QCOMPARE(partition::ends_of_parts(two, 6, {}), (Ends{1, 2, 3, 4, 5, 6}));
        const std::vector<std::int32_t> one{500, 1, 1};
        QCOMPARE(partition::ends_of_parts(one, 3, {}), (Ends{1, 2, 3}));
    }

    void partsEndWhereSharesSay()
    {
        using Ends = std::vector<std::size_t>;
        QCOMPARE(partition::ends_of_parts(10, 1, {}), (Ends{10}));
        QCOMPARE(partition::ends_of_parts(10, 4, {}), (Ends{3, 5, 8, 10}));
        QCOMPARE(partition::ends_of_parts(100, 3, std::vector<double>{0.5, 0.2, 0.3}),
                 (Ends{50, 70, 100}));
        const std::vector<double> tenths(10, 0.1); // their sum is not 1 in binary numbers
        QCOMPARE(partition::ends_of_parts(1000, 10, tenths).back(), std::size_t{1000});
        QCOMPARE(partition::ends_of_parts(1000, 10, tenths)[6], std::size_t{700});
    }

    /// A chunk of neighbours has its 128 tetrahedra; one of tetrahedra that share no vertex ends
    /// where a byte no longer numbers these.
    void chunksNumberTheirVertices()
    {
        ProblemOptions o;
        o.scheme = diffusion::Scheme::p1;
        o.currents = IonicCurrents::interpolated;
        auto p = slab_problem({4, 2, 2}, 0.25, o);
        const auto n = p.elements.size();
        std::mt19937 draw; // NOLINT: the same numbers each time
        for (const bool apart : {false, true}) {
            if (apart)
                for (std::size_t t = 0; t < n; ++t)
                    for (std::size_t a = 0; a < 4; ++a)
                        p.elements.corner[t][a] = static_cast<std::int32_t>(draw() % p.size());
            const auto all = cuda::make_shards(p, 1, 2, partition::Ordering::hilbert);
            const auto lists = cuda::make_front_lists(p, all.shards[0], 0, all.place);
            constexpr std::size_t row = cuda::FrontLists::chunk_tetrahedra;
            QCOMPARE(lists.corners.size(), row * lists.chunk.size());
            QCOMPARE(lists.chunk.size() > (n + row - 1) / row, apart);
            std::size_t some = 0;
            for (std::size_t t = 0; t < lists.corners.size(); ++t) {
                const auto& c = lists.chunk[t / row];
                QVERIFY(at(c.vertices) <= cuda::FrontLists::chunk_vertices);
                for (std::size_t a = 0; a < 4; ++a) {
                    const auto k = lists.corner_of_chunk[t][a];
                    QVERIFY(k < c.vertices);
                    QCOMPARE(lists.vertex[at(c.first_vertex) + k], lists.corners[t][a]);
                }
                some += lists.volume[t] > 0;
            }
            QCOMPARE(some, n);
        }
    }

    void moreShardsThanUnknownsAreRefused()
    {
        const auto p = slab_problem({0.5, 0.5, 0.5}, 0.5);
        QVERIFY_THROWS_EXCEPTION(InputError, cuda::make_shards(p, static_cast<int>(p.size()) + 1, 2,
                                                               partition::Ordering::metis));
    }
};

QTEST_GUILESS_MAIN(TestShards)
#include "test_shards.moc"
