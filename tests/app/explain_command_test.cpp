#include "app/document/run_summary.h"
#include "core/planners/planned_run.h"
#include "core/formats/files/project_file.h"
#include "core/formats/text_file.h"
#include "tests/support/window_rooms.h"
#include "tests/app/command_call.h"
#include "tests/app/sample_files.h"
#include "tests/support/qt_program.h"

#include <QtTest>

#include <nlohmann/json.hpp>

#include <filesystem>

using nlohmann::json;
using namespace stagecraft;
using testing::call, testing::Outcome;
using testing::toyFile;

class ExplainCommandTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void textNamesWhatBoundsAndWhatARangeHolds();
    void jsonHasEveryFieldThatIsDocumented();
    void iterationsAreThoseOfThePlanCommand();
    void anIdleDeviceIsExplainedLinkByLink();
    void csvIsATableOfDevices();
    void theStatusLineNamesWhatItNames();
    void wrongUsageIsRefused_data();
    void wrongUsageIsRefused();

private:
    std::string file(const std::string& name) const {
        return (std::filesystem::path(folder_.path().toStdString()) / name).string();
    }
    QTemporaryDir folder_;
    std::string plan_;
};

void ExplainCommandTest::initTestCase() {
    plan_ = file("toy.plan.json");
    QCOMPARE(call({"plan", toyFile, "--planner", "gpipe", "--out", plan_}).status, 0);
}

void ExplainCommandTest::textNamesWhatBoundsAndWhatARangeHolds() {
    const Outcome told = call({"explain", plan_});
    QCOMPARE(told.status, 0);
    for (const char* part : {" bounds the time", "To try: ", "have no slack", "mean memory", "forward"})
        QVERIFY2(told.out.find(part) != std::string::npos, part);
}

void ExplainCommandTest::jsonHasEveryFieldThatIsDocumented() {
    const Outcome told = call({"explain", plan_, "--json", "--from-s", "0"});
    QCOMPARE(told.status, 0);
    const json document = json::parse(told.out);
    for (const char* field : {"kind", "lane", "iteration_s", "work_s", "fill_s", "drain_s", "gaps_s",
                              "awaited", "critical_path", "subject", "headline", "reasons", "advice"})
        QVERIFY2(document.at("bounds").contains(field), field);
    QVERIFY(document.at("slack").at("without_slack") <= document.at("slack").at("blocks"));
    QCOMPARE(document.at("range").at("blocks"), document.at("slack").at("blocks"));
    for (const char* field : {"device", "busy_share", "busy_s", "idle_s", "bytes", "mean_memory_bytes",
                              "most_memory_bytes", "most_memory_at_s", "kinds"})
        QVERIFY2(document.at("range").at("devices").at(0).contains(field), field);
    QVERIFY(!document.contains("idle"));
}

void ExplainCommandTest::iterationsAreThoseOfThePlanCommand() {
    // PipeDream's mini-batches are its own: one microbatch each, where four were asked for.
    const std::string sample = std::string(STAGECRAFT_SOURCE_DIR) + "/samples/xpipe-fig1.stagecraft.json";
    const std::string plan = file("own.plan.json");
    const Outcome planned =
        call({"plan", sample, "--planner", "pipedream", "--set", "update_every=1", "--json", "--out", plan});
    QCOMPARE(planned.status, 0);
    const double iterationS = json::parse(planned.out).at("results").at(0).at("iteration_time_s");
    const json bounds = json::parse(call({"explain", plan, "--json"}).out).at("bounds");
    QVERIFY(std::abs(bounds.at("iteration_s").get<double>() - iterationS) <= 1e-9 * iterationS);
    double sumS = 0;
    for (const char* part : {"work_s", "fill_s", "drain_s", "gaps_s"}) sumS += bounds.at(part).get<double>();
    QVERIFY(std::abs(sumS - iterationS) <= 1e-9 * iterationS);
}

