#pragma once

#include "core/generation/layer_builder.h"

#include <set>

namespace stagecraft::generation {

/// Puts a network together node by node, in a topological order, and layer by layer.
class GraphBuilder {
public:
    using Tensor = int;  ///< the index of the node that makes it

    /// What comes next belongs to a layer of this name, up to the next call.
    void beginLayer(const std::string& name);
    /// A node that reads `inputs`; none: it reads the data set. Its name becomes "LAYER/3 NAME", counted in
    /// the layer. A tensor that several nodes keep counts with the first of them.
    Tensor add(LayerBuilder node, const std::vector<Tensor>& inputs);
    Shape shapeOf(Tensor tensor) const { return shapes_[static_cast<std::size_t>(tensor)]; }

    /// Fills in nodes, edges and layers.
    NetworkDescription build(const std::string& title, const std::string& notes) &&;

private:
    void finishLayers();

    NetworkDescription network_;
    std::vector<Shape> shapes_;
    std::set<Tensor> kept_;
    int nodesInLayer_ = 0;
};

}  // namespace stagecraft::generation
