#include "core/onnx/model.h"

#include "core/formats/input_error.h"
#include "core/onnx/shape_inference.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <unordered_set>

namespace stagecraft::onnx {

namespace {

std::string axisName(const ::onnx::ValueInfoProto& input, int axis) {
    return input.name() + "[" + std::to_string(axis) + "]";
}

bool isOpen(const ::onnx::TensorShapeProto::Dimension& dimension) {
    return !dimension.has_dim_value() || dimension.dim_value() <= 0;
}

std::unordered_set<std::string> initializerNames(const ::onnx::GraphProto& graph) {
    std::unordered_set<std::string> names;
    for (const auto& tensor : graph.initializer()) names.insert(tensor.name());
    return names;
}

/// Calls visit(input, axis, dimension) for the dimensions of the inputs that are not stored in the model.
template <class Graph, class Visit>
void forEachDimension(Graph& graph, Visit visit) {
    const std::unordered_set<std::string> stored = initializerNames(graph);
    for (int i = 0; i < graph.input_size(); ++i) {
        if (stored.contains(graph.input(i).name())) continue;
        if constexpr (std::is_const_v<Graph>) {
            const auto& shape = graph.input(i).type().tensor_type().shape();
            for (int axis = 0; axis < shape.dim_size(); ++axis) visit(graph.input(i), axis, shape.dim(axis));
        } else {
            if (!graph.input(i).type().has_tensor_type()) continue;
            auto* shape = graph.mutable_input(i)->mutable_type()->mutable_tensor_type()->mutable_shape();
            for (int axis = 0; axis < shape->dim_size(); ++axis)
                visit(graph.input(i), axis, *shape->mutable_dim(axis));
        }
    }
}

std::string nameOf(const ::onnx::ValueInfoProto& input, int axis,
                   const ::onnx::TensorShapeProto::Dimension& dimension) {
    return dimension.has_dim_param() && !dimension.dim_param().empty() ? dimension.dim_param()
                                                                       : axisName(input, axis);
}

/// What was given for the open dimensions, by name.
std::map<std::string, int> valuesOf(const std::vector<OpenDimension>& open, const OnnxOptions& options,
                                    const std::string& file) {
    std::map<std::string, int> values = options.dimensions;
    std::string missing;
    for (const OpenDimension& dimension : open) {
        if (dimension.isBatch && options.analytic.microbatchSize > 0)
            values.emplace(dimension.name, options.analytic.microbatchSize);
        if (!values.contains(dimension.name))
            missing += (missing.empty() ? "" : ", ") + dimension.name +
                       (dimension.name == dimension.where ? "" : " (" + dimension.where + ")");
    }
    if (!missing.empty())
        throw InputError(file, "", "the model leaves dimensions open: " + missing,
                         "a value for each: --dim NAME=VALUE, or --microbatch-size for the batch");
    for (const auto& [name, value] : options.dimensions) {
        const bool known = std::any_of(open.begin(), open.end(), [&, &own = name](const OpenDimension& each) {
            return each.name == own;
        });
        if (!known)
            throw InputError(file, "", "the model has no open dimension '" + name + "'",
                             "one of its open dimensions");
    }
    return values;
}

}  // namespace

::onnx::ModelProto parseOnnx(std::string_view bytes, const std::string& file) {
    ::onnx::ModelProto model;
    const bool parsed = bytes.size() < static_cast<std::size_t>(std::numeric_limits<int>::max()) &&
                        model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
    if (!parsed) throw InputError(file, "", "not an ONNX model, or a truncated one", "a protobuf of ONNX");
    if (model.graph().node_size() == 0) throw InputError(file, "graph", "no nodes", "at least one operation");
    return model;
}

std::vector<OpenDimension> openDimensions(const ::onnx::GraphProto& graph) {
    std::vector<OpenDimension> open;
    const ::onnx::ValueInfoProto* first = nullptr;
    forEachDimension(graph, [&](const ::onnx::ValueInfoProto& input, int axis,
                                const ::onnx::TensorShapeProto::Dimension& dimension) {
        if (!first) first = &input;
        if (!isOpen(dimension)) return;
        const std::string name = nameOf(input, axis, dimension);
        const bool known = std::any_of(open.begin(), open.end(),
                                       [&](const OpenDimension& each) { return each.name == name; });
        if (!known) open.push_back({name, axisName(input, axis), &input == first && axis == 0});
    });
    return open;
}

int inferShapes(::onnx::ModelProto& model, const OnnxOptions& options, const std::string& file) {
    ::onnx::GraphProto& graph = *model.mutable_graph();
    const std::map<std::string, int> values = valuesOf(openDimensions(graph), options, file);
    int samples = 0;
    forEachDimension(graph, [&](const ::onnx::ValueInfoProto& input, int axis,
                                ::onnx::TensorShapeProto::Dimension& dimension) {
        if (isOpen(dimension)) dimension.set_dim_value(values.at(nameOf(input, axis, dimension)));
        if (samples == 0 && axis == 0)
            samples = static_cast<int>(std::min<std::int64_t>(dimension.dim_value(), 1 << 30));
    });
    // What the exporter inferred with open dimensions would contradict what is inferred now.
    graph.clear_value_info();
    for (auto& output : *graph.mutable_output())
        if (output.type().has_tensor_type()) output.mutable_type()->mutable_tensor_type()->clear_shape();
    // Foreign operators are no fault: what they pass on has no shape.
    std::set<std::string> domains;
    for (const auto& opset : model.opset_import()) domains.insert(opset.domain());
    for (const auto& node : graph.node())
        if (domains.insert(node.domain()).second) {
            auto* opset = model.add_opset_import();
            opset->set_domain(node.domain());
            opset->set_version(1);
        }
    inferInChild(model, file);
    return std::max(1, samples);
}

}  // namespace stagecraft::onnx
