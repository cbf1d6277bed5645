// The window and the command line on plans whose devices share out the layers of a vocabulary.
#include "app/plan/schedule_panel.h"
#include "core/formats/files/project_file.h"
#include "core/formats/text_file.h"
#include "core/model/vocabulary.h"
#include "core/runs/chosen_schedule.h"
#include "core/schedules/families.h"
#include "tests/app/command_call.h"
#include "tests/app/edit_fixture.h"
#include "tests/support/qt_program.h"
#include "tests/support/window_rooms.h"

#include <QToolButton>
#include <QListWidget>
#include <QTemporaryDir>

#include <algorithm>

using namespace stagecraft;
using testing::call;
using testing::mentions;
using testing::Outcome;

namespace {

const std::string llamaFile = STAGECRAFT_SOURCE_DIR "/samples/llama-3-8b.stagecraft.json";

/// Llama 3 8B in four stages on four GPUs of one server, under 1F1B.
Project llamaOnFour() {
    Project project = openProject(llamaFile);
    project.plans.clear();
    project.origins.clear();
    project.problem.cluster.devices.clear();
    project.problem.cluster.links.clear();
    project.problem.cluster.switches = {{"switch", "server"}};
    for (int device = 0; device < 4; ++device) {
        const std::string id = "g" + std::to_string(device);
        project.problem.cluster.devices.push_back(
            {.id = id, .server = "server", .memoryBytes = 640e9, .hostBandwidthBps = 64e9});
        project.problem.cluster.links.push_back({.a = id, .b = "switch", .bandwidthBps = 450e9});
    }
    project.problem.setup.microbatches = 8;
    const CostModel costs(project.problem);
    const ScheduleFamily& plain = *findScheduleFamily("1f1b");
    project.plans = {equalLayersUnder(costs, plain, defaultValues(settingsOf(plain)))};
    project.plans.front().planner = handMade;
    return project;
}

QListWidgetItem* itemOf(QListWidget& list, const QString& title) {
    for (int row = 0; row < list.count(); ++row)
        if (list.item(row)->text().section('\n', 0, 0).endsWith(title)) return list.item(row);
    return nullptr;
}

}  // namespace

class VocabularyWindowTest : public QObject {
    Q_OBJECT
private slots:
    void aClickSharesTheOutputLayerOut();
    void whatTheNetworkDoesNotSayIsSaid();
    void anImportSaysWhichLayersAreOfWords();
    void commandsPlanCheckAndExportIt();
};

void VocabularyWindowTest::aClickSharesTheOutputLayerOut() {
    MainWindow window;
    window.resize(1280, 800);
    window.show();
    window.workspace().openProject(llamaOnFour(), {});
    const auto page = [&] { return window.workbench().planPage(window.workbench().currentPlan()); };
    QTRY_VERIFY(page() && page()->run() && page()->run()->ok() && page()->editor());
    const double before = page()->run()->iterationTimeS();
    QTest::mouseClick(&page()->editor()->bar().scheduleButton(), Qt::LeftButton);
    SchedulePanel& panel = page()->editor()->schedule();
    QTRY_VERIFY(!panel.isWorking() && panel.list().count() > 0);
    QListWidgetItem* item = itemOf(panel.list(), "Vocabulary parallel, one barrier");
    QVERIFY(item && item->text().contains("bubbles"));
    panel.list().scrollToItem(item);
    QTest::mouseClick(panel.list().viewport(), Qt::LeftButton, {},
                      panel.list().visualItemRect(item).center());
    QTRY_COMPARE(std::get<FamilySchedule>(
                     window.workspace().plan(window.workbench().currentPlan())->plan.schedule.order)
                     .name,
                 std::string("vocab-2"));
    QTRY_VERIFY(page()->run() && page()->run()->ok() &&
                page()->run()->result.plan.schedule.sharesVocabulary());
    QVERIFY(page()->run()->evaluation->valid());
    QVERIFY(page()->run()->iterationTimeS() < before);
    const Timeline& timeline = page()->run()->evaluation->timeline;
    for (const BlockKind kind : {BlockKind::headForward, BlockKind::headBackward, BlockKind::embeddingForward,
                                 BlockKind::embeddingBackward, BlockKind::headInput})
        QVERIFY2(std::ranges::find(timeline.kind, kind) != timeline.kind.end(), blockKindName(kind));
    window.workspace().undoStack()->undo();
    QTRY_COMPARE(std::get<FamilySchedule>(
                     window.workspace().plan(window.workbench().currentPlan())->plan.schedule.order)
                     .name,
                 std::string("1f1b"));
    window.workspace().undoStack()->setClean();
}

