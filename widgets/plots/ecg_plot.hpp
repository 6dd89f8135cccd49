// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QPointF>
#include <QStringList>
#include <QWidget>

#include <array>
#include <optional>
#include <span>
#include <vector>

namespace tawara {

/// The electrocardiogram: a strip that runs like a monitor's, or a sheet of all leads side by side,
/// on ECG paper. The leads on show share one gain, a standard one that fits itself; those of own
/// electrodes, which may stand near the heart, share another.
///
/// Mouse as in TracePlot: the wheel changes the length of time (it stops at the usual paper
/// speeds), a drag looks back, where the strip stands still and is linear in time; a double click
/// follows the run again and, where it is followed, takes the usual length; Shift + click sets the
/// cursors A and B, which a drag moves. The mouse, or the arrow keys, read the lead beneath.
///
/// @thread GUI thread
/// @cost   a paint is linear in the samples of the window and the leads on show
class EcgPlot : public QWidget
{
    Q_OBJECT
  public:
    enum class Layout { strip, sheet };
    explicit EcgPlot(QWidget* parent = nullptr);

    /// Other leads, or the same ones anew: no samples.
    void setLeads(const QStringList& names);
    /// What is said over the paper while the leads have no samples: when these come.
    void setWaiting(const QString& text);
    QString waiting() const
    {
        return m_times.empty() && !m_leads.isEmpty() ? m_waiting : QString();
    }
    /// Where that is said; empty: nothing is. Names of leads that it meets are left out.
    QRectF waitingArea() const;
    /// How many of these leads, the last, are of own electrodes; 0 of other leads until it is said.
    void setOwn(int count);
    /// @param mV  NaN where a lead was not there yet
    /// @pre  one span of values per lead, each as long as the times
    void append(std::span<const double> times, const std::vector<std::vector<float>>& mV);
    /// Keeps the leads as they are to compare with, dashed beneath those of the runs that follow;
    /// off: lets them go.
    /// @return whether there is something to compare with
    bool keep(bool on);
    bool keeps() const { return !m_kept.times.empty(); }
    void setLayout(Layout layout);
    Layout ecgLayout() const { return m_layout; }
    /// Leads that the strip shows; the sheet shows all.
    void setShown(const QStringList& names);
    /// Of the strip; the sheet takes at most 1200 ms of it.
    void setWindowMs(double ms);
    /// As recorders print: 25 mm/s and 10 mm/mV whatever the leads are, so that a large square is
    /// 200 ms and 0.5 mV, a small one 40 ms and 0.1 mV. The length of time follows from the width;
    /// a trace that is too large for its place runs over its neighbours'. Leads of own electrodes,
    /// which may have any size, keep a gain that fits, of at most 10 mm/mV.
    void setPaper(bool standard);
    bool paper() const { return m_paper; }
    /// Length of time that is shown, of the layout on show [ms].
    double windowMs() const
    {
        return m_paper ? m_paperMs : m_windows[m_layout == Layout::sheet ? 1 : 0];
    }
    bool following() const { return !m_end; }
    /// Cursors A (0) and B (1): what lies between them is said.
    void setMark(int which, std::optional<double> timeMs);
    std::optional<double> mark(int which) const { return m_marks[static_cast<std::size_t>(which)]; }
    /// What is said of the cursors: A, B, B − A, the rate of which that is the cycle, and B − A of
    /// each lead on show; empty where neither is in the window of time.
    QStringList markLines() const;
    /// The time of what is drawn at a place: of the beat that stands there, also where a sweep has
    /// written over an older one in part; nothing beside all traces.
    std::optional<double> timeAt(const QPointF& at) const;
    /// The lead of the trace at a place, or −1.
    int leadAt(const QPointF& at) const;
    /// A lead's value [mV], linear between samples; nothing where it has none.
    std::optional<double> valueAt(int lead, double timeMs) const;
    /// What is read beneath the mouse, or where the arrow keys went: the time and the lead's value.
    QStringList reading() const;
    /// Ends of what is shown [ms].
    std::array<double, 2> range() const;
    /// Where the measured QRS begins and ends, and T ends [ms], of each beat; NaN: not known. Each
    /// has a small mark on the traces of leads that are not own ones.
    void setEnds(std::vector<std::array<double, 3>> ends);
    const std::vector<std::array<double, 3>>& ends() const { return m_ends; }
    /// Paper speed [mm/s], of the same mm as the gain that the caption says.
    double paperSpeed() const;
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
    QSize minimumSizeHint() const override { return {150, 80}; }

