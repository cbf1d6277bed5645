#pragma once

#include "core/model/cluster.h"
#include "views/figures/figure.h"

namespace stagecraft::views::interconnect {

struct BandwidthFigureOptions {
    double widthMm = 88.9;
    double fontPt = 7;
    double numberPt = 7;  ///< of the numbers in the cells
    bool numbers = true;  ///< GB/s in the cells, where they fit
    bool legend = true;   ///< the scale of colours
};

/// The bandwidth between each two devices, along the widest path, as a matrix of cells on a logarithmic
/// scale.
/// @throws std::invalid_argument if there are fewer than two or more than 1,024 devices, or width or type are
/// out of bounds
Figure bandwidthFigure(const Cluster& cluster, const BandwidthFigureOptions& options = {});

}  // namespace stagecraft::views::interconnect