void ExplainCommandTest::anIdleDeviceIsExplainedLinkByLink() {
    const json range = json::parse(call({"explain", plan_, "--json"}).out).at("range");
    const double endS = range.at("to_s");
    int idle = 0;
    for (const json& device : range.at("devices"))
        for (int sample = 0; sample < 10; ++sample) {
            const std::string atS = std::to_string(endS * (sample + 0.5) / 10), id = device.at("device");
            const json answer =
                json::parse(call({"explain", plan_, "--json", "--device", id, "--at", atS}).out).at("idle");
            if (answer.is_null()) continue;
            ++idle;
            QCOMPARE(answer.at("device"), id);
            double startS = answer.at("to_s");
            for (const json& link : answer.at("chain")) {
                QVERIFY(std::abs(link.at("to_s").get<double>() - startS) <= 1e-9 * endS);
                startS = link.at("from_s");
            }
            QCOMPARE(answer.at("text").size() >= answer.at("chain").size(), true);
        }
    QVERIFY(idle > 3);
}

void ExplainCommandTest::csvIsATableOfDevices() {
    QCOMPARE(call({"explain", plan_, "--csv", file("range.csv")}).status, 0);
    const std::string text = readTextFile(file("range.csv"));
    QVERIFY(text.starts_with("device,from_s,to_s,busy_share,busy_s,idle_s,forward_s"));
    QVERIFY(text.find("\nall,0,") != std::string::npos);
}

/// Of each plan of each sample: the subject ends the status line, and the headline is about it.
void ExplainCommandTest::theStatusLineNamesWhatItNames() {
    int plans = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::string(STAGECRAFT_SOURCE_DIR) + "/samples")) {
        if (!entry.path().filename().string().ends_with(".stagecraft.json")) continue;
        const Project project = openProject(entry.path());
        const auto costs = std::make_shared<const CostModel>(project.problem);
        for (std::size_t number = 0; number < project.plans.size(); ++number) {
            const PlanRun run = evaluatePlan(costs, project.plans[number]);
            QVERIFY2(run.ok(), run.result.reason.c_str());
            const json bounds =
                json::parse(
                    call({"explain", entry.path().string(), "--plan", std::to_string(number), "--json"}).out)
                    .at("bounds");
            const QString subject = QString::fromStdString(bounds.at("subject").get<std::string>());
            const QString headline = QString::fromStdString(bounds.at("headline").get<std::string>());
            const QString line = app::document::summaryOf(run);
            QVERIFY2(line.endsWith(QStringLiteral(" · bounded by ") + subject), qPrintable(line));
            const QString named = subject.section(QStringLiteral("waits of "), -1);
            QVERIFY2(headline.contains(named, Qt::CaseInsensitive), qPrintable(headline + " / " + subject));
            ++plans;
        }
    }
    QVERIFY(plans > 20);
}

void ExplainCommandTest::wrongUsageIsRefused_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QString>("message");
    QTest::newRow("no plan") << QStringList{} << "PLAN";
    QTest::newRow("no instant") << QStringList{"PLAN", "--device", "x"} << "--device and --at go together";
    QTest::newRow("unknown device") << QStringList{"PLAN", "--device", "nobody", "--at", "0"}
                                    << "the plan has no stage on a device 'nobody'";
    QTest::newRow("range without length")
        << QStringList{"PLAN", "--from-s", "3", "--to-s", "3"} << "--from-s must be before --to-s";
}

void ExplainCommandTest::wrongUsageIsRefused() {
    QFETCH(QStringList, words);
    QFETCH(QString, message);
    std::vector<std::string> arguments{"explain"};
    for (const QString& word : words) arguments.push_back(word == "PLAN" ? plan_ : word.toStdString());
    const Outcome told = call(arguments);
    QCOMPARE(told.status, 2);
    QVERIFY2(told.err.find(message.toStdString()) != std::string::npos, told.err.c_str());
}

STAGECRAFT_TEST(ExplainCommandTest)
#include "explain_command_test.moc"
