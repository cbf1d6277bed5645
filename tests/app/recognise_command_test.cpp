// Which schedule the passes of a plan are in, without a window.
#include "core/editing/plan_edit.h"
#include "core/formats/files/project_file.h"
#include "core/formats/text_file.h"
#include "core/planners/planned_run.h"
#include "tests/app/command_call.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"

#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

using nlohmann::json;
using namespace stagecraft;
using testing::call;
using testing::mentions;

class RecogniseCommandTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::string file(const char* name) const { return folder_.filePath(QLatin1String(name)).toStdString(); }
    const std::string schedules_ = STAGECRAFT_SOURCE_DIR "/samples/schedules.stagecraft.json";

private slots:
    void namesThePlansOfAProject() {
        const auto told = call({"recognise", schedules_});
        QCOMPARE(told.status, 0);
        for (const char* line : {"GPipe: This is GPipe\n", "1F1B: This is 1F1B\n",
                                 "ZB-H1: This is ZB-H1; Zero-bubble search has the same order here\n",
                                 "Interleaved 1F1B: This is Interleaved 1F1B (2 chunks)\n"})
            QVERIFY2(mentions(told.out, line), told.out.c_str());
    }

    void saysWhereAnEditedOrderDiffers() {
        Project project = openProject(schedules_);
        std::erase_if(project.plans, [](const Plan& plan) { return plan.name != "1F1B"; });
        QCOMPARE(project.plans.size(), std::size_t{1});
        project.origins.clear();
        project.origins.resize(1);
        const auto costs = std::make_shared<const CostModel>(project.problem);
        const PlanRun run = evaluatePlan(costs, project.plans.front());
        const Plan spelled = editing::spelledOut(run.result.plan, run.evaluation->timeline);
        const int device = spelled.stages.back().devices.front();
        project.plans.front() = editing::editedPlan(spelled, MoveTask{device, 2, 1});
        writeFileAtomically(file("edited.stagecraft.json"), writeProject(project));
        const auto told = call({"recognise", file("edited.stagecraft.json"), "--plan", "0"});
        QCOMPARE(told.status, 0);
        QVERIFY2(mentions(told.out, "Nearest: 1F1B; 1 of ") &&
                     mentions(told.out, ", pass 1: F1 where 1F1B has B0 (1 pass moved)"),
                 told.out.c_str());
        const json document = json::parse(call({"recognise", file("edited.stagecraft.json"), "--json"}).out);
        const json& plan = document.at("plans").at(0);
        QCOMPARE(plan.at("exact").get<bool>(), false);
        const json& near = plan.at("nearest").at(0);
        QCOMPARE(near.at("family").get<std::string>(), std::string("1f1b"));
        QCOMPARE(near.at("moved").get<int>(), 1);
        QCOMPARE(near.at("differences").at(0).at("place").get<int>(), 1);
        QCOMPARE(near.at("differences").at(0).at("device").get<std::string>(),
                 project.problem.cluster.devices[static_cast<std::size_t>(device)].id);
    }

    void wrongUsageIsRefused() {
        QCOMPARE(call({"recognise"}).status, 2);
        QCOMPARE(call({"recognise", schedules_, "--plan", "No such"}).status, 2);
        QCOMPARE(call({"recognise", file("gone.json")}).status, 2);
    }
};

STAGECRAFT_TEST(RecogniseCommandTest)
#include "recognise_command_test.moc"
