#include "core/formats/topology/machine.h"

#include "core/base/text_parts.h"

#include <algorithm>

namespace stagecraft::formats {

const char* pathTypeName(PathType type) {
    constexpr const char* names[] = {"LOC", "NVL", "NVB", "C2C", "PIX", "PXB", "PHB", "SYS"};
    return names[static_cast<int>(type)];
}

int Machine::add(MachineNode node) {
    nodes.push_back(std::move(node));
    return static_cast<int>(nodes.size()) - 1;
}

void Machine::join(int a, int b, Rate rate, PathType type, std::string kind, double latencyS) {
    links.push_back({a, b, std::move(rate), type, std::move(kind), latencyS});
}

void Machine::note(ImportNote::Kind kind, std::string text) { notes.push_back({kind, std::move(text)}); }

std::vector<int> Machine::gpusInOrder() const {
    std::vector<int> gpus = all(MachineNode::Kind::gpu);
    const auto number = [&](int gpu) {
        return wholeInteger(std::string_view(nodes[static_cast<std::size_t>(gpu)].id).substr(1)).value_or(0);
    };
    std::stable_sort(gpus.begin(), gpus.end(), [&](int a, int b) { return number(a) < number(b); });
    return gpus;
}

std::vector<int> Machine::all(MachineNode::Kind kind) const {
    std::vector<int> found;
    for (std::size_t node = 0; node < nodes.size(); ++node)
        if (nodes[node].kind == kind) found.push_back(static_cast<int>(node));
    return found;
}

bool Machine::hasLinkOfKind(const std::string& kind) const {
    return std::any_of(links.begin(), links.end(),
                       [&](const MachineLink& link) { return link.kind == kind; });
}

void assume(std::vector<Assumption>& assumed, Assumption assumption) {
    for (const Assumption& known : assumed)
        if (known.text == assumption.text) return;
    assumed.push_back(std::move(assumption));
}

}  // namespace stagecraft::formats
