#include "core/formats/recordings/chakra_inputs.h"

#include <algorithm>
#include <unordered_map>

namespace stagecraft::formats {

namespace {

constexpr std::uint64_t wholeMicrosecond = 1;  // times are cut to microseconds

}  // namespace

void ChakraInputs::add(std::uint64_t id, std::uint64_t startUs, std::uint64_t endUs, bool onCpu,
                       const std::vector<std::uint64_t>& inputs) {
    Node node{id, startUs, endUs, inputs_.size(), inputs_.size() + inputs.size()};
    node.onCpu = onCpu;
    inputs_.insert(inputs_.end(), inputs.begin(), inputs.end());
    nodes_.push_back(node);
}

/// Of those on the GPU that the node of the CPU names, or that what it names leads to, the one that ended
/// last. It may wait for that while it runs.
std::uint32_t ChakraInputs::lastOf(const Node& node) const {
    std::uint32_t last = noNode;
    for (std::size_t i = node.firstInput; i < node.endInput; ++i) {
        std::uint32_t input = inputNodes_[i];
        if (input != noNode && nodes_[input].onCpu) input = nodes_[input].last;
        if (input == noNode || nodes_[input].endUs > node.endUs + wholeMicrosecond) continue;
        if (last == noNode || nodes_[input].endUs > nodes_[last].endUs) last = input;
    }
    return last;
}

/// Fills in `last` of a node on the CPU and of all on the CPU that it depends on; a circle leads nowhere.
void ChakraInputs::seek(std::uint32_t start) {
    struct Step {
        std::uint32_t node = 0;
        std::size_t next = 0;
    };
    if (nodes_[start].sought) return;
    nodes_[start].sought = true;
    std::vector<Step> way{{start, nodes_[start].firstInput}};
    while (!way.empty()) {
        Step& step = way.back();
        Node& node = nodes_[step.node];
        if (step.next == node.endInput) {
            node.last = lastOf(node);
            way.pop_back();
            continue;
        }
        const std::uint32_t input = inputNodes_[step.next++];
        if (input == noNode || !nodes_[input].onCpu || nodes_[input].sought) continue;
        nodes_[input].sought = true;
        way.push_back({input, nodes_[input].firstInput});
    }
}

std::vector<std::vector<std::uint32_t>> ChakraInputs::find() {
    std::unordered_map<std::uint64_t, std::uint32_t> places;
    places.reserve(nodes_.size());
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) places.try_emplace(nodes_[i].id, i);
    inputNodes_.clear();
    for (const std::uint64_t id : inputs_) {
        const auto place = places.find(id);
        inputNodes_.push_back(place == places.end() ? noNode : place->second);
    }
    std::vector<std::vector<std::uint32_t>> found(nodes_.size());
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
        const Node& node = nodes_[i];
        if (node.onCpu) continue;
        for (std::size_t k = node.firstInput; k < node.endInput; ++k) {
            std::uint32_t input = inputNodes_[k];
            if (input != noNode && nodes_[input].onCpu) {
                seek(input);
                input = nodes_[input].last;
            }
            if (input == noNode || input == i) continue;
            if (nodes_[input].endUs > node.startUs + wholeMicrosecond)
                ++later_;
            else
                found[i].push_back(input);
        }
        std::sort(found[i].begin(), found[i].end());
        found[i].erase(std::unique(found[i].begin(), found[i].end()), found[i].end());
    }
    return found;
}

}  // namespace stagecraft::formats
