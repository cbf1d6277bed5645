// Numbers that are chosen by some rows of a set, and what they are judged by.
#include "core/experiments/measured/calibrated_shares.h"
#include "core/experiments/measured/prediction.h"
#include "core/experiments/measured/sets.h"
#include "tests/support/every_room.h"
#include "tests/support/measured_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace stagecraft {
namespace {

/// The sum of squared relative errors of the rows that a set was calibrated on, with these numbers.
double squaresOf(const RowCalibration& calibration, const CalibratedShares& shares) {
    MeasuredSet set{.quantity = calibration.quantity, .rows = calibration.rows(shares)};
    std::vector<MeasuredPrediction> rows = unpredicted({&set});
    predictRows(rows, {.jobs = 1});
    double squares = 0;
    for (const MeasuredPrediction& row : rows) {
        EXPECT_TRUE(row.predicted) << row.row->name << ": " << row.reason;
        squares += std::pow(testing::errorOf(row), 2);
    }
    return squares;
}

/// Of one set, what is predicted of rows whose names hold all of the words.
std::vector<double> errorsOfRows(const std::string& set, const std::vector<std::string>& words) {
    std::vector<double> errors;
    for (const MeasuredPrediction& row : testing::predictedRows(set, [&](const MeasuredRow& each) {
             return !each.isCalibratedOn && std::ranges::all_of(words, [&](const std::string& word) {
                 return each.name.find(word) != std::string::npos;
             });
         }))
        errors.push_back(testing::errorOf(row));
    return errors;
}

}  // namespace

/// One step to either side of any number makes the rows that it was chosen by worse.
TEST(MeasuredCalibrations, NumbersAreTheLeastSquaresOfTheRowsThatTheyWereChosenBy) {
    for (const RowCalibration& calibration : measuredCalibrations()) {
        SCOPED_TRACE(calibration.name);
        const double least = squaresOf(calibration, calibration.shares);
        ASSERT_FALSE(calibration.chosen.empty());
        for (const CalibratedNumber& one : calibration.chosen)
            for (const double direction : {-1, 1}) {
                CalibratedShares other = calibration.shares;
                other.*one.number += direction * one.step;
                EXPECT_LE(least, squaresOf(calibration, other))
                    << calibration.shares.*one.number << " to " << other.*one.number;
            }
    }
}

/// None of them is judged, and each set that is calibrated so has others that are.
TEST(MeasuredCalibrations, RowsThatNumbersWereChosenByAreMarkedInTheirSets) {
    std::set<std::string> chosenBy, marked;
    for (const RowCalibration& calibration : measuredCalibrations())
        for (const MeasuredRow& row : calibration.rows(calibration.shares)) {
            EXPECT_TRUE(row.isCalibratedOn) << row.name;
            chosenBy.insert(row.name);
        }
    for (const char* id : {"mpt", "torchtitan", "bigscience", "libai", "megatron-v100", "nemo", "dgxc",
                           "vocabulary-runs", "internlm"}) {
        std::size_t judged = 0;
        const MeasuredSet* set = findMeasuredSet(id);
        ASSERT_TRUE(set) << id;
        for (const MeasuredRow& row : set->rows)
            if (row.isCalibratedOn)
                marked.insert(row.name);
            else
                ++judged;
        EXPECT_GT(judged, set->rows.size() / 2) << id;
    }
    EXPECT_EQ(chosenBy, marked);
}

/// One server predicts sixteen, with each technique.
TEST(MeasuredCalibrations, OneServerPredictsSixteenWithFsdp) {
    const std::vector<double> errors = errorsOfRows("torchtitan", {"128 H100"});
    ASSERT_EQ(errors.size(), 3u);
    for (const double error : errors) EXPECT_LT(std::abs(error), 0.03);
}

/// What one GPU says predicts pipelines of up to 32: Megatron-LM's rows without tensor parallelism.
TEST(MeasuredCalibrations, OneGpuPredictsPipelines) {
    const std::vector<double> errors = errorsOfRows("megatron-v100", {"tensor 1", "stages 4"});
    ASSERT_EQ(errors.size(), 8u);
    for (const double error : errors) EXPECT_LT(std::abs(error), 0.11);
}

/// What GPUs with all layers say predicts interleaved pipelines on B200.
TEST(MeasuredCalibrations, WholeLayersPredictInterleavedPipelines) {
    const std::vector<double> errors = errorsOfRows("nemo", {"B200-SXM", "stages 8 x 8"});
    ASSERT_EQ(errors.size(), 4u);
    for (const double error : errors) EXPECT_LT(std::abs(error), 0.05);
}

