// XPipe from the start page and on the command line: its sample opens on Fig. 1(b), plans are beside each
// other, and a plan that keeps too few versions is refused.
#include "app/document/samples.h"
#include "tests/support/window_rooms.h"
#include "app/shell/workbench.h"
#include "core/planners/planned_run.h"
#include "core/weights/weight_trace.h"
#include "tests/app/command_call.h"
#include "tests/app/sample_files.h"
#include "tests/app/window_fixture.h"
#include "tests/support/qt_program.h"

#include <nlohmann/json.hpp>

#include <fstream>

using namespace stagecraft;
using nlohmann::json;
using testing::call, testing::mentions, testing::Outcome;
using testing::xpipeFile;

namespace {

/// The blocks of a device in order, microbatches counted from 1 over all mini-batches as in the figure.
QStringList orderOn(const Timeline& timeline, int device, int microbatches) {
    QStringList order;
    const Lane& lane = timeline.lanes[static_cast<std::size_t>(timeline.computeLaneOf(device))];
    for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block)
        if (timeline.kind[block] != BlockKind::update)
            order << (timeline.kind[block] == BlockKind::forward ? "F" : "B") +
                         QString::number(timeline.iteration[block] * microbatches +
                                         timeline.microbatch[block] + 1);
    return order;
}

}  // namespace

class XpipeTest : public QObject {
    Q_OBJECT

private slots:
    void oneClickOpensFigure1();
    void theSampleHoldsFigure1b();
    void plansOfAllThreeSystemsHold();
    void planComparesXpipeWithGpipeInOneTable();
    void withABarrierTheCommandSaysWhatToDo();
    void aPlanThatKeepsTooFewVersionsIsRefused_data();
    void aPlanThatKeepsTooFewVersionsIsRefused();

private:
    std::string file(const std::string& name) const {
        return folder_.filePath(QString::fromStdString(name)).toStdString();
    }
    PrivateHome home_;
    QTemporaryDir folder_;
};

void XpipeTest::oneClickOpensFigure1() {
    MainWindow window;
    window.resize(1280, 800);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    click(window, QStringLiteral("sample:xpipe-fig1"));
    const std::vector<PlanItem>& plans = window.workspace().plans();
    QCOMPARE(plans.size(), 4u);
    QCOMPARE(QString::fromStdString(plans.front().plan.planner), QStringLiteral("xpipe"));
    QCOMPARE(window.workbench().currentKey(), QStringLiteral("plan:0"));
    QTRY_VERIFY(std::all_of(plans.begin(), plans.end(), [](const PlanItem& item) { return item.run; }));
    for (const PlanItem& item : window.workspace().plans()) {
        QVERIFY(item.run->ok());
        QVERIFY(item.run->evaluation->valid());
    }
}

void XpipeTest::theSampleHoldsFigure1b() {
    const Sample* found = findSample(QStringLiteral("xpipe-fig1"));
    QVERIFY(found);
    QVERIFY(!found->title.contains('('));
    const Project& project = *found->project;
    QCOMPARE(project.problem.cluster.deviceCount(), 4);
    const PlanRun run =
        evaluatePlan(std::make_shared<const CostModel>(project.problem), project.plans.front());
    QVERIFY(run.ok() && run.evaluation->valid());
    const Timeline& timeline = run.evaluation->timeline;
    QCOMPARE(orderOn(timeline, 0, 4).mid(0, 12), QString("F1 F2 F3 F4 B1 F5 B2 F6 B3 F7 B4 F8").split(' '));
    QCOMPARE(orderOn(timeline, 1, 4).mid(0, 9), QString("F1 F2 F3 B1 F4 B2 F5 B3 F6").split(' '));
    QCOMPARE(orderOn(timeline, 3, 4).mid(0, 8), QString("F1 B1 F2 B2 F3 B3 F4 B4").split(' '));
    // "The bellwether of the second mini-batch in Fig. 1(b) is microbatch 5 as well."
    const WeightTrace trace(project.plans.front(), timeline);
    for (int stage = 0; stage < 4; ++stage) {
        QVERIFY(trace.of(timeline.find(BlockKind::forward, stage, 0, 1)).bellwether);
        QVERIFY(!trace.of(timeline.find(BlockKind::forward, stage, 1, 1)).bellwether);
    }
}

