// Planners and schedule families that are programs of a person's own, on the command line and in the window.
#include "tests/app/window_fixture.h"

#include "app/document/problems_model.h"
#include "app/experiments/builder/planner_ticks.h"
#include "app/panels/planner_panel.h"
#include "core/base/process.h"
#include "core/programs/programs_folder.h"
#include "tests/app/command_call.h"
#include "tests/app/sample_files.h"
#include "tests/core/programs/custom_program.h"
#include "tests/support/qt_program.h"

#include <QFloat16>
#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QProgressBar>
#include <QToolButton>

#include <nlohmann/json.hpp>

using namespace stagecraft;
using nlohmann::json;
using testing::call;
using testing::mentions;
using testing::Outcome;
using testing::toyFile;

namespace {

const char describesItself[] =
    "#!/bin/sh\nif [ \"$1\" = --describe ]; then echo '{\"id\": \"mine\", \"title\": \"My planner\", "
    "\"parameters\": [{\"name\": \"depth\", \"default\": 3}]}'; exit; fi\n";
const char wholeOnOne[] =
    "echo '{\"stages\": [{\"layers\": [0, 5], \"devices\": [\"s0g0\"]}], "
    "\"schedule\": {\"policy\": \"1f1b\"}}'\n";

}  // namespace

class CustomProgramsTest : public QObject {
    Q_OBJECT

private slots:
    void cleanup() { Preferences::setProgramsFolder({}); }
    void aProgramPlansByItsPath();
    void whatIsWrongIsSaidOnTheCommandLine();
    void aFamilyOrdersEqualLayersAndAnotherPlannersPartition();
    void theFolderIsListedAndItsIdsAreTaken();
    void theChooserListsTheFolderUnderItsOwnHeading();
    void itRunsInTheWindowWithProgressAndCancel();
    void aFailureIsARowAmongTheProblems();
    void experimentsListThemAndProgramsThatAFileNames();
    void aSweepStartsTheProgramOfItsFile();

private:
    PrivateHome home_;
};

void CustomProgramsTest::aProgramPlansByItsPath() {
    if (!isOnPath("python3")) QSKIP("python3 is not installed");
    const std::string program = STAGECRAFT_SOURCE_DIR "/samples/planners/balanced.py";
    const custom_program::Folder folder;
    const std::string out = (folder.path() / "p.plan.json").string();
    const Outcome outcome = call(
        {"plan", toyFile, "--planner", "exec:" + program + ",spp", "--set", "most_replicas=2", "--json"});
    QVERIFY2(outcome.status == 0, outcome.err.c_str());
    const json results = json::parse(outcome.out).at("results");
    QCOMPARE(results.size(), std::size_t{2});
    QCOMPARE(results[0].at("planner"), json("exec:" + program));
    QCOMPARE(results[0].at("status"), json("ok"));
    QCOMPARE(results[0].at("valid"), json(true));
    QVERIFY(results[0].at("predicted_s") > 0);
    QCOMPARE(call({"plan", toyFile, "--planner", "exec:" + program, "--out", out}).status, 0);
    QCOMPARE(call({"check", out}).status, 0);
    // By a path from the working directory.
    const std::string relative = std::filesystem::relative(program).string();
    QCOMPARE(call({"plan", toyFile, "--planner", "exec:" + relative}).status, 0);
}

void CustomProgramsTest::whatIsWrongIsSaidOnTheCommandLine() {
    const custom_program::Folder folder;
    const auto planned = [&](const std::string& program) {
        return call({"plan", toyFile, "--planner", "exec:" + program});
    };
    QCOMPARE(planned("./missing.py").status, 2);
    QVERIFY(mentions(planned("./missing.py").err, "./missing.py: no such file"));
    const std::string bad =
        folder.answering("bad", R"({"stages": [{"layers": [0, 9], "devices": ["s0g0"]}]})");
    QCOMPARE(planned(bad).status, 1);
    QVERIFY(mentions(planned(bad).out, bad + ": /stages/0/layers/1: "));
    const std::string refuses = folder.answering("refuses", R"({"refused": "too small"})");
    QCOMPARE(planned(refuses).status, 0);
    QVERIFY(mentions(planned(refuses).out, "too small"));
    const std::string slow = folder.script("slow", "sleep 1000");
    QVERIFY(mentions(call({"plan", toyFile, "--planner", "exec:" + slow, "--set", "time_limit_s=0.2"}).out,
                     slow + " took longer than 200 ms"));
    QVERIFY(mentions(call({"plan", toyFile, "--planner", "exec:" + slow, "--set", "depth=2"}).err,
                     "no parameter 'depth'"));
}

