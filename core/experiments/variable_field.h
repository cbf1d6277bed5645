#pragma once

#include "core/base/parameters.h"
#include "core/experiments/experiment.h"

#include <string>
#include <vector>

namespace stagecraft::experiments {

/// A part of an experiment that a person may set in its base or let an axis vary.
struct VariableField {
    enum class Kind {
        plain,           ///< the value is in the file as it is
        linkBandwidth,   ///< of all links of `linkKind`, as an entry of the cluster's changes
        linkFactor,      ///< the same, times what it is
        drawnBandwidth,  ///< the two ends of what is drawn from, in Gbit/s: "32-40 Gbit/s"
        serverMix,       ///< groups of servers: "3x4 pcie + 5x4 nvlink"
        file,            ///< a path, relative to the experiment's directory
    };
    Kind kind = Kind::plain;
    std::vector<std::string> pointers;  ///< each gets the value
    std::vector<std::string> groups;    ///< where it is found: "Cluster", "GPUs", "s0g0"
    /// Its label, what it measures and what it may be; `name` is what an axis over it is called at first.
    Parameter value;
    std::string present;  ///< as a person would write it; empty: nothing is set
    std::string linkKind;
    std::string groupsJson;  ///< serverMix: the groups of the base, whose ranges new ones take over
    bool seed = false;
    bool settable = true;  ///< false: an axis alone may set it
};

/// The value that a text spells. @throws std::invalid_argument a sentence for the field
AxisValue readValue(const VariableField& field, const std::string& text);
/// The text from which readValue makes these changes; empty if there is none.
std::string valueText(const VariableField& field, const AxisValue& value);

}  // namespace stagecraft::experiments
