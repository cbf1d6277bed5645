// Opening a large trace: CPU seconds and the most memory, of 2 million events in 200 MB, as PyTorch's
// profiler writes them, plain and gzipped.

#include "core/formats/recordings/import.h"
#include "tests/support/every_room.h"

#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

namespace stagecraft {
namespace {

constexpr int events = 2'000'000, kernelsOfAPass = 400;

/// Half of the events are kernels, half the calls that launched them, in passes of a stage that are
/// annotated.
void writeEvents(const std::function<void(const std::string&)>& write) {
    write("{\"schemaVersion\": 1, \"distributedInfo\": {\"rank\": 0}, \"traceEvents\": [\n");
    long long correlation = 0;
    double now = 4909797067393.771;
    const auto number = [](double value) {
        char text[40];
        std::snprintf(text, sizeof text, "%.3f", value);
        return std::string(text);
    };
    for (int pass = 0; pass < events / 2 / kernelsOfAPass; ++pass) {
        const int half = pass % 2, microbatch = pass / 2 % 8;
        std::string text = "{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": \"PP:0" +
                           std::string(half ? "B" : "F") + std::to_string(microbatch) +
                           "\", \"pid\": 700, \"tid\": 700, \"ts\": " + number(now) +
                           ", \"dur\": 3900.5, \"args\": {}},\n";
        for (int kernel = 0; kernel < kernelsOfAPass; ++kernel, now += 10) {
            const std::string id = std::to_string(++correlation);
            text +=
                "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"pid\": 700, "
                "\"tid\": 700, \"ts\": " +
                number(now) + ", \"dur\": 3.25, \"args\": {\"correlation\": " + id +
                "}},\n{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"ampere_bf16_s16816gemm_" +
                std::to_string(kernel % 40) + "\", \"pid\": 0, \"tid\": 7, \"ts\": " + number(now + 50) +
                ", \"dur\": 9.5, \"args\": {\"correlation\": " + id + "}},\n";
        }
        write(text);
    }
    write("{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 0, \"args\": {\"name\": \"python\"}}\n]}\n");
}

double mostMegabytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return double(usage.ru_maxrss) / 1024;
}

void opens(benchmark::State& state, bool packed) {
    const auto path = std::filesystem::temp_directory_path() /
                      ("stagecraft-bench-" + std::to_string(::getpid()) + (packed ? ".json.gz" : ".json"));
    if (packed) {
        const gzFile file = gzopen(path.c_str(), "wb1");
        writeEvents(
            [&](const std::string& text) { gzwrite(file, text.data(), static_cast<unsigned>(text.size())); });
        gzclose(file);
    } else {
        std::ofstream file(path, std::ios::binary);
        writeEvents([&](const std::string& text) { file << text; });
    }
    std::uint32_t blocks = 0;
    for (auto run : state) blocks = readRecording({path}).timeline.blockCount();
    state.counters["MB"] = double(std::filesystem::file_size(path)) / 1e6;
    state.counters["blocks"] = blocks;
    state.counters["most MiB"] = mostMegabytes();
    std::filesystem::remove(path);
}

BENCHMARK_CAPTURE(opens, plain, false)->Unit(benchmark::kSecond)->Iterations(1);
BENCHMARK_CAPTURE(opens, gzipped, true)->Unit(benchmark::kSecond)->Iterations(1);

}  // namespace
}  // namespace stagecraft

BENCHMARK_MAIN();
