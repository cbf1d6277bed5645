#include "core/onnx/einsum.h"
#include "tests/support/every_room.h"
#include "core/onnx/onnx_profile.h"
#include "core/formats/text_file.h"

#include "core/graph/grouping.h"

#include <onnx/onnx_pb.h>

#include <gtest/gtest.h>

#include <functional>
#include <random>

namespace stagecraft {
namespace {

using Shape = std::vector<std::int64_t>;

/// Writes small models. A negative size of an input is open; -1 of axis 0 is called "N", others have no name.
class ModelWriter {
public:
    ModelWriter() {
        model_.set_ir_version(8);
        model_.set_producer_name("test");
        auto* opset = model_.add_opset_import();
        opset->set_domain("");
        opset->set_version(13);
        graph().set_name("network");
    }
    ::onnx::GraphProto& graph() { return *model_.mutable_graph(); }
    ::onnx::ModelProto& model() { return model_; }

    void input(const std::string& name, const Shape& shape, int type = ::onnx::TensorProto::FLOAT) {
        auto& value = *graph().add_input();
        value.set_name(name);
        auto* tensor = value.mutable_type()->mutable_tensor_type();
        tensor->set_elem_type(type);
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            auto* dimension = tensor->mutable_shape()->add_dim();
            if (shape[axis] >= 0)
                dimension->set_dim_value(shape[axis]);
            else if (axis == 0)
                dimension->set_dim_param("N");
        }
    }
    void output(const std::string& name) {
        auto* value = graph().add_output();
        value->set_name(name);
        value->mutable_type()->mutable_tensor_type()->set_elem_type(::onnx::TensorProto::FLOAT);
    }
    void weight(const std::string& name, const Shape& shape) {
        auto* tensor = graph().add_initializer();
        tensor->set_name(name);
        tensor->set_data_type(::onnx::TensorProto::FLOAT);
        for (const std::int64_t size : shape) tensor->add_dims(size);
        tensor->set_data_location(::onnx::TensorProto::EXTERNAL);  // the numbers are not looked at
    }
    void shapeConstant(const std::string& name, const Shape& values) {
        auto* tensor = graph().add_initializer();
        tensor->set_name(name);
        tensor->set_data_type(::onnx::TensorProto::INT64);
        tensor->add_dims(static_cast<std::int64_t>(values.size()));
        for (const std::int64_t value : values) tensor->add_int64_data(value);
    }
    ::onnx::NodeProto& node(const std::string& type, const std::vector<std::string>& inputs,
                            const std::string& output) {
        auto* made = graph().add_node();
        made->set_op_type(type);
        made->set_name(output + "_node");
        for (const std::string& name : inputs) made->add_input(name);
        made->add_output(output);
        return *made;
    }
    static void integers(::onnx::NodeProto& node, const std::string& name, const Shape& values) {
        auto* attribute = node.add_attribute();
        attribute->set_name(name);
        attribute->set_type(::onnx::AttributeProto::INTS);
        for (const std::int64_t value : values) attribute->add_ints(value);
    }
    static void text(::onnx::NodeProto& node, const std::string& name, const std::string& value) {
        auto* attribute = node.add_attribute();
        attribute->set_name(name);
        attribute->set_type(::onnx::AttributeProto::STRING);
        attribute->set_s(value);
    }
    std::string bytes() const { return model_.SerializeAsString(); }

private:
    ::onnx::ModelProto model_;
};

OnnxOptions onV100(int microbatchSize = 2) {
    OnnxOptions options;
    options.gpu = *findGpu("V100-SXM2-16GB");
    options.analytic.microbatchSize = microbatchSize;
    return options;
}

/// Convolution, ReLU, shortcut, flatten, fully connected.
ModelWriter smallNetwork() {
    ModelWriter writer;
    writer.input("image", {-1, 16, 8, 8});
    writer.weight("w", {16, 16, 3, 3});
    writer.weight("b", {16});
    writer.weight("fc", {1024, 10});
    ModelWriter::integers(writer.node("Conv", {"image", "w", "b"}, "conv"), "pads", {1, 1, 1, 1});
    writer.node("Relu", {"conv"}, "relu");
    ModelWriter::integers(writer.node("Conv", {"relu", "w", "b"}, "again"), "pads", {1, 1, 1, 1});
    writer.node("Add", {"again", "relu"}, "sum");
    writer.node("Flatten", {"sum"}, "flat");
    writer.node("MatMul", {"flat", "fc"}, "scores");
    writer.output("scores");
    return writer;
}

const Layer& nodeNamed(const LayerProfile& profile, const std::string& start) {
    for (const Layer& node : profile.operators.nodes)
        if (node.name.starts_with(start)) return node;
    ADD_FAILURE() << "no node " << start;
    return profile.operators.nodes.front();
}

std::string complaint(const std::string& bytes, const OnnxOptions& options) {
    try {
        readOnnx(bytes, "F", options);
    } catch (const InputError& error) {
        return error.what();
    }
    return "nothing to complain about";
}

TEST(Onnx, CountsOperationsBytesAndParametersOfEachNode) {
    const LayerProfile profile = readOnnx(smallNetwork().bytes(), "F.onnx", onV100(2)).profile;
    EXPECT_EQ(profile.name, "network");
    EXPECT_EQ(profile.microbatchSize, 2);
    const Layer& conv = nodeNamed(profile, "conv_node");
    const Gpu gpu = onV100().gpu;
    constexpr double outputs = 2 * 16 * 8 * 8, weights = 16 * 16 * 9 + 16;
    EXPECT_EQ(conv.outputBytes, 4 * outputs);
    EXPECT_EQ(conv.parameterBytes, 4 * weights);
    const double compute = 2 * outputs * 16 * 9 / (gpu.fp32Flops * 0.5),
                 memory = 4 * (2 * outputs + weights) / (gpu.memoryBandwidthBps * 0.7);
    EXPECT_NEAR(conv.forwardS, std::max(compute, memory), 1e-9);
    EXPECT_NEAR(conv.backwardS, conv.forwardS, 1e-9) << "no gradient of the image is needed";
    const Layer& again = nodeNamed(profile, "again_node");
    EXPECT_NEAR(again.backwardS, 2 * again.forwardS, 2e-9);
    EXPECT_EQ(again.parameterBytes, 0) << "the same weights are counted once";
    EXPECT_EQ(again.storedActivationBytes, 4 * outputs);
    EXPECT_EQ(nodeNamed(profile, "sum_node").storedActivationBytes, 0) << "an addition needs nothing again";
    EXPECT_EQ(nodeNamed(profile, "flat_node").forwardS, 0) << "a view";
    const Layer& scores = nodeNamed(profile, "scores_node");
    EXPECT_EQ(scores.parameterBytes, 4 * 10240);
    EXPECT_EQ(scores.outputBytes, 4 * 2 * 10);
    EXPECT_TRUE(operatorsDescribeLayers(profile));
    EXPECT_NE(profile.source.find("Computed, not measured"), std::string::npos);
}

TEST(Onnx, WhatProductsAndConvolutionsComputeIsKnownOfLayersToo) {
    const LayerProfile profile = readOnnx(smallNetwork().bytes(), "F.onnx", onV100(2)).profile;
    constexpr double convolution = 2.0 * (2 * 16 * 8 * 8) * 16 * 9, product = 2.0 * 2 * 1024 * 10;
    EXPECT_EQ(nodeNamed(profile, "conv_node").flops, convolution);
    EXPECT_EQ(nodeNamed(profile, "relu_node").flops, 0.0);
    EXPECT_EQ(nodeNamed(profile, "scores_node").flops, product);
    EXPECT_EQ(profile.forwardFlops(), 2 * convolution + product);
    EXPECT_EQ(profile.peakFlops, onV100().gpu.fp32Flops);

    ModelWriter writer = smallNetwork();
    writer.node("FlashAttention", {"scores"}, "attended").set_domain("com.example");
    const ImportedProfile other = readOnnx(writer.bytes(), "F.onnx", onV100(2));
    EXPECT_FALSE(other.profile.forwardFlops()) << "one of its operators may compute anything";
    EXPECT_TRUE(std::ranges::any_of(other.notes, [](const ImportNote& note) {
        return note.text == "how much these compute is not known, so that a plan has no MFU: FlashAttention";
    }));
}

TEST(Onnx, TimesGrowWithTheMicrobatchAndHalvePrecisionHalvesBytes) {
    OnnxOptions options = onV100(2);
    const LayerProfile full = readOnnx(smallNetwork().bytes(), "F", options).profile;
    options.analytic.precision = Precision::fp16;
    const LayerProfile half = readOnnx(smallNetwork().bytes(), "F", options).profile;
    EXPECT_EQ(nodeNamed(half, "scores_node").parameterBytes * 2,
              nodeNamed(full, "scores_node").parameterBytes);
    const LayerProfile large = readOnnx(smallNetwork().bytes(), "F", onV100(2000)).profile;
    EXPECT_GT(nodeNamed(large, "conv_node").forwardS, 100 * nodeNamed(full, "conv_node").forwardS);
}

TEST(Onnx, OpenDimensionsAreAskedForByName) {
    ModelWriter writer = smallNetwork();
    writer.input("mask", {-1, -1});
    writer.node("ReduceSum", {"mask"}, "masks");
    const std::vector<OpenDimension> open = openDimensions(writer.bytes(), "F");
    ASSERT_EQ(open.size(), 2u);
    EXPECT_EQ(open[0].name, "N");
    EXPECT_TRUE(open[0].isBatch);
    EXPECT_EQ(open[1].name, "mask[1]");
    EXPECT_EQ(complaint(writer.bytes(), onV100(0)),
              "F: the model leaves dimensions open: N (image[0]), mask[1]; expected a value for each: --dim "
              "NAME=VALUE, or --microbatch-size for the batch");
    OnnxOptions options = onV100(3);
    EXPECT_EQ(complaint(writer.bytes(), options).substr(0, 47),
              "F: the model leaves dimensions open: mask[1]; e");
    options.dimensions = {{"mask[1]", 7}, {"length", 2}};
    EXPECT_EQ(complaint(writer.bytes(), options).substr(0, 44),
              "F: the model has no open dimension 'length';");
    options.dimensions = {{"mask[1]", 7}};
    EXPECT_EQ(readOnnx(writer.bytes(), "F", options).profile.microbatchSize, 3);
    options.dimensions["N"] = 5;
    EXPECT_EQ(readOnnx(writer.bytes(), "F", options).profile.microbatchSize, 5) << "what is named wins";
}

TEST(Onnx, WhatFollowsFromShapesAndConstantsIsNoWork) {
    ModelWriter writer;
    writer.input("x", {-1, 4, 6});
    writer.weight("stored", {24, 24});
    writer.node("Shape", {"x"}, "shape");
    writer.shapeConstant("zero", {0});
    writer.node("Gather", {"shape", "zero"}, "batch");
    writer.shapeConstant("rest", {24});
    auto& concat = writer.node("Concat", {"batch", "rest"}, "target");
    auto* axis = concat.add_attribute();
    axis->set_name("axis");
    axis->set_type(::onnx::AttributeProto::INT);
    axis->set_i(0);
    writer.node("Reshape", {"x", "target"}, "rows");
    writer.node("Transpose", {"stored"}, "turned");
    writer.node("MatMul", {"rows", "turned"}, "y");
    writer.output("y");
    const ImportedProfile imported = readOnnx(writer.bytes(), "F", onV100(8));
    EXPECT_EQ(imported.profile.operators.nodes.size(), 2u) << "the view and the product";
    const Layer& product = nodeNamed(imported.profile, "y_node");
    EXPECT_EQ(product.outputBytes, 4 * 8 * 24) << "the shape went through the arithmetic";
    EXPECT_EQ(product.parameterBytes, 4 * 24 * 24) << "a transposed weight is a weight";
}

TEST(Onnx, ProductsOfTwoActivationsAreAttention) {
    ModelWriter writer;
    writer.input("q", {-1, 4, 16, 8});
    writer.weight("w", {8, 8});
    writer.node("MatMul", {"q", "w"}, "k");
    auto& transpose = writer.node("Transpose", {"k"}, "kt");
    ModelWriter::integers(transpose, "perm", {0, 1, 3, 2});
    writer.node("MatMul", {"k", "kt"}, "scores");
    writer.node("Softmax", {"scores"}, "p");
    writer.output("p");
    const LayerProfile profile = readOnnx(writer.bytes(), "F", onV100(1)).profile;
    const Layer& scores = nodeNamed(profile, "scores_node");
    EXPECT_EQ(scores.parameterBytes, 0);
    EXPECT_EQ(scores.weightGradientS, 0);
    EXPECT_NEAR(scores.backwardS, 2 * scores.forwardS, 2e-9) << "both factors have a gradient";
    EXPECT_EQ(nodeNamed(profile, "p_node").storedActivationBytes, 4 * 4 * 16 * 16)
        << "softmax keeps its output";
}

TEST(Onnx, AnEinsumTakesAsLongAsTheSameProduct) {
    const auto scoresS = [](const char* equation) {
        ModelWriter writer;
        writer.input("q", {-1, 16, 1024, 64});
        writer.node("Relu", {"q"}, "k");
        if (equation) {
            auto& einsum = writer.node("Einsum", {"q", "k"}, "scores");
            ModelWriter::text(einsum, "equation", equation);
        } else {
            auto& transpose = writer.node("Transpose", {"k"}, "kt");
            ModelWriter::integers(transpose, "perm", {0, 1, 3, 2});
            writer.node("MatMul", {"q", "kt"}, "scores");
        }
        writer.node("Softmax", {"scores"}, "p");
        writer.output("p");
        return nodeNamed(readOnnx(writer.bytes(), "F", onV100(2)).profile, "scores_node").forwardS;
    };
    const double product = scoresS(nullptr);
    EXPECT_GT(product, 0);
    for (const char* equation : {"bhqd,bhkd->bhqk", "...qd,...kd->...qk", "bhqd, bhkd -> bhqk"})
        EXPECT_DOUBLE_EQ(scoresS(equation), product) << equation;
}

TEST(Onnx, AnEinsumHasTheShapeThatItsEquationSays) {
    using Sizes = std::vector<double>;
    const auto attention = einsum("bhqd,bhkd->bhqk", {{2, 3, 4, 5}, {2, 3, 6, 5}});
    ASSERT_TRUE(attention);
    EXPECT_EQ(attention->shape, (Sizes{2, 3, 4, 6}));
    EXPECT_EQ(attention->summedElements, 5);
    const auto implied = einsum("kj, ...ik", {{7, 8}, {2, 3, 4, 7}});
    ASSERT_TRUE(implied);
    EXPECT_EQ(implied->shape, (Sizes{2, 3, 4, 8})) << "in the order of the alphabet";
    EXPECT_EQ(implied->summedElements, 7);
    EXPECT_FALSE(einsum("ij,jk->ik", {{2, 3}}));
    EXPECT_FALSE(einsum("ij,jk->il", {{2, 3}, {3, 4}}));
    EXPECT_FALSE(einsum("ij->ji", {{2, 3, 4}}));
    EXPECT_FALSE(einsum("i..j->j", {{2, 3}}));
}

TEST(Onnx, OperatorsOfOthersCountByTheirDataAndAreNamed) {
    ModelWriter writer;
    writer.input("x", {4, 8});
    writer.node("Relu", {"x"}, "a");
    auto& foreign = writer.node("FancyAttention", {"a"}, "b");
    foreign.set_domain("com.example");
    writer.node("Relu", {"b"}, "c");
    writer.output("c");
    const ImportedProfile imported = readOnnx(writer.bytes(), "F", onV100(1));
    std::string notes;
    for (const ImportNote& note : imported.notes) notes += note.text + "\n";
    EXPECT_NE(notes.find("operators that ONNX does not define count by their data: FancyAttention"),
              std::string::npos)
        << notes;
    EXPECT_NE(notes.find("tensors of unknown shape count as empty: b"), std::string::npos) << notes;
    EXPECT_NE(notes.find("samples in a microbatch: 4"), std::string::npos) << notes;
}

TEST(Onnx, FaultsAreNamedWithTheirPlace) {
    EXPECT_EQ(complaint("hello", onV100()).substr(0, 23), "F: not an ONNX model, o");
    EXPECT_EQ(complaint("", onV100()).substr(0, 18), "F: graph: no nodes");
    ModelWriter nowhere = smallNetwork();
    nowhere.node("Relu", {"ghost"}, "z");
    EXPECT_EQ(
        complaint(nowhere.bytes(), onV100()),
        "F: node 6 'z_node': it reads 'ghost', which nothing before it makes; expected nodes in the order in "
        "which they run");
    ModelWriter twice = smallNetwork();
    twice.node("Relu", {"sum"}, "relu");
    EXPECT_EQ(complaint(twice.bytes(), onV100()).substr(0, 45),
              "F: node 6 'relu_node': 'relu' is made already");
    ModelWriter huge;
    huge.input("x", {1, std::int64_t{1} << 40, std::int64_t{1} << 40});
    huge.node("Relu", {"x"}, "y");
    huge.output("y");
    EXPECT_EQ(complaint(huge.bytes(), onV100()).substr(0, 35), "F: tensor 'x': its shape is invalid");
    ModelWriter constant;
    constant.weight("w", {2});
    constant.node("Relu", {"w"}, "y");
    EXPECT_EQ(complaint(constant.bytes(), onV100()).substr(0, 42),
              "F: graph: everything follows from constant");
    ModelWriter negative = smallNetwork();
    negative.graph().mutable_initializer(0)->set_dims(0, -4);
    EXPECT_NE(complaint(negative.bytes(), onV100()), "nothing to complain about");
}

TEST(Onnx, MutatedModelsAreReadOrRefusedButNeverCrash) {
    const std::string good = smallNetwork().bytes();
    std::mt19937 random(11);
    for (int round = 0; round < 300; ++round) {
        std::string bytes = good;
        for (int change = 1 + static_cast<int>(random() % 4); change > 0; --change)
            bytes[random() % bytes.size()] = static_cast<char>(random());
        if (random() % 4 == 0) bytes.resize(random() % bytes.size());
        try {
            readOnnx(bytes, "F", onV100());
        } catch (const InputError&) {
            // refused: as good as read
        }
    }
}

TEST(Onnx, WeightsInConstantNodesAreThoseOfInitializers) {
    OnnxOptions options;
    options.gpu = *findGpu("A100-SXM4-80GB");
    const auto read = [&](const std::string& name) {
        const std::string path = STAGECRAFT_SOURCE_DIR "/tests/data/public/" + name;
        return readOnnx(readTextFile(path), "F", options);
    };
    const ImportedProfile constants = read("14-weights-as-constants.onnx"),
                          initializers = read("14-weights-as-initializers.onnx");
    ASSERT_EQ(constants.profile.layerCount(), 4);
    double parameters = 0;
    for (int layer = 0; layer < 4; ++layer) {
        const Layer &a = constants.profile.layers[static_cast<std::size_t>(layer)],
                    &b = initializers.profile.layers[static_cast<std::size_t>(layer)];
        EXPECT_EQ(a.parameterBytes, b.parameterBytes) << layer;
        EXPECT_EQ(a.forwardS, b.forwardS) << layer;
        EXPECT_EQ(a.backwardS, b.backwardS) << layer;
        EXPECT_EQ(a.weightGradientS, b.weightGradientS) << layer;
        parameters += a.parameterBytes;
    }
    EXPECT_EQ(parameters, 38400);
}

TEST(Onnx, ConstantsThatAreNoTensorsOfWeightsHoldNone) {
    const auto parametersWith = [](const std::function<void(ModelWriter&)>& addWeight) {
        ModelWriter writer;
        writer.input("data", {4, 64});
        addWeight(writer);
        writer.node("MatMul", {"data", "w"}, "product");
        writer.output("product");
        const LayerProfile profile = readOnnx(writer.bytes(), "F", onV100(4)).profile;
        return nodeNamed(profile, "product").parameterBytes;
    };
    const auto constant = [](ModelWriter& writer, const std::string& name, int type) {
        auto& value = *writer.node("Constant", {}, name).add_attribute();
        value.set_name("value");
        value.set_type(::onnx::AttributeProto::TENSOR);
        value.mutable_t()->set_data_type(type);
        for (const int size : {64, 32}) value.mutable_t()->add_dims(size);
        value.mutable_t()->set_data_location(::onnx::TensorProto::EXTERNAL);
    };
    const double stored = parametersWith([](ModelWriter& writer) { writer.weight("w", {64, 32}); });
    EXPECT_EQ(stored, 64 * 32 * 4);
    EXPECT_EQ(parametersWith([&](ModelWriter& writer) { constant(writer, "w", ::onnx::TensorProto::FLOAT); }),
              stored);
    // On its way through other constant nodes it is the same weight.
    EXPECT_EQ(parametersWith([&](ModelWriter& writer) {
                  constant(writer, "half", ::onnx::TensorProto::FLOAT16);
                  writer.node("Cast", {"half"}, "cast");
                  writer.node("Identity", {"cast"}, "w");
              }),
              stored);
    EXPECT_EQ(parametersWith([&](ModelWriter& writer) { constant(writer, "w", ::onnx::TensorProto::INT32); }),
              0)
        << "a table of indices is no weight";
}

}  // namespace
}  // namespace stagecraft
