// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/numerics_dialog.hpp"

#include "engine/cell/model.hpp"
#include "engine/core/error.hpp"
#include "engine/simulation/session/session_keys.hpp"
#include "widgets/panels/key_box.hpp"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>
#include <set>

namespace tawara {
namespace {

using simulation::Session;
using simulation::Splitting;
using simulation::Stepping;

struct Named
{
    int value;
    const char* text;
};
constexpr Named reactions[] = {
    {int(cell::Scheme::forward_euler), QT_TRANSLATE_NOOP("NumericsDialog", "Forward Euler")},
    {int(cell::Scheme::rush_larsen),
     QT_TRANSLATE_NOOP("NumericsDialog", "Rush-Larsen, all gates exponential")},
    {int(cell::Scheme::rush_larsen_light),
     QT_TRANSLATE_NOOP("NumericsDialog", "Rush-Larsen light, the stiff gate exponential")},
    {int(cell::Scheme::grl1),
     QT_TRANSLATE_NOOP("NumericsDialog", "Generalised Rush-Larsen, first order")},
    {int(cell::Scheme::grl2),
     QT_TRANSLATE_NOOP("NumericsDialog", "Generalised Rush-Larsen, second order")},
    {int(cell::Scheme::backward_euler_single),
     QT_TRANSLATE_NOOP("NumericsDialog", "Backward Euler, each state by itself")},
    {int(cell::Scheme::backward_euler),
     QT_TRANSLATE_NOOP("NumericsDialog", "Backward Euler, Newton's method")},
    {int(cell::Scheme::rk4), QT_TRANSLATE_NOOP("NumericsDialog", "Runge-Kutta, fourth order")},
};
constexpr Named schemes[] = {
    {int(diffusion::Scheme::fvm),
     QT_TRANSLATE_NOOP("NumericsDialog", "Finite volumes, V in tetrahedra (fvm)")},
    {int(diffusion::Scheme::p1),
     QT_TRANSLATE_NOOP("NumericsDialog", "Linear finite elements, V at vertices (p1)")},
};
constexpr Named masses[] = {
    {int(diffusion::Mass::lumped), QT_TRANSLATE_NOOP("NumericsDialog", "Lumped")},
    {int(diffusion::Mass::consistent), QT_TRANSLATE_NOOP("NumericsDialog", "Consistent")},
};
constexpr Named currents[] = {
    {int(simulation::IonicCurrents::nodal), QT_TRANSLATE_NOOP("NumericsDialog", "At vertices")},
    {int(simulation::IonicCurrents::interpolated),
     QT_TRANSLATE_NOOP("NumericsDialog", "Interpolated in the front's tetrahedra")},
};
constexpr Named steppings[] = {
    {int(Stepping::explicit_), QT_TRANSLATE_NOOP("NumericsDialog", "Explicit")},
    {int(Stepping::backward_euler), QT_TRANSLATE_NOOP("NumericsDialog", "Backward Euler")},
    {int(Stepping::crank_nicolson), QT_TRANSLATE_NOOP("NumericsDialog", "Crank-Nicolson")},
    {int(Stepping::newton),
     QT_TRANSLATE_NOOP("NumericsDialog", "Cells and diffusion at once, Newton's method")},
};
constexpr Named precisions[] = {
    {int(simulation::SessionPrecision::usual),
     QT_TRANSLATE_NOOP("NumericsDialog", "Single where its error cannot be seen")},
    {int(simulation::SessionPrecision::double_), QT_TRANSLATE_NOOP("NumericsDialog", "Double")},
    {int(simulation::SessionPrecision::single), QT_TRANSLATE_NOOP("NumericsDialog", "Single")},
    {int(simulation::SessionPrecision::mixed),
     QT_TRANSLATE_NOOP("NumericsDialog", "Mixed, on GPUs alone")},
};
constexpr Named splittings[] = {
    {int(Splitting::godunov), QT_TRANSLATE_NOOP("NumericsDialog", "Godunov, first order")},
    {int(Splitting::strang), QT_TRANSLATE_NOOP("NumericsDialog", "Strang, second order")},
};

QComboBox* choice(const QString& name, std::span<const Named> of, int value)
{
    auto* box = new ChoiceBox;
    box->setObjectName(name);
    for (const auto& [number, text] : of)
        box->addItem(NumericsDialog::tr(text), number);
    box->setCurrentIndex(box->findData(value));
    return box;
}

/// What is known of a step for the session's models, one line a model; models of files say it when
/// the run begins.
QString adviceOn(const Session& s)
{
    const auto known = cell::model_names();
    std::set<std::string> models;
    for (const auto& r : s.regions)
        if (std::find(known.begin(), known.end(), r.model) != known.end())
            models.insert(r.model);
    QStringList lines;
    for (const auto& m : models)
        if (const auto said = cell::step_advice(cell::model_info(m), s.reaction, s.dt_ms);
            !said.empty())
            lines << QString::fromStdString(said);
    return lines.join('\n');
}

/// Whether tissue stepped so can take long steps where it is at rest.
bool canRest(const Session& s)
{
    return s.stepping == Stepping::explicit_ && s.splitting == Splitting::godunov &&
           s.mass == diffusion::Mass::lumped;
}

} // namespace

NumericsDialog::NumericsDialog(Session current, QWidget* parent)
    : QDialog(parent), m_current(std::move(current))
{
    setWindowTitle(tr("Numerics"));
    m_reaction = choice("numericsReaction", reactions, int(m_current.reaction));
    m_precision = choice("numericsPrecision", precisions, int(m_current.precision));
    m_precision->setToolTip(
        tr("What is computed in. Single precision is about twice as fast; the status bar says "
           "which it is. --precision on the command line comes first"));
    m_rest = keyBox("numericsRest", "/reaction/rest_tolerance_mV");
    m_rest->put(m_current.rest_tolerance_mV);
    m_restShown = m_rest->value();
    m_step = keyBox("numericsStep", "/time/dt_ms");
    m_step->put(m_current.dt_ms);
    m_stepShown = m_step->value();
    m_scheme = choice("numericsScheme", schemes, int(m_current.scheme));
    m_mass = choice("numericsMass", masses, int(m_current.mass));
    m_mass->setToolTip(tr("Mass matrix of the finite elements"));
    m_currents = choice("numericsCurrents", currents, int(m_current.currents));
    m_currents->setToolTip(QString::fromUtf8(simulation::session_key("/diffusion/currents").what));
    m_stepping = choice("numericsStepping", steppings, int(m_current.stepping));
    m_longest = keyBox("numericsLongest", "/time/dt_max_ms");
    m_longest->put(m_current.newton.dt_max_ms);
    m_longestShown = m_longest->value();
    m_splitting = choice("numericsSplitting", splittings, int(m_current.splitting));
    m_splitting->setToolTip(tr("How cells and diffusion take turns"));
    m_said = hintLabel({});
    m_said->setObjectName("numericsSaid");
    m_said->setProperty("level", "warning");
    m_said->setWordWrap(true);
    m_said->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    constexpr int lines_of_advice = 4; // room, so that the buttons stay where they are
    m_said->setMinimumHeight(lines_of_advice * m_said->fontMetrics().lineSpacing());

    auto* form = new QFormLayout;
    form->addRow(groupLabel(tr("Cells")));
    form->addRow(tr("Scheme"), m_reaction);
    form->addRow(tr("Time step"), m_step);
    form->addRow(tr("At rest within"), m_rest);
    form->addRow(tr("Precision"), m_precision);
    form->addRow(groupLabel(tr("Diffusion")));
    form->addRow(tr("In space"), m_scheme);
    form->addRow(tr("Mass"), m_mass);
    form->addRow(tr("Ionic currents"), m_currents);
    form->addRow(tr("In time"), m_stepping);
    form->addRow(tr("Longest step"), m_longest);
    form->addRow(tr("Splitting"), m_splitting);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    m_go = buttons->addButton(tr("Start the run anew"), QDialogButtonBox::AcceptRole);
    m_go->setObjectName("numericsGo");
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* all = new QVBoxLayout(this);
    all->addLayout(form);
    all->addWidget(m_said);
    all->addWidget(buttons);

    for (auto* box :
         {m_reaction, m_scheme, m_mass, m_currents, m_stepping, m_splitting, m_precision})
        connect(box, &QComboBox::currentIndexChanged, this, &NumericsDialog::describe);
    for (auto* box : {m_step, m_longest, m_rest})
        connect(box, &QDoubleSpinBox::valueChanged, this, &NumericsDialog::describe);
    describe();
}

Session NumericsDialog::session() const
{
    Session s = m_current;
    s.reaction = static_cast<cell::Scheme>(m_reaction->currentData().toInt());
    if (m_step->value() != m_stepShown) // else the box may have rounded it
        s.dt_ms = m_step->value();
    s.scheme = static_cast<diffusion::Scheme>(m_scheme->currentData().toInt());
    s.mass = s.scheme == diffusion::Scheme::p1
                 ? static_cast<diffusion::Mass>(m_mass->currentData().toInt())
                 : diffusion::Mass::lumped;
    if (s.scheme == diffusion::Scheme::p1)
        s.currents = static_cast<simulation::IonicCurrents>(m_currents->currentData().toInt());
    else
        s.currents = simulation::IonicCurrents::nodal;
    s.stepping = static_cast<Stepping>(m_stepping->currentData().toInt());
    if (m_longest->value() != m_longestShown)
        s.newton.dt_max_ms = m_longest->value();
    s.splitting = s.stepping == Stepping::newton
                      ? Splitting::godunov // it has no part in it
                      : static_cast<Splitting>(m_splitting->currentData().toInt());
    s.precision = static_cast<simulation::SessionPrecision>(m_precision->currentData().toInt());
    if (!canRest(s))
        s.rest_tolerance_mV = 0;
    else if (m_rest->value() != m_restShown)
        s.rest_tolerance_mV = m_rest->value();
    return s;
}

QString NumericsDialog::said() const
{
    return m_said->text();
}

void NumericsDialog::describe()
{
    const Session now = session();
    m_mass->setEnabled(now.scheme == diffusion::Scheme::p1);
    m_currents->setEnabled(now.scheme == diffusion::Scheme::p1);
    const bool newton = now.stepping == Stepping::newton;
    m_longest->setEnabled(newton);
    m_rest->setEnabled(canRest(now));
    m_splitting->setEnabled(!newton); // cells are stepped by Newton's method then, and not in turns
    m_reaction->setEnabled(!newton);
    bool fits = true;
    QString text;
    try {
        Session checked = now;
        checked.folder.clear(); // relative to it files could be looked for elsewhere
        simulation::parse_session(simulation::to_json(checked), tr("session").toStdString());
        if (!newton)
            text = adviceOn(now);
    } catch (const InputError& e) {
        fits = false;
        text = QString::fromStdString(e.what());
    }
    m_said->setText(text);
    const bool same = now.reaction == m_current.reaction && now.dt_ms == m_current.dt_ms &&
                      now.scheme == m_current.scheme && now.mass == m_current.mass &&
                      now.currents == m_current.currents && now.stepping == m_current.stepping &&
                      now.splitting == m_current.splitting && now.newton == m_current.newton &&
                      now.precision == m_current.precision &&
                      now.rest_tolerance_mV == m_current.rest_tolerance_mV;
    m_go->setEnabled(fits && !same);
}

} // namespace tawara
