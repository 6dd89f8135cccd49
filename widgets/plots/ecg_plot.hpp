// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QStringList>
#include <QWidget>

#include <optional>
#include <span>
#include <vector>

namespace tawara {

/// The electrocardiogram: a strip that runs like a monitor's, or a sheet of all leads side by side,
/// on ECG paper. The leads on show share one gain, a standard one that fits itself; those of own
/// electrodes, which may stand near the heart, share another.
///
/// @thread GUI thread
class EcgPlot : public QWidget
{
    Q_OBJECT
  public:
    enum class Layout { strip, sheet };
    explicit EcgPlot(QWidget* parent = nullptr);

    /// Other leads, or the same ones anew: no samples.
    void setLeads(const QStringList& names);
    /// How many of these leads, the last, are of own electrodes; 0 of other leads until it is said.
    void setOwn(int count);
    /// @param mV  NaN where a lead was not there yet
    /// @pre  one span of values per lead, each as long as the times
    void append(std::span<const double> times, const std::vector<std::vector<float>>& mV);
    void setLayout(Layout layout);
    Layout ecgLayout() const { return m_layout; }
    /// Leads that the strip shows; the sheet shows all.
    void setShown(const QStringList& names);
    void setWindowMs(double ms);
    /// The moment that is shown elsewhere: a cursor stands there, and what is shown holds it;
    /// nothing: none, and the newest sample is followed.
    void setMoment(std::optional<double> timeMs);
    std::optional<double> moment() const { return m_moment; }
    /// Where the traces of a lead are within the plot: beside its name; empty where it is not
    /// shown.
    QRectF traceArea(int lead) const;
    /// Where the size of a square is written: beside all traces.
    QRectF captionArea() const;
    /// Distance of the strong lines in units of the usual ones (200 ms, 5 mm): 1, or as many as
    /// it takes for them to stay apart on so few pixels.
    static int squareStep(double pixels);
    struct Scale
    {
        double gain = 10;       ///< [mm/mV] of paper
        double pixelsPerMm = 4; ///< of the paper
    };
    /// Of all leads on show, or of the own ones among them: the largest of the gains 40, 20, 10, 5
    /// and 2.5 mm/mV at which none of them leaves its cell. The paper is as large as on paper, or
    /// smaller by up to a third; at 2.5 as small as it takes.
    Scale scale(bool own = false) const;
    /// What is written below: gains and squares.
    QString caption() const;
    const QStringList& leads() const { return m_leads; }
    std::size_t sampleCount() const { return m_times.size(); }
    const std::vector<double>& times() const { return m_times; }
    const std::vector<float>& lead(int i) const { return m_values[static_cast<std::size_t>(i)]; }
    QSize sizeHint() const override { return {600, 200}; }
    QSize minimumSizeHint() const override { return {260, 110}; }

  protected:
    void paintEvent(QPaintEvent* e) override;

  private:
    void paintPaper(QPainter& p, const QRectF& r, double msPerPixel, double pixelsPerMm) const;
    void paintLead(QPainter& p, const QRectF& r, std::size_t lead, double from, double to,
                   double mVPerPixel, bool sweep) const;
    void paintMoment(QPainter& p, const QRectF& r, double from, double to, bool sweep) const;
    double largest(double from, double to, bool own) const;
    bool isOwn(std::size_t lead) const;
    double windowShown() const; ///< [ms]
    /// Leads on show, and how they are arranged.
    struct Cells
    {
        std::vector<std::size_t> shown;
        int columns = 1, rows = 1;
        double names = 0; ///< width of the column of names
    };
    Cells cells() const;
    QRectF cell(const Cells& c, std::size_t k) const; ///< name and trace
    double newest() const;                            ///< end of what is shown

    QStringList m_leads, m_shown;
    int m_own = 0; ///< the last of the leads
    std::vector<double> m_times;
    std::vector<std::vector<float>> m_values;
    double m_windowMs = 2500;
    std::optional<double> m_moment;
    Layout m_layout = Layout::strip;
};

} // namespace tawara
