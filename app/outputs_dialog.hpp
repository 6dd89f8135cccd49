// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/models/edit_stack.hpp"

#include <QDialog>

#include <vector>

class QLabel;

namespace tawara {

namespace simulation {
struct Key;
}
class NumberBox;

/// Run > Outputs: the numbers under "output" of a session, a field for each row of the table of
/// session keys.
///
/// @thread GUI thread
class OutputsDialog : public QDialog
{
    Q_OBJECT
  public:
    /// @param current  the session that is open
    explicit OutputsDialog(const simulation::Session& current, QWidget* parent = nullptr);
    /// Sets what was changed; null: nothing was.
    SessionChange change() const;
    /// Whether the run has to begin anew with what was changed.
    bool startsAnew() const;

  private:
    struct Field
    {
        const simulation::Key* key;
        NumberBox* box;
        double shown; ///< as the box showed the session's, which may have more digits
    };
    bool isChanged(const Field& f) const;
    void describe();

    std::vector<Field> m_fields;
    QLabel* m_said;
};

} // namespace tawara
