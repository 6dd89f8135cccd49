// SPDX-License-Identifier: GPL-3.0-or-later
// What a new study asks for, kind by kind: pages of StudyDialog.
#pragma once
#include "engine/study/new_study.hpp"

#include <QWidget>

#include <vector>

class QCheckBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QListWidget;
class QRadioButton;

namespace tawara {

class BullseyePlot;
class NumberBox;

/// A page that adds its part to a study.
class StudyPage : public QWidget
{
    Q_OBJECT
  public:
    virtual void addTo(study::NewStudy& s) const = 0;
    /// What is missing or wrong; empty: nothing.
    virtual QString fault() const = 0;

  Q_SIGNALS:
    void changed();
};

/// Programmed stimulation of sites: which, S1, extrastimuli, the pulse.
class SitesPage : public StudyPage
{
    Q_OBJECT
  public:
    /// @param session  whose pacing sites can be chosen, too
    explicit SitesPage(const simulation::Session& session);
    void addTo(study::NewStudy& s) const override;
    QString fault() const override;

  private:
    struct Field
    {
        NumberBox* box;
        double study::Induction::*number;
    };
    QWidget* makeSites(const simulation::Session& session);
    QWidget* makeProtocol();
    void setSegments(const std::vector<int>& segments);
    std::vector<int> segments(QString* notTaken = nullptr) const;

    std::vector<study::PacingSite> m_places; ///< of the session
    QLineEdit* m_segments;
    QCheckBox* m_own;
    BullseyePlot* m_eye;
    NumberBox *m_count, *m_extra;
    std::vector<Field> m_fields;
};

/// One or two keys of the session, each with several values.
class ValuesPage : public StudyPage
{
    Q_OBJECT
  public:
    explicit ValuesPage(const simulation::Session& session);
    void addTo(study::NewStudy& s) const override;
    QString fault() const override;

  private:
    /// A key of the session as --set names it.
    struct Known
    {
        QString path, now, unit, what; ///< now: its value; empty: its default
    };
    struct Axis
    {
        QLineEdit *key, *values;
        QLabel* about;
    };
    void addKnown(const simulation::Session& session);
    const Known* known(const QString& path) const;
    void describe(const Axis& a);
    QString faultOf(const Axis& a) const;

    std::vector<Known> m_known;
    std::vector<Axis> m_axes;
};

/// Known drugs at several concentrations.
class DosesPage : public StudyPage
{
    Q_OBJECT
  public:
    DosesPage();
    void addTo(study::NewStudy& s) const override;
    QString fault() const override;

  private:
    QListWidget* m_drugs;
    QRadioButton *m_cmax, *m_nM;
    QLineEdit* m_values;
};

/// What stands between the commas of a text, without blanks around it.
QStringList textParts(const QString& text);
/// "0.1, 0.2, epi" as JSON values: numbers, true, false, and all else as text.
std::vector<std::string> valuesOf(const QString& text);
/// "0.1, 0.2" as numbers. @param notTaken  the first part that is none
std::vector<double> realsOf(const QString& text, QString* notTaken = nullptr);

} // namespace tawara
