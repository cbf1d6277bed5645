// A sweep of one's own, put together with mouse and keys, run, stopped, resumed and exported.

#include "app/document/file_names.h"
#include "app/experiments/builder/claim_form.h"
#include "app/experiments/custom_experiments.h"
#include "app/experiments/experiments_window.h"
#include "app/experiments/paper_experiments.h"
#include "app/figures/figure_dialog.h"
#include "core/base/counted.h"
#include "core/planners/planner.h"
#include "tests/app/builder_fixture.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "views/experiments/experiment_view.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QLabel>
#include <QMimeData>
#include <QPlainTextEdit>

using namespace stagecraft;

/// Of three times three times two points by all planners.
static int planCount() { return 8 * static_cast<int>(allPlanners().size()); }
static QString plansText() { return QString::fromStdString(counted(planCount(), "plan")); }

class ExperimentBuilderTest : public QObject {
    Q_OBJECT

private slots:
    void init();
    void aSweepIsPutTogetherWithTheMouseRunStoppedResumedAndExported();
    void nothingIsCutOffInTheNarrowestWindow();
    void whatIsWrongIsToldAtItsField();
    void everyChangeCanBeUndone();
    void aPapersExperimentIsDuplicatedAndSavesToTheSameExperiment();
    void anotherValueOfAnAxisRunsOnlyWhatIsNew();
    void theSearchFindsEachFieldAndItsValueCanBeSet();
    void choicesAreShownByTheirNames();
    void claimsComeFromTheForm();
    void claimsOnTrainingsSayOverHowManySeedsTheyAreJudged();
    void theOpenProjectIsTheFirstBase();
    void anExperimentOpensFromTheMainWindowAndByDrop();

private:
    static std::ptrdiff_t done(ExperimentsWindow& window) {
        const auto& cells = window.view().cells();
        return std::count_if(cells.begin(), cells.end(),
                             [](const CellResult& cell) { return cell.status != CellStatus::open; });
    }

    std::unique_ptr<ExperimentHome> home_;
};

void ExperimentBuilderTest::init() { home_ = std::make_unique<ExperimentHome>(); }

