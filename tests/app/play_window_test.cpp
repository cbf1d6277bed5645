// Comparing plans as charts, playing one beside its cluster, presenting it, and its export.

#include "app/compare/compare_page.h"
#include "tests/support/window_rooms.h"
#include "app/play/play_window.h"
#include "app/shell/workbench.h"
#include "tests/app/command_call.h"
#include "tests/app/sample_files.h"
#include "tests/app/window_fixture.h"
#include "tests/support/qt_program.h"
#include "views/play/play_canvas.h"
#include "views/play/play_view.h"
#include "views/timeline/gantt_chart.h"
#include "views/timeline/play_clock.h"

#include <QAction>
#include <QDir>
#include <QImageReader>
#include <QMenu>
#include <QTableView>
#include <QToolButton>

using namespace stagecraft;
using testing::call, testing::Outcome;
using testing::xpipeFile;

class PlayWindowTest : public QObject {
    Q_OBJECT
private slots:
    void init();
    void cleanup() { window_.reset(); }

    void selectedRowsBecomeChartsAndBack();
    void theMenuStacksTheFastestPlans();
    void aDoubleClickInAStackOpensThePlanThere();
    void aPlanIsPlayedFromWhereItWasSteppedTo();
    void presentingIsFullScreenUntilEscape();
    void selectedRowsArePlayedTogether();
    void theMenuAddsPlansAndTakesThemAway();
    void whatIsPresentedWithIsRemembered();
    void digitsJumpToTheNotesOfThePlan();
    void theMovieIsWrittenAndCanBeStopped();
    void theCommandLineWritesMovies();
    void tenSecondsAreSmall();

private:
    QAction* action(const char* id) { return window_->actionRegister().action(QLatin1String(id)); }
    PlayWindow* playing() { return window_->findChild<PlayWindow*>(); }
    void showPlan(int index) {
        window_->workbench().showKey(QStringLiteral("plan:%1").arg(index));
        PlanView* view = window_->workbench().planView(window_->workbench().currentPlan());
        QVERIFY(view);
        QTRY_VERIFY(view->isReady());
    }

    PrivateHome home_;
    std::unique_ptr<MainWindow> window_;
};

void PlayWindowTest::init() {
    window_ = std::make_unique<MainWindow>();
    window_->resize(1280, 800);
    window_->show();
    QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
    openAndWait(*window_, QString::fromStdString(xpipeFile));
    QTRY_VERIFY(std::all_of(window_->workspace().plans().begin(), window_->workspace().plans().end(),
                            [](const PlanItem& item) { return item.run != nullptr; }));
}

void PlayWindowTest::selectedRowsBecomeChartsAndBack() {
    window_->workbench().showCompare();
    ComparePage& page = *window_->workbench().compare();
    auto* table = page.findChild<QTableView*>("compareTable");
    const auto rowAt = [&](int row) { return table->visualRect(table->model()->index(row, 0)).center(); };
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, rowAt(0));
    QTest::mouseClick(table->viewport(), Qt::LeftButton, Qt::ControlModifier, rowAt(2));
    const std::vector<int> rows = page.table().selectedPlans();
    QCOMPARE(rows.size(), std::size_t{2});
    click(page, "showCharts");
    QVERIFY(page.chartsShown());
    std::vector<int> ids;
    for (const int row : rows) ids.push_back(window_->workspace().plans()[static_cast<std::size_t>(row)].id);
    QCOMPARE(page.stack().chosen(), ids);
    click(page, "showTable");
    QVERIFY(!page.chartsShown() && table->isVisible());
}

void PlayWindowTest::theMenuStacksTheFastestPlans() {
    QVERIFY(action("plan.stack")->isEnabled());
    action("plan.stack")->trigger();
    ComparePage& page = *window_->workbench().compare();
    QVERIFY(page.chartsShown());
    QCOMPARE(page.stack().chosen().size(), std::size_t{3});
    double last = 0;
    for (const int id : page.stack().chosen()) {
        QVERIFY(window_->workspace().plan(id)->run->iterationTimeS() >= last);
        last = window_->workspace().plan(id)->run->iterationTimeS();
    }
}

void PlayWindowTest::aDoubleClickInAStackOpensThePlanThere() {
    action("plan.stack")->trigger();
    StackView& stack = window_->workbench().compare()->stack();
    const int id = stack.chosen()[1];
    emit stack.planActivated(id, 3);
    QCOMPARE(window_->workbench().currentPlan(), id);
    QTRY_VERIFY(window_->workbench().planView(id)->isReady());
    QTRY_COMPARE(window_->workbench().planView(id)->selectedBlock(), 3u);
}

