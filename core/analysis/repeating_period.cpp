#include "core/analysis/repeating_period.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <tuple>
#include <vector>

namespace stagecraft::analysis {

namespace {

constexpr int mostMicrobatches = 64;
constexpr std::size_t mostSampled = 1024;  // of the passes, to see whether they agree on a period
constexpr double leastAgreeing = 0.1;

/// A pass by its start, and the same pass of every later microbatch on its lane.
struct Start {
    double atS = 0;
    std::size_t track = 0;
    std::size_t place = 0;  ///< in its track
};

class PeriodFinder {
public:
    explicit PeriodFinder(const Timeline& timeline) {
        const int perMiniBatch =
            timeline.microbatch.empty()
                ? 1
                : 1 + *std::max_element(timeline.microbatch.begin(), timeline.microbatch.end());
        std::map<std::tuple<std::size_t, BlockKind, int, int>, std::size_t> trackOf;
        for (std::size_t lane = 0; lane < timeline.lanes.size(); ++lane) {
            const Lane& own = timeline.lanes[lane];
            for (std::uint32_t block = own.firstBlock; own.kind == LaneKind::compute && block < own.endBlock;
                 ++block)
                timeline.eachPass(block, [&](const Pass& pass) {
                    if (!isPass(pass.kind)) return;
                    const auto [track, isNew] =
                        trackOf.try_emplace({lane, pass.kind, pass.stage, pass.slice}, tracks_.size());
                    if (isNew) tracks_.emplace_back();
                    tracks_[track->second].push_back(
                        {timeline.iteration[block] * perMiniBatch + pass.microbatch, timeline.startS[block]});
                });
        }
        for (std::size_t track = 0; track < tracks_.size(); ++track) {
            std::sort(tracks_[track].begin(), tracks_[track].end());
            for (std::size_t place = 0; place < tracks_[track].size(); ++place)
                starts_.push_back({tracks_[track][place].second, track, place});
        }
        std::sort(starts_.begin(), starts_.end(),
                  [](const Start& a, const Start& b) { return a.atS < b.atS; });
    }

    std::optional<RepeatingPeriod> find() const {
        std::optional<RepeatingPeriod> longest;
        const double wholeS = starts_.empty() ? 0 : starts_.back().atS - starts_.front().atS;
        for (int microbatches = 1; microbatches <= mostMicrobatches; ++microbatches) {
            const bool prevails = longest && stretchS(*longest) > wholeS / 2;
            if (prevails && microbatches % longest->microbatches == 0) continue;
            const auto period = periodOf(microbatches);
            // Two of the shortest are a period, too, and hold no longer.
            if (period && (!longest || stretchS(*period) > stretchS(*longest) * (1 + 1e-6))) longest = period;
        }
        return longest;
    }

private:
    static double roundingS(double lengthS, double atS) { return 1e-9 * lengthS + 1e-12 * std::abs(atS); }

    /// How much later the pass comes again; NaN where it does not.
    double gapS(const Start& start, int microbatches) const {
        const std::vector<std::pair<int, double>>& track = tracks_[start.track];
        const int wanted = track[start.place].first + microbatches;
        const auto again =
            std::lower_bound(track.begin() + static_cast<std::ptrdiff_t>(start.place), track.end(), wanted,
                             [](const auto& each, int number) { return each.first < number; });
        const bool comes = again != track.end() && again->first == wanted;
        return comes ? again->second - start.atS : std::numeric_limits<double>::quiet_NaN();
    }

    static double stretchS(const RepeatingPeriod& period) { return period.untilS - period.fromS; }

    /// How much later most passes come again, as far as some of them show; 0 if they do not agree.
    double commonGapS(int microbatches) const {
        std::vector<double> gaps;
        const std::size_t step = starts_.size() / mostSampled + 1;
        for (std::size_t i = 0; i < starts_.size(); i += step)
            if (const double gap = gapS(starts_[i], microbatches); !std::isnan(gap)) gaps.push_back(gap);
        if (gaps.empty()) return 0;
        const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
        std::nth_element(gaps.begin(), middle, gaps.end());
        const auto agreeing = std::count_if(gaps.begin(), gaps.end(), [&](double gap) {
            return std::abs(gap - *middle) <= roundingS(*middle, starts_.back().atS);
        });
        return static_cast<double>(agreeing) < leastAgreeing * static_cast<double>(gaps.size()) ? 0 : *middle;
    }

    std::optional<RepeatingPeriod> periodOf(int microbatches) const {
        const double lengthS = commonGapS(microbatches);
        if (!(lengthS > 0)) return std::nullopt;
        std::vector<double> gaps;
        for (const Start& start : starts_) gaps.push_back(gapS(start, microbatches));
        const std::vector<Instant> instants = instantsOf(gaps, lengthS);
        std::optional<RepeatingPeriod> longest;
        for (std::size_t begin = 0; begin < instants.size();) {
            std::size_t end = begin, later = placeOf(instants, instants[begin].atS + lengthS);
            for (; later < instants.size() && comesAgainAt(instants[end], instants[later], lengthS); ++later)
                ++end;
            const double fromS = instants[begin].atS;
            // Up to what does not come again, or did not come before.
            double untilS = instants[std::min(end, instants.size() - 1)].atS + lengthS;
            if (later < instants.size()) untilS = std::min(untilS, instants[later].atS);
            const bool isWhole = untilS - fromS >= 2 * lengthS - roundingS(lengthS, untilS);
            if (isWhole && (!longest || untilS - fromS > stretchS(*longest)))
                longest = RepeatingPeriod{fromS, untilS, lengthS, microbatches};
            begin = std::max(end, begin + 1);
        }
        return longest;
    }

    /// Passes that start together.
    struct Instant {
        double atS = 0;
        std::size_t starts = 0;
        bool allComeAgain = true;
    };

    std::vector<Instant> instantsOf(const std::vector<double>& gaps, double lengthS) const {
        std::vector<Instant> instants;
        for (std::size_t i = 0; i < starts_.size(); ++i) {
            const double slackS = roundingS(lengthS, starts_[i].atS);
            if (instants.empty() || starts_[i].atS > instants.back().atS + slackS)
                instants.push_back({starts_[i].atS});
            ++instants.back().starts;
            if (!(std::abs(gaps[i] - lengthS) <= slackS)) instants.back().allComeAgain = false;
        }
        return instants;
    }

    /// The first instant then or later, to rounding.
    static std::size_t placeOf(const std::vector<Instant>& instants, double atS) {
        const auto found =
            std::lower_bound(instants.begin(), instants.end(), atS - 2 * roundingS(atS, atS),
                             [](const Instant& each, double limit) { return each.atS < limit; });
        return static_cast<std::size_t>(found - instants.begin());
    }

    /// All that starts at one comes again at the other, one period later, and nothing else does.
    static bool comesAgainAt(const Instant& instant, const Instant& later, double lengthS) {
        return instant.allComeAgain && later.starts == instant.starts &&
               std::abs(later.atS - instant.atS - lengthS) <= 2 * roundingS(lengthS, later.atS);
    }

    std::vector<std::vector<std::pair<int, double>>>
        tracks_;                 ///< microbatch and start of one pass, ascending
    std::vector<Start> starts_;  ///< ascending
};

}  // namespace

std::optional<RepeatingPeriod> repeatingPeriod(const Timeline& timeline) {
    return PeriodFinder(timeline).find();
}

}  // namespace stagecraft::analysis
