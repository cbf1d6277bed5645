#include "core/onnx/onnx_profile.h"

#include "core/base/counted.h"
#include "core/base/units.h"
#include "core/formats/json_writer.h"
#include "core/formats/profiles/operator_graph.h"
#include "core/onnx/model.h"
#include "core/onnx/operations.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace stagecraft::onnx {

namespace {

/// Whole nanoseconds, as in the profiles of the model zoo.
double rounded(double seconds) { return std::round(seconds * 1e9) / 1e9; }

class Importer {
public:
    Importer(const ::onnx::ModelProto& model, const std::string& file, const OnnxOptions& options)
        : graph_(model.graph()), file_(file), options_(options), tensors_(graph_, file) {
        options_.analytic.microbatchSize = 1;  // the shapes hold the whole microbatch
    }

    OperatorGraph import() {
        for (const auto& stored : graph_.initializer()) constants_.insert(stored.name());
        for (const auto& input : graph_.input())
            if (!constants_.contains(input.name())) made_.emplace(input.name(), -1);
        for (int index = 0; index < graph_.node_size(); ++index) addNode(index);
        if (result_.nodes.empty())
            throw InputError(file_, "graph", "everything follows from constants",
                             "a node that reads an input");
        return std::move(result_);
    }

    std::vector<RooflineTerm> roofline() const { return roofline_.terms(); }

    std::vector<ImportNote> notes() const {
        std::vector<ImportNote> notes = {{ImportNote::Kind::took, counted(graph_.node_size(), "node") +
                                                                      " and " + formatBytes(parameterBytes_) +
                                                                      " of parameters"}};
        const auto add = [&](ImportNote::Kind kind, const std::set<std::string>& names,
                             const std::string& what) {
            if (names.empty()) return;
            std::string list;
            std::size_t listed = 0;
            for (const std::string& name : names)
                if (listed++ < 8) list += (list.empty() ? "" : ", ") + name;
            notes.push_back({kind, what + list + (names.size() > 8 ? ", …" : "")});
        };
        if (leftOut_ > 0)
            notes.push_back({ImportNote::Kind::ignored, counted(leftOut_, "node follows", "nodes follow") +
                                                            " from constants and shapes alone"});
        add(ImportNote::Kind::assumed, unknown_, "operators that ONNX does not define count by their data: ");
        add(ImportNote::Kind::ignored, bodies_, "what is inside of them is not counted: ");
        add(ImportNote::Kind::assumed, shapeless_, "tensors of unknown shape count as empty: ");
        add(ImportNote::Kind::ignored, uncounted_,
            "how much these compute is not known, so that a plan has no MFU: ");
        add(ImportNote::Kind::derived, tied_, "weights that several nodes read are counted at the first: ");
        return notes;
    }

private:
    std::string placeOf(int index) const {
        const std::string& name = graph_.node(index).name();
        return "node " + std::to_string(index) + (name.empty() ? "" : " '" + name + "'");
    }

    /// What follows from constants and shapes is worked out once and no part of an iteration.
    bool isConstant(const ::onnx::NodeProto& node) const {
        if (node.op_type() == "Shape" || node.op_type() == "Size" || node.op_type() == "Constant")
            return true;
        if (node.attribute_size() > 0 && (node.op_type() == "If" || node.op_type() == "Loop")) return false;
        return std::all_of(node.input().begin(), node.input().end(), [&](const std::string& input) {
            return input.empty() || constants_.contains(input);
        });
    }

    void addNode(int index) {
        const ::onnx::NodeProto& node = graph_.node(index);
        for (const std::string& input : node.input())
            if (!input.empty() && !constants_.contains(input) && !made_.contains(input))
                throw InputError(file_, placeOf(index),
                                 "it reads '" + input + "', which nothing before it makes",
                                 "nodes in the order in which they run");
        for (const std::string& output : node.output())
            if (!output.empty() && (constants_.contains(output) || made_.contains(output)))
                throw InputError(file_, placeOf(index), "'" + output + "' is made already",
                                 "a unique name for each tensor");
        if (isConstant(node)) {
            const bool holdsWeights = node.op_type() == "Constant" && node.output_size() == 1 &&
                                      tensors_.initializer(node.output(0));
            if (!holdsWeights) ++leftOut_;
            for (const std::string& output : node.output()) {
                constants_.insert(output);
                carryWeights(node, output);
            }
            return;
        }
        addOperator(index);
        for (const std::string& output : node.output())
            if (!output.empty()) made_.emplace(output, static_cast<int>(result_.nodes.size()) - 1);
    }