  Q_SIGNALS:
    void changed(); ///< other samples, or another part of them on show

  protected:
    bool event(QEvent* e) override;
    void paintEvent(QPaintEvent* e) override;
    void mouseMoveEvent(QMouseEvent* e) override;
    void mousePressEvent(QMouseEvent* e) override;
    void mouseReleaseEvent(QMouseEvent* e) override;
    void mouseDoubleClickEvent(QMouseEvent* e) override;
    void wheelEvent(QWheelEvent* e) override;
    void leaveEvent(QEvent* e) override;
    void keyPressEvent(QKeyEvent* e) override;
    void resizeEvent(QResizeEvent* e) override;
    void changeEvent(QEvent* e) override;

  private:
    void paintPaper(QPainter& p, const QRectF& r, double msPerPixel, double pixelsPerMm) const;
    void paintLead(QPainter& p, const QRectF& r, std::size_t lead, double from, double to,
                   double mVPerPixel) const;
    /// One trace, and where its last sample is; nothing where it has none there.
    std::optional<double> paintTrace(QPainter& p, const QRectF& r, const std::vector<double>& times,
                                     const std::vector<float>& v, double from, double to,
                                     double mVPerPixel) const;
    void paintMoment(QPainter& p, const QRectF& r) const;
    double largest(double from, double to, bool own) const;
    void fitPaper(); ///< standard paper to leads and size
    Scale paperScale(bool own) const;
    bool isOwn(std::size_t lead) const;
    bool sweeps() const { return m_layout == Layout::strip && !m_end; }
    /// What is drawn over the traces: cursors, and what is read.
    void paintMarks(QPainter& p) const;
    void paintEnds(QPainter& p) const;
    void paintReading(QPainter& p) const;
    void paintFoot(QPainter& p) const;
    void paintWaiting(QPainter& p) const;
    QString differenceText(int lead) const; ///< B − A of a lead; empty where there is none
    void putMark(double timeMs);            ///< A, then B, then the nearer of the two
    std::optional<std::size_t> markNear(const QPointF& at) const;
    void zoom(double notches);
    void lookBackTo(double endMs);
    void goOn(); ///< follows the run; followed already: the usual length of time
    bool moveReading(int key, bool far);
    void say(); ///< the reading and the cursors, for those who cannot see them
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
    double toX(const QRectF& trace, double timeMs) const;

    QStringList m_leads, m_shown;
    QString m_waiting;
    int m_own = 0; ///< the last of the leads
    std::vector<double> m_times;
    std::vector<std::vector<float>> m_values;
    struct Kept
    {
        QStringList leads;
        std::vector<double> times;
        std::vector<std::vector<float>> values;
    };
    Kept m_kept;               ///< of an earlier run
    std::vector<float> m_most; ///< largest value of each lead without its sign [mV]
    std::array<double, 2> m_windows{2500, 1200}; ///< of strip and sheet [ms]
    std::optional<double> m_moment;
    std::optional<double> m_end; ///< right end of what is shown while not following [ms]
    std::optional<QPointF> m_pointer;
    std::array<std::optional<double>, 2> m_marks; ///< [ms]
    std::optional<std::size_t> m_pressMark;
    std::vector<std::array<double, 3>> m_ends;
    bool m_pulled = false; ///< a press became a drag
    double m_pressX = 0, m_pressEnd = 0;
    Layout m_layout = Layout::strip;
    bool m_paper = false;                ///< standard
    double m_paperPx = 1, m_paperMs = 1; ///< of it: pixels of a mm, length of time on show
};

} // namespace tawara