void ExperimentBuilderTest::aSweepIsPutTogetherWithTheMouseRunStoppedResumedAndExported() {
    QString file;
    std::vector<CellResult> stoppedAt;
    {
        ExperimentsWindow window;
        window.resize(1280, 800);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        click(window, QStringLiteral("newExperiment"));
        ExperimentBuilder& builder = window.builder();
        type(part<QLineEdit>(builder, "experimentName"), QStringLiteral("Own sweep"));
        vary(builder, QStringLiteral("microbatches"), QStringLiteral("Microbatches"));
        type(part<QLineEdit>(*cards(builder)[0], "axisFrom"), QStringLiteral("8"));
        type(part<QLineEdit>(*cards(builder)[0], "axisTo"), QStringLiteral("16"));
        vary(builder, QStringLiteral("bandwidth servers"), QStringLiteral("Bandwidth between servers"));
        type(part<QLineEdit>(*cards(builder)[1], "axisList"), QStringLiteral("10-12 Gbit/s, 80-100 Gbit/s"));
        vary(builder, QStringLiteral("seed"), QStringLiteral("Seed"));
        QCOMPARE(part<QLineEdit>(*cards(builder)[2], "axisList").text(), QStringLiteral("5"));
        type(part<QLineEdit>(*cards(builder)[2], "axisList"), QStringLiteral("2"));
        click(builder, QStringLiteral("allPlanners"));
        const auto experiment = builder.experiment();
        QVERIFY(experiment);
        QCOMPARE(Grid(*experiment).pointCount(), std::size_t(2 * 2 * 2));
        QCOMPARE(experiment->planners.size(), allPlanners().size());
        QVERIFY(
            part<QLabel>(builder, "forecast")
                .text()
                .contains(
                    QStringLiteral("8 points × %1 planners: %2").arg(allPlanners().size()).arg(plansText())));
        QTRY_VERIFY_WITH_TIMEOUT(part<QLabel>(builder, "forecast").text().contains("about"), 60'000);

        QSignalSpy ended(&window, &ExperimentsWindow::ended);
        click(builder, QStringLiteral("runDraft"));
        QVERIFY(window.isRunning());
        QTRY_VERIFY_WITH_TIMEOUT(done(window) > 20, 120'000);
        click(window.view(), QStringLiteral("runExperiment"));
        QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, 60'000);
        QVERIFY(done(window) < planCount());
        QVERIFY(part<QLabel>(window.view(), "experimentStatus").text().startsWith("Stopped after"));
        stoppedAt = window.view().cells();
        file = CustomExperiments::files().front();
    }
    // After the next start what was done is there, and a run does the rest.
    ExperimentsWindow window;
    window.resize(1280, 800);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    QVERIFY(window.openFile(file));
    const auto before = std::count_if(stoppedAt.begin(), stoppedAt.end(),
                                      [](const CellResult& cell) { return cell.status != CellStatus::open; });
    QTRY_VERIFY_WITH_TIMEOUT(done(window) >= before, 60'000);
    QTRY_VERIFY(part<QLabel>(window.view(), "experimentStatus")
                    .text()
                    .contains(QStringLiteral("of %1 already known").arg(plansText())));
    for (std::size_t cell = 0; cell < stoppedAt.size(); ++cell)
        if (stoppedAt[cell].status != CellStatus::open)
            QVERIFY(window.view().cells()[cell] == stoppedAt[cell]);
    QSignalSpy ended(&window, &ExperimentsWindow::ended);
    click(window.view(), QStringLiteral("runExperiment"));
    QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, slowness > 1 ? 1'200'000 : 240'000);
    QCOMPARE(done(window), planCount());
    QVERIFY(part<QLabel>(window.view(), "experimentStatus").text().contains("were known"));

    const QString figure = home_->home.file(QStringLiteral("sweep.svg"));
    QTimer::singleShot(0, qApp, [&] {
        auto* dialog = qobject_cast<FigureDialog*>(QApplication::activeModalWidget());
        QVERIFY(dialog);
        QTimer::singleShot(500, qApp, [&] {
            auto* choice = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
            QVERIFY(choice);
            choice->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"))->setText(figure);
            QTest::keyClick(choice, Qt::Key_Return);
        });
        for (QComboBox* box : dialog->findChildren<QComboBox*>())
            if (const int svg = box->findText(QStringLiteral("SVG"), Qt::MatchStartsWith); svg >= 0)
                box->setCurrentIndex(svg);
        dialog->accept();
    });
    click(window.view(), QStringLiteral("exportExperiment"));
    // It is written away from the window's thread, which hears of it in a later turn.
    const auto& status = part<QLabel>(window.view(), "experimentStatus");
    QVERIFY(!status.text().contains(figure));
    QTRY_VERIFY2(status.text().contains(figure), qPrintable(status.text()));
    QVERIFY(QFileInfo(figure).size() > 1000);
}

void ExperimentBuilderTest::nothingIsCutOffInTheNarrowestWindow() {
    ExperimentsWindow window;
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    click(window, QStringLiteral("newExperiment"));
    ExperimentBuilder& builder = window.builder();
    vary(builder, QStringLiteral("microbatches"), QStringLiteral("Microbatches"));
    vary(builder, QStringLiteral("seed"), QStringLiteral("Seed"));
    type(part<QLineEdit>(builder, "fieldSearch"), QString());
    QCOMPARE(cards(builder).size(), 2);
    window.resize(200, 600);
    QTRY_VERIFY(window.width() < 1000);
    for (QFrame* card : cards(builder)) {
        QRect seen = card->parentWidget()->visibleRegion().boundingRect();
        QVERIFY2(card->parentWidget()->rect().right() == seen.right(), "the column is cut off");
        for (QWidget* field : card->findChildren<QWidget*>()) {
            if (!field->isVisible()) continue;
            const QRect at(field->mapTo(card, QPoint()), field->size());
            QVERIFY2(card->rect().contains(at), qPrintable(field->objectName()));
        }
    }
    auto& tree = part<QTreeWidget>(builder, "fieldTree");
    QVERIFY(tree.columnWidth(0) >= tree.fontMetrics().horizontalAdvance(QStringLiteral("What may vary")));
    QVERIFY(tree.columnWidth(0) + tree.columnWidth(1) <= tree.viewport()->width());
}

void ExperimentBuilderTest::whatIsWrongIsToldAtItsField() {
    ExperimentsWindow window;
    window.show();
    click(window, QStringLiteral("newExperiment"));
    ExperimentBuilder& builder = window.builder();
    auto& run = part<QPushButton>(builder, "runDraft");
    QVERIFY(run.isEnabled());
    vary(builder, QStringLiteral("microbatches"), QStringLiteral("Microbatches"));
    auto& to = part<QLineEdit>(*cards(builder)[0], "axisTo");
    type(to, QStringLiteral("many"));
    QVERIFY(to.property("invalid").toBool());
    QVERIFY(!part<QLineEdit>(*cards(builder)[0], "axisFrom").property("invalid").toBool());
    QVERIFY(part<QLabel>(*cards(builder)[0], "axisMessage").text().contains("'many' is not a number"));
    QVERIFY(!run.isEnabled());
    type(to, QStringLiteral("64"));
    QVERIFY(!to.property("invalid").toBool());
    QVERIFY(run.isEnabled());
    click(builder, QStringLiteral("noPlanners"));
    QVERIFY(part<QLabel>(builder, "plannersError").isVisible());
    QVERIFY(!run.isEnabled());
    QTest::keyClick(&builder, Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(!part<QLabel>(builder, "plannersError").isVisible());
    QVERIFY(!QApplication::activeModalWidget());
}

void ExperimentBuilderTest::everyChangeCanBeUndone() {
    ExperimentsWindow window;
    window.show();
    click(window, QStringLiteral("newExperiment"));
    ExperimentBuilder& builder = window.builder();
    const auto bytes = [&] { return writeExperiment(*builder.experiment()); };
    QStringList states = {QString::fromStdString(bytes())};
    const auto mark = [&] { states << QString::fromStdString(bytes()); };
    type(part<QLineEdit>(builder, "experimentName"), QStringLiteral("Another"));
    mark();
    vary(builder, QStringLiteral("microbatches"), QStringLiteral("Microbatches"));
    mark();
    click(builder, QStringLiteral("allPlanners"));
    mark();
    QTest::mouseClick(&part<QCheckBox>(builder, "metric:bubble_fraction"), Qt::LeftButton, {}, QPoint(6, 8));
    mark();
    part<QPlainTextEdit>(builder, "experimentAbout").setFocus();
    QTest::keyClicks(&part<QPlainTextEdit>(builder, "experimentAbout"), QStringLiteral("words"));
    mark();
    click(*cards(builder)[0], QStringLiteral("removeAxis"));
    mark();
    QCOMPARE(QSet<QString>(states.begin(), states.end()).size(), states.size());
    for (qsizetype i = states.size() - 1; i-- > 0;) {
        builder.undoStack()->undo();
        QCOMPARE(QString::fromStdString(bytes()), states[i]);
    }
    QVERIFY(!builder.undoStack()->canUndo());
    for (qsizetype i = 1; i < states.size(); ++i) {
        builder.undoStack()->redo();
        QCOMPARE(QString::fromStdString(bytes()), states[i]);
    }
}

void ExperimentBuilderTest::aPapersExperimentIsDuplicatedAndSavesToTheSameExperiment() {
    for (const PaperExperiment& paper : paperExperiments()) {
        ExperimentBuilder builder({});
        builder.begin(paper.experiment(), {});
        QVERIFY2(builder.experiment(), paper.id.c_str());
        const Grid made(*builder.experiment()), shipped(paper.experiment());
        QCOMPARE(made.cellCount(), shipped.cellCount());
        for (const std::size_t point : {std::size_t{0}, made.pointCount() - 1})
            QVERIFY2(made.problem(point) == shipped.problem(point), paper.id.c_str());
        const QString path = home_->home.file(QStringLiteral("copy.experiment.json"));
        builder.saveTo(path);
        QCOMPARE(writeExperiment(openExperiment(path.toStdString())), writeExperiment(*builder.experiment()));
    }
    ExperimentsWindow window;
    window.show();
    window.showPaper(QStringLiteral("spp-fig-5"));
    QTRY_VERIFY_WITH_TIMEOUT(!window.isReading(), 30'000);
    click(window, QStringLiteral("editExperiment"));
    QVERIFY(window.builder().isVisible());
    QVERIFY(window.builder().path().isEmpty());
    QVERIFY(part<QLineEdit>(window.builder(), "experimentName").text().endsWith("(copy)"));
}

void ExperimentBuilderTest::anotherValueOfAnAxisRunsOnlyWhatIsNew() {
    ExperimentsWindow window;
    window.show();
    click(window, QStringLiteral("newExperiment"));
    ExperimentBuilder& builder = window.builder();
    vary(builder, QStringLiteral("microbatches"), QStringLiteral("Microbatches"));
    type(part<QLineEdit>(*cards(builder)[0], "axisFrom"), QStringLiteral("4"));
    type(part<QLineEdit>(*cards(builder)[0], "axisTo"), QStringLiteral("16"));
    QSignalSpy ended(&window, &ExperimentsWindow::ended);
    click(builder, QStringLiteral("runDraft"));
    QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, 60'000);
    const QString first = builder.path();
    click(window, QStringLiteral("editExperiment"));
    type(part<QLineEdit>(*cards(builder)[0], "axisTo"), QStringLiteral("32"));
    QTRY_VERIFY_WITH_TIMEOUT(part<QLabel>(builder, "forecast").text().contains("3 already known"), 60'000);
    click(builder, QStringLiteral("runDraft"));
    QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 2, 60'000);
    QCOMPARE(part<QLabel>(window.view(), "experimentStatus").text(),
             QStringLiteral("4 plans, all done, 3 were known"));
    QCOMPARE(builder.path(), first);
}

void ExperimentBuilderTest::theSearchFindsEachFieldAndItsValueCanBeSet() {
    ExperimentsWindow window;
    window.show();
    click(window, QStringLiteral("newExperiment"));
    ExperimentBuilder& builder = window.builder();
    auto& tree = part<QTreeWidget>(builder, "fieldTree");
    for (const char* label : {"Memory limit", "Scaled activations", "Layers repeated",
                              "Samples of a microbatch", "Servers", "rdma scaled"}) {
        type(part<QLineEdit>(builder, "fieldSearch"), QLatin1String(label));
        QVERIFY2(!tree.findItems(QLatin1String(label), Qt::MatchExactly | Qt::MatchRecursive).isEmpty(),
                 label);
    }
    type(part<QLineEdit>(builder, "fieldSearch"), QStringLiteral("Microbatches"));
    QTreeWidgetItem* item =
        tree.findItems(QStringLiteral("Microbatches"), Qt::MatchExactly | Qt::MatchRecursive).front();
    const auto set = [&](const QString& text) {
        item = tree.findItems(QStringLiteral("Microbatches"), Qt::MatchExactly | Qt::MatchRecursive).front();
        item->setText(1, text);
        QCoreApplication::processEvents();
    };
    set(QStringLiteral("24"));
    QCOMPARE(Grid(*builder.experiment()).problem(0).setup.microbatches, 24);
    set(QStringLiteral("none"));
    QVERIFY(part<QLabel>(builder, "fieldNote").text().contains("expected a whole number"));
    QCOMPARE(Grid(*builder.experiment()).problem(0).setup.microbatches, 24);
    type(part<QLineEdit>(builder, "fieldSearch"), QStringLiteral("no such thing"));
    QCOMPARE(tree.topLevelItemCount(), 1);
}

/// What is chosen among names is called as people call it, and chosen from a list.
void ExperimentBuilderTest::choicesAreShownByTheirNames() {
    ExperimentsWindow window;
    window.show();
    click(window, QStringLiteral("newExperiment"));
    ExperimentBuilder& builder = window.builder();
    auto& tree = part<QTreeWidget>(builder, "fieldTree");
    int named = 0;
    for (const char* label : {"Model", "Optimizer", "Channels", "Mode", "Granularity"}) {
        type(part<QLineEdit>(builder, "fieldSearch"), QLatin1String(label));
        for (QTreeWidgetItem* item :
             tree.findItems(QLatin1String(label), Qt::MatchExactly | Qt::MatchRecursive)) {
            const QString value = item->text(1);
            if (value.isEmpty()) continue;
            ++named;
            QVERIFY2(value.front().isUpper() && !value.contains('_'), qPrintable(value));
        }
    }
    QVERIFY(named >= 4);
    type(part<QLineEdit>(builder, "fieldSearch"), QStringLiteral("Optimizer"));
    QTreeWidgetItem* item = nullptr;
    for (QTreeWidgetItem* each :
         tree.findItems(QStringLiteral("Optimizer"), Qt::MatchExactly | Qt::MatchRecursive))
        if (each->parent() && each->parent()->text(0) == QLatin1String("Setup")) item = each;
    QVERIFY(item);
    const Optimizer before = Grid(*builder.experiment()).problem(0).setup.optimizer;
    tree.editItem(item, 1);
    auto* box = tree.viewport()->findChild<QComboBox*>();
    QVERIFY(box);
    QCOMPARE(box->currentText(), item->text(1));
    const int other = box->currentIndex() == 0 ? 1 : 0;
    box->setFocus();
    QTest::keyClick(box, other == 1 ? Qt::Key_Down : Qt::Key_Up);
    QTRY_VERIFY2(Grid(*builder.experiment()).problem(0).setup.optimizer != before,
                 qPrintable(part<QLabel>(builder, "fieldNote").text()));
}

void ExperimentBuilderTest::claimsComeFromTheForm() {
    ExperimentsWindow window;
    window.resize(1280, 800);
    window.show();
    click(window, QStringLiteral("newExperiment"));
    ExperimentBuilder& builder = window.builder();
    vary(builder, QStringLiteral("microbatches"), QStringLiteral("Microbatches"));
    type(part<QLineEdit>(*cards(builder)[0], "axisTo"), QStringLiteral("64"));
    click(builder, QStringLiteral("addClaim"));
    click(builder, QStringLiteral("takeClaim"));
    QVERIFY(part<QLabel>(builder, "claimError").text().contains("no other planner"));
    click(builder, QStringLiteral("allPlanners"));
    type(part<QLineEdit>(builder, "claimSource"), QStringLiteral("Fig. 5"));
    click(builder, QStringLiteral("takeClaim"));
    part<QComboBox>(builder, "claimKind").setCurrentIndex(3);
    type(part<QLineEdit>(builder, "claimBound"), QStringLiteral("x"));
    click(builder, QStringLiteral("takeClaim"));
    QVERIFY(part<QLineEdit>(builder, "claimBound").property("invalid").toBool());
    type(part<QLineEdit>(builder, "claimBound"), QStringLiteral("5 %"));
    click(builder, QStringLiteral("takeClaim"));
    QVERIFY(builder.experiment());
    const std::vector<Claim> claims = builder.experiment()->claims;
    QCOMPARE(claims.size(), std::size_t{2});
    // Those that plan without a barrier alone have no plan at any point here.
    const auto others = std::count_if(allPlanners().begin(), allPlanners().end(),
                                      [](const auto& one) { return one->description().plansWithBarrier; });
    QCOMPARE(claims[0].against.size(), static_cast<std::size_t>(others) - 1);
    QVERIFY(claims[0].against.size() < allPlanners().size() - 1);
    QCOMPARE(claims[0].atMost, 1.0);
    QCOMPARE(claims[0].source.place, std::string("Fig. 5"));
    QCOMPARE(claims[1].along, std::string("microbatches"));
    QCOMPARE(claims[1].from, std::string("32"));
    QCOMPARE(claims[1].to, std::string("64"));
    QCOMPARE(claims[1].atLeast, 0.95);
    // A claim over an axis that is gone shows its error beside it.
    click(*cards(builder)[0], QStringLiteral("removeAxis"));
    QVERIFY(!builder.experiment());
    const auto labels = builder.findChildren<QLabel*>();
    QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
        return label->isVisibleTo(label->window()) && label->text().contains("no axis 'microbatches'");
    }));
}

void ExperimentBuilderTest::claimsOnTrainingsSayOverHowManySeedsTheyAreJudged() {
    ClaimForm form;
    Experiment experiment = findPaperExperiment("xpipe-table-1")->experiment();
    form.setExperiment(experiment);
    auto& metric = part<QComboBox>(form, "claimMetric");
    const auto& noise = part<QLabel>(form, "claimNoise");
    QVERIFY(noise.isHidden());
    metric.setCurrentIndex(metric.findData(QStringLiteral("best_validation_accuracy")));
    QVERIFY(!noise.isHidden());
    QVERIFY2(noise.text().contains(QStringLiteral("over 8 seeds")), qPrintable(noise.text()));
    std::erase_if(experiment.axes, [](const Axis& axis) { return axis.seeds; });
    form.setExperiment(experiment);
    QVERIFY2(noise.text().contains(QStringLiteral("two seeds or more")), qPrintable(noise.text()));
    metric.setCurrentIndex(metric.findData(QStringLiteral("peak_memory_bytes")));
    QVERIFY(noise.isHidden());
}

void ExperimentBuilderTest::theOpenProjectIsTheFirstBase() {
    MainWindow window;
    window.show();
    window.openSample(QStringLiteral("fig2-toy"));
    window.actionRegister().action(QStringLiteral("file.newExperiment"))->trigger();
    ExperimentsWindow* experiments = nullptr;
    for (QWidget* top : QApplication::topLevelWidgets())
        if (auto* one = qobject_cast<ExperimentsWindow*>(top)) experiments = one;
    QVERIFY(experiments && experiments->isVisible());
    QVERIFY(experiments->builder().experiment());
    QVERIFY(Grid(*experiments->builder().experiment()).problem(0) == window.workspace().problem());
    vary(experiments->builder(), QStringLiteral("links bandwidth"), QStringLiteral("Bandwidth"));
    QCOMPARE(cards(experiments->builder()).size(), 1);
}

void ExperimentBuilderTest::anExperimentOpensFromTheMainWindowAndByDrop() {
    const QString path = home_->home.file(QStringLiteral("own.experiment.json"));
    Experiment experiment = freshExperiment();
    experiment.name = "From a file";
    writeText(path, QByteArray::fromStdString(writeExperiment(experiment)));
    MainWindow window;
    window.show();
    openAndWait(window, path);
    ExperimentsWindow* experiments = nullptr;
    for (QWidget* top : QApplication::topLevelWidgets())
        if (auto* one = qobject_cast<ExperimentsWindow*>(top)) experiments = one;
    QVERIFY(experiments && experiments->isVisible());
    QCOMPARE(experiments->view().grid()->experiment().name, std::string("From a file"));
    QVERIFY(!window.workspace().isOpen());

    const QString second = home_->home.file(QStringLiteral("second.experiment.json"));
    experiment.name = "Dropped";
    writeText(second, QByteArray::fromStdString(writeExperiment(experiment)));
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(second)});
    QDragEnterEvent enter(QPoint(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(experiments, &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(QPointF(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(experiments, &drop);
    QTRY_COMPARE(experiments->view().grid()->experiment().name, std::string("Dropped"));
    const QString broken = home_->home.file(QStringLiteral("broken.experiment.json"));
    writeText(broken, "{\"format\": \"stagecraft/experiment\", \"version\": 1}");
    openAndWait(window, broken);
    QVERIFY(part<QLabel>(window, "startError").text().contains("'name' is missing"));
}

STAGECRAFT_TEST(ExperimentBuilderTest)
#include "experiment_builder_test.moc"
