#pragma once

#include "core/base/enum_names.h"
#include "core/model/plan.h"
#include "core/model/problem.h"

namespace stagecraft::model {

// What the enumerators of the model are called in files and on the command line.

inline constexpr EnumName<TrainingMode> trainingModeNames[] = {{TrainingMode::synchronous, "synchronous"},
                                                               {TrainingMode::asynchronous, "asynchronous"}};
inline constexpr EnumName<Optimizer> optimizerNames[] = {
    {Optimizer::sgd, "sgd"}, {Optimizer::momentum, "momentum"}, {Optimizer::adam, "adam"}};
inline constexpr EnumName<StatePrecision> statePrecisionNames[] = {
    {StatePrecision::uniform, "uniform"}, {StatePrecision::mixed, "mixed"}, {StatePrecision::fp8, "fp8"}};
inline constexpr EnumName<GradientPrecision> gradientPrecisionNames[] = {
    {GradientPrecision::half, "16_bit"}, {GradientPrecision::single, "32_bit"}};
inline constexpr EnumName<Recomputation> recomputationNames[] = {
    {Recomputation::none, "none"}, {Recomputation::selective, "selective"}, {Recomputation::full, "full"}};
inline constexpr EnumName<ZeroStage> zeroStageNames[] = {{ZeroStage::off, "0"},
                                                         {ZeroStage::optimizer, "1"},
                                                         {ZeroStage::gradients, "2"},
                                                         {ZeroStage::weights, "3"}};
inline constexpr EnumName<ChannelMode> channelModeNames[] = {
    {ChannelMode::fullDuplex, "full_duplex"},
    {ChannelMode::halfDuplex, "half_duplex"},
    {ChannelMode::halfDuplexFifo, "half_duplex_fifo"}};
inline constexpr EnumName<GradientPasses> gradientPassesNames[] = {
    {GradientPasses::none, "none"}, {GradientPasses::norm, "norm"}, {GradientPasses::megatron, "megatron"}};
inline constexpr EnumName<LinkSharing> linkSharingNames[] = {{LinkSharing::independent, "independent"},
                                                             {LinkSharing::shared, "shared"}};
inline constexpr EnumName<Replication> replicationNames[] = {{Replication::split, "split"},
                                                             {Replication::roundRobin, "round_robin"}};
inline constexpr EnumName<LayerMemory> layerMemoryNames[] = {{LayerMemory::keep, "keep"},
                                                             {LayerMemory::recompute, "recompute"},
                                                             {LayerMemory::swap, "swap"},
                                                             {LayerMemory::selective, "selective"},
                                                             {LayerMemory::checkpoint, "checkpoint"}};
inline constexpr EnumName<ActivationCause> activationCauseNames[] = {
    {ActivationCause::input, "input"},   {ActivationCause::attention, "attention"},
    {ActivationCause::scores, "scores"}, {ActivationCause::logSumExp, "log_sum_exp"},
    {ActivationCause::mlp, "mlp"},       {ActivationCause::norm, "norm"},
    {ActivationCause::router, "router"}, {ActivationCause::head, "head"},
    {ActivationCause::other, "other"}};
inline constexpr EnumName<VocabularyLayer> vocabularyLayerNames[] = {
    {VocabularyLayer::none, "none"},
    {VocabularyLayer::embedding, "embedding"},
    {VocabularyLayer::head, "head"}};
inline constexpr EnumName<VocabularyPasses> vocabularyPassesNames[] = {
    {VocabularyPasses::none, "none"},
    {VocabularyPasses::twoBarriers, "two_barriers"},
    {VocabularyPasses::oneBarrier, "one_barrier"},
    {VocabularyPasses::interlaced, "interlaced"}};
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
/// Of the operations of a periodic pattern, which are no others.
inline constexpr EnumName<BlockKind> patternKindNames[] = {
    {BlockKind::forward, "forward"},
    {BlockKind::backward, "backward"},
    {BlockKind::transferForward, "transfer_forward"},
    {BlockKind::transferBackward, "transfer_backward"}};

}  // namespace stagecraft::model