    /// A transposed or cast weight counts as the stored one.
    void carryWeights(const ::onnx::NodeProto& node, const std::string& output) {
        for (const std::string& input : node.input())
            for (const std::string& weight : weightsOf(input)) carried_[output].insert(weight);
    }
    std::set<std::string> weightsOf(const std::string& name) const {
        const auto carried = carried_.find(name);
        if (carried != carried_.end()) return carried->second;
        const OnnxTensor* stored = tensors_.initializer(name);
        return stored && stored->isFloat() ? std::set<std::string>{name} : std::set<std::string>{};
    }

    /// Elements of a tensor that is passed on, in units of the precision's; integers have their own size.
    double elementsOf(const OnnxTensor& tensor) const {
        if (tensor.isFloat()) return tensor.elements();
        const bool wide =
            tensor.type == ::onnx::TensorProto::INT64 || tensor.type == ::onnx::TensorProto::UINT64;
        const bool narrow = tensor.type == ::onnx::TensorProto::BOOL ||
                            tensor.type == ::onnx::TensorProto::INT8 ||
                            tensor.type == ::onnx::TensorProto::UINT8;
        return tensor.elements() * (wide ? 8 : narrow ? 1 : 4) / elementBytes(options_.analytic.precision);
    }

    const OnnxTensor* shapeOf(const std::string& name) {
        const OnnxTensor* tensor = name.empty() ? nullptr : tensors_.find(name);
        if (!tensor && !name.empty()) shapeless_.insert(name);
        return tensor;
    }

    OnnxNodeTensors tensorsOf(const ::onnx::NodeProto& node) {
        OnnxNodeTensors own;
        for (const std::string& name : node.input()) {
            const OnnxTensor* tensor = shapeOf(name);
            own.inputs.push_back(tensor);
            own.isParameter.push_back(!weightsOf(name).empty());
            if (tensor && !constants_.contains(name)) own.dataElements += elementsOf(*tensor);
        }
        for (const std::string& name : node.output()) {
            own.outputs.push_back(shapeOf(name));
            if (own.outputs.back()) own.outputElements += elementsOf(*own.outputs.back());
        }
        return own;
    }

    /// Stored numbers that are trained: not the running statistics of a batch norm.
    double newParameters(const ::onnx::NodeProto& node) {
        double elements = 0;
        for (int i = 0; i < node.input_size(); ++i) {
            if (node.op_type() == "BatchNormalization" && i > 2) continue;
            for (const std::string& weight : weightsOf(node.input(i))) {
                if (counted_.insert(weight).second)
                    elements += tensors_.initializer(weight)->elements();
                else
                    tied_.insert(weight);
            }
        }
        return elements;
    }

    void addOperator(int index) {
        const ::onnx::NodeProto& node = graph_.node(index);
        const OnnxNodeTensors own = tensorsOf(node);
        OnnxOperation made = onnxOperation(node, own);
        made.operation.parameters = newParameters(node);
        if (!made.isKnown) unknown_.insert(node.op_type());
        if (made.hasBody) bodies_.insert(node.op_type());
        const int self = static_cast<int>(result_.nodes.size());
        std::set<int> makers;
        for (const std::string& input : node.input())
            if (const auto maker = made_.find(input); maker != made_.end() && maker->second >= 0)
                makers.insert(maker->second);
        // Nothing before it is trained: no gradient of the network's own input is needed.
        if (makers.empty()) made.operation.inputGradientPasses = 0;
        const OperationTime time = operationTime(made.operation, options_.gpu, options_.analytic);
        roofline_.add(made.operation);
        const double bytes = elementBytes(options_.analytic.precision);
        OperatorNode entry;
        entry.id = node.name().empty() ? node.op_type() + "_" + std::to_string(index) : node.name();
        entry.description = node.op_type();
        entry.number = index;
        entry.forwardS = rounded(time.forwardS);
        entry.weightGradientS = rounded(time.weightGradientS);
        entry.backwardS = rounded(time.inputGradientS) + *entry.weightGradientS;
        entry.parameterBytes = made.operation.parameters * bytes;
        entry.outputBytes = own.outputElements * bytes;
        if (made.knowsFlops)
            entry.flops = made.operation.flops;
        else
            uncounted_.insert(node.op_type());
        if (!made.keepsInputs || made.ownStoredElements > 0)
            entry.storedBytes = ((made.keepsInputs ? own.dataElements : 0) + made.ownStoredElements) * bytes;
        if (!(entry.forwardS + entry.backwardS + entry.outputBytes + entry.parameterBytes <= largestQuantity))
            throw InputError(file_, placeOf(index), "it is too large", "times and bytes up to 1e24");
        parameterBytes_ += entry.parameterBytes;
        result_.nodes.push_back(std::move(entry));
        for (const int maker : makers) result_.edges.push_back({maker, self});
    }

