// SPDX-License-Identifier: GPL-3.0-or-later
// The commands of README, CONTRIBUTING and the pages under resources, tests and engine. Those of
// blocks are run as they stand there, or smaller; of those in sentences and in the list of figures
// all options are known. Programs and scripts that are named are there. A command that the program
// does not understand any more fails; so does one that nobody looked at.
#include "tests/simulation/command_line.hpp"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>
#include <map>

using namespace tawara;

namespace {

const QString source = QStringLiteral(TAWARA_SOURCE_DIR "/");

/// What is done with commands of blocks that begin so; the first that fits.
struct Form
{
    const char* begins;
    enum class How {
        as_it_stands,
        with,    ///< more words at its end, by which it takes a second or two at most
        options, ///< not run: its words and options are those that the command's help has
        missing  ///< its input is missing here, which it says: all its words are known
    } how;
    const char* words = ""; ///< to be added; the file that is missing
};
using How = Form::How;

constexpr Form forms[] = {
    {"tawara-cli run slab.json", How::with, "--until 0.1"},
    {"tawara-cli run resources/sessions/spontaneous_beat.json", How::with, "--until 0.5"},
    {"tawara-cli run --reproduce", How::as_it_stands},
    {"tawara-cli run - ", How::options},                         // test_cli reads standard input
    {"tawara-cli run SESSION.json --distributed", How::options}, // test_distributed runs it
    {"tawara-cli mesh heart meshes/default_heart.json", How::with,
     "meshes/default_heart.json made.vtu"}, // a small heart; my.vtu is a small slab
    {"tawara-cli mesh heart e.json", How::missing, "e.json"},
    {"tawara-cli mesh ", How::as_it_stands},
    {"tawara-cli session", How::with, "--force"},
    {"tawara-cli cell run ten_tusscher_2006", How::with, "--beats 1 --until 5"},
    {"tawara-cli cell run ohara_rudy_dyads_2011", How::with, "--until 0.1"},
    {"tawara-cli cable run", How::with, "--until 1"},
    {"tawara-cli bench step", How::with, "--size 200 --steps 5 --devices cpu"},
    {"tawara-cli bench cable", How::with, "--systems 16"},
    {"tawara-cli study run", How::with, "--part 1/1000 --devices cpu"},
    {"tawara-cli verify", How::with, "--list"}, // verify.short measures
};

struct Command
{
    QString page, text;
    int line;
    bool in_block;
};

/// The commands of a line of a shell that are looked at, without what is sent elsewhere.
QStringList pieces(const QString& line)
{
    static const QRegularExpression between("\\s*(;|&&|\\|)\\s*"), redirected("\\s+[12]?>.*$"),
        before("^((do|then|time|exec)\\s+|[A-Z_]\\w*=\\S+\\s+)+"),
        command("^((tawara-cli|mpirun|sbatch|srun|tar|cmake|ctest|cp|apptainer|podman) |"
                "(tests|app)/[\\w/.-]+\\.(sh|py)( |$))");
    QStringList out;
    for (auto piece : line.split(between)) {
        piece = piece.trimmed().remove(before).remove(redirected);
        if (command.match(piece).hasMatch())
            out << piece;
    }
    return out;
}

/// Those of blocks, of which lines that a backslash divides are joined, and of code in sentences.
QList<Command> commands_of(const QString& page)
{
    QList<Command> out;
    QFile f(source + page);
    if (!f.open(QIODevice::ReadOnly))
        return out;
    bool block = false;
    int number = 0;
    QString begun;
    static const QRegularExpression remark("\\s+#.*$"), code("`([^`]+)`");
    for (auto line : QString::fromUtf8(f.readAll()).split('\n')) {
        ++number;
        if (line.startsWith("```")) {
            block = !block;
            continue;
        }
        if (block) {
            line = begun + line.remove(remark);
            begun.clear();
            if (line.endsWith('\\'))
                begun = line.chopped(1);
            else
                for (const auto& text : pieces(line))
                    out.append({page, text, number, true});
            continue;
        }
        for (auto i = code.globalMatch(line); i.hasNext();)
            for (const auto& text : pieces(i.next().captured(1)))
                out.append({page, text, number, false});
    }
    return out;
}

QList<Command> all_commands()
{
    auto out = commands_of("README.md") + commands_of("CONTRIBUTING.md");
    for (const char* folder : {"resources", "tests", "engine"}) {
        QStringList pages;
        for (QDirIterator i(source + folder, {"*.md"}, QDir::Files, QDirIterator::Subdirectories);
             i.hasNext();)
            pages << QDir(source).relativeFilePath(i.next());
        pages.sort();
        for (const auto& page : pages)
            out += commands_of(page);
    }
    return out;
}

/// Gives options other values, and files other ones behind them; what is not there joins the end.
void put(QStringList& words, const QStringList& options)
{
    for (qsizetype k = 0; k < options.size(); ++k) {
        const bool alone = k + 1 == options.size() || options[k + 1].startsWith("--");
        const auto at = words.indexOf(options[k]);
        if (alone) {
            if (at < 0)
                words << options[k];
            continue;
        }
        if (at >= 0 && at + 1 < words.size())
            words[at + 1] = options[k + 1];
        else
            words << options[k] << options[k + 1];
        ++k;
    }
}

test::Result run(const QStringList& words)
{
    std::vector<std::string> args;
    for (const auto& w : words)
        args.push_back(w.toStdString());
    return test::run(args);
}

/// What is wrong with a command by the help of its subcommand; empty: nothing.
QString wrong_words(const QString& text)
{
    static std::map<QStringList, test::Result> known;
    QStringList lead;
    static const QRegularExpression word("^[a-z]+$"), option("(^|\\s)(--?[A-Za-z][\\w-]*)");
    for (const auto& w : text.split(' ', Qt::SkipEmptyParts).mid(1, 2)) {
        if (!word.match(w).hasMatch())
            break;
        lead << w;
    }
    if (known.count(lead) == 0)
        known.emplace(lead, run(lead + QStringList{"--help"}));
    const auto& help = known.at(lead);
    if (help.status != 0)
        return lead.join(' ') + ": " + QString::fromStdString(help.err);
    for (auto i = option.globalMatch(text); i.hasNext();) {
        const auto name = i.next().captured(2);
        const QRegularExpression there("(?<![\\w-])" + QRegularExpression::escape(name) +
                                       "(?![\\w-])");
        if (!there.match(QString::fromStdString(help.out)).hasMatch())
            return lead.join(' ') + " has no " + name;
    }
    return {};
}

} // namespace

