// Lessons as a person takes them: each of those that come with the program is walked from start to end with
// mouse and keys, with a wrong answer before each right one.
#include "app/compare/compare_page.h"
#include "app/document/samples.h"
#include "app/help/help_picture.h"
#include "app/lessons/class_window.h"
#include "app/lessons/hand_out.h"
#include "app/lessons/lesson_library.h"
#include "app/lessons/lesson_list.h"
#include "app/lessons/lesson_player.h"
#include "app/panels/planner_panel.h"
#include "app/plan/edit_bar.h"
#include "app/plan/plan_editor.h"
#include "app/plan/plan_page.h"
#include "app/plan/schedule_panel.h"
#include "app/shell/lesson_actions.h"
#include "app/shell/workbench.h"
#include "core/analysis/block_query.h"
#include "core/formats/text_file.h"
#include "core/lessons/best_known.h"
#include "core/lessons/lesson_reader.h"
#include "core/runs/chosen_schedule.h"
#include "core/schedules/families.h"
#include "tests/app/command_call.h"
#include "tests/app/window_fixture.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "views/timeline/gantt_chart.h"
#include "views/timeline/time_plot.h"

#include <QComboBox>
#include <QDockWidget>
#include <QDropEvent>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMimeData>
#include <QProcess>
#include <QRadioButton>
#include <QSettings>
#include <QSpinBox>
#include <QStandardPaths>
#include <QTableWidget>
#include <QToolButton>

using namespace stagecraft;
using testing::call;
using testing::mentions;

namespace {

/// The window with a lesson, and hands to take it with.
struct Pupil {
    MainWindow window;

    Pupil() {
        window.resize(1600, 1000);
        window.show();
        window.activateWindow();
        [this] { QVERIFY(QTest::qWaitForWindowActive(&window)); }();
    }
    ~Pupil() { window.workspace().undoStack()->setClean(); }

    LessonPlayer& player() { return window.lessons().player(); }
    QDockWidget& dock() { return *window.findChild<QDockWidget*>(QStringLiteral("lessonDock")); }
    template <class Widget>
    Widget& part(const char* name) {
        auto* found = dock().findChild<Widget*>(QLatin1String(name));
        [&] { QVERIFY2(found, name); }();
        return *found;
    }
    void press(const char* name) {
        auto& button = part<QAbstractButton>(name);
        [&] {
            QTRY_VERIFY2(button.isVisible(), name);
            QVERIFY2(button.isEnabled(), name);
        }();
        QTest::mouseClick(&button, Qt::LeftButton);
    }
    QString feedback() { return part<QLabel>("taskFeedback").text(); }

