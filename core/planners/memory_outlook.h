#pragma once

#include "core/base/work_context.h"
#include "core/cost/cost_model.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft::planners {

/// So many stages of equal time under 1F1B, and what their fullest device holds when it is simulated.
struct TriedLayout {
    int stages = 1;
    int copies = 1;         ///< devices of each
    double heldBytes = 0;   ///< activations among them
    double limitBytes = 0;  ///< of that device

    bool fits() const { return heldBytes <= limitBytes; }
    double lackingBytes() const { return heldBytes - limitBytes; }  ///< below 0: what is left
};

/// What no plan can go below: weights, gradients, master weights and optimizer state of one copy of the
/// network, over all devices together, and those of its largest layer on one device (shared among all, as
/// far as the setup shares: ZeRO, SC 2020, Sec. 5). Activations come on top. Bytes.
struct LeastMemory {
    int devices = 0;
    double statesBytes = 0;
    double limitBytes = 0;  ///< that devices have together, less what the setup reserves
    std::string layer;      ///< the one with the largest states
    double layerBytes = 0;
    double largestLimitBytes = 0;  ///< of one device, less what the setup reserves
    double reservedBytes = 0;      ///< on each

    bool isBeyond() const { return statesBytes > limitBytes || layerBytes > largestLimitBytes; }
};
LeastMemory leastMemory(const Problem& problem);

/// What can be said of memory before a planner runs: that no plan fits, that some plan does, or neither.
struct MemoryOutlook {
    LeastMemory least;
    /// The first that fits, from the most stages on; else the one that lacks least. None where no plan can
    /// fit, or stages never come out even.
    std::optional<TriedLayout> tried;

    bool cannotFit() const { return least.isBeyond(); }
    bool fits() const { return tried && tried->fits(); }
};
/// @throws base::Cancelled; the problem is one on which something can be planned (model::whyUnplannable)
MemoryOutlook memoryOutlook(const Problem& problem, const WorkContext& context = {});

/// "At least …" in one or two sentences for a person, never more than is known.
std::string outlookInWords(const MemoryOutlook& outlook);

/// A change with which a layout fits.
struct MemoryRemedy {
    std::string label;    ///< on a button: "Recompute everything"
    std::string options;  ///< on the command line, but for machines: "--recomputation full"
    TrainingSetup setup;
    int machines = 0;  ///< as many of them; 0: as many as there are
};
/// How more machines of the same kind are made. Empty: they cannot.
struct MoreMachines {
    std::string plural;  ///< "servers"
    int now = 0;
    int most = 0;
    std::function<Cluster(int count)> make;
};
/// A label as it is inside a sentence: "servers" of "Servers"; "GPUs" stay.
std::string labelInSentence(std::string label);
/// Changes that help a problem which does not fit as it is, the least first; each was tried. Empty: none was
/// found. @throws base::Cancelled
std::vector<MemoryRemedy> memoryRemedies(const Problem& problem, const MoreMachines& machines,
                                         const WorkContext& context = {});

}  // namespace stagecraft::planners
