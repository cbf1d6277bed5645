#pragma once

#include "core/simulation/validation/checks.h"

namespace stagecraft::validation {

/// The versions of a stage's weights on the timeline. Version v stands from the v-th update (0: from the
/// start) until the next, and longer while a microbatch that uses it is under way.
class WeightVersions {
public:
    explicit WeightVersions(const Context& context) : context_(context) { findUpdates(); }

    /// Updates of the stage that have ended at `seconds`.
    int newestAt(int stage, double seconds) const;
    /// The version that the plan's policy names for the microbatch's forward and backward.
    int namedFor(int stage, int iteration, int ordinal) const;
    /// +1 where a version begins to stand, -1 where it ends, unsorted; a version that never goes has no end.
    struct Change {
        double atS;
        int count;
    };
    std::vector<Change> changes(int stage) const;
    /// Greatest number of versions standing at once, and the instant at which it is first reached.
    struct Peak {
        int count = 1;
        double atS = 0;
    };
    Peak peak(int stage) const;

private:
    void findUpdates();

    const Context& context_;
    std::vector<std::vector<double>> updatesS_;  // by stage, ascending
};

}  // namespace stagecraft::validation
