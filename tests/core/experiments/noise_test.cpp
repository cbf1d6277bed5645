// Claims on trainings: verdicts against a standard error over seeds.

#include "core/experiments/claims.h"
#include "tests/support/every_room.h"
#include "core/experiments/noise.h"
#include "experiment_fixtures.h"
#include "tests/core/experiments/experiment_fixtures.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

namespace stagecraft {
namespace {

/// Two policies are trained from as many seeds as there are numbers; `own` and `other` end with these.
Judgement judged(const std::string& metric, const std::string& claim, const std::vector<double>& own,
                 const std::vector<double>& other, const std::string& data = "digits") {
    const std::string axes =
        R"([{"name": "seed", "pointer": "/training/seed", "seeds": )" + std::to_string(own.size()) + "}]";
    std::string text = smallExperiment(
        axes, R"([{"text": "t", "planner": "own", "metric": ")" + metric + "\", " + claim + "}]");
    text = replaced(text, R"("setup": {"microbatches": 4})",
                    R"("setup": {"microbatches": 4, "mode": "asynchronous"}, "training": {"data": ")" + data +
                        R"(", "epochs": 1})");
    text = replaced(text, R"(["spp", {"label": "GPipe", "planner": "gpipe"}])",
                    R"([{"label": "own", "planner": "xpipe", "policy": "xpipe"},
                        {"label": "other", "planner": "gpipe", "policy": "synchronous"}])");
    const Grid grid(readExperiment(text, "e.json", {}));
    std::vector<CellResult> cells(grid.cellCount());
    for (std::size_t seed = 0; seed < own.size(); ++seed) {
        cells[grid.cellOf(seed, 0)] = {CellStatus::ok, "", {{metric, own[seed]}, {"epoch_s", 2}}};
        cells[grid.cellOf(seed, 1)] = {CellStatus::ok, "", {{metric, other[seed]}, {"epoch_s", 2}}};
    }
    return judge(grid, cells, grid.experiment().claims.front());
}

constexpr char aboveOther[] = R"("kind": "difference", "against": "other", "aggregate": "mean", "above": 0)";
constexpr char accuracy[] = "best_validation_accuracy";

TEST(ClaimsOnTrainings, ADifferenceWithinTwoStandardErrorsIsUndecided) {
    // Differences 0.01, 0.03, 0.01, 0.03: mean 0.02, deviation 0.01155, error 0.00577.
    const std::vector<double> other = {0.90, 0.92, 0.94, 0.96};
    const Judgement clear = judged(accuracy, aboveOther, {0.91, 0.95, 0.95, 0.99}, other);
    EXPECT_EQ(clear.verdict, Verdict::holds);
    EXPECT_EQ(clear.seeds, 4);
    EXPECT_NEAR(*clear.standardError, std::sqrt(4 * 1e-4 / 3) / 2, 1e-12);
    EXPECT_NE(clear.because.find("standard error 0.005774 over 4 seeds"), std::string::npos) << clear.because;
    // The same mean from numbers that are apart: -0.02, 0.06, -0.02, 0.06.
    const Judgement noisy = judged(accuracy, aboveOther, {0.88, 0.98, 0.92, 1.02}, other);
    EXPECT_NEAR(noisy.number, 0.02, 1e-12);
    EXPECT_EQ(noisy.verdict, Verdict::undecided);
    EXPECT_NE(noisy.because.find("nearer than two standard errors"), std::string::npos) << noisy.because;
    EXPECT_EQ(judged(accuracy, aboveOther, other, {0.91, 0.95, 0.95, 0.99}).verdict, Verdict::fails);
}

TEST(ClaimsOnTrainings, WhatTwoRunsHaveInCommonIsNoNoise) {
    // Seeds are far apart, their differences are not.
    EXPECT_EQ(judged(accuracy, aboveOther, {0.52, 0.72, 0.92}, {0.50, 0.70, 0.90}).verdict, Verdict::holds);
}

TEST(ClaimsOnTrainings, NoSeedIsSurerThanOneValidationSample) {
    const std::vector<double> other(4, 0.9);
    const auto above = [&](double samples, const char* data) {
        return judged(accuracy, aboveOther, std::vector<double>(4, 0.9 + samples * oneSample), other, data);
    };
    EXPECT_NEAR(*above(0.5, "digits").standardError, oneSample / 2, 1e-12);
    EXPECT_EQ(above(0.9, "digits").verdict, Verdict::undecided);
    EXPECT_EQ(above(1.1, "digits").verdict, Verdict::holds);
    EXPECT_NEAR(*above(1, "spirals").standardError, 1.0 / 300 / 2, 1e-12);
}

