// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/examples.hpp"

#include "engine/core/resource.hpp"

#include <QCoreApplication>
#include <QFileInfo>

#include <exception>
#include <string>

namespace tawara {
namespace {

constexpr ExampleText examples[] = {
    {"normal_beat.json", QT_TRANSLATE_NOOP("Examples", "A normal beat"),
     QT_TRANSLATE_NOOP("Examples",
                       "The Purkinje network excites both ventricles, from the left septum to the "
                       "base, as Durrer measured it in 1970. QRS is 104 ms in the 12-lead ECG. "
                       "Tissue below the network is ordinary.")},
    {"left_bundle_branch_block.json", QT_TRANSLATE_NOOP("Examples", "Left bundle branch block"),
     QT_TRANSLATE_NOOP(
         "Examples",
         "The same heart with its left bundle cut: the wave crosses the septum from the right. QRS "
         "is 124 ms, V1 is negative, I and V6 have no q. Join the bundle again while it runs "
         "(Conduction).")},
    {"reentry_around_scar.json", QT_TRANSLATE_NOOP("Examples", "Figure-of-eight re-entry"),
     QT_TRANSLATE_NOOP(
         "Examples",
         "A premature beat starts two waves that go on turning around a scar. The action "
         "potentials "
         "are a simple model's and short, APD90 60 ms (t_unit 4), so that the circuit fits in.")},
    {"drug_apd.json", QT_TRANSLATE_NOOP("Examples", "A drug lengthens the action potential"),
     QT_TRANSLATE_NOOP("Examples",
                       "Half of I_Kr is blocked. Take the drug away while it runs (Tissue, Drugs) "
                       "and compare APD90 in the Beats table.")},
};

} // namespace

std::span<const ExampleText> exampleTexts()
{
    return examples;
}

QString exampleWords(const char* text)
{
    return QCoreApplication::translate("Examples", text);
}

QString examplesFolder()
{
    try {
        const auto folder = resource(std::string("resources/sessions"));
        return QFileInfo(QString::fromStdString(folder.string())).canonicalFilePath();
    } catch (const std::exception&) {
        return {}; // an installation without examples
    }
}

QString exampleTitle(const QString& path)
{
    const QFileInfo file(path);
    for (const ExampleText& e : examples) {
        if (file.fileName() != QLatin1String(e.file))
            continue;
        try {
            const auto own = resource(std::string("resources/sessions/") + e.file);
            if (QFileInfo(QString::fromStdString(own.string())) == file)
                return exampleWords(e.title);
        } catch (const std::exception&) {
            return {}; // an installation without this example
        }
    }
    return {};
}

} // namespace tawara
