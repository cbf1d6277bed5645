#pragma once

#include "core/model/plan.h"
#include "core/model/problem.h"

#include <string>
#include <vector>

namespace stagecraft {

/// What an enumerator is called in files and on the command line.
template <class Enum>
struct EnumName {
    Enum value;
    const char* name;
};

inline constexpr EnumName<TrainingMode> trainingModeNames[] = {{TrainingMode::synchronous, "synchronous"},
                                                               {TrainingMode::asynchronous, "asynchronous"}};
inline constexpr EnumName<Optimizer> optimizerNames[] = {
    {Optimizer::sgd, "sgd"}, {Optimizer::momentum, "momentum"}, {Optimizer::adam, "adam"}};
inline constexpr EnumName<ChannelMode> channelModeNames[] = {
    {ChannelMode::fullDuplex, "full_duplex"},
    {ChannelMode::halfDuplex, "half_duplex"},
    {ChannelMode::halfDuplexFifo, "half_duplex_fifo"}};
inline constexpr EnumName<Replication> replicationNames[] = {{Replication::split, "split"},
                                                             {Replication::roundRobin, "round_robin"}};
inline constexpr EnumName<LayerMemory> layerMemoryNames[] = {
    {LayerMemory::keep, "keep"}, {LayerMemory::recompute, "recompute"}, {LayerMemory::swap, "swap"}};
inline constexpr EnumName<WeightPolicyKind> weightPolicyNames[] = {
    {WeightPolicyKind::single, "single"},
    {WeightPolicyKind::stashing, "stashing"},
    {WeightPolicyKind::verticalSync, "vertical_sync"},
    {WeightPolicyKind::doubleBuffer, "double_buffer"},
    {WeightPolicyKind::predicted, "predicted"},
    {WeightPolicyKind::latest, "latest"}};
inline constexpr EnumName<VersionDifference> versionDifferenceNames[] = {
    {VersionDifference::counted, "counted"},
    {VersionDifference::exact, "exact"},
    {VersionDifference::printed, "printed"}};
inline constexpr EnumName<PatternKind> patternKindNames[] = {
    {PatternKind::forward, "forward"},
    {PatternKind::backward, "backward"},
    {PatternKind::transferForward, "transfer_forward"},
    {PatternKind::transferBackward, "transfer_backward"}};

template <class Enum, std::size_t count>
std::string nameOf(const EnumName<Enum> (&names)[count], Enum value) {
    for (const EnumName<Enum>& entry : names)
        if (entry.value == value) return entry.name;
    return {};
}

template <class Enum, std::size_t count>
std::vector<std::string> allNames(const EnumName<Enum> (&names)[count]) {
    std::vector<std::string> all;
    for (const EnumName<Enum>& entry : names) all.emplace_back(entry.name);
    return all;
}

/// Null if none is called so.
template <class Enum, std::size_t count>
const Enum* findByName(const EnumName<Enum> (&names)[count], const std::string& name) {
    for (const EnumName<Enum>& entry : names)
        if (name == entry.name) return &entry.value;
    return nullptr;
}

}  // namespace stagecraft
