// SPDX-License-Identifier: GPL-3.0-or-later
// Every file that the program writes says which program made it, and of which run it is.
#include "engine/cable/growth/network_vtu.hpp"
#include "engine/core/error.hpp"
#include "engine/core/provenance.hpp"
#include "engine/mesh/io/provenance_field.hpp"
#include "engine/simulation/results/checkpoint.hpp"
#include "engine/simulation/results/png_text.hpp"
#include "engine/simulation/results/provenance_read.hpp"
#include "engine/simulation/results/run_picture.hpp"
#include "tests/simulation/plane_wave.hpp"
#include "tests/simulation/slab_commands.hpp"

#include <QDirIterator>
#include <QtEndian>

using namespace tawara;
using namespace tawara::simulation;

namespace {

constexpr const char* commit = "0123abcd4567";

/// What a file carries by its own means; empty where it has none.
QByteArray carried(const QString& file)
{
    const auto path = file.toStdString();
    const auto bytes = tawara::test::content(file);
    const auto between = [&](const QByteArray& head, const QByteArray& end) {
        const auto at = bytes.indexOf(head);
        const auto from = at + head.size();
        return at < 0 ? QByteArray() : bytes.mid(from, bytes.indexOf(end, from) - from);
    };
    if (file.endsWith(".vtu"))
        if (const auto text = mesh::io::provenance_of_vtu(path); !text.empty())
            return QByteArray::fromStdString(text);
    if (file.endsWith(".pvd") || file.endsWith(".vtu"))
        return between("<!-- provenance: ", " -->").replace("\\u002d", "-");
    if (file.endsWith(".html"))
        return between("<meta name=\"provenance\" content=\"", "\">")
            .replace("&quot;", "\"")
            .replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&amp;", "&");
    if (file.endsWith(".tcp"))
        return QByteArray::fromStdString(read_checkpoint(path).provenance);
    if (file.endsWith(".png"))
        return between(QByteArray("iTXtprovenance\0\0\0\0\0", 19), "\x7d") +
               "}"; // no objects within
    return {};
}

QJsonObject object(const QByteArray& json)
{
    return QJsonDocument::fromJson(json).object();
}

/// Whether this is of the program; empty: yes, else what was found.
QByteArray not_of_program(const QByteArray& json)
{
    const auto o = object(json);
    return o["program"] == "tawara" && o["built_from"] == commit &&
                   o["version"] == QString::fromStdString(program_version())
               ? QByteArray()
               : "carries '" + json + "'";
}

} // namespace

class TestProvenance : public tawara::test::SlabCommands
{
    Q_OBJECT
    QJsonObject report_;

    int command(const std::vector<std::string>& args)
    {
        std::ostringstream out, err;
        const int status = cli::run(args, {out, err, {}, false});
        if (status != 0)
            qWarning("%s", err.str().c_str());
        return status;
    }
    /// Of the session "slab", on the mesh and device of report_.
    QByteArray not_of_run(const QByteArray& json) const
    {
        if (const auto bad = not_of_program(json); !bad.isEmpty())
            return bad;
        const auto o = object(json);
        const auto made = report_["reproduction"].toObject();
        const auto same = [&](const char* key, const QJsonValue& value) {
            return !value.isUndefined() && o[key] == value
                       ? QByteArray()
                       : QByteArray("has no such ") + key + ": " + json;
        };
        return same("mesh_sha256", made["mesh_sha256"]) +
               same("session_sha256", made["session_sha256"]) + same("session", made["session"]) +
               same("precision", report_["precision"]) +
               same("device", report_["devices"].toArray()[0]) +
               (o["options"].toObject()["devices"] == "cpu" ? "" : "has no options: " + json);
    }

