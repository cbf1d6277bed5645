#pragma once

#include "core/model/problem.h"

#include <string>

namespace stagecraft::model {

/// Identifies a problem as planners see it: the first 128 bits of SHA-256 over each part, as 32
/// hexadecimal digits. The bytes that are hashed are the numbers as IEEE 754 doubles, least byte first, and
/// texts with their length, so that the same problem has the same hash on every machine, before and after a
/// file. What planners do not look at is left out.
struct ProblemHash {
    /// Which network it is: its name, its layers' names and what feeds what. A layer's number means the same
    /// in profiles of one network.
    std::string network;
    /// Times and bytes at every microbatch size, edges, operators; no names.
    std::string profile;
    /// Devices and switches in their order, their servers, links with bandwidth and latency; no positions,
    /// names, ids or kinds; types where the profile has times that were measured on them.
    std::string cluster;
    std::string setup;
    bool operator==(const ProblemHash&) const = default;
};

ProblemHash hashOf(const Problem& problem);

/// How a plan that was made for one problem relates to another.
enum class PlanAge {
    current,       ///< nothing that a planner looks at differs
    outOfDate,     ///< planners would be given another problem now
    otherProfile,  ///< the layers are those of another network
};

/// Names alone make no difference; other names together with other numbers are another network.
PlanAge planAge(const ProblemHash& madeFor, const ProblemHash& now);
/// What differs: "setup", "profile and cluster", "profile, cluster and setup"; empty for PlanAge::current.
std::string changedParts(const ProblemHash& madeFor, const ProblemHash& now);

}  // namespace stagecraft::model
