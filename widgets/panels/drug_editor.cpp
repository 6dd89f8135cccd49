// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/drug_editor.hpp"

#include "engine/simulation/session/presets.hpp"
#include "widgets/panels/key_box.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QRegularExpression>
#include <QSlider>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace tawara {
namespace {

using simulation::Drug;
using simulation::Session;

QString tipOf(const std::string& name)
{
    for (const auto& p : simulation::canonical_parameters())
        if (p.name == name)
            return QString::fromUtf8(p.description.data(),
                                     static_cast<qsizetype>(p.description.size()));
    return {};
}

/// "I_Kr block 90 %" says how strong the drug is: the same with another factor.
std::string renamed(const std::string& name, double factor)
{
    static const QRegularExpression strength(QStringLiteral("( \\d+ %| × [\\d.]+)$"));
    QString n = QString::fromStdString(name);
    const auto match = strength.match(n);
    if (!match.hasMatch())
        return name;
    n.truncate(match.capturedStart());
    n += factor <= 1 ? QStringLiteral(" %1 %").arg(std::lround(100 * (1 - factor)))
                     : QStringLiteral(" × %1").arg(factor, 0, 'g', 3);
    return n.toStdString();
}

} // namespace

DrugEditor::DrugEditor(QWidget* parent) : QWidget(parent)
{
    auto* add =
        smallButton({}, tr("Add a drug"), "addDrug", tr("A drug from the list, or an empty one"));
    add->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(add);
    menu->setToolTipsVisible(true);
    add->setMenu(menu);
    for (const auto& p : simulation::drug_presets()) {
        auto* a = menu->addAction(QString::fromStdString(p.drug.name), this, [this, drug = p.drug] {
            Q_EMIT edited(tr("Add %1").arg(QString::fromStdString(drug.name)),
                          [drug](Session& s) { s.drugs.push_back(drug); }, {});
        });
        a->setToolTip(QString::fromStdString(p.description + "\n" + p.source));
    }
    menu->addSeparator();
    menu->addAction(tr("Of my own"), this, [this] {
        Q_EMIT edited(
            tr("Add a drug"),
            [](Session& s) {
                s.drugs.push_back({"drug " + std::to_string(s.drugs.size() + 1), {{"g_Kr", 1.0}}});
            },
            {});
    });
    m_none = hintLabel(tr(
        "No drug is given. A drug multiplies conductances, e.g. 0.5 × g_Kr blocks half of I_Kr and "
        "lengthens the action potential; it acts from the next time step on."));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(10, 8, 10, 8);
    column->addWidget(add, 0, Qt::AlignLeft);
    column->addWidget(m_none);
    m_cards = new QVBoxLayout;
    column->addLayout(m_cards);
    column->addStretch(1);
}

void DrugEditor::setDrugs(const std::vector<Drug>& drugs,
                          const std::map<std::string, QStringList>& lacking)
{
    if (drugs == m_drugs && lacking == m_lacking)
        return;
    m_drugs = drugs;
    m_lacking = lacking;
    if (!m_moving)
        rebuild();
}

void DrugEditor::rebuild()
{
    while (auto* item = m_cards->takeAt(0)) {
        item->widget()->hide();
        item->widget()->deleteLater(); // it may be what is clicked
        delete item;
    }
    for (std::size_t i = 0; i < m_drugs.size(); ++i)
        m_cards->addWidget(card(i));
    m_none->setVisible(m_drugs.empty());
}

