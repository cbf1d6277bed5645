#pragma once

#include "core/validation/checks.h"

#include <optional>
#include <vector>

namespace stagecraft::validation {

/// The versions of a stage's weights on the timeline. Version v is from the v-th update (0: from the
/// start) until the next, and longer on each replica that has a microbatch under way which uses it. Weights
/// that are predicted are a copy of their own. A periodic pattern does not say when weights are updated: that
/// is at the end of a mini-batch's last backward on the stage.
class WeightVersions {
public:
    explicit WeightVersions(const Context& context) : context_(context) { findUpdates(); }

    /// Updates of the stage that have ended at `seconds`.
    int newestAt(int stage, double seconds) const;
    /// Updates ahead that a stage's bellwether expects by XPipe's Eq. (1) and (2) rounded half to even, or by
    /// E-XP-3's closed form.
    static int aheadByFormula(const Facts& facts, int stage, bool printed, bool backward);
    /// The version that the plan's policy names for the microbatch's forward and backward.
    int namedFor(int stage, int iteration, int ordinal) const;

    /// Weights other than the newest that a replica keeps for passes of a mini-batch.
    struct Kept {
        int version = 0;
        bool predicted = false;  ///< a copy that was made from the version
        double fromS = 0, untilS = 0;
        std::uint32_t lastUse = noBlock;
    };
    /// Of a replica of the stage, or of all of them if they split each microbatch; unsorted.
    std::vector<Kept> kept(int stage, int replica) const;

    /// The first instant at which a replica needs more than `most` sets of weights at once, the newest
    /// included, and the oldest of them.
    struct Excess {
        int count = 0;
        double atS = 0;
        Kept oldest;
    };
    std::optional<Excess> beyond(int stage, int replica, int most) const;

private:
    struct Updates {
        std::vector<double> atS;    // ascending
        std::vector<int> position;  // by iteration: how many come before its own
    };
    /// One mini-batch's forwards or backwards on a stage.
    struct Group {
        std::vector<std::uint32_t> first, last;  // blocks by ordinal: where a pass starts and where it ends
        double startsS = 0;                      // when the first of them does
        int version = 0;                         // the newest then
    };

    void findUpdates();
    double updateOf(int stage, int iteration) const;
    int newestBeforeOwn(int stage, int iteration, double seconds) const;
    Group groupOf(int stage, int iteration, bool backward) const;
    int ahead(int stage, int iteration, const Group& group, bool backward) const;
    int countedAhead(int stage, int iteration, int version) const;
    /// By version: the block in which its last use ends.
    using LastUses = std::vector<std::uint32_t>;
    void addNamed(int stage, int replica, LastUses& lastUses) const;
    void addPredicted(int stage, int replica, LastUses& lastUses, std::vector<Kept>& copies) const;
    void note(std::uint32_t& lastUse, std::uint32_t block) const;

    const Context& context_;
    std::vector<Updates> updates_;  // by stage
};

}  // namespace stagecraft::validation
