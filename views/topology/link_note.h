#pragma once

#include "views/topology/topology_links.h"

#include <QFont>
#include <QPainter>

namespace stagecraft::views {

/// What the lines between servers stand for, in the lower left corner of a canvas.
class LinkNote {
public:
    /// In as many lines as the text takes in that room, pixels.
    LinkNote(const TopologyLinks& links, QFont font, QSize room);

    /// Empty: there is nothing to say.
    QRect box() const { return box_; }
    void paint(QPainter& painter) const;

private:
    QString text_;
    QFont font_;
    QRect box_;
};

}  // namespace stagecraft::views
