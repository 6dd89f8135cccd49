// SPDX-License-Identifier: GPL-3.0-or-later
// What a checkpoint file may hold and what is refused: nothing in one is believed.
#include "engine/cell/numerics_error.hpp"
#include "engine/core/error.hpp"
#include "engine/simulation/results/checkpoint.hpp"
#include "engine/simulation/results/checkpoint_stream.hpp"
#include "engine/simulation/run/run.hpp"
#include "engine/simulation/session/output_keys.hpp"
#include "engine/simulation/session/session_keys.hpp"
#include "engine/simulation/tissue/tissue.hpp"
#include "tests/simulation/checkpoint_bytes.hpp"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>
#include <sys/resource.h>
#include <zlib.h>

using namespace tawara;
using namespace tawara::simulation;
using namespace tawara::checkpoint_bytes;
namespace fs = std::filesystem;

namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

Session slab_session()
{
    Session s;
    s.name = "slab";
    s.mesh = MeshSlab{{2, 1, 1}, 0.5};
    s.regions[0].variant = "epi";
    s.end_ms = 2;
    s.output->checkpoint_every_ms = 1;
    Stimulus st;
    st.name = "S1";
    st.region = Box{{0, 0, 0}, {0.5, 1, 1}};
    s.stimuli.push_back(st);
    s.probes.push_back({"near", {0.5, 0.5, 0.5}});
    s.electrodes = {{"RA", {-50, 0, 0}}, {"LA", {50, 0, 0}}};
    s.leads.kind = Leads::Kind::list;
    s.leads.list = {{"I", {{"LA", 1}, {"RA", -1}}}};
    s.ecg_every_ms = 0.5;
    return s;
}

