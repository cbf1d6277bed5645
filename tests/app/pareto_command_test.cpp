// stagecraft pareto.
#include "core/formats/text_file.h"
#include "tests/support/window_rooms.h"
#include "tests/app/command_call.h"
#include "tests/support/qt_program.h"

#include <nlohmann/json.hpp>
#include <QtTest>

#include <filesystem>
#include <sstream>

namespace fs = std::filesystem;
using namespace stagecraft;
using testing::Outcome;

namespace {

const std::string project = std::string(STAGECRAFT_SOURCE_DIR) + "/samples/madpipe-resnet-50.stagecraft.json";

Outcome runPareto(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "pareto");
    return testing::call(arguments);
}

nlohmann::json curves(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {project, "--json"});
    const Outcome outcome = runPareto(arguments);
    return outcome.status == 0 ? nlohmann::json::parse(outcome.out).at("curves") : nlohmann::json();
}

}  // namespace

class ParetoCommandTest : public QObject {
    Q_OBJECT

private slots:
    void printsACurveForContiguousPlansAndOneForAll();
    void answersBothQuestionsFromTheCurve();
    void writesATableAndNothingOnBadUsage();
};

void ParetoCommandTest::printsACurveForContiguousPlansAndOneForAll() {
    const nlohmann::json both = curves({"--from-bytes", "9e9", "--to-bytes", "13e9"});
    QCOMPARE(both.size(), std::size_t(2));
    QCOMPARE(both[0].at("allocation").get<std::string>(), std::string("contiguous"));
    QCOMPARE(both[1].at("allocation").get<std::string>(), std::string("madpipe"));
    for (const nlohmann::json& curve : both) {
        QVERIFY(curve.at("points").size() >= 3);
        double memory = 13e9, period = 0;
        for (const nlohmann::json& point : curve.at("points")) {
            QVERIFY(point.at("memory_bytes").get<double>() <= memory);
            QVERIFY(point.at("period_s").get<double>() > period);
            memory = point.at("memory_bytes");
            period = point.at("period_s");
            QCOMPARE(point.at("throughput_samples_per_s").get<double>(), 8 / period);
            QVERIFY(point.at("proven").get<bool>());
        }
    }
    // Sharing a GPU pays at 12 GB.
    QVERIFY(both[1].at("points")[0].at("period_s") < both[0].at("points")[0].at("period_s"));
}

void ParetoCommandTest::answersBothQuestionsFromTheCurve() {
    const nlohmann::json all = curves({"--allocation", "contiguous"})[0].at("points");
    const nlohmann::json wanted = all[all.size() / 2];
    const std::string memory = std::to_string(wanted.at("memory_bytes").get<double>());
    const nlohmann::json fastest =
        curves({"--allocation", "contiguous", "--at-memory-bytes", memory})[0].at("points");
    QCOMPARE(fastest, nlohmann::json::array({wanted}));
    std::ostringstream period;
    period.precision(17);
    period << wanted.at("period_s").get<double>();
    const nlohmann::json leanest =
        curves({"--allocation", "contiguous", "--at-period-s", period.str()})[0].at("points");
    QCOMPARE(leanest, nlohmann::json::array({wanted}));
    QVERIFY(curves({"--allocation", "contiguous", "--at-memory-bytes", "1000"})[0].at("points").empty());
}

void ParetoCommandTest::writesATableAndNothingOnBadUsage() {
    QTemporaryDir folder;
    const std::string target = folder.filePath("curve.csv").toStdString();
    for (const std::vector<std::string>& wrong : std::vector<std::vector<std::string>>{
             {project, "--allocation", "some"},
             {project, "--step", "1"},
             {project, "--at-memory-bytes", "1", "--at-period-s", "1", "--allocation", "contiguous"},
             {}}) {
        std::vector<std::string> arguments = wrong;
        arguments.insert(arguments.end(), {"--out", target});
        const Outcome outcome = runPareto(arguments);
        QCOMPARE(outcome.status, 2);
        QVERIFY(!outcome.err.empty());
        QVERIFY(!fs::exists(target));
    }
    const Outcome done = runPareto({project, "--allocation", "contiguous", "--out", target});
    QCOMPARE(done.status, 0);
    QVERIFY(done.out.find("memory per GPU") != std::string::npos);
    std::istringstream table(readTextFile(target));
    std::string line;
    std::getline(table, line);
    QCOMPARE(line, std::string("allocation,memory_bytes,period_s,throughput_samples_per_s,proven,stages"));
    std::getline(table, line);
    QVERIFY(line.starts_with("contiguous,") && line.ends_with("\"") &&
            line.find("s0g0:0-") != std::string::npos);
}

STAGECRAFT_TEST(ParetoCommandTest)
#include "pareto_command_test.moc"