/// BERT's profile is of a time when a layer could not say that it is of words.
void VocabularyWindowTest::whatTheNetworkDoesNotSayIsSaid() {
    OpenWindow open;
    QTest::mouseClick(&open.editor().bar().scheduleButton(), Qt::LeftButton);
    SchedulePanel& panel = open.editor().schedule();
    QTRY_VERIFY(!panel.isWorking() && panel.list().count() > 0);
    for (const char* title : {"Vocabulary parallel, two barriers", "Interlaced"}) {
        QListWidgetItem* item = itemOf(panel.list(), QString::fromLatin1(title));
        QVERIFY(item);
        QVERIFY2(item->text().contains("is no head of a vocabulary that single GPUs can share out"),
                 qPrintable(item->text()));
    }
    QAction* words = open.window.actionRegister().action("profile.words");
    QVERIFY(words->isEnabled() && !words->isChecked());
    words->trigger();
    QVERIFY(words->isChecked());
    const auto profile = [&]() -> const LayerProfile& { return open.window.workspace().problem().profile; };
    QCOMPARE(vocabularyLayers(profile()).embedding, 0);
    QCOMPARE(vocabularyLayers(profile()).head, profile().layerCount() - 1);
    QCOMPARE(open.undo().undoText(), QStringLiteral("Change layers of words"));
    open.undo().undo();
    QCOMPARE(vocabularyLayers(profile()).head, -1);
    QVERIFY(!words->isChecked());
    open.undo().redo();
    QVERIFY(words->isChecked());
}

/// A profile that was measured layer by layer, and says nothing of words.
void VocabularyWindowTest::anImportSaysWhichLayersAreOfWords() {
    QTemporaryDir folder;
    const auto file = [&](const char* name) { return folder.filePath(name).toStdString(); };
    const std::string from = STAGECRAFT_SOURCE_DIR "/samples/profiles/bert-large.profile.json";
    for (const auto& [ends, embeds] : {std::pair("both", true), std::pair("head", false)}) {
        const Outcome outcome = call({"import", from, "--vocabulary", ends, "--out", file("p.profile.json")});
        QVERIFY2(outcome.status == 0, outcome.err.c_str());
        const LayerProfile profile = openProfile(file("p.profile.json")).profile;
        QCOMPARE(vocabularyLayers(profile).head, profile.layerCount() - 1);
        QCOMPARE(vocabularyLayers(profile).embedding, embeds ? 0 : -1);
    }
    const Outcome wrong = call({"import", from, "--vocabulary", "yes", "--out", file("p.profile.json")});
    QVERIFY(wrong.status != 0);
    QVERIFY2(mentions(wrong.err, "none, head, both"), wrong.err.c_str());
}

void VocabularyWindowTest::commandsPlanCheckAndExportIt() {
    QTemporaryDir folder;
    const auto file = [&](const char* name) { return folder.filePath(name).toStdString(); };
    writeFileAtomically(file("llama.stagecraft.json"), writeProject(llamaOnFour()));
    for (const VocabularyFamily& family : vocabularyFamilies) {
        const Outcome planned = call({"plan", file("llama.stagecraft.json"), "--schedule", family.name,
                                      "--out", file("plan.plan.json"), "--json"});
        QVERIFY2(planned.status == 0, planned.err.c_str());
        QVERIFY(mentions(planned.out, std::string("\"schedule\": \"") + family.name + "\""));
        const Outcome checked = call({"check", file("plan.plan.json")});
        QVERIFY2(checked.status == 0, checked.out.c_str());
        // An order that is spelled out comes back as it was, from a table too.
        const Outcome table =
            call({"export", file("plan.plan.json"), "--format", "order", "--out", file("o.csv")});
        QVERIFY2(table.status == 0, table.err.c_str());
        QVERIFY(mentions(readTextFile(file("o.csv")), ":S0") && mentions(readTextFile(file("o.csv")), ":T7"));
        const Outcome recognised = call({"recognise", file("plan.plan.json")});
        QVERIFY2(mentions(recognised.out, runs::shortTitle(*findScheduleFamily(family.name))),
                 recognised.out.c_str());
        const Outcome engine =
            call({"export", file("plan.plan.json"), "--format", "torch-csv", "--out", file("t.csv")});
        QVERIFY(engine.status != 0);
        QVERIFY2(mentions(engine.err, "passes of the vocabulary's layers"), engine.err.c_str());
        const Outcome figure =
            call({"export", file("plan.plan.json"), "--format", "svg", "--out", file("f.svg")});
        QVERIFY2(figure.status == 0, figure.err.c_str());
        QVERIFY(mentions(readTextFile(file("f.svg")), "output backward"));
    }
}

STAGECRAFT_TEST(VocabularyWindowTest)
#include "vocabulary_window_test.moc"
