#pragma once

#include "core/model/layer_profile.h"

#include <string>
#include <vector>

namespace stagecraft::graph {

// How a network's nodes become the layers of a profile. The nodes are in a chain (NetworkGraph::nodes, see
// linearise.h); a cut after a node ends a layer there, so that a layer is a run of neighbours, and whatever
// crosses the cut goes from layer to layer. Cuts are ascending positions in NetworkGraph::nodes; after the
// last node there is always one. Nodes that are left out (layerOf -1) belong to no layer and carry nothing.

/// How many tensors cross after each node: outputs of it or of earlier nodes that later ones read.
std::vector<int> tensorsCrossing(const NetworkGraph& graph);

struct ChosenCuts {
    std::vector<int> cuts;
    int width = 1;  ///< the most tensors that cross a cut
};
/// Cuts wherever at most one tensor crosses. Where that leaves a layer of several nodes with more than an
/// eighth of the network's time (in a small graph: four nodes' share), as an attention mask does that every
/// block reads, wider cuts are allowed, as few tensors wider as will do, up to 8, and only if they make the
/// heaviest layer lighter.
/// @param required positions of further cuts, ascending, however many tensors cross there
ChosenCuts chooseCuts(const NetworkGraph& graph, const std::vector<int>& required = {});

/// Fills in `layers`, `edges` (none: a chain) and operators.layerOf:
///  - times and parameters are the sums over a layer's nodes;
///  - output_bytes and output_gradient_bytes are the sums over the tensors that cross the cut after it,
///  those
///    of earlier nodes on their way to later layers among them;
///  - stored_activation_bytes is the sum over the nodes, but among those that keep just what they read, each
///    tensor counts once.
void groupOperators(LayerProfile& profile, const std::vector<int>& cuts);

/// The cuts that a profile's layers have.
std::vector<int> cutsOf(const LayerProfile& profile);
/// The same profile with other cuts. Times at other microbatch sizes, which are known by layer alone, are
/// shared out over a layer's nodes as its own times are.
/// @throws std::invalid_argument a sentence, if the profile has no operators that describe its layers, or the
/// cuts do not ascend, are outside or leave a layer without a node
LayerProfile regrouped(const LayerProfile& profile, const std::vector<int>& cuts);

/// Why the layer holds the nodes that it holds, in sentences for a person; empty if the profile has no
/// operators that describe its layers.
std::string whyOneLayer(const LayerProfile& profile, int layer);

/// Whether `operators` fit the layers: their order is topological, each layer is a run of at least one node,
/// and the layers follow one another. Not so after layers were inserted, deleted or merged by hand.
bool operatorsDescribeLayers(const LayerProfile& profile);

/// What stored_activation_bytes of each node is if it keeps what it reads: the outputs of its predecessors.
std::vector<double> inputBytes(const std::vector<Layer>& nodes, const std::vector<LayerEdge>& edges);

}  // namespace stagecraft::graph
