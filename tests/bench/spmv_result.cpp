// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/spmv_result.hpp"

#include <algorithm>
#include <cmath>

namespace tawara::bench {
namespace {

/// The quickest in an empty cache that `which` says yes to, or null.
template <class Which>
const Result* best(const std::vector<Result>& all, Which which)
{
    const Result* b = nullptr;
    for (const auto& r : all)
        if (which(r) && (!b || r.times.cold_us < b->times.cold_us))
            b = &r;
    return b;
}

const Result* best_peer(const Matrix& m)
{
    return best(m.result, [](const Result& r) { return r.peer() && r.order == "own"; });
}

/// What a new order and the layout cost, in products as they follow each other.
void print_orders(const Matrix& m)
{
    const auto* own = best(m.result, [](const Result& r) { return r.ours() && r.order == "own"; });
    const auto* peer = best_peer(m);
    if (!own)
        return;
    const auto pays = [](double seconds, double from_us, double to_us) {
        return to_us < from_us ? std::to_string(std::llround(1e6 * seconds / (from_us - to_us)))
                               : std::string("never");
    };
    if (peer)
        std::printf("  laying out: %.3f s, %.0f products; against cuSPARSE it pays after %s\n",
                    own->layout_s, 1e6 * own->layout_s / own->times.many_us,
                    pays(own->layout_s, peer->times.many_us, own->times.many_us).c_str());
    for (const auto& [name, seconds] : m.order_s) {
        const auto* r =
            best(m.result, [&](const Result& k) { return k.ours() && k.order == name; });
        if (r)
            std::printf("  order %s: %.3f s, %.0f products of %.2f us; against %.2f us in its own "
                        "order it pays after %s\n",
                        name.c_str(), seconds, 1e6 * seconds / r->times.many_us, r->times.many_us,
                        own->times.many_us,
                        pays(seconds, own->times.many_us, r->times.many_us).c_str());
    }
}

} // namespace

std::string described(const Result& r)
{
    char text[200];
    if (!r.ours()) {
        std::snprintf(text, sizeof text, "%s%s", r.format.c_str(),
                      r.threads > 0 ? (" " + std::to_string(r.threads)).c_str() : "");
        return text;
    }
    const auto& o = r.options;
    const auto& l = r.launch;
    std::string kind = o.threshold > 0 ? "K2" : "K1";
    kind += o.sorted ? "rs" : o.renumbered ? "r" : "";
    std::snprintf(text, sizeof text, "%s %s w%lld%s%s%s p%d%s%s%s b%d f%d e%d%s", r.format.c_str(),
                  kind.c_str(), static_cast<long long>(o.window), o.threshold ? " t" : "",
                  o.threshold ? std::to_string(o.threshold).c_str() : "",
                  o.long_first ? " long" : "", o.pack, o.narrow ? " 16" : "",
                  o.run > 1 ? (" run " + std::to_string(o.run)).c_str() : "",
                  o.widest > 32 ? (" to " + std::to_string(o.widest)).c_str() : "", l.block,
                  l.flight, static_cast<int>(l.early), l.ahead ? " ahead" : "");
    return text;
}

void write(std::FILE* out, const Matrix& m, const Result& r)
{
    if (!out)
        return;
    const auto& o = r.options;
    std::fprintf(out,
                 "{\"matrix\": \"%s\", \"rows\": %lld, \"entries\": %lld, \"precision\": \"%s\", "
                 "\"order\": \"%s\", \"format\": \"%s\", \"threads\": %d, \"window\": %lld, "
                 "\"renumbered\": %d, \"sorted\": %d, \"threshold\": %d, \"long_first\": %d, "
                 "\"narrow\": %d, \"pack\": %d, \"widest\": %d, \"run\": %d, \"block\": %d, "
                 "\"flight\": %d, \"ahead\": %d, \"early\": %d, \"padding\": %.4f, "
                 "\"bytes\": %.0f, \"csr_bytes\": %.0f, \"cold_us\": %.3f, \"hot_us\": %.3f, "
                 "\"many_us\": %.3f, \"error\": %.3g, \"layout_s\": %.4f, \"order_s\": %.4f}\n",
                 m.name.c_str(), static_cast<long long>(m.rows), static_cast<long long>(m.entries),
                 std::string(tawara::name(m.precision)).c_str(), r.order.c_str(), r.format.c_str(),
                 r.threads, static_cast<long long>(o.window), o.renumbered, o.sorted, o.threshold,
                 o.long_first, o.narrow, o.pack, o.widest, o.run, r.launch.block, r.launch.flight,
                 r.launch.ahead, static_cast<int>(r.launch.early), r.padding, r.bytes, m.csr_bytes,
                 r.times.cold_us, r.times.hot_us, r.times.many_us, r.error, r.layout_s,
                 m.order_s.count(r.order) ? m.order_s.at(r.order) : 0.0);
    std::fflush(out);
}

void print(Matrix& m, const Machine& machine)
{
    std::sort(m.result.begin(), m.result.end(),
              [](const auto& x, const auto& y) { return x.times.cold_us < y.times.cold_us; });
    const auto* peer = best_peer(m);
    const double peer_us = peer ? peer->times.cold_us : NAN;
    std::printf("  %-58s %-8s %8s %8s %8s %8s %6s %6s %6s %6s %6s %8s\n", "format", "order",
                "cold us", "hot us", "many us", "net us", "bound", "of CSR", "x peer", "x net",
                "pad", "error");
    int ours = 0, others = 0;
    for (const auto& r : m.result) {
        if (r.ours() ? ours++ >= 14 : others++ >= 12)
            continue;
        const double us = r.times.cold_us, net = us - machine.nothing_us;
        const auto share = [&](double bytes) { return bytes * 1e-3 / machine.triad_GB_per_s / us; };
        std::printf("  %-58s %-8s %8.2f %8.2f %8.2f %8.2f %6.3f %6.3f %6.3f %6.3f %6.3f %8.1e\n",
                    described(r).c_str(), r.order.c_str(), us, r.times.hot_us, r.times.many_us, net,
                    share(r.bytes), share(m.csr_bytes), peer_us / us,
                    (peer_us - machine.nothing_us) / net, r.padding, r.error);
    }
    print_orders(m);
    std::fflush(stdout);
}

void print_effects(const std::vector<std::pair<std::string, Result>>& steps, const Machine& machine)
{
    std::printf("  one step after the other\n");
    double before = NAN;
    for (const auto& [what, r] : steps) {
        const double us = r.times.cold_us;
        std::printf("    %-34s %-8s %8.2f us, net %8.2f, x %5.2f, pad %.3f  %s\n", what.c_str(),
                    r.order.c_str(), us, us - machine.nothing_us,
                    std::isnan(before) ? 1.0 : before / us, r.padding, described(r).c_str());
        before = us;
    }
    std::fflush(stdout);
}

void Summary::add(const Matrix& m)
{
    const auto *ours = best(m.result, [](const Result&r) { return r.ours(); }),
               *kept =
                   best(m.result, [](const Result&r) { return r.ours() && !r.options.renumbered; }),
               *peer = best_peer(m);
    if (ours && peer)
        line_.push_back({m.name, ours->times.cold_us, kept ? kept->times.cold_us : NAN,
                         peer->times.cold_us, m.csr_bytes, ours->order + ": " + described(*ours),
                         described(*peer)});
}

void Summary::print(const Machine& machine) const
{
    std::printf("\nIn all, kept: without renumbering\n  %-22s %8s %8s %8s %7s %7s %7s %7s  %s\n",
                "matrix", "us", "kept us", "peer us", "of CSR", "x peer", "x net", "x kept",
                "best, best of cuSPARSE");
    double factor = 0, net = 0, kept = 0;
    for (const auto& l : line_) {
        const double of_peer = l.peer_us / l.ours_us, of_kept = l.peer_us / l.kept_us;
        const double of_net =
            (l.peer_us - machine.nothing_us) / std::max(0.1, l.ours_us - machine.nothing_us);
        std::printf("  %-22s %8.2f %8.2f %8.2f %7.3f %7.3f %7.3f %7.3f  %s, %s\n", l.name.c_str(),
                    l.ours_us, l.kept_us, l.peer_us,
                    l.csr_bytes * 1e-3 / machine.triad_GB_per_s / l.ours_us, of_peer, of_net,
                    of_kept, l.how.c_str(), l.peer.c_str());
        factor += std::log(of_peer), net += std::log(of_net), kept += std::log(of_kept);
    }
    if (const auto n = static_cast<double>(line_.size()); n > 0)
        std::printf("  %-22s %8s %8s %8s %7s %7.3f %7.3f %7.3f\n", "geometric means", "", "", "",
                    "", std::exp(factor / n), std::exp(net / n), std::exp(kept / n));
    std::fflush(stdout);
}

} // namespace tawara::bench
