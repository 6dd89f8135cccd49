// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cable/growth/parameters.hpp"

#include <QDialog>

#include <functional>
#include <vector>

class QCheckBox;

namespace tawara {

class NumberBox;

/// How a Purkinje network is to grow on the heart that is open: the numbers of the session's
/// `purkinje.grow`, with its ranges, units and sentences.
///
/// @thread GUI thread
class GrowDialog : public QDialog
{
    Q_OBJECT
  public:
    explicit GrowDialog(const cable::GrowthParameters& start, QWidget* parent = nullptr);
    /// What the fields say; a number that nobody changed is the one that was given.
    cable::GrowthParameters parameters() const;

  private:
    void show_(const cable::GrowthParameters& p);

    cable::GrowthParameters m_start;
    struct Field
    {
        NumberBox* box;
        std::function<double(const cable::GrowthParameters&)> get;
        std::function<void(cable::GrowthParameters&, double)> set;
        double shown = 0; ///< what the box made of the number that it was given
    };
    std::vector<Field> m_fields;
    QCheckBox* m_band;
};

} // namespace tawara
