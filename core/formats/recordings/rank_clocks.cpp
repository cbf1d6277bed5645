#include "core/formats/recordings/rank_clocks.h"

#include "core/base/indices.h"
#include "core/base/units.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace stagecraft::formats {

namespace {

constexpr double clockToleranceS = 1e-6;

/// How long passes wait at least for those of the other clock, either way; infinity: none does.
struct ClockLags {
    double thereS = infinity;  ///< from the first clock to the second
    double backS = infinity;
    bool any() const { return thereS < infinity || backS < infinity; }
    /// What is to be added to the second clock.
    double offsetS() const {
        if (thereS >= -clockToleranceS && backS >= -clockToleranceS) return 0;
        if (backS == infinity) return -thereS;
        if (thereS == infinity) return backS;
        return (backS - thereS) / 2;
    }
    double residualS() const {
        return thereS < infinity && backS < infinity ? std::abs(thereS + backS) / 2 : 0;
    }
};

using PassKey = std::tuple<bool, int, int, int, int>;  // backward, stage, microbatch, slice, iteration

class TransferClocks {
public:
    explicit TransferClocks(const std::vector<ClockedRank>& ranks) {
        for (std::size_t rank = 0; rank < ranks.size(); ++rank)
            for (const RecordedBlock& pass : ranks[rank].passes)
                if (pass.kind == BlockKind::forward || givesGradient(pass.kind))
                    passes_.try_emplace(keyOf(pass, 0), rank, &pass);
        for (const auto& [key, place] : passes_) compare(place.first, *place.second);
    }

    const std::map<std::pair<std::size_t, std::size_t>, ClockLags>& lags() const { return lags_; }

private:
    static PassKey keyOf(const RecordedBlock& pass, int stagesOn) {
        return {pass.kind != BlockKind::forward, pass.stage + stagesOn, pass.microbatch, pass.slice,
                pass.iteration};
    }
    /// The pass with the one that it waits for.
    void compare(std::size_t rank, const RecordedBlock& pass) {
        const auto before = passes_.find(keyOf(pass, pass.kind == BlockKind::forward ? -1 : 1));
        if (before == passes_.end() || before->second.first == rank) return;
        const std::size_t other = before->second.first;
        ClockLags& lags = lags_[std::minmax(rank, other)];
        double& lag = other < rank ? lags.thereS : lags.backS;
        lag = std::min(lag, pass.startS - before->second.second->endS);
    }

    std::map<PassKey, std::pair<std::size_t, const RecordedBlock*>> passes_;
    std::map<std::pair<std::size_t, std::size_t>, ClockLags> lags_;
};

double medianOf(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// Goes from clock to clock along those that were compared.
void alignAtTransfers(const std::map<std::pair<std::size_t, std::size_t>, ClockLags>& lags,
                      ClockAlignment& alignment, std::vector<bool>& known) {
    for (bool more = true; more;) {
        more = false;
        for (const auto& [pair, lag] : lags) {
            const auto [a, b] = pair;
            if (known[a] == known[b]) continue;
            // What the second needs against the first; the other way round the first is moved back.
            if (known[a])
                alignment.offsetS[b] = alignment.offsetS[a] + lag.offsetS();
            else
                alignment.offsetS[a] = alignment.offsetS[b] - lag.offsetS();
            alignment.moved = alignment.moved || lag.offsetS() != 0;
            alignment.byTransfers = true;
            alignment.residualS = std::max(alignment.residualS.value_or(0), lag.residualS());
            known[a] = known[b] = more = true;
        }
    }
}

void alignAtCollectives(const ClockedRank& first, const ClockedRank& own, std::size_t rank,
                        ClockAlignment& alignment) {
    if (own.collectives.empty() || own.collectives.size() != first.collectives.size()) return;
    std::vector<double> apart;
    for (std::size_t i = 0; i < own.collectives.size(); ++i) {
        if (own.collectives[i].first != first.collectives[i].first) return;
        apart.push_back(first.collectives[i].second - own.collectives[i].second);
    }
    double offsetS = medianOf(apart);
    std::vector<double> spread = apart;
    for (double& each : spread) each = std::abs(each - offsetS);
    // What is apart by less than it varies is no wrong clock.
    if (std::abs(offsetS) <= medianOf(spread)) offsetS = 0;
    for (double& each : apart) each = std::abs(each - offsetS);
    alignment.offsetS[rank] = offsetS;
    alignment.moved = alignment.moved || std::abs(offsetS) > clockToleranceS;
    alignment.residualS = std::max(alignment.residualS.value_or(0), medianOf(apart));
}

}  // namespace

ClockAlignment alignedClocks(const std::vector<ClockedRank>& ranks) {
    ClockAlignment alignment;
    alignment.offsetS.assign(ranks.size(), 0);
    if (ranks.size() < 2) return alignment;
    std::vector<bool> known(ranks.size(), false);
    known[0] = true;
    alignAtTransfers(TransferClocks(ranks).lags(), alignment, known);
    if (!alignment.byTransfers)
        for (std::size_t rank = 1; rank < ranks.size(); ++rank)
            alignAtCollectives(ranks[0], ranks[rank], rank, alignment);
    return alignment;
}

void tellClocks(const ClockAlignment& clocks, RecordingReport& report) {
    if (!clocks.residualS) {
        report.assumed.push_back(
            "Nothing that matches was found on the ranks: their clocks are taken as they are.");
        return;
    }
    if (!clocks.moved) {
        report.recognised.push_back(
            std::string(clocks.byTransfers ? "No input arrives before it was sent"
                                           : "Ends of collectives are no further apart than they vary") +
            ": the ranks' clocks are taken as they are.");
        return;
    }
    report.clockResidualS = clocks.residualS;
    report.assumed.push_back(
        std::string("The ranks' clocks are aligned at ") +
        (clocks.byTransfers ? "what one sends and the other waits for" : "their collectives") +
        ", to within " + formatSeconds(*clocks.residualS) + ".");
}

}  // namespace stagecraft::formats
