// A model and machines by their names, planned in one line.
#include "app/commands/commands.h"
#include "core/planners/planning_goal.h"
#include "tests/app/command_call.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

using nlohmann::json;
using namespace stagecraft;
using testing::call;
using testing::mentions;

class NamedPlanCommandTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    std::string file(const char* name) const { return folder_.filePath(QLatin1String(name)).toStdString(); }
    static std::string data(const char* path) {
        return std::string(STAGECRAFT_SOURCE_DIR "/tests/data/") + path;
    }

private slots:
    void oneLineMakesAPlanAndMemoryIsCheckedFirst() {
        const auto told = call(
            {"plan", "--model", "Llama 3 8B", "--machines", "2x dgx-h100", "--planner", "best", "--json"});
        QVERIFY2(told.status == 0, told.err.c_str());
        QVERIFY2(mentions(told.err, "memory: ") && mentions(told.err, "This fits"), told.err.c_str());
        const json plans = json::parse(told.out).at("results");
        QCOMPARE(plans.size(), std::size_t{1});
        QCOMPARE(plans.at(0).at("status").get<std::string>(), std::string("ok"));
    }

    void itIsTheProblemThatItsPartsMake() {
        QVERIFY(
            call({"generate", "profile", "llama-3-8b", "--gpu", "H100-SXM5-80GB", "--out", file("p.json")})
                .status == 0);
        QVERIFY(call({"generate", "cluster", "dgx-h100", "--servers", "2", "--out", file("c.json")}).status ==
                0);
        const auto parts = call({"plan", "--profile", file("p.json"), "--cluster", file("c.json"),
                                 "--microbatches", "64", "--planner", "spp,gpipe", "--table", "csv"});
        const auto named = call({"plan", "--model", "llama-3-8b", "--machines", "2 DGX H100", "--planner",
                                 "spp,gpipe", "--table", "csv"});
        QVERIFY2(named.status == 0, named.err.c_str());
        // All but the planning time, which is last.
        const auto withoutTimes = [](const std::string& table) {
            std::string kept;
            for (const QString& line : QString::fromStdString(table).split('\n'))
                kept += line.section(',', 0, -2).toStdString() + "\n";
            return kept;
        };
        QCOMPARE(withoutTimes(named.out), withoutTimes(parts.out));
    }

    void filesDoAsWellAsNames() {
        const auto told =
            call({"plan", "--model", data("models/huggingface/qwen3-8B_config.json"), "--machines",
                  data("public/01-h20-nv18.txt"), "--sequence-length", "2048", "--microbatch-size", "2",
                  "--planner", "none", "--out", file("made.stagecraft.json")});
        QVERIFY2(told.status == 0, told.err.c_str());
        QFile made(QString::fromStdString(file("made.stagecraft.json")));
        QVERIFY(made.open(QIODevice::ReadOnly));
        const json project = json::parse(made.readAll().toStdString());
        const std::string text = project.dump();
        QVERIFY2(mentions(text, "Qwen3 8.19 B"), text.substr(0, 300).c_str());
        QVERIFY(mentions(text, "\"microbatch_size\":2"));
        QVERIFY(mentions(text, "H20"));
        QVERIFY2(!project.contains("plans") || project.at("plans").empty(), "none was asked for");
        QVERIFY(call({"plan", file("made.stagecraft.json"), "--planner", "best"}).status == 0);
    }

    void whatCannotFitIsRefusedWithWhatWould() {
        const auto told = call({"plan", "--model", "llama-3-405b", "--machines", "2x dgx-h100", "--planner",
                                "gpipe", "--out", file("none.json")});
        QVERIFY(told.status != 0);
        QVERIFY2(mentions(told.err, "Does not fit: ") && mentions(told.err, "servers"), told.err.c_str());
        QVERIFY2(told.out.empty() && !QFile::exists(QString::fromStdString(file("none.json"))),
                 "nothing has run");
        const auto open =
            call({"plan", "--model", "llama-3-70b", "--machines", "4x dgx-h100", "--planner", "none"});
        QVERIFY2(mentions(open.err, "may not fit") && mentions(open.err, "--recomputation full"),
                 open.err.c_str());
        QVERIFY2(!mentions(open.err, "This fits"), open.err.c_str());
        const auto helped = call({"plan", "--model", "llama-3-70b", "--machines", "4x dgx-h100", "--planner",
                                  "none", "--recomputation", "full"});
        QVERIFY2(mentions(helped.err, "This fits"), helped.err.c_str());
    }

    void whatIsWrongIsSaid() {
        const auto errorOf = [](std::vector<std::string> words) {
            words.insert(words.begin(), "plan");
            const auto told = call(words);
            return told.status == 0 ? "no error" : told.err;
        };
        QVERIFY(mentions(errorOf({"--model", "llama-3-7b", "--machines", "dgx-h100"}),
                         "'llama-3-7b' is neither a file nor the name of one model: "));
        QVERIFY(mentions(errorOf({"--model", "llama-3-7b", "--machines", "dgx-h100"}), "did you mean"));
        QVERIFY(mentions(errorOf({"--model", "llama-3-8b", "--machines", "2x dgxx-h100"}),
                         "--machines: there is no template 'dgxx-h100' (did you mean 'dgx-h100'?)"));
        QVERIFY(mentions(errorOf({"--model", "llama-3-8b"}), "--cluster (or --machines) is missing"));
        QVERIFY(mentions(errorOf({"--machines", "dgx-h100"}), "--profile (or --model) is missing"));
        QVERIFY(mentions(errorOf({"--model", "llama-3-8b", "--profile", "p.json", "--machines", "dgx-h100"}),
                         "--profile and --model"));
        QVERIFY(mentions(errorOf({"--model", "llama-3-8b", "--machines", "dgx-h100", "--planner", "bets"}),
                         "bets"));
    }

    /// What is wrong with the times of a model that there is, is not said of a file or of its name.
    void whatCannotBeComputedIsSaidOfTheModel() {
        const auto told = call({"plan", "--model", "llama-3-8b", "--machines", "dgx-h100", "--gpu",
                                "V100-SXM2-16GB", "--precision", "bf16", "--planner", "none"});
        QVERIFY(told.status != 0);
        QVERIFY2(mentions(told.err, "llama-3-8b: V100-SXM2-16GB has no bf16 peak"), told.err.c_str());
        QVERIFY2(!mentions(told.err, "neither a file"), told.err.c_str());
    }

    void timesAreForTheGpuAndThePrecisionThatAreAsked() {
        const auto projectFor = [&](std::vector<std::string> options) {
            std::vector<std::string> words{"plan",       "--model",  "llama-3-8b",
                                           "--machines", "dgx-h100", "--planner",
                                           "none",       "--out",    file("asked.stagecraft.json")};
            words.insert(words.end(), options.begin(), options.end());
            const auto told = call(words);
            if (told.status != 0) qFatal("%s", told.err.c_str());
            QFile made(QString::fromStdString(file("asked.stagecraft.json")));
            if (!made.open(QIODevice::ReadOnly)) qFatal("not written");
            return json::parse(made.readAll().toStdString()).at("profile");
        };
        const json usual = projectFor({});
        QVERIFY(projectFor({"--precision", "bf16"}) == usual);
        QVERIFY(projectFor({"--precision", "fp32"}) != usual);
        QVERIFY(projectFor({"--gpu", "A100-SXM4-80GB"}) != usual);
    }

    void whatIsOfAModelIsRefusedWithoutOne() {
        QVERIFY(call({"plan", "--model", "llama-3-8b", "--machines", "dgx-h100", "--planner", "none", "--out",
                      file("whole.stagecraft.json")})
                    .status == 0);
        for (const char* option : {"--sequence-length", "--microbatch-size", "--precision", "--gpu"}) {
            const auto told =
                call({"plan", file("whole.stagecraft.json"), "--planner", "gpipe", option, "2"});
            QVERIFY(told.status != 0);
            QVERIFY2(mentions(told.err, std::string(option) + " goes with --model"), told.err.c_str());
        }
    }

    /// What cannot fit can still be looked at and changed.
    void aProjectAloneIsMadeOfWhatCannotFitToo() {
        const auto told = call({"plan", "--model", "llama-3-405b", "--machines", "2x dgx-h100", "--planner",
                                "none", "--out", file("alone.stagecraft.json")});
        QVERIFY2(told.status == 0, told.err.c_str());
        QVERIFY2(mentions(told.err, "Does not fit: "), told.err.c_str());
        QVERIFY2(!mentions(told.out, "planner"), told.out.c_str());
        QVERIFY(QFile::exists(QString::fromStdString(file("alone.stagecraft.json"))));
        const auto asJson = call(
            {"plan", "--model", "llama-3-405b", "--machines", "2x dgx-h100", "--planner", "gpipe", "--json"});
        QVERIFY(asJson.status != 0);
        const json printed = json::parse(asJson.out);
        QVERIFY(printed.at("results").empty());
        QVERIFY(mentions(printed.at("reason").get<std::string>(), "Does not fit: "));
    }

    void goalsAreCompletedAndExplained() {
        const auto help = call({"plan", "--help"});
        const auto completion = call({"help", "--completion", "bash"});
        for (const PlanningGoal& goal : planningGoals())
            QVERIFY2(mentions(help.out, goal.id + ": "), help.out.c_str());
        QVERIFY(mentions(completion.out, "schedule best all none"));
    }
};

STAGECRAFT_TEST(NamedPlanCommandTest)
#include "named_plan_command_test.moc"
