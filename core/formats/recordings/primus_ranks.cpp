#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/base/text_parts.h"
#include "core/formats/json_reader.h"
#include "core/formats/profiles/foreign_json.h"
#include "core/formats/recordings/recording_builder.h"
#include "core/formats/recordings/recording_format.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

namespace stagecraft::formats {

// Primus (AMD-AGI/Primus, `dump_pp_data`) writes a file pp_rank_N.json for each rank: by iteration, the
// starts and ends of its forwards and backwards in milliseconds from the beginning of the iteration, in the
// order of the microbatches, its end ("total") and its peak of memory in GiB. config.json beside them says
// the shape.

namespace {

constexpr double millisecond = 1e-3, gibibyte = 1024.0 * 1024.0 * 1024.0;
constexpr int mostPasses = 1'000'000;

struct PrimusRank {
    std::string file;
    int rank = 0;
    nlohmann::json text;
};

struct PrimusShape {
    int ranks = 0, microbatches = 0, chunks = 1;
};

std::optional<int> rankInName(const std::string& name) {
    const std::size_t place = name.find("rank");
    if (place == std::string::npos) return std::nullopt;
    std::string digits;
    for (std::size_t i = name.find_first_of("0123456789", place); i < name.size(); ++i) {
        if (name[i] < '0' || name[i] > '9') break;
        digits += name[i];
    }
    const auto rank = wholeInteger(digits);
    return rank && *rank < 65536 ? rank : std::nullopt;
}

/// Chunk and microbatch of a rank's n-th forward under Megatron's interleaved schedule.
std::pair<int, int> interleavedPlace(int number, const PrimusShape& shape) {
    const int group = shape.ranks * shape.chunks, inside = number % group;
    return {inside / shape.ranks, number / group * shape.ranks + inside % shape.ranks};
}

class PrimusReader {
public:
    PrimusReader(const std::vector<RecordingFile>& files, const WorkContext& context)
        : builder_(context.stop) {
        for (std::size_t file = 0; file < files.size(); ++file) {
            context.throwIfStopped();
            read(files[file]);
            context.report(double(file + 1) / double(files.size()));
        }
        if (ranks_.empty())
            throw InputError(files.front().shown(), "", "there is no file of a rank beside it",
                             "pp_rank_0.json, pp_rank_1.json, …");
        int expected = 0;
        for (const auto& [rank, each] : ranks_)
            if (rank != expected++)
                throw InputError(each.file, "", "there is no file of rank " + std::to_string(expected - 1),
                                 "the files of all ranks, from 0");
        shape_.ranks = expected;
    }

    Recording recording() {
        Recording recording;
        recording.cluster = clusterOfRanks(shape_.ranks);
        for (int rank = 0; rank < shape_.ranks; ++rank)
            recording.series.push_back({"peak memory", "bytes", rank, {}, {}});
        double startS = 0;
        const std::vector<std::string> names = iterationNames();
        for (std::size_t iteration = 0; iteration < names.size(); ++iteration) {
            double lengthS = 0;
            for (auto& [rank, each] : ranks_) {
                const JsonValue root(each.text, each.file);
                lengthS = std::max(lengthS, readIteration(requiredMember(root, names[iteration]), rank,
                                                          static_cast<int>(iteration), startS, recording));
            }
            recording.iterations.push_back({startS, startS + lengthS});
            startS += lengthS;
        }
        recording.report.recognised.push_back(
            counted(shape_.ranks, "rank") + ", " +
            counted(static_cast<long long>(names.size()), "iteration") + " and " +
            counted(shape_.microbatches, "microbatch", "microbatches") +
            (shape_.chunks > 1 ? ", " + counted(shape_.chunks, "chunk") + " on each rank." : "."));
        recording.report.assumed.push_back(
            "Iterations follow each other without a break; each lasts as long as that of its slowest rank.");
        if (shape_.chunks > 1)
            recording.report.assumed.push_back(
                "Passes are in the order of Megatron-LM's interleaved schedule.");
        return builder_.finish(std::move(recording));
    }

private:
    void read(const RecordingFile& file) {
        nlohmann::json text = parseJson(file.whole(), file.shown());
        const JsonValue root(text, file.shown());
        if (root.has("pp_size")) {
            shape_.microbatches = root.has("num_mbs") ? root.member("num_mbs").integer(1, mostPasses) : 0;
            shape_.chunks = root.has("vp_size") ? std::max(1, root.member("vp_size").integer(0, 1024)) : 1;
            return;
        }
        const auto rank = rankInName(file.name);
        if (!rank)
            throw InputError(file.shown(), "", "the name of the file does not say the rank",
                             "pp_rank_0.json");
        if (!ranks_.try_emplace(*rank, PrimusRank{file.shown(), *rank, std::move(text)}).second)
            throw InputError(file.shown(), "", "there are two files of rank " + std::to_string(*rank),
                             "one file for each rank");
    }

