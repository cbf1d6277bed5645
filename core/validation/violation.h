#pragma once

#include "core/model/timeline.h"

#include <cstdint>
#include <string>

namespace stagecraft::validation {

/// The rules of MODEL.md section 4, one id each.
enum class Rule {
    layerCoverage,  ///< each layer in exactly one stage of each pipeline, stages contiguous and in order
    knownDevices,   ///< every device exists, none twice in a stage
    everyMicrobatchOnce,
    blockDuration,
    dataDependency,  ///< starts respect data, transfers and recompute
    deviceExclusive,
    channelExclusive,
    orderRespected,
    allReduceAfterBackward,
    updateAfterAllReduce,
    synchronousBarrier,
    weightVersion,
    memoryLimit,
    sharedLinks,  ///< what crosses a link at one time shares it max-min fairly, where the setup says so
    periodicPattern,
};
const char* ruleName(Rule rule);  ///< "layer-coverage", …

struct Violation {
    Rule rule;
    std::string message;  ///< one sentence with stage, microbatch, device, times and what was expected
    std::uint32_t block = noBlock;  ///< where to jump
};

}  // namespace stagecraft::validation
