// Results of one run against those of another, where trainings may round otherwise.

#include "core/experiments/agreement.h"
#include "tests/support/every_room.h"
#include "experiment_fixtures.h"
#include "tests/core/experiments/experiment_fixtures.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stagecraft {
namespace {

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    return text.replace(text.find(what), what.size(), by);
}

ExperimentResults trained(const std::map<std::string, double>& metrics) {
    std::string text =
        smallExperiment(R"([{"name": "seed", "pointer": "/training/seed", "seeds": 2}])", "[]");
    text = replaced(text, R"("setup": {"microbatches": 4})",
                    R"("setup": {"microbatches": 4, "mode": "asynchronous"}, "training": {"data": "digits",
                        "epochs": 1})");
    text = replaced(text, R"(["spp", {"label": "GPipe", "planner": "gpipe"}])",
                    R"([{"label": "own", "planner": "xpipe", "policy": "xpipe"},
                        {"label": "other", "planner": "gpipe", "policy": "synchronous"}])");
    ExperimentResults results;
    results.experiment = readExperiment(text, "e.json", {});
    results.cells.assign(Grid(results.experiment).cellCount(), {CellStatus::ok, "", metrics});
    return results;
}

Agreement after(const std::string& metric, double change) {
    const ExperimentResults before = trained({{"validation_loss", 0.5},
                                              {"best_validation_accuracy", 0.9},
                                              {"epochs_to_target", 4},
                                              {"epoch_s", 3},
                                              {"time_to_target_s", 12},
                                              {"iteration_time_s", 2}});
    ExperimentResults found = before;
    found.cells.back().metrics[metric] += change;
    return agreementOf(found, before);
}

TEST(Agreement, OfTrainingsIsWithinTheStatedTolerance) {
    EXPECT_EQ(after("validation_loss", 0), Agreement::same);
    for (const double sign : {-1.0, 1.0}) {
        EXPECT_EQ(after("validation_loss", sign * 1e-15), Agreement::withinTolerance);
        EXPECT_EQ(after("validation_loss", sign * 0.5 * 0.99 * trainingTolerance.ofLoss),
                  Agreement::withinTolerance);
        EXPECT_EQ(after("validation_loss", sign * 0.5 * 1.1 * trainingTolerance.ofLoss), Agreement::other);
        EXPECT_EQ(after("best_validation_accuracy", sign * trainingTolerance.samples * oneSample),
                  Agreement::withinTolerance);
        EXPECT_EQ(after("best_validation_accuracy", sign * (trainingTolerance.samples + 1) * oneSample),
                  Agreement::other);
        EXPECT_EQ(after("epochs_to_target", sign * trainingTolerance.epochs), Agreement::withinTolerance);
        EXPECT_EQ(after("epochs_to_target", sign * (trainingTolerance.epochs + 1)), Agreement::other);
        EXPECT_EQ(after("time_to_target_s", sign * trainingTolerance.epochs * 3), Agreement::withinTolerance);
        EXPECT_EQ(after("time_to_target_s", sign * (trainingTolerance.epochs + 1) * 3), Agreement::other);
    }
}

TEST(Agreement, OfWhatIsSimulatedIsToTheLastDigit) {
    EXPECT_EQ(after("iteration_time_s", 0), Agreement::same);
    EXPECT_EQ(after("iteration_time_s", std::nextafter(2, 3) - 2), Agreement::other);
    EXPECT_EQ(after("epoch_s", std::nextafter(3, 4) - 3), Agreement::other);
}

TEST(Agreement, ToleratesNoOtherCellsMetricsAndQuestions) {
    const ExperimentResults before = trained({{"validation_loss", 0.5}});
    ExperimentResults found = before;
    found.cells.front().status = CellStatus::failed;
    EXPECT_EQ(agreementOf(found, before), Agreement::other);
    found = before;
    found.cells.front().metrics["training_loss"] = 0.5;
    EXPECT_EQ(agreementOf(found, before), Agreement::other);
    found = before;
    found.experiment.name += " again";
    EXPECT_EQ(agreementOf(found, before), Agreement::other);
    found = before;
    found.cells.front().metrics["validation_loss"] = std::nan("");
    EXPECT_EQ(agreementOf(found, before), Agreement::other);
}

}  // namespace
}  // namespace stagecraft
