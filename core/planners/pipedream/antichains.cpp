#include "core/planners/pipedream/antichains.h"

#include "core/base/indices.h"
#include "core/graph/grouping.h"

#include <algorithm>
#include <bit>
#include <map>

namespace stagecraft::planners {

namespace {

/// A set of small numbers.
class Bits {
public:
    explicit Bits(std::size_t size) : words_((size + 63) / 64, 0) {}
    void add(int bit) { words_[at(bit) / 64] |= std::uint64_t{1} << (bit % 64); }
    bool has(int bit) const { return words_[at(bit) / 64] >> (bit % 64) & 1; }
    void add(const Bits& other) {
        for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
    }
    template <typename Visit>
    void forEach(Visit visit) const {
        for (std::size_t i = 0; i < words_.size(); ++i)
            for (std::uint64_t rest = words_[i]; rest != 0; rest &= rest - 1)
                visit(static_cast<int>(i * 64) + std::countr_zero(rest));
    }
    const std::vector<std::uint64_t>& words() const { return words_; }

private:
    std::vector<std::uint64_t> words_;
};

/// The nodes that are part of a layer, in the order of the profile.
class Network {
public:
    explicit Network(const LayerProfile& profile) {
        if (operatorsDescribeLayers(profile)) {
            const NetworkGraph& graph = profile.operators;
            std::vector<int> number(graph.nodes.size(), -1);
            for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
                if (graph.layerOf[node] < 0) continue;
                number[node] = size();
                addNode(graph.nodes[node], graph.layerOf[node]);
            }
            for (const LayerEdge& edge : graph.edges)
                if (number[at(edge.from)] >= 0 && number[at(edge.to)] >= 0)
                    addEdge(number[at(edge.from)], number[at(edge.to)]);
        } else {
            for (int layer = 0; layer < profile.layerCount(); ++layer)
                addNode(profile.layers[at(layer)], layer);
            for (const LayerEdge& edge : profile.dependencies()) addEdge(edge.from, edge.to);
        }
        findAncestors();
    }

    int size() const { return static_cast<int>(nodes_.size()); }
    const Layer& node(int index) const { return *nodes_[at(index)]; }
    int layerOf(int index) const { return layers_[at(index)]; }
    const std::vector<int>& successors(int index) const { return successors_[at(index)]; }
    const Bits& ancestors(int index) const { return ancestors_[at(index)]; }
    bool comesAfter(int index, int other) const { return ancestors_[at(index)].has(other); }
    /// Ancestors that something else reads too than this node and its other ancestors.
    const std::vector<int>& readElsewhere(int index) const { return readElsewhere_[at(index)]; }

    /// The antichain with what is read elsewhere, each once.
    std::vector<int> augmented(const std::vector<int>& antichain) const {
        std::vector<int> all;
        for (const int node : antichain)
            all.insert(all.end(), readElsewhere(node).begin(), readElsewhere(node).end());
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
        std::erase_if(all,
                      [&](int node) { return std::count(antichain.begin(), antichain.end(), node) > 0; });
        all.insert(all.end(), antichain.begin(), antichain.end());
        return all;
    }

private:
    void addNode(const Layer& node, int layer) {
        nodes_.push_back(&node);
        layers_.push_back(layer);
        successors_.emplace_back();
    }
    /// Edges come in ascending order. Later readers are followed first: what is last in the chain is on
    /// the longer way, and graphs of PipeDream list that first.
    void addEdge(int from, int to) { successors_[at(from)].insert(successors_[at(from)].begin(), to); }

    void findAncestors() {
        ancestors_.assign(nodes_.size(), Bits(nodes_.size()));
        for (int node = 0; node < size(); ++node)  // edges run upwards
            for (const int next : successors(node)) {
                ancestors_[at(next)].add(ancestors_[at(node)]);
                ancestors_[at(next)].add(node);
            }
        readElsewhere_.resize(nodes_.size());
        for (int node = 0; node < size(); ++node)
            ancestors(node).forEach([&](int earlier) {
                const std::vector<int>& readers = successors(earlier);
                if (std::any_of(readers.begin(), readers.end(),
                                [&](int reader) { return reader != node && !comesAfter(node, reader); }))
                    readElsewhere_[at(node)].push_back(earlier);
            });
    }

    std::vector<const Layer*> nodes_;
    std::vector<int> layers_;
    std::vector<std::vector<int>> successors_;
    std::vector<Bits> ancestors_;
    std::vector<std::vector<int>> readElsewhere_;
};

/// All antichains that can be reached, and which follows which.
class AntichainGraph {
public:
    AntichainGraph(const Network& network, int most, const WorkContext& context) : network_(network) {
        number({0});
        for (std::size_t next = 0; next < antichains_.size() && complete_; ++next) {
            context.throwIfStopped();
            expand(static_cast<int>(next));
            complete_ = antichains_.size() <= at(most);
        }
    }

    bool complete() const { return complete_; }
    int size() const { return static_cast<int>(antichains_.size()); }
    const std::vector<int>& antichain(int index) const { return antichains_[at(index)]; }
    const std::vector<int>& followers(int index) const { return followers_[at(index)]; }