TEST(ClaimsOnTrainings, NoTimeToTheTargetIsSurerThanOneEpoch) {
    const std::vector<double> own(4, 11), other(4, 10);
    EXPECT_NEAR(*judged("time_to_target_s", aboveOther, own, other).standardError, 2.0 / 2, 1e-12)
        << "an epoch takes 2 s";
    EXPECT_EQ(judged("time_to_target_s", aboveOther, own, other).verdict, Verdict::undecided);
}

TEST(ClaimsOnTrainings, OneSeedDecidesNothing) {
    const Judgement judgement = judged(accuracy, aboveOther, {0.99}, {0.5});
    EXPECT_EQ(judgement.verdict, Verdict::undecided);
    EXPECT_FALSE(judgement.standardError);
    EXPECT_NE(judgement.because.find("two seeds or more"), std::string::npos) << judgement.because;
}

TEST(ClaimsOnTrainings, BoundsOnBothSidesAndOnEveryTraining) {
    constexpr char level[] =
        R"("kind": "ratio", "against": "other", "aggregate": "geometric_mean", "within": 0.1)";
    const std::vector<double> other(4, 2.0);
    EXPECT_EQ(judged("validation_loss", level, {2.02, 2.06, 2.02, 2.06}, other).verdict, Verdict::holds);
    EXPECT_EQ(judged("validation_loss", level, {2.1, 2.3, 2.1, 2.3}, other).verdict, Verdict::undecided);
    EXPECT_EQ(judged("validation_loss", level, {2.9, 3.1, 2.9, 3.1}, other).verdict, Verdict::fails);
    EXPECT_EQ(judged("validation_loss", level, other, other).verdict, Verdict::holds) << "no noise at all";
    constexpr char every[] = R"("kind": "ratio", "against": "other", "at_most": 1)";
    // 0.8, 0.9, 0.8, 0.9: one training has an error of 0.0577, and the worst is 0.9.
    EXPECT_EQ(judged("validation_loss", every, {1.6, 1.8, 1.6, 1.8}, other).verdict, Verdict::undecided);
    EXPECT_EQ(judged("validation_loss", every, {1.0, 1.2, 1.0, 1.2}, other).verdict, Verdict::holds);
}

TEST(ClaimsOnTrainings, VerdictsAreThoseOfAnIntervalOfTwoStandardErrors) {
    EXPECT_TRUE(rc::check([] {
        const auto numbers = *rc::gen::container<std::vector<double>>(
            5, rc::gen::map(rc::gen::inRange(1, 400), [](int n) { return 1.0 + n * 1e-3; }));
        const Judgement judgement = judged(
            "validation_loss", R"("kind": "ratio", "against": "other", "aggregate": "mean", "at_most": 1.2)",
            numbers, std::vector<double>(5, 1.0));
        double mean = 0, squares = 0;
        for (const double number : numbers) mean += number / 5;
        for (const double number : numbers) squares += std::pow(number - mean, 2);
        const double error = std::sqrt(squares / 4 / 5);
        RC_ASSERT(std::abs(*judgement.standardError - error) < 1e-12);
        if (std::abs(std::abs(mean - 1.2) - 2 * error) < 1e-9) return;
        RC_ASSERT(judgement.verdict == (mean + 2 * error <= 1.2   ? Verdict::holds
                                        : mean - 2 * error <= 1.2 ? Verdict::undecided
                                                                  : Verdict::fails));
    }));
}

TEST(ClaimsOnTrainings, DifferencesThatCancelOutAreNone) {
    const Judgement judgement =
        judged(accuracy, aboveOther, {0.9 + 0.1, 0.9 + 0.2, 0.9 - 0.3}, std::vector<double>(3, 0.9));
    EXPECT_EQ(judgement.number, 0) << judgement.because;
}

TEST(ClaimsOnTrainings, CountsNameWhatIsUndecided) {
    std::vector<Judgement> judgements(4);
    judgements[0].verdict = judgements[1].verdict = Verdict::holds;
    judgements[2].verdict = Verdict::fails;
    EXPECT_EQ(countOfVerdicts(judgements), "2 of 4 claims hold, 1 undecided");
    judgements.pop_back();
    EXPECT_EQ(countOfVerdicts(judgements), "2 of 3 claims hold");
}

}  // namespace
}  // namespace stagecraft
