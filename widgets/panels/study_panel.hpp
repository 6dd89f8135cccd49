// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/models/study_model.hpp"

#include <QImage>
#include <QWidget>

class QBoxLayout;
class QLabel;
class QProgressBar;
class QPushButton;
class QSortFilterProxyModel;
class QStackedWidget;
class QToolButton;
class QTreeView;

namespace tawara {

class BullseyePlot;
class ChoiceBox;
class PictureBox;

/// A study: many runs of one session. What it is and how far, its runs as a table, the AHA segments
/// at which re-entry was induced, the picture of a chosen run. Takes values and asks for what to
/// do; knows no scheduler.
///
/// @thread GUI thread
class StudyPanel : public QWidget
{
    Q_OBJECT
  public:
    /// What this program does with the study.
    struct Work
    {
        bool computing = false; ///< it takes runs
        bool stopping = false;  ///< it was asked to stop, and has not yet
        QString text;           ///< what it is at, before the first run
        bool operator==(const Work&) const = default;
    };
    explicit StudyPanel(QWidget* parent = nullptr);

    /// Null: none is open.
    void setStudy(const StudyViewPtr& view);
    void setWork(const Work& work);
    void setProgress(const RunProgress& progress) { m_model->setProgress(progress); }
    /// What is left of it, and what it takes on disk; one line each.
    void setEstimate(const QString& text);
    /// The picture of the run that was chosen; null: it has none.
    void setPicture(const QImage& picture);
    /// Why nothing new is seen of it; empty: all is well.
    void setTrouble(const QString& text);

    StudyModel* model() { return m_model; }
    const Work& work() const { return m_work; }

  Q_SIGNALS:
    void newRequested();
    void openRequested();
    void exampleRequested();
    void closeRequested();
    void startRequested(bool failedToo); ///< failedToo: failed runs are tried again
    void stopRequested();
    void reportRequested();
    void folderRequested();
    void commandRequested();                 ///< the command line that goes on with it
    void runChosen(std::int64_t run);        ///< in the table; -1: none
    void runActivated(std::int64_t run);     ///< by a double click or Return
    void runPageRequested(std::int64_t run); ///< its page
    void runFolderRequested(std::int64_t run);

  protected:
    void resizeEvent(QResizeEvent* e) override;

  private:
    QWidget* makeEmpty();
    QWidget* makeSummary();
    QWidget* makeTable();
    QWidget* makeSites();
    void connectTable();
    void fillMenu();
    void arrange();
    void showSummary();
    /// Why the chosen run failed, or else the first that did.
    void showFailure();
    void showButtons();
    void showSites();
    void showEye(const SegmentOutcomes& s, bool after);
    /// The run of a row of the table as it is sorted; -1: none.
    std::int64_t chosenRun() const;
    QString countsText() const;

    StudyModel* m_model;
    QSortFilterProxyModel* m_sorted;
    StudyViewPtr m_view;
    Work m_work;
    std::vector<SegmentOutcomes> m_outcomes;
    QStackedWidget *m_pages, *m_pictures;
    QBoxLayout* m_columns = nullptr;
    QLabel *m_name, *m_counts, *m_inducible, *m_estimate, *m_failed, *m_trouble;
    QProgressBar* m_progress;
    QPushButton *m_start, *m_report;
    QToolButton *m_again, *m_more;
    QTreeView* m_table;
    QWidget* m_sites = nullptr;
    ChoiceBox* m_which;
    BullseyePlot* m_eye;
    PictureBox* m_picture;
};

} // namespace tawara
