// Orders of passes as files, from the command line and in the window.
#include "app/document/problems_model.h"
#include "core/formats/files/project_file.h"
#include "tests/app/command_call.h"
#include "tests/app/window_fixture.h"
#include "tests/support/qt_program.h"

#include <QFileInfo>

using namespace stagecraft;
using stagecraft::testing::call;
using stagecraft::testing::mentions;
using stagecraft::testing::Outcome;

class OrderFilesTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void aPlanIsExportedAndImportedAsTheSameOrder_data();
    void aPlanIsExportedAndImportedAsTheSameOrder();
    void whatCannotBeExpressedIsRefusedAndNothingWritten();
    void filesForAnEngineAreAFolderOrRefused();
    void theMenuOffersEnginesForThePlanInView();
    void anOrderNeedsLayersAndDevices();
    void openingAnOrderAddsAPlanToTheProject();
    void openingAnOrderThatDoesNotFitIsAProblem();
    void withoutAProjectAnOrderIsRefused();

private:
    PrivateHome home_;
    std::string file(const QString& name) const { return home_.file(name).toStdString(); }
    /// The sample of all families, with that one's plan alone.
    std::string planUnder(const std::string& family) const {
        const std::string path = file(QString::fromStdString(family) + ".plan.json");
        const Outcome planned = call({"plan", sample, "--schedule", family, "--out", path});
        return planned.status == 0 ? path : planned.err;
    }
    const std::string sample = STAGECRAFT_SOURCE_DIR "/samples/schedules.stagecraft.json";
};

void OrderFilesTest::initTestCase() {
    const Project project = openProject(sample);
    writeFileAtomically(file("p.profile.json"), writeProfile(project.problem.profile));
    writeFileAtomically(file("c.cluster.json"), writeCluster(project.problem.cluster));
    Project bare = project;
    bare.plans.clear();
    bare.notes.clear();
    bare.origins.clear();
    bare.planless.clear();
    writeFileAtomically(file("bare.stagecraft.json"), writeProject(bare));
    bare.problem.setup.microbatches += 1;
    writeFileAtomically(file("one-more.stagecraft.json"), writeProject(bare));
}

void OrderFilesTest::aPlanIsExportedAndImportedAsTheSameOrder_data() {
    QTest::addColumn<QString>("family");
    QTest::addColumn<QString>("format");
    for (const char* family : {"1f1b", "interleaved", "zb-v"})
        for (const char* format : {"torch-csv", "torch-comms", "order"})
            QTest::addRow("%s %s", family, format) << family << format;
}

void OrderFilesTest::aPlanIsExportedAndImportedAsTheSameOrder() {
    QFETCH(QString, family);
    QFETCH(QString, format);
    const std::string order = file("order.csv"), back = file("back.plan.json"), again = file("again.csv");
    const Outcome exported =
        call({"export", planUnder(family.toStdString()), "--format", format.toStdString(), "--out", order});
    QVERIFY2(exported.status == 0, exported.err.c_str());
    const Outcome imported = call({"import", order, "--profile", file("p.profile.json"), "--cluster",
                                   file("c.cluster.json"), "--out", back});
    QVERIFY2(imported.status == 0, imported.err.c_str());
    QCOMPARE(call({"check", back}).status, 0);
    QCOMPARE(call({"export", back, "--format", format.toStdString(), "--out", again}).status, 0);
    QCOMPARE(readTextFile(again), readTextFile(order));
}

void OrderFilesTest::whatCannotBeExpressedIsRefusedAndNothingWritten() {
    const std::string target = file("chimera.csv");
    const Outcome refused = call({"export", planUnder("chimera"), "--format", "torch-csv", "--out", target});
    QCOMPARE(refused.status, 2);
    QVERIFY2(mentions(refused.err, "the plan has 2 copies of the network"), refused.err.c_str());
    QVERIFY(!QFileInfo::exists(QString::fromStdString(target)));
    QCOMPARE(call({"export", planUnder("chimera"), "--format", "order", "--out", target}).status, 0);
}

