// The search for the fastest plan from the command line: what it answers, what it proves, and what it
// refuses.
#include "core/formats/files/project_file.h"
#include "core/formats/native/formats.h"
#include "core/formats/text_file.h"
#include "core/planners/planned_run.h"
#include "tests/app/command_call.h"
#include "tests/support/qt_program.h"
#include "tests/support/window_rooms.h"

#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <cmath>

using nlohmann::json;
using namespace stagecraft;
using testing::call;
using testing::mentions;

class AutoCommandTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    std::string file(const char* name) const { return folder_.filePath(QLatin1String(name)).toStdString(); }

private slots:
    void aModelOnMachinesHasAPlanAndAGap() {
        const std::string project = file("auto.stagecraft.json");
        const auto told = call({"auto", "--model", "Llama 3 8B", "--machines", "1x dgx-h100", "--batch", "16",
                                "--max-chunks", "2", "--json", "--out", project});
        QVERIFY2(told.status == 0, told.err.c_str());
        const json answer = json::parse(told.out);
        QCOMPARE(answer.at("status").get<std::string>(), std::string("ok"));
        const json& layout = answer.at("layout");
        QVERIFY(layout.at("gpus").get<int>() <= 8);
        QCOMPARE(layout.at("microbatches").get<int>() * layout.at("microbatch_size").get<int>() *
                     layout.at("data").get<int>(),
                 16);
        const double seconds = answer.at("iteration_time_s").get<double>();
        QVERIFY(answer.at("proven").at("seconds").get<double>() <= seconds);
        QVERIFY(answer.at("work_over_all_gpus_s").get<double>() <= seconds);
        QVERIFY(answer.at("gap").get<double>() >= 0);
        const json& result = answer.at("results").at(0);
        QVERIFY(result.at("valid").get<bool>() && result.at("fits_memory").get<bool>());
        // Every layout went out in one way.
        const json& searched = answer.at("searched");
        long long out = searched.at("do_not_fit").get<long long>() + searched.at("tried").get<long long>() +
                        searched.at("left").get<long long>();
        for (const json& count : searched.at("no_faster")) out += count.get<long long>();
        QCOMPARE(out, searched.at("layouts").get<long long>());
        QCOMPARE(call({"check", project}).status, 0);
    }

    void theCheapestPlanIsFoundWithinATime() {
        const std::vector<std::string> words{
            "auto",       "--model", "Llama 3 8B", "--machines", "1x dgx-h100",          "--batch", "16",
            "--schedule", "1f1b",    "--context",  "1",          "--gpu-price-per-hour", "3.6"};
        const auto answerOf = [&words](const std::vector<std::string>& more) {
            std::vector<std::string> all = words;
            all.insert(all.end(), more.begin(), more.end());
            return call(all);
        };
        const json fastest = json::parse(answerOf({"--json"}).out),
                   cheapest = json::parse(answerOf({"--objective", "money", "--json"}).out);
        const auto gpuSeconds = [](const json& answer) {
            return answer.at("layout").at("gpus").get<int>() * answer.at("iteration_time_s").get<double>();
        };
        const double cost = cheapest.at("gpu_seconds").get<double>();
        QVERIFY(std::abs(cost / gpuSeconds(cheapest) - 1) < 1e-9);
        QVERIFY(std::abs(cheapest.at("dollars").get<double>() * 1000 / cost - 1) < 1e-9);
        QVERIFY(cost <= gpuSeconds(fastest) * (1 + 1e-9));
        QVERIFY(cheapest.at("proven").at("gpu_seconds").get<double>() <= cost * (1 + 1e-9));
        QVERIFY(!fastest.contains("gpu_seconds"));
        // 16 samples of 8,192 tokens.
        QVERIFY(std::abs(cheapest.at("dollars_per_billion_tokens").get<double>() * 16 * 8192 / 1e9 /
                             cheapest.at("dollars").get<double>() -
                         1) < 1e-9);
        const auto told = answerOf({"--objective", "money"});
        for (const char* part : {"\ncosts:   $", " an iteration of ", " GPU seconds, $",
                                 " for a billion tokens\n", "cheaper", "none takes less than $"})
            QVERIFY2(mentions(told.out, part), told.out.c_str());
        const auto never = answerOf({"--within", "1e-3"});
        QCOMPARE(never.status, 1);
        QVERIFY2(mentions(never.out, "takes no longer than asked"), never.out.c_str());
        const auto frontier = answerOf({"--objective", "money", "--frontier"});
        QCOMPARE(frontier.status, 2);
        QVERIFY(mentions(frontier.err, "--frontier compares times"));
    }

    /// Two dear GPUs, and two at a price of their own that take twice as long.
    void dearGpusAreLeftOutWhereOthersCostLess() {
        Project project;
        for (int layer = 0; layer < 4; ++layer) {
            Layer& own = project.problem.profile.layers.emplace_back();
            own.name = "l" + std::to_string(layer);
            own.forwardS = 0.1;
            own.backwardS = 0.2;
            own.outputBytes = own.storedActivationBytes = 1e6;
        }
        for (int device = 0; device < 4; ++device) {
            const bool isDear = device < 2;
            project.problem.cluster.devices.push_back({"g" + std::to_string(device), "s",
                                                       isDear ? "Dear" : "Cheap", 16e9, isDear ? 1 : 0.5, 0,
                                                       isDear ? 0 : 7.2});
            for (int other = 0; other < device; ++other)
                project.problem.cluster.links.push_back(
                    {"g" + std::to_string(other), "g" + std::to_string(device), 100e9, 0, ""});
        }
        project.problem.setup.microbatches = 4;
        const std::string cluster = file("priced.json"), profile = file("priced-profile.json");
        writeFileAtomically(cluster, writeCluster(project.problem.cluster));
        writeFileAtomically(profile, writeProfile(project.problem.profile));
        const std::vector<std::string> words{"auto",    "--profile", profile,       "--cluster", cluster,
                                             "--batch", "8",         "--objective", "money"};
        const auto answerOf = [&words](const std::vector<std::string>& more) {
            std::vector<std::string> all = words;
            all.insert(all.end(), more.begin(), more.end());
            return call(all);
        };
        const auto unknown = answerOf({});
        QCOMPARE(unknown.status, 2);
        QVERIFY2(mentions(unknown.err, "device 'g0' has no price where others have one"),
                 unknown.err.c_str());
        const auto told = answerOf({"--gpu-price-per-hour", "36"});
        QVERIFY2(told.status == 0, told.err.c_str());
        // 8 samples of 4 layers at 0.6 s each, at $7.20 an hour.
        for (const char* part : {"costs:   $0.0384 an iteration of ", " on ", " of 4 GPUs (", " Cheap)",
                                 "none takes less than $0.0384"})
            QVERIFY2(mentions(told.out, part), (std::string(part) + "\n" + told.out).c_str());
        const json answer = json::parse(answerOf({"--gpu-price-per-hour", "36", "--json"}).out);
        QVERIFY(std::abs(answer.at("dollars").get<double>() / 0.0384 - 1) < 1e-3);
        QVERIFY(std::abs(answer.at("proven").at("dollars").get<double>() / 0.0384 - 1) < 1e-3);
        QVERIFY(!answer.at("proven").contains("gpu_seconds"));
        QCOMPARE(answer.at("used").size(), std::size_t(1));
        QCOMPARE(answer.at("used").at(0).at("gpu").get<std::string>(), std::string("Cheap"));
        // At the same price a slow GPU is dearer.
        const json fast = json::parse(answerOf({"--gpu-price-per-hour", "2", "--json"}).out);
        QCOMPARE(fast.at("used").at(0).at("gpu").get<std::string>(), std::string("Dear"));
        // What is done in time costs more.
        const json soon =
            json::parse(answerOf({"--gpu-price-per-hour", "36", "--within", "6", "--json"}).out);
        QVERIFY(soon.at("iteration_time_s").get<double>() <= 6);
        QVERIFY(soon.at("dollars").get<double>() > 0.0385);
    }

    /// The second of two layers takes twice as long: on three GPUs it wants two of them. With little effort
    /// for many microbatches that is not tried, and a planner that does is faster.
    void stagesOfDifferentSizeAreFoundAndPlannersMayBeFaster() {
        Project project;
        for (const double seconds : {0.1, 0.2}) {
            Layer& own = project.problem.profile.layers.emplace_back();
            own.name = "l" + std::to_string(project.problem.profile.layerCount());
            own.forwardS = seconds;
            own.backwardS = 2 * seconds;
            own.outputBytes = own.storedActivationBytes = 1e3;
        }
        for (int device = 0; device < 3; ++device) {
            project.problem.cluster.devices.push_back({"g" + std::to_string(device), "s", "", 16e9, 1, 0});
            for (int other = 0; other < device; ++other)
                project.problem.cluster.links.push_back(
                    {"g" + std::to_string(other), "g" + std::to_string(device), 100e9, 0, ""});
        }
        const std::string cluster = file("three.json"), profile = file("two-layers.json"),
                          written = file("planned.stagecraft.json");
        writeFileAtomically(cluster, writeCluster(project.problem.cluster));
        writeFileAtomically(profile, writeProfile(project.problem.profile));
        const std::vector<std::string> on{"auto", "--profile", profile, "--cluster", cluster};
        std::vector<std::string> found = on, words = on;
        found.insert(found.end(), {"--batch", "64", "--max-microbatch-size", "8"});
        words.insert(words.end(),
                     {"--batch", "512", "--max-microbatch-size", "1", "--planners", "--effort", "1"});
        const auto answerOf = [&words](const std::vector<std::string>& more) {
            std::vector<std::string> all = words;
            all.insert(all.end(), more.begin(), more.end());
            return call(all);
        };
        const auto sized = call(found);
        QVERIFY2(sized.status == 0, sized.err.c_str());
        for (const char* part :
             {" × data 1 + 2, ", " in all\n", ": plans whose stages differ in size take no less",
              "; SPP's and PipeDream's stages, which may differ in size, at ",
              "\nnot searched: at other degrees stages of different size, "})
            QVERIFY2(mentions(sized.out, part), (std::string(part) + "\n" + sized.out).c_str());
        std::vector<std::string> inJson = found;
        inJson.insert(inJson.end(), {"--json", "--out", written});
        const json sizes = json::parse(call(inJson).out);
        QCOMPARE(sizes.at("layout").at("data").dump(), std::string("[1,2]"));
        QCOMPARE(sizes.at("layout").at("gpus").get<int>(), 3);
        QVERIFY(sizes.at("searched").at("different_sizes").at("tried").get<int>() > 0);
        const Project opened = openProject(written);
        const PlanRun sizedRun =
            evaluatePlan(std::make_shared<const CostModel>(opened.problem), opened.plans.front());
        QVERIFY(sizedRun.ok() && sizedRun.evaluation->valid());
        const double sizedS = sizes.at("iteration_time_s").get<double>();
        QVERIFY(std::abs(sizedRun.iterationTimeS() / sizedS - 1) < 1e-9);
        const auto told = answerOf({"--out", written});
        QVERIFY2(told.status == 0, told.err.c_str());
        for (const char* part : {"\nplanners: ", " has a faster plan, ", "It is what --out writes.",
                                 "proven to be no faster by all work over all GPUs, each planner run at "})
            QVERIFY2(mentions(told.out, part), (std::string(part) + "\n" + told.out).c_str());
        const json answer = json::parse(answerOf({"--json"}).out), planners = answer.at("planners");
        const double fasterS = planners.at("faster").at("iteration_time_s").get<double>();
        QVERIFY(fasterS < answer.at("iteration_time_s").get<double>());
        QVERIFY(planners.at("no_faster").get<int>() + planners.at("run").get<int>() ==
                planners.at("degrees").get<int>());
        const Project made = openProject(written);
        QCOMPARE(made.plans.size(), std::size_t(1));
        QCOMPARE(made.plans.front().planner, planners.at("faster").at("planner").get<std::string>());
        QVERIFY(made.origins.front().report->notes.front().starts_with("Faster than what auto finds"));
        const PlanRun run = evaluatePlan(std::make_shared<const CostModel>(made.problem), made.plans.front());
        QVERIFY(run.ok() && run.evaluation->valid());
        QVERIFY(std::abs(run.iterationTimeS() / fasterS - 1) < 1e-9);
        const auto ended = answerOf({"--degrees", "1"});
        QVERIFY2(mentions(ended.out, "; nothing is known of the "), ended.out.c_str());
        QVERIFY2(mentions(told.out, " at all ") && !mentions(ended.out, " at all "), ended.out.c_str());
        const json few = json::parse(answerOf({"--degrees", "1", "--json"}).out).at("planners");
        QCOMPARE(few.at("run").get<int>(), 1);
        QCOMPARE(few.at("run").get<int>() + few.at("left").get<int>() + few.at("no_faster").get<int>(),
                 few.at("degrees").get<int>());
        for (const char* other : {"gpus", "max-chunks"}) {
            const auto refused = answerOf({std::string("--") + other, "2"});
            QCOMPARE(refused.status, 2);
            QVERIFY2(mentions(refused.err, std::string("expected no --") + other), refused.err.c_str());
        }
    }

    void aConfigurationIsComparedWithWhatIsFound() {
        const auto told = call({"auto", "--configuration",
                                STAGECRAFT_SOURCE_DIR "/samples/configurations/korthikanti-22b.sh",
                                "--schedule", "1f1b", "--context", "1"});
        QVERIFY2(told.status == 0, told.err.c_str());
        for (const char* part :
             {"Transformer 22.1 B on 8 GPUs, 4 samples an iteration\n",
              "\nproven:  No plan of those that are searched is ", "\nas configured: ", " less\nsearched: ",
              "\nnot searched: at other degrees stages of different size"})
            QVERIFY2(mentions(told.out, part), (std::string(part) + "\n" + told.out).c_str());
    }

    void whatCannotFitIsProvenNotTo() {
        const auto told =
            call({"auto", "--model", "Llama 3 70B", "--machines", "1x dgx-h100", "--batch", "8"});
        QCOMPARE(told.status, 1);
        QVERIFY(mentions(told.out, "no plan: no layout fits into memory, which is proven of each\n"));
    }

    void whatIsNotSearchedIsRefused() {
        const auto zero = call({"auto", "--model", "Llama 3 8B", "--machines", "1x dgx-h100", "--zero", "4"});
        QCOMPARE(zero.status, 2);
        QVERIFY(mentions(zero.err, "--zero cannot be '4'; expected one of 0, 1, 2, 3"));
        const auto both = call({"auto", "--configuration", "x.sh", "--model", "Llama 3 8B"});
        QCOMPARE(both.status, 2);
        QVERIFY(mentions(both.err, "are two ways to name a model"));
        const auto schedule =
            call({"auto", "--model", "Llama 3 8B", "--machines", "1x dgx-h100", "--schedule", "fast"});
        QVERIFY(mentions(schedule.err, "no schedule 'fast'"));
    }
};

STAGECRAFT_TEST(AutoCommandTest)
#include "auto_command_test.moc"
