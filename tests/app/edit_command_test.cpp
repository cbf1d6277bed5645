// stagecraft edit: a plan changed by hand without a window.

#include "core/formats/files/project_file.h"
#include "tests/support/window_rooms.h"
#include "tests/app/command_call.h"
#include "tests/app/window_fixture.h"
#include "tests/support/qt_program.h"

using namespace stagecraft;
using testing::call, testing::Outcome;

class EditCommandTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void editsAreMadeOneAfterTheOther();
    void stagesAreSplitForAnInterleavedScheduleAndJoinedAgain();
    void stagesAndLayersAreRecomputed();
    void stagesAreDividedAndGroupsArePlanned();
    void whatCannotBeDoneIsSaidAndNothingIsWritten();
    void wordsThatAreNoEditAreBadInput();

private:
    std::string project() const { return home_.file(QStringLiteral("bert.stagecraft.json")).toStdString(); }
    std::string result() const { return home_.file(QStringLiteral("edited.plan.json")).toStdString(); }
    PrivateHome home_;
};

void EditCommandTest::initTestCase() {
    const Outcome planned = call({"plan", STAGECRAFT_SOURCE_DIR "/samples/bert-large-8x4.stagecraft.json",
                                  "--planner", "spp", "--out", project()});
    QVERIFY2(planned.status == 0, planned.err.c_str());
}

void EditCommandTest::editsAreMadeOneAfterTheOther() {
    const Plan before = openProject(project()).plans.at(0);
    const Outcome edited = call({"edit", project(), "move-boundary:0:-1", "merge:1", "--out", result()});
    QVERIFY2(edited.status == 0, edited.err.c_str());
    QVERIFY2(edited.out.find("SPP (edited)") == 0, edited.out.c_str());
    QVERIFY2(edited.out.find("% time") != std::string::npos, edited.out.c_str());
    const Plan after = openPlan(result()).plan;
    QCOMPARE(after.stages.size() + 1, before.stages.size());
    QCOMPARE(after.stages[0].lastLayer, before.stages[0].lastLayer - 1);
    QCOMPARE(after.stages[1].lastLayer, before.stages[2].lastLayer);
    const Outcome checked = call({"check", result()});
    QCOMPARE(checked.status, 0);
    QVERIFY2(checked.err.find("ut of date") == std::string::npos, checked.err.c_str());
}

void EditCommandTest::stagesAreSplitForAnInterleavedScheduleAndJoinedAgain() {
    const Plan before = openProject(project()).plans.at(0);
    const Outcome split = call({"edit", project(), "split-each:2:ring", "--out", result()});
    QVERIFY2(split.status == 0, split.err.c_str());
    const Plan interleaved = openPlan(result()).plan;
    QCOMPARE(interleaved.stages.size(), 2 * before.stages.size());
    QCOMPARE(std::get<FamilySchedule>(interleaved.schedule.order).name, std::string("interleaved"));
    QCOMPARE(call({"check", result()}).status, 0);
    const Outcome both = call({"edit", project(), "split-each:2:vee", "join", "--out", result()});
    QVERIFY2(both.status == 0, both.err.c_str());
    QVERIFY(openPlan(result()).plan.stages == before.stages);
    QCOMPARE(call({"edit", project(), "split-each:3:vee"}).status, 2);
    QCOMPARE(call({"edit", project(), "join"}).status, 1);
    // A planner's stages are split where a schedule wants several on each GPU, and a note says so.
    const Outcome planned = call({"plan", project(), "--planner", "spp", "--schedule", "interleaved"});
    QVERIFY2(planned.status == 0, planned.err.c_str());
    QVERIFY2(planned.out.find("Split each stage in 2") != std::string::npos, planned.out.c_str());
}

void EditCommandTest::stagesAndLayersAreRecomputed() {
    const Plan before = openProject(project()).plans.at(0);
    const auto layersOf = [&](const std::vector<std::string>& edits) {
        std::vector<std::string> words = {"edit", project()};
        words.insert(words.end(), edits.begin(), edits.end());
        words.insert(words.end(), {"--out", result()});
        const Outcome edited = call(words);
        if (edited.status != 0) throw std::runtime_error(edited.err);
        if (call({"check", result()}).status != 0) throw std::runtime_error("the plan is not valid");
        return openPlan(result()).plan.memory.layers;
    };
    const Stage& stage = before.stages.at(1);
    std::map<int, LayerMemory> wanted;
    for (int layer = stage.firstLayer; layer <= stage.lastLayer; ++layer)
        wanted[layer] = LayerMemory::recompute;
    QVERIFY(layersOf({"recompute-stage:1:stage"}) == wanted);
    for (auto& [layer, memory] : wanted) memory = LayerMemory::checkpoint;
    QVERIFY(layersOf({"recompute-stage:1:full"}) == wanted);
    wanted.erase(stage.firstLayer);
    const std::string first = std::to_string(stage.firstLayer);
    QVERIFY(layersOf({"recompute-stage:1:full", "recompute-layers:" + first + ":" + first + ":none"}) ==
            wanted);
    QVERIFY(layersOf({"recompute-stage:1:full", "recompute-stage:1:none"}).empty());
    // It takes longer, and the sentence says so.
    const Outcome all = call({"edit", project(), "recompute-layers:0:26:full"});
    QCOMPARE(all.status, 0);
    QVERIFY2(all.out.find("+") < all.out.find("% time") && all.out.find("worse") != std::string::npos,
             all.out.c_str());
}

