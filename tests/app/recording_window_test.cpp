// Recordings of real runs in the window, with real clicks and keys.
#include "app/compare/compare_page.h"
#include "app/panels/problems_panel.h"
#include "app/recording/recording_page.h"
#include "app/recording/report_panel.h"
#include "app/shell/all_figures.h"
#include "app/shell/workbench.h"
#include "core/formats/files/project_file.h"
#include "tests/app/command_call.h"
#include "tests/app/recorded_run.h"
#include "tests/app/window_fixture.h"
#include "tests/support/qt_program.h"
#include "tests/support/window_rooms.h"
#include "views/common/widgets.h"
#include "views/plan/details_pane.h"
#include "views/plan/plan_notes.h"
#include "views/plan/plan_search.h"
#include "views/plan/plan_view.h"
#include "views/plan/questions.h"
#include "views/plan/range_section.h"
#include "views/plan/resource_charts.h"
#include "views/plan/search_bar.h"
#include "views/resources/memory_chart.h"
#include "views/timeline/gantt_chart.h"
#include "views/timeline/hover_card.h"

#include <QComboBox>
#include <QDir>
#include <QDropEvent>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QStatusBar>
#include <QTabBar>
#include <QTableView>
#include <QTimer>
#include <QToolButton>

using namespace stagecraft;
using app::recording::RecordingPage;

