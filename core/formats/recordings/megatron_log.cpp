#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/base/text_parts.h"
#include "core/base/units.h"
#include "core/formats/input_error.h"
#include "core/formats/pass_text.h"
#include "core/formats/recordings/recording_builder.h"
#include "core/formats/recordings/recording_format.h"

#include <algorithm>
#include <istream>
#include <map>
#include <optional>

namespace stagecraft::formats {

// What Megatron-LM prints while it trains: a line for each log interval with the mean time of its iterations,
// and below it, where timers are on, how long each of them ran in one, over the ranks. That is how long
// passes took in all and not when.

namespace {

constexpr std::size_t longestLogLine = std::size_t{1} << 16;
constexpr int mostLoggedIterations = 1'000'000;
constexpr std::size_t mostToldTimers = 8;
constexpr std::string_view iterationWord = "iteration ", elapsedWords = "elapsed time per iteration (ms):",
                           acrossRanks = "time across ranks (ms):", ofEachRank = "times across ranks (ms):",
                           timeOfOne = "time (ms) |";
constexpr std::size_t longestLauncher = 32;
constexpr std::size_t mostRanksListed = 16;
constexpr int mostLoggedRanks = 1 << 20;
constexpr double msToS = 1e-3;

/// What a timer said: of the quickest and the slowest rank.
struct TimerSpread {
    double leastS = 0, mostS = 0;
    int lines = 0;
    std::map<int, std::pair<double, int>> ranks{};  ///< where each is told: seconds in all, lines
};

struct LoggedInterval {
    int last = 0;   ///< iteration, as the log counts them
    int count = 0;  ///< iterations, of which the time is the mean
    double meanS = 0;
};

std::string_view afterWord(std::string_view line, std::string_view word) {
    const std::size_t place = line.find(word);
    return place == std::string_view::npos ? std::string_view() : trimmed(line.substr(place + word.size()));
}

class LogReader {
public:
    LogReader(const RecordingFile& file, const WorkContext& context)
        : file_(file), context_(context), stream_(file), input_(&stream_) {}

    Recording read() {
        for (std::string line; nextLine(line);) take(line);
        stream_.checkEnd();
        if (intervals_.empty())
            throw InputError(file_.shown(), "", "no line of the log has the time of an iteration",
                             "lines with '" + std::string(elapsedWords) + "'");
        countIterations();
        return make();
    }

private:
    /// Without its end where it is very long.
    bool nextLine(std::string& line) {
        line.clear();
        bool any = false;
        for (int byte = input_.get(); byte != std::istream::traits_type::eof(); byte = input_.get()) {
            any = true;
            if (byte == '\n') break;
            if (line.size() < longestLogLine) line += static_cast<char>(byte);
        }
        if (++lines_ % 4096 == 0) {
            context_.throwIfStopped();
            context_.report(stream_.shareRead());
        }
        return any;
    }

    void take(std::string_view line) {
        line = withoutLauncher(line);
        if (takeIteration(line)) {
            inTimers_ = inRanks_ = false;
            ofIteration_ = true;
            return;
        }
        const bool each = line.find(ofEachRank) != std::string_view::npos;
        if (each || line.find(acrossRanks) != std::string_view::npos) {
            // Others are of what comes before the first iteration, or of a checkpoint.
            inRanks_ = each && ofIteration_;
            inTimers_ = !each && ofIteration_;
            ofIteration_ = false;
            timer_.clear();
            return;
        }
        if (line.find(timeOfOne) != std::string_view::npos) {
            if (ofIteration_) takeTimersOfOne(afterWord(line, timeOfOne));
            ofIteration_ = false;
            return;
        }
        if (inTimers_) inTimers_ = takeTimer(line);
        if (inRanks_) inRanks_ = takeRank(line);
    }
    /// torchrun begins the lines of a rank with "[default7]:".
    static std::string_view withoutLauncher(std::string_view line) {
        const std::size_t end = line.starts_with('[') ? line.find("]:") : std::string_view::npos;
        return end == std::string_view::npos || end > longestLauncher ? line : line.substr(end + 2);
    }

    /// "forward-compute:", and below it "rank  3: 12.34" for each rank that has it.
    bool takeRank(std::string_view line) {
        const std::size_t colon = line.rfind(':');
        if (colon == std::string_view::npos) return false;
        std::string_view name = trimmed(line.substr(0, colon)), value = trimmed(line.substr(colon + 1));
        if (value.empty()) {
            timer_ = name;
            return !name.empty();
        }
        if (timer_.empty() || !name.starts_with("rank ")) return false;
        name = trimmed(name.substr(5));
        const auto rank = takeCount(name);
        const auto ms = takeNumber(value);
        if (!rank || !name.empty() || *rank > mostLoggedRanks || !ms) return false;
        auto& [seconds, lines] = timers_[timer_].ranks[*rank];
        seconds += *ms * msToS;
        ++lines;
        return true;
    }