QWidget* DrugEditor::card(std::size_t i)
{
    auto* w = new QFrame;
    w->setObjectName("drug");
    auto* column = new QVBoxLayout(w);
    column->setContentsMargins(10, 6, 10, 8);
    column->setSpacing(4);
    auto* head = new QHBoxLayout;
    auto* title = groupLabel(QString::fromStdString(m_drugs[i].name));
    title->setObjectName("drugName");
    title->setWordWrap(true); // a long name makes the card taller, not wider than its panel
    title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    head->addWidget(title, 1);
    auto* more = smallButton({}, QStringLiteral("+"), "addFactor", tr("Another conductance"));
    more->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(more);
    more->setMenu(menu);
    for (const auto& p : simulation::canonical_parameters()) {
        if (!p.unit.empty()) // 0 in normal cells: factors leave it so
            continue;
        const std::string name(p.name);
        const auto& have = m_drugs[i].factors;
        if (std::any_of(have.begin(), have.end(), [&](const auto& f) { return f.first == name; }))
            continue;
        menu->addAction(QString::fromStdString(name) + QStringLiteral(" – ") + tipOf(name), this,
                        [this, i, name] {
                            Q_EMIT edited(tr("Add a factor"),
                                          [i, name](Session& s) {
                                              s.drugs.at(i).factors.emplace_back(name, 1.0);
                                          },
                                          {});
                        });
    }
    auto* remove = smallButton("close", {}, "removeDrug", tr("The drug is gone"));
    connect(remove, &QToolButton::clicked, this, [this, i] {
        Q_EMIT edited(
            tr("Remove a drug"),
            [i](Session& s) { s.drugs.erase(s.drugs.begin() + static_cast<std::ptrdiff_t>(i)); },
            {});
    });
    head->addWidget(more);
    head->addWidget(remove);
    column->addLayout(head);
    QStringList nowhere, remarks;
    for (std::size_t k = 0; k < m_drugs[i].factors.size(); ++k) {
        column->addWidget(factorRow(i, k));
        const auto& factor = m_drugs[i].factors[k].first;
        const auto lack = m_lacking.find(factor);
        if (lack == m_lacking.end())
            continue;
        const auto name = QString::fromStdString(factor);
        if (lack->second.isEmpty())
            nowhere << name;
        else
            remarks << tr("No effect in %1: no %2 in the cell model there.")
                           .arg(lack->second.join(QStringLiteral(", ")), name);
    }
    if (!nowhere.isEmpty())
        remarks.prepend(tr("No model here has %1: that changes nothing.")
                            .arg(nowhere.join(QStringLiteral(", "))));
    if (!remarks.isEmpty()) {
        auto* lacks = hintLabel(remarks.join(QLatin1Char('\n')));
        lacks->setObjectName("drugLacks");
        lacks->setProperty("level", "warning");
        column->addWidget(lacks);
    }
    return w;
}

QWidget* DrugEditor::factorRow(std::size_t i, std::size_t k)
{
    const auto& [name, value] = m_drugs[i].factors[k];
    auto* w = new QWidget;
    auto* row = new QHBoxLayout(w);
    row->setContentsMargins(0, 0, 0, 0);
    auto* label = new QLabel(QString::fromStdString(name));
    label->setToolTip(tipOf(name));
    label->setMinimumWidth(52);
    auto* slider = new QSlider(Qt::Horizontal);
    slider->setObjectName("factor_" + QString::fromStdString(name));
    slider->setRange(0, 200);
    slider->setValue(static_cast<int>(std::lround(100 * value)));
    slider->setToolTip(tr("Factor on the conductance: 0 blocks, 1 changes nothing"));
    auto* number = keyBox("factor", "/drugs/#/factors/#");
    number->put(value);
    number->setMaximumWidth(64);
    row->addWidget(label);
    row->addWidget(slider, 1);
    row->addWidget(new QLabel(QStringLiteral("×")));
    row->addWidget(number);
    const QString key = QStringLiteral("drug%1.%2").arg(i).arg(k);
    const auto set = [this, w, i, k, key](double v) {
        Q_EMIT edited(
            tr("Change the strength of a drug"),
            [i, k, v](Session& s) {
                auto& drug = s.drugs.at(i);
                drug.factors.at(k).second = v;
                if (drug.factors.size() == 1)
                    drug.name = renamed(drug.name, v);
            },
            key);
        if (auto* title = w->parentWidget()->findChild<QLabel*>("drugName")) // of its card
            title->setText(QString::fromStdString(m_drugs[i].name));
    };
    connect(slider, &QSlider::valueChanged, this, [this, number, set](int v) {
        number->put(v / 100.0);
        m_moving = true;
        set(v / 100.0);
        m_moving = false;
    });
    connect(number, &QDoubleSpinBox::valueChanged, this, [this, slider, set](double v) {
        const QSignalBlocker quiet(slider);
        slider->setValue(static_cast<int>(std::lround(100 * v)));
        m_moving = true;
        set(v);
        m_moving = false;
    });
    return w;
}

} // namespace tawara
