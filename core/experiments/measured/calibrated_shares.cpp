#include "core/experiments/measured/calibrated_shares.h"

#include "core/generation/asked_machines.h"
#include "core/generation/generated_profile.h"

namespace stagecraft::experiments {

LayerProfile calibratedProfile(const TransformerModel& model, int tokens, const std::string& attention,
                               const std::string& gpu, const CalibratedShares& shares, int microbatch,
                               int copies) {
    const std::string precision = usualPrecisionOf(gpu);
    const auto reader = [&](const std::string& name) {
        MeasuredEfficiencies reached;
        reached.name = name;
        reached.peakFlops = peakFlops(*findGpu(gpu), *findByName(precisionNames, precision));
        reached.productShare = reached.groupShare = shares.products;
        reached.attentionShare = shares.attention;
        reached.attentionBackwardShare = shares.attention * shares.backwardAttention;
        reached.memoryBps = findGpu(gpu)->memoryBandwidthBps;
        reached.memoryShare = reached.lossShare = reached.reorderShare = shares.memory;
        reached.memoryLatencyS = shares.operationS;
        return reached;
    };
    return describedProfile({model, tokens},
                            {{"gpu", gpu},
                             {"precision", precision},
                             {"attention", attention},
                             {"microbatch_size", microbatch * copies},
                             {"microbatch_sizes", std::to_string(microbatch)},
                             {"efficiencies", std::string("calibrated on other rows of the set")}},
                            reader);
}

}  // namespace stagecraft::experiments
