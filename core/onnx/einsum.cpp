#include "core/onnx/einsum.h"

#include "core/onnx/tensors.h"

#include <algorithm>
#include <map>

namespace stagecraft::onnx {

namespace {

using Shape = std::vector<double>;

constexpr char ellipsis = '.';

bool isIndex(char letter) { return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z'); }

/// One letter an axis, and ellipsis for "...". Nothing if it holds anything else.
std::optional<std::string> termOf(const std::string& text) {
    std::string term;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == ' ') continue;
        if (isIndex(text[at])) {
            term += text[at];
        } else if (text.compare(at, 3, "...") == 0 && term.find(ellipsis) == std::string::npos) {
            term += ellipsis;
            at += 2;
        } else {
            return std::nullopt;
        }
    }
    return term;
}

std::optional<std::vector<std::string>> termsOf(const std::string& text) {
    std::vector<std::string> terms;
    for (std::size_t from = 0;;) {
        const std::size_t comma = text.find(',', from);
        const auto term = termOf(text.substr(from, comma - from));
        if (!term) return std::nullopt;
        terms.push_back(*term);
        if (comma == std::string::npos) return terms;
        from = comma + 1;
    }
}

struct Indices {
    std::map<char, std::pair<int, double>> named;  // how often, and how long
    Shape leading;                                 // what "..." means

    bool read(const std::string& term, const Shape& shape) {
        const std::size_t dots = term.find(ellipsis);
        const std::size_t letters = term.size() - (dots == std::string::npos ? 0 : 1);
        if (shape.size() < letters || (dots == std::string::npos && shape.size() != letters)) return false;
        const std::size_t shared = shape.size() - letters;
        std::size_t axis = 0;
        for (const char letter : term) {
            if (letter == ellipsis) {
                const auto first = shape.begin() + static_cast<std::ptrdiff_t>(axis);
                if (shared > leading.size())
                    leading.assign(first, first + static_cast<std::ptrdiff_t>(shared));
                axis += shared;
                continue;
            }
            auto& [count, length] = named[letter];
            ++count;
            length = std::max(length, shape[axis++]);
        }
        return true;
    }
};

std::string impliedResult(const Indices& indices) {
    std::string term = indices.leading.empty() ? "" : std::string(1, ellipsis);
    for (const auto& [letter, index] : indices.named)
        if (index.first == 1) term += letter;
    return term;
}

::onnx::ValueInfoProto& valueOf(const std::string& name, ::onnx::GraphProto& graph) {
    for (auto* list : {graph.mutable_output(), graph.mutable_value_info()})
        for (auto& value : *list)
            if (value.name() == name) return value;
    ::onnx::ValueInfoProto& value = *graph.add_value_info();
    value.set_name(name);
    return value;
}

void setShape(::onnx::ValueInfoProto& value, const Shape& shape, int type) {
    auto& tensor = *value.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(type);
    tensor.clear_shape();
    for (const double size : shape)
        tensor.mutable_shape()->add_dim()->set_dim_value(static_cast<std::int64_t>(size));
}

}  // namespace

std::optional<Einsum> einsum(const std::string& equation, const std::vector<Shape>& operands) {
    const std::size_t arrow = equation.find("->");
    const auto terms = termsOf(equation.substr(0, arrow));
    if (!terms || terms->size() != operands.size()) return std::nullopt;
    Indices indices;
    for (std::size_t i = 0; i < operands.size(); ++i)
        if (!indices.read((*terms)[i], operands[i])) return std::nullopt;
    const auto result =
        arrow == std::string::npos ? impliedResult(indices) : termOf(equation.substr(arrow + 2));
    if (!result) return std::nullopt;
    Einsum made;
    for (const char letter : *result) {
        if (letter == ellipsis) {
            made.shape.insert(made.shape.end(), indices.leading.begin(), indices.leading.end());
            continue;
        }
        const auto index = indices.named.find(letter);
        if (index == indices.named.end()) return std::nullopt;
        made.shape.push_back(index->second.second);
    }
    for (const auto& [letter, index] : indices.named)
        if (result->find(letter) == std::string::npos) made.summedElements *= index.second;
    return made;
}

std::string einsumEquation(const ::onnx::NodeProto& node) {
    for (const auto& attribute : node.attribute())
        if (attribute.name() == "equation") return attribute.s();
    return {};
}

int storeEinsumShapes(::onnx::GraphProto& graph) {
    if (std::none_of(graph.node().begin(), graph.node().end(),
                     [](const auto& node) { return node.op_type() == "Einsum"; }))
        return 0;
    int stored = 0;
    const OnnxTensors tensors(graph, "");
    for (const auto& node : graph.node()) {
        if (node.op_type() != "Einsum" || node.output_size() != 1 || tensors.find(node.output(0))) continue;
        std::vector<Shape> operands;
        int type = ::onnx::TensorProto::UNDEFINED;
        for (const std::string& input : node.input())
            if (const OnnxTensor* tensor = tensors.find(input)) {
                operands.push_back(tensor->shape);
                type = tensor->type;
            }
        if (operands.empty() || static_cast<int>(operands.size()) != node.input_size()) continue;
        const auto made = einsum(einsumEquation(node), operands);
        if (!made) continue;
        setShape(valueOf(node.output(0), graph), made->shape, type);
        ++stored;
    }
    return stored;
}

}  // namespace stagecraft::onnx
