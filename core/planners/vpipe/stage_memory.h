#pragma once

#include "core/model/plan.h"

#include <vector>

namespace stagecraft::planners::vpipe {

/// How long weights live: vPipe's two kinds of systems (Sec. 2.2).
enum class System {
    synchronous,   ///< BSP: all batches of a pipeline share one version of the weights (GPipe)
    asynchronous,  ///< ASP: each batch in flight may have a version of its own (PipeDream)
};

/// A layer as Sec. 4.1 has it, (f, b, m, a), with its memory split by how long it stays. Seconds and bytes.
struct LocalLayer {
    double forwardS = 0;
    double backwardS = 0;
    double activationBytes = 0;  ///< a: what is swapped or recomputed, for one batch
    double constantBytes = 0;    ///< m^constant
    double dependentBytes =
        0;                     ///< m^dependent: a copy for each batch in flight, unless swapped or recomputed
    double residentBytes = 0;  ///< a copy for each batch in flight whatever is done (E-VP-2)
};
/// Sec. 4.1's layer: BSP has m^constant = m and m^dependent = a, ASP m^constant = 0 and m^dependent = a + m.
/// @param paramsResident under ASP m stays when a layer is swapped or recomputed: weights cannot be computed
/// again (E-VP-2)
LocalLayer localLayer(double forwardS, double backwardS, double parameterBytes, double activationBytes,
                      System system, bool paramsResident);

/// What Algorithm 2 is given of one stage.
struct LocalStage {
    std::vector<LocalLayer> layers;
    int rank = 1;                 ///< p - k: batches in flight
    double limitBytes = 0;        ///< M
    double hostBandwidthBps = 0;  ///< P; 0: nothing can be swapped
    // What Eq. (1) leaves out and a device must hold all the same; 0 as printed.
    double recomputedCopies = 0;  ///< of a recomputed layer's activations: the batch at work
    double swappedCopies = 0;     ///< of a swapped layer's: the one that leaves, the one that is fetched
    double inputBytes = 0;        ///< kept for each batch in flight as soon as a layer is recomputed

    double forwardS() const;   ///< t^fwd
    double backwardS() const;  ///< t^bwd without swap and recompute
};

/// Of each layer of a stage: keep, recompute or swap (D, R, S).
using LayerOps = std::vector<LayerMemory>;

/// The left side of Eq. (1).
double memoryBytes(const LocalStage& stage, const LayerOps& ops);

/// What may take least memory: for each layer what takes least by Eq. (1), with and without recomputation,
/// which keeps the stage's input, and with and without swaps; then every layer recomputed, and swapped. Each
/// choice once, the least first.
std::vector<LayerOps> leanestOps(const LocalStage& stage);

struct StageTimes {
    double forwardS = 0;
    double backwardS = 0;   ///< Eq. (2)
    double recomputeS = 0;  ///< the part of backwardS that recomputes
    double stallS = 0;      ///< the part of backwardS that swapping takes beyond the execution time
    double totalS() const { return forwardS + backwardS; }
};
/// Eq. (2), with sum(b + R f) + t^fwd as the execution time on its right side (E-VP-3).
StageTimes stageTimes(const LocalStage& stage, const LayerOps& ops);

}  // namespace stagecraft::planners::vpipe
