#pragma once

#include "views/rooms.h"

#include <QPointF>
#include <QSizeF>

#include <vector>

namespace stagecraft::views::topology {

/// Boxes of any sizes in columns and rows that are as wide and as high as what is in them.
class ServerGrid {
public:
    /// Columns and rows as near to a screen's shape as can be had with few empty places. @param together how
    /// many that follow each other belong together (the servers of a leaf switch): from 2 on the boxes go
    /// down the columns, and none of these groups goes on in another column
    ServerGrid(std::vector<QSizeF> sizes, int together);

    int rows() const { return rows_; }
    double width() const;
    double height() const;
    /// Above a row, or above what comes below the last.
    double top(int row) const;
    int rowOf(int index) const;
    /// Of the box, in the middle of its column and at the top of its row.
    QPointF corner(int index) const;

private:
    void arrange(int columns);
    int columnOf(int index) const;
    double cost() const;
    int count() const { return static_cast<int>(sizes_.size()); }

    std::vector<QSizeF> sizes_;
    bool down_ = false;
    int columns_ = 0, rows_ = 0;
    std::vector<double> widths_, heights_;
};

}  // namespace stagecraft::views::topology