namespace {

/// A drop of files on the window, as a file manager does it.
void dropOn(MainWindow& window, const QStringList& files) {
    QMimeData data;
    QList<QUrl> urls;
    for (const QString& file : files) urls << QUrl::fromLocalFile(file);
    data.setUrls(urls);
    QDragEnterEvent enter(QPoint(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(QPointF(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &drop);
}

}  // namespace

class RecordingWindowTest : public QObject {
    Q_OBJECT

    PrivateHome home_;

    QString folder(const QString& name) {
        const QString path = home_.file(name);
        QDir().mkpath(path);
        return path;
    }
    /// Drops a run of four ranks on an empty window and waits for its chart.
    RecordingPage& dropRun(MainWindow& window, const QString& name) {
        QSignalSpy done(&window, &MainWindow::openingDone);
        dropOn(window, writeRecordedRun(folder(name)));
        [&] { QVERIFY(done.wait(10'000)); }();
        RecordingPage& page = *window.workbench().recording();
        [&] { QTRY_VERIFY(page.view() && page.view()->isReady()); }();
        return page;
    }
    static bool isTabShown(MainWindow& window) {
        return window.workbench().isTabVisible(window.workbench().indexOf(window.workbench().recording()));
    }

private slots:
    void initTestCase() { applyTheme(*qApp, ThemeChoice::light); }

    void filesDroppedOnTheStartPageAreARecordingInView() {
        MainWindow window;
        window.show();
        QVERIFY(!isTabShown(window));
        RecordingPage& page = dropRun(window, QStringLiteral("start"));
        QCOMPARE(window.workbench().currentPage(), static_cast<Page*>(&page));
        QVERIFY(isTabShown(window));
        const Recording& recording = *page.shownRun()->recording;
        QCOMPARE(recording.stageCount(), 4);
        QCOMPARE(window.workspace().recordings().size(), std::size_t(1));
        QCOMPARE(window.workspace().recordings().front().files.size(), std::size_t(4));
        QVERIFY(!window.workspace().isDirty());
        QVERIFY2(page.report().text().contains(QStringLiteral("4 files")), qPrintable(page.report().text()));
        QCOMPARE(window.problems().faultCount(), 0);
    }

    void ofKernelsAloneItSaysWhatIsMissingForAPlan() {
        const QString path = folder(QStringLiteral("kernels")) + QStringLiteral("/rank0.trace.json");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        // 20 of 2,000,010 microseconds, and 1 s on another stream.
        file.write(R"({"schemaVersion":1,"distributedInfo":{"rank":0},"traceEvents":[
            {"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":100,"dur":10},
            {"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":2000100,"dur":10},
            {"ph":"X","cat":"kernel","name":"norm","pid":0,"tid":9,"ts":200,"dur":1000000}]})");
        file.close();
        MainWindow window;
        window.show();
        QSignalSpy done(&window, &MainWindow::openingDone);
        dropOn(window, {path});
        QVERIFY(done.wait(10'000));
        RecordingPage& page = *window.workbench().recording();
        QTRY_VERIFY(page.view() && page.view()->isReady());
        QStringList shares;
        for (const auto& row : page.view()->gantt().scene().rows) shares << row.share;
        QCOMPARE(shares, QStringList({QStringLiteral("<1 %"), QStringLiteral("50 %")}));
        QCOMPARE(window.findChild<views::common::ElidedLabel*>(QStringLiteral("summary"))->whole(),
                 QStringLiteral("No plan yet: the profile has no layer; at least one is needed"));
        // Before and after Run is pressed.
        const auto says = [&window](const QString& sentence) {
            const QList<QLabel*> labels = window.findChildren<QLabel*>();
            return std::any_of(labels.begin(), labels.end(), [&](QLabel* label) {
                return label->isVisible() && label->text() == sentence;
            });
        };
        const QString missing =
            QStringLiteral("Nothing to plan yet: the profile has no layer; at least one is needed");
        QVERIFY(says(missing + QLatin1Char('.')));
        QVERIFY(!window.findChild<QWidget*>(QStringLiteral("leftOut"))->isVisible());
        click(window, QStringLiteral("run"));
        QCOMPARE(window.statusBar()->currentMessage(), missing);
    }

    void aFolderIsARecordingToo() {
        const QString path = folder(QStringLiteral("whole"));
        writeRecordedRun(path);
        MainWindow window;
        window.show();
        QSignalSpy done(&window, &MainWindow::openingDone);
        QTimer::singleShot(0, qApp, [path] {
            auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
            QVERIFY(dialog);
            dialog->findChild<QLineEdit*>()->setText(path);
            QTest::keyClick(dialog->findChild<QLineEdit*>(), Qt::Key_Return);
        });
        click(window, QStringLiteral("openRecording"));  // of the start page
        QVERIFY(done.wait(10'000));
        QTRY_VERIFY(window.workbench().recording()->view());
        QCOMPARE(window.workbench().recording()->shownRun()->recording->stageCount(), 4);
    }

    void aLogSaysHowLongIterationsTake() {
        MainWindow window;
        window.show();
        openAndWait(window, STAGECRAFT_SOURCE_DIR "/tests/data/recordings/megatron.log");
        RecordingPage& page = *window.workbench().recording();
        QTRY_VERIFY(page.isFoundOut());
        for (const char* what : {"39 of 40", "402 ms", "none can be drawn"})
            QVERIFY2(page.report().text().contains(QLatin1String(what)), qPrintable(page.report().text()));
        QVERIFY(window.workspace().plans().empty());
    }

    /// What a recording of kernels has too, though it has no plan.
    void theMenuOfPlansIsThatOfTheRecordingInView() {
        MainWindow window;
        window.resize(1280, 800);
        window.show();
        QSignalSpy done(&window, &MainWindow::openingDone);
        dropOn(window, writeProfiledRun(folder(QStringLiteral("menu"))));
        QVERIFY(done.wait(10'000));
        PlanView* view = window.workbench().recording()->view();
        QTRY_VERIFY(view && view->isReady());
        QAction* next = window.actionRegister().action(QStringLiteral("plan.nextEvent"));
        QTRY_VERIFY(next->isEnabled());
        next->trigger();
        QVERIFY(view->stepTime());
        window.actionRegister().action(QStringLiteral("plan.colourMicrobatch"))->trigger();
        QCOMPARE(view->colouring(), BlockColouring::microbatch);
        window.workbench().showCluster();
        QVERIFY(!next->isEnabled());
    }

    void aMeasuredRunSaysWhatItIs() {
        MainWindow window;
        window.resize(1280, 800);
        window.show();
        openAndWait(window, STAGECRAFT_SOURCE_DIR "/tests/data/recordings/primus");
        RecordingPage& page = *window.workbench().recording();
        QTRY_VERIFY(page.view() && page.view()->isReady());
        QTRY_VERIFY_WITH_TIMEOUT(page.isFoundOut(), 20'000);
        const QString said = page.report().text();
        for (const char* what :
             {"This is 1F1B", "the pipeline fills", "rank7", "Primus", " of 3", "% median", "together, mean"})
            QVERIFY2(said.contains(QLatin1String(what)), qPrintable(said));
        const QString line =
            window.findChild<views::common::ElidedLabel*>(QStringLiteral("summary"))->whole();
        QVERIFY2(line.contains(QStringLiteral("as recorded · busiest rank idle for")), qPrintable(line));
        QCOMPARE(page.shownRun()->recording->stageCount(), 8);
        // One of three iterations from side to side, by a click on the word.
        const QList<QLabel*> labels = page.report().findChildren<QLabel*>();
        const auto iteration = std::ranges::find_if(
            labels, [](const QLabel* label) { return label->text().contains(QLatin1String("'iteration'")); });
        QVERIFY(iteration != labels.end());
        const auto shownS = [&] {
            return page.view()->visibleRange().second - page.view()->visibleRange().first;
        };
        constexpr int stepPx = 4;
        for (int y = stepPx; y < (*iteration)->height() && shownS() > 4; y += stepPx)
            QTest::mouseClick(*iteration, Qt::LeftButton, {}, QPoint(3 * stepPx, y));
        QVERIFY2(std::abs(shownS() - 3.238) < 0.1, qPrintable(QString::number(shownS())));
        QVERIFY(page.view()->resources().isVisible());  // memory was recorded
        QCOMPARE(page.view()->resources().memory().scene().data->memory.size(), std::size_t(8));
        QCOMPARE(window.workspace().plans().size(), std::size_t(1));
        QCOMPARE(window.workspace().problem().setup.microbatches, 16);
    }

    void aScheduleThatIsPredictedToBeFasterIsAPlanAfterAClick() {
        MainWindow window;
        window.resize(1280, 800);
        window.show();
        openAndWait(window, STAGECRAFT_SOURCE_DIR "/tests/data/recordings/primus");
        RecordingPage& page = *window.workbench().recording();
        const QString offer = QStringLiteral("A click adds the plan to the project.");
        QTRY_VERIFY_WITH_TIMEOUT(page.report().text().contains(offer), 20'000);
        const QList<QLabel*> labels = page.report().findChildren<QLabel*>();
        const auto linked = std::ranges::find_if(
            labels, [](const QLabel* label) { return label->text().contains(QLatin1String("<a href='0'")); });
        QVERIFY(linked != labels.end());
        const QString said = (*linked)->text();
        Workspace& workspace = window.workspace();
        emit(*linked)->linkActivated(QStringLiteral("0"));
        QCOMPARE(workspace.plans().size(), std::size_t(2));
        const int id = workspace.plans().back().id;
        QCOMPARE(window.workbench().currentPlan(), id);
        QVERIFY2(said.contains(workspace.plan(id)->title()), qPrintable(said + workspace.plan(id)->title()));
        QTRY_VERIFY(workspace.plan(id)->okRun());
        // It takes as much less time as was said.
        const double gain =
            1 - workspace.plan(id)->run->iterationTimeS() / workspace.plans().front().run->iterationTimeS();
        QVERIFY2(said.contains(QString::fromStdString(formatPercent(gain))), qPrintable(said));
        page.propose(0);  // it is there
        QCOMPARE(workspace.plans().size(), std::size_t(2));
        // Neither plan says what it holds.
        window.workbench().showCompare();
        const auto* table = window.workbench().compare()->findChild<QTableView*>();
        QVERIFY(table);
        for (int column = 0; column < table->model()->columnCount(); ++column)
            if (table->model()->headerData(column, Qt::Horizontal).toString() == QLatin1String("Peak memory"))
                QCOMPARE(table->model()->index(0, column).data().toString(), QStringLiteral("–"));
        workspace.undoStack()->undo();
        QCOMPARE(workspace.plans().size(), std::size_t(1));
        // For another problem nothing was predicted.
        TrainingSetup setup = workspace.problem().setup;
        ++setup.microbatches;
        workspace.setSetup(setup);
        QVERIFY(!page.report().text().contains(offer));
        page.propose(0);
        QCOMPARE(workspace.plans().size(), std::size_t(1));
    }

    void aBlockIsHoveredFoundAndItsRangeCounted() {
        MainWindow window;
        window.resize(1280, 800);
        window.show();
        RecordingPage& page = dropRun(window, QStringLiteral("asked"));
        PlanView& view = *page.view();
        const Timeline& timeline = page.shownRun()->recording->timeline;
        const quint32 block = timeline.find(BlockKind::backward, 2, 3, 1);
        QVERIFY(block != noBlock);
        const QPoint at = view.gantt().blockRect(block).center().toPoint();
        QSignalSpy hovered(&view, &PlanView::blockHovered);
        QTest::mouseMove(&view.gantt().plot(), at);
        QTRY_VERIFY(!hovered.isEmpty());
        QCOMPARE(hovered.back().front().toUInt(), block);

        view.setFocus();
        QTest::keyClick(&view, Qt::Key_F, Qt::ControlModifier);
        QTest::keyClicks(&view.search().bar().field(), QStringLiteral("stage:2 kind:b mb:3"));
        QCOMPARE(view.search().hits()->blocks().size(), std::size_t(4));  // of four iterations
        QTest::keyClick(&view.search().bar().field(), Qt::Key_Escape);

        QTest::mouseClick(&view.gantt().plot(), Qt::LeftButton, {}, at);
        QCOMPARE(view.selectedBlock(), block);
        QTest::keyClick(&view, Qt::Key_R);  // its time becomes the marked range
        QTRY_VERIFY(view.questions().rangeSection().isVisible());
    }

    void theTabsKeyAndTheMenuGoToItWhereThereIsOne() {
        MainWindow window;
        window.show();
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QAction* action = window.actionRegister().action(QStringLiteral("view.recording"));
        click(window, QStringLiteral("sample:bert-large-8x4"));
        QVERIFY(!action->isEnabled());
        QSignalSpy done(&window, &MainWindow::openingDone);
        dropOn(window, writeRecordedRun(folder(QStringLiteral("keys"))));
        QVERIFY(done.wait(10'000));
        QVERIFY(action->isEnabled());
        window.workbench().showCluster();
        QTest::keyClick(&window, Qt::Key_6, Qt::AltModifier);
        QCOMPARE(window.workbench().currentKey(), QStringLiteral("recording"));
        // In an open project it is an edit.
        QVERIFY(window.workspace().isDirty());
        window.workspace().undoStack()->undo();
        QVERIFY(!isTabShown(window));
        QVERIFY(!window.workspace().isDirty());
    }

    void kernelsAreInSightWhereTheZoomLetsThemBeRead() {
        MainWindow window;
        window.resize(1280, 800);
        window.show();
        QSignalSpy done(&window, &MainWindow::openingDone);
        dropOn(window, writeProfiledRun(folder(QStringLiteral("profiled"))));
        QVERIFY(done.wait(10'000));
        RecordingPage& page = *window.workbench().recording();
        QTRY_VERIFY(page.view() && page.view()->isReady());
        PlanView& view = *page.view();
        const Recording& recording = *page.shownRun()->recording;
        QCOMPARE(recording.stageCount(), 2);
        QVERIFY(recording.timeline.find(BlockKind::backward, 1, 3, 1) != noBlock);
        const std::size_t closed = view.gantt().scene().rows.size();
        QCOMPARE(closed, std::size_t(2));
        view.setFocus();
        const QRect area = view.gantt().plot().area();
        QTest::mouseMove(&view.gantt().plot(), area.center());
        for (int press = 0; press < 40 && view.gantt().scene().rows.size() == closed; ++press)
            QTest::keyClick(&view, Qt::Key_W);
        QVERIFY(view.gantt().scene().rows.size() > closed);
        QTest::keyClick(&view, Qt::Key_F, Qt::ControlModifier);
        QTest::keyClicks(&view.search().bar().field(), QStringLiteral("gemm"));
        QCOMPARE(view.search().hits()->blocks().size(), std::size_t(2 * 3 * 8 * 20));
        QTest::keyClick(&view.search().bar().field(), Qt::Key_Escape);
        view.fitAll();
        QCOMPARE(view.gantt().scene().rows.size(), closed);
    }

    void aPlanIsComparedCalibratedAndTakenBack() {
        MainWindow window;
        window.resize(1280, 800);
        window.show();
        RecordingPage& page = dropRun(window, QStringLiteral("calibrated"));
        QCOMPARE(window.workspace().plans().size(), std::size_t(1));
        QTRY_VERIFY(window.workspace().plans().front().okRun());
        QTRY_VERIFY(page.isFoundOut());
        QVERIFY2(page.report().text().contains(QStringLiteral("1F1B")), qPrintable(page.report().text()));
        // Layers that are twice as slow as they were measured.
        LayerProfile slower = window.workspace().problem().profile;
        for (Layer& layer : slower.layers) layer.forwardS *= 2, layer.backwardS *= 2;
        window.workspace().editProfile(slower, QStringLiteral("Slower"));
        QTRY_VERIFY(window.workspace().plans().front().okRun());
        const Problem before = window.workspace().problem();

        auto* against = page.findChild<QComboBox*>(QStringLiteral("compareWith"));
        QVERIFY(against->isVisible());
        against->setFocus();
        QTest::keyClick(against, Qt::Key_Down);
        QTRY_VERIFY(page.view()->gantt().scene().planned);
        QVERIFY2(page.report().text().contains(QStringLiteral("Compared with")),
                 qPrintable(page.report().text()));
        QCOMPARE(page.view()->gantt().scene().planned->word(), QStringLiteral("planned"));
        const quint32 block = page.shownRun()->recording->timeline.find(BlockKind::forward, 0, 1, 1);
        QVERIFY(page.view()->gantt().scene().planned->of(block).known);

        click(page, QStringLiteral("calibrate"));
        QTRY_VERIFY(page.report().text().contains(QStringLiteral("predicted now")));
        const double now = window.workspace().problem().profile.layers.front().forwardS;
        QVERIFY(now < 0.6 * before.profile.layers.front().forwardS);
        QTRY_VERIFY(window.workspace().plans().front().okRun());
        QTRY_VERIFY(page.view()->gantt().scene().planned);  // of the plan as it is predicted now
        window.workspace().undoStack()->undo();
        QVERIFY(window.workspace().problem() == before);
    }

    void twoRecordingsAreComparedWithEachOther() {
        MainWindow window;
        window.show();
        RecordingPage& page = dropRun(window, QStringLiteral("first"));
        QSignalSpy done(&window, &MainWindow::openingDone);
        dropOn(window, writeRecordedRun(folder(QStringLiteral("second"))));
        QVERIFY(done.wait(10'000));
        QCOMPARE(page.shown(), 1);
        auto* against = page.findChild<QComboBox*>(QStringLiteral("compareWith"));
        against->setFocus();
        QTest::keyClick(against, Qt::Key_End);
        QTRY_VERIFY(page.view()->gantt().scene().planned);
        QVERIFY2(page.report().text().contains(QStringLiteral("the other")),
                 qPrintable(page.report().text()));
        QCOMPARE(page.view()->gantt().scene().planned->word(), QStringLiteral("the other run"));
        QVERIFY(!page.findChild<QAbstractButton*>(QStringLiteral("calibrate"))->isVisible());
    }

    void aProjectRemembersItsRecordingsByRelativePaths() {
        const QString project = folder(QStringLiteral("kept")) + QStringLiteral("/run.stagecraft.json");
        {
            MainWindow window;
            window.show();
            RecordingPage& page = dropRun(window, QStringLiteral("kept/traces"));
            page.view()->setFocus();
            page.view()->selectBlock(5);
            QTest::keyClick(page.view(), Qt::Key_M);
            QTRY_COMPARE(window.workspace().recordings().front().notes.size(), std::size_t(1));
            QVERIFY(window.workspace().isDirty());
            QVERIFY(window.saveTo(project));
        }
        const Project saved = openProject(project.toStdString());
        QCOMPARE(saved.recordings.front().files.front(), std::string("traces/rank_0.csv"));
        MainWindow window;
        window.show();
        openAndWait(window, project);
        QVERIFY(isTabShown(window));
        window.workbench().showKey(QStringLiteral("recording"));
        RecordingPage& page = *window.workbench().recording();
        QTRY_VERIFY(page.view() && page.view()->isReady());
        QCOMPARE(page.view()->notes().notes().size(), std::size_t(1));
        QVERIFY(!window.workspace().isDirty());
    }

    void filesThatAreGoneAreAProblemAndTheProjectOpens() {
        const QString project = folder(QStringLiteral("gone")) + QStringLiteral("/run.stagecraft.json");
        {
            MainWindow window;
            window.show();
            dropRun(window, QStringLiteral("gone/traces"));
            QVERIFY(window.saveTo(project));
        }
        QVERIFY(QDir(home_.file(QStringLiteral("gone/traces"))).removeRecursively());
        MainWindow window;
        window.show();
        openAndWait(window, project);
        QVERIFY(window.workspace().isOpen());
        QTRY_COMPARE(window.problems().faultCount(), 1);
        window.workbench().showKey(QStringLiteral("recording"));
        QVERIFY(!window.workbench().recording()->hasFigures());
        click(window, QStringLiteral("removeRecording"));
        QVERIFY(!isTabShown(window));
    }

    void whatIsSaidOfAFileThatFailedEndsWithTheNextOne() {
        const QString path = folder(QStringLiteral("none")), good = folder(QStringLiteral("good"));
        writeRecordedRun(good);
        MainWindow window;
        window.show();
        openAndWait(window, path);
        QVERIFY2(window.statusBar()->currentMessage().contains(QStringLiteral("no file of this folder")),
                 qPrintable(window.statusBar()->currentMessage()));
        openAndWait(window, good);
        QTRY_VERIFY(window.workspace().isOpen());
        QCOMPARE(window.statusBar()->currentMessage(), QString());
    }

    void aFileThatIsCutOffIsAProblemAndNothingElse() {
        const QString path = folder(QStringLiteral("cut")) + QStringLiteral("/rank_0.csv");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("rank,pass,stage,microbatch,start_ms,end_ms\n0,F,0,0,1");
        file.close();
        MainWindow window;
        window.show();
        openAndWait(window, path);
        QVERIFY(!window.workspace().isOpen());
        QVERIFY(window.problems().faultCount() > 0);
    }

    void readingSaysHowFarItIsAndIsCancelled() {
        constexpr int kernels = 500'000;
        const QString path = folder(QStringLiteral("large")) + QStringLiteral("/large.trace.json");
        QByteArray text = R"({"traceEvents":[)";
        for (int i = 0; i < kernels; ++i)
            text += (i ? ",\n" : "") +
                    QByteArray(R"({"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"dur":9,"ts":)") +
                    QByteArray::number(10 * i) + '}';
        writeText(path, text + "]}");
        MainWindow window;
        window.show();
        QSignalSpy done(&window, &MainWindow::openingDone);
        window.openFile(path);
        auto* progress = window.findChild<QWidget*>(QStringLiteral("readingProgress"));
        QTRY_VERIFY(progress->isVisible());
        click(window, QStringLiteral("cancelReading"));
        QTRY_COMPARE(done.count(), 1);
        QVERIFY(!progress->isVisible());
        QVERIFY(!window.workspace().isOpen());
        QCOMPARE(window.problems().faultCount(), 0);
        // Not cancelled it opens.
        window.openFile(path);
        QTRY_COMPARE_WITH_TIMEOUT(done.count(), 2, 30'000);
        QVERIFY(window.workbench().recording()->shownRun());
        QCOMPARE(window.workbench().recording()->shownRun()->recording->timeline.blockCount(),
                 static_cast<std::uint32_t>(kernels));
    }

    void theChartIsExportedAsPlansAre() {
        MainWindow window;
        window.show();
        RecordingPage& page = dropRun(window, QStringLiteral("figure"));
        QVERIFY(page.hasFigures());
        QSignalSpy exported(&window, &MainWindow::exported);
        ExportChoice choice = ExportChoice::load();
        choice.figure = QStringLiteral("recording");
        choice.format = QStringLiteral("svg");
        const QString path = home_.file(QStringLiteral("run.svg"));
        window.exportTo(path, choice);
        QVERIFY(exported.wait(20'000));
        QVERIFY(bytesOf(path).contains("forward"));
    }

    void commandsDrawWhatTheWindowShows() {
        const QString runFolder = folder(QStringLiteral("drawn"));
        writeRecordedRun(runFolder);
        const std::string run = runFolder.toStdString(),
                          picture = home_.file(QStringLiteral("run.png")).toStdString(),
                          figure = home_.file(QStringLiteral("drawn.svg")).toStdString();
        const testing::Outcome rendered =
            testing::call({"render", run, "--view", "recording", "--out", picture, "--size", "900x500"});
        QCOMPARE(rendered.status, 0);
        QCOMPARE(QImage(QString::fromStdString(picture)).size(), QSize(900, 500));
        QCOMPARE(
            testing::call({"export", run, "--view", "recording", "--format", "svg", "--out", figure}).status,
            0);
        QVERIFY(bytesOf(QString::fromStdString(figure)).contains("rank0"));
        // A project without one says so.
        const testing::Outcome none =
            testing::call({"render", STAGECRAFT_SOURCE_DIR "/samples/gpipe-1f1b.stagecraft.json", "--view",
                           "recording", "--out", picture});
        QVERIFY(none.status != 0);
        QVERIFY2(none.err.find("has no recording") != std::string::npos, none.err.c_str());
    }

    void allFiguresAndKeptOnesHaveTheRecording() {
        const QString project = folder(QStringLiteral("filed")) + QStringLiteral("/run.stagecraft.json");
        MainWindow window;
        window.show();
        dropRun(window, QStringLiteral("filed/traces"));
        QTRY_VERIFY(window.workspace().plans().front().okRun());
        QVERIFY(window.saveTo(project));
        QSignalSpy done(&window, &MainWindow::exported);
        window.findChild<AllFigures*>()->exportTo(AllFigures::Which::all, folder(QStringLiteral("filed/all")),
                                                  *figureFormatNamed(QStringLiteral("svg")), {});
        QVERIFY(done.wait(60'000));
        const QStringList files = QDir(home_.file(QStringLiteral("filed/all"))).entryList(QDir::Files);
        QVERIFY2(files.filter(QStringLiteral("recording")).size() == 1, qPrintable(files.join(' ')));
        // A figure that is kept is drawn again, by its recording's title.
        const std::string path = project.toStdString(),
                          out = home_.file(QStringLiteral("once.svg")).toStdString();
        QCOMPARE(testing::call({"export", path, "--view", "recording", "--format", "svg", "--out", out,
                                "--keep", "the run"})
                     .status,
                 0);
        const KeptFigure kept = openProject(path).figures.front();
        QCOMPARE(kept.view, std::string("recording"));
        QCOMPARE(kept.recording, std::string("traces (4 files)"));
        const testing::Outcome again = testing::call(
            {"export", path, "--all", "--kept", "--out", home_.file(QStringLiteral("again")).toStdString()});
        QCOMPARE(again.status, 0);
        QCOMPARE(bytesOf(home_.file(QStringLiteral("again/the-run.svg"))),
                 bytesOf(QString::fromStdString(out)));
        // Without its files it says so.
        QVERIFY(QDir(home_.file(QStringLiteral("filed/traces"))).removeRecursively());
        const testing::Outcome gone =
            testing::call({"export", path, "--figure", "the run", "--format", "svg", "--out", out});
        QVERIFY(gone.status != 0);
        QVERIFY2(gone.err.find("the project has no recording 'traces (4 files)' that can be read") !=
                     std::string::npos,
                 gone.err.c_str());
    }

    void aSessionRemembersTheTabAndTheZoom() {
        const QString project = folder(QStringLiteral("session")) + QStringLiteral("/run.stagecraft.json");
        std::pair<double, double> range;
        {
            MainWindow window;
            window.resize(1280, 800);
            window.show();
            RecordingPage& page = dropRun(window, QStringLiteral("session/traces"));
            QVERIFY(window.saveTo(project));
            const double all = page.view()->visibleRange().second;
            page.view()->setVisibleRange(all / 4, all / 2);
            range = page.view()->visibleRange();
            window.close();
        }
        MainWindow window;
        window.resize(1280, 800);
        window.show();
        openAndWait(window, project);
        QCOMPARE(window.workbench().currentKey(), QStringLiteral("recording"));
        RecordingPage& page = *window.workbench().recording();
        QTRY_VERIFY(page.view() && page.view()->isReady());
        QCOMPARE(page.view()->visibleRange().first, range.first);
        QCOMPARE(page.view()->visibleRange().second, range.second);
    }

    void aRecordingIsChosenAmongSeveralAndRemoved() {
        MainWindow window;
        window.show();
        RecordingPage& page = dropRun(window, QStringLiteral("one"));
        QSignalSpy done(&window, &MainWindow::openingDone);
        dropOn(window, writeRecordedRun(folder(QStringLiteral("two")), 2, 4));
        QVERIFY(done.wait(10'000));
        QCOMPARE(page.shownRun()->recording->stageCount(), 2);
        auto* choice = page.findChild<QComboBox*>(QStringLiteral("recordingChoice"));
        QCOMPARE(choice->count(), 2);
        choice->setFocus();
        QTest::keyClick(choice, Qt::Key_Up);
        QCOMPARE(page.shownRun()->recording->stageCount(), 4);
        click(page, QStringLiteral("removeRecording"));
        QCOMPARE(page.shownRun()->recording->stageCount(), 2);
    }
};

STAGECRAFT_TEST(RecordingWindowTest)
#include "recording_window_test.moc"
