#include "core/generation/shared_experts.h"

#include "core/base/counted.h"

#include <stdexcept>

namespace stagecraft::generation {

namespace {

/// Reading and writing that much, in the backward as in the forward.
Operation moved(const char* name, double elements, bool isRouted) {
    return {.name = name,
            .trafficElements = elements,
            .part = ModelPart::experts,
            .isReordering = true,
            .isRouted = isRouted};
}

void shareOut(NetworkLayer& layer, double ranks) {
    std::vector<Operation> moves;
    for (Operation& operation : layer.operations) {
        if (operation.matrix && operation.matrix->groups > 0) {
            operation.matrix->groups /= ranks;
            operation.matrix->senders *= ranks;
            operation.weightReads /= ranks;
        }
        const double sent = operation.routedElements;
        if (sent == 0) continue;
        if (operation.routedFromElements == 0) {
            moves.push_back(moved("tokens in the order they came in", 2 * sent, true));
            continue;
        }
        moves.push_back(moved("tokens in the order of experts", operation.routedFromElements + sent, false));
        moves.push_back(moved("tokens by expert", 2 * sent, true));
    }
    // Behind the others, which know each other by their places.
    layer.operations.insert(layer.operations.end(), moves.begin(), moves.end());
}

}  // namespace

NetworkDescription withExpertsOn(NetworkDescription network, int ranks) {
    if (ranks == 1) return network;
    const int experts = network.divisible ? network.divisible->experts : 0;
    if (experts == 0)
        throw std::invalid_argument("experts_on is " + std::to_string(ranks) +
                                    ", and the model has no experts that could be shared out; expected 1");
    if (experts % ranks != 0)
        throw std::invalid_argument(counted(experts, "expert") + " on " + std::to_string(ranks) +
                                    " GPUs; expected a number that divides them");
    for (NetworkLayer& layer : network.layers) shareOut(layer, ranks);
    for (NetworkLayer& node : network.nodes) shareOut(node, ranks);
    network.notes += " Experts are timed as one of " + std::to_string(ranks) +
                     " GPUs that share them out has them: for plans with that many expert-parallel GPUs.";
    return network;
}

}  // namespace stagecraft::generation
