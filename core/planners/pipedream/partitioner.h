#pragma once

#include "core/base/work_context.h"

#include <functional>
#include <optional>
#include <vector>

namespace stagecraft::planners {

/// PipeDream's input: one entry per layer.
struct PipeDreamWork {
    std::vector<double> computeS;        ///< T_l = p^f + p^b
    std::vector<double> outputBytes;     ///< a_l, what is handed to the next layer; the last is not used
    std::vector<double> parameterBytes;  ///< w_l
    /// By number of workers - 1 that split a minibatch: T_l of all of them together, where that depends on
    /// how many they are; empty: it is computeS for any number.
    std::vector<std::vector<double>> splitComputeS;
};

/// A level of the hierarchy of machines, innermost first: m_k components, joined at B_k bytes per second.
struct PipeDreamLevel {
    int components = 1;
    double bandwidthBps = 0;
};

/// What a worker must hold; one entry per layer, bytes.
struct PipeDreamMemory {
    std::vector<double> activationBytes;  ///< of one minibatch in flight
    std::vector<double> weightBytes;      ///< of one version
    // In versions of the weights:
    double fixedWeights = 1;   ///< gradients and optimizer state that each worker holds whole
    double sharedWeights = 0;  ///< those that the replicas of a stage share out
    bool sharesVersions = false;
    double limitBytes = 0;
};

struct PipeDreamRules {
    bool ring = false;  ///< an AllReduce of m workers takes 2(m-1)w/(mB), not the printed 2(m-1)w/B (E-PD-2)
    bool straight = false;  ///< no replicas
    /// Stages of workers that do not fit are left out: ceil(N / r) minibatches in flight, each with its
    /// version of the weights (E-PD-4), N being the workers of the stage and of what follows it in its group.
    std::optional<PipeDreamMemory> memory;
};

struct PipeDreamStage {
    int firstLayer = 0;
    int lastLayer = 0;
    std::vector<int> workers;  ///< ascending; workers count through the innermost components first
};

struct PipeDreamPartition {
    /// A of all layers on all workers: the time of the slowest stage or transfer for one minibatch; infinity:
    /// no partition is allowed.
    double periodS = 0;
    std::vector<PipeDreamStage> stages;
};

/// PipeDream's dynamic programme, level by level, as printed in SOSP 2019 (MODEL.md section 6): sync and
/// compute of a stage overlap (E-PD-2), and a single stage is one of the choices (E-PD-3). All workers are
/// used. Ties (betterObjective, planning.h), for each A^k(i -> j, m): a single stage before a split, then the
/// fewest stages, counted to the innermost level, then the earliest cut s, then the fewest components m' in
/// the last stage; what is before the cut and after it is chosen by the same rule. Time: L^2/2 * m^2/2 for
/// the innermost level of m workers and L^3/6 * m^2/2 for each further one of m components; for the outermost
/// L * m^2/2 and L^2/2 * m^2/2. @throws Cancelled
PipeDreamPartition pipeDreamPartition(const PipeDreamWork& work, const std::vector<PipeDreamLevel>& levels,
                                      const WorkContext& context = {}, const PipeDreamRules& rules = {});

/// A value A^k(first -> last, m) of the programme and how it is reached, by the rule for ties.
struct PipeDreamCell {
    int level = 0;  ///< k, 0 the innermost
    int outer = 1;  ///< replicas of the levels above that share its work, where that matters; else 1
    int first = 0, last = 0, components = 0;
    double periodS = 0;
    int cut = -1;                       ///< last layer before the cut; -1: a single stage
    int lastComponents = 0;             ///< m' of the last stage
    double beforeS = 0, transferS = 0;  ///< of a cut
    double lastStageS = 0;
    int stages = 0;  ///< of workers
};
/// The same programme: visits its finite values level by level until `visit` returns false. @throws Cancelled
void forEachPipeDreamCell(const PipeDreamWork& work, const std::vector<PipeDreamLevel>& levels,
                          const PipeDreamRules& rules, const std::function<bool(const PipeDreamCell&)>& visit,
                          const WorkContext& context = {});

}  // namespace stagecraft::planners