  private Q_SLOTS:
    void initTestCase()
    {
        set_program_commit(commit);
        write_session("a.json", "output",
                      QJsonObject{{"checkpoint_every_ms", 2}, {"frames_every_ms", 2}});
        const auto r = run("a.json", "vtu",
                           {"--until", "4", "--threads", "1", "--report", path("vtu/page.html")});
        QVERIFY2(r.status == 0, qPrintable(r.shown()));
        report_ = object(tawara::test::content(path("vtu/report.json")));
    }

    /// Whatever a run leaves carries it, or is named in the report, which does.
    void filesOfARun()
    {
        QCOMPARE(not_of_program(tawara::test::content(path("vtu/report.json"))), QByteArray());
        const auto listed = report_["files"].toArray();
        int own = 0, tables = 0;
        for (QDirIterator it(path("vtu"), QDir::Files, QDirIterator::Subdirectories);
             it.hasNext();) {
            const QString file = it.next(), name = QDir(path("vtu")).relativeFilePath(file);
            if (name == "report.json" || name.startsWith("."))
                continue;
            if (name.endsWith(".csv")) { // the contract says what is in them
                QVERIFY2(listed.contains(name), qPrintable(name));
                const auto by_report =
                    QByteArray::fromStdString(find_provenance(file.toStdString()).text);
                QCOMPARE(not_of_program(by_report), QByteArray());
                QCOMPARE(object(by_report)["session"],
                         report_["reproduction"].toObject()["session"]);
                ++tables;
                continue;
            }
            const auto bad = not_of_run(carried(file));
            QVERIFY2(bad.isEmpty(), name.toUtf8() + " " + bad);
            if (!name.endsWith(".pvd")) // which says two hyphens in another way
                QCOMPARE(QByteArray::fromStdString(find_provenance(file.toStdString()).text),
                         carried(file));
            ++own;
        }
        QVERIFY(tables >= 3);
        QCOMPARE(own, 1 + 1 + 3 + 2 + 1); // page, map, frames, checkpoints, list of frames
    }

