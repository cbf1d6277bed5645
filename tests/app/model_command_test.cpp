// What a transformer is made of, and its profile, without a window.
#include "core/formats/native/formats.h"
#include "core/formats/text_file.h"
#include "core/model/layer_profile.h"
#include "tests/app/command_call.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"

#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <cmath>

using nlohmann::json;
using namespace stagecraft;
using testing::call;
using testing::mentions;

class ModelCommandTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::string file(const char* name) const { return folder_.filePath(QLatin1String(name)).toStdString(); }
    const std::string models_ = STAGECRAFT_SOURCE_DIR "/tests/data/models/huggingface/";

private slots:
    void countsParametersByPart() {
        const auto told = call({"model", models_ + "deepseek_R1_0528_config.json", "--json"});
        QVERIFY2(told.status == 0, told.err.c_str());
        const json document = json::parse(told.out);
        const json& parameters = document.at("parameters");
        QCOMPARE(parameters.at("total").get<double>(), 671026419200.0);
        QCOMPARE(parameters.at("active").get<double>(), 37552297472.0);
        QCOMPARE(parameters.at("prediction_layers").get<double>(), 11610068224.0);
        double sum = 0;
        for (const auto& [name, count] : parameters.at("parts").items()) sum += count.get<double>();
        QCOMPARE(sum, 671026419200.0);
        // Embedding, dense blocks, blocks with experts, head.
        const json& layers = document.at("layers");
        QCOMPARE(layers.size(), std::size_t{4});
        QCOMPARE(layers.at(1).at("count").get<int>(), 3);
        QCOMPARE(layers.at(2).at("count").get<int>(), 58);
        double stored = 0;
        for (const json& tensor : layers.at(2).at("stored")) stored += tensor.at("bytes").get<double>();
        QCOMPARE(stored, layers.at(2).at("stored_bytes").get<double>());
    }

    void aModelOfTheZooAndItsFileAreTheSame() {
        const json byName = json::parse(call({"model", "llama-2-7b", "--json"}).out);
        const json byFile = json::parse(call({"model", models_ + "Llama-2-7b-hf.json", "--json"}).out);
        for (const char* field : {"parameters", "forward_flops", "layers"})
            QVERIFY2(byName.at(field) == byFile.at(field), field);
        // Table 5 of Korthikanti et al. counts FLOPs as here: 3 x forward for each token.
        QVERIFY(byName.at("training_flops_per_token").get<double>() > 6 * 6.6e9);
    }

    void optionsSayHowItIsTrained() {
        const auto bytes = [&](const std::vector<std::string>& more) {
            std::vector<std::string> words = {"model", "llama-2-7b", "--json"};
            words.insert(words.end(), more.begin(), more.end());
            return json::parse(call(words).out).at("layers").at(1).at("stored_bytes").get<double>();
        };
        QCOMPARE(bytes({}), 539492352.0);  // par-05a
        QCOMPARE(bytes({"--sequence-length", "2048"}) * 2, bytes({}));
        QVERIFY(bytes({"--attention", "stored"}) > bytes({}) + 2.0 * 32 * 4096 * 4096 - 1e6);
        QVERIFY(bytes({"--precision", "fp32"}) > 1.9 * bytes({}));
        const auto table = call({"model", "llama-2-7b"});
        QCOMPARE(table.status, 0);
        for (const char* part : {"6,738,415,616", "attention_output", "log_sum_exp", "products with weights"})
            QVERIFY2(mentions(table.out, part), table.out.c_str());
    }

    void whatCannotBeShownIsRefusedWithWhatWasExpected() {
        const auto unknown = call({"model", "llama-3-7b"});
        QVERIFY(unknown.status != 0);
        QVERIFY2(mentions(unknown.err, "did you mean 'llama-3-70b'") ||
                     mentions(unknown.err, "did you mean 'llama-3-8b'"),
                 unknown.err.c_str());
        const auto other = call({"model", STAGECRAFT_SOURCE_DIR "/samples/schedules.stagecraft.json"});
        QVERIFY(other.status != 0);
        QVERIFY2(mentions(other.err, "does not describe a transformer"), other.err.c_str());
        const auto long_ = call({"model", "gpt-3-175b", "--sequence-length", "4096"});
        QVERIFY2(mentions(long_.err, "2048 positions"), long_.err.c_str());
        const auto kernel = call({"model", "gpt-3-175b", "--attention", "flash"});
        QVERIFY2(mentions(kernel.err, "--attention") && mentions(kernel.err, "fused"), kernel.err.c_str());
    }

    void aConfigurationIsImportedAndSaysWhatWasAssumed() {
        const auto plain =
            call({"import", models_ + "qwen3-30B-A3B_config.json", "--out", file("a.profile.json")});
        QVERIFY2(plain.status == 0, plain.err.c_str());
        QVERIFY2(mentions(plain.err, "30.5 B parameters, of which a token takes 3.35 B"), plain.err.c_str());
        QVERIFY2(mentions(plain.err, "sequence_length=4096"), plain.err.c_str());
        const LayerProfile assumed = readProfile(readTextFile(file("a.profile.json")), "a");
        QCOMPARE(assumed.layerCount(), 50);
        QCOMPARE(*assumed.parameterCount(), 30532122624.0);

        const auto given = call({"import", models_ + "qwen3-30B-A3B_config.json", "--out",
                                 file("b.profile.json"), "--sequence-length", "1024", "--attention", "stored",
                                 "--gpu", "A100-SXM4-80GB", "--precision", "fp16", "--microbatch-size", "2"});
        QVERIFY2(given.status == 0, given.err.c_str());
        const LayerProfile profile = readProfile(readTextFile(file("b.profile.json")), "b");
        QCOMPARE(profile.microbatchSize, 2);
        QCOMPARE(profile.layers[0].outputBytes * 2, assumed.layers[0].outputBytes);
        QVERIFY(profile.layers[1].scoresRecomputeS > 0);
        QVERIFY2(mentions(profile.source, "A100-SXM4-80GB at fp16"), profile.source.c_str());
        QVERIFY2(!mentions(given.err, "assumed"), given.err.c_str());

        const auto finest = call({"import", models_ + "gpt2.json", "--out", file("c.profile.json"),
                                  "--granularity", "finest", "--sequence-length", "512"});
        QVERIFY2(finest.status == 0, finest.err.c_str());
        QVERIFY(readProfile(readTextFile(file("c.profile.json")), "c").layerCount() > 100);
    }

    void aRankOfAGroupHasItsShare() {
        const auto told =
            call({"model", "llama-3-70b", "--json", "--tensor", "8", "--sequence-parallel", "--data", "4"});
        QVERIFY2(told.status == 0, told.err.c_str());
        // par-07: a stage of twenty such layers.
        const json block = json::parse(told.out).at("rank").at("layers").at(1);
        QCOMPARE(block.at("dense_parameters").get<double>(), 2139422720.0 / 20);
        QCOMPARE(block.at("stored_bytes").get<double>(), 281280512.0);
        QCOMPARE(block.at("boundary_bytes").get<double>(), 16777216.0);
        QCOMPARE(block.at("sent_bytes").at("forward").at("tensor").get<double>(), 469762048.0);
        QCOMPARE(block.at("sent_bytes").at("backward").at("tensor_regather").get<double>(), 234881024.0);
        const auto table = call({"model", "mixtral-8x7b", "--expert", "8", "--data", "16"});
        QVERIFY2(mentions(table.out, "One rank of 16 data x 1 tensor x 1 context, experts on 8"),
                 table.out.c_str());
        QVERIFY(!mentions(call({"model", "mixtral-8x7b"}).out, "One rank"));
        const auto uneven = call({"model", "llama-3-70b", "--tensor", "16"});
        QVERIFY2(uneven.status != 0 && mentions(uneven.err, "8 heads of keys and values"),
                 uneven.err.c_str());
    }

    void measuredEfficienciesComeFromAFile() {
        const std::string system = STAGECRAFT_SOURCE_DIR "/samples/measured/published/simumax-system-b200.json";
        const std::string model = STAGECRAFT_SOURCE_DIR "/tests/data/models/simumax/llama3-70b.json";
        const auto with = call({"import", model, "--out", file("m.profile.json"), "--gpu", "B200-SXM-180GB",
                                "--sequence-length", "4096", "--efficiencies", system});
        QVERIFY2(with.status == 0, with.err.c_str());
        const LayerProfile measured = readProfile(readTextFile(file("m.profile.json")), "m");
        QVERIFY2(mentions(measured.source, "Measured efficiencies: b200_bf16_ceperm"),
                 measured.source.c_str());
        // A block's four products and its attention at the shares of their shapes, and what memory bounds.
        QVERIFY2(std::abs(measured.layers[1].forwardS - 0.0070) < 0.0001,
                 std::to_string(measured.layers[1].forwardS).c_str());
        const auto generated =
            call({"generate", "profile", "llama-3-70b", "--gpu", "B200-SXM-180GB", "--sequence-length",
                  "4096", "--efficiencies", system, "--out", file("g.profile.json")});
        QVERIFY2(generated.status == 0, generated.err.c_str());
        QCOMPARE(readProfile(readTextFile(file("g.profile.json")), "g").layers[1], measured.layers[1]);

        const auto other = call({"import", model, "--out", file("o.profile.json"), "--efficiencies", system});
        QVERIFY2(mentions(other.err, "shares of 2250 TFLOP/s, and H100-SXM5-80GB has 989"),
                 other.err.c_str());
        const auto missing = call({"memory", "llama-3-70b", "--gpus", "8", "--efficiencies", "/none.json"});
        QVERIFY2(missing.status != 0 && mentions(missing.err, "/none.json"), missing.err.c_str());
        const auto alone = call({"import", system, "--out", file("s.profile.json")});
        QVERIFY2(alone.status != 0 && mentions(alone.err, "--efficiencies FILE"), alone.err.c_str());
    }

    void aConfigurationThatIsNotUnderstoodStopsTheImport() {
        json config = json::parse(readTextFile(models_ + "qwen3-8B_config.json"));
        config["full_attention_interval"] = 4;
        writeFileAtomically(file("next.json"), config.dump());
        const auto told = call({"import", file("next.json"), "--out", file("d.profile.json")});
        QCOMPARE(told.status, 2);
        QVERIFY2(
            mentions(told.err, "/full_attention_interval: the field 'full_attention_interval' is not known"),
            told.err.c_str());
    }
};

STAGECRAFT_TEST(ModelCommandTest)
#include "model_command_test.moc"
