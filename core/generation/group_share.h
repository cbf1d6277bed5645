#pragma once

#include "core/generation/model_tables.h"
#include "core/model/group.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft::generation {

/// A group and how many copies of the layers it has.
struct GroupDegrees : Group {
    int data = 1;

    long long ranks() const { return 1LL * data * tensor * context; }
    /// Ranks that hold the same dense parameters.
    long long denseCopies() const { return 1LL * data * context; }
    /// Ranks that hold the same experts.
    long long expertCopies() const { return ranks() / expert; }
};
/// Nothing if the model can be divided so, else a clause that says what cannot and what was expected.
/// @param tokens of a sample, which context and sequence parallelism divide
std::optional<std::string> whyNoGroup(const TransformerModel& model, const GroupDegrees& degrees, int tokens);

/// Bytes that one rank sends for one microbatch in one layer, by what it belongs to; gradients, which copies
/// sum up once in an iteration, are not among them. Rings: an all-gather or
/// a reduce-scatter of n ranks sends (n - 1) / n of the whole tensor, an AllReduce twice as much.
struct SentBytes {
    double tensor = 0;
    double tensorRegather = 0;  ///< inputs that sequence parallelism keeps as shards, gathered again
    double context = 0;         ///< keys and values going round, and their gradients
    double expert = 0;          ///< tokens to their experts and back: two all-to-alls
    double total() const { return tensor + tensorRegather + context + expert; }
    bool operator==(const SentBytes&) const = default;
};

/// What one rank of a group has of a layer and does for it.
struct RankShare {
    double denseParameters = 0;
    double expertParameters = 0;
    std::vector<KeptTensor> kept;  ///< of one microbatch, in the order in which they are made
    SentBytes forward, backward;   ///< without recomputation, which sends what the forward sends

    double keptBytes() const;
};
/// Of `samples` in a microbatch, in elements of so many bytes. Korthikanti et al., MLSys 2023, Sec. 4, for
/// tensor and sequence parallelism; ring attention for context parallelism; Lepikhin et al., ICLR 2021, for
/// experts, whose weights tensor parallelism does not divide.
RankShare rankShare(const NetworkLayer& layer, const Group& group, int samples, double elementBytes);

/// The same as shares and sums, for every group.
/// An operation's times, and of them what takes as long however few elements it has.
struct OperationParts {
    LayerTimes times, fixed;
};
LayerDivision divisionOf(const NetworkLayer& layer, int samples, double elementBytes,
                         const std::function<OperationParts(const Operation&)>& partsOf);

/// Bytes of a layer's output that one rank hands on to the next stage.
double boundaryBytes(const NetworkLayer& layer, const Group& group, int samples, double elementBytes);

}  // namespace stagecraft::generation
