#include "core/formats/recordings/rank_passes.h"

#include "core/base/indices.h"
#include "core/formats/recordings/annotated_pass.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

namespace stagecraft::formats {

namespace {

constexpr double secondsOfNs = 1e-9;
constexpr double clockTickS = 1e-6;  // of traces in whole microseconds
/// Of a guess: how often forward and backward come at least, and how much of the time they take.
constexpr std::size_t leastRepeats = 3;
constexpr double leastExplained = 0.5;

using StreamPlace = std::pair<std::int32_t, std::int32_t>;  // process, thread

/// A kernel by when it was launched.
struct Launched {
    std::int64_t atNs = 0;
    std::int32_t process = 0;
    std::uint32_t kernel = 0;
};

/// Kernels in order of their launches, matched by correlation.
std::vector<Launched> launchedKernels(const TraceEvents& trace) {
    std::vector<std::pair<std::int64_t, std::uint32_t>> kernels, launches;  // correlation, event
    for (std::uint32_t i = 0; i < trace.events.size(); ++i) {
        const TraceEvent& event = trace.events[i];
        if (event.id < 0) continue;
        if (event.kind == TraceEventKind::kernel) kernels.emplace_back(event.id, i);
        if (event.kind == TraceEventKind::launch) launches.emplace_back(event.id, i);
    }
    std::sort(kernels.begin(), kernels.end());
    std::sort(launches.begin(), launches.end());
    std::vector<Launched> matched;
    auto launch = launches.begin();
    for (const auto& [correlation, kernel] : kernels) {
        while (launch != launches.end() && launch->first < correlation) ++launch;
        if (launch == launches.end()) break;
        if (launch->first != correlation) continue;
        const TraceEvent& call = trace.events[launch->second];
        matched.push_back({call.startNs, call.process, kernel});
    }
    std::sort(matched.begin(), matched.end(),
              [](const Launched& a, const Launched& b) { return a.atNs < b.atNs; });
    return matched;
}

class PassFinder {
public:
    PassFinder(const TraceEvents& trace, std::int64_t originNs) : trace_(trace), originNs_(originNs) {
        for (const TraceEvent& event : trace.events) {
            hasKernels_ = hasKernels_ || event.kind == TraceEventKind::kernel;
            if (event.kind == TraceEventKind::gpuAnnotation && named(event))
                gpu_[{event.id, event.name}].push_back(&event);
        }
    }

    TracedPasses find() {
        for (const TraceEvent* event : innermost()) add(*event, *named(*event));
        // What has a side on the GPU alone; without an id each is one of its own.
        for (const auto& [key, ranges] : gpu_) {
            if (taken_.contains(key)) continue;
            if (key.first >= 0)
                addRange(*longest(ranges), *named(*ranges.front()));
            else
                for (const TraceEvent* range : ranges) addRange(*range, *named(*range));
        }
        found_.onGpu = hasKernels_ || !gpu_.empty();
        std::stable_sort(
            found_.passes.begin(), found_.passes.end(),
            [](const TracedPass& a, const TracedPass& b) { return a.block.startS < b.block.startS; });
        return std::move(found_);
    }

private:
    using Ranges = std::vector<const TraceEvent*>;

