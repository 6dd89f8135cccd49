// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/export/job.hpp"
#include "app/work_pool.hpp"
#include "engine/simulation/tissue/new_mesh.hpp"
#include "engine/simulation/tissue/velocity_estimate.hpp"

#include <QDialog>
#include <QTimer>

#include <array>
#include <optional>

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QVBoxLayout;

namespace tawara {

class NumberBox;

/// What is said of a mesh before it is made.
struct MeshSaid
{
    QString text;    ///< rich
    QString warning; ///< it can be made, but
    QString error;   ///< why it cannot be made
};

/// A mesh before and after its refinement, how fast waves run on it, and by which conductivities.
struct RefinementSaid
{
    simulation::MeshForecast mesh;
    simulation::VelocityEstimate velocity;
    diffusion::Conductivity conductivity_S_per_m;
    std::optional<Vec3> target; ///< of raised conductivities: what waves should run at [mm/ms]
};
/// The two side by side.
/// @param region  the region whose velocities they are, for people; empty: no velocity is known
MeshSaid describeRefinement(const RefinementSaid& now, const RefinementSaid& after,
                            diffusion::Scheme scheme, const QString& region);

/// Asks for a mesh to be made: what it will have and take is said while values are chosen, making
/// runs elsewhere with a bar and Cancel, and ends with a session on the mesh. The window stays
/// usable. The dialog stays, and the mesh with it, until somebody closes it: its button offers to
/// open that mesh while the values are those that it was made of.
///
/// @thread GUI thread; nothing here takes long
class MeshDialog : public QDialog
{
    Q_OBJECT
  public:
    /// @param scratch  the file that the mesh is written to when none is chosen
    /// @param current  the session that is open
    MeshDialog(const QString& title, QString scratch, simulation::Session current,
               QWidget* parent = nullptr);
    ~MeshDialog() override;
    virtual simulation::MeshRecipe recipe() const = 0;
    /// What making the mesh may use.
    void setContext(const Context& context) { m_context = context; }
    /// Where the mesh goes; empty: to a temporary place.
    void setFile(const QString& path);
    /// Makes the mesh, where it is not there yet; then made().
    void make();
    bool busy() const { return m_job != nullptr; }
    /// Whether what is shown is of the values that are shown.
    bool described() const { return m_described; }
    QString said() const;
    /// What the format of the mesh's file had no place for.
    const Notices& lost() const { return m_lost; }

  Q_SIGNALS:
    /// It is to be opened; who opens it closes the dialog.
    void made(const tawara::simulation::Session& session);
    void failed(const QString& reason);

  protected:
    void reject() override;
    void showEvent(QShowEvent* e) override;
    QVBoxLayout* body() { return m_body; }
    const simulation::Session& current() const { return m_current; }
    /// Keeps room for so many lines of what is said of the mesh, so that the buttons stay in place.
    void reserveRows(int rows);
    /// After a change of a value.
    void changed();
    /// Says what the recipe gives; called on a worker with a copy of what it needs.
    using Describer = std::function<MeshSaid(const Progress&)>;
    virtual Describer describer() const;
    /// An error of the engine in the words of the dialog.
    virtual QString worded(const QString& error) const { return error; }

  private:
    void describe();
    void say(const MeshSaid& said);
    void chooseFile();
    void makeRoom(); ///< for texts that became longer
    void ended(const QString& reason);
    /// The session on the mesh as it is chosen; nothing: there is none.
    void keep(std::optional<simulation::Session> made);

    QString m_scratch;
    simulation::Session m_current;
    QWidget* m_values; ///< what the mesh is made of: not changed while it is made
    QWidget* m_said;   ///< forecast, warning and error
    QVBoxLayout* m_body;
    QLabel *m_text, *m_warning, *m_error, *m_stage;
    QLineEdit* m_file;
    QProgressBar* m_bar;
    QPushButton *m_make, *m_close, *m_choose;
    QTimer m_due;
    quint64 m_asked = 0;
    bool m_described = false, m_closing = false;
    std::stop_source m_describing;
    std::unique_ptr<Job> m_job;
    Context m_context;
    std::optional<simulation::Session> m_made;
    Notices m_lost;
    WorkPool m_pool;
};

/// File > New heart: the parameters of the generator (mesh/generator/heart.hpp).
class HeartDialog : public MeshDialog
{
    Q_OBJECT
  public:
    HeartDialog(const QString& scratch, const simulation::Session& current,
                QWidget* parent = nullptr);
    simulation::MeshRecipe recipe() const override;
    mesh::generator::HeartParameters parameters() const;
    void setParameters(const mesh::generator::HeartParameters& p);

  protected:
    QString worded(const QString& error) const override;

  private:
    /// A column's heading with rows of parameters below it, or no rows.
    QFormLayout* group(QVBoxLayout* column, const QString& title, std::size_t from = 0,
                       std::size_t to = 0);
    void shapeChosen();

    QComboBox* m_shape;
    std::vector<NumberBox*> m_numbers; ///< in the order of parameter_table()
};

/// File > New slab.
class SlabDialog : public MeshDialog
{
    Q_OBJECT
  public:
    SlabDialog(const QString& scratch, const simulation::Session& current,
               QWidget* parent = nullptr);
    simulation::MeshRecipe recipe() const override;

  private:
    std::array<NumberBox*, 3> m_size;
    NumberBox* m_spacing;
};

/// Mesh > Refine: what is open, and what it will be.
class RefineDialog : public MeshDialog
{
    Q_OBJECT
  public:
    RefineDialog(std::shared_ptr<const mesh::TetMesh> mesh, const QString& scratch,
                 const simulation::Session& current, QWidget* parent = nullptr);
    simulation::MeshRecipe recipe() const override;

  protected:
    Describer describer() const override;

  private:
    std::shared_ptr<const mesh::TetMesh> m_mesh;
    QComboBox* m_times;
    QCheckBox* m_lower;
};

} // namespace tawara
