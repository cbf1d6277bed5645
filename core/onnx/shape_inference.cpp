#include "core/onnx/shape_inference.h"

#include "core/formats/input_error.h"
#include "core/onnx/einsum.h"

#include <onnx/shape_inference/implementation.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

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
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace stagecraft {

namespace {

constexpr int mostSeconds = 15;
constexpr rlim_t mostBytes = rlim_t{8} << 30;

// What the child writes first.
constexpr char inferred = 'k';
constexpr char refused = 'e';

void writeAll(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return;
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

using Numbers = std::unordered_map<std::string, onnx::TensorShapeProto>;

void infer(onnx::ModelProto& model, Numbers& numbers) {
    constexpr bool checkTypes = false;
    constexpr int lenient = 0;
    constexpr bool followShapes = true;
    onnx::shape_inference::InferShapes(model, onnx::OpSchemaRegistry::Instance(),
                                       onnx::ShapeInferenceOptions{checkTypes, lenient, followShapes},
                                       &numbers);
}

/// Stores numbers that follow from shapes in the model, as if they had been there: this version of ONNX works
/// them out, but its Reshape and the like look at stored numbers alone. @return how many are new
int store(const Numbers& numbers, std::unordered_set<std::string>& stored, onnx::GraphProto& graph) {
    int added = 0;
    for (const auto& [name, values] : numbers) {
        const bool known = std::all_of(values.dim().begin(), values.dim().end(),
                                       [](const auto& value) { return value.has_dim_value(); });
        if (!known || !stored.insert(name).second) continue;
        onnx::TensorProto& tensor = *graph.add_initializer();
        tensor.set_name(name);
        tensor.set_data_type(onnx::TensorProto::INT64);
        tensor.add_dims(values.dim_size());
        for (const auto& value : values.dim()) tensor.add_int64_data(value.dim_value());
        ++added;
    }
    return added;
}

/// The shapes alone, as a graph.
std::string answerFor(onnx::ModelProto& model) {
    constexpr int mostRounds = 100;  // a Reshape may wait for the shape of what another one made
    try {
        onnx::GraphProto& graph = *model.mutable_graph();
        std::unordered_set<std::string> stored;
        for (const auto& tensor : graph.initializer()) stored.insert(tensor.name());
        for (int round = 0; round < mostRounds; ++round) {
            Numbers numbers;
            infer(model, numbers);
            if (store(numbers, stored, graph) + storeEinsumShapes(graph) == 0) break;
        }
        onnx::GraphProto shapes;
        shapes.mutable_value_info()->Swap(graph.mutable_value_info());
        shapes.mutable_output()->Swap(graph.mutable_output());
        return inferred + shapes.SerializeAsString();
    } catch (const std::exception& error) {
        return refused + std::string(error.what());
    }
}

[[noreturn]] void runChild(onnx::ModelProto& model, int answers) {
    const rlimit seconds{mostSeconds, mostSeconds}, none{0, 0};
    ::setrlimit(RLIMIT_CPU, &seconds);
    ::setrlimit(RLIMIT_CORE, &none);
#if STAGECRAFT_SANITIZED
    __sanitizer_set_death_callback(nullptr);  // a fuzzer takes the crash for one of its own
#else
    const rlimit bytes{mostBytes, mostBytes};
    ::setrlimit(RLIMIT_DATA, &bytes);
#endif
    // A crash is the parent's to report, not that of a handler that the program has.
    for (const int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGTERM}) ::signal(signal, SIG_DFL);
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) ::dup2(nowhere, STDERR_FILENO);
    writeAll(answers, answerFor(model));
    ::_exit(0);
}

/// Everything that the child writes, or what it wrote until its time was up.
std::string readAnswer(int answers) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::seconds(mostSeconds);
    std::string answer;
    std::array<char, 1 << 16> buffer{};
    for (;;) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
        pollfd waiting{answers, POLLIN, 0};
        const int ready = left > 0 ? ::poll(&waiting, 1, static_cast<int>(left)) : 0;
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) return {};
        const ssize_t count = ::read(answers, buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return answer;
        answer.append(buffer.data(), static_cast<std::size_t>(count));
    }
}

/// @return whether it ended by itself and well
bool waitFor(pid_t child) {
    int status = 0;
    while (::waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

void inferInChild(onnx::ModelProto& model, const std::string& file) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        throw InputError(file, "", "shapes cannot be inferred: no pipe could be made", "");
    const pid_t child = ::fork();
    if (child == 0) runChild(model, ends[1]);
    ::close(ends[1]);
    const std::string answer = child > 0 ? readAnswer(ends[0]) : std::string();
    ::close(ends[0]);
    if (child > 0 && answer.empty()) ::kill(child, SIGKILL);
    const bool ended = child > 0 && waitFor(child);
    const std::string expected = "a model that ONNX's checker accepts";
    if (!answer.empty() && answer.front() == refused)
        throw InputError(file, "graph", "shapes cannot be inferred: " + answer.substr(1), expected);
    onnx::GraphProto shapes;
    if (!ended || answer.empty() ||
        !shapes.ParseFromArray(answer.data() + 1, static_cast<int>(answer.size()) - 1))
        throw InputError(file, "graph", "ONNX's shape inference breaks down on this model", expected);
    model.mutable_graph()->mutable_value_info()->Swap(shapes.mutable_value_info());
    model.mutable_graph()->mutable_output()->Swap(shapes.mutable_output());
}

}  // namespace stagecraft