void EditCommandTest::stagesAreDividedAndGroupsArePlanned() {
    const std::string llama = home_.file(QStringLiteral("llama.stagecraft.json")).toStdString();
    const Outcome planned = call({"plan", "--model", "llama-3-8b", "--machines", "1x dgx-h100", "--planner",
                                  "pipedream", "--tensor", "4", "--sequence-parallel", "true",
                                  "--recomputation", "full", "--zero", "1", "--out", llama});
    QVERIFY2(planned.status == 0, planned.err.c_str());
    for (const Stage& stage : openProject(llama).plans.at(0).stages)
        QVERIFY((stage.group == Group{4, 1, 1, true}));
    QCOMPARE(call({"check", llama}).status, 0);
    const Outcome edited =
        call({"edit", llama, "group:0:tensor=2,sequence-parallel,context=2", "--out", result()});
    QVERIFY2(edited.status == 0, edited.err.c_str());
    const Plan divided = openPlan(result()).plan;
    QVERIFY((divided.stages.at(0).group == Group{2, 2, 1, true}));
    QVERIFY(divided.stages.size() == 1 || (divided.stages.at(1).group == Group{4, 1, 1, true}));
    QCOMPARE(call({"check", result()}).status, 0);
    const Outcome alone = call({"edit", llama, "group:0:none", "--out", result()});
    QVERIFY2(alone.status == 0, alone.err.c_str());
    QVERIFY(openPlan(result()).plan.stages.at(0).group == Group{});
    for (const auto& [edit, reason] : std::map<std::string, std::string>{
             {"group:0:tensor=3", "stage 0: "},
             {"group:0:expert=2", "stage 0: the profile names no experts to divide"},
             {"group:0:tensor=1,sequence-parallel",
              "stage 0: sequence parallelism goes with tensor parallelism, and the tensor degree is 1"}}) {
        const Outcome refused = call({"edit", llama, edit});
        QCOMPARE(refused.status, 1);
        QVERIFY2(refused.err.find(reason) != std::string::npos, refused.err.c_str());
    }
    // No layer of another profile says how it is divided.
    const Outcome unknown = call({"edit", project(), "group:0:tensor=2"});
    QCOMPARE(unknown.status, 1);
    QVERIFY2(unknown.err.find("stage 0: ") != std::string::npos, unknown.err.c_str());
}

void EditCommandTest::whatCannotBeDoneIsSaidAndNothingIsWritten() {
    QFile::remove(QString::fromStdString(result()));
    const Outcome refused = call({"edit", project(), "move-boundary:0:-9", "--out", result()});
    QCOMPARE(refused.status, 1);
    QCOMPARE(refused.err, std::string("move-boundary:0:-9: stage 0 would have no layer left\n"));
    for (const auto& [edit, reason] : std::map<std::string, std::string>{
             {"recompute-stage:99:full", "no stage 99"},
             {"recompute-layers:3:99:full", "expected layers from 0 to 26, the first one first"},
             {"recompute-layers:3:4:selective",
              "the profile does not say what is stored in layers 3 to 4; a selective recomputation needs a "
              "model "
              "with stored attention scores"}}) {
        const Outcome wrong = call({"edit", project(), edit, "--out", result()});
        QCOMPARE(wrong.status, 1);
        QCOMPARE(wrong.err, edit + ": " + reason + "\n");
    }
    QVERIFY(!QFile::exists(QString::fromStdString(result())));
}

void EditCommandTest::wordsThatAreNoEditAreBadInput() {
    for (const std::string text : {"swap:1:2", "merge:one", "merge", "add-gpu:0:nowhere", "recompute-stage:0",
                                   "recompute-layers:0:1:partial", "group:0", "group:0:tensor",
                                   "group:0:data=2", "group:0:tensor=0"}) {
        const Outcome wrong = call({"edit", project(), text});
        QCOMPARE(wrong.status, 2);
        QVERIFY2(wrong.err.find(text.substr(0, text.find(':'))) != std::string::npos, wrong.err.c_str());
    }
    const Outcome misspelt = call({"edit", project(), "recompute-stage:0:ful"});
    QVERIFY2(misspelt.err.find("expected one of none, selective, full, stage") != std::string::npos &&
                 misspelt.err.find("did you mean 'full'?") != std::string::npos,
             misspelt.err.c_str());
}

STAGECRAFT_TEST(EditCommandTest)
#include "edit_command_test.moc"