    const AnnotatedPass* named(const TraceEvent& event) {
        const auto [known, isNew] = names_.try_emplace(event.name);
        if (isNew) known->second = annotatedPass(trace_.nameOf(event));
        return known->second ? &*known->second : nullptr;
    }
    /// Annotations of passes. One that holds another of its name says the same less exactly: it is that of a
    /// schedule whose passes the program names too.
    std::vector<const TraceEvent*> innermost() {
        std::vector<const TraceEvent*> all, kept;
        for (const TraceEvent& event : trace_.events)
            if (event.kind == TraceEventKind::annotation && named(event)) all.push_back(&event);
        std::ranges::stable_sort(all, {}, [](const TraceEvent* each) {
            return std::tuple(each->process, each->thread, each->name, each->startNs, -each->lengthNs);
        });
        for (std::size_t i = 0; i < all.size(); ++i) {
            const TraceEvent *own = all[i], *next = i + 1 < all.size() ? all[i + 1] : nullptr;
            const bool holds = next && next->process == own->process && next->thread == own->thread &&
                               next->name == own->name && next->startNs < own->endNs() &&
                               next->endNs() <= own->endNs();
            if (holds)
                taken_.insert({own->id, own->name});
            else
                kept.push_back(own);
        }
        return kept;
    }
    static const TraceEvent* longest(const Ranges& ranges) {
        return *std::max_element(ranges.begin(), ranges.end(), [](const TraceEvent* a, const TraceEvent* b) {
            return a->lengthNs < b->lengthNs;
        });
    }
    void addRange(const TraceEvent& range, const AnnotatedPass& pass) {
        addPass(pass, range.startNs, range.endNs(), {range.process, range.thread});
    }
    void addPass(const AnnotatedPass& pass, std::int64_t startNs, std::int64_t endNs, StreamPlace place) {
        RecordedBlock block{pass.kind, pass.stage, pass.microbatch};
        block.startS = double(startNs - originNs_) * secondsOfNs;
        block.endS = double(endNs - originNs_) * secondsOfNs;
        block.backwardStage = pass.backwardStage;
        block.backwardMicrobatch = pass.backwardMicrobatch;
        found_.uncounted = found_.uncounted || (pass.microbatch < 0 && pass.kind != BlockKind::update);
        found_.passes.push_back({std::move(block), place.first, place.second});
    }

    void add(const TraceEvent& annotation, const AnnotatedPass& pass) {
        const std::pair key(annotation.id, annotation.name);
        if (const auto ranges = gpu_.find(key); annotation.id >= 0 && ranges != gpu_.end()) {
            taken_.insert(key);
            addRange(*longest(ranges->second), pass);
        } else if (!hasKernels_) {
            // Without ids nothing says which range on the GPU is whose: those alone count.
            if (gpu_.empty())
                addPass(pass, beganNs(annotation), annotation.endNs(),
                        {annotation.process, annotation.thread});
        } else {
            addLaunched(annotation, pass);
        }
    }

    /// PyTorch waits for a pass's input under its annotation: it begins with its first operator after that.
    /// One without any, such as the first stage's input gradient, waits and does nothing.
    std::int64_t beganNs(const TraceEvent& annotation) const {
        if (trace_.operators.empty()) return annotation.startNs;
        auto each = std::ranges::lower_bound(
            trace_.operators, TraceOperator{annotation.process, annotation.thread, annotation.startNs});
        std::optional<std::int64_t> began;
        for (bool received = false; each != trace_.operators.end() && each->process == annotation.process &&
                                    each->thread == annotation.thread && each->startNs < annotation.endNs();
             ++each) {
            if (!each->receives && (!began || received)) began = each->startNs;
            received = each->receives;
        }
        return began.value_or(annotation.endNs());
    }

    /// From the first to the last kernel on the stream on which most of them ran.
    void addLaunched(const TraceEvent& annotation, const AnnotatedPass& pass) {
        if (!matched_) launched_ = launchedKernels(trace_), matched_ = true;
        struct Extent {
            std::int64_t busyNs = 0, startNs = 0, endNs = 0;
        };
        std::map<StreamPlace, Extent> streams;
        auto at = std::lower_bound(launched_.begin(), launched_.end(), annotation.startNs,
                                   [](const Launched& each, std::int64_t ns) { return each.atNs < ns; });
        for (; at != launched_.end() && at->atNs < annotation.endNs(); ++at) {
            const TraceEvent& kernel = trace_.events[at->kernel];
            if (at->process != annotation.process || kernel.collective != CollectiveKind::none) continue;
            const auto [stream, isNew] = streams.try_emplace(StreamPlace(kernel.process, kernel.thread),
                                                             Extent{0, kernel.startNs, kernel.endNs()});
            stream->second.busyNs += kernel.lengthNs;
            stream->second.startNs = std::min(stream->second.startNs, kernel.startNs);
            stream->second.endNs = std::max(stream->second.endNs, kernel.endNs());
        }
        if (streams.empty()) {
            ++found_.idle;
            return;
        }
        const auto most = std::max_element(streams.begin(), streams.end(), [](const auto& a, const auto& b) {
            return a.second.busyNs < b.second.busyNs;
        });
        addPass(pass, most->second.startNs, most->second.endNs, most->first);
    }

