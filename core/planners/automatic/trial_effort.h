#pragma once

#include <algorithm>
#include <vector>

namespace stagecraft::planners {

/// How far a plan is worth trying. It is tried step by step, and given up as soon as it is known to take as
/// long as what it is worth, or longer: of a try that was worth more, this says what one that is worth less
/// would have come to, so that others may try plans before it is their turn.
class TrialEffort {
public:
    /// The plan takes that long at least: with what is worth no more it is given up here.
    void needs(double seconds) { neededS_ = std::max(neededS_, seconds); }
    void simulated(double passes) { steps_.push_back({neededS_, passes, false}); }
    /// Of memory: with more of it the plan might have been another.
    void wasShort() { steps_.push_back({neededS_, 0, true}); }

    bool comesToAnEnd(double worthS) const { return neededS_ < worthS; }
    double passes(double worthS) const {
        double sum = 0;
        for (const Step& step : steps_)
            if (step.neededS < worthS) sum += step.passes;
        return sum;
    }
    bool wasShort(double worthS) const {
        return std::ranges::any_of(
            steps_, [worthS](const Step& step) { return step.wasShort && step.neededS < worthS; });
    }

private:
    struct Step {
        double neededS = 0;  ///< until then
        double passes = 0;
        bool wasShort = false;
    };
    double neededS_ = 0;
    std::vector<Step> steps_;
};

}  // namespace stagecraft::planners