void OrderFilesTest::filesForAnEngineAreAFolderOrRefused() {
    for (const char* engine : {"torchtitan", "megatron", "deepspeed", "chakra"}) {
        const std::string folder = file(engine);
        const Outcome made = call({"export", planUnder("1f1b"), "--format", engine, "--out", folder});
        QVERIFY2(made.status == 0, made.err.c_str());
        QVERIFY(QFileInfo::exists(QString::fromStdString(folder + "/README.md")));
    }
    const std::string none = file("none");
    const Outcome refused = call({"export", planUnder("zb-h1"), "--format", "megatron", "--out", none});
    QCOMPARE(refused.status, 2);
    QVERIFY2(mentions(refused.err, "the plan's schedule is 'zb-h1'; Megatron-LM runs 1F1B"),
             refused.err.c_str());
    QVERIFY(!QFileInfo::exists(QString::fromStdString(none)));
}

void OrderFilesTest::theMenuOffersEnginesForThePlanInView() {
    MainWindow window;
    window.show();
    QAction* megatron = window.actionRegister().action(QStringLiteral("file.engine-megatron"));
    QVERIFY(megatron);
    QCOMPARE(window.actionRegister().pathOf(megatron),
             QStringLiteral("File > Export for an engine > Megatron-LM"));
    QVERIFY(!megatron->isEnabled());
    openAndWait(window, QString::fromStdString(planUnder("1f1b")));
    QTRY_VERIFY(megatron->isEnabled());
}

void OrderFilesTest::anOrderNeedsLayersAndDevices() {
    writeFileAtomically(file("o.csv"), "0F0,0B0\r\n");
    const Outcome alone = call({"import", file("o.csv"), "--out", file("x.plan.json")});
    QCOMPARE(alone.status, 2);
    QVERIFY2(mentions(alone.err, "--profile F and --cluster F"), alone.err.c_str());
    const Outcome other = call({"import", file("o.csv"), "--profile", file("p.profile.json"), "--cluster",
                                file("c.cluster.json"), "--microbatches", "3", "--out", file("x.plan.json")});
    QCOMPARE(other.status, 2);
    QVERIFY2(mentions(other.err, "runs 1 microbatch, and the setup has 3"), other.err.c_str());
}

void OrderFilesTest::openingAnOrderAddsAPlanToTheProject() {
    const std::string order = file("Mine.csv");
    QCOMPARE(call({"export", planUnder("zb-h1"), "--format", "torch-csv", "--out", order}).status, 0);
    MainWindow window;
    window.show();
    openAndWait(window, home_.file("bare.stagecraft.json"));
    QCOMPARE(window.workspace().plans().size(), 0u);
    openAndWait(window, QString::fromStdString(order));
    QCOMPARE(window.workspace().plans().size(), 1u);
    const Plan& plan = window.workspace().plans().front().plan;
    QCOMPARE(plan.name, "Mine");
    QVERIFY(plan.schedule.splits());
    QVERIFY(std::holds_alternative<ExplicitSchedule>(plan.schedule.order));
}

void OrderFilesTest::openingAnOrderThatDoesNotFitIsAProblem() {
    const std::string order = file("Mine.csv");
    QCOMPARE(call({"export", planUnder("zb-h1"), "--format", "torch-csv", "--out", order}).status, 0);
    MainWindow window;
    window.show();
    openAndWait(window, home_.file("one-more.stagecraft.json"));
    openAndWait(window, QString::fromStdString(order));
    QCOMPARE(window.workspace().plans().size(), 0u);
    bool said = false;
    for (int row = 0; row < window.problems().rowCount(); ++row)
        said = said || window.problems().row(row).text.contains("microbatches, and the setup");
    QVERIFY(said);
}

void OrderFilesTest::withoutAProjectAnOrderIsRefused() {
    writeFileAtomically(file("o.csv"), "0F0,0B0\r\n");
    MainWindow window;
    window.show();
    openAndWait(window, QString::fromStdString(file("o.csv")));
    QVERIFY(!window.workspace().isOpen());
    QVERIFY(window.problems().rowCount() > 0);
}

STAGECRAFT_TEST(OrderFilesTest)
#include "order_files_test.moc"