    const TraceEvents& trace_;
    std::int64_t originNs_;
    TracedPasses found_;
    bool hasKernels_ = false, matched_ = false;
    std::map<std::pair<std::int64_t, std::int32_t>, Ranges> gpu_;  // by id and name
    std::set<std::pair<std::int64_t, std::int32_t>> taken_;
    std::unordered_map<std::int32_t, std::optional<AnnotatedPass>> names_;
    std::vector<Launched> launched_;
};

// ---- guesses ----

/// Kernels between two transfers.
struct KernelRun {
    std::vector<std::int32_t> names;
    std::vector<std::int64_t> endsNs, busyNs;  ///< up to and with each kernel
    std::int64_t startNs = 0;
    bool beginsAs(const std::vector<std::int32_t>& pattern) const {
        return names.size() >= pattern.size() && std::equal(pattern.begin(), pattern.end(), names.begin());
    }
};

/// Of the stream on which most kernels ran, transfers left out.
StreamPlace busiestStream(const TraceEvents& trace) {
    std::map<StreamPlace, std::int64_t> busy;
    for (const TraceEvent& event : trace.events)
        if (event.kind == TraceEventKind::kernel && event.collective == CollectiveKind::none)
            busy[{event.process, event.thread}] += event.lengthNs;
    const auto most = std::max_element(busy.begin(), busy.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == busy.end() ? StreamPlace(-1, -1) : most->first;
}

std::vector<KernelRun> runsBetweenTransfers(const TraceEvents& trace, StreamPlace stream) {
    std::vector<const TraceEvent*> events;
    for (const TraceEvent& event : trace.events) {
        if (event.kind != TraceEventKind::kernel || event.process != stream.first) continue;
        if (event.thread == stream.second || event.collective == CollectiveKind::sendReceive)
            events.push_back(&event);
    }
    // A transfer counts from its end: what runs beside it may be of a pass before it.
    const auto instant = [](const TraceEvent* event) {
        return event->collective == CollectiveKind::sendReceive ? event->endNs() : event->startNs;
    };
    std::stable_sort(events.begin(), events.end(),
                     [&](const TraceEvent* a, const TraceEvent* b) { return instant(a) < instant(b); });
    std::vector<KernelRun> runs(1);
    for (const TraceEvent* event : events) {
        const CollectiveKind kind = event->collective;
        if (kind == CollectiveKind::sendReceive) {
            if (!runs.back().names.empty()) runs.emplace_back();
            continue;
        }
        if (kind != CollectiveKind::none) continue;
        KernelRun& run = runs.back();
        const bool first = run.names.empty();
        if (first) run.startNs = event->startNs;
        run.names.push_back(event->name);
        run.endsNs.push_back(first ? event->endNs() : std::max(run.endsNs.back(), event->endNs()));
        run.busyNs.push_back((first ? 0 : run.busyNs.back()) + event->lengthNs);
    }
    return runs;
}

/// A sequence of kernels that comes several times, and the runs that begin with it: after the last pass of an
/// iteration other kernels may follow.
struct KernelPattern {
    std::vector<std::size_t> runs;
    std::size_t kernels = 0;
    std::int64_t busyNs = 0;
};

/// The two that take most time.
std::vector<KernelPattern> longestPatterns(const std::vector<KernelRun>& runs) {
    std::map<std::vector<std::int32_t>, std::pair<std::size_t, std::int64_t>> found;  // how often, how long
    for (const KernelRun& run : runs) {
        if (run.names.empty()) continue;
        ++found[run.names].first;
        found[run.names].second += run.busyNs.back();
    }
    std::vector<std::pair<std::int64_t, const std::vector<std::int32_t>*>> most;
    for (const auto& [names, seen] : found)
        if (seen.first >= leastRepeats) most.emplace_back(seen.second, &names);
    std::stable_sort(most.begin(), most.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<KernelPattern> patterns;
    for (std::size_t i = 0; i < std::min<std::size_t>(most.size(), 2); ++i) {
        KernelPattern& pattern = patterns.emplace_back();
        pattern.kernels = most[i].second->size();
        for (std::size_t run = 0; run < runs.size(); ++run)
            if (runs[run].beginsAs(*most[i].second)) {
                pattern.runs.push_back(run);
                pattern.busyNs += runs[run].busyNs[pattern.kernels - 1];
            }
    }
    return patterns;
}

}  // namespace

TracedPasses annotatedPasses(const TraceEvents& trace, std::int64_t originNs) {
    return PassFinder(trace, originNs).find();
}

GuessedPasses guessedPasses(const TraceEvents& trace, std::int64_t originNs) {
    const StreamPlace stream = busiestStream(trace);
    const std::vector<KernelRun> runs = runsBetweenTransfers(trace, stream);
    std::int64_t allNs = 0;
    for (const KernelRun& run : runs) allNs += run.busyNs.empty() ? 0 : run.busyNs.back();
    const std::vector<KernelPattern> most = longestPatterns(runs);
    GuessedPasses guess;
    if (most.size() < 2 || most[0].runs.size() != most[1].runs.size()) return guess;
    guess.explainedShare = double(most[0].busyNs + most[1].busyNs) / double(std::max<std::int64_t>(allNs, 1));
    if (guess.explainedShare < leastExplained) return guess;
    const std::size_t forward = most[0].runs.front() < most[1].runs.front() ? 0 : 1;
    for (std::size_t pattern = 0; pattern < 2; ++pattern)
        for (const std::size_t run : most[pattern].runs) {
            RecordedBlock block{pattern == forward ? BlockKind::forward : BlockKind::backward, -1, -1};
            block.startS = double(runs[run].startNs - originNs) * secondsOfNs;
            block.endS = double(runs[run].endsNs[most[pattern].kernels - 1] - originNs) * secondsOfNs;
            guess.passes.push_back({std::move(block), stream.first, stream.second});
        }
    std::stable_sort(guess.passes.begin(), guess.passes.end(), [](const TracedPass& a, const TracedPass& b) {
        return a.block.startS < b.block.startS;
    });
    return guess;
}

AwaitedEvents awaitedEvents(const TraceEvents& trace, const std::vector<TracedPass>& passes,
                            std::int64_t originNs, double offsetS) {
    AwaitedEvents awaited;
    awaited.ofPass.resize(passes.size());
    std::map<StreamPlace, std::vector<std::size_t>> onStream;
    for (std::size_t i = 0; i < passes.size(); ++i)
        onStream[{passes[i].process, passes[i].thread}].push_back(i);
    const auto startOf = [&](const TraceEvent& event) {
        return double(event.startNs - originNs) * secondsOfNs + offsetS;
    };
    const auto passOf = [&](std::uint32_t number) -> std::optional<std::size_t> {
        const TraceEvent& event = trace.events[number];
        const auto own = onStream.find({event.process, event.thread});
        if (own == onStream.end()) return std::nullopt;
        const double middleS = startOf(event) + double(event.lengthNs) * secondsOfNs / 2;
        const auto after = std::ranges::upper_bound(own->second, middleS, {},
                                                    [&](std::size_t i) { return passes[i].block.startS; });
        if (after == own->second.begin() || passes[*std::prev(after)].block.endS < middleS)
            return std::nullopt;
        return *std::prev(after);
    };
    for (const TraceInput& each : trace.inputs) {
        const auto pass = passOf(each.event), source = passOf(each.input);
        if (source) awaited.passOf.emplace(each.input, *source);
        if (!pass || pass == source) continue;
        const TraceEvent& input = trace.events[each.input];
        const double endS = startOf(input) + double(input.lengthNs) * secondsOfNs;
        if (endS <= passes[*pass].block.startS + clockTickS) awaited.ofPass[*pass].push_back(each.input);
    }
    return awaited;
}

void countMicrobatches(std::vector<std::vector<RecordedBlock*>>& devices) {
    std::size_t microbatches = 0;
    for (const std::vector<RecordedBlock*>& passes : devices) {
        std::size_t forwards = 0, backwards = 0;
        for (const RecordedBlock* pass : passes) {
            forwards += pass->kind == BlockKind::forward;
            backwards += givesGradient(pass->kind);
            if (forwards > 0 && forwards == backwards) break;
        }
        microbatches = std::max(microbatches, forwards);
    }
    for (std::vector<RecordedBlock*>& passes : devices) {
        std::map<BlockKind, std::size_t> counts;
        for (RecordedBlock* pass : passes)
            if (isPass(pass->kind) && microbatches > 0)
                pass->microbatch = static_cast<int>(counts[pass->kind]++ % microbatches);
    }
}

}  // namespace stagecraft::formats
