// The experiments' window with mouse and keys: a paper's experiment shown, run, stopped, and a point's plan.

#include "app/experiments/builder/experiment_builder.h"
#include "app/experiments/claims_overview.h"
#include "tests/support/window_rooms.h"
#include "app/experiments/experiments_window.h"
#include "app/experiments/paper_experiments.h"
#include "app/start/start_page.h"
#include "tests/app/window_fixture.h"
#include "tests/support/qt_program.h"
#include "views/experiments/claims_list.h"
#include "views/experiments/experiment_view.h"
#include "views/plan/plan_view.h"

#include <QScrollBar>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

using namespace stagecraft;

class ExperimentsWindowTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void theOverviewListsEveryClaimOfEveryPaper();
    void claimsAndTheirNumbersAreReadWhole();
    void aRunGivesWhatWasShipped();
    void aStoppedRunGoesOnFromWhereItStood();
    void aClickOnAPointShowsItsPlan();
    void aPickedPointBecomesTheProjectOfTheMainWindow();
    void aChartThatWasChosenIsThereTheNextTime();
    void theKeysReachEveryPoint();
    void theChartFollowsTheChoices();
    void resultsAreReadWhileTheWindowAnswers();
    void whatIsChosenNextIsWhatIsShown();
    void aFileThatIsNoExperimentSaysSo();
    void theStartPageLeadsToEachExperiment();
    void partsAreMadeWhereTheyWillStand();

private:
    QPushButton& runButton(ExperimentsWindow& window) {
        return *window.findChild<QPushButton*>(QStringLiteral("runExperiment"));
    }
    PrivateHome home_;
    QTemporaryDir cache_;
};

void ExperimentsWindowTest::initTestCase() {
    QVERIFY(cache_.isValid());
    qputenv("XDG_CACHE_HOME", cache_.path().toUtf8());
}

namespace {

/// Counts widgets that get another parent once they have a part: they are styled anew, with all that is in
/// them. What Qt moves within a combo box does not count.
class MovedParts : public QObject {
public:
    MovedParts() { qApp->installEventFilter(this); }
    bool eventFilter(QObject* watched, QEvent* event) override {
        const bool whole =
            !watched->inherits("QComboBoxListView") && !watched->findChildren<QWidget*>().isEmpty();
        if (event->type() == QEvent::ParentChange && whole) ++count;
        return false;
    }
    int count = 0;
};

}  // namespace

void ExperimentsWindowTest::partsAreMadeWhereTheyWillStand() {
    {
        const MovedParts moved;
        const ExperimentView view;
        QCOMPARE(moved.count, 0);
    }
    const MovedParts moved;
    PlanView plan;
    // The charts, which make room for each other.
    QVERIFY2(moved.count <= 4, qPrintable(QString::number(moved.count)));
}

