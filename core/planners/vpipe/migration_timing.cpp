#include "core/planners/vpipe/migration.h"

#include "core/base/enum_names.h"

#include <algorithm>

namespace stagecraft::planners::vpipe {

namespace {

constexpr EnumName<MigrationStep> migrationStepNames[] = {{MigrationStep::prepare, "prepare"},
                                                          {MigrationStep::ready, "ready"},
                                                          {MigrationStep::activations, "activations"},
                                                          {MigrationStep::parameters, "parameters"}};

}  // namespace

const char* migrationStepName(MigrationStep step) { return nameOf(migrationStepNames, step); }

MigrationTiming migrationTiming(int stages, int fromStage, int toStage, int afterBatch,
                                double activationBytes, double parameterBytes, double bandwidthBps,
                                double forwardS, double backwardS) {
    MigrationTiming timing;
    // Stage n runs forward k + p - n next, then backward k + 1; the neighbour's comes a backward before or
    // after.
    double neededS = toStage > fromStage ? forwardS - backwardS : forwardS + backwardS;
    for (int copy = 1; copy <= stages - fromStage - 1; ++copy) {
        MigrationTiming::Batch batch{afterBatch + copy};
        batch.arrivalS = (copy * activationBytes + parameterBytes) / bandwidthBps;
        batch.neededS = neededS;
        batch.stallS = std::max(0.0, batch.arrivalS - neededS);
        timing.stallS += batch.stallS;
        neededS += batch.stallS + forwardS + backwardS;
        timing.batches.push_back(batch);
    }
    return timing;
}

int forwardVersionAsynchronous(int batch, int stages, int stage) { return batch - stages + stage; }

int forwardVersionSynchronous(int batch, int stages, int updateEvery) {
    return batch / (updateEvery * stages);
}

}  // namespace stagecraft::planners::vpipe
