#include "core/validation/violation.h"

namespace stagecraft {

const char* ruleName(Rule rule) {
    switch (rule) {
        case Rule::layerCoverage:
            return "layer-coverage";
        case Rule::knownDevices:
            return "known-devices";
        case Rule::everyMicrobatchOnce:
            return "every-microbatch-once";
        case Rule::blockDuration:
            return "block-duration";
        case Rule::dataDependency:
            return "data-dependency";
        case Rule::deviceExclusive:
            return "device-exclusive";
        case Rule::channelExclusive:
            return "channel-exclusive";
        case Rule::orderRespected:
            return "order-respected";
        case Rule::allReduceAfterBackward:
            return "allreduce-after-backward";
        case Rule::updateAfterAllReduce:
            return "update-after-allreduce";
        case Rule::synchronousBarrier:
            return "synchronous-barrier";
        case Rule::weightVersion:
            return "weight-version";
        case Rule::memoryLimit:
            return "memory-limit";
        case Rule::periodicPattern:
            return "periodic-pattern";
    }
    return "?";
}

}  // namespace stagecraft
