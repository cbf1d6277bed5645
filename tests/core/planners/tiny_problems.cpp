#include "tests/core/planners/tiny_problems.h"

#include <string>
#include <utility>

namespace stagecraft {

Problem tiny(std::mt19937& random, const TinyProblem& shape) {
    const auto upTo = [&random](int most) {
        return static_cast<int>(random() % static_cast<unsigned>(most + 1));
    };
    Problem problem;
    for (int layer = 0; layer < shape.layers; ++layer) {
        const double backward = 2 + upTo(6);
        Layer own{"l" + std::to_string(layer),
                  1.0 + upTo(3),
                  backward,
                  1.0 * upTo(4),
                  1.0 + upTo(2),
                  1.0,
                  4.0 + upTo(8),
                  backward * 0.25 * (1 + upTo(2))};
        own.weightGradientBytes = 0;
        problem.profile.layers.push_back(std::move(own));
    }
    for (int device = 0; device < shape.devices; ++device) {
        const std::string id = "g" + std::to_string(device);
        problem.cluster.devices.push_back({id, "s", "", shape.memoryBytes, 1, 0});
        for (int other = 0; other < device; ++other)
            problem.cluster.links.push_back(
                {"g" + std::to_string(other), id, shape.hasSync ? 4.0 : 1e18, 0, ""});
    }
    problem.setup.wholeSamples = true;
    return problem;
}

void measureTypes(std::mt19937& random, Problem& problem) {
    for (const char* gpu : {"A1", "B2"})
        for (Layer& layer : problem.profile.layers) {
            const double backward = 2.0 + static_cast<double>(random() % 9);
            layer.onRanks.push_back(
                {.tensor = 1,
                 .microbatchSize = problem.profile.microbatchSize,
                 .times = LayerTimes{1.0 + static_cast<double>(random() % 5), backward, backward / 2},
                 .gpu = gpu});
        }
    for (Device& device : problem.cluster.devices)
        if (random() % 4) device.gpu = random() % 2 ? "A1" : "B2";
}

}  // namespace stagecraft