std::string content(const fs::path& f)
{
    std::ifstream in(f, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void put(const fs::path& f, const std::string& bytes)
{
    std::ofstream(f, std::ios::binary).write(bytes.data(), std::streamsize(bytes.size()));
}

} // namespace

class TestCheckpoint : public QObject
{
    Q_OBJECT
    QTemporaryDir dir_;
    fs::path path(const char* name) const { return fs::path(dir_.path().toStdString()) / name; }
    fs::path good_;
    std::vector<std::string> said_;

    /// Empty where it ran to its end.
    std::string resume(const fs::path& file, bool branch = false)
    {
        auto s = slab_session();
        s.output->checkpoint_every_ms = 0;
        RunOptions o;
        o.out = path("resumed");
        o.resume = file;
        o.branch = branch;
        o.device.devices = "cpu";
        said_.clear();
        o.notice = [&](const Notice& n) { said_.push_back(n.text); };
        try {
            run_session(s, o);
        } catch (const InputError& e) {
            return e.what();
        }
        return {};
    }
    bool was_said(const std::string& part) const
    {
        return std::any_of(said_.begin(), said_.end(),
                           [&](const auto& s) { return s.find(part) != std::string::npos; });
    }

  private Q_SLOTS:
    void initTestCase()
    {
        RunOptions o;
        o.out = path("whole");
        o.device.devices = "cpu";
        run_session(slab_session(), o);
        good_ = o.out / "checkpoint-00000001.000ms.tcp";
        QVERIFY(fs::exists(good_));
    }

    /// Each key of the table that is a member of the session: another value of it gives another
    /// fingerprint where the table says that it is fixed, else the same.
    void fingerprintsHaveWhatTheTableSays()
    {
        const auto print = [](const Session& s) {
            return fingerprint(build_tissue(s).problem, s, Precision::double_);
        };
        Session base = slab_session();
        base.mesh = MeshSlab{{1, 0.5, 0.5}, 0.25};
        base.dt_ms = 0.5; // so long that diffusion has sub-steps, which mass scaling acts on
        int fixed = 0;
        for (const Key& key : session_keys()) {
            if (!key.member.of(typeid(Session)) || key.member.get == nullptr)
                continue;
            Session s = base;
            if (key.at == "/diffusion/mass_scaling_largest")
                s.mass_scaling = 0.05; // so much that the bound acts
            s.scheme = key.at == "/diffusion/mass" || key.at == "/diffusion/currents"
                           ? diffusion::Scheme::p1
                           : base.scheme;
            const std::string before = print(s);
            const double old = key.member.get(&s);
            key.member.set(&s, key.member.type == Member::Type::truth ? 1 - old
                               : key.member.type == Member::Type::choice
                                   ? old + (old == key.also.first ? 1 : -1)
                               : std::isfinite(key.range.high) ? (old + key.range.high) / 2
                                                               : old + 1);
            const bool says = key.also.fixed != Key::Fixed::no;
            QVERIFY2((print(s) != before) == says, std::string(key.at).c_str());
            fixed += says;
        }
        QVERIFY(fixed >= 8);
        // as checkpoints of before the table have it
        Session s = slab_session();
        s.rest_tolerance_mV = 0.1;
        s.tables_mV = 0.01;
        QCOMPARE(print(s),
                 std::string("96 unknowns, dt 0.02 ms, split 0, step 0, sub 0 x 1, crc 28522eea, "
                             "rush_larsen_light ten_tusscher_2006 double"));
    }

    void whatIsWrittenIsRead()
    {
        const auto c = read_checkpoint(good_);
        QCOMPARE(c.version, checkpoint_version);
        QCOMPARE(c.state.step, 50);
        QCOMPARE(c.tables.at("ecg.csv").rows.time_ms.size(), std::size_t(3));
        QVERIFY(!c.layout.empty() && !c.pulses.empty() && c.traces.steps() > 40);
        write_checkpoint(c, path("again.tcp"));
        QVERIFY(content(path("again.tcp")) == content(good_));
        QCOMPARE(resume(good_), std::string());
        QVERIFY(!was_said("earlier version"));
        for (const char* f : {"probes.csv", "activation.csv", "beats.csv", "ecg.csv"})
            QVERIFY2(content(path("resumed") / f) == content(path("whole") / f), f);
    }

    /// Nothing is activated so early: with times of all places each array is read as itself.
    void arraysDoNotChangePlaces()
    {
        auto c = read_checkpoint(good_);
        auto& s = c.state;
        const std::size_t n = s.v.size();
        s.activation_ms.assign(n, 0.25);
        s.repolarisation_ms.assign(n, 0.75);
        s.peak_mV.assign(n, 20);
        s.rest_mV.assign(n, -80);
        write_checkpoint(c, path("places.tcp"));
        const auto read = read_checkpoint(path("places.tcp")).state;
        QCOMPARE(read.activation_ms, s.activation_ms);
        QCOMPARE(read.repolarisation_ms, s.repolarisation_ms);
        QCOMPARE(read.peak_mV, s.peak_mV);
        QCOMPARE(read.rest_mV, s.rest_mV);
        QVERIFY(read.v == s.v && read.states == s.states && read.quiescent == s.quiescent);
    }

    /// A file without other tables is what programs wrote that knew none: theirs are read.
    void filesWithoutOtherTablesAreAsBefore()
    {
        auto c = read_checkpoint(good_);
        QVERIFY(c.tables.size() == 1 && c.state.parts.empty());
        QVERIFY(unpacked(content(good_)).starts_with(bytes_of_version(2, c)));
        QVERIFY(c.provenance.starts_with("{\"program\":\"tawara\""));
        c.provenance.clear(); // which those programs did not write either
        write_checkpoint(c, path("before.tcp"));
        QVERIFY(unpacked(content(path("before.tcp"))) == bytes_of_version(2, c));
        QCOMPARE(read_checkpoint(path("before.tcp")).provenance, std::string());
    }

    /// Tables that came after the file's form stand at its end, by name. Without one a file is as
    /// it was before there were any.
    void tablesAreKeptByName()
    {
        auto c = read_checkpoint(good_);
        QCOMPARE(c.tables.size(), std::size_t(1));
        c.tables["means.csv"] = {{{"a", "b"}, {0.1, 0.2}, {-80, -81, -82, -83}}, "of these"};
        write_checkpoint(c, path("named.tcp"));
        const auto d = read_checkpoint(path("named.tcp"));
        QCOMPARE(d.tables.size(), std::size_t(2));
        const auto& kept = d.tables.at("means.csv");
        QCOMPARE(kept.of, std::string("of these"));
        QVERIFY(kept.rows.names == c.tables["means.csv"].rows.names);
        QVERIFY(kept.rows.time_ms == c.tables["means.csv"].rows.time_ms);
        QVERIFY(kept.rows.V_mV == c.tables["means.csv"].rows.V_mV);
        QCOMPARE(resume(path("named.tcp")), std::string()); // this run has no such table
        c.tables["means.csv"].rows.V_mV.pop_back();         // a row that is not whole
        write_checkpoint(c, path("named.tcp"));
        QVERIFY(resume(path("named.tcp")).find("rows of means.csv") != std::string::npos);
        c.tables.erase("means.csv");
        write_checkpoint(c, path("again.tcp"));
        QVERIFY(content(path("again.tcp")) == content(good_));
    }

    /// Without a checksum: all of it is checked, and it is said.
    void version1IsReadAndSaid()
    {
        const auto c = read_checkpoint(good_);
        put(path("v1.tcp"), version_1(bytes_of_version(1, c)));
        QCOMPARE(read_checkpoint(path("v1.tcp")).version, 1u);
        QCOMPARE(resume(path("v1.tcp")), std::string());
        QVERIFY(was_said("is a checkpoint of an earlier version, without a checksum"));
        for (const char* f : {"probes.csv", "activation.csv", "beats.csv", "ecg.csv"})
            QVERIFY2(content(path("resumed") / f) == content(path("whole") / f), f);
    }

    void anotherVersionIsRefused()
    {
        auto bytes = content(good_);
        bytes[8] = 77;
        put(path("later.tcp"), bytes);
        const auto e = resume(path("later.tcp"));
        QVERIFY2(e.find("later.tcp: is a checkpoint of version 77, of another version of Tawara; "
                        "this one reads versions 1 and 2") != std::string::npos,
                 e.c_str());
    }

    /// No byte can be another one without notice, and none be missing.
    void damageIsFound()
    {
        const auto bytes = content(good_);
        const auto bad = path("bad.tcp");
        std::size_t taken = 0;
        for (std::size_t k = 0; k < bytes.size(); k += k < 200 ? 1 : 37) {
            auto other = bytes;
            other[k] = static_cast<char>(other[k] ^ 0x10);
            put(bad, other);
            try {
                read_checkpoint(bad);
                ++taken;
            } catch (const InputError&) { // as it should be
            }
        }
        QCOMPARE(taken, std::size_t(0));
        for (const auto size : {std::size_t(0), std::size_t(7), std::size_t(20), bytes.size() / 2,
                                bytes.size() - 1}) {
            put(bad, bytes.substr(0, size));
            QVERIFY_THROWS_EXCEPTION(InputError, read_checkpoint(bad));
        }
        put(bad, bytes + "x");
        QVERIFY_THROWS_EXCEPTION(InputError, read_checkpoint(bad));
    }

    /// The checksum is right and the content is not: lengths, steps, times, values.
    void craftedContentIsRefused_data()
    {
        QTest::addColumn<int>("what");
        for (const char* name : {"negative step",
                                 "far step",
                                 "v too long",
                                 "a state of 16 MB",
                                 "a state too short",
                                 "a state fewer",
                                 "activation too long",
                                 "no peak",
                                 "rest not finite",
                                 "v not finite",
                                 "v beyond 1 V",
                                 "a state not finite",
                                 "activation to come",
                                 "activation before 0",
                                 "a row of probes too few",
                                 "rows without end",
                                 "probes back in time",
                                 "a lead too few",
                                 "traces unequal",
                                 "traces of steps to come",
                                 "traces before 0",
                                 "verdicts cut",
                                 "verdict to come",
                                 "pulse without end",
                                 "layout too long",
                                 "maps to come",
                                 "branch to come",
                                 "long step of length 0",
                                 "resting too long",
                                 "an end of no number",
                                 "no time step"})
            QTest::addRow("%s", name) << static_cast<int>(rows_++);
    }
    void craftedContentIsRefused()
    {
        QFETCH(int, what);
        auto c = read_checkpoint(good_);
        auto& s = c.state;
        const std::function<void()> spoil[] = {
            [&] { s.step = -1'000'000; },
            [&] { s.step = 1LL << 62; },
            [&] { s.v.resize(s.v.size() + 1, -80); },
            [&] { s.states[0].assign(2'000'000, 0.5); },
            [&] { s.states[5].pop_back(); },
            [&] { s.states.pop_back(); },
            [&] { s.activation_ms.resize(100'000, not_known); },
            [&] { s.peak_mV.clear(); },
            [&] { s.rest_mV[3] = not_known; },
            [&] { s.v[7] = std::numeric_limits<double>::infinity(); },
            [&] { s.v[7] = 1e5; },
            [&] { s.states[2][1] = not_known; },
            [&] { s.activation_ms[0] = 1e300; },
            [&] { s.activation_ms[0] = -4; },
            [&] { c.probes.V_mV.pop_back(); },
            [&] { c.probes.time_ms.assign(100'000, 1); },
            [&] { std::swap(c.probes.time_ms.front(), c.probes.time_ms.back()); },
            [&] { c.tables.at("ecg.csv").rows.names.clear(); },
            [&] { c.traces.V_mV.emplace_back(); },
            [&] { c.traces.first_step = 40; },
            [&] { c.traces.first_step = -5; },
            [&] {
                c.pulses[0].verdicts = {0, 1};
            },
            [&] {
                c.pulses[0].verdicts = {1e9, 1, 0, 0};
            },
            [&] { c.pulses[0].watch.assign(8, 1e300); },
            [&] { c.layout.push_back(1); },
            [&] { c.maps_from_ms = 5; },
            [&] { c.branches.push_back(branch_at(not_known)); },
            [&] {
                s.quiescent.assign(s.v.size() + 2, 1);
                s.quiescent[1] = 0;
            },
            [&] { s.quiescent.assign(s.v.size() + 3, 1); },
            [&] {
                s.quiescent.assign(2 * s.v.size() + 2, 1);
                s.quiescent[1] = 2;
                s.quiescent.back() = not_known;
            },
            [&] { c.fingerprint.replace(c.fingerprint.find("dt "), 7, "dt nan "); },
        };
        QCOMPARE(std::size(spoil), rows_);
        spoil[what]();
        const auto file = path("crafted.tcp");
        write_checkpoint(c, file);
        for (const bool branch : {false, true}) {
            const auto e = resume(file, branch);
            QVERIFY2(e.find("crafted.tcp") != std::string::npos, e.c_str());
        }
        put(file, version_1(bytes_of_version(1, c)));
        if (c.branches.empty() && std::string(QTest::currentDataTag()) != "no time step") {
            const auto e = resume(file);
            QVERIFY2(e.find("crafted.tcp") != std::string::npos, e.c_str());
        }
    }

    /// Small files that unpack to hundreds of megabytes take no memory.
    void bombsAreRefusedEarly()
    {
        const auto c = read_checkpoint(good_);
        const auto file = path("bomb.tcp");
        auto bytes = bytes_of_version(1, c);
        const auto names = bytes.find("near") - 16; // where the number of probes' names stands
        const std::uint64_t count = 20'000'000;
        std::string texts(reinterpret_cast<const char*>(&count), sizeof count);
        texts.append(count * 8, '\0');
        put(file, version_1(bytes.substr(0, names) + texts));
        rusage before{}, after{};
        getrusage(RUSAGE_SELF, &before);
        const auto e = resume(file);
        QVERIFY2(e.find("bomb.tcp: the checkpoint holds 20000000 values where there are") !=
                     std::string::npos,
                 e.c_str());
        auto big = c;
        big.state.v.assign(40'000'000, -80);
        {
            std::ofstream out(file, std::ios::binary);
            CheckpointWriter packed(out);
            packed.put(big.fingerprint);
            packed.put(big.layout);
            packed.put(std::uint64_t{50});
            packed.put(big.state.v);
            packed.finish();
        }
        big = {};
        getrusage(RUSAGE_SELF, &before);
        QVERIFY(fs::file_size(file) < 2'000'000);
        QVERIFY(!resume(file).empty());
        getrusage(RUSAGE_SELF, &after);
        QVERIFY2(after.ru_maxrss - before.ru_maxrss < 50'000,
                 qPrintable(QString::number(after.ru_maxrss - before.ru_maxrss) + " kB more"));
    }

    /// A table of more columns than the run's, or of a name that it has not, takes no memory,
    /// however much it unpacks to; what follows it is read as ever.
    void whatNoRunTakesIsPassedOver()
    {
        auto c = read_checkpoint(good_);
        const auto of_run = c.probes.names.size();
        const auto read = [&](std::size_t probes, std::size_t ecg, std::size_t parts) {
            return read_checkpoint(path("wide.tcp"), [&](const Checkpoint&) {
                CheckpointBounds b;
                b.probes = probes, b.parts = parts, b.tables.emplace()["ecg.csv"] = ecg;
                return b;
            });
        };
        c.tables["means.csv"] = {{{"a", "b"}, {0.1, 0.2}, {-80, -81, -82, -83}}, "of these"};
        c.state.parts = {{1, 2, 3}};
        write_checkpoint(c, path("wide.tcp"));
        const auto all = read(of_run, c.tables.at("ecg.csv").rows.names.size(), 3);
        QVERIFY(all.probes.V_mV == c.probes.V_mV && all.traces.V_mV == c.traces.V_mV);
        QVERIFY(all.tables.at("ecg.csv").rows.V_mV == c.tables.at("ecg.csv").rows.V_mV);
        QCOMPARE(all.tables.size(), std::size_t(1));
        QVERIFY(all.state.parts == c.state.parts);
        const auto few = read(of_run - 1, 0, 0);
        QVERIFY(few.probes.names == c.probes.names && few.probes.V_mV.empty());
        QVERIFY(few.traces.V_mV.empty() && few.tables.at("ecg.csv").rows.V_mV.empty());
        QVERIFY(few.state.parts.size() == 1 && few.state.parts[0].empty());
        QVERIFY(few.state.v == c.state.v && few.pulses.size() == c.pulses.size());
        QCOMPARE(few.provenance, c.provenance);
        QCOMPARE(provenance_of_checkpoint(path("wide.tcp")), c.provenance);
        QVERIFY_THROWS_EXCEPTION(InputError, read(of_run, 0, 2));

        c.state.parts.clear();
        c.probes.names.resize(100 * of_run, "other");
        c.probes.V_mV.resize(c.probes.time_ms.size() * c.probes.names.size(), -80);
        c.traces.V_mV.assign(100 * of_run, std::vector(c.traces.V_mV.front()));
        write_checkpoint(c, path("wide.tcp"));
        QCOMPARE(resume(path("wide.tcp")), std::string());
        QVERIFY(was_said("the checkpoint has other probes"));
        put(path("wide.tcp"), version_1(bytes_of_version(1, c)));
        QVERIFY(read(of_run, 0, 0).probes.V_mV.empty());
        QCOMPARE(resume(path("wide.tcp")), std::string());
        c.probes.V_mV.pop_back(); // a row that is not whole
        write_checkpoint(c, path("wide.tcp"));
        QVERIFY(resume(path("wide.tcp")).find("its probes are no table of") != std::string::npos);
    }

    /// Any bytes whatever in place of some: refused, or a run that ends.
    void manyMutationsNeverBreak()
    {
        const auto bytes = bytes_of_version(1, read_checkpoint(good_));
        std::mt19937 random(7); // NOLINT: the same each time
        const std::uint64_t odd[] = {0, 1, 2, 49, 1'000, 1ULL << 32, 1ULL << 63, ~0ULL};
        int refused = 0, runs = 0;
        constexpr int tries = 2000, most_runs = 15;
        for (int k = 0; k < tries; ++k) {
            auto other = bytes;
            for (auto n = random() % 3 + 1; n > 0; --n) {
                // lengths lie eight bytes apart, behind the fingerprint
                const auto at = bytes.find("double") + 6 + random() % (other.size() / 8 - 40) * 8;
                if (random() % 2 == 0)
                    std::memcpy(other.data() + at, &odd[random() % std::size(odd)], 8);
                else
                    other[random() % other.size()] = static_cast<char>(random());
            }
            if (random() % 8 == 0)
                other.resize(random() % other.size());
            const auto file = path("mutated.tcp");
            put(file, version_1(other));
            try {
                read_checkpoint(file);
                if (++runs <= most_runs) // each measures the machine's ceilings at its end
                    resume(file);
            } catch (const InputError&) {
                ++refused;
            } catch (const NumericsError&) { // a state that no cell has
            }
        }
        qInfo("%d of %d refused", refused, tries);
        QVERIFY(refused > tries / 10 && runs > most_runs);
    }

    void notAFileIsRefused()
    {
        for (const fs::path& f : {path("whole"), fs::path("/dev/zero"), path("none.tcp")})
            QVERIFY_THROWS_EXCEPTION(InputError, read_checkpoint(f));
    }

  private:
    std::size_t rows_ = 0;
};
QTEST_GUILESS_MAIN(TestCheckpoint)
#include "test_checkpoint.moc"
