#pragma once

#include "views/topology/topology_links.h"

#include <QFont>
#include <QPainter>
#include <QStringList>

namespace stagecraft::views::topology {

/// What the colours of lines are, with their rates, in rows at the lower left of a canvas.
class LinkLegend {
public:
    /// @param bottom of the room for it, pixels @param width of the canvas
    LinkLegend(const TopologyLinks& links, QFont font, int width, int bottom);

    /// Empty: there are no links.
    QRect box() const { return box_; }
    QStringList texts() const;
    /// Of the line before each text, pixels; 0: there is none.
    std::vector<int> thicknesses() const;
    void paint(QPainter& painter) const;

private:
    struct Entry {
        QString text;
        QColor colour;  ///< none: words alone
        QPoint at;
        int thickness = 0;
    };
    std::vector<Entry> entries_;
    QFont font_;
    QRect box_;
};

}  // namespace stagecraft::views::topology
