// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/mesh/generator/fibres.hpp"

#include <QDialog>

#include <array>

namespace tawara {

class NumberBox;

/// Mesh > Fibres by rule: the angles across the wall.
///
/// @thread GUI thread
class FibreRuleDialog : public QDialog
{
    Q_OBJECT
  public:
    explicit FibreRuleDialog(const mesh::generator::FibreRules& now, QWidget* parent = nullptr);
    mesh::generator::FibreRules rule() const;

  private:
    void put(const mesh::generator::FibreRules& rule);

    std::array<NumberBox*, 4> m_angles{}; ///< helix at endo- and epicardium, then sheet
};

} // namespace tawara