    void begin(const QString& id) {
        window.actionRegister().action(QStringLiteral("lesson.list"))->trigger();
        click(dock(), QStringLiteral("lesson:") + id);
        QVERIFY(player().isRunning());
    }
    void waitForPlans() {
        QTRY_VERIFY_WITH_TIMEOUT(!window.planning().isBusy(), 30'000);
        PlanView* view = window.workbench().planView(window.workbench().currentPlan());
        if (view) QTRY_VERIFY(view->isReady());
    }
    PlanPage& page() { return *window.workbench().planPage(window.workbench().currentPlan()); }

    static std::vector<std::uint32_t> blocksFound(const std::string& query, const PlanRun& run) {
        const Timeline& timeline = run.evaluation->timeline;
        return BlockQuery(query, run.costs->problem().cluster, run.result.plan, timeline)
            .find(timeline, run.evaluation->metrics.criticalPath.blocks);
    }
    /// What a step says that it shows.
    void expectShown(const WindowSetting& show) {
        const auto titleOf = [this](int id) { return window.workspace().plan(id)->title().toStdString(); };
        const auto isTitled = [&](int id, const std::string& title) {
            const Plan& plan = window.workspace().plan(id)->plan;
            return titleOf(id) == title || plan.name == title || plan.planner == title;
        };
        Workbench& workbench = window.workbench();
        if (!show.charts.empty()) {
            QCOMPARE(workbench.currentKey(), QStringLiteral("compare"));
            const ComparePage::State state = workbench.compare()->state();
            QVERIFY(state.charts);
            QCOMPARE(state.plans.size(), show.charts.size());
            for (std::size_t i = 0; i < show.charts.size(); ++i)
                QVERIFY2(isTitled(state.plans[i], show.charts[i]), show.charts[i].c_str());
        }
        if (show.plan.empty()) return;
        QVERIFY2(isTitled(workbench.currentPlan(), show.plan), show.plan.c_str());
        const PlanViewState state = page().view().viewState();
        if (!show.colour.empty()) QCOMPARE(state.colouring, *findByName(colouringNames, show.colour));
        QCOMPARE(state.links, show.links);
        if (show.block.empty()) return;
        const auto blocks = blocksFound(show.block, *page().view().run());
        QVERIFY2(!blocks.empty(), show.block.c_str());
        QCOMPARE(state.selected, blocks.front());
    }

    void answerChoice(const Question& question) {
        for (const bool right : {false, true}) {
            int index = 0;
            while (question.choices[static_cast<std::size_t>(index)].right != right) ++index;
            if (right)
                QTest::mouseClick(&part<QLabel>(qPrintable(QStringLiteral("choiceText:%1").arg(index))),
                                  Qt::LeftButton);
            else
                QTest::keyClick(&part<QRadioButton>(qPrintable(QStringLiteral("choice:%1").arg(index))),
                                Qt::Key_Space);
            QVERIFY(part<QRadioButton>(qPrintable(QStringLiteral("choice:%1").arg(index))).isChecked());
            press("taskCheck");
            QCOMPARE(player().result().done, right);
            if (right) continue;
            const std::string& why = question.choices[static_cast<std::size_t>(index)].why;
            QVERIFY(!why.empty());
            QCOMPARE(feedback(), QStringLiteral("Not right. %1").arg(QString::fromStdString(why)));
        }
    }
    void answerNumber(const Question& question, const Project& project) {
        auto& field = part<QLineEdit>("taskNumber");
        const double right = answerTo(question, project);
        for (const double number : {right * 1.7 + 1, right}) {
            field.clear();
            QTest::keyClicks(&field, QString::fromStdString(answerText(question, number)));
            QTest::keyClick(&field, Qt::Key_Return);
            QCOMPARE(player().result().done, number == right);
        }
    }
    void typeMicrobatches(int count) {
        auto* field = window.findChild<QSpinBox*>(QStringLiteral("microbatches"));
        field->setFocus();
        field->selectAll();
        QTest::keyClicks(field, QString::number(count));
        QTest::keyClick(field, Qt::Key_Return);
    }
    void clickBlock(const std::string& query) {
        waitForPlans();
        PlanView& view = page().view();
        const PlanRun& run = *view.run();
        const auto found = blocksFound(query, run);
        QVERIFY2(!found.empty(), query.c_str());
        const QRectF rect = view.gantt().blockRect(found.front());
        QVERIFY2(!rect.isEmpty(), query.c_str());
        QTest::mouseClick(&view.gantt().plot(), Qt::LeftButton, {}, rect.center().toPoint());
    }
    void runPlanner(const QString& id) {
        auto* panel = window.findChild<PlannerPanel*>();
        auto* choice = panel->findChild<QComboBox*>(QStringLiteral("plannerChoice"));
        choice->setFocus();
        QTest::keyClick(choice, Qt::Key_Home);
        for (int i = 0; i < choice->count() && choice->currentData().toString() != id; ++i)
            QTest::keyClick(choice, Qt::Key_Down);
        QCOMPARE(choice->currentData().toString(), id);
        runAndWait(window);
    }
    void takeSchedule(const std::string& family) {
        waitForPlans();
        QTRY_VERIFY(page().editor());
        PlanEditor& editor = *page().editor();
        QTest::mouseClick(&editor.bar().scheduleButton(), Qt::LeftButton);
        QListWidget& list = editor.schedule().list();
        QTRY_VERIFY(!editor.schedule().isWorking() && list.count() > 0);
        const QString title = QString::fromStdString(shortTitle(*findScheduleFamily(family)));
        for (int row = 0; row < list.count(); ++row) {
            if (!list.item(row)->text().section('\n', 0, 0).endsWith(title)) continue;
            list.scrollToItem(list.item(row));
            QTest::mouseClick(list.viewport(), Qt::LeftButton, {},
                              list.visualItemRect(list.item(row)).center());
            break;
        }
        auto* equal = editor.schedule().findChild<QPushButton*>(QStringLiteral("scheduleEqualLayers"));
        if (equal && equal->isVisible()) QTest::mouseClick(equal, Qt::LeftButton);
    }
    void openTab(const std::string& tab) {
        const std::pair<const char*, int> keys[] = {{"cluster", Qt::Key_1},
                                                    {"profile", Qt::Key_2},
                                                    {"compare", Qt::Key_3},
                                                    {"charts", Qt::Key_3},
                                                    {"training", Qt::Key_4}};
        for (const auto& [name, key] : keys)
            if (tab == name) QTest::keyClick(&window, Qt::Key(key), Qt::AltModifier);
        if (tab == "charts") click(*window.workbench().compare(), QStringLiteral("showCharts"));
    }
    void openPlan(const std::string& title) {
        for (const PlanItem& item : window.workspace().plans())
            if (item.plan.name == title) {
                auto* bar = window.workbench().tabBar();
                for (int i = 0; i < bar->count(); ++i)
                    if (bar->tabText(i).toStdString() == title)
                        QTest::mouseClick(bar, Qt::LeftButton, {}, bar->tabRect(i).center());
            }
    }

    void doDeed(const Deed& deed) {
        QVERIFY2(!player().result().done, deed.text.c_str());
        if (deed.microbatches) typeMicrobatches(*deed.microbatches);
        if (!deed.tab.empty()) openTab(deed.tab);
        if (!deed.plan.empty()) openPlan(deed.plan);
        if (!deed.block.empty()) clickBlock(deed.block);
        if (!deed.planner.empty()) runPlanner(QString::fromStdString(deed.planner));
        if (!deed.schedule.empty()) takeSchedule(deed.schedule);
        if (!deed.action.empty())
            window.actionRegister().action(QString::fromStdString(deed.action))->trigger();
        QTRY_VERIFY2(player().result().done, deed.text.c_str());
    }
};

/// Projects of a lesson's steps, for its answers.
Project projectOf(const Lesson& lesson, int step) {
    const WindowSetting opening = openingOf(lesson, step);
    return projectFor(*findSample(QString::fromStdString(*opening.sample))->project, opening);
}

}  // namespace

class LessonsTest : public QObject {
    Q_OBJECT
    PrivateHome home_;

