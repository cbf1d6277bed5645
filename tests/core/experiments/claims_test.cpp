// Claims against cells whose answers are known.

#include "core/experiments/claims.h"
#include "tests/support/every_room.h"
#include "experiment_fixtures.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

namespace stagecraft {
namespace {

/// SPP takes `spp[i]` and GPipe `gpipe[i]` seconds at point i of the small experiment's grid.
struct Judged {
    Grid grid;
    std::vector<CellResult> cells;

    Judged(const std::string& claim, const std::vector<double>& spp, const std::vector<double>& gpipe)
        : grid(readExperiment(smallExperiment(axes, "[" + claim + "]"), "e.json", {})),
          cells(grid.cellCount()) {
        for (std::size_t point = 0; point < grid.pointCount(); ++point) {
            cells[grid.cellOf(point, 0)] = {CellStatus::ok, "", {{"iteration_time_s", spp[point]}}};
            cells[grid.cellOf(point, 1)] = {CellStatus::ok, "", {{"iteration_time_s", gpipe[point]}}};
        }
    }
    Judgement judgement() const { return judge(grid, cells, grid.experiment().claims.front()); }

    // Points 0 to 5: (M 2, slow), (2, fast), (4, slow), (4, fast), (8, slow), (8, fast).
    static constexpr char axes[] = R"([
        {"name": "M", "pointer": "/setup/microbatches", "values": [2, 4, 8]},
        {"name": "network", "pointer": "/cluster/links/0/bandwidth_Bps",
         "values": [{"label": "slow", "value": 1e9}, {"label": "fast", "value": 4e9}]}])";
};

const std::vector<double> spp = {1, 1, 2, 1.5, 4, 3}, gpipe = {2, 1.25, 2, 3, 5, 4};

TEST(Claims, ARatioAtEveryPointIsDecidedByItsWorst) {
    const std::string claim =
        R"({"text": "t", "kind": "ratio", "planner": "SPP", "against": "GPipe", BOUND})";
    const auto with = [&](const std::string& bound) {
        return Judged(std::string(claim).replace(claim.find("BOUND"), 5, bound), spp, gpipe).judgement();
    };
    EXPECT_EQ(with(R"("at_most": 1)").verdict, Verdict::holds);
    const Judgement strict = with(R"("below": 1)");
    EXPECT_EQ(strict.verdict, Verdict::fails) << "equal at M 4, slow";
    EXPECT_EQ(strict.number, 1);
    EXPECT_NE(strict.because.find("M 4, network slow"), std::string::npos) << strict.because;
    EXPECT_EQ(with(R"("below": 1, "where": {"network": "fast"})").verdict, Verdict::holds);
    EXPECT_EQ(with(R"("below": 1, "where": {"M": {"above": 4}})").verdict, Verdict::holds);
    EXPECT_EQ(with(R"("below": 1, "where": {"M": {"at_least": 4}})").verdict, Verdict::fails);
}

TEST(Claims, MoreIsNotEqualButForRounding) {
    const auto with = [](const std::string& bound, double over) {
        const std::vector<double> own(6, 1), other(6, over);
        return Judged(
                   R"({"text": "t", "kind": "ratio", "planner": "GPipe", "against": "SPP", )" + bound + "}",
                   own, other)
            .judgement()
            .verdict;
    };
    EXPECT_EQ(with(R"("above": 1)", 1), Verdict::fails);
    EXPECT_EQ(with(R"("above": 1)", 1 + 1e-12), Verdict::fails) << "sums in another order";
    EXPECT_EQ(with(R"("above": 1)", 1.001), Verdict::holds);
    EXPECT_EQ(with(R"("below": 1)", 1 - 1e-12), Verdict::fails);
    EXPECT_EQ(with(R"("below": 1)", 0.999), Verdict::holds);
    EXPECT_EQ(with(R"("at_least": 1)", 1), Verdict::holds);
}

TEST(Claims, UpToIsAboutTheLargestNumber) {
    const auto with = [](const std::string& aggregate, const std::string& bounds) {
        return Judged(
                   R"({"text": "t", "kind": "ratio", "planner": "GPipe", "against": "SPP", "aggregate": ")" +
                       aggregate + "\", " + bounds + "}",
                   spp, gpipe)
            .judgement();
    };
    // 2, 1.25, 1, 2, 1.25, 4/3.
    EXPECT_EQ(with("largest", R"("at_least": 1.2, "at_most": 1.5)").number, 2);
    EXPECT_EQ(with("largest", R"("at_least": 1.2, "at_most": 1.5)").verdict, Verdict::fails)
        << "though some number is within";
    EXPECT_EQ(with("some", R"("at_least": 1.2, "at_most": 1.5)").verdict, Verdict::holds);
    EXPECT_EQ(with("least", R"("at_least": 0.9, "at_most": 1.1)").number, 1);
    EXPECT_EQ(with("least", R"("at_least": 0.9, "at_most": 1.1)").verdict, Verdict::holds);
}

