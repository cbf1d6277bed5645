#pragma once

#include "core/planners/vpipe/changing_network.h"
#include "views/rooms.h"

#include <QColor>
#include <QString>

#include <vector>

namespace stagecraft::views::vpipe {

inline constexpr double layersShare = 0.3;  ///< of the height of lines and layers

/// One of the systems whose throughput over time is drawn.
struct ThroughputSeries {
    const char* title;
    const char* role;
    double planners::vpipe::ThroughputPoint::*value;
    QColor onLight, onDark;
    double widthMm;
    std::vector<double> dashMm;
};

/// From what is at the bottom to what is on top.
const std::vector<ThroughputSeries>& throughputSeries();

/// What lasts from one point to the next.
struct ThroughputSpan {
    double fromS = 0, toS = 0;
    std::size_t point = 0;
};
/// Points that last no time, because layers have migrated at once where what was there cannot go on, have
/// none.
std::vector<ThroughputSpan> throughputSpans(const std::vector<planners::vpipe::ThroughputPoint>& points);
/// Everything about a point, as rich text.
QString throughputText(const planners::vpipe::ThroughputPoint& point);

/// The points at which something happened to the network: not those at which layers only moved, nor start and
/// end.
std::vector<std::size_t> networkChanges(const std::vector<planners::vpipe::ThroughputPoint>& points);
/// "+8 on stage 0" for "8 layers added to stage 0".
QString shortChange(const QString& what);
/// Where there is even less room: "+8 on 0".
QString shorterChange(const QString& what);

/// The most layers that the network has at any time.
double mostLayersOf(const std::vector<planners::vpipe::ThroughputPoint>& points);
/// The largest throughput of any series; 0 if all are 0.
double mostThroughputOf(const std::vector<planners::vpipe::ThroughputPoint>& points);

}  // namespace stagecraft::views::vpipe