void PlayWindowTest::aPlanIsPlayedFromWhereItWasSteppedTo() {
    showPlan(0);
    PlanView* plan = window_->workbench().planView(window_->workbench().currentPlan());
    for (int i = 0; i < 3; ++i) QTest::keyClick(plan, Qt::Key_N);
    QVERIFY(*plan->stepTime() > 0);
    action("plan.playWithCluster")->trigger();
    QVERIFY(playing() && playing()->isVisible());
    QTRY_VERIFY(!playing()->view().plans().empty());
    QCOMPARE(playing()->view().runs().front(), plan->run());
    QCOMPARE(playing()->view().clock().timeS(), *plan->stepTime());
    window_->workspace().removePlan(window_->workbench().currentPlan());
    QVERIFY(playing()->view().plans().empty());
}

void PlayWindowTest::presentingIsFullScreenUntilEscape() {
    showPlan(0);
    action("plan.present")->trigger();
    QVERIFY(playing()->isFullScreen());
    QTRY_VERIFY(!playing()->view().plans().empty());
    QVERIFY(playing()->view().isPresenting());
    QTest::keyClick(&playing()->view(), Qt::Key_Space);
    QVERIFY(playing()->view().clock().isRunning());
    QTest::keyClick(&playing()->view(), Qt::Key_Escape);
    QVERIFY(!playing()->isVisible());
    QVERIFY(!playing()->view().clock().isRunning());
    // From its own window it goes back there.
    action("plan.playWithCluster")->trigger();
    click(*playing(), "present");
    QVERIFY(playing()->isFullScreen());
    QTest::keyClick(&playing()->view(), Qt::Key_Escape);
    QVERIFY(playing()->isVisible() && !playing()->isFullScreen());
}

void PlayWindowTest::selectedRowsArePlayedTogether() {
    window_->workbench().showCompare();
    ComparePage& page = *window_->workbench().compare();
    auto* table = page.findChild<QTableView*>("compareTable");
    const auto rowAt = [&](int row) { return table->visualRect(table->model()->index(row, 0)).center(); };
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, rowAt(1));
    QTest::mouseClick(table->viewport(), Qt::LeftButton, Qt::ControlModifier, rowAt(2));
    const std::vector<int> ids = page.selectedPlans();
    QCOMPARE(ids.size(), std::size_t{2});
    click(page, "playTogether");
    QVERIFY(playing() && playing()->isVisible());
    QCOMPARE(playing()->plans(), ids);
    QTRY_COMPARE(playing()->view().plans().size(), std::size_t{2});
    QVERIFY(playing()->view().picture().isVisible());
    // Without a selection the first.
    table->clearSelection();
    action("plan.playTogether")->trigger();
    const std::size_t all = window_->workspace().plans().size();
    QTRY_COMPARE(playing()->view().plans().size(), std::min(all, std::size_t{4}));
    QCOMPARE(playing()->plans().front(), window_->workspace().plans().front().id);
    // A plan that goes is played no more; the others are.
    window_->workspace().removePlan(playing()->plans().front());
    QTRY_COMPARE(playing()->view().plans().size(), std::min(all, std::size_t{4}) - 1);
}

void PlayWindowTest::theMenuAddsPlansAndTakesThemAway() {
    showPlan(0);
    action("plan.playWithCluster")->trigger();
    QTRY_VERIFY(!playing()->view().plans().empty());
    auto* menu = playing()->findChild<QMenu*>("playedPlansMenu");
    const auto entry = [&](std::size_t plan) {
        emit menu->aboutToShow();
        return menu->actions()[static_cast<qsizetype>(plan)];
    };
    QVERIFY(entry(0)->isChecked() && !entry(0)->isEnabled());  // one stays
    QVERIFY(!entry(1)->isChecked());
    entry(1)->trigger();
    QTRY_COMPARE(playing()->view().plans().size(), std::size_t{2});
    QVERIFY(entry(1)->isChecked() && entry(0)->isEnabled());
    entry(0)->trigger();
    QTRY_COMPARE(playing()->view().plans().size(), std::size_t{1});
    QCOMPARE(playing()->plans().front(), window_->workspace().plans()[1].id);
    QVERIFY(playing()->view().chart().isVisible());
}

void PlayWindowTest::whatIsPresentedWithIsRemembered() {
    showPlan(0);
    action("plan.present")->trigger();
    QTRY_VERIFY(!playing()->view().plans().empty());
    QCOMPARE(playing()->view().presentChoice(), PresentChoice());
    for (const Qt::Key key : {Qt::Key_T, Qt::Key_T, Qt::Key_C, Qt::Key_M})
        QTest::keyClick(&playing()->view(), key);
    const PresentChoice chosen{28, false, true};
    QCOMPARE(playing()->view().presentChoice(), chosen);
    PlayWindow again(window_->workspace());
    QCOMPARE(again.view().presentChoice(), chosen);
}

