#include "core/base/indices.h"
#include "tests/support/every_room.h"
#include "core/planners/madpipe/cbc_run.h"
#include "core/planners/madpipe/pattern_program.h"
#include "core/planners/madpipe/pattern_search.h"
#include "core/planners/madpipe/second_phase.h"
#include "core/schedules/one_forward_one_backward_star.h"
#include "core/simulation/simulator.h"

#include "tests/core/support/golden_cases.h"
#include "tests/core/support/near.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <thread>

namespace stagecraft {
namespace {

/// Of what a search over periods finds.
bool nearPeriod(double a, double b) { return testing::nearBy(a, b, 1e-6); }

int between(std::mt19937& random, int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
}

/// Stages on devices, one link for each pair of them, whole numbers. `devices` stages on as many devices is
/// contiguous.
PatternProblem randomProblem(std::mt19937& random, int stages, int devices, bool transfers, int longest = 6) {
    std::vector<int> device;
    for (int stage = 0; stage < stages; ++stage)
        device.push_back(stage < devices ? stage : between(random, 0, devices - 1));
    for (std::size_t stage = device.size() - 1; stages > devices && stage > 0; --stage)
        std::swap(device[stage],
                  device[static_cast<std::size_t>(between(random, 0, static_cast<int>(stage)))]);
    PatternProblem problem;
    std::map<std::pair<int, int>, int> numbers;
    std::vector<PatternTask> down;
    std::vector<int> downResources;
    const auto resource = [&](int a, int b) {
        return numbers.try_emplace(std::minmax(a, b), static_cast<int>(numbers.size())).first->second;
    };
    for (int stage = 0; stage < stages; ++stage) {
        const int own = device[static_cast<std::size_t>(stage)];
        problem.path.push_back({BlockKind::forward, stage, double(between(random, 1, longest))});
        problem.resources.push_back(resource(own, own));
        down.push_back({BlockKind::backward, stage, double(between(random, 1, longest))});
        downResources.push_back(resource(own, own));
        if (stage + 1 == stages || !transfers || device[static_cast<std::size_t>(stage) + 1] == own) continue;
        const int link = resource(own, device[static_cast<std::size_t>(stage) + 1]);
        problem.path.push_back({BlockKind::transferForward, stage, double(between(random, 0, longest))});
        down.push_back({BlockKind::transferBackward, stage, double(between(random, 0, longest))});
        problem.resources.push_back(link);
        downResources.push_back(link);
    }
    problem.path.insert(problem.path.end(), down.rbegin(), down.rend());
    problem.resources.insert(problem.resources.end(), downResources.rbegin(), downResources.rend());
    problem.resourceCount = static_cast<int>(numbers.size());
    for (int one = 0; one < devices; ++one) {
        PatternProblem::Store store{one, {}, 0, 0};
        double each = 0;
        for (int task = 0; task < problem.tasks() / 2; ++task) {
            const PatternTask& forward = problem.path[static_cast<std::size_t>(task)];
            if (forward.kind != BlockKind::forward || device[static_cast<std::size_t>(forward.stage)] != one)
                continue;
            store.held.push_back({task, problem.tasks() - 1 - task, double(between(random, 0, 5))});
            each += store.held.back().bytes;
        }
        store.roomBytes = store.limitBytes = std::floor(each * between(random, 3, 14) / 4.0);
        problem.stores.push_back(store);
    }
    return problem;
}

/// Whether any pattern of that whole period fits: all starts at whole seconds, all waits below a period.
bool fitsAt(const PatternProblem& problem, int periodS, std::vector<double>& startsS) {
    const std::size_t task = startsS.size();
    if (task == problem.path.size()) return whyNoPattern(problem, {double(periodS), startsS}).empty();
    const double earliestS = task == 0 ? 0 : startsS.back() + problem.path[task - 1].seconds;
    for (int wait = 0; wait < (task == 0 ? 1 : periodS); ++wait) {
        const double startS = earliestS + wait;
        bool free = true;
        for (std::size_t other = 0; free && other < task; ++other) {
            if (problem.resources[other] != problem.resources[task]) continue;
            const double within = std::fmod(startS - startsS[other], periodS);
            free = within >= problem.path[other].seconds && within <= periodS - problem.path[task].seconds;
        }
        if (!free) continue;
        startsS.push_back(startS);
        const bool fits = fitsAt(problem, periodS, startsS);
        startsS.pop_back();
        if (fits) return true;
    }
    return false;
}

double searched(const PatternProblem& problem) {
    PatternSearch search(problem);
    while (!search.run(1000)) {
    }
    if (search.best()) {
        EXPECT_EQ(whyNoPattern(problem, *search.best()), "");
    }
    return search.best() ? search.best()->periodS : infinity;
}

TEST(PatternSearch, FindsAPatternAtAPeriodIfAndOnlyIfThereIsOne) {
    std::mt19937 random(31);
    int without = 0, above = 0;
    for (int round = 0; round < 120; ++round) {
        const PatternProblem problem = randomProblem(random, 3, between(random, 1, 2), false, 3);
        const double leastS = searched(problem);
        if (leastS == infinity) ++without;
        if (leastS > problem.busiestS()) ++above;
        for (int periodS = static_cast<int>(problem.busiestS()); periodS <= 10; ++periodS) {
            std::vector<double> startsS;
            EXPECT_EQ(fitsAt(problem, periodS, startsS), periodS >= leastS - 1e-9)
                << "round " << round << " period " << periodS << " least " << leastS;
        }
    }
    EXPECT_GT(without, 5);
    EXPECT_GT(above, 20);
}

TEST(PatternSearch, OneStageADeviceGivesThePeriodOf1F1BStar) {
    std::mt19937 random(32);
    for (int round = 0; round < 300; ++round) {
        const int stages = between(random, 1, 5);
        const PatternProblem problem = randomProblem(random, stages, stages, true);
        std::vector<int> most;
        for (const PatternProblem::Store& store : problem.stores) {
            const double bytes = store.held.front().bytes;
            most.push_back(bytes > 0 ? static_cast<int>(store.roomBytes / bytes) : 1000);
        }
        EXPECT_PRED2(nearPeriod, searched(problem), leastStarPeriodS(problem.path, most).value_or(infinity))
            << round;
    }
}

TEST(PatternSearch, ReachesTheGoldenPeriodOfASharedLink) {
    const auto golden = testing::goldenCase("mp-10-shared-link");
    for (std::size_t i = 0; i < golden.input.at("instances").size(); ++i) {
        const nlohmann::json& instance = golden.input.at("instances")[i];
        const nlohmann::json& chain = instance.at("chain");
        Problem made;
        for (std::size_t layer = 0; layer < chain.at("uF").size(); ++layer) {
            Layer one;
            one.forwardS = chain.at("uF")[layer];
            one.backwardS = chain.at("uB")[layer];
            one.parameterBytes = chain.at("W")[layer];
            one.storedActivationBytes = chain.at("a")[layer];
            one.outputBytes = one.outputGradientBytes = chain.at("a")[layer + 1];
            made.profile.layers.push_back(one);
        }
        const double beta = chain.at("beta");
        made.cluster = testing::meshCluster({{0, beta}, {beta, 0}});
        std::vector<Stage> stages;
        for (const nlohmann::json& stage : instance.at("stages"))
            stages.push_back({stage.at("first").get<int>() - 1,
                              stage.at("last").get<int>() - 1,
                              {stage.at("proc").get<int>()}});
        for (const auto& [memory, period] : golden.expected.at("results")[i].at("period").items()) {
            made.setup.memoryLimitBytes = std::stod(memory);
            const PatternProblem problem = patternProblem(CostModel(made), stages);
            EXPECT_DOUBLE_EQ(problem.busiestS(),
                             golden.expected.at("results")[i].at("max_load").get<double>());
            EXPECT_PRED2(nearPeriod, searched(problem), period.get<double>());
        }
    }
}

TEST(PatternSearch, LooksForNothingAboveItsLimit) {
    std::mt19937 random(33);
    for (int round = 0; round < 60; ++round) {
        const PatternProblem problem = randomProblem(random, 4, 2, true);
        const double leastS = searched(problem);
        if (leastS == infinity) continue;
        PatternSearch below(problem, leastS);
        while (!below.run(1000)) {
        }
        EXPECT_FALSE(below.best());
        EXPECT_EQ(below.boundS(), infinity);
        PatternSearch above(problem, leastS * 1.01);
        while (!above.run(1000)) {
        }
        ASSERT_TRUE(above.best());
        EXPECT_PRED2(nearPeriod, above.best()->periodS, leastS);
    }
}

TEST(PatternSearch, ItsBoundRisesAndNeverPassesTheBestPeriod) {
    std::mt19937 random(34);
    for (int round = 0; round < 20; ++round) {
        const PatternProblem problem = randomProblem(random, 5, 2, true);
        const double leastS = searched(problem);
        PatternSearch search(problem);
        double before = 0;
        while (!search.run(3)) {
            EXPECT_GE(search.boundS(), before);
            EXPECT_LE(search.boundS(), leastS * (1 + 1e-9));
            before = search.boundS();
        }
    }
}

/// With 22 stages too large for a proof in the time that the tests below allow.
PatternProblem hardProblem(int stages = 22, double batches = 1.3) {
    std::mt19937 random(3);
    PatternProblem problem = randomProblem(random, stages, 5, true, 50);
    for (PatternProblem::Store& store : problem.stores) {
        double each = 0;
        for (const PatternProblem::Held& held : store.held) each += held.bytes;
        store.roomBytes = store.limitBytes = each * batches;
    }
    return problem;
}

SecondPhase solvedBy(PatternSolver solver, const PatternProblem& problem) {
    SecondPhaseOptions options;
    options.solver = solver;
    options.nodesAlone = 10;
    return solvePattern(problem, options);
}

TEST(SecondPhase, CbcAndTheOwnSearchProveTheSamePeriods) {
    if (!CbcRun::available()) GTEST_SKIP() << "the program cbc is not installed (Debian: coinor-cbc)";
    std::mt19937 random(35);
    for (int round = 0; round < 40; ++round) {
        const int devices = between(random, 1, 3);
        const PatternProblem problem = randomProblem(random, between(random, devices, 5), devices, true);
        const SecondPhase own = solvedBy(PatternSolver::own, problem),
                          cbc = solvedBy(PatternSolver::cbc, problem);
        ASSERT_TRUE(own.proven) << round;
        ASSERT_TRUE(cbc.proven) << round << " by " << cbc.provenBy << (cbc.pattern ? " with a pattern" : "");
        EXPECT_EQ(cbc.provenBy, "cbc");
        ASSERT_EQ(own.pattern.has_value(), cbc.pattern.has_value()) << round;
        if (!own.pattern) continue;
        EXPECT_PRED2(nearPeriod, own.pattern->periodS, cbc.pattern->periodS) << round;
        EXPECT_EQ(whyNoPattern(problem, *cbc.pattern), "");
        const SecondPhase both = solvedBy(PatternSolver::both, problem);
        ASSERT_TRUE(both.pattern);
        EXPECT_PRED2(nearPeriod, both.pattern->periodS, own.pattern->periodS);
    }
}

TEST(SecondPhase, WithoutCbcTheOwnSearchWorksAloneAndSaysSo) {
    const char* path = std::getenv("PATH");
    const std::string before = path ? path : "";
    setenv("PATH", "/nowhere", 1);
    std::mt19937 random(37);
    const PatternProblem problem = randomProblem(random, 4, 2, true);
    const SecondPhase phase = solvedBy(PatternSolver::cbc, problem);
    EXPECT_FALSE(CbcRun::available());
    EXPECT_THROW(CbcRun("", 1), std::runtime_error);
    setenv("PATH", before.c_str(), 1);
    EXPECT_TRUE(phase.cbcIsMissing && phase.proven);
    EXPECT_EQ(phase.provenBy, "built-in search");
}

TEST(SecondPhase, AProgramThatCbcCannotReadFailsAndLeavesNoFile) {
    if (!CbcRun::available()) GTEST_SKIP() << "the program cbc is not installed (Debian: coinor-cbc)";
    std::string folder = (std::filesystem::temp_directory_path() / "stagecraft-test-XXXXXX").string();
    ASSERT_TRUE(mkdtemp(folder.data()));
    setenv("TMPDIR", folder.c_str(), 1);
    {
        CbcRun run("This is no integer program.\n", 5);
        while (!run.finished()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
        EXPECT_FALSE(run.result().hasSolution);
        EXPECT_NE(run.result().outcome, CbcRun::Outcome::proven);
        CbcRun killed(patternProgram(hardProblem()), 60);
    }
    unsetenv("TMPDIR");
    EXPECT_TRUE(std::filesystem::is_empty(folder));
    std::filesystem::remove_all(folder);
}

TEST(SecondPhase, AtItsTimeLimitItKeepsTheBestAndSaysHowFarItIsProven) {
    SecondPhaseOptions options;
    options.timeLimitS = 1.0;
    options.nodesAlone = 100;
    std::vector<std::string> said;
    WorkContext context;
    context.says = [&](const std::string& sentence) { said.push_back(sentence); };
    const PatternProblem problem = hardProblem();
    const SecondPhase phase = solvePattern(problem, options, context);
    ASSERT_FALSE(phase.proven);
    EXPECT_GE(phase.boundS, problem.busiestS());
    EXPECT_FALSE(said.empty());
    if (phase.pattern) {
        EXPECT_GT(phase.gap(), 0);
    }
}

TEST(SecondPhase, EnoughKeepsWhatCbcHasFound) {
    if (!CbcRun::available()) GTEST_SKIP() << "the program cbc is not installed (Debian: coinor-cbc)";
    const PatternProblem problem = hardProblem(15, 3);
    std::stop_source enough;
    WorkContext context;
    context.enough = enough.get_token();
    bool hadOne = false;
    context.says = [&](const std::string& sentence) {
        hadOne = hadOne || sentence.starts_with("Period");
        if (hadOne) enough.request_stop();
    };
    SecondPhaseOptions options;
    options.solver = PatternSolver::cbc;
    options.timeLimitS = 60;
    const SecondPhase phase = solvePattern(problem, options, context);
    EXPECT_TRUE(hadOne);
    EXPECT_TRUE(phase.pattern);
    EXPECT_FALSE(phase.proven);
}

TEST(SecondPhase, EnoughEndsItWithTheBestSoFarAndStopThrows) {
    const PatternProblem problem = hardProblem();
    std::stop_source enough, stop;
    WorkContext context;
    context.enough = enough.get_token();
    context.says = [&](const std::string&) { enough.request_stop(); };
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_FALSE(solvePattern(problem, {}, context).proven);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
    context = {};
    context.stop = stop.get_token();
    context.says = [&](const std::string&) { stop.request_stop(); };
    EXPECT_THROW(solvePattern(problem, {}, context), Cancelled);
}

TEST(SecondPhase, TheSameProblemGivesTheSamePattern) {
    std::mt19937 random(36);
    for (int round = 0; round < 10; ++round) {
        const PatternProblem problem = randomProblem(random, 5, 3, true);
        const SecondPhase first = solvePattern(problem, {});
        for (int again = 0; again < 4; ++again) {
            const SecondPhase other = solvePattern(problem, {});
            ASSERT_EQ(first.pattern.has_value(), other.pattern.has_value());
            if (first.pattern) {
                EXPECT_EQ(first.pattern->startsS, other.pattern->startsS);
            }
        }
    }
}

}  // namespace
}  // namespace stagecraft
