// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/study/forecast.hpp"

#include <QDialog>

class QCheckBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QStackedWidget;

namespace tawara {

class ChoiceBox;
class StudyPage;

/// A new study of the session that is open: what differs between its runs, what it keeps, where it
/// lies; how many runs that is, how long they take, how much stays on disk.
///
/// @thread GUI thread
class StudyDialog : public QDialog
{
    Q_OBJECT
  public:
    enum Kind { sites, values, doses };
    /// @param session     that is open; kept
    /// @param mesh        how large its mesh is
    /// @param ms_per_s    speed of the run in the window; 0: not known
    /// @param folder      that is offered for the study, with its kind behind it
    StudyDialog(const simulation::Session& session, const study::MeshCount& mesh, double ms_per_s,
                const QString& folder, QWidget* parent = nullptr);
    const simulation::Session& session() const { return m_session; }
    const study::MeshCount& mesh() const { return m_mesh; }
    study::NewStudy study() const;
    QString folder() const;
    /// It is being made: nothing can be changed meanwhile.
    void setMaking(bool on);
    /// Why it could not be made.
    void setFault(const QString& text);

  Q_SIGNALS:
    void makeRequested();

  private:
    void makeKeep();
    void chooseFolder();
    void showKind();
    void describe();
    Kind kind() const;
    StudyPage* page() const;

    const simulation::Session m_session;
    const study::MeshCount m_mesh;
    const double m_msPerS;
    const QString m_offered;
    ChoiceBox* m_kind;
    QStackedWidget* m_pages;
    QLineEdit *m_name, *m_folder;
    QWidget *m_keep, *m_form;
    QCheckBox *m_activation, *m_ecg, *m_frames;
    QLabel *m_forecast, *m_fault;
    QPushButton* m_make;
};

/// "17 runs. About 12 min at the speed of the run in the window. About 34 MB."
QString forecastText(const study::Forecast& f, double ms_per_s);

} // namespace tawara
