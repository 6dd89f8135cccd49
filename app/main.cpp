// SPDX-License-Identifier: GPL-3.0-or-later
// The workstation: reads the arguments and puts engine, host and window together.
#include "app/application.hpp"
#include "app/built_from.hpp"
#include "app/export/hand_over.hpp"
#include "app/export/picture_dialog.hpp"
#include "app/export_controller.hpp"
#include "app/keeping_controller.hpp"
#include "app/main_window.hpp"
#include "app/real_engine.hpp"
#include "app/study_controller.hpp"
#include "app/theme.hpp"
#include "app/unattended.hpp"
#include "engine/cell/imports.hpp"
#include "engine/core/cache_folder.hpp"
#include "engine/core/end_signals.hpp"
#include "engine/core/error.hpp"
#include "engine/core/nearest.hpp"
#include "engine/core/provenance.hpp"
#include "engine/core/utf8.hpp"
#include "engine/simulation/observe/recording.hpp"

#include <CLI/CLI.hpp>
#include <QApplication>
#include <QSurfaceFormat>

#include <charconv>
#include <clocale>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace {

struct Arguments
{
    std::string file, devices = "auto", precision, screenshot, movie, size, phase;
    double at_ms = 0, until_ms = 0, every_ms = 2, frames_per_second = 30;
    int quality = 75;
    unsigned threads = 0;
    bool whole_window = false, paused = false, transparent = false, no_annotations = false;
    bool host_frames = false;
};

int bad_argument(const std::string& what)
{
    std::fprintf(stderr, "error: %s\n", what.c_str());
    return 2;
}

/// The first of the names of files that is no UTF-8; Qt could not name that file. Empty: all are.
std::string no_utf8_among(std::initializer_list<std::string> names)
{
    for (const auto& name : names)
        for (std::size_t at = 0; at < name.size();) {
            const auto length = tawara::utf8_length(name, at);
            if (length == 0)
                return name;
            at += length;
        }
    return {};
}

/// A finite number above 0, or 0 as well.
CLI::Validator number_from_0(bool itself)
{
    return {[itself](const std::string& text) {
                double value = 0;
                const bool good = CLI::detail::lexical_cast(text, value) && std::isfinite(value) &&
                                  (itself ? value >= 0 : value > 0);
                return good ? std::string()
                            : std::string("want a number ") + (itself ? "from 0 on" : "above 0") +
                                  ", not '" + text + "'";
            },
            {}};
}

/// Of --size; nothing where it is no size that the window takes.
std::optional<QSize> size_of(const std::string& text)
{
    int width = 0, height = 0;
    if (std::sscanf(text.c_str(), "%dx%d", &width, &height) != 2 || width < 64 || height < 64 ||
        width > 16384 || height > 16384)
        return {};
    return QSize(width, height);
}

/// Of --phase; nothing where it says no plane.
std::optional<tawara::simulation::PhasePlane> plane_of(const std::string& text)
{
    tawara::simulation::PhasePlane p;
    if (text == "recovery") {
        p.kind = tawara::simulation::PhasePlane::Kind::recovery;
        return p;
    }
    const char* const end = text.data() + text.size();
    const auto [read, error] = std::from_chars(text.data(), end, p.delay_ms);
    if (error != std::errc() || read != end || !(p.delay_ms >= p.shortest_ms) ||
        !(p.delay_ms <= p.longest_ms))
        return {};
    return p;
}

