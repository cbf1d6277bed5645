#pragma once

#include "core/formats/measurements/measured_ends.h"
#include "core/formats/native/formats.h"

#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::formats {

/// A cluster with the rates that were measured, and what is to be said of it.
struct MeasuredCluster {
    Cluster cluster;
    std::vector<ImportNote> notes;
    int links = 0;  ///< that have a measured rate now
};

/// Replaces the rates of the links that were measured, and keeps what they had as Link::derivedBps. A rate of
/// a pair is that of the links on its way (Interconnect::path) that are the narrowest there, and of those
/// that would be narrower than what was measured; of several rates of a link the best counts. A latency is
/// shared by those links alike, less what the others on the way have.
/// @throws InputError if nothing of the text is of a link of the cluster
MeasuredCluster withMeasurements(const Cluster& cluster, const Measurements& measured,
                                 const std::string& file, const MeasuredWhere& where = {});
/// Of a text. @throws InputError
MeasuredCluster withMeasurements(const Cluster& cluster, std::string_view text, const std::string& file,
                                 const MeasuredWhere& where = {});

}  // namespace stagecraft::formats
