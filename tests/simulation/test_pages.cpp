// SPDX-License-Identifier: GPL-3.0-or-later
// The commands of README and of the pages under resources, each as it stands there, or smaller. A
// command that the program does not understand any more fails; so does one that nobody looked at.
#include "tests/simulation/command_line.hpp"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>

using namespace tawara;

namespace {

/// What is done with commands that begin so; the first that fits.
struct Form
{
    const char* begins;
    enum class How {
        as_it_stands,
        with,  ///< more words at its end, by which it takes a second at most
        known, ///< its input is missing here, which it says: all its words are known
        left   ///< left out
    } how;
    const char* words = ""; ///< to be added; the file that is missing; why it is left out
};
using How = Form::How;

constexpr Form forms[] = {
    {"app/run.sh", How::left, "installs and builds"},
    {"tests/run.sh", How::left, "installs, builds and runs these tests"},
    {"cmake ", How::left, "builds"},
    {"ctest ", How::left, "runs tests"},
    {"tar ", How::left, "needs a bundle"},
    {"tawara/run.sh", How::left, "needs a bundle"},
    {"mpirun ", How::left, "needs MPI; simulation.test_distributed"},
    {"sbatch ", How::left, "needs a cluster"},
    {"cat slab.json", How::left, "is a shell's pipe; simulation.test_cli reads standard input"},
    {"cp resources/sessions/niederer_slab.json slab.json", How::as_it_stands},
    {"tawara-cli run slab.json", How::with, "--until 0.1"},
    {"tawara-cli run resources/sessions/spontaneous_beat.json", How::known, "spontaneous_beat"},
    {"tawara-cli run --reproduce", How::as_it_stands},
    {"tawara-cli mesh heart", How::known, "default_heart.json"},
    {"tawara-cli mesh ", How::known, ".vtu"},
    {"tawara-cli session", How::known, "my.vtu"},
    {"tawara-cli cell run ten_tusscher_2006", How::with, "--beats 1 --until 5"},
    {"tawara-cli cell run ohara_rudy_dyads_2011", How::with, "--until 0.1"},
    {"tawara-cli cell info grandi_bers_2010", How::with, ""},
    {"tawara-cli cable ", How::known, "neuron.swc"},
    {"tawara-cli export", How::as_it_stands}, // the folder of a command before
    {"tawara-cli bench step", How::with, "--size 200 --steps 5 --devices cpu"},
    {"tawara-cli bench cable", How::with, "--systems 16"},
    {"tawara-cli bench newton", How::known, "my.vtu"},
    {"tawara-cli purkinje grow embedded", How::as_it_stands},
    {"tawara-cli purkinje info", How::known, "my.vtu"},
    {"tawara-cli study", How::known, "velocity"},
    {"tawara-cli verify", How::left, "takes minutes; verify.short runs it"},
};

struct Command
{
    QString page, text;
    int line;
};

/// Lines of the blocks of code that are commands; what a backslash divides is joined.
QList<Command> commands_of(const QString& page)
{
    QList<Command> out;
    QFile f(QStringLiteral(TAWARA_SOURCE_DIR "/") + page);
    if (!f.open(QIODevice::ReadOnly))
        return out;
    bool code = false, goes_on = false;
    int number = 0;
    static const QRegularExpression command("^((tawara-cli|cp|cat|tar|cmake|ctest|mpirun|sbatch|"
                                            "srun|apptainer|podman) |(app|tests|tawara)/)");
    static const QRegularExpression remark("\\s+#.*$");
    for (auto line : QString::fromUtf8(f.readAll()).split('\n')) {
        ++number;
        if (line.startsWith("```")) {
            code = !code;
            continue;
        }
        if (!code)
            continue;
        line.remove(remark);
        const bool divided = line.endsWith('\\');
        if (divided)
            line.chop(1);
        if (goes_on)
            out.last().text += ' ' + line.trimmed();
        else if (command.match(line).hasMatch())
            out.append({page, line.trimmed(), number});
        goes_on = divided && (goes_on || command.match(line).hasMatch());
    }
    return out;
}

/// Gives options other values; those that are not there join the end.
void put(QStringList& words, const QStringList& options)
{
    for (qsizetype k = 0; k + 1 < options.size(); k += 2)
        if (const auto at = words.indexOf(options[k]); at >= 0 && at + 1 < words.size())
            words[at + 1] = options[k + 1];
        else
            words << options[k] << options[k + 1];
}

QList<Command> all_commands()
{
    auto out = commands_of("README.md");
    for (QDirIterator i(TAWARA_SOURCE_DIR "/resources", {"*.md"}, QDir::Files,
                        QDirIterator::Subdirectories);
         i.hasNext();)
        out += commands_of(QDir(TAWARA_SOURCE_DIR).relativeFilePath(i.next()));
    return out;
}

} // namespace

class TestPages : public QObject
{
    Q_OBJECT
    QTemporaryDir dir_;

  private Q_SLOTS:
    void commands_data()
    {
        QTest::addColumn<QString>("text");
        for (const auto& c : all_commands())
            QTest::newRow(qPrintable(c.page + ":" + QString::number(c.line))) << c.text;
        QVERIFY(all_commands().size() > 30);
        QVERIFY(QDir::setCurrent(dir_.path()));
        QVERIFY(QFile::link(TAWARA_SOURCE_DIR "/resources", dir_.filePath("resources")));
    }

    void commands()
    {
        QFETCH(QString, text);
        const auto* form = std::find_if(std::begin(forms), std::end(forms),
                                        [&](const Form& f) { return text.startsWith(f.begins); });
        const bool found = form != std::end(forms);
        if (found && form->how == How::left)
            QSKIP(form->words);
        auto words = QProcess::splitCommand(text);
        if (words.first() == "cp") {
            QVERIFY(QFile::copy(words[1], words[2]));
            return;
        }
        QCOMPARE(words.takeFirst(), "tawara-cli");
        if (found && form->how == How::with)
            put(words, QProcess::splitCommand(QString(form->words)));
        if (found && form->how == How::known) // paths of the page lead nowhere then
            words.replaceInStrings("resources/", "nowhere/");
        std::vector<std::string> args;
        for (const auto& w : words)
            args.push_back(w.toStdString());
        const auto r = test::run(args);
        const auto said = QString::fromStdString(r.err).trimmed();
        if (found && form->how == How::known) {
            // names what is missing, and no word of the command
            QVERIFY2(r.status == 2 && said.contains(form->words) && !said.contains("--help"),
                     qPrintable(text + ": " + said));
            return;
        }
        QVERIFY2(r.status == 0, qPrintable(text + ": " + said));
    }
};

QTEST_GUILESS_MAIN(TestPages)
#include "test_pages.moc"