    void solve(Pupil& pupil, const QString& id);

private slots:
    void initTestCase() { applyTheme(*qApp, ThemeChoice::light); }
    void eightLessonsAreRightAndShort();
    void everyLessonCanBeTaken_data();
    void everyLessonCanBeTaken();
    void hintsAndTheAnswerAreThereWhenOneIsStuck();
    void progressIsKept();
    void anExerciseBeginsAgainAndShowsTheBestKnown();
    void anExerciseGoesOnOnceItsTargetIsReached();
    void aLessonOfOnesOwnOpensAndAWrongOneSaysWhere();
    void lessonsOfAFolderAreListed();
    void aLessonTakesTheProjectBesideIt();
    void allThatIsWrongIsSaidAtOnce();
    void theStartPageLeadsToTheLessons();
    void stepsThatTheWindowDoesNotShowAreNamed();
    void titlesInTheListAreBrokenIntoLines();
    void handOutsHaveRoomForAnswersOrTheAnswers();
    void noPageOfAHandOutEndsWithAHeading();
    void theCommandListsChecksAndPrints();
    void aDroppedLessonOpens();
    void resultsAreSavedKeptAndCollected();
    void aClassIsCollectedInAWindow();
};

void LessonsTest::eightLessonsAreRightAndShort() {
    MainWindow window;
    QCOMPARE(static_cast<int>(shippedLessons().size()), 8);
    for (const ShippedLesson& shipped : shippedLessons()) {
        const std::string file = shipped.id.toStdString();
        for (const InputError& fault : faultsOf(shipped.lesson, file)) QFAIL(fault.what());
        const auto unknown = actionFaults(shipped.lesson, file, [&](const std::string& id) {
            return window.actionRegister().action(QString::fromStdString(id)) != nullptr;
        });
        if (!unknown.empty()) QFAIL(unknown.front().what());
        QVERIFY(shipped.lesson.minutes >= 5 && shipped.lesson.minutes <= 15);
        const auto isExercise = [](const LessonStep& step) {
            return std::holds_alternative<Exercise>(step.task);
        };
        QVERIFY2(std::any_of(shipped.lesson.steps.begin(), shipped.lesson.steps.end(), isExercise),
                 file.c_str());
        for (std::size_t step = 0; step < shipped.lesson.steps.size(); ++step)
            if (const auto* exercise = std::get_if<Exercise>(&shipped.lesson.steps[step].task)) {
                const Judge judge(*exercise, projectOf(shipped.lesson, static_cast<int>(step)));
                const auto best = searchBest(judge);
                QVERIFY2(best && !judge.isBetter(exercise->target, best->value), file.c_str());
            }
        for (const LessonStep& step : shipped.lesson.steps)
            if (!std::holds_alternative<std::monostate>(step.task))
                QVERIFY2(!hintsOf(step.task).empty(), (file + ": " + step.title).c_str());
    }
}

void LessonsTest::everyLessonCanBeTaken_data() {
    QTest::addColumn<QString>("id");
    for (const ShippedLesson& shipped : shippedLessons()) QTest::newRow(qPrintable(shipped.id)) << shipped.id;
}

/// A way to the target that its hints suggest; on the way a try that falls short.
void LessonsTest::solve(Pupil& pupil, const QString& id) {
    if (id == QLatin1String("bubble") || id == QLatin1String("microbatches-or-stages")) {
        pupil.typeMicrobatches(16);
        QTRY_VERIFY(pupil.player().result().credit > 0.3);
        QVERIFY(!pupil.player().result().done && pupil.player().result().credit < 1);
        pupil.typeMicrobatches(27);
    } else if (id == QLatin1String("memory")) {
        pupil.takeSchedule("1f1b");
    } else if (id == QLatin1String("half-duplex")) {
        QTRY_VERIFY(pupil.page().editor());
        click(pupil.window, QStringLiteral("editOrder"));
        pupil.clickBlock("stage:0 kind:backward mb:0");
        QTest::keyClick(&pupil.page().view(), Qt::Key_Left, Qt::ControlModifier);
    } else if (id == QLatin1String("replication")) {
        pupil.runPlanner(QStringLiteral("schedule"));
    } else if (id == QLatin1String("stale-weights")) {
        pupil.runPlanner(QStringLiteral("pipedream"));
    } else if (id == QLatin1String("memory-limits")) {
        pupil.takeSchedule("zb-h1");  // quick, but does not fit
        QTRY_VERIFY2(pupil.feedback().contains(QLatin1String("does not fit")), qPrintable(pupil.feedback()));
        QVERIFY(pupil.player().result().credit <= 0.5);
        pupil.takeSchedule("seq1f1b");
    } else if (id == QLatin1String("zero-bubble")) {
        pupil.takeSchedule("zb-h1");
    }
}

void LessonsTest::everyLessonCanBeTaken() {
    QFETCH(QString, id);
    Pupil pupil;
    pupil.begin(id);
    const Lesson& lesson = findLesson(id)->lesson;
    for (int step = 0; step < static_cast<int>(lesson.steps.size()); ++step) {
        const LessonStep& now = lesson.steps[static_cast<std::size_t>(step)];
        QCOMPARE(pupil.player().step(), step);
        QVERIFY(pupil.part<QLabel>("lessonPlace")
                    .text()
                    .startsWith(QStringLiteral("Step %1 of %2").arg(step + 1).arg(lesson.steps.size())));
        pupil.waitForPlans();
        pupil.expectShown(now.show);
        if (const auto* deed = std::get_if<Deed>(&now.task)) pupil.doDeed(*deed);
        if (const auto* question = std::get_if<Question>(&now.task)) {
            if (question->choices.empty())
                pupil.answerNumber(*question, projectOf(lesson, step));
            else
                pupil.answerChoice(*question);
        }
        if (std::holds_alternative<Exercise>(now.task)) {
            QTRY_VERIFY(!pupil.feedback().isEmpty());
            QCOMPARE(pupil.player().result().credit, 0.0);
            solve(pupil, id);
            QTRY_VERIFY2_WITH_TIMEOUT(pupil.player().result().done,
                                      qPrintable(now.title.c_str() + pupil.feedback()), 20'000);
            QCOMPARE(pupil.player().result().credit, 1.0);
        }
        QVERIFY2(pupil.player().isDone(step), now.title.c_str());
        if (pupil.player().isLast()) break;
        QCOMPARE(pupil.part<QPushButton>("lessonNext").text(), QStringLiteral("Next"));
        pupil.press("lessonNext");
    }
    // Each question took two tries.
    QVERIFY(pupil.player().credit() >= 0.5 && pupil.player().credit() < 1);
    pupil.press("lessonNext");
    QVERIFY(!pupil.player().isRunning());
    QVERIFY(pupil.part<QLabel>(qPrintable("progress:" + id)).text().contains(QLatin1String("done")));
}

void LessonsTest::hintsAndTheAnswerAreThereWhenOneIsStuck() {
    Pupil pupil;
    pupil.begin(QStringLiteral("bubble"));
    QCOMPARE(pupil.part<QPushButton>("lessonNext").text(), QStringLiteral("Next"));
    pupil.press("lessonNext");
    pupil.waitForPlans();
    QCOMPARE(pupil.part<QPushButton>("lessonNext").text(), QStringLiteral("Skip"));
    QCOMPARE(pupil.feedback(), QString());  // the step itself has selected a block
    pupil.clickBlock("stage:2 kind:backward mb:1");
    QTRY_COMPARE(pupil.feedback(),
                 QStringLiteral("That is another block: backward of microbatch 1 on stage 2."));
    pupil.press("lessonNext");  // the question of how long stage 3 is idle
    pupil.press("taskHint");
    QVERIFY2(pupil.feedback().startsWith(QLatin1String("Count")), qPrintable(pupil.feedback()));
    auto& field = pupil.part<QLineEdit>("taskNumber");
    QTest::keyClicks(&field, QStringLiteral("long"));
    QTest::keyClick(&field, Qt::Key_Return);
    QVERIFY(pupil.feedback().contains(QLatin1String("Not a number")));
    for (int i = 0; i < 2; ++i) {
        QVERIFY(!pupil.part<QPushButton>("taskReveal").isVisible());
        field.clear();
        QTest::keyClicks(&field, QStringLiteral("9 ms"));
        QTest::keyClick(&field, Qt::Key_Return);
    }
    pupil.press("taskReveal");
    QVERIFY2(pupil.feedback().startsWith(QLatin1String("It is: 3")), qPrintable(pupil.feedback()));
    QVERIFY(pupil.player().result().done);
    QCOMPARE(pupil.player().result().credit, 0.0);
}

void LessonsTest::progressIsKept() {
    {
        Pupil pupil;
        pupil.begin(QStringLiteral("replication"));
        pupil.press("lessonNext");
        pupil.press("lessonNext");
    }
    Pupil pupil;
    pupil.begin(QStringLiteral("replication"));
    QCOMPARE(pupil.player().step(), 2);
    pupil.press("lessonBack");
    QCOMPARE(pupil.player().step(), 1);
    pupil.press("lessonAll");
    QVERIFY(!pupil.player().isRunning());
    QVERIFY(pupil.part<QLabel>("progress:replication").text().contains(QLatin1String("step 2 of")));
}

void LessonsTest::anExerciseBeginsAgainAndShowsTheBestKnown() {
    Pupil pupil;
    pupil.begin(QStringLiteral("memory"));
    while (!pupil.player().isLast()) pupil.press("lessonNext");
    pupil.waitForPlans();
    QVERIFY(!pupil.part<QPushButton>("taskReveal").isVisible());
    // PE keeps as much as GPipe, eager 1F1B a little less.
    pupil.takeSchedule("eager-1f1b");
    QTRY_VERIFY(pupil.player().result().credit > 0);
    QVERIFY(!pupil.player().result().done);
    pupil.press("taskAgain");
    pupil.waitForPlans();
    const auto& plan = pupil.window.workspace().plan(pupil.window.workbench().currentPlan())->plan;
    QCOMPARE(std::get<FamilySchedule>(plan.schedule.order).name, std::string("gpipe"));
    QCOMPARE(pupil.player().result().credit, 0.0);
    pupil.takeSchedule("eager-1f1b");
    QTRY_VERIFY(!pupil.player().isSearching());
    QTRY_VERIFY(pupil.part<QPushButton>("taskReveal").isVisible());
    pupil.press("taskReveal");
    QVERIFY(pupil.player().result().done && pupil.player().result().credit < 1);
    QVERIFY2(pupil.feedback().contains(QLatin1String("1F1B")), qPrintable(pupil.feedback()));
    const auto& best = pupil.window.workspace().plan(pupil.window.workbench().currentPlan())->plan;
    QCOMPARE(std::get<FamilySchedule>(best.schedule.order).name, std::string("1f1b"));
}

void LessonsTest::anExerciseGoesOnOnceItsTargetIsReached() {
    Pupil pupil;
    pupil.begin(QStringLiteral("bubble"));
    while (!std::holds_alternative<Exercise>(pupil.player().current().task)) pupil.press("lessonNext");
    pupil.waitForPlans();
    pupil.typeMicrobatches(27);
    QTRY_VERIFY2(pupil.feedback().startsWith(QLatin1String("Reached. Now: 10.0 %")),
                 qPrintable(pupil.feedback()));
    pupil.typeMicrobatches(100);
    QTRY_VERIFY2(pupil.feedback().contains(QLatin1String("Now: 2.91 %")), qPrintable(pupil.feedback()));
    QTRY_VERIFY2(pupil.feedback().contains(QLatin1String("Best known: 1.16 %")),
                 qPrintable(pupil.feedback()));
    pupil.typeMicrobatches(16);
    QTRY_VERIFY2(pupil.feedback().startsWith(QLatin1String("Now: 15.8 %")), qPrintable(pupil.feedback()));
    QVERIFY(pupil.player().result().done);
    QCOMPARE(pupil.player().result().credit, 1.0);
}

void LessonsTest::aLessonOfOnesOwnOpensAndAWrongOneSaysWhere() {
    const auto write = [this](const QString& name, const char* text) {
        QFile file(home_.file(name));
        file.open(QIODevice::WriteOnly);
        file.write(text);
        return file.fileName();
    };
    const QString right =
        write(QStringLiteral("mine.lesson.md"),
              "---\nsample: schedules\nabout: Mine.\n---\n\n# Mine\n\n```show\nplan: ZB-V\n```\n\n"
              "```do\ntext: Present it.\naction: help.glossary\n```\n");
    Pupil pupil;
    pupil.window.lessons().openFile(right);
    QVERIFY(pupil.player().isRunning());
    QCOMPARE(pupil.player().lesson().title, std::string("Mine"));
    pupil.waitForPlans();
    QCOMPARE(pupil.window.workbench().tabText(pupil.window.workbench().currentIndex()),
             QStringLiteral("ZB-V"));
    QVERIFY(!pupil.player().result().done);
    pupil.window.actionRegister().action(QStringLiteral("help.glossary"))->trigger();
    QTRY_VERIFY(pupil.player().result().done);

    const std::pair<const char*, const char*> wrong[] = {
        {"---\nsample: schedule\nabout: a\n---\n# T\n\ntext\n",
         "no sample 'schedule' (did you mean 'schedules'?)"},
        {"---\nsample: schedules\nabout: a\n---\n# T\n\n```show\nplan: ZB-W\n```\n\ntext\n",
         "line 8: no plan 'ZB-W'"},
        {"---\nsample: schedules\nabout: a\n---\n# T\n\n```show\nplan: ZB-V\nblock: stage:9\n```\n\ntext\n",
         "line 9: 'stage:9'"},
        {"---\nsample: schedules\nabout: a\n---\n# T\n\n```show\nplan: ZB-V\n```\n\n"
         "```do\ntext: x\nblock: stage:0 kind:forwrd\n```\n",
         "line 11: 'stage:0 kind:forwrd'"},
        {"---\nsample: schedules\nabout: a\n---\n# T\n\n```do\ntext: x\naction: help.me\n```\n",
         "line 7: the window has no action"},
        {"---\nsample: schedules\nabout: a\n---\n# T\n\n```ask\nquestion: x\nmetric: iteration_time_s\nplan: "
         "1F1B\nschedule: "
         "zb-v\n```\n",
         "line 7: "},
        {"---\nsample: schedules\nabout: a\n---\n# T\n\n```exercise\ntext: x\nplan: 1F1B\nmetric: "
         "iteration_time_s\ntarget: 1 "
         "s\n```\n",
         "line 7: the target is reached at the start"}};
    for (const auto& [text, said] : wrong) {
        const int before = pupil.window.problems().rowCount();
        pupil.window.lessons().openFile(write(QStringLiteral("wrong.lesson.md"), text));
        QCOMPARE(pupil.window.problems().rowCount(), before + 1);
        bool found = false;
        for (int row = 0; row <= before; ++row)
            found |= pupil.window.problems().index(row, 0).data().toString().contains(QLatin1String(said)) ||
                     pupil.window.problems()
                         .index(row, 0)
                         .data(Qt::ToolTipRole)
                         .toString()
                         .contains(QLatin1String(said));
        QVERIFY2(found, said);
    }
    // What was taken goes on.
    QCOMPARE(pupil.player().lesson().title, std::string("Mine"));
}

void LessonsTest::lessonsOfAFolderAreListed() {
    const QString folder = home_.file(QStringLiteral("lessons"));
    QVERIFY(QDir().mkpath(folder));
    const auto write = [&folder](const QString& name, const QByteArray& text) {
        QFile file(folder + QLatin1Char('/') + name);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
    };
    const QByteArray head =
        "---\nsample: schedules\nabout: Mine.\nminutes: 7\n---\n\n# Of my own\n\nFirst.\n";
    write(QStringLiteral("a.lesson.md"), head + "\n## Second\n\nMore.\n\n## Third\n\nThe end.\n");
    write(QStringLiteral("b.lesson.md"), "no lesson\n");
    write(QStringLiteral("c.txt"), head);
    Preferences::setLessonsFolder(folder);
    {
        Pupil pupil;
        pupil.window.actionRegister().action(QStringLiteral("lesson.list"))->trigger();
        const auto& own = pupil.part<QWidget>("ownLessons");
        QCOMPARE(own.findChildren<QPushButton*>().size(), 2);
        QCOMPARE(pupil.part<QPushButton>("lesson:a.lesson.md").accessibleName(), QStringLiteral("Of my own"));
        QCOMPARE(pupil.part<QLabel>("progress:a.lesson.md").text(), QStringLiteral("7 minutes"));
        click(pupil.dock(), QStringLiteral("lesson:a.lesson.md"));
        QVERIFY(pupil.player().isRunning());
        QCOMPARE(pupil.player().lesson().title, std::string("Of my own"));
        pupil.press("lessonNext");
        QCOMPARE(pupil.player().step(), 1);
        pupil.press("lessonAll");
        QCOMPARE(pupil.part<QLabel>("progress:a.lesson.md").text(),
                 QStringLiteral("7 minutes · step 2 of 3"));
        // It goes on where it was left, and what is no lesson says why.
        click(pupil.dock(), QStringLiteral("lesson:a.lesson.md"));
        QCOMPARE(pupil.player().step(), 1);
        pupil.press("lessonAll");
        const int before = pupil.window.problems().rowCount();
        click(pupil.dock(), QStringLiteral("lesson:b.lesson.md"));
        QVERIFY(pupil.window.problems().rowCount() > before);
        QVERIFY(!pupil.player().isRunning());
    }
    // A lesson that has become shorter begins at its first step.
    write(QStringLiteral("a.lesson.md"), head);
    Pupil pupil;
    pupil.window.actionRegister().action(QStringLiteral("lesson.list"))->trigger();
    click(pupil.dock(), QStringLiteral("lesson:a.lesson.md"));
    QCOMPARE(pupil.player().step(), 0);
    Preferences::setLessonsFolder({});
    pupil.press("lessonAll");
    pupil.window.actionRegister().action(QStringLiteral("lesson.list"))->trigger();
    QVERIFY(!pupil.dock().findChild<QWidget*>(QStringLiteral("ownLessons")));
}

void LessonsTest::aLessonTakesTheProjectBesideIt() {
    Project mine = openProject(STAGECRAFT_SOURCE_DIR "/samples/gpipe-1f1b.stagecraft.json");
    mine.problem.profile.name = "my network";
    mine.origins.clear();
    writeFileAtomically(home_.file(QStringLiteral("mine.stagecraft.json")).toStdString(), writeProject(mine));
    QFile file(home_.file(QStringLiteral("own.lesson.md")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(
        "---\nsample: mine.stagecraft.json\nabout: Mine.\n---\n\n# Mine\n\n```show\nplan: GPipe\n```\n\n"
        "```ask\nquestion: How long?\nmetric: iteration_time_s\nplan: GPipe\n```\n");
    file.close();
    Pupil pupil;
    pupil.window.lessons().openFile(file.fileName());
    QVERIFY(pupil.player().isRunning());
    pupil.waitForPlans();
    QCOMPARE(pupil.window.workspace().problem().profile.name, std::string("my network"));
    QVERIFY(mentions(call({"lesson", file.fileName().toStdString(), "--answers"}).out, "33.0 ms"));
    QVERIFY(mentions(call({"lesson", file.fileName().toStdString(), "--check"}).out, "nothing wrong"));
    QVERIFY(QFile::remove(home_.file(QStringLiteral("mine.stagecraft.json"))));
    QVERIFY(mentions(call({"lesson", file.fileName().toStdString(), "--check"}).err, "mine.stagecraft.json"));
}

void LessonsTest::allThatIsWrongIsSaidAtOnce() {
    QFile file(home_.file(QStringLiteral("nine.lesson.md")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(
        "---\nsample: schedule\nabout: a\n---\n# T\n\ntext\n\n## Second\n\n"
        "```show\nsample: schedules\nplan: ZB-W\ncharts: 1F1B, none\n```\n\n"
        "```ask\nquestion: x\nnumber: 3 lightyears\n```\n");
    file.close();
    const auto said = call({"lesson", file.fileName().toStdString(), "--check"});
    QCOMPARE(said.status, 2);
    for (const char* fault : {"line 2: no sample 'schedule'", "line 13: no plan 'ZB-W'",
                              "line 14: no plan 'none'", "line 19: the unit 'lightyears'"})
        QVERIFY2(mentions(said.err, fault), said.err.c_str());
    Pupil pupil;
    const int before = pupil.window.problems().rowCount();
    pupil.window.lessons().openFile(file.fileName());
    QCOMPARE(pupil.window.problems().rowCount(), before + 4);
    QVERIFY(!pupil.player().isRunning());
}

/// What is right as it is written is taken through the window.
void LessonsTest::stepsThatTheWindowDoesNotShowAreNamed() {
    QFile file(home_.file(QStringLiteral("unshown.lesson.md")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(
        "---\nsample: gpipe-1f1b\nabout: a\n---\n# T\n\nx\n"
        "```show\nplan: GPipe\nblock: stage:1 kind:forward mb:2\ncolour: chunk\ntime: 2 ms..9 ms\nplayhead: "
        "4 ms\n```\n\n"
        "## Charts and a tab\nx\n```show\nplan: GPipe\ncharts: GPipe, 1F1B\n```\n\n"
        "## Nothing is stale\nx\n```show\nplan: 1F1B\ncolour: staleness\n```\n\n"
        "## Of which plan?\nx\n```show\ncharts: 1F1B, GPipe\nbelow: links\n```\n\n"
        "## Too late\nx\n```show\nplan: GPipe\ntime: 0 ms..900 ms\nplayhead: 800 ms\n```\n\n"
        "## Press\n\n```do\ntext: Press.\naction: cluster.explode\n```\n");
    file.close();
    const auto said = call({"lesson", file.fileName().toStdString(), "--check"});
    QCOMPARE(said.status, 2);
    const char* const faults[] = {
        "line 20: the window does not show 'charts: …' of the step 'Charts and a tab': "
        "the tab of the plan 'GPipe' is in front",
        "line 27: the window does not show 'colour: …'",
        "line 34: the window does not show 'below: …' of the step 'Of which plan?': "
        "it is of a plan",
        "line 41: the window does not show 'time: …'",
        "line 42: the window does not show 'playhead: …'",
        "line 47: the window has no action 'cluster.explode'"};
    for (const char* fault : faults) QVERIFY2(mentions(said.err, fault), (fault + ("\n" + said.err)).c_str());
    const std::string& text = said.err;
    QCOMPARE(std::count(text.begin(), text.end(), '\n'), static_cast<int>(std::size(faults)));
}

/// In the narrowest panel too none is cut off.
void LessonsTest::titlesInTheListAreBrokenIntoLines() {
    LessonList list;
    list.resize(230, 700);
    list.show();
    QVERIFY(QTest::qWaitForWindowExposed(&list));
    int broken = 0;
    for (const ShippedLesson& shipped : shippedLessons()) {
        const auto* button = list.findChild<QPushButton*>(QStringLiteral("lesson:") + shipped.id);
        const auto* title = button->findChild<QLabel*>();
        QCOMPARE(title->text(), QString::fromStdString(shipped.lesson.title));
        QVERIFY2(title->height() >= title->heightForWidth(title->width()), qPrintable(title->text()));
        QVERIFY(button->rect().contains(title->geometry()));
        broken += title->height() > 2 * title->fontMetrics().height() - 1;
    }
    QVERIFY(broken > 0);
}

void LessonsTest::theStartPageLeadsToTheLessons() {
    Pupil pupil;
    click(pupil.window, QStringLiteral("lessons"));
    QVERIFY(pupil.part<LessonList>("lessonList").isVisible());
}

void LessonsTest::handOutsHaveRoomForAnswersOrTheAnswers() {
    const Lesson& lesson = findLesson(QStringLiteral("bubble"))->lesson;
    const QString blank = handOutText(lesson, false), answered = handOutText(lesson, true);
    QVERIFY(blank.contains(QStringLiteral("☐ More microbatches")) && !blank.contains(QStringLiteral("☒")));
    QVERIFY(answered.contains(QStringLiteral("☒ More microbatches")));
    QVERIFY(!blank.contains(QStringLiteral("57.0 ms")) && answered.contains(QStringLiteral("57.0 ms")));
    QVERIFY(!blank.contains(QStringLiteral("27 microbatches are enough")));
    QVERIFY(blank.contains(QLatin1String("Name:")) && !answered.contains(QLatin1String("Name:")));
    for (const ShippedLesson& shipped : shippedLessons()) {
        // Each of its charts, drawn; what is shown twice in a row is there once.
        const QString text = handOutText(shipped.lesson, false);
        for (const LessonStep& step : shipped.lesson.steps)
            for (const std::string& plan : step.show.charts)
                QVERIFY2(text.contains(QStringLiteral("\"plan\":\"%1\"").arg(plan.c_str())), plan.c_str());
        const QStringList blocks = text.split(QStringLiteral("```figure\n"));
        QVERIFY2(blocks.size() > 1, qPrintable(shipped.id));
        for (qsizetype i = 1; i < blocks.size(); ++i)
            QVERIFY(!drawHelpPicture(readHelpPicture(blocks[i].section('\n', 0, 0), "hand-out"), 150)
                         .items.empty());
    }
    // Room to draw the exercise's plan in, which answers need not.
    QVERIFY(blank.contains(QStringLiteral("\"view\":\"lanes\"")));
    QVERIFY(blank.contains(QStringLiteral("\"name_line\":false")));  // its own name is at the top
    QVERIFY(!answered.contains(QStringLiteral("\"view\":\"lanes\"")));
    writeHandOut(lesson, true, home_.file(QStringLiteral("out.pdf")).toStdString());
    QFile pdf(home_.file(QStringLiteral("out.pdf")));
    QVERIFY(pdf.open(QIODevice::ReadOnly) && pdf.read(5) == "%PDF-");
}

void LessonsTest::aDroppedLessonOpens() {
    Pupil pupil;
    const QString path = home_.file(QStringLiteral("dropped.lesson.md"));
    QVERIFY(QFile::copy(QStringLiteral(STAGECRAFT_SOURCE_DIR "/resources/lessons/1-bubble.lesson.md"), path));
    QMimeData files;
    files.setUrls({QUrl::fromLocalFile(path)});
    QDragEnterEvent enter(QPoint(40, 40), Qt::CopyAction, &files, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&pupil.window, &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(QPointF(40, 40), Qt::CopyAction, &files, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&pupil.window, &drop);
    QTRY_VERIFY(pupil.player().isRunning());
    QCOMPARE(pupil.player().lesson().title, findLesson(QStringLiteral("bubble"))->lesson.title);
    QVERIFY(pupil.dock().isVisible());
}

void LessonsTest::resultsAreSavedKeptAndCollected() {
    const QString folder = home_.file(QStringLiteral("class"));
    QVERIFY(QDir().mkpath(folder));
    const std::string ada = (folder + "/Ada.lesson-results.json").toStdString();
    {
        Pupil pupil;
        QSettings().remove(QStringLiteral("lessons"));
        pupil.begin(QStringLiteral("bubble"));
        while (!std::holds_alternative<Question>(pupil.player().current().task))
            pupil.player().goTo(pupil.player().step() + 1);
        pupil.player().giveHint();
        const LessonResults results = pupil.player().results(QStringLiteral("Ada"));
        QCOMPARE(results.lesson, findLesson(QStringLiteral("bubble"))->lesson.title);
        const auto asked = std::find_if(results.tasks.begin(), results.tasks.end(),
                                        [](const TaskResult& task) { return task.kind == "question"; });
        QVERIFY(asked != results.tasks.end());
        QCOMPARE(asked->hints, 1);
        writeFileAtomically(ada, writeResults(results));
        // What is gone on with later is not lost.
        pupil.player().goTo(pupil.player().step());
        const int step = pupil.player().step();
        pupil.player().start(findLesson(QStringLiteral("bubble"))->lesson, QStringLiteral("bubble"), step);
        QVERIFY(pupil.player().results(QStringLiteral("Ada")) == results);
    }
    writeFileAtomically((folder + "/broken.lesson-results.json").toStdString(), "{");
    const auto printed = call({"lesson", "--results", folder.toStdString()});
    QCOMPARE(printed.status, 0);
    QVERIFY2(mentions(printed.out, "Ada") && mentions(printed.err, "broken.lesson-results.json"),
             printed.err.c_str());
    const std::string csv = (folder + "/class.csv").toStdString();
    QCOMPARE(call({"lesson", "--results", ada, "--out", csv}).status, 0);
    QVERIFY(readTextFile(csv).starts_with("Name,Lesson,Score,Done,"));
    QCOMPARE(call({"lesson", "--results", home_.file(QStringLiteral("nowhere")).toStdString()}).status, 2);
    QCOMPARE(call({"lesson", "--out", csv}).status, 2);
}

void LessonsTest::aClassIsCollectedInAWindow() {
    const QString good = home_.file(QStringLiteral("Bob.lesson-results.json"));
    const QString bad = home_.file(QStringLiteral("bad.lesson-results.json"));
    for (const char* name : {"Bob", "Ada"})
        writeFileAtomically(
            home_.file(QLatin1String(name) + ".lesson-results.json").toStdString(),
            writeResults(
                {name, "Bubbles", {{"Count", "question", true, name[0] == 'A' ? 1.0 : 0.05, 1, 0, false}}}));
    writeFileAtomically(bad.toStdString(), "{");
    Pupil pupil;
    pupil.window.actionRegister().action(QStringLiteral("lesson.class"))->trigger();
    auto* classWindow = pupil.window.findChild<ClassWindow*>();
    QVERIFY(classWindow && classWindow->isVisible());
    QVERIFY(!classWindow->table().isVisible());  // in its place stands what to do
    QVERIFY(classWindow->findChild<QLabel*>(QStringLiteral("classMessage"))->isVisible());
    QMimeData files;
    files.setUrls({QUrl::fromLocalFile(good),
                   QUrl::fromLocalFile(home_.file(QStringLiteral("Ada.lesson-results.json"))),
                   QUrl::fromLocalFile(bad)});
    QDragEnterEvent enter(QPoint(40, 40), Qt::CopyAction, &files, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(classWindow, &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(QPointF(40, 40), Qt::CopyAction, &files, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(classWindow, &drop);
    QVERIFY(classWindow->table().isVisible());
    QCOMPARE(classWindow->table().rowCount(), 2);
    QCOMPARE(classWindow->table().item(0, 0)->text(), QStringLiteral("Ada"));
    QVERIFY(classWindow->findChild<QLabel*>(QStringLiteral("classMessage"))->text().contains(bad));
    // By score: 5 % before 100 %.
    auto* header = classWindow->table().horizontalHeader();
    QTest::mouseClick(header->viewport(), Qt::LeftButton, {},
                      QPoint(header->sectionViewportPosition(2) + 5, header->height() / 2));
    QCOMPARE(classWindow->table().item(0, 2)->text(), QStringLiteral("5 %"));
    const QString csv = home_.file(QStringLiteral("window.csv"));
    QCOMPARE(classWindow->exportTo(csv), QString());
    QVERIFY(mentions(readTextFile(csv.toStdString()), "Ada,Bubbles,100 %,1 of 1"));
}

void LessonsTest::noPageOfAHandOutEndsWithAHeading() {
    const QString reader = QStandardPaths::findExecutable(QStringLiteral("pdftotext"));
    if (reader.isEmpty()) QSKIP("pdftotext is not installed");
    const QString pdf = home_.file(QStringLiteral("pages.pdf"));
    for (const ShippedLesson& shipped : shippedLessons()) {
        writeHandOut(shipped.lesson, false, pdf.toStdString());
        QProcess process;
        process.start(reader, {QStringLiteral("-layout"), pdf, QStringLiteral("-")});
        QVERIFY(process.waitForFinished());
        const QStringList pages =
            QString::fromUtf8(process.readAllStandardOutput()).split('\f', Qt::SkipEmptyParts);
        QVERIFY(pages.size() > 1);
        for (const QString& page : pages) {
            QStringList lines = page.split('\n', Qt::SkipEmptyParts);
            for (QString& line : lines) line = line.trimmed();
            lines.removeAll(QString());
            QVERIFY(lines.size() > 2);
            // The last line is the page's number.
            const QString last = lines[lines.size() - 2];
            for (const LessonStep& step : shipped.lesson.steps)
                QVERIFY2(last != QString::fromStdString(step.title), qPrintable(shipped.id + ": " + last));
        }
    }
}

void LessonsTest::theCommandListsChecksAndPrints() {
    const auto list = call({"lesson"});
    for (const ShippedLesson& shipped : shippedLessons())
        QVERIFY(mentions(list.out, shipped.id.toStdString() + ": " + shipped.lesson.title));
    QVERIFY(mentions(call({"lesson", "memory", "--check"}).out, "8 steps, nothing wrong"));
    QVERIFY(mentions(call({"lesson", "memory", "--answers"}).out, "2.98 GiB"));
    QVERIFY(!mentions(call({"lesson", "memory"}).out, "2.98 GiB"));
    const auto unknown = call({"lesson", "memori"});
    QVERIFY(unknown.status == 2 && mentions(unknown.err, "did you mean 'memory'?"));
}

STAGECRAFT_TEST(LessonsTest)
#include "lessons_test.moc"