class TestPages : public QObject
{
    Q_OBJECT
    QTemporaryDir dir_;

    static void write(const QString& file, const QByteArray& text)
    {
        QFile f(file);
        QVERIFY(f.open(QIODevice::WriteOnly) && f.write(text) == text.size());
    }

    /// A command of another program: it is installed, and what it names is there.
    static void other(const QString& page, const QStringList& words)
    {
        const auto& program = words.first();
        if (program.contains('/')) {
            QVERIFY2(QFileInfo(source + program).isExecutable(), qPrintable(program));
            return;
        }
        if (program == "cp") {
            QVERIFY(QFile::copy(words[1], words[2]));
            return;
        }
        if (program == "sbatch") {
            QVERIFY2(QFile::exists(QFileInfo(source + page).path() + "/" + words[1]),
                     qPrintable(words[1]));
            return; // clusters have the program
        }
        if (const auto at = words.indexOf("--preset"); program == "cmake" && at > 0) {
            QFile presets(source + "CMakePresets.json");
            QVERIFY(presets.open(QIODevice::ReadOnly));
            QVERIFY(presets.readAll().contains("\"name\": \"" + words[at + 1].toUtf8() + '"'));
        }
        if (QStandardPaths::findExecutable(program).isEmpty())
            QSKIP(qPrintable(program + " is not installed"));
    }

  private Q_SLOTS:
    /// What the pages' commands begin with: small.
    void initTestCase()
    {
        QVERIFY(QDir::setCurrent(dir_.path()));
        QVERIFY(QFile::link(source + "resources", "resources"));
        QVERIFY(QDir().mkdir("meshes"));
        write("meshes/default_heart.json",
              R"({"shape": "lv", "edge_mm": 5, "lv_short_axis_mm": 12, "lv_long_axis_mm": 16,
                  "lv_wall_mm": 6, "apex_wall_mm": 6, "base_plane_mm": -5})");
        write("neuron.swc", "1 1 0 0 0 8 -1\n2 3 8 0 0 1 1\n3 3 208 0 0 1 2\n");
        const auto made = run({"run", "resources/sessions/niederer_slab.json", "--out", "small",
                               "--until", "0.04", "--set", "mesh.spacing_mm=1"});
        QVERIFY2(made.status == 0, made.err.c_str());
        for (const char* mesh : {"my.vtu", "heart.vtu"}) {
            const auto r = run({"mesh", "convert", "small/activation.vtu", mesh});
            QVERIFY2(r.status == 0, r.err.c_str());
        }
    }

    void commands_data()
    {
        QTest::addColumn<QString>("page");
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("in_block");
        std::map<QString, int> of_line;
        for (const auto& c : all_commands()) {
            const auto line = c.page + ":" + QString::number(c.line);
            const auto number = ++of_line[line];
            QTest::newRow(
                qPrintable(number > 1 ? line + " (" + QString::number(number) + ")" : line))
                << c.page << c.text << c.in_block;
        }
        QVERIFY(all_commands().size() > 150);
    }

    void commands()
    {
        QFETCH(QString, page);
        QFETCH(QString, text);
        QFETCH(bool, in_block);
        if (text.startsWith("mpirun ") && text.contains(" tawara-cli ")) {
            other(page, {"mpirun"});
            text = text.mid(text.indexOf("tawara-cli "));
        }
        auto words = QProcess::splitCommand(text);
        if (words.first() != "tawara-cli")
            return other(page, words);
        const auto wrong = wrong_words(text);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        if (!in_block)
            return;
        words.removeFirst();
        const auto* form = std::find_if(std::begin(forms), std::end(forms),
                                        [&](const Form& f) { return text.startsWith(f.begins); });
        const auto how = form != std::end(forms) ? form->how : How::as_it_stands;
        if (how == How::options)
            return;
        if (how == How::with)
            put(words, QProcess::splitCommand(QString(form->words)));
        const auto r = run(words);
        const auto said = QString::fromStdString(r.err).trimmed();
        if (how == How::missing) // it names what is missing, and no word of the command
            QVERIFY2(r.status == 2 && said.contains(form->words) && !said.contains("--help"),
                     qPrintable(text + ": " + said));
        else
            QVERIFY2(r.status == 0, qPrintable(text + ": " + said));
    }
};

QTEST_GUILESS_MAIN(TestPages)
#include "test_pages.moc"