    /// Depth first from the start, followers in the order in which they were found, turned round.
    std::vector<int> topologicalOrder() const {
        std::vector<int> order;
        std::vector<bool> seen(antichains_.size(), false);
        std::vector<std::pair<int, std::size_t>> path = {{0, 0}};
        seen[0] = true;
        while (!path.empty()) {
            auto& [state, next] = path.back();
            if (next == followers(state).size()) {
                order.push_back(state);
                path.pop_back();
                continue;
            }
            const int follower = followers(state)[next++];
            if (seen[at(follower)]) continue;
            seen[at(follower)] = true;
            path.emplace_back(follower, 0);
        }
        std::reverse(order.begin(), order.end());
        return order;
    }

private:
    int number(const std::vector<int>& antichain) {
        std::vector<int> key = antichain;
        std::sort(key.begin(), key.end());
        const auto [found, isNew] = numbers_.emplace(std::move(key), size());
        if (isNew) {
            antichains_.push_back(antichain);
            followers_.emplace_back();
        }
        return found->second;
    }

    void expand(int state) {
        const std::vector<int> antichain = antichains_[at(state)], all = network_.augmented(antichain);
        for (const int left : all)
            for (const int entered : network_.successors(left)) {
                if (std::count(antichain.begin(), antichain.end(), entered) > 0) continue;
                if (std::any_of(all.begin(), all.end(),
                                [&](int node) { return network_.comesAfter(node, entered); }))
                    continue;
                const int next = number(replaced(all, left, entered));
                followers_[at(state)].push_back(next);
            }
    }

    /// With `entered` in the place of `left`, and without what comes before another.
    std::vector<int> replaced(std::vector<int> nodes, int left, int entered) const {
        std::replace(nodes.begin(), nodes.end(), left, entered);
        std::vector<int> antichain;
        for (const int node : nodes) {
            const bool passed = std::any_of(nodes.begin(), nodes.end(),
                                            [&](int other) { return network_.comesAfter(other, node); });
            if (!passed && std::count(antichain.begin(), antichain.end(), node) == 0)
                antichain.push_back(node);
        }
        return antichain;
    }

    const Network& network_;
    std::map<std::vector<int>, int> numbers_;
    std::vector<std::vector<int>> antichains_, followers_;
    bool complete_ = true;
};

/// The layers 0..l, if the nodes are all of theirs and no others.
int lastLayerOf(const Network& network, const Bits& nodes) {
    int last = -1, held = 0;
    nodes.forEach([&](int node) {
        last = std::max(last, network.layerOf(node));
        ++held;
    });
    int expected = 0;  // nodes are in the order of their layers
    while (expected < network.size() && network.layerOf(expected) <= last) ++expected;
    return held == expected ? last : -1;
}

void addState(const Network& network, const std::vector<int>& antichain, PipeDreamStates& states) {
    Bits nodes(at(network.size()));
    for (const int node : antichain) {
        nodes.add(network.ancestors(node));
        nodes.add(node);
    }
    double compute = 0, parameters = 0, activations = 0, output = 0;
    nodes.forEach([&](int node) {
        compute += network.node(node).forwardS + network.node(node).backwardS;
        parameters += network.node(node).parameterBytes;
        activations += network.node(node).outputBytes;
    });
    for (const int node : network.augmented(antichain)) output += network.node(node).outputBytes;
    states.computeS.push_back(compute);
    states.parameterBytes.push_back(parameters);
    states.activationBytes.push_back(activations);
    states.outputBytes.push_back(output);
    states.lastLayer.push_back(lastLayerOf(network, nodes));
}

}  // namespace

std::optional<PipeDreamStates> antichainStates(const LayerProfile& profile, int mostStates,
                                               const WorkContext& context) {
    const Network network(profile);
    const AntichainGraph graph(network, mostStates, context);
    if (!graph.complete()) return std::nullopt;
    const std::vector<int> order = graph.topologicalOrder();
    std::vector<int> position(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) position[at(order[i])] = static_cast<int>(i);
    PipeDreamStates states;
    std::vector<Bits> before(order.size(), Bits(order.size()));
    for (std::size_t i = 0; i < order.size(); ++i) {
        addState(network, graph.antichain(order[i]), states);
        for (const int follower : graph.followers(order[i])) {
            Bits& theirs = before[at(position[at(follower)])];
            theirs.add(before[i]);
            theirs.add(static_cast<int>(i));
        }
    }
    for (const Bits& bits : before) states.before.push_back(bits.words());
    return states;
}

PipeDreamStates layerStates(const LayerProfile& profile) {
    const Network network(profile);
    PipeDreamStates states;
    Bits before(at(profile.layerCount()));
    int next = 0;
    for (int layer = 0; layer < profile.layerCount(); ++layer) {
        while (next < network.size() && network.layerOf(next) <= layer) ++next;
        std::vector<int> antichain;  // of the nodes before `next`, those that come before none of them
        for (int node = 0; node < next; ++node) {
            const std::vector<int>& readers = network.successors(node);
            if (std::none_of(readers.begin(), readers.end(), [&](int reader) { return reader < next; }))
                antichain.push_back(node);
        }
        addState(network, antichain, states);
        states.lastLayer.back() = layer;
        states.before.push_back(before.words());
        before.add(layer);
    }
    return states;
}

}  // namespace stagecraft::planners
