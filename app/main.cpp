// SPDX-License-Identifier: GPL-3.0-or-later
// The workstation: reads the arguments and puts engine, host and window together.
#include "app/main_window.hpp"
#include "app/real_engine.hpp"
#include "app/theme.hpp"
#include "app/unattended.hpp"

#include <CLI/CLI.hpp>
#include <QApplication>
#include <QSurfaceFormat>

#include <clocale>
#include <cstdio>
#include <memory>
#include <string>

namespace {

struct Arguments
{
    std::string file, devices = "auto", precision = "double", screenshot, movie, size;
    double at_ms = 0, until_ms = 0;
    unsigned threads = 0;
    bool whole_window = false, paused = false;
};

int bad_argument(const std::string& what)
{
    std::fprintf(stderr, "error: %s\n", what.c_str());
    return 2;
}

void declare(CLI::App& cli, Arguments& a)
{
    cli.add_option("FILE", a.file, "a session (.json) or a mesh; without it, the built-in heart");
    cli.add_option("--devices", a.devices, "cpu, cuda, cuda:0,1 or auto")->capture_default_str();
    cli.add_option("--precision", a.precision, "double, mixed or single")
        ->check(CLI::IsMember({"double", "mixed", "single"}))
        ->capture_default_str();
    cli.add_option("--threads", a.threads, "threads to compute with; 0: all of them")
        ->capture_default_str();
    cli.add_flag("--paused", a.paused, "do not start to run by itself");
    cli.add_option("--screenshot", a.screenshot, "run to --at, save a picture there, exit");
    cli.add_option("--at", a.at_ms, "simulated time of the picture [ms]")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    cli.add_flag("--whole-window", a.whole_window, "the picture shows the panels too");
    cli.add_option("--size", a.size, "size of the window, e.g. 1280x800");
    // kept for scripts that follow the command line's contract; no group: not in --help
    cli.add_option("--movie", a.movie)->group("");
    cli.add_option("--until", a.until_ms)->group("");
}

} // namespace

int main(int argc, char** argv)
{
    Arguments a;
    CLI::App cli("Tawara: a workstation for cardiac electrophysiology", "tawara");
    cli.set_version_flag("--version", "tawara " TAWARA_VERSION);
    declare(cli, a);
    try {
        cli.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        if (e.get_exit_code() == 0)
            return cli.exit(e);
        return bad_argument(std::string(e.what()) + "; see tawara --help");
    }
    if (!a.movie.empty())
        return bad_argument(
            "--movie: movies cannot be written by this version; take single pictures "
            "with --screenshot FILE --at MS");
    int width = 0, height = 0;
    if (!a.size.empty() && (std::sscanf(a.size.c_str(), "%dx%d", &width, &height) != 2 ||
                            width < 400 || height < 300 || width > 16384 || height > 16384))
        return bad_argument("--size " + a.size + ": want WIDTHxHEIGHT, at least 400x300");

    // Qt would abort
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM") && qEnvironmentVariableIsEmpty("DISPLAY") &&
        qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY"))
        return bad_argument(
            "no display: set DISPLAY, or run under xvfb-run; tawara-cli needs none");

    using namespace tawara;
    QSurfaceFormat::setDefaultFormat(VtkView::defaultFormat());
    QApplication app(argc, argv);
    std::setlocale(LC_NUMERIC, "C"); // Qt has set the user's; readers and writers use the dot
    QCoreApplication::setApplicationName("tawara");
    QCoreApplication::setApplicationVersion(TAWARA_VERSION);
    QString why;
    if (!VtkView::supported(&why))
        return bad_argument(why.toStdString());
    applyTheme(app);

    simulation::EngineOptions options;
    options.devices = a.devices;
    options.precision = a.precision == "single"  ? Precision::single
                        : a.precision == "mixed" ? Precision::mixed
                                                 : Precision::double_;
    options.threads = a.threads;
    EngineHost host(real_engine(options), open_session);
    MainWindow window(&host);
    if (width > 0)
        window.resize(width, height);
    std::unique_ptr<UnattendedPicture> picture;
    if (!a.screenshot.empty()) {
        window.setAutoPlay(false);
        picture = std::make_unique<UnattendedPicture>(
            &host, &window, QString::fromStdString(a.screenshot), a.at_ms, a.whole_window);
    } else if (a.paused) {
        window.setAutoPlay(false);
    }
    window.show();
    window.open(QString::fromStdString(a.file));
    return QApplication::exec();
}
