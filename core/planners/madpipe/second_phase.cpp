#include "core/planners/madpipe/second_phase.h"

#include "core/base/units.h"
#include "core/planners/madpipe/cbc_run.h"
#include "core/planners/madpipe/pattern_program.h"
#include "core/planners/madpipe/pattern_search.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <thread>

namespace stagecraft::planners {

namespace {

using Clock = std::chrono::steady_clock;

class Solving {
public:
    Solving(const PatternProblem& problem, const SecondPhaseOptions& options, const WorkContext& context)
        : problem_(problem),
          options_(options),
          context_(context),
          search_(problem, options.belowS),
          begin_(Clock::now()) {}

    SecondPhase solve() {
        const bool wantsCbc = options_.solver != PatternSolver::own;
        const bool hasCbc = wantsCbc && CbcRun::available();
        outcome_.cbcIsMissing = wantsCbc && !hasCbc;
        const bool searches = options_.solver != PatternSolver::cbc || !hasCbc;
        if (searches && runAlone()) return finishedBySearch();
        if (hasCbc && !isOver())
            cbc_ = std::make_unique<CbcRun>(patternProgram(problem_, options_.belowS), leftS());
        while (!isOver()) {
            if (searches && search_.run(200)) return finishedBySearch();
            if (!searches) std::this_thread::sleep_for(std::chrono::milliseconds(5));
            if (cbc_ && cbc_->finished()) {
                if (takeCbc()) return outcome_;
                cbc_.reset();
                if (!searches) break;
            }
            reportProgress();
        }
        if (cbc_ && waitForCbc() && takeCbc()) return outcome_;
        outcome_.pattern = search_.best();
        outcome_.boundS = std::max({searches ? search_.boundS() : 0, cbcBoundS(), problem_.busiestS()});
        return outcome_;
    }

private:
    double leftS() const {
        return options_.timeLimitS - std::chrono::duration<double>(Clock::now() - begin_).count();
    }
    bool isOver() const {
        context_.throwIfStopped();
        return context_.enough.stop_requested() || leftS() <= 0;
    }

    /// cbc ends by itself at its limit, or when it is asked to, and writes down the best that it has.
    bool waitForCbc() {
        if (context_.enough.stop_requested()) cbc_->finishSoon();
        const auto patience = Clock::now() + std::chrono::seconds(3);
        while (!cbc_->finished() && Clock::now() < patience) {
            context_.throwIfStopped();
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        return cbc_->finished();
    }

    bool runAlone() {
        const int slices = std::max(1, options_.nodesAlone / 200);
        for (int slice = 0; slice < slices && !isOver(); ++slice) {
            if (search_.run(200)) return true;
            reportProgress();
        }
        return false;
    }

    SecondPhase finishedBySearch() {
        outcome_.pattern = search_.best();
        outcome_.boundS = search_.boundS();
        outcome_.proven = true;
        outcome_.provenBy = "built-in search";
        return outcome_;
    }

    /// What cbc found. True: it has proven that there is nothing better.
    bool takeCbc() {
        const CbcRun::Result result = cbc_->result();
        if (result.hasSolution)
            if (const auto pattern = patternOfSolution(problem_, result.values))
                if (pattern->periodS < options_.belowS) search_.offer(*pattern);
        const bool refuted = result.outcome == CbcRun::Outcome::infeasible;
        const bool proven = result.outcome == CbcRun::Outcome::proven && search_.best();
        if (!refuted && !proven) return false;
        outcome_.pattern = search_.best();
        outcome_.boundS =
            outcome_.pattern ? outcome_.pattern->periodS : std::numeric_limits<double>::infinity();
        outcome_.proven = true;
        outcome_.provenBy = "cbc";
        return true;
    }

    double cbcBoundS() const {
        if (!cbc_ || !cbc_->boundObjective()) return 0;
        return periodOfObjective(problem_, *cbc_->boundObjective());
    }

    /// Where it is, a few times a second.
    void reportProgress() {
        const auto now = Clock::now();
        if (!context_.says || now - told_ < std::chrono::milliseconds(200)) return;
        told_ = now;
        double bestS = search_.best() ? search_.best()->periodS : std::numeric_limits<double>::infinity();
        if (cbc_ && cbc_->bestObjective())
            bestS = std::min(bestS, periodOfObjective(problem_, *cbc_->bestObjective()));
        const double boundS = std::max({search_.boundS(), cbcBoundS(), problem_.busiestS()});
        if (!std::isfinite(bestS)) {
            context_.says("No pattern yet; none is shorter than " + formatSeconds(boundS));
            return;
        }
        context_.says("Period " + formatSeconds(bestS) + ", proven within " +
                      formatPercent(std::max(0.0, 1 - boundS / bestS)));
    }

    const PatternProblem& problem_;
    const SecondPhaseOptions& options_;
    const WorkContext& context_;
    PatternSearch search_;
    const Clock::time_point begin_;
    Clock::time_point told_ = {};
    std::unique_ptr<CbcRun> cbc_;
    SecondPhase outcome_;
};

}  // namespace

SecondPhase solvePattern(const PatternProblem& problem, const SecondPhaseOptions& options,
                         const WorkContext& context) {
    return Solving(problem, options, context).solve();
}

}  // namespace stagecraft::planners
