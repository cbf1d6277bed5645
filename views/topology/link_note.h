#pragma once

#include "views/topology/topology_links.h"

#include <QFont>
#include <QPainter>

namespace stagecraft::views::topology {

/// What the lines between servers represent, and what is folded, in the lower left corner of a canvas.
class LinkNote {
public:
    /// In as many lines as the text takes in that room, pixels.
    /// @param folded foldedInWords()
    LinkNote(const TopologyLinks& links, const QString& folded, QFont font, QSize room);

    /// Empty: there is nothing to say.
    QRect box() const { return box_; }
    const QString& text() const { return text_; }
    void paint(QPainter& painter) const;

private:
    QString text_;
    QFont font_;
    QRect box_;
};

}  // namespace stagecraft::views::topology