void CustomProgramsTest::aFamilyOrdersEqualLayersAndAnotherPlannersPartition() {
    if (!isOnPath("python3")) QSKIP("python3 is not installed");
    const std::string family = "exec:" STAGECRAFT_SOURCE_DIR "/samples/planners/warm_up_1f1b.py";
    const Outcome equal = call({"plan", toyFile, "--schedule", family, "--set", "more=2", "--json"});
    QVERIFY2(equal.status == 0, equal.err.c_str());
    const json result = json::parse(equal.out).at("results").at(0);
    QCOMPARE(result.at("valid"), json(true));
    QCOMPARE(result.at("stages").size(), std::size_t{4});
    const Outcome under = call({"plan", toyFile, "--planner", "spp", "--schedule", family});
    QCOMPARE(under.status, 0);
    QVERIFY(mentions(under.out, "1F1B with a longer warm-up (SPP)"));
    QVERIFY(mentions(call({"plan", toyFile, "--planner", family}).err,
                     "is a schedule family; expected a planner"));
}

void CustomProgramsTest::theFolderIsListedAndItsIdsAreTaken() {
    const custom_program::Folder folder;
    folder.add("mine", describesItself + std::string(wholeOnOne));
    folder.add("family",
               "#!/bin/sh\necho '{\"id\": \"fam\", \"kind\": \"schedule\", \"title\": \"My family\"}'\n");
    folder.add("broken", "#!/bin/sh\necho '{\"id\": 1}'\n");
    QVERIFY(!mentions(call({"planners"}).out, "mine"));
    QVERIFY(mentions(call({"plan", toyFile, "--planner", "mine"}).err, "cannot be 'mine'"));
    Preferences::setProgramsFolder(QString::fromStdString(folder.path().string()));
    const Outcome listed = call({"planners"});
    QVERIFY(mentions(listed.out, "mine: "));
    QVERIFY(mentions(listed.out, "--set depth=3"));
    QVERIFY(mentions(listed.err, "broken --describe: /id: "));
    QCOMPARE(json::parse(call({"planners", "--json"}).out).at("planners").back().at("id"), json("mine"));
    QVERIFY(mentions(call({"schedules"}).out, "fam: My family"));
    QCOMPARE(call({"plan", toyFile, "--planner", "mine", "--set", "depth=4"}).status, 0);
    QVERIFY(mentions(call({"plan", toyFile, "--planner", "mien"}).err, "did you mean 'mine'?"));
    QVERIFY(
        mentions(call({"plan", toyFile, "--schedule", "fam"}).out, "family: "));  // its answer is no order
    // All are the built-in ones.
    const json all = json::parse(call({"plan", toyFile, "--planner", "all", "--json"}).out);
    for (const json& result : all.at("results")) QVERIFY(result.at("planner") != "mine");
}

void CustomProgramsTest::theChooserListsTheFolderUnderItsOwnHeading() {
    const custom_program::Folder folder;
    folder.add("mine", describesItself + std::string(wholeOnOne));
    Preferences::setProgramsFolder(QString::fromStdString(folder.path().string()));
    MainWindow window;
    window.show();
    auto* choice = window.findChild<QComboBox*>(QStringLiteral("plannerChoice"));
    const int builtIn = static_cast<int>(allPlanners().size()) + 1;
    QTRY_COMPARE(choice->count(), builtIn + 2);
    QCOMPARE(choice->itemText(builtIn), QStringLiteral("Custom planners"));
    QVERIFY(!(choice->model()->flags(choice->model()->index(builtIn, 0)) & Qt::ItemIsEnabled));
    QCOMPARE(choice->itemText(builtIn + 1), QStringLiteral("My planner"));
    auto* panel = window.findChild<PlannerPanel*>();
    QVERIFY(!panel->chosen().contains(QStringLiteral("mine")));  // all are the built-in ones
    panel->choose(QStringLiteral("mine"));
    QCOMPARE(panel->chosen(), QStringList{QStringLiteral("mine")});
    QVERIFY(panel->findChild<QWidget*>(QStringLiteral("depth")));
    // Read again, its choice stays; without the folder all are chosen.
    window.actionRegister().action(QStringLiteral("plan.customAgain"))->trigger();
    QTest::qWait(300);
    QCOMPARE(panel->chosen(), QStringList{QStringLiteral("mine")});
    window.actionRegister().action(QStringLiteral("plan.noCustom"))->trigger();
    QTRY_COMPARE(choice->count(), builtIn);
    QVERIFY(panel->chosen().size() > 1);
    QVERIFY(Preferences::programsFolder().isEmpty());
    QVERIFY(!window.actionRegister().action(QStringLiteral("plan.noCustom"))->isEnabled());
}

