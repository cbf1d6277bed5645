#pragma once

#include "core/model/group.h"
#include "core/model/layer_profile.h"

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace stagecraft::model {

/// What a measurement is of, by which those of a layer are ordered (Layer::onRanks).
std::tuple<std::string, int, bool, int> keyOf(const RankMeasurement& measured);

// What was measured of a layer on the ranks of a group of the profile's own GPUs (Layer::onRanks). It speaks
// of tensor parallelism alone: of a group that divides sequences or experts too nothing is measured.

/// Anything of it, times or bytes.
bool isMeasuredOn(const Layer& layer, const Group& group);
/// The microbatch sizes at which times were taken, ascending; empty: none were.
std::vector<int> timedSizesOn(const Layer& layer, const Group& group);
/// Whether times were taken of any of these layers: what the group's ranks send is in them.
bool isTimedOn(const LayerProfile& profile, int firstLayer, int lastLayer, const Group& group);
/// Of a rank for a microbatch of so many samples, between sizes and beyond them as weightsAtSize() has it.
/// @param group on which times were taken
LayerTimes timesOn(const Layer& layer, const Group& group, double samples);
/// Bytes of a rank's parameters: those at the least size. Nothing: not measured.
std::optional<double> parameterBytesOn(const Layer& layer, const Group& group);
/// Of a microbatch of so many samples, as times are. Nothing: not measured.
std::optional<double> storedBytesOn(const Layer& layer, const Group& group, double samples);

/// "tensor parallel by 2; by 4 with sequence parallelism": on what times were taken; empty: on nothing.
std::string measuredGroupsText(const Layer& layer);

/// What is measured of a layer that is made of others: where all of them were.
class RankMeasurementSum {
public:
    void add(const Layer& part);
    std::vector<RankMeasurement> of(const Layer& whole) const;

private:
    std::map<std::tuple<std::string, int, bool, int>, RankMeasurement>
        sums_;  // by what they were measured on
    bool isFirst_ = true;
    double stored_ = 0;
};

}  // namespace stagecraft::model
