#pragma once

#include "core/base/parameters.h"
#include "core/experiments/experiment.h"
#include "core/model/cluster.h"

#include <nlohmann/json.hpp>

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

/// Everything of the experiment that may vary, in the order in which people look for it. Parts that are in
/// other files are not looked into. Never throws: of a base that makes no problem only what it says itself is
/// listed.
std::vector<VariableField> variableFields(const Experiment& experiment);
/// Of these the parameters of its planners, which are last, in the group of that name.
std::vector<VariableField> plannerFields(const Experiment& experiment);
inline constexpr char plannersGroup[] = "Planners";
/// The field that the axis varies, if one can say all of its values; or nullptr.
const VariableField* findField(const std::vector<VariableField>& fields, const Axis& axis);

/// The base with that value set. @throws std::invalid_argument a sentence for the field
std::string withValue(const Experiment& experiment, const VariableField& field, const std::string& text);
/// The base with what axes over its fields need to rest on: an entry for each kind of link, the layers that
/// are repeated.
std::string baseWithTargets(const Experiment& experiment);

// How the values of a VariableField are written in JSON, and how people write them.

/// The parts of a base that make its problem.
nlohmann::json plainBase(const nlohmann::json& base);
/// Kinds of links in the order of the cluster's changes: those that have one, then the others as they come.
std::vector<std::string> linkKindsOf(const nlohmann::json& base, const Cluster* cluster);
/// Empty for what is no value of that parameter.
std::string jsonText(const Parameter& parameter, const nlohmann::json& value);
/// "3x4 pcie + 5x4 nvlink"
std::string mixText(const nlohmann::json& groups);
/// "32-40 Gbit/s"
std::string drawnText(const nlohmann::json& ends);
/// A number of a layer, device or link, by the name of its field. @param of what it belongs to
Parameter numberNamed(const std::string& field, const std::string& of);

}  // namespace stagecraft::experiments