void declare(CLI::App& cli, Arguments& a)
{
    cli.add_option("FILE", a.file, "a session (.json) or a mesh; without it, the built-in heart");
    cli.add_option("--devices", a.devices, "cpu, cuda, cuda:0,1 or auto")->capture_default_str();
    cli.add_option("--precision", a.precision,
                   "double, mixed or single; without it the session's, or single where its error "
                   "cannot be seen")
        ->check(CLI::IsMember({"double", "mixed", "single"}));
    cli.add_option("--threads", a.threads, "threads to compute with; 0: all of them")
        ->capture_default_str();
    cli.add_flag("--paused", a.paused, "do not start to run by itself");
    cli.add_option("--screenshot", a.screenshot, "run to --at, save a picture there, exit");
    cli.add_option("--at", a.at_ms, "simulated time of the picture [ms]")
        ->check(number_from_0(true))
        ->capture_default_str();
    cli.add_flag("--whole-window", a.whole_window, "the picture shows the panels too");
    cli.add_flag("--transparent", a.transparent, "the picture has nothing behind the heart (.png)");
    cli.add_flag("--no-annotations", a.no_annotations,
                 "no colour bar, axes, time and names in the picture or movie");
    cli.add_option("--movie", a.movie, "run to --until, save a movie (.mp4 or .webm), exit");
    cli.add_option("--until", a.until_ms, "simulated time at which the movie ends [ms]")
        ->check(number_from_0(false));
    cli.add_option("--every", a.every_ms, "simulated time between two frames of the movie [ms]")
        ->check(number_from_0(false))
        ->capture_default_str();
    cli.add_option("--fps", a.frames_per_second, "frames per second of the movie")
        ->check(CLI::Range(1.0, 240.0))
        ->capture_default_str();
    cli.add_option("--quality", a.quality, "of the movie, 0 to 100")
        ->check(CLI::Range(0, 100))
        ->capture_default_str();
    cli.add_flag(
        "--host-frames", a.host_frames,
        "bring values to the picture through the host's memory, also where CUDA could write "
        "OpenGL's buffers");
    cli.add_flag_callback(
        "--imports-anywhere", [] { tawara::cell::allow_imports_anywhere(true); },
        "CellML files may import files that lie outside their folder");
    cli.add_option(
        "--phase", a.phase,
        "the first view shows the phase, in the plane of V and V so many ms before (1 to "
        "50), or of V and recovery");
    cli.add_option("--size", a.size,
                   "size of the picture, the movie, or else the window, e.g. 1280x720");
}

/// Why the parser refused the line, and what would be right.
std::string argument_error(const CLI::App& cli, const CLI::ParseError& e)
{
    const auto extra = cli.remaining();
    if (extra.empty())
        return std::string(e.what()) + "; see tawara --help";
    const std::string word = extra.front().substr(0, extra.front().find('='));
    if (!word.starts_with("-"))
        return word + ": is one file too many; tawara opens one session or mesh (commands are "
                      "tawara-cli's)";
    std::vector<std::string> known;
    for (const auto* option : cli.get_options())
        for (const auto& name : option->get_lnames())
            known.push_back("--" + name);
    const auto near = tawara::likely(word, known);
    return word + ": unknown option of tawara" +
           (near.empty() ? "; tawara --help names all" : "; the nearest known is " + near);
}

/// What runs without a user, if anything was asked for.
std::unique_ptr<tawara::Unattended> make_unattended(const Arguments& a, const QSize& size,
                                                    tawara::EngineHost& host,
                                                    tawara::MainWindow& window)
{
    using namespace tawara;
    PictureOptions look;
    look.size = size;
    look.transparent = a.transparent && a.movie.empty();
    look.annotations = !a.no_annotations;
    if (!a.screenshot.empty()) {
        const auto make = [&window, look, whole = a.whole_window](QString* why) {
            return whole ? window.exporting()->withProvenance(window.picture(true))
                         : window.exporting()->pictureOfHeart(look, why);
        };
        return std::make_unique<UnattendedPicture>(&host, make,
                                                   QString::fromStdString(a.screenshot), a.at_ms);
    }
    if (a.movie.empty())
        return nullptr;
    const movie::MovieOptions options{size.width(), size.height(), a.frames_per_second, a.quality,
                                      a.file.empty() ? "Tawara" : a.file};
    const auto make = [&window](const PictureOptions& o, QString* why) {
        return window.exporting()->pictureOfHeart(o, why);
    };
    return std::make_unique<UnattendedMovie>(&host, make, QString::fromStdString(a.movie), options,
                                             look, a.until_ms, a.every_ms);
}

