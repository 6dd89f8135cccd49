// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/application.hpp"

#include "engine/mesh/io/vtk_threads.hpp"

#include <QApplication>
#include <QRegularExpression>

#include <cstdio>
#include <cstdlib>

namespace tawara {
namespace {

constexpr int bad_input = 2;

struct Said
{
    QString text, line; ///< as it was said, and as Qt would have printed it
};
QList<Said> remarks; // while the application is made: reasons, if it cannot be

/// Why no window can be shown, from what Qt said before it gave up.
QString reason()
{
    QStringList all;
    static const QRegularExpression absent("Could not find the Qt platform plugin \"(.*?)\"");
    for (const auto& r : remarks) {
        if (const auto match = absent.match(r.text); match.hasMatch())
            return QStringLiteral("Qt has no platform plugin '%1' (QT_QPA_PLATFORM)")
                .arg(match.captured(1));
        if (r.text.contains(QLatin1String("could not connect to display"))) {
            const QString display = qEnvironmentVariable("DISPLAY");
            return display.isEmpty()
                       ? QStringLiteral("DISPLAY is not set")
                       : QStringLiteral("nothing answers at DISPLAY '%1'").arg(display);
        }
        all << r.text.simplified();
    }
    return all.isEmpty() ? QStringLiteral("Qt does not say why") : all.join("; ");
}

/// Keeps what is said, and takes the place of Qt's abort.
void listen(QtMsgType type, const QMessageLogContext& context, const QString& text)
{
    const QString line = qFormatLogMessage(type, context, text);
    if (type == QtDebugMsg) {
        std::fprintf(stderr, "%s\n", qPrintable(line));
        return;
    }
    if (type != QtFatalMsg) {
        remarks.push_back({text, line});
        return;
    }
    std::fprintf(stderr,
                 "error: no display: %s; set DISPLAY, use xvfb-run -a, or tawara-cli for runs "
                 "without a window\n",
                 qPrintable(reason()));
    std::fflush(stderr);
    std::_Exit(bad_input);
}

} // namespace

std::unique_ptr<QApplication> makeApplication(int& argc, char** argv)
{
    remarks.clear();
    const auto before = qInstallMessageHandler(listen);
    mesh::io::keep_vtk_on_one_thread();
    auto app = std::make_unique<QApplication>(argc, argv);
    qInstallMessageHandler(before);
    for (const auto& r : remarks)
        std::fprintf(stderr, "%s\n", qPrintable(r.line));
    remarks.clear();
    return app;
}

} // namespace tawara
