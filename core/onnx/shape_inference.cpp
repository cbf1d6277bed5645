#include "core/onnx/shape_inference.h"

#include "core/base/process.h"
#include "core/formats/input_error.h"
#include "core/onnx/einsum.h"

#include <onnx/shape_inference/implementation.h>

#include <sys/resource.h>

// Sanitizers map more than any limit allows. GCC and clang report them in different ways.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STAGECRAFT_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define STAGECRAFT_SANITIZED 1
#endif
#endif
#if STAGECRAFT_SANITIZED
#include <sanitizer/common_interface_defs.h>
#endif

#include <algorithm>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace stagecraft::onnx {

namespace {

constexpr int mostSeconds = 15;
constexpr rlim_t mostBytes = rlim_t{8} << 30;

// What the child writes first.
constexpr char inferred = 'k';
constexpr char refused = 'e';

using Numbers = std::unordered_map<std::string, ::onnx::TensorShapeProto>;

void infer(::onnx::ModelProto& model, Numbers& numbers) {
    constexpr bool checkTypes = false;
    constexpr int lenient = 0;
    constexpr bool followShapes = true;
    ::onnx::shape_inference::InferShapes(model, ::onnx::OpSchemaRegistry::Instance(),
                                         ::onnx::ShapeInferenceOptions{checkTypes, lenient, followShapes},
                                         &numbers);
}

/// Stores numbers that follow from shapes in the model, as if they had been there: this version of ONNX works
/// them out, but its Reshape and the like look at stored numbers alone. @return how many are new
int store(const Numbers& numbers, std::unordered_set<std::string>& stored, ::onnx::GraphProto& graph) {
    int added = 0;
    for (const auto& [name, values] : numbers) {
        const bool known = std::all_of(values.dim().begin(), values.dim().end(),
                                       [](const auto& value) { return value.has_dim_value(); });
        if (!known || !stored.insert(name).second) continue;
        ::onnx::TensorProto& tensor = *graph.add_initializer();
        tensor.set_name(name);
        tensor.set_data_type(::onnx::TensorProto::INT64);
        tensor.add_dims(values.dim_size());
        for (const auto& value : values.dim()) tensor.add_int64_data(value.dim_value());
        ++added;
    }
    return added;
}

/// The shapes alone, as a graph.
std::string answerFor(::onnx::ModelProto& model) {
    constexpr int mostRounds = 100;  // a Reshape may wait for the shape of what another one made
    try {
        ::onnx::GraphProto& graph = *model.mutable_graph();
        std::unordered_set<std::string> stored;
        for (const auto& tensor : graph.initializer()) stored.insert(tensor.name());
        for (int round = 0; round < mostRounds; ++round) {
            Numbers numbers;
            infer(model, numbers);
            if (store(numbers, stored, graph) + storeEinsumShapes(graph) == 0) break;
        }
        ::onnx::GraphProto shapes;
        shapes.mutable_value_info()->Swap(graph.mutable_value_info());
        shapes.mutable_output()->Swap(graph.mutable_output());
        return inferred + shapes.SerializeAsString();
    } catch (const std::exception& error) {
        return refused + std::string(error.what());
    }
}

/// What this process may take from now on.
void limitThisProcess() {
    const rlimit seconds{mostSeconds, mostSeconds}, none{0, 0};
    ::setrlimit(RLIMIT_CPU, &seconds);
    ::setrlimit(RLIMIT_CORE, &none);
#if STAGECRAFT_SANITIZED
    __sanitizer_set_death_callback(nullptr);  // a fuzzer takes the crash for one of its own
#else
    const rlimit bytes{mostBytes, mostBytes};
    ::setrlimit(RLIMIT_DATA, &bytes);
#endif
}

}  // namespace

void inferInChild(::onnx::ModelProto& model, const std::string& file) {
    std::optional<ChildProcess> child;
    try {
        child.emplace([&model] {
            limitThisProcess();
            return answerFor(model);
        });
    } catch (const std::runtime_error& error) {
        throw InputError(file, "", std::string("shapes cannot be inferred: ") + error.what(), "");
    }
    const std::string answer = child->output(std::chrono::seconds(mostSeconds)).value_or(std::string());
    const bool ended = child->endedWell();
    const std::string expected = "a model that ONNX's checker accepts";
    if (!answer.empty() && answer.front() == refused)
        throw InputError(file, "graph", "shapes cannot be inferred: " + answer.substr(1), expected);
    ::onnx::GraphProto shapes;
    if (!ended || answer.empty() ||
        !shapes.ParseFromArray(answer.data() + 1, static_cast<int>(answer.size()) - 1))
        throw InputError(file, "graph", "ONNX's shape inference breaks down on this model", expected);
    model.mutable_graph()->mutable_value_info()->Swap(shapes.mutable_value_info());
    model.mutable_graph()->mutable_output()->Swap(shapes.mutable_output());
}

}  // namespace stagecraft::onnx