void PlayWindowTest::digitsJumpToTheNotesOfThePlan() {
    const PlanItem& item = window_->workspace().plans().front();
    const double atS = item.run->evaluation->timeline.lastEndS() / 2;
    window_->workspace().setNotes(item.id, {{atS, {}, "", "half way", {}}}, "note");
    showPlan(0);
    action("plan.present")->trigger();
    QTRY_VERIFY(!playing()->view().plans().empty());
    QCOMPARE(playing()->view().preparedViews().size(), std::size_t{1});
    QTest::keyClick(&playing()->view(), Qt::Key_1);
    QCOMPARE(playing()->view().clock().timeS(), atS);
}

void PlayWindowTest::theMovieIsWrittenAndCanBeStopped() {
    showPlan(0);
    action("plan.playWithCluster")->trigger();
    QTRY_VERIFY(!playing()->view().plans().empty());
    MovieChoice choice;
    choice.seconds = 1;
    choice.framesPerSecond = 5;
    choice.size = {320, 180};
    const QString file = home_.file("movie.png");
    QSignalSpy exported(playing(), &PlayWindow::exported);
    playing()->exportTo(file, choice);
    QVERIFY(playing()->isExporting());
    QVERIFY(exported.wait(20'000));
    QVERIFY(!QImage(file).isNull());
    QVERIFY(playing()->message().contains("movie.png"));

    choice.seconds = 120;
    choice.framesPerSecond = 60;
    choice.format = "frames";
    const QString folder = home_.file("frames");
    playing()->exportTo(folder, choice);
    QTest::qWait(50);
    click(*playing(), "cancelMovie");
    QTRY_VERIFY(!playing()->isExporting());
    QVERIFY(!QDir(folder).exists() && !QDir(folder + ".unfinished").exists());
    QVERIFY(playing()->message().startsWith("Stopped"));
}

void PlayWindowTest::theCommandLineWritesMovies() {
    const std::string file = home_.file("from-command.png").toStdString();
    const std::vector<std::string> common{"export", xpipeFile, "--plan", "0",      "--seconds",
                                          "1",      "--fps",   "5",      "--size", "320x180"};
    const auto with = [&](std::vector<std::string> more) {
        std::vector<std::string> all = common;
        all.insert(all.end(), more.begin(), more.end());
        return call(all);
    };
    const Outcome apng = with({"--format", "apng", "--out", file});
    QVERIFY2(apng.status == 0, apng.err.c_str());
    QCOMPARE(QImage(QString::fromStdString(file)).size(), QSize(320, 180));
    const std::string gif = home_.file("from-command.gif").toStdString();
    const Outcome together = with({"--plan", "1", "--format", "gif", "--out", gif, "--font-pt", "28"});
    QVERIFY2(together.status == 0, together.err.c_str());
    QImageReader reader(QString::fromStdString(gif));
    QCOMPARE(reader.size(), QSize(320, 180));
    QCOMPARE(reader.imageCount(), 5);
    QCOMPARE(with({"--plan", "1", "--format", "svg", "--out", file}).status, 2);  // a figure of one plan
    QCOMPARE(
        with({"--plan", "1", "--plan", "0", "--plan", "1", "--plan", "0", "--format", "gif", "--out", gif})
            .status,
        2);
    const QString folder = home_.file("command-frames");
    QCOMPARE(with({"--format", "frames", "--out", folder.toStdString()}).status, 0);
    QCOMPARE(QDir(folder).entryList(QDir::Files).size(), 5);
    QCOMPARE(with({"--format", "frames", "--out", folder.toStdString()}).status, 2);  // it is there
    const Outcome wrong =
        call({"export", xpipeFile, "--plan", "0", "--format", "apng", "--out", file, "--size", "10x10"});
    QCOMPARE(wrong.status, 2);
    QVERIFY2(wrong.err.find("--size") != std::string::npos, wrong.err.c_str());
    const Outcome long_ =
        call({"export", xpipeFile, "--plan", "0", "--format", "apng", "--out", file, "--seconds", "3600"});
    QCOMPARE(long_.status, 2);
}

void PlayWindowTest::tenSecondsAreSmall() {
    const std::string sample = STAGECRAFT_SOURCE_DIR "/samples/schedules.stagecraft.json";
    for (const char* format : {"apng", "gif"}) {
        const QString file = home_.file("ten-seconds");
        const Outcome outcome =
            call({"export", sample, "--plan", "1F1B", "--plan", "GPipe", "--with-cluster", "--seconds", "10",
                  "--size", "1280x720", "--format", format, "--out", file.toStdString()});
        QVERIFY2(outcome.status == 0, outcome.err.c_str());
        const qint64 bytes = QFileInfo(file).size();
        QVERIFY2(bytes > 10'000 && bytes < 3'000'000, qPrintable(QString::number(bytes)));
    }
}

STAGECRAFT_TEST(PlayWindowTest)
#include "play_window_test.moc"