    bool takeIteration(std::string_view line) {
        std::string_view elapsed = afterWord(line, elapsedWords);
        std::string_view number = afterWord(line, iterationWord);
        if (elapsed.empty() || number.empty()) return false;
        const auto iteration = takeCount(number);
        const auto ms = takeNumber(elapsed);
        if (!iteration || !ms || !(*ms > 0)) return false;
        if (intervals_.empty() || intervals_.back().last != *iteration)
            intervals_.push_back({*iteration, 0, *ms * msToS});
        return true;
    }

    /// "forward-compute ....: (12.3, 14.5)", or with one number where only the slowest rank is told.
    bool takeTimer(std::string_view line) {
        const std::size_t colon = line.rfind(':');
        if (colon == std::string_view::npos) return false;
        std::string_view name = trimmed(line.substr(0, colon)), value = trimmed(line.substr(colon + 1));
        while (!name.empty() && (name.back() == '.' || name.back() == ' ')) name.remove_suffix(1);
        if (name.empty() || value.empty()) return false;
        const bool both = value.front() == '(';
        if (both) value.remove_prefix(1);
        const auto least = takeNumber(value);
        if (!least) return false;
        std::optional<double> most = least;
        if (both) {
            while (!value.empty() && (value.front() == ',' || value.front() == ' ')) value.remove_prefix(1);
            most = takeNumber(value);
        }
        if (!most) return false;
        add(name, *least, *most);
        return true;
    }
    /// "forward-compute: 12.3 | backward-compute: 14.5", of older versions: of the last rank.
    void takeTimersOfOne(std::string_view text) {
        for (const std::string_view cell : cellsOf(text, '|')) {
            const std::size_t colon = cell.find(':');
            if (colon == std::string_view::npos) continue;
            std::string_view value = trimmed(cell.substr(colon + 1));
            if (const auto ms = takeNumber(value)) add(trimmed(cell.substr(0, colon)), *ms, *ms);
        }
        ofLastRank_ = true;
    }
    void add(std::string_view name, double leastMs, double mostMs) {
        TimerSpread& timer = timers_[std::string(name)];
        timer.leastS += leastMs * msToS, timer.mostS += mostMs * msToS;
        ++timer.lines;
    }

    /// A line is of those since the one before it; the first one, and one after a restart, of as many as
    /// most.
    void countIterations() {
        std::map<int, int> often;
        for (std::size_t i = 1; i < intervals_.size(); ++i)
            if (const int step = intervals_[i].last - intervals_[i - 1].last; step > 0) ++often[step];
        int usual = 1;
        for (const auto& [step, times] : often)
            if (times > often[usual]) usual = step;
        long long all = 0;
        for (std::size_t i = 0; i < intervals_.size(); ++i) {
            const int step = i == 0 ? 0 : intervals_[i].last - intervals_[i - 1].last;
            intervals_[i].count = step > 0 ? step : std::clamp(intervals_[i].last, 1, usual);
            all += intervals_[i].count;
        }
        if (all > mostLoggedIterations)
            throw InputError(file_.shown(), "", "the log has more than 1,000,000 iterations", "fewer");
    }

    Recording make() {
        Recording recording;
        RecordingBuilder builder(context_.stop);
        Lane lane{LaneKind::stream, {0}};
        lane.name = "iterations";
        builder.computeLane(0);
        const int drawn = builder.addLane(std::move(lane));
        double nowS = 0;
        int longest = 1;
        for (const LoggedInterval& each : intervals_) {
            RecordedBlock block;
            block.stage = block.iteration = -1;
            block.label = builder.label(labelOf(each));
            block.startS = nowS;
            for (int i = 0; i < each.count; ++i, nowS += each.meanS)
                recording.iterations.push_back({nowS, nowS + each.meanS});
            block.endS = nowS;
            builder.add(drawn, std::move(block));
            longest = std::max(longest, each.count);
        }
        recording.cluster.devices.push_back({"run", "", "", 0, 1, 0});
        recording.cluster.source = "a recording";
        tell(recording.report, static_cast<long long>(recording.iterations.size()), longest);
        return builder.finish(std::move(recording));
    }
    static std::string labelOf(const LoggedInterval& each) {
        const std::string time = formatSeconds(each.meanS);
        if (each.count == 1) return "iteration " + grouped(each.last) + ": " + time;
        return "iterations " + grouped(each.last - each.count + 1) + " to " + grouped(each.last) + ": " +
               time + " each";
    }