TEST(Claims, AChangeIsTakenForEveryCombinationOfTheOtherAxes) {
    const Judgement judgement =
        Judged(
            R"({"text": "t", "kind": "change", "planner": "SPP", "along": "M", "from": 2, "to": 8, "at_least": 3})",
            spp, gpipe)
            .judgement();
    EXPECT_EQ(judgement.verdict, Verdict::holds);
    ASSERT_EQ(judgement.numbers.size(), 2u);
    EXPECT_EQ(judgement.numbers[0].number, 4);
    EXPECT_EQ(judgement.numbers[1].number, 3);
}

TEST(Claims, ASpreadIsTheLargestOverTheLeast) {
    const Judgement judgement =
        Judged(R"({"text": "t", "kind": "spread", "planner": "GPipe", "along": "network", "at_most": 1.5})",
               spp, gpipe)
            .judgement();
    EXPECT_EQ(judgement.verdict, Verdict::fails);
    ASSERT_EQ(judgement.numbers.size(), 3u);
    EXPECT_DOUBLE_EQ(judgement.number, 2 / 1.25);
}

TEST(Claims, StepsFollowTheOrderOfTheAxis) {
    const auto with = [](const char* planner) {
        return Judged(std::string(R"({"text": "t", "kind": "step", "along": "M", "above": 1, "planner": ")") +
                          planner + "\"}",
                      spp, gpipe)
            .judgement();
    };
    EXPECT_EQ(with("SPP").verdict, Verdict::holds);
    EXPECT_EQ(with("GPipe").verdict, Verdict::fails) << "2 and 2 on the slow network";
    EXPECT_EQ(with("SPP").numbers.size(), 4u);
}

TEST(Claims, SharesCountTheNumbersThatStayBelow) {
    const Judgement judgement =
        Judged(R"({"text": "t", "kind": "ratio", "planner": "SPP", "against": ["GPipe"], "aggregate": "share",
                   "share_at_most": 0.8, "at_least": 0.5})",
               spp, gpipe)
            .judgement();
    EXPECT_DOUBLE_EQ(judgement.number, 5.0 / 6);
    EXPECT_EQ(judgement.verdict, Verdict::holds);
}

TEST(Claims, AreUndecidedWithoutTheirCellsAndFalseWithoutAPlan) {
    Judged judged(R"({"text": "t", "kind": "ratio", "planner": "SPP", "against": "GPipe", "at_most": 1})",
                  spp, gpipe);
    judged.cells[judged.grid.cellOf(3, 1)] = {};
    EXPECT_EQ(judged.judgement().verdict, Verdict::undecided);
    judged.cells[judged.grid.cellOf(3, 1)] = {CellStatus::infeasible, "too large", {}};
    EXPECT_EQ(judged.judgement().verdict, Verdict::fails);
    EXPECT_NE(judged.judgement().because.find("GPipe at M 4, network fast is infeasible"), std::string::npos)
        << judged.judgement().because;
}

TEST(Claims, TheGeometricMeanIsThatOfAllRatios) {
    EXPECT_TRUE(rc::check("geometric mean", [] {
        const auto times = rc::gen::container<std::vector<double>>(
            6, rc::gen::map(rc::gen::inRange(1, 1000), [](int ms) { return ms / 1000.0; }));
        const std::vector<double> own = *times, other = *times;
        const Judgement judgement =
            Judged(R"({"text": "t", "kind": "ratio", "planner": "SPP", "against": "GPipe",
                                               "aggregate": "geometric_mean", "at_most": 1})",
                   own, other)
                .judgement();
        double product = 1;
        for (std::size_t i = 0; i < 6; ++i) product *= own[i] / other[i];
        const double mean = std::pow(product, 1.0 / 6);
        RC_ASSERT(std::abs(judgement.number - mean) < 1e-9 * mean);
        if (std::abs(mean - 1) > 1e-9) RC_ASSERT((judgement.verdict == Verdict::holds) == (mean <= 1));
    }));
}

}  // namespace
}  // namespace stagecraft
