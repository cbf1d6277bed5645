// What training holds on each GPU, without a window.
#include "tests/app/command_call.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"

#include <QTest>

#include <nlohmann/json.hpp>

using nlohmann::json;
using namespace stagecraft;
using testing::call;
using testing::mentions;

class MemoryCommandTest : public QObject {
    Q_OBJECT

    static json layouts(std::vector<std::string> words) {
        words.emplace_back("--json");
        const auto told = call(words);
        if (told.status != 0) qFatal("%s", told.err.c_str());
        return json::parse(told.out).at("layouts");
    }
    static double bytes(const json& row, const char* kind) { return row.at("bytes").at(kind).get<double>(); }

private slots:
    /// 6,738,415,616 parameters: 2 + 4 + 4 + 8 bytes of each on every copy, which 80 GB do not hold.
    void statesOfLlama2AreEighteenBytesAParameter() {
        const double parameters = 6738415616;
        const json all =
            layouts({"memory", "llama-2-7b", "--gpus", "8", "--stages", "1", "--schedule", "gpipe"});
        QCOMPARE(all.size(), std::size_t{1});
        const json& row = all.at(0).at("rows").at(0);
        QCOMPARE(row.at("gpus").size(), std::size_t{8});
        QCOMPARE(bytes(row, "parameters"), 2 * parameters);
        QCOMPARE(bytes(row, "gradients"), 4 * parameters);
        QCOMPARE(bytes(row, "master weights"), 4 * parameters);
        QCOMPARE(bytes(row, "optimizer state"), 8 * parameters);
        QVERIFY(row.at("total_bytes").get<double>() > row.at("limit_bytes").get<double>());
        const json shared = layouts({"memory", "llama-2-7b", "--gpus", "8", "--stages", "1", "--schedule",
                                     "gpipe", "--zero", "1", "--gradient-precision", "16_bit"});
        const json& less = shared.at(0).at("rows").at(0);
        QCOMPARE(bytes(less, "gradients"), 2 * parameters);
        QCOMPARE(bytes(less, "master weights") + bytes(less, "optimizer state"), 12 * parameters / 8);
    }

    void recomputationKeepsWhatComesIntoEachBlock() {
        const auto activations = [&](const char* how) {
            return layouts({"memory", "llama-2-7b", "--gpus", "1", "--stages", "1", "--schedule", "gpipe",
                            "--microbatches", "1", "--recomputation", how})
                .at(0)
                .at("rows")
                .at(0);
        };
        const double all = bytes(activations("none"), "activations"),
                     full = bytes(activations("full"), "activations");
        QVERIFY2(full < 0.3 * all, qPrintable(QString::number(full / all)));
        QVERIFY(activations("full").at("activations").contains("input"));
    }

    void layoutsAreATableAndStagesAnother() {
        const auto told =
            call({"memory", "llama-3-8b", "--gpus", "16", "--zero", "1", "--schedule", "1f1b,zb-v"});
        QVERIFY2(told.status == 0, told.err.c_str());
        for (const char* word :
             {"stages \u00d7 copies", "master weights", "1 \u00d7 16", "16 \u00d7 1", "80.0 GiB"})
            QVERIFY2(mentions(told.out, word), told.out.c_str());
        const auto each =
            call({"memory", "llama-3-8b", "--gpus", "16", "--stages", "4", "--schedule", "1f1b"});
        QVERIFY2(mentions(each.out, "forward of microbatch"), each.out.c_str());
        QVERIFY2(mentions(each.out, "Activations of the fullest:"), each.out.c_str());
    }

    void whatIsWrongIsSaid() {
        QVERIFY(mentions(call({"memory", "llama-3-7b"}).err, "did you mean"));
        QVERIFY(mentions(call({"memory", "llama-3-8b", "--machine", "dgx-h10"}).err, "dgx-h100"));
        QVERIFY(
            mentions(call({"memory", "llama-3-8b", "--stages", "two"}).err, "expected numbers of stages"));
        QVERIFY(mentions(call({"memory", "llama-3-8b", "--schedule", "1f2b"}).err,
                         "there is no schedule '1f2b'"));
        const auto uneven =
            call({"memory", "llama-3-8b", "--gpus", "8", "--stages", "3", "--schedule", "1f1b"});
        QVERIFY2(mentions(uneven.out, "expected a number of stages that divides the devices"),
                 uneven.out.c_str());
    }
};

STAGECRAFT_TEST(MemoryCommandTest)
#include "memory_command_test.moc"
