// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/fibre_rule_dialog.hpp"

#include "widgets/panels/key_box.hpp"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace tawara {
namespace {

using mesh::generator::FibreRules;

constexpr double FibreRules::*angles[]{&FibreRules::helix_endo_deg, &FibreRules::helix_epi_deg,
                                       &FibreRules::sheet_endo_deg, &FibreRules::sheet_epi_deg};

} // namespace

FibreRuleDialog::FibreRuleDialog(const FibreRules& now, QWidget* parent) : QDialog(parent)
{
    setObjectName("fibreRuleDialog");
    setWindowTitle(tr("Fibres by rule"));
    const std::array names{"helixEndo", "helixEpi", "sheetEndo", "sheetEpi"};
    const std::array keys{"helix_endo_deg", "helix_epi_deg", "sheet_endo_deg", "sheet_epi_deg"};
    const std::array labels{tr("Helix, endocardium"), tr("Helix, epicardium"),
                            tr("Sheet, endocardium"), tr("Sheet, epicardium")};
    auto* form = new QFormLayout;
    for (std::size_t k = 0; k < m_angles.size(); ++k) {
        m_angles[k] = keyBox(QLatin1String(names[k]), std::string("/mesh/fibre_rule/") + keys[k]);
        form->addRow(labels[k], m_angles[k]);
    }
    put(now);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel |
                                         QDialogButtonBox::RestoreDefaults);
    buttons->button(QDialogButtonBox::Ok)->setText(tr("&Set fibres"));
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(buttons->button(QDialogButtonBox::RestoreDefaults), &QPushButton::clicked, this,
            [this] { put({}); });
    auto* all = new QVBoxLayout(this);
    all->addLayout(form);
    all->addWidget(hintLabel(
        tr("Fibres turn linearly with the depth from the first helix angle to the second (Bayer et "
           "al. 2012; in human hearts about 60 and -60 degrees). They take the place of those that "
           "the mesh has; the mesh is opened anew, and the run starts again.")));
    all->addWidget(buttons);
    constexpr int room_for_hint = 420;
    setMinimumWidth(room_for_hint);
}

void FibreRuleDialog::put(const FibreRules& rule)
{
    for (std::size_t k = 0; k < m_angles.size(); ++k)
        m_angles[k]->put(rule.*angles[k]);
}

FibreRules FibreRuleDialog::rule() const
{
    FibreRules out;
    for (std::size_t k = 0; k < m_angles.size(); ++k)
        out.*angles[k] = m_angles[k]->value();
    return out;
}

} // namespace tawara