void CustomProgramsTest::itRunsInTheWindowWithProgressAndCancel() {
    const custom_program::Folder folder;
    const std::string gate = (folder.path() / "gate").string();
    folder.add("mine", describesItself + std::string("echo progress 0.5 >&2\nwhile [ ! -e ") + gate +
                           " ]; do sleep 0.02; done\n" + wholeOnOne);
    Preferences::setProgramsFolder(QString::fromStdString(folder.path().string()));
    MainWindow window;
    window.show();
    openAndWait(window, QString::fromStdString(toyFile));
    auto* choice = window.findChild<QComboBox*>(QStringLiteral("plannerChoice"));
    QTRY_VERIFY(choice->findData(QStringLiteral("mine")) > 0);
    const std::size_t before = window.workspace().plans().size();
    window.findChild<PlannerPanel*>()->choose(QStringLiteral("mine"));
    click(window, QStringLiteral("run"));
    auto* bar = window.findChild<PlannerPanel*>()->findChild<QProgressBar*>();
    QTRY_COMPARE(bar->value(), bar->maximum() / 2);
    click(window, QStringLiteral("cancel"));
    QTRY_VERIFY_WITH_TIMEOUT(!window.planning().isPlanning(), 2000);
    QCOMPARE(window.workspace().plans().size(), before);
    std::ofstream(gate) << "open";
    runAndWait(window);
    QCOMPARE(window.workspace().plans().size(), before + 1);
    const PlanItem& item = window.workspace().plans().back();
    QCOMPARE(item.plan.planner, std::string("mine"));
    QCOMPARE(item.title(), QStringLiteral("My planner"));
    QVERIFY(item.run->ok() && item.run->evaluation->valid());
    QCOMPARE(item.plan.parameters.at("depth"), std::string("3"));
}

void CustomProgramsTest::aFailureIsARowAmongTheProblems() {
    const custom_program::Folder folder;
    folder.add("mine", describesItself + std::string("echo oh no >&2; exit 4\n"));
    folder.add("broken", "#!/bin/sh\necho '{\"id\": 1}'\n");
    Preferences::setProgramsFolder(QString::fromStdString(folder.path().string()));
    MainWindow window;
    window.show();
    openAndWait(window, QString::fromStdString(toyFile));
    const auto hasRow = [&](const QString& text) {
        for (int row = 0; row < window.problems().rowCount(); ++row)
            if (window.problems().row(row).text.contains(text)) return true;
        return false;
    };
    auto* choice = window.findChild<QComboBox*>(QStringLiteral("plannerChoice"));
    QTRY_VERIFY(choice->findData(QStringLiteral("mine")) > 0);
    QTRY_VERIFY(hasRow(QStringLiteral("broken --describe: /id: ")));
    openAndWait(window, QString::fromStdString(toyFile));  // it is about no file that is opened
    QVERIFY(hasRow(QStringLiteral("broken --describe: /id: ")));
    window.findChild<PlannerPanel*>()->choose(QStringLiteral("mine"));
    runAndWait(window);
    QTRY_VERIFY(hasRow(QStringLiteral("failed: mine ended with exit status 4; it said: oh no")));
    QVERIFY(!QApplication::activeModalWidget());
}

void CustomProgramsTest::experimentsListThemAndProgramsThatAFileNames() {
    const custom_program::Folder folder;
    folder.add("mine", describesItself + std::string(wholeOnOne));
    readProgramsFolder(folder.path());
    PlannerTicks ticks;
    ticks.setPlanners({{"theirs.sh", "exec:/nowhere/theirs.sh", {{"depth", 2}}}});
    const auto tick = [&](const char* name) { return ticks.findChild<QCheckBox*>(QLatin1String(name)); };
    QVERIFY(tick("planner:My planner") && !tick("planner:My planner")->isChecked());
    QVERIFY(tick("planner:theirs.sh") && tick("planner:theirs.sh")->isChecked());
    QCOMPARE(tick("planner:theirs.sh")->toolTip(), QStringLiteral("exec:/nowhere/theirs.sh"));
    QSignalSpy edited(&ticks, &PlannerTicks::edited);
    ticks.findChild<QToolButton*>(QStringLiteral("parameters:theirs.sh"))->click();
    QVERIFY(ticks.findChild<QLineEdit*>(QStringLiteral("plannerLabel")));
    QCOMPARE(edited.size(), 0);  // what it was given stays
    tick("planner:My planner")->click();
    QCOMPARE(edited.size(), 1);
    readProgramsFolder({});
}

void CustomProgramsTest::aSweepStartsTheProgramOfItsFile() {
    const custom_program::Folder folder;
    folder.add("mine.sh", describesItself + std::string("echo '{\"refused\": \"not for me\"}'\n"));
    const std::string experiment = (folder.path() / "e.json").string(),
                      out = (folder.path() / "r.json").string();
    std::ofstream(experiment) << R"({"format": "stagecraft/experiment", "version": 1, "name": "e",
        "base": {"profile": {"generate": "vgg-16"}, "cluster": {"template": "pcie"}, "setup": {"microbatches": 2}},
        "planners": ["exec:mine.sh", "gpipe"]})";
    const Outcome outcome = call({"sweep", experiment, "--out", out, "--no-cache"});
    QVERIFY2(outcome.status == 0, outcome.err.c_str());
    const std::string results = readTextFile(out);
    QVERIFY(mentions(results, "not for me"));
    QVERIFY(mentions(results, "\"exec:mine.sh\""));
}

STAGECRAFT_TEST(CustomProgramsTest)
#include "custom_programs_test.moc"