/// One server in bf16 predicts interleaved pipelines of larger models on many.
TEST(MeasuredCalibrations, OneServerPredictsInterleavedPipelines) {
    for (const auto& [words, rows] : {std::pair{", 64 H100-SXM5-80GB, bf16, tensor 4, stages 4 x 5", 3u},
                                      std::pair{"42 layers, 192 H100-SXM5-80GB, bf16", 2u}}) {
        const std::vector<double> errors = errorsOfRows("dgxc", {words});
        ASSERT_EQ(errors.size(), rows) << words;
        for (const double error : errors) EXPECT_LT(std::abs(error), 0.03) << words;
    }
}

/// Help says so, with nothing calibrated: what PyTorch reserves is more than what a plan has, but for one run
/// by less than a tenth.
TEST(MeasuredCalibrations, MemoryOfSharedOutputLayersFollowsFromShapes) {
    for (const char* method : {"redis", "vocab-1", "vocab-2", "interlaced"}) {
        const std::vector<double> errors = errorsOfRows("vocabulary-memory", {method});
        ASSERT_EQ(errors.size(), 8u) << method;
        for (const double error : errors) {
            EXPECT_LT(error, 0) << method;
            EXPECT_GT(error, -0.1) << method;
        }
    }
}

/// As the passes of the stages in vocabulary-parallelism.json have them.
TEST(MeasuredCalibrations, BlocksMoveAwayFromTheOutputLayerAsTheyWereMoved) {
    const auto layersOf = [](const std::string& name) {
        std::vector<int> layers;
        const MeasuredSet& set = *findMeasuredSet("vocabulary-runs");
        const auto row = std::ranges::find(set.rows, name, &MeasuredRow::name);
        EXPECT_NE(row, set.rows.end()) << name;
        for (const Stage& stage : row->project().plan.stages) layers.push_back(stage.layerCount());
        return layers;
    };
    EXPECT_EQ(layersOf("redis, 2048 tokens, 256000 words"), (std::vector<int>{5, 4, 4, 5, 5, 5, 5, 1}));
    EXPECT_EQ(layersOf("redis, 2048 tokens, 128000 words"), (std::vector<int>{5, 4, 4, 4, 4, 5, 5, 3}));
    EXPECT_EQ(layersOf("redis, 2048 tokens, 64000 words"), (std::vector<int>{5, 4, 4, 4, 4, 4, 5, 4}));
    EXPECT_EQ(layersOf("redis, 4096 tokens, 128000 words"), (std::vector<int>{5, 4, 4, 4, 4, 5, 5, 3}));
    EXPECT_EQ(layersOf("redis, 4096 tokens, 32000 words"), (std::vector<int>{5, 4, 4, 4, 4, 4, 4, 5}));
}

/// Help says so: 14,400 divides into heads of 150 and parts of 1,800, which tensor cores do not fill.
TEST(MeasuredCalibrations, WidthsThatTilesDoNotFillArePredictedTooFast) {
    for (const double error : errorsOfRows("bigscience", {"of 14400, 96 heads", "stages 4,"}))
        EXPECT_LT(error, -0.15);
    for (const double error : errorsOfRows("bigscience", {"of 13312, 64 heads", "tensor 4"}))
        EXPECT_LT(std::abs(error), 0.11);
}

/// As its notes have it: 78 blocks in 12 stages are seven each and one in the last; where embedding and head
/// count as blocks, 106 are nine each and eight at either end.
TEST(MeasuredCalibrations, BigScienceDealsOutBlocksAsDeepSpeedDoes) {
    const auto layersOf = [](const std::string& words) {
        std::vector<int> layers;
        const MeasuredSet& set = *findMeasuredSet("bigscience");
        const auto row = std::ranges::find_if(
            set.rows, [&](const MeasuredRow& each) { return each.name.find(words) != std::string::npos; });
        EXPECT_NE(row, set.rows.end()) << words;
        for (const Stage& stage : row->project().plan.stages) layers.push_back(stage.layerCount());
        return layers;
    };
    EXPECT_EQ(layersOf("78 layers of 13824, 64 heads, tensor 4, data 8, stages 12, microbatch 2"),
              (std::vector<int>{8, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 2}));
    EXPECT_EQ(layersOf("106 layers of 12288, 64 heads, tensor 4, data 8, stages 12, microbatch 2"),
              (std::vector<int>(12, 9)));
    EXPECT_EQ(layersOf("72 layers of 14336, 64 heads, tensor 8, data 12, stages 4, microbatch 2"),
              (std::vector<int>{19, 18, 18, 19}));
}

}  // namespace stagecraft
