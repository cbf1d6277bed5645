// Training configurations from the command line: planned as they are, and what was not understood is named.
#include "core/formats/files/project_file.h"
#include "tests/app/command_call.h"
#include "tests/support/qt_program.h"
#include "tests/support/window_rooms.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

using nlohmann::json;
using namespace stagecraft;
using testing::call;
using testing::mentions;

class ConfigurationCommandTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    std::string file(const char* name) const { return folder_.filePath(QLatin1String(name)).toStdString(); }
    static std::string data(const char* name) {
        return std::string(STAGECRAFT_SOURCE_DIR "/tests/data/configurations/") + name;
    }

private slots:
    void aScriptIsPlannedAndChecked() {
        const auto told = call({"configuration", data("gpt3-175b.sh"), "--machines", "16x dgx-h100"});
        QVERIFY2(told.status == 0, told.err.c_str());
        for (const char* part :
             {"Megatron-LM arguments: Transformer 175 B on 128 GPUs\n",
              "tensor 8 × pipeline 16 × data 1; 1F1B, 1,536 microbatches of 1 sample\n", "\nfits:    yes, ",
              "\nbounds:  Stage 15 ", "\nMFU:     ", "\nnot modelled (3)\n  --rampup-batch-size",
              "--tensor-model-parallel-size 8     tensor parallelism (line 29)",
              "\nno meaning for planning (6)\n"})
            QVERIFY2(mentions(told.out, part), (std::string(part) + "\n" + told.out).c_str());
        QVERIFY(!mentions(told.out, "not understood"));
    }

    void typedArgumentsTakeAModelBeside() {
        const std::string arguments =
            "--tensor-model-parallel-size 8 --pipeline-model-parallel-size 2 --sequence-parallel --bf16 "
            "--micro-batch-size 1 --global-batch-size 32 --use-distributed-optimizer --nonsense 3";
        const auto told = call({"configuration", "--arguments", arguments, "--model", "Llama 3 70B",
                                "--machines", "4x dgx-h100", "--json", "--out", file("p.stagecraft.json")});
        QVERIFY2(told.status == 0, told.err.c_str());
        const json answer = json::parse(told.out);
        QCOMPARE(answer.at("layout").get<std::string>(),
                 std::string(
                     "tensor 8 with sequence parallelism × pipeline 2 × data 2; 1F1B, 16 microbatches of 1 "
                     "sample on each of 2 copies"));
        QVERIFY(answer.at("mfu").get<double>() > 0.1 && answer.at("mfu").get<double>() < 0.7);
        QVERIFY(!answer.at("bounds").get<std::string>().empty());
        const json& result = answer.at("results").at(0);
        QCOMPARE(result.at("status").get<std::string>(), std::string("ok"));
        QCOMPARE(result.at("stages").size(), std::size_t{2});
        QCOMPARE(result.at("stages").at(0).at("group").at("tensor").get<int>(), 8);
        QCOMPARE(result.at("stages").at(0).at("devices").size(), std::size_t{16});
        QCOMPARE(answer.at("arguments").back().at("kind").get<std::string>(), std::string("unknown"));
        QCOMPARE(answer.at("arguments").back().at("argument").get<std::string>(),
                 std::string("--nonsense 3"));
        // The project is the same, with the plan in it.
        const Project project = openProject(file("p.stagecraft.json"));
        QCOMPARE(project.plans.size(), std::size_t{1});
        QCOMPARE(project.plans.front().name, std::string("As configured"));
        // What was not understood stays with it.
        QVERIFY(!project.origins.empty() && project.origins.front().report);
        QCOMPARE(project.origins.front().report->notes.front(),
                 std::string("Not understood: --nonsense 3: it is not known here."));
        QCOMPARE(project.problem.setup.zero, model::ZeroStage::optimizer);
        const auto checked = call({"check", file("p.stagecraft.json")});
        QVERIFY2(checked.status == 0, checked.out.c_str());
    }

    void filesOfTorchtitanAndDeepSpeedAreReadToo() {
        const auto titan = call({"configuration", data("llama3-405b.toml"), "--machines", "16x dgx-h100"});
        QVERIFY2(titan.status == 0, titan.err.c_str());
        QVERIFY2(mentions(titan.out, "torchtitan's TOML: Llama 3 405B on 128 GPUs"), titan.out.c_str());
        const auto speed = call({"configuration", data("deepspeed-zero1.json"), "--model", "llama-3-8b",
                                 "--machines", "2x dgx-h100", "--sequence-length", "4096"});
        QVERIFY2(speed.status == 0, speed.err.c_str());
        QVERIFY2(mentions(speed.out,
                          "pipeline 4 × data 4; 1F1B, 16 microbatches of 4 samples on each of 4 copies"),
                 speed.out.c_str());
    }

    void withoutAPlanNothingIsWritten() {
        const auto none = call({"configuration", "--arguments",
                                "--pipeline-model-parallel-size 4 --num-virtual-stages-per-pipeline-rank 2 "
                                "--microbatch-group-size-per-virtual-pipeline-stage 2 --bf16 "
                                "--micro-batch-size 1 --global-batch-size 8",
                                "--model", "llama-3-8b", "--machines", "1x dgx-h100", "--out",
                                file("none.stagecraft.json")});
        QCOMPARE(none.status, 1);
        QVERIFY2(mentions(none.out, "no plan: "), none.out.c_str());
        QVERIFY2(mentions(none.err, "none.stagecraft.json is not written"), none.err.c_str());
        QVERIFY(!QFile::exists(folder_.filePath(QStringLiteral("none.stagecraft.json"))));
    }

    void whatDoesNotGoTogetherIsRefused() {
        const auto few = call({"configuration", data("gpt3-175b.sh"), "--machines", "2x dgx-h100"});
        QCOMPARE(few.status, 2);
        QVERIFY2(mentions(few.err,
                          "gpt3-175b.sh: 16 GPUs for tensor 8 × context 1 × pipeline 16 = 128; expected a "
                          "multiple of 128 GPUs"),
                 few.err.c_str());
        const auto none =
            call({"configuration", "--arguments", "--micro-batch-size 1", "--machines", "1x dgx-h100"});
        QCOMPARE(none.status, 2);
        QVERIFY2(mentions(none.err, "--arguments: it describes no model"), none.err.c_str());
        QCOMPARE(call({"configuration", "--machines", "1x dgx-h100"}).status, 2);
        QCOMPARE(call({"configuration", data("gpt3-175b.sh")}).status, 2);
        const auto text = call({"configuration", "--arguments", "hello", "--machines", "1x dgx-h100"});
        QVERIFY2(mentions(text.err, "it is not a configuration of a known program"), text.err.c_str());
    }
};

STAGECRAFT_TEST(ConfigurationCommandTest)
#include "configuration_command_test.moc"
