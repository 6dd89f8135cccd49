// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/simulation/live/messages.hpp"

#include <QWidget>

#include <chrono>
#include <map>

class QLabel;
class QPushButton;
class QTableWidget;

namespace tawara {

class RooflinePlot;
class StripChart;

/// How well the computing devices are used: roofline, bandwidth and time per step over time, a
/// table of kernels.
class PerformancePanel : public QWidget
{
    Q_OBJECT
  public:
    explicit PerformancePanel(QWidget* parent = nullptr);
    /// Sums since the start of the run. Shown are differences to the newest other sums; the same
    /// ones again, or none at all, leave what is shown.
    void setKernels(const std::vector<simulation::KernelFigure>& kernels,
                    const simulation::Status& status);
    /// @param notCounted  why hardware counted no bytes; empty: it did
    void setCeilings(const device::Ceilings& c, const QString& device,
                     const QString& notCounted = {});
    void reset();
    RooflinePlot* roofline() { return m_roofline; }
    QTableWidget* table() { return m_table; }

  Q_SIGNALS:
    void measureRequested();
    void partitionRequested(); ///< show the heart coloured by device

  protected:
    void resizeEvent(QResizeEvent* e) override;

  private:
    RooflinePlot* m_roofline;
    StripChart *m_bandwidth, *m_step;
    QTableWidget* m_table;
    QPushButton* m_measure;
    void chooseColumns();
    /// What a kernel came to since its figures were shown before.
    struct Since
    {
        double steps, ms, bytes, flops;
    };
    void fillKernel(int row, const simulation::KernelFigure& k, const QString& name,
                    const Since& since);

    void showNewton(const std::optional<device::NewtonCounts>& counts);

    QLabel *m_ceilings, *m_above, *m_newton;
    bool m_counted = false; ///< hardware counted bytes of a kernel
    std::map<std::string, simulation::KernelFigure> m_before;
    std::int64_t m_stepsBefore = 0;
    std::chrono::steady_clock::time_point m_timeBefore{};
};

} // namespace tawara
