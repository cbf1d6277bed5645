#include "core/experiments/measured/measured_set.h"

namespace stagecraft::experiments {

bool isMemory(MeasuredQuantity quantity) {
    return quantity == MeasuredQuantity::peakGib || quantity == MeasuredQuantity::statesGib ||
           quantity == MeasuredQuantity::waitingActivationsGib;
}

const char* unitOf(MeasuredQuantity quantity) {
    switch (quantity) {
        case MeasuredQuantity::iterationS:
            return "s";
        case MeasuredQuantity::samplesPerS:
            return "samples/s";
        case MeasuredQuantity::tokensPerSOfGpu:
            return "tokens/s of a GPU";
        case MeasuredQuantity::teraflopsOfGpu:
            return "TFLOP/s of a GPU";
        case MeasuredQuantity::peakGib:
        case MeasuredQuantity::statesGib:
        case MeasuredQuantity::waitingActivationsGib:
            return "GiB";
    }
    return "";
}

}  // namespace stagecraft::experiments