    void theCommandSaysIt()
    {
        std::ostringstream out, err;
        const auto say = [&](const char* file) {
            const std::vector<std::string> words{"provenance", path(file).toStdString()};
            return cli::run(words, {out, err, {}, false});
        };
        QCOMPARE(say("vtu/activation.vtu"), 0);
        const auto said = QJsonDocument::fromJson(QByteArray::fromStdString(out.str()));
        QCOMPARE(not_of_run(said.toJson(QJsonDocument::Compact)), QByteArray());
        QVERIFY(!said.isNull() && out.str().find("[0,0,0]") != std::string::npos);
        // what was changed since, and what was cut off
        QFile table(path("vtu/beats.csv"));
        QVERIFY(table.open(QIODevice::ReadWrite));
        const auto rows = table.readAll();
        QVERIFY(table.write("x") == 1);
        table.close();
        QCOMPARE(say("vtu/beats.csv"), 2);
        QVERIFY(err.str().find("beats.csv: has other bytes than the run of ") != std::string::npos);
        QVERIFY(table.open(QIODevice::WriteOnly) && table.write(rows) == rows.size());
        table.close();
        QFile cut(path("cut.vtu"));
        QVERIFY(cut.open(QIODevice::WriteOnly));
        cut.write(tawara::test::content(path("vtu/activation.vtu")).left(400));
        cut.close();
        QCOMPARE(say("cut.vtu"), 2);
        QVERIFY2(err.str().find("cut.vtu: nothing tells what made it (") != std::string::npos,
                 err.str().c_str());
        // from others: nested as nothing is, and a report of other types
        const auto put = [&](const char* name, const QByteArray& text) {
            QFile f(path(name));
            QVERIFY(f.open(QIODevice::WriteOnly) && f.write(text) == text.size());
        };
        put("deep.txt", "{\"program\":\"tawara\",\"x\":" + QByteArray(300'000, '[') +
                            QByteArray(300'000, ']') + "}");
        QCOMPARE(say("deep.txt"), 2);
        QVERIFY(QDir().mkpath(path("odd")));
        put("odd/a.csv", "t,V\n");
        put("odd/report.json", R"({"program":"tawara","files":["a.csv"],"reproduction":5})");
        QCOMPARE(say("odd/a.csv"), 2);
        QVERIFY2(
            err.str().find("odd/a.csv: what is said of it, here or in a report.json, is not as") !=
                std::string::npos,
            err.str().c_str());
        QFile other(path("other.csv"));
        QVERIFY(other.open(QIODevice::WriteOnly) && other.write("t,V\n") > 0);
        other.close();
        QCOMPARE(say("other.csv"), 2);
        QVERIFY2(err.str().find("other.csv: says nothing of what made it, and neither does") !=
                     std::string::npos,
                 err.str().c_str());
    }

    /// A field `provenance` holds whatever its author liked: what is no object of this program is
    /// told and not passed on. Nested deep, it ended an export by a signal.
    void provenanceOfOthers()
    {
        const auto mesh = mesh::slab({1, 1, 1}, 1);
        const std::vector<mesh::io::Extra> maps{{"activation_ms", mesh::Field::On::vertices,
                                                 std::vector<float>(mesh.vertex_count(), 1)}};
        QVERIFY(QDir().mkpath(path("others")));
        const auto file = path("others/activation.vtu").toStdString();
        const std::string deep = "{\"program\":\"tawara\",\"a\":" + std::string(200'000, '[') +
                                 std::string(200'000, ']') + "}";
        for (const auto& text : {std::string("5"), std::string("[1]"), std::string("{\"a\":1}"),
                                 std::string("{\"program\":\"tawara\""), deep}) {
            mesh::io::write_vtu(mesh, maps, file, text);
            QVERIFY(!is_provenance(text));
            try {
                find_provenance(file);
                QFAIL(text.substr(0, 30).c_str());
            } catch (const InputError& e) {
                const QString why = e.what();
                QVERIFY2(why.contains("nothing tells what made it (what it carries is no prov"),
                         qPrintable(why));
            }
            QCOMPARE(command({"export", path("others").toStdString(), "--to", "activation-dat",
                              "--out", path("others.dat").toStdString()}),
                     0);
            QCOMPARE(not_of_program(tawara::test::content(path("others.dat.provenance.json"))),
                     QByteArray());
        }
        const std::string good = "{\"program\":\"tawara\",\"x\":1}";
        mesh::io::write_vtu(mesh, maps, file, good);
        QCOMPARE(find_provenance(file).text, good);
        // what lies beside a file is damaged: the file says it itself, and that nothing tells more
        const auto movie = path("others/m.mp4").toStdString();
        std::ofstream(movie) << "movie" << good << "of others";
        std::ofstream(movie + ".provenance.json") << "{\"program\":\"tawara\",\"file_sha256\":1]}";
        const auto found = find_provenance(movie);
        QCOMPARE(found.text, good);
        QCOMPARE(found.why_not_known, std::string("what m.mp4.provenance.json says is no "
                                                  "provenance of this program"));
    }

    /// A byte of a map, a value of a frame; and a report that cannot be read.
    void whatWasChangedSince()
    {
        const auto found = [&](const QString& file) {
            return find_provenance(path(file).toStdString());
        };
        const auto put = [&](const QString& name, const QByteArray& bytes) {
            QFile f(path(name));
            QVERIFY(f.open(QIODevice::WriteOnly) && f.write(bytes) == bytes.size());
        };
        const auto refused = [&](const QString& file) {
            try {
                found(file);
            } catch (const InputError& e) {
                return QString::fromStdString(e.what());
            }
            return QString("is taken");
        };
        const QString frame = "vtu/frames/000000100.vtu";
        for (const QString& file :
             {QString("vtu/activation.csv"), QString("vtu/activation.vtu"), frame}) {
            QVERIFY2(found(file).unchanged_by.filename() == "report.json", qPrintable(file));
            const auto bytes = tawara::test::content(path(file));
            if (file == frame) // another one's values
                put(file, tawara::test::content(path("vtu/frames/000000200.vtu")));
            else
                put(file, bytes + "\n");
            const auto said = refused(file);
            QVERIFY2(said.contains("wrote: it was changed since"), qPrintable(file + ": " + said));
            put(file, bytes);
            QVERIFY(!found(file).unchanged_by.empty());
        }
        QVERIFY(found(frame).values_alone && !found("vtu/activation.vtu").values_alone);
        const auto options = object(QByteArray::fromStdString(found("vtu/activation.vtu").text));
        QCOMPARE(options["options"].toObject()["until_ms"].toDouble(), 4.0);
        const auto report = tawara::test::content(path("vtu/report.json"));
        put("vtu/report.json", report.left(200));
        QVERIFY(found("vtu/activation.vtu").unchanged_by.empty()); // it says itself what made it
        QVERIFY(found("vtu/activation.vtu").why_not_known.find("report.json") != std::string::npos);
        const auto said = refused("vtu/activation.csv");
        QVERIFY2(said.contains("activation.csv: nothing tells what made it (") &&
                     said.contains("report.json"),
                 qPrintable(said));
        put("vtu/report.json", report);
    }

    void framesOfCarp()
    {
        write_session("i.json", "output", QJsonObject{{"frames_every_ms", 1}, {"frames", "igb"}});
        QCOMPARE(run("i.json", "igb", {"--until", "1"}).status, 0);
        const QByteArray author =
            "aut:Tawara_" + QByteArray::fromStdString(program_version()) + "_" + commit + "\r\n";
        QVERIFY(tawara::test::content(path("igb/frames.igb")).left(1024).contains(author));
        const auto listed =
            object(tawara::test::content(path("igb/report.json")))["files"].toArray();
        for (const char* name : {"frames.igb", "frames.pts", "frames.elem"})
            QVERIFY(listed.contains(name));
        // a copy elsewhere says it file by file, the mesh's too; no older fibres stay beside it
        QVERIFY(QDir(dir_.path()).mkpath("copied"));
        QVERIFY(QFile::remove(path("igb/frames.lon")));
        QVERIFY(QFile::copy(path("igb/frames.elem"), path("copied/c.lon")));
        QCOMPARE(command({"export", path("igb").toStdString(), "--to", "frames-igb", "--out",
                          path("copied/c.igb").toStdString()}),
                 0);
        QVERIFY(!QFile::exists(path("copied/c.lon")));
        for (const char* kind : {"igb", "pts", "elem"}) {
            const auto file = path(QString("copied/c.") + kind);
            const auto found = find_provenance(file.toStdString());
            QCOMPARE(not_of_program(QByteArray::fromStdString(found.text)), QByteArray());
            QCOMPARE(QString::fromStdString(found.unchanged_by.string()),
                     file + ".provenance.json");
        }
    }

    /// Exports of a run into another folder take along what they are of.
    void exportsOfARun_data()
    {
        QTest::addColumn<QString>("kind");
        for (const char* kind : {"activation-dat", "repolarisation-dat", "apd90-dat", "frames-igb"})
            QTest::newRow(kind) << kind;
    }
    void exportsOfARun()
    {
        QFETCH(QString, kind);
        const QString to = path("else/" + kind);
        QCOMPARE(command({"export", path("vtu").toStdString(), "--to", kind.toStdString(), "--out",
                          to.toStdString() + (kind == "frames-igb" ? ".igb" : ".dat")}),
                 0);
        const auto beside = to + (kind == "frames-igb" ? ".igb" : ".dat") + ".provenance.json";
        QCOMPARE(not_of_run(tawara::test::content(beside)), QByteArray());
        for (const char* mesh : {".pts", ".elem", ".lon"})
            if (const auto file = to + mesh; kind == "frames-igb") {
                QCOMPARE(not_of_run(tawara::test::content(file + ".provenance.json")),
                         QByteArray());
                QCOMPARE(command({"provenance", file.toStdString()}), 0);
                QVERIFY(QFile(file).resize(QFile(file).size() - 1)); // it was changed since
                QCOMPARE(command({"provenance", file.toStdString()}), 2);
            }
    }

    /// Of commands without a run: program and commit.
    void filesOfCommands_data()
    {
        QTest::addColumn<QStringList>("command");
        QTest::addColumn<QString>("file");
        const QStringList convert{"mesh", "convert", "vtu/activation.vtu"};
        for (const char* name : {"m.vtk", "m.msh", "m.msh2", "m.node"})
            QTest::newRow(name) << convert + QStringList{name} << name;
        QTest::newRow("m.vtu") << convert + QStringList{"m.vtu"} << "m.vtu";
        for (const char* name : {"pts", "elem", "lon"})
            QTest::newRow(name) << convert + QStringList{"m.pts"}
                                << QString("m.%1.provenance.json").arg(name);
        QTest::newRow("binary") << convert + QStringList{"m.belem"} << "m.blon.provenance.json";
        QTest::newRow("parts") << QStringList{"mesh", "partition", "vtu/activation.vtu", "-n", "2",
                                              "-o",   "p.parts"}
                               << "p.parts";
        QTest::newRow("cell") << QStringList{"cell",    "run", "mitchell_schaeffer_2003",
                                             "--until", "1",   "--out",
                                             "cell.csv"}
                              << "cell.csv.provenance.json";
        QTest::newRow("cable")
            << QStringList{"cable",   "run", "n.swc", "--model", "mitchell_schaeffer_2003",
                           "--until", "0.1", "--out", "cable"}
            << "cable/report.json";
    }
    void filesOfCommands()
    {
        QFETCH(QStringList, command);
        QFETCH(QString, file);
        QFile swc(path("n.swc"));
        QVERIFY(swc.open(QIODevice::WriteOnly));
        swc.write("1 1 0 0 0 8 -1\n2 3 200 0 0 1 1\n");
        swc.close();
        std::vector<std::string> args;
        for (const auto& word : command)
            args.push_back((word.contains('.') && word != "0.1" ? path(word)
                            : word == "cable" && !args.empty()  ? path(word)
                                                                : word)
                               .toStdString());
        QCOMPARE(this->command(args), 0);
        const auto bytes = tawara::test::content(path(file));
        if (const auto own = carried(path(file)); !own.isEmpty())
            QCOMPARE(not_of_program(own), QByteArray());
        else if (file.endsWith(".json"))
            QCOMPARE(not_of_program(bytes), QByteArray());
        else if (file.endsWith(".parts"))
            QCOMPARE(not_of_program(QJsonDocument(object(bytes)["provenance"].toObject()).toJson()),
                     QByteArray());
        else
            QVERIFY(bytes.contains(QByteArray::fromStdString(program_text())));
    }

    /// What the window exports, by the same function.
    void exportsOfTheWindow_data()
    {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<QString>("file");
        for (const auto& c : export_choices())
            if (c.kind != ExportKind::ecg_csv && c.kind != ExportKind::frames_pvd &&
                c.kind != ExportKind::frames_igb && c.kind != ExportKind::restitution_csv)
                QTest::newRow(std::string(c.name).c_str())
                    << QString::fromStdString(std::string(c.name))
                    << QString::fromStdString(std::string(c.name) + std::string(c.extension));
    }
    void exportsOfTheWindow()
    {
        QFETCH(QString, kind);
        QFETCH(QString, file);
        static const auto source = simulation::test::slab(diffusion::Scheme::p1);
        const auto written =
            export_results(source, *export_kind(kind.toStdString()), path(file).toStdString());
        auto own = carried(path(file));
        if (own.isEmpty()) {
            QCOMPARE(written.size(), std::size_t{2});
            own = tawara::test::content(QString::fromStdString(written.back().string()));
        }
        QCOMPARE(not_of_program(own), QByteArray());
        const auto o = object(own);
        QCOMPARE(o["session"].toObject()["name"].toString(), QString("plane <wave>"));
        QCOMPARE(o["device"].toString(), QString("CPU"));
        QCOMPARE(o["precision"].toString(), QString("double"));
        QCOMPARE(o["mesh_sha256"].toString().size(), 64);
    }

    void picture()
    {
        Session s;
        s.mesh = MeshSlab{{2, 1, 1}, 0.5};
        const Tissue t = build_tissue(s);
        const std::vector<double> v(t.problem.size(), -85);
        write_run_picture(t, pictured_potential(v), Provenance(), path("p.png").toStdString());
        QCOMPARE(not_of_program(carried(path("p.png"))), QByteArray());
    }

    /// As Qt writes a long text of a picture: packed.
    void packedTextOfAPicture()
    {
        const QByteArray text = "{\"program\":\"tawara\",\"session\":{}}";
        const auto chunk = [](const char* kind, const QByteArray& data) {
            QByteArray length(4, '\0');
            qToBigEndian(static_cast<quint32>(data.size()), length.data());
            return length + kind + data + QByteArray(4, '\0'); // a checksum that nobody looks at
        };
        const auto write = [&](const QByteArray& chunks) {
            QFile file(path("q.png"));
            file.open(QIODevice::WriteOnly);
            file.write(QByteArray("\x89PNG\r\n\x1a\n", 8) + chunk("IHDR", QByteArray(13, '\0')) +
                       chunks + chunk("IEND", {}));
            return path("q.png").toStdString();
        };
        const auto packed = qCompress(text).mid(4), name = QByteArray("provenance");
        const auto found = [&](const char* kind, const QByteArray& data) {
            return QByteArray::fromStdString(
                png_text(write(chunk(kind, name + '\0' + data)), "provenance", 1U << 20));
        };
        QCOMPARE(found("tEXt", text), text);
        QCOMPARE(found("zTXt", '\0' + packed), text);
        QCOMPARE(found("iTXt", QByteArray("\0\0\0\0", 4) + text), text);
        QCOMPARE(found("iTXt", QByteArray("\1\0en\0\0", 6) + packed), text);
        const auto herz =
            qCompress("{\"name\":\"Sch\xf6ns Herz\"}").mid(4); // Latin-1, as Qt packs it
        QCOMPARE(found("zTXt", '\0' + herz), QByteArray("{\"name\":\"Sch\xc3\xb6ns Herz\"}"));
        QCOMPARE(found("eXIf", text), QByteArray());
        QVERIFY_THROWS_EXCEPTION(InputError, found("zTXt", '\0' + packed.chopped(3)));
        const auto large = '\0' + qCompress(QByteArray(3 << 20, 'a')).mid(4); // a few kB
        QVERIFY_THROWS_EXCEPTION(InputError, found("zTXt", large));
    }

    void network()
    {
        cable::Morphology m;
        m.parent = {-1, 0};
        m.point_mm = {{0, 0, 0}, {1, 0, 0}};
        m.radius_um = {10, 10};
        m.kind = {0, 0};
        cable::write_network_vtu(m, {}, path("network.vtu").toStdString());
        QCOMPARE(not_of_program(carried(path("network.vtu"))), QByteArray());
    }

    /// A comment of XML holds no two hyphens, whatever a session is called.
    void hyphens()
    {
        const auto text = QByteArray::fromStdString(xml_comment(R"({"a":"--- -->"})"));
        QCOMPARE(text.count("--"), 2); // its begin and its end
        const auto from = text.indexOf('{');
        QCOMPARE(object(text.mid(from, text.lastIndexOf('}') + 1 - from))["a"].toString(),
                 QString("--- -->"));
    }
};

QTEST_GUILESS_MAIN(TestProvenance)
#include "test_provenance.moc"
