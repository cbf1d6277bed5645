// An experiment is read with the planners that it names, which the readers of formats do not know.
#include "core/experiments/experiment.h"
#include "tests/support/every_room.h"
#include "core/formats/input_error.h"

#include <cstdlib>
#include <iostream>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace stagecraft;
    try {
        const Experiment experiment =
            readExperiment({reinterpret_cast<const char*>(data), size}, "F", "/nonexistent");
        const std::string text = writeExperiment(experiment);
        if (writeExperiment(readExperiment(text, "", "/nonexistent")) == text) return 0;
        std::cerr << "does not hold: the experiment reads back" << std::endl;
        std::abort();
    } catch (const InputError&) {
    }
    return 0;
}