    /// Those of rank 0, by number; the others must have them too.
    std::vector<std::string> iterationNames() const {
        const PrimusRank& first = ranks_.begin()->second;
        std::vector<std::string> names = JsonValue(first.text, first.file).fieldNames();
        for (const std::string& name : names)
            if (!wholeInteger(name))
                throw InputError(first.file, "/" + name, "this is no iteration",
                                 "a number for each iteration");
        std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
            return *wholeInteger(a) < *wholeInteger(b);
        });
        if (names.empty()) throw InputError(first.file, "", "there is no iteration", "one at least");
        return names;
    }

    std::vector<std::pair<double, double>> passesOf(const JsonValue& value, const std::string& name) const {
        const std::vector<JsonValue> starts = requiredMember(value, name + "_start").elements(),
                                     ends = requiredMember(value, name + "_end").elements();
        if (starts.size() != ends.size())
            value.fail("there are " + grouped(static_cast<long long>(starts.size())) + " starts and " +
                           grouped(static_cast<long long>(ends.size())) + " ends",
                       "as many of both");
        std::vector<std::pair<double, double>> passes;
        for (std::size_t i = 0; i < starts.size(); ++i) {
            passes.emplace_back(starts[i].nonNegative() * millisecond, ends[i].nonNegative() * millisecond);
            if (passes.back().second < passes.back().first)
                ends[i].fail("the pass ends before it starts", "an end after " + name + "_start");
        }
        return passes;
    }

    void addPasses(const JsonValue& value, BlockKind kind, int rank, int iteration, double startS) {
        const bool forward = kind == BlockKind::forward;
        const auto passes = passesOf(value, forward ? "fwd" : "bwd");
        const int count = static_cast<int>(passes.size());
        if (shape_.microbatches == 0) shape_.microbatches = count / shape_.chunks;
        if (count != shape_.microbatches * shape_.chunks)
            value.fail(
                "there are " + counted(count, "pass", "passes"),
                grouped(shape_.microbatches * shape_.chunks) + ", as config.json or the first rank has");
        for (int number = 0; number < count; ++number) {
            const auto [chunk, microbatch] = interleavedPlace(number, shape_);
            const int own = forward ? chunk : shape_.chunks - 1 - chunk;
            RecordedBlock block{kind, rank + own * shape_.ranks, shape_.chunks > 1 ? microbatch : number};
            block.iteration = iteration;
            block.startS = startS + passes[at(number)].first;
            block.endS = startS + passes[at(number)].second;
            builder_.add(builder_.computeLane(rank), std::move(block));
        }
    }

    /// Returns how long it took, in seconds.
    double readIteration(const JsonValue& value, int rank, int iteration, double startS,
                         Recording& recording) {
        addPasses(value, BlockKind::forward, rank, iteration, startS);
        addPasses(value, BlockKind::backward, rank, iteration, startS);
        if (value.has("memory")) {
            recording.series[at(rank)].timeS.push_back(startS);
            recording.series[at(rank)].values.push_back(value.member("memory").nonNegative() * gibibyte);
        }
        return requiredMember(value, "total").nonNegative() * millisecond;
    }

    std::map<int, PrimusRank> ranks_;
    PrimusShape shape_;
    RecordingBuilder builder_;
};

bool isPrimus(std::string_view head) {
    if (!firstLine(head).starts_with('{')) return false;
    return head.find("\"fwd_start\"") != std::string_view::npos ||
           (head.find("\"pp_size\"") != std::string_view::npos &&
            head.find("\"num_mbs\"") != std::string_view::npos &&
            head.find("\"train_iters\"") != std::string_view::npos);
}

}  // namespace

RecordingFormat primusRanksFormat() {
    return {"primus",
            "Primus' times of passes (pp_rank_0.json, …)",
            {"json"},
            &isPrimus,
            [](const std::vector<RecordingFile>& files, const WorkContext& context) {
                return PrimusReader(files, context).recording();
            }};
}

}  // namespace stagecraft::formats
