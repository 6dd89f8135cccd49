// SPDX-License-Identifier: GPL-3.0-or-later
// What others have laid into the folder of a run: nothing outside it is written, read or removed.
#include "engine/core/error.hpp"
#include "engine/simulation/results/files_there.hpp"
#include "engine/simulation/results/outputs.hpp"
#include "engine/simulation/results/run_sources.hpp"
#include "engine/simulation/run/run.hpp"
#include "engine/simulation/session/output_keys.hpp"
#include "tests/several.hpp"
#include "tests/slowdown.hpp"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest>
#include <fstream>
#include <sys/stat.h>

using namespace tawara;
using namespace tawara::simulation;
namespace fs = std::filesystem;

namespace {

Session slab_session(double end_ms)
{
    Session s;
    s.name = "slab";
    s.mesh = MeshSlab{{2, 1, 1}, 0.5};
    s.regions[0].variant = "epi";
    s.end_ms = end_ms;
    Stimulus st;
    st.name = "S1";
    st.region = Box{{0, 0, 0}, {0.5, 1, 1}};
    s.stimuli.push_back(st);
    s.probes.push_back({"near", {0.5, 0.5, 0.5}});
    return s;
}

std::string content(const fs::path& f)
{
    std::ifstream in(f, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void put(const fs::path& f, const std::string& text)
{
    fs::create_directories(f.parent_path());
    std::ofstream(f, std::ios::binary) << text;
}

const std::string precious = "years of work\n";

/// A report that lists files.
std::string report_of(const std::string& files)
{
    return "{\"program\": \"tawara\", \"files\": " + files + "}";
}

} // namespace

class TestOutputFolder : public QObject
{
    Q_OBJECT
    struct Place
    {
        QTemporaryDir dir;
        fs::path root = dir.path().toStdString(), out = root / "out", victim = root / "thesis.txt";
        std::vector<std::string> said;
        Place() { put(victim, precious); }
        void run(const Session& s, const std::function<void(double)>& at = {})
        {
            RunOptions o;
            o.out = out;
            o.device.devices = "cpu";
            o.notice = [this](const Notice& n) { said.push_back(n.text); };
            Progress p;
            p.report = [&](double f, std::string_view stage) {
                if (at && stage == "running")
                    at(f);
            };
            run_session(s, o, p);
        }
        bool was_said(const std::string& part) const
        {
            return std::any_of(said.begin(), said.end(),
                               [&](const auto& s) { return s.find(part) != std::string::npos; });
        }
    };

  private Q_SLOTS:
    /// A link under the name of an output is replaced; what it led to stays.
    void linksAreReplacedNotFollowed()
    {
        Place p;
        fs::create_directories(p.out);
        auto s = slab_session(1);
        s.output->checkpoint_every_ms = 0.5;
        for (const char* name : {"probes.csv", "activation.csv", "activation.vtu", "report.json",
                                 "beats.csv", "checkpoint-00000000.500ms.tcp"})
            fs::create_symlink(p.victim, p.out / name);
        p.run(s);
        QCOMPARE(content(p.victim), precious);
        for (const char* name : {"probes.csv", "activation.csv", "activation.vtu", "report.json",
                                 "beats.csv", "checkpoint-00000000.500ms.tcp"})
            QVERIFY2(fs::is_regular_file(fs::symlink_status(p.out / name)), name);
        QVERIFY(p.was_said("will be replaced, although no report.json lists them: probes.csv"));
    }

    void framesGoThroughNoLink()
    {
        Place p;
        fs::create_directories(p.root / "elsewhere");
        fs::create_directories(p.out);
        fs::create_directory_symlink(p.root / "elsewhere", p.out / "frames");
        auto s = slab_session(1);
        s.output->frames_every_ms = 0.5;
        try {
            p.run(s);
            QFAIL("frames were written through the link");
        } catch (const InputError& e) {
            QVERIFY2(e.file == (p.out / "frames").string() &&
                         e.reason.find("is a symbolic link; results are written into no folder but "
                                       "the one named") == 0,
                     e.what());
        }
        QVERIFY(fs::is_empty(p.root / "elsewhere"));
        QVERIFY(!fs::exists(p.out / "probes.csv")); // it was told before anything was written
    }

    /// A report can name what it likes: only plain files within the folder are removed.
    void reportsRemoveNothingOutside()
    {
        Place p;
        fs::create_directories(p.out);
        put(p.root / "thesis" / "chapter.tex", precious);
        fs::create_directory_symlink(p.root / "thesis", p.out / "sub");
        fs::create_symlink(p.victim, p.out / "link.csv");
        put(p.out / "real" / "own.dat", "of the earlier run");
        put(p.out / "report.json",
            report_of("[\"sub/chapter.tex\", \"link.csv\", \"../thesis.txt\", \"" +
                      p.victim.string() +
                      "\", \"real/own.dat\", \"real\", [\"x\"], 7, {\"a\": 1}]"));
        put(p.out / "frames.pvd", "<DataSet timestep=\"0\" file=\"../thesis.txt\"/>\n"
                                  "<DataSet timestep=\"0\" file=\"frames/000000001.vtu\"/>\n");
        fs::create_directory_symlink(p.root / "thesis", p.out / "frames");
        put(p.root / "thesis" / "000000001.vtu", precious);
        p.run(slab_session(0.2));
        QCOMPARE(content(p.victim), precious);
        QCOMPARE(content(p.root / "thesis" / "chapter.tex"), precious);
        QCOMPARE(content(p.root / "thesis" / "000000001.vtu"), precious);
        QVERIFY(fs::is_symlink(p.out / "link.csv"));
        QVERIFY(!fs::exists(p.out / "real" / "own.dat"));
    }

    /// Lists of any shape end soon and break nothing.
    void oddReportsAreNoReports_data()
    {
        QTest::addColumn<QString>("what");
        for (const char* what : {"deep", "deep in files", "cut", "pipe", "device", "empty"})
            QTest::addRow("%s", what) << what;
    }
    void oddReportsAreNoReports()
    {
        QFETCH(QString, what);
        Place p;
        fs::create_directories(p.out);
        const std::string deep(200'000, '[');
        const auto report = p.out / "report.json", list = p.out / "frames.pvd";
        if (what == "deep")
            put(report, deep);
        else if (what == "deep in files")
            put(report, report_of(deep + std::string(deep.size(), ']')));
        else if (what == "cut")
            put(report, report_of("[\"a"));
        else if (what == "device")
            fs::create_symlink("/dev/zero", report);
        else if (what == "empty")
            put(report, "");
        if (what == "pipe")
            for (const auto& f : {report, list})
                QCOMPARE(::mkfifo(f.c_str(), 0600), 0);
        QElapsedTimer clock;
        clock.start();
        QVERIFY(remove_earlier_outputs(p.out, 0, FrameFormat::none).empty());
        QVERIFY(what_folder_holds(p.out, {}, RunBegins::anew).empty());
        QVERIFY2(clock.elapsed() < 10000, qPrintable(QString::number(clock.elapsed())));
    }

    /// Each file of one list was looked for in all of the other.
    void longListsEndSoon()
    {
        constexpr int count = 50'000;
        Place p;
        put(p.out / "frames" / "of_others.vtu", "a frame");
        std::string files = "[\"frames/of_others.vtu\"", frames;
        for (int k = 0; k < count; ++k) {
            files += ", \"frames/of_others.vtu\"";
            frames += "<DataSet timestep=\"0\" file=\"" + frame_name(k) + "\"/>\n";
        }
        put(p.out / "report.json", report_of(files + "]"));
        put(p.out / "frames.pvd", frames);
        const test::ProcessorClock clock;
        QCOMPARE(remove_earlier_outputs(p.out, 1, FrameFormat::vtu).size(), std::size_t(count));
        QVERIFY2(clock.elapsed() < 3000 * tawara::test::slowdown,
                 qPrintable(QString::number(clock.elapsed())));
        QVERIFY(!fs::exists(p.out / "frames" / "of_others.vtu"));
    }

    /// Names of files that are not there are not asked for one by one: a report has room for
    /// millions, each of which took all folders of the path.
    void namesOfNoFilesEndSoon()
    {
        Place p;
        const auto out = p.out / std::string(200, 'd') / "run";
        put(out / "mine.csv", "mine");
        put(out / "sub" / "there.csv", "there");
        fs::create_directory_symlink("sub", out / "link");
        std::string files = "[\"./mine.csv\", \"sub//there.csv\", \"link/there.csv\", \"sub/\"";
        for (int k = 0; k < 1'000'000; ++k)
            files += ",\"" + std::to_string(k) + (k % 2 == 0 ? "\"" : "/a/b/c\"");
        put(out / "report.json", report_of(files + "]"));
        const test::ProcessorClock clock;
        remove_earlier_outputs(out, 0, FrameFormat::vtu);
        QVERIFY2(clock.elapsed() < 3000 * tawara::test::slowdown,
                 qPrintable(QString::number(clock.elapsed())));
        QVERIFY(!fs::exists(out / "mine.csv") && !fs::exists(out / "sub" / "there.csv"));

        put(out / "sub" / "there.csv", "there");
        FilesThere there(out);
        for (const char* none : {"a/b/c", "a/b/d", "link/there.csv", "sub", "sub/", "sub/other"})
            QVERIFY2(!there.has(none), none);
        QVERIFY(there.has("./sub//there.csv"));
        QCOMPARE(there.listed(), std::size_t(3)); // link, too: it holds nothing
    }

    /// A frame that stays is the same file, however the report writes its name.
    void aFrameThatStaysHasOneName()
    {
        Place p;
        put(p.out / frame_name(50), "a frame");
        put(p.out / "report.json", report_of("[\"./" + frame_name(50) + "\"]"));
        put(p.out / "frames.pvd", "<DataSet timestep=\"1\" file=\"" + frame_name(50) + "\"/>\n");
        QCOMPARE(remove_earlier_outputs(p.out, 2, FrameFormat::vtu).size(), std::size_t(1));
        QVERIFY(fs::exists(p.out / frame_name(50)));
    }

    /// Frames of an earlier run, which its list names, and those to come; a checkpoint stays.
    void sourcesAreToldFromOutputs()
    {
        Place p;
        put(p.out / frame_name(50), "a frame");
        put(p.out / "mine.vtu", "a mesh");
        put(p.out / checkpoint_name(1), "a checkpoint");
        fs::create_symlink(p.out / frame_name(50), p.root / "link.vtu");
        const auto is_refused = [&](const fs::path& mesh, const ComingOutputs& coming) {
            Session s;
            s.folder = p.root;
            MeshFile file;
            file.file = mesh.string();
            s.mesh = file;
            RunOptions o;
            o.out = p.out;
            o.resume = p.out / checkpoint_name(1);
            try {
                need_sources_kept(s, o, coming);
                return false;
            } catch (const InputError&) {
                return true;
            }
        };
        ComingOutputs none, frames;
        frames.end_step = 100;
        frames.frame_every = 50;
        QVERIFY(!is_refused("out/" + frame_name(50), none));
        QVERIFY(is_refused("out/" + frame_name(50), frames));
        QVERIFY(is_refused("link.vtu", frames));
        QVERIFY(!is_refused("out/mine.vtu", frames));
        put(p.out / "frames.pvd", "<DataSet timestep=\"1\" file=\"" + frame_name(50) + "\"/>\n");
        QVERIFY(is_refused(p.out / frame_name(50), none));
        put(p.out / "report.json", report_of("[\"mine.vtu\"]"));
        QVERIFY(is_refused("out/mine.vtu", none));
    }

    /// What a run reads is told from what it writes before it is read, however long that takes.
    void sourcesAreToldBeforeTheyAreRead()
    {
        Place p;
        for (const char* name : {"activation.vtu", "frames/000000050.vtu"}) {
            put(p.out / name, "no mesh at all");
            auto s = slab_session(1);
            s.folder = p.root;
            s.output->frames_every_ms = 0.5;
            MeshFile mesh;
            mesh.file = std::string("out/") + name;
            s.mesh = mesh;
            try {
                p.run(s);
                QFAIL("it was run");
            } catch (const std::exception& e) {
                QVERIFY2(std::string(e.what()).find("which would replace or remove it") !=
                             std::string::npos,
                         e.what());
            }
            QCOMPARE(content(p.out / name), std::string("no mesh at all"));
        }
    }

    /// Where the folder's path leads elsewhere in the middle of a run, its files stay together.
    void theFolderIsOpenedOnce()
    {
        Place p;
        fs::create_directories(p.root / "elsewhere");
        bool moved = false;
        auto s = slab_session(4);
        s.output->frames_every_ms = 1;
        s.output->checkpoint_every_ms = 1;
        p.run(s, [&](double f) {
            if (f > 0.3 && !std::exchange(moved, true)) {
                fs::rename(p.out, p.root / "moved");
                fs::create_directory_symlink(p.root / "elsewhere", p.out);
            }
        });
        QVERIFY(moved);
        QVERIFY(fs::is_empty(p.root / "elsewhere"));
        for (const char* f : {"probes.csv", "activation.vtu", "report.json", "frames.pvd",
                              "frames/000000200.vtu", "checkpoint-00000004.000ms.tcp"})
            QVERIFY2(fs::exists(p.root / "moved" / f), f);
    }

    /// What a killed run was writing is gone after the next start.
    void partsOfKilledRunsAreSwept()
    {
        Place p;
        put(p.out / ".checkpoint-00000001.part-00ff00ff00ff00ff.000ms.tcp", "half");
        put(p.out / ".activation.part-00ff00ff00ff00ff.vtu", "half");
        put(p.out / "frames" / ".000000050.part-00ff00ff00ff00ff.vtu", "half");
        put(p.out / ".mine.part-of-the-thesis.tex", precious);
        auto s = slab_session(0.2);
        s.output->frames_every_ms = 0.1;
        p.run(s);
        QDir all(QString::fromStdString(p.out.string()));
        QCOMPARE(all.entryList(QDir::Files | QDir::Hidden).filter(".part-"),
                 QStringList(".mine.part-of-the-thesis.tex"));
        QVERIFY(p.was_said("removed 3 files in " + p.out.string()));
        QVERIFY(
            QDir(all.filePath("frames")).entryList({".*"}, QDir::Files | QDir::Hidden).isEmpty());
    }
};
int main(int argc, char** argv)
{
    return tawara::test::run<TestOutputFolder>(argc, argv);
}
#include "test_output_folder.moc"