    /// "forward-compute, ranks 0 to 3: 110 ms, 112 ms, 150 ms, 151 ms of an iteration."; of many the
    /// extremes.
    static std::pair<double, std::string> toldByRank(const std::string& name, const TimerSpread& timer) {
        std::vector<std::pair<double, int>> means;
        for (const auto& [rank, told] : timer.ranks) means.emplace_back(told.first / told.second, rank);
        const auto [least, most] = std::ranges::minmax(means);
        const auto [first, last] = std::pair(means.front().second, means.back().second);
        if (means.size() == 1)
            return {-most.first, name + ", rank " + grouped(first) + ": " + formatSeconds(most.first) +
                                     " of an iteration."};
        const bool follow = last - first + 1 == static_cast<int>(means.size());
        if (!follow || means.size() > mostRanksListed)
            return {-most.first, name + ", " + counted(static_cast<long long>(means.size()), "rank") + ": " +
                                     formatSeconds(least.first) + " (rank " + grouped(least.second) +
                                     ") to " + formatSeconds(most.first) + " (rank " + grouped(most.second) +
                                     ") of an iteration."};
        std::string text = name + ", ranks " + grouped(first) + " to " + grouped(last) + ": ";
        for (std::size_t i = 0; i < means.size(); ++i)
            text += (i == 0 ? "" : ", ") + formatSeconds(means[i].first);
        return {-most.first, text + " of an iteration."};
    }

    void tell(RecordingReport& report, long long iterations, int longest) const {
        report.recognised.push_back(counted(iterations, "iteration") + " in " +
                                    counted(static_cast<long long>(intervals_.size()), "line") + ".");
        std::vector<std::pair<double, std::string>> told;
        bool byRank = false;
        for (const auto& [name, timer] : timers_) {
            byRank = byRank || !timer.ranks.empty();
            if (!timer.ranks.empty()) told.push_back(toldByRank(name, timer));
            if (timer.lines == 0) continue;
            const double leastS = timer.leastS / timer.lines, mostS = timer.mostS / timer.lines;
            const std::string of = leastS == mostS ? formatSeconds(mostS)
                                                   : formatSeconds(leastS) + " to " + formatSeconds(mostS);
            told.emplace_back(-mostS, name + ": " + of + " of an iteration.");
        }
        std::sort(told.begin(), told.end());
        if (!told.empty())
            report.recognised.push_back(ofLastRank_ ? "Timers, on the mean of the lines, of the last rank:"
                                        : byRank    ? "Timers, on the mean of the lines, by rank:"
                                                    : "Timers, on the mean of the lines, of the quickest and "
                                                      "the slowest rank, where both are told:");
        for (std::size_t i = 0; i < std::min(told.size(), mostToldTimers); ++i)
            report.recognised.push_back(told[i].second);
        if (told.size() > mostToldTimers)
            report.ignored.push_back(
                counted(static_cast<long long>(told.size() - mostToldTimers), "shorter timer") + ".");
        report.assumed.push_back(
            "A log says how long passes took in all and not when: none can be drawn. PyTorch's profiler, "
            "Nsight "
            "Systems or Primus' dump_pp_data record them.");
        if (longest > 1)
            report.assumed.push_back("A line is the mean of up to " + counted(longest, "iteration") +
                                     ": how these differ is not known.");
        report.assumed.push_back("Iterations follow each other without a break.");
    }

    const RecordingFile& file_;
    const WorkContext& context_;
    RecordingStream stream_;
    std::istream input_;
    std::uint64_t lines_ = 0;
    std::string timer_;  ///< whose ranks follow
    bool inTimers_ = false, inRanks_ = false, ofIteration_ = false, ofLastRank_ = false;
    std::vector<LoggedInterval> intervals_;
    std::map<std::string, TimerSpread> timers_;
};

Recording readMegatronLog(const std::vector<RecordingFile>& files, const WorkContext& context) {
    if (files.size() > 1)
        throw InputError(files[1].shown(), "", "this is another log", "the log of one rank: the last one's");
    return LogReader(files.front(), context).read();
}

/// The lines may come after a long list of arguments.
bool isMegatronLog(std::string_view head) {
    if (firstLine(head).starts_with('{')) return false;
    for (const std::string_view words :
         {elapsedWords, acrossRanks, ofEachRank, std::string_view("---- arguments ----"),
          std::string_view("using world size:")})
        if (head.find(words) != std::string_view::npos) return true;
    return false;
}

}  // namespace

RecordingFormat megatronLogFormat() {
    return {"megatron-log", "log of Megatron-LM", {"log", "txt", "out"}, &isMegatronLog, &readMegatronLog};
}

}  // namespace stagecraft::formats
