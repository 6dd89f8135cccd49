// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/view_controller.hpp"
#include "widgets/models/ball_index.hpp"

#include <QObject>

#include <memory>
#include <optional>
#include <set>

namespace tawara {

class Document;
class MessageBar;
class TissuePanel;

/// Painting of tissue with the brush: a stroke shows at once, and is one edit of the session when
/// it ends.
///
/// @thread GUI thread
class PaintingController : public QObject
{
    Q_OBJECT
  public:
    PaintingController(Document& document, ViewController& views, TissuePanel& tissue,
                       MessageBar& message);
    /// Where the mesh has tissue; null: the brush has to wait for it.
    void setBall(std::shared_ptr<const BallIndex> ball) { m_ball = std::move(ball); }
    bool ready() const { return m_ball != nullptr; }
    void paint(const scene::Pick& pick, bool erase);
    void endStroke();

  Q_SIGNALS:
    void strokeBegins(); ///< it changes the tissue of now

  private:
    /// Whether there is something for the stroke to paint or rub out.
    bool begin(bool erase);

    Document& m_document;
    ViewController& m_views;
    TissuePanel& m_tissue;
    MessageBar& m_message;
    std::shared_ptr<const BallIndex> m_ball;
    std::set<std::int64_t> m_painted;
    int m_region = -1;                         // of the stroke under way
    bool m_touched = false;                    // it has met tissue
    std::optional<simulation::Region> m_fresh; // what it makes
};

} // namespace tawara