void XpipeTest::plansOfAllThreeSystemsHold() {
    for (const char* plan : {"xpipe", "gpipe", "pipedream"}) {
        const Outcome outcome = call({"check", xpipeFile, "--plan", plan});
        QVERIFY2(outcome.status == 0, outcome.err.c_str());
    }
}

void XpipeTest::planComparesXpipeWithGpipeInOneTable() {
    const Outcome table = call({"plan", xpipeFile, "--planner", "gpipe,xpipe", "--set", "T=2"});
    QCOMPARE(table.status, 0);
    QVERIFY(mentions(table.out, "Eq. (1)"));
    QVERIFY2(mentions(table.out, "with T = 2 (≠"), table.out.c_str());
    const json results = json::parse(
        call({"plan", xpipeFile, "--planner", "gpipe,xpipe", "--set", "T=2", "--json"}).out)["results"];
    // For the four microbatches of the setup's mini-batch, whatever the plans' own are.
    QCOMPARE(results[0]["iteration_time_s"].get<double>(), 0.014);
    QVERIFY(std::abs(results[1]["iteration_time_s"].get<double>() - 0.008) < 1e-9);
    QVERIFY(!results[0].contains("version_differences"));
    const json& stages = results[1]["version_differences"]["stages"];
    QCOMPARE(stages.size(), 4u);
    QCOMPARE(stages[1]["forward"]["printed"].get<int>(), 2);
    QCOMPARE(stages[1]["forward"]["counted"].dump(), std::string("[1,1]"));
    QCOMPARE(stages[1]["forward"]["printed_holds"].get<bool>(), false);
    QCOMPARE(stages[1]["forward"]["exact_holds"].get<bool>(), true);
}

void XpipeTest::withABarrierTheCommandSaysWhatToDo() {
    const Outcome refused =
        call({"plan", xpipeFile, "--planner", "xpipe", "--mode", "synchronous", "--set", "T=4"});
    QVERIFY(mentions(refused.out, "infeasible"));
    QVERIFY2(mentions(refused.out, "--mode asynchronous"), refused.out.c_str());
}

void XpipeTest::aPlanThatKeepsTooFewVersionsIsRefused_data() {
    QTest::addColumn<QString>("planner");
    QTest::addColumn<QString>("enough");
    QTest::addColumn<QString>("tooFew");
    QTest::newRow("predicted copies") << "xpipe"
                                      << "[2, 2, 2, 1]"
                                      << "[2, 1, 2, 1]";
    QTest::newRow("stashed versions") << "pipedream"
                                      << "[4, 3, 2, 1]"
                                      << "[4, 3, 1, 1]";
}

void XpipeTest::aPlanThatKeepsTooFewVersionsIsRefused() {
    QFETCH(QString, planner);
    QFETCH(QString, enough);
    QFETCH(QString, tooFew);
    json project = json::parse(std::ifstream(xpipeFile));
    for (const auto& [versions, status] : {std::pair{enough, 0}, std::pair{tooFew, 1}}) {
        for (json& plan : project["plans"])
            if (plan["planner"] == planner.toStdString())
                plan["weights"]["versions"] = json::parse(versions.toStdString());
        const std::string path = file("versions.stagecraft.json");
        std::ofstream(path) << project;
        const Outcome outcome = call({"check", path, "--plan", planner.toStdString()});
        QVERIFY2(outcome.status == status, outcome.out.c_str());
        QCOMPARE(mentions(outcome.out, "weight-version: "), status == 1);
        QCOMPARE(mentions(outcome.out, "which is gone"), status == 1);
    }
}

STAGECRAFT_TEST(XpipeTest)
#include "xpipe_test.moc"