/// What the arguments cannot mean together; empty: they can.
std::string contradiction(const Arguments& a)
{
    if (!a.movie.empty() && !a.screenshot.empty())
        return "--movie and --screenshot: want one of them";
    if (!a.movie.empty() && a.until_ms <= 0)
        return "--movie: want --until MS, the simulated time at which it ends";
    if (const auto name = no_utf8_among({a.file, a.screenshot, a.movie}); !name.empty())
        return tawara::readable(name) + ": the name of the file is no UTF-8, which the window "
                                        "wants; rename the file, or use tawara-cli";
    if (!a.phase.empty() && !plane_of(a.phase))
        return "--phase " + a.phase +
               ": want how long before V is taken [ms], from 1 to 50, or recovery";
    if (a.size.empty() || size_of(a.size))
        return {};
    return "--size " + a.size + ": want WIDTHxHEIGHT, from 64x64 to 16384x16384";
}

int ended = 0; ///< by a signal, 128 and its number; of the GUI thread

/// Signals leave event loops of dialogs too; nothing is asked.
void end_on_signals()
{
    tawara::watch_end_signals([](int signal) {
        if (QCoreApplication::instance() == nullptr)
            std::_Exit(128 + signal);
        tawara::postTo(QCoreApplication::instance(), [signal] {
            ended = 128 + signal;
            QCoreApplication::exit(ended);
        });
    });
}

tawara::simulation::EngineOptions engine_options(const Arguments& a)
{
    using namespace tawara;
    simulation::EngineOptions options;
    options.devices = a.devices;
    for (const auto p : {Precision::double_, Precision::mixed, Precision::single})
        if (name(p) == a.precision)
            options.precision = p;
    options.threads = a.threads;
    options.context = Context::whole_machine();
    return options;
}

} // namespace

// No memory for its arguments ends it.
// NOLINTNEXTLINE(bugprone-exception-escape)
int main(int argc, char** argv)
{
    std::signal(SIGXFSZ, SIG_IGN); // a file beyond the limit is an error of its writer
    tawara::set_program_commit(tawara::built_from);
    Arguments a;
    CLI::App cli("Tawara: a workstation for cardiac electrophysiology", "tawara");
    cli.set_version_flag("--version", "tawara " TAWARA_VERSION);
    declare(cli, a);
    try {
        cli.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        if (e.get_exit_code() == 0)
            return cli.exit(e);
        return bad_argument(argument_error(cli, e));
    }
    if (const auto why = contradiction(a); !why.empty())
        return bad_argument(why);

    using namespace tawara;
    end_on_signals();
    QSurfaceFormat::setDefaultFormat(viewFormat());
    const auto app = makeApplication(argc, argv);
    std::setlocale(LC_NUMERIC, "C"); // Qt has set the user's; readers and writers use the dot
    QCoreApplication::setApplicationName("tawara");
    QCoreApplication::setApplicationVersion(TAWARA_VERSION);
    QString why;
    if (!a.screenshot.empty())
        why = pictureRefused(QString::fromStdString(a.screenshot));
    if (!why.isEmpty() || !viewsSupported(&why))
        return bad_argument(why.toStdString());
    applyTheme(*app);

    simulation::remove_orphaned_recordings(); // of programs that were killed
    const auto options = engine_options(a);
    EngineHost host(real_engine(options), session_opener(options.context));
    host.setContext(options.context);
    MainWindow window(&host);
    try {
        device::StepperOptions of_runs;
        of_runs.devices = a.devices;
        of_runs.precision = options.precision.value_or(of_runs.precision);
        window.study()->setDevice(of_runs, options.precision.has_value());
    } catch (const InputError& e) {
        return bad_argument(e.what());
    }
    const auto asked = size_of(a.size);
    const QSize size = asked.value_or(QSize(1280, 720));
    if (asked && (a.whole_window || (a.screenshot.empty() && a.movie.empty())))
        window.resize(size);
    const auto unattended = make_unattended(a, size, host, window);
    window.displayPath()->setAllowed(!a.host_frames);
    if (unattended || a.paused)
        window.setAutoPlay(false);
    window.setAsking(!unattended);
    if (const auto plane = plane_of(a.phase))
        window.showPhase(*plane);
    app->setProperty("noHints", unattended != nullptr); // nobody would put them away
    window.show();
    window.open(QString::fromStdString(a.file));
    if (!unattended) {
        const auto state = state_folder();
        window.keeping()->begin(state.empty() ? state : state / "kept");
    }
    return ended != 0 ? ended
                      : QApplication::exec(); // exec() forgets what asked for its end before
}