    const ::onnx::GraphProto& graph_;
    const std::string& file_;
    OnnxOptions options_;
    OnnxTensors tensors_;
    OperatorGraph result_;
    RooflineSum roofline_{options_.gpu, options_.analytic};
    std::unordered_set<std::string> constants_;  // tensors known before anything runs
    std::unordered_map<std::string, int> made_;  // tensor to node; -1: an input
    std::unordered_map<std::string, std::set<std::string>>
        carried_;  // tensor to the weights that it was made from
    std::set<std::string> counted_, tied_, unknown_, bodies_, shapeless_, uncounted_;
    int leftOut_ = 0;
    double parameterBytes_ = 0;
};

std::string sourceOf(const ::onnx::ModelProto& model, const OnnxOptions& options, int samples) {
    const AnalyticOptions& analytic = options.analytic;
    std::string text = "Computed, not measured: an ONNX model";
    if (!model.producer_name().empty()) text += " written by " + model.producer_name();
    text += " on " + options.gpu.name + " at " + nameOf(precisionNames, analytic.precision) + ", " +
            counted(samples, "sample") + " per microbatch";
    for (const auto& [name, value] : options.dimensions) text += ", " + name + " = " + std::to_string(value);
    return text +
           ". A node takes the longer of FLOP / (peak x efficiency) and bytes / (memory bandwidth x "
           "efficiency): " +
           formatNumber(analytic.matrixEfficiency) + " for matrix products, " +
           formatNumber(analytic.convolutionEfficiency) + " for convolutions, " +
           formatNumber(analytic.memoryEfficiency) +
           " for memory, all assumed; other operators count by their bytes alone, views not at all. "
           "Backward: a "
           "product or convolution takes its forward twice, other operators 1 to 1.67 times. Kernel launches "
           "cost "
           "nothing. GPU figures: " +
           options.gpu.source + ".";
}

}  // namespace

std::vector<OpenDimension> openDimensions(std::string_view bytes, const std::string& file) {
    return openDimensions(parseOnnx(bytes, file).graph());
}

ImportedProfile readOnnx(std::string_view bytes, const std::string& file, const OnnxOptions& options) {
    ::onnx::ModelProto model = parseOnnx(bytes, file);
    const int samples = inferShapes(model, options, file);
    Importer importer(model, file, options);
    const OperatorGraph graph = importer.import();
    ImportedProfile imported = chainOf(graph);
    std::vector<ImportNote> notes = importer.notes();
    notes.push_back({ImportNote::Kind::derived, "samples in a microbatch: " + std::to_string(samples) +
                                                    ", the first dimension of the first input"});
    imported.notes.insert(imported.notes.begin(), notes.begin(), notes.end());
    imported.profile.name =
        model.graph().name().empty() ? nameFromFile(file, ".onnx") : utf8(model.graph().name());
    imported.profile.microbatchSize = samples;
    imported.profile.elementBytes = elementBytes(options.analytic.precision);
    imported.profile.roofline = importer.roofline();
    imported.profile.peakFlops = peakFlops(options.gpu, options.analytic.precision);
    imported.profile.source = utf8(sourceOf(model, options, samples));
    return imported;
}

}  // namespace stagecraft::onnx