void ExperimentsWindowTest::theOverviewListsEveryClaimOfEveryPaper() {
    ExperimentsWindow window;
    window.show();
    int claims = 0, listed = 0;
    for (const PaperExperiment& paper : paperExperiments())
        claims += static_cast<int>(paper.experiment().claims.size());
    QTreeWidget& overview = window.overview();
    // The window does not wait for what judges them.
    QCOMPARE(overview.topLevelItemCount(), 1);
    QTRY_COMPARE_WITH_TIMEOUT(overview.topLevelItemCount(), 5, 30'000);
    for (int paper = 0; paper < 5; ++paper) {
        const int before = listed;
        for (int i = 0; i < overview.topLevelItem(paper)->childCount(); ++i)
            listed += overview.topLevelItem(paper)->child(i)->childCount();
        const QString counted = overview.topLevelItem(paper)->text(1);
        QVERIFY2(counted.endsWith(QStringLiteral(" of %1 claims hold").arg(listed - before)),
                 qPrintable(counted));
    }
    QCOMPARE(listed, claims);
    QVERIFY(claims > 40);
    // What noise leaves open is neither held nor failed, and says so with its standard error.
    const auto level =
        overview.findItems(QStringLiteral("XPipe's best accuracy is above SpecTrain's on average"),
                           Qt::MatchExactly | Qt::MatchRecursive);
    QCOMPARE(level.size(), 1);
    QCOMPARE(level.front()->text(1), QStringLiteral("? undecided"));
    QVERIFY2(level.front()->text(2).contains(QStringLiteral("standard error")),
             qPrintable(level.front()->text(2)));
    QVERIFY(level.front()->parent()->text(2).endsWith(QStringLiteral(" undecided")));
}

/// In windows of any width: a cell has the lines that its text needs.
void ExperimentsWindowTest::claimsAndTheirNumbersAreReadWhole() {
    ExperimentsWindow window;
    window.show();
    const auto cut = [](const QTreeWidget& tree) {
        QStringList cells;
        for (QTreeWidgetItemIterator it(const_cast<QTreeWidget*>(&tree)); *it; ++it)
            for (int column = 0; column < tree.columnCount(); ++column) {
                const QRect cell = tree.visualRect(tree.indexFromItem(*it, column));
                if (cell.isEmpty() || (*it)->text(column).isEmpty()) continue;
                const QRect room(0, 0, cell.width() - 8, 10'000);
                const QRect needs =
                    tree.fontMetrics().boundingRect(room, Qt::TextWordWrap, (*it)->text(column));
                if (needs.height() > cell.height() || needs.width() > room.width())
                    cells << (*it)->text(column);
            }
        return cells;
    };
    for (const int width : {1240, 860}) {
        window.resize(width, 760);
        window.showOverview();
        QTRY_VERIFY_WITH_TIMEOUT(window.overview().topLevelItemCount() > 1, 30'000);
        QTRY_VERIFY2(cut(window.overview()).isEmpty(), qPrintable(cut(window.overview()).join('\n')));
        for (const PaperExperiment& paper : paperExperiments()) {
            window.showPaper(QString::fromStdString(paper.id));
            QTRY_VERIFY_WITH_TIMEOUT(!window.isReading(), 30'000);
            QTRY_VERIFY2(cut(window.view().claims()).isEmpty(),
                         qPrintable(cut(window.view().claims()).join('\n')));
        }
    }
}

void ExperimentsWindowTest::aRunGivesWhatWasShipped() {
    ExperimentsWindow window;
    window.show();
    window.showPaper(QStringLiteral("spp-fig-6"));
    QTRY_VERIFY_WITH_TIMEOUT(!window.isReading(), 30'000);
    ExperimentView& view = window.view();
    const std::vector<CellResult> shipped = view.cells();
    QVERIFY(shipped.front().status == CellStatus::ok);
    QSignalSpy ended(&window, &ExperimentsWindow::ended);
    QTest::mouseClick(&runButton(window), Qt::LeftButton);
    QVERIFY(window.isRunning());
    QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, 60000);
    QVERIFY(view.cells() == shipped);
    QCOMPARE(view.claims().topLevelItemCount(), static_cast<int>(view.grid()->experiment().claims.size()));
    QVERIFY(view.claims().topLevelItem(0)->text(0).contains("holds"));
}

void ExperimentsWindowTest::aStoppedRunGoesOnFromWhereItStood() {
    ExperimentsWindow window;
    window.show();
    window.showPaper(QStringLiteral("spp-fig-9"));
    QTRY_VERIFY_WITH_TIMEOUT(!window.isReading(), 30'000);
    QSignalSpy ended(&window, &ExperimentsWindow::ended);
    QTest::mouseClick(&runButton(window), Qt::LeftButton);
    ExperimentView& view = window.view();
    const auto done = [&] {
        return std::count_if(view.cells().begin(), view.cells().end(),
                             [](const CellResult& cell) { return cell.status != CellStatus::open; });
    };
    QTRY_VERIFY_WITH_TIMEOUT(done() > 3, 60000);
    QTest::mouseClick(&runButton(window), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, 60000);
    QTest::mouseClick(&runButton(window), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 2, 60000);
    QCOMPARE(done(), static_cast<std::ptrdiff_t>(view.cells().size()));
}

void ExperimentsWindowTest::aClickOnAPointShowsItsPlan() {
    ExperimentsWindow window;
    window.resize(1200, 760);
    window.show();
    window.showPaper(QStringLiteral("spp-fig-5"));
    QTRY_VERIFY_WITH_TIMEOUT(!window.isReading(), 30'000);
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    QSignalSpy shown(&window, &ExperimentsWindow::planShown);
    ResultsChart& chart = window.view().chart();
    QTest::mouseMove(&chart, chart.pointOf({0, 2}).toPoint());
    QTest::mouseClick(&chart, Qt::LeftButton, Qt::ShiftModifier, chart.pointOf({0, 2}).toPoint());
    QTRY_COMPARE_WITH_TIMEOUT(shown.size(), 1, 60000);
    auto* plan = shown.front().front().value<PlanView*>();
    QVERIFY(plan && plan->run()->ok());
    QVERIFY2(plan->windowTitle().startsWith("SPP, microbatches 32, seed 1"), qPrintable(plan->windowTitle()));
    const std::size_t cell = chart.series()[0].points[2].cells.front();
    QCOMPARE(plan->run()->iterationTimeS(), *window.view().cells()[cell].metric("iteration_time_s"));
}

void ExperimentsWindowTest::aPickedPointBecomesTheProjectOfTheMainWindow() {
    MainWindow main;
    main.show();
    main.actionRegister().action(QStringLiteral("experiment.papers"))->trigger();
    ExperimentsWindow* window = nullptr;
    for (QWidget* each : QApplication::topLevelWidgets())
        if (auto* found = qobject_cast<ExperimentsWindow*>(each)) window = found;
    QVERIFY(window && window->isVisible());
    window->showPaper(QStringLiteral("spp-fig-5"));
    QTRY_VERIFY_WITH_TIMEOUT(!window->isReading(), 30'000);
    ResultsChart& chart = window->view().chart();
    QTest::mouseClick(&chart, Qt::LeftButton, {}, chart.pointOf({1, 1}).toPoint());
    QTRY_VERIFY_WITH_TIMEOUT(main.workspace().isOpen(), 60000);
    const std::size_t cell = chart.series()[1].points[1].cells.front();
    const auto grid = window->view().grid();
    QVERIFY(main.workspace().problem() == grid->problem(grid->pointOf(cell)));
    QCOMPARE(main.workspace().plans().size(), std::size_t{1});
    QVERIFY2(main.workspace().title().contains(QStringLiteral("microbatches 16")),
             qPrintable(main.workspace().title()));
    QTRY_VERIFY_WITH_TIMEOUT(main.workspace().plans().front().run, 60000);
    QCOMPARE(main.workspace().plans().front().run->iterationTimeS(),
             *window->view().cells()[cell].metric("iteration_time_s"));
    main.close();
    QVERIFY(!window->isVisible());
}

void ExperimentsWindowTest::aChartThatWasChosenIsThereTheNextTime() {
    const auto choose = [](ExperimentsWindow& window, const char* name, const QString& entry) {
        auto* box = window.findChild<QComboBox*>(QLatin1String(name));
        box->setCurrentIndex(box->findText(entry));
    };
    ChartChoice chosen;
    {
        ExperimentsWindow window;
        window.showPaper(QStringLiteral("madpipe-fig-6"));
        QTRY_VERIFY_WITH_TIMEOUT(!window.isReading(), 30'000);
        choose(window, "experimentChart", QStringLiteral("Heat map"));
        choose(window, "experimentRelative", QStringLiteral("÷ 1F1B*"));
        chosen = window.view().choice();
        QVERIFY(chosen.kind == ChartKind::heat && chosen.relativeTo);
    }
    ExperimentsWindow window;
    window.showPaper(QStringLiteral("spp-fig-5"));
    QTRY_VERIFY_WITH_TIMEOUT(!window.isReading(), 30'000);
    QVERIFY(window.view().choice().kind == ChartKind::lines);
    window.showPaper(QStringLiteral("madpipe-fig-6"));
    QTRY_VERIFY_WITH_TIMEOUT(!window.isReading(), 30'000);
    QVERIFY(window.view().choice() == chosen);
    choose(window, "experimentRelative", QStringLiteral("as it is"));
    choose(window, "experimentChart", QStringLiteral("Lines"));
}

void ExperimentsWindowTest::theKeysReachEveryPoint() {
    ExperimentsWindow window;
    window.show();
    window.showPaper(QStringLiteral("spp-fig-5"));
    QTRY_VERIFY_WITH_TIMEOUT(!window.isReading(), 30'000);
    ResultsChart& chart = window.view().chart();
    chart.setFocus();
    QTest::keyClick(&chart, Qt::Key_Right);
    const QString first = chart.accessibleDescription();
    QVERIFY2(first.contains("microbatches 8"), qPrintable(first));
    for (int i = 0; i < 10; ++i) QTest::keyClick(&chart, Qt::Key_Right);
    QVERIFY(chart.accessibleDescription().contains("microbatches 128"));
    QTest::keyClick(&chart, Qt::Key_Down);
    QVERIFY(chart.accessibleDescription().contains(chart.series()[1].title));
}

void ExperimentsWindowTest::theChartFollowsTheChoices() {
    ExperimentsWindow window;
    window.show();
    window.showPaper(QStringLiteral("madpipe-fig-6"));
    QTRY_VERIFY_WITH_TIMEOUT(!window.isReading(), 30'000);
    ExperimentView& view = window.view();
    auto* axis = view.findChild<QComboBox*>(QStringLiteral("experimentAxis"));
    QCOMPARE(axis->count(), 3);
    for (int i = 0; i < axis->count(); ++i) {
        axis->setCurrentIndex(i);
        const Axis& shown = view.grid()->experiment().axes[view.choice().axis];
        QCOMPARE(QString::fromStdString(shown.name), axis->currentText());
        for (const ResultsSeries& series : view.chart().series())
            QVERIFY(series.points.size() <= shown.values.size());
    }
    auto* metric = view.findChild<QComboBox*>(QStringLiteral("experimentMetric"));
    metric->setCurrentIndex(1);
    QCOMPARE(QString::fromStdString(view.choice().metric), metric->currentData().toString());
}

void ExperimentsWindowTest::resultsAreReadWhileTheWindowAnswers() {
    ExperimentsWindow window;
    window.show();
    QTRY_VERIFY_WITH_TIMEOUT(window.overview().topLevelItemCount() > 1, 30'000);
    window.showPaper(QStringLiteral("madpipe-fig-7"));
    QVERIFY(window.isReading());
    QVERIFY(!window.view().grid());  // and what was there stays until then
    QVERIFY(window.overview().isVisible());
    QTRY_VERIFY_WITH_TIMEOUT(!window.isReading(), 30'000);
    QVERIFY(window.view().isVisible());
    QCOMPARE(window.view().cells().size(), window.view().grid()->cellCount());
    QVERIFY(std::ranges::none_of(window.view().cells(),
                                 [](const CellResult& cell) { return cell.status == CellStatus::open; }));
}

void ExperimentsWindowTest::whatIsChosenNextIsWhatIsShown() {
    ExperimentsWindow window;
    window.show();
    window.showPaper(QStringLiteral("madpipe-fig-7"));
    window.showOverview();
    QVERIFY(!window.isReading());
    QVERIFY(window.overview().isVisible());
    window.showPaper(QStringLiteral("madpipe-fig-7"));
    window.newExperiment();
    QVERIFY(!window.isReading());
    QVERIFY(window.builder().isVisible());
    window.showPaper(QStringLiteral("madpipe-fig-7"));
    window.showPaper(QStringLiteral("spp-fig-5"));
    QTRY_VERIFY_WITH_TIMEOUT(!window.isReading(), 30'000);
    QVERIFY(window.view().isVisible());
    const std::string& place = window.view().grid()->experiment().source.place;
    QVERIFY2(place.ends_with("Fig. 5"), place.c_str());
}

void ExperimentsWindowTest::aFileThatIsNoExperimentSaysSo() {
    ExperimentsWindow window;
    window.show();
    const QString path = cache_.filePath(QStringLiteral("x.json"));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(R"({"format": "stagecraft/experiment", "version": 1, "name": "x"})");
    file.close();
    QVERIFY(!window.openFile(path));
    const auto labels = window.findChildren<QLabel*>();
    QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
        return label->isVisible() && label->text().contains("x.json") &&
               label->text().contains("'base' is missing");
    }));
}

void ExperimentsWindowTest::theStartPageLeadsToEachExperiment() {
    StartPage page;
    page.resize(1280, 800);
    page.show();
    QCOMPARE(page.horizontalScrollBar()->maximum(), 0);
    QVERIFY(page.widget()->minimumSizeHint().width() <= page.viewport()->width());
    QSignalSpy chosen(&page, &StartPage::experimentChosen);
    for (const PaperExperiment& paper : paperExperiments()) {
        auto* button =
            page.findChild<QPushButton*>(QStringLiteral("experiment:") + QString::fromStdString(paper.id));
        QVERIFY2(button, paper.id.c_str());
        QVERIFY(!button->toolTip().isEmpty());
        button->click();
        QCOMPARE(chosen.back().front().toString().toStdString(), paper.id);
    }
}

STAGECRAFT_TEST(ExperimentsWindowTest)
#include "experiments_window_test.moc"
