#pragma once

#include "core/model/cluster.h"

namespace stagecraft::editing {

/// A thing of a drawing that is moved as a whole.
struct DrawnBox {
    double left = 0, top = 0, width = 0, height = 0;
};

enum class Alignment { left, centre, right, top, middle, bottom };
/// How far each box moves so that all share that edge or centre line: of the box around them all, which does
/// not grow by it.
std::vector<Point> alignment(const std::vector<DrawnBox>& boxes, Alignment alignment);

enum class ArrangeAxis { horizontal, vertical };
/// How far each box moves so that the gaps between neighbours are equal; the outermost two stay. In the order
/// of their centres; ties keep their order. Nothing moves among fewer than three.
std::vector<Point> distribution(const std::vector<DrawnBox>& boxes, ArrangeAxis axis);

/// How far each box moves so that all are turned by 90 degrees to the right around the middle of the box
/// around them; each stays upright. Where they would then overlap and do not now, they move apart.
std::vector<Point> quarterTurn(const std::vector<DrawnBox>& boxes);

}  // namespace stagecraft::editing
