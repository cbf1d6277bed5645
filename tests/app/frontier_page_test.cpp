// The frontier of a search over layouts: searched from its tab, its plans selected and opened by mouse and
// keys.
#include "app/pareto/frontier_page.h"

#include "app/shell/workbench.h"
#include "app/start/new_plan_dialog.h"
#include "tests/app/window_fixture.h"
#include "tests/support/qt_program.h"
#include "tests/support/window_rooms.h"
#include "views/common/theme.h"

#include <QComboBox>
#include <QLabel>
#include <QTableWidget>

using namespace stagecraft;

class FrontierPageTest : public QObject {
    Q_OBJECT

    PrivateHome home_;
    MainWindow window_;

    FrontierPage& page() { return *window_.workbench().frontier(); }
    FrontierChart& chart() { return page().view().chart(); }
    QTableWidget& table() { return *page().findChild<QTableWidget*>(QStringLiteral("frontierTable")); }
    QComboBox& axis() { return *page().findChild<QComboBox*>(QStringLiteral("frontierAxis")); }
    QString details() { return page().findChild<QLabel*>(QStringLiteral("frontierDetails"))->text(); }
    bool isTheProjects(int point) {
        const auto& best = page().points()[static_cast<std::size_t>(point)].answer.best;
        return best && window_.workspace().problem().setup.microbatches == best->problem.setup.microbatches &&
               window_.workspace().plans().back().plan.stages == best->plan.stages;
    }

private slots:
    void initTestCase();
    void aSearchOffersIt();
    void itSearchesWithLess();
    void aClickSelectsAPlanAndKeysGoOn();
    void aDoubleClickOpensAPlanThatUndoTakesBack();
    void axesLeaveOutWhatOnlyVariesSomethingElse();
    void pricesAreNoPartOfTheSearchAndCountAsTheyAre();
    void anotherProblemOpensNone();
    void aProjectFromElsewhereHasNone();
    void cleanupTestCase() { window_.workspace().undoStack()->setClean(); }
};

void FrontierPageTest::initTestCase() {
    applyTheme(*qApp, ThemeChoice::light);
    window_.resize(1280, 800);
    window_.show();
    QVERIFY(QTest::qWaitForWindowActive(&window_));
    QVERIFY(!page().isOffered());
}

void FrontierPageTest::aSearchOffersIt() {
    click(window_, QStringLiteral("newPlan"));
    auto* dialog = window_.findChild<NewPlanDialog*>();
    QTRY_VERIFY(dialog && dialog->isReady());
    click(*dialog, QStringLiteral("goal:layouts"));
    click(*dialog, QStringLiteral("planModel"));
    QTRY_VERIFY_WITH_TIMEOUT(page().isOffered(), 60'000);
    QTRY_VERIFY(!window_.findChild<NewPlanDialog*>());
    QVERIFY(page().points().empty());
    window_.workbench().showKey(QStringLiteral("frontier"));
    QVERIFY(page().isVisible());
}

void FrontierPageTest::itSearchesWithLess() {
    click(page(), QStringLiteral("firstStartFrontier"));
    QVERIFY(page().isRunning());
    QTRY_VERIFY_WITH_TIMEOUT(!page().isRunning(), 120'000);
    QCOMPARE(page().points().size(), std::size_t{7});  // all; 8, 4 and 2 GPUs; 75, 50 and 25 % of the memory
    QCOMPARE(table().rowCount(), 7);
    QCOMPARE(chart().selected(), 0);
    const FrontierScene& scene = chart().scene();
    QVERIFY(!scene.proven.empty());
    // With all there is none is faster; one that is as fast may take less memory.
    const double fastestS = scene.marks.front().seconds;
    const auto isFastest = [&](const FrontierMark& mark) {
        return mark.isUnbeaten && mark.seconds == fastestS;
    };
    QVERIFY(std::any_of(scene.marks.begin(), scene.marks.end(), isFastest));
    for (const FrontierMark& mark : scene.marks) QVERIFY(mark.seconds >= fastestS);
    for (const FrontierMark& mark : scene.marks)
        for (const auto& [upTo, seconds] : scene.proven)
            if (mark.across <= upTo) QVERIFY(mark.seconds >= seconds * (1 - 1e-9));
}

void FrontierPageTest::aClickSelectsAPlanAndKeysGoOn() {
    const QString first = details();
    const int last = static_cast<int>(chart().scene().marks.size()) - 1;
    QTest::mouseClick(&chart(), Qt::LeftButton, {}, chart().pointOf(last).toPoint());
    QCOMPARE(chart().selected(), last);
    QVERIFY(table().currentRow() > 0 && details() != first);
    chart().setFocus();
    QTest::keyClick(&chart(), Qt::Key_Right);
    QVERIFY(chart().selected() != last);
    const auto marks = chart().scene().marks;
    QVERIFY(marks[static_cast<std::size_t>(chart().selected())].across >=
            marks[static_cast<std::size_t>(last)].across);
}

void FrontierPageTest::aDoubleClickOpensAPlanThatUndoTakesBack() {
    const int steps = window_.workspace().undoStack()->count();
    const Problem before = window_.workspace().problem();
    const int last = static_cast<int>(chart().scene().marks.size()) - 1;
    QTest::mouseClick(&chart(), Qt::LeftButton, {}, chart().pointOf(last).toPoint());
    const int row = table().currentRow();
    QTest::mouseDClick(&chart(), Qt::LeftButton, {}, chart().pointOf(last).toPoint());
    QCOMPARE(window_.workspace().undoStack()->count(), steps + 1);
    QVERIFY(isTheProjects(row));
    const PlanItem& opened = window_.workspace().plans().back();
    QCOMPARE(window_.workbench().currentPlan(), opened.id);
    QTRY_VERIFY_WITH_TIMEOUT(window_.workspace().plans().back().run, 60'000);
    const PlanRun& run = *window_.workspace().plans().back().run;
    QVERIFY(run.ok() && run.evaluation->valid());
    const auto& found = page().points()[static_cast<std::size_t>(row)].answer.best;
    QVERIFY(std::abs(run.iterationTimeS() - found->iterationS) <= 1e-9 * found->iterationS);
    window_.workspace().undoStack()->undo();
    QVERIFY(window_.workspace().problem() == before);
    window_.workbench().showKey(QStringLiteral("frontier"));
    window_.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window_));
    QVERIFY(page().isVisible());
    table().setFocus();
    QTRY_VERIFY(table().hasFocus());
    table().setCurrentCell(row, 0);
    QCOMPARE(page().view().selectedRow(), row);
    QTest::keyClick(&table(), Qt::Key_Return);
    QVERIFY(isTheProjects(row));
    window_.workspace().undoStack()->undo();
    window_.workbench().showKey(QStringLiteral("frontier"));
}

void FrontierPageTest::axesLeaveOutWhatOnlyVariesSomethingElse() {
    const auto hasSlower = [this](double gpus) {
        return std::ranges::any_of(chart().scene().marks,
                                   [gpus](const FrontierMark& mark) { return mark.across == gpus; });
    };
    QVERIFY(chart().scene().marks.size() < std::size_t(table().rowCount()));
    axis().setCurrentIndex(static_cast<int>(FrontierAxis::gpus));
    QVERIFY(hasSlower(8) && hasSlower(4) && hasSlower(2));
    axis().setCurrentIndex(static_cast<int>(FrontierAxis::cost));
    QCOMPARE(chart().scene().marks.size(), std::size_t(table().rowCount()));
    axis().setCurrentIndex(static_cast<int>(FrontierAxis::memory));
}

void FrontierPageTest::pricesAreNoPartOfTheSearchAndCountAsTheyAre() {
    const auto columnOf = [this](const QString& heading) {
        for (int column = 0; column < table().columnCount(); ++column)
            if (table().horizontalHeaderItem(column)->text() == heading) return column;
        return -1;
    };
    const auto acrossOf = [this](std::size_t mark) { return chart().scene().marks[mark].across; };
    axis().setCurrentIndex(static_cast<int>(FrontierAxis::cost));
    QCOMPARE(columnOf(QStringLiteral("Dollars")), -1);
    const double gpuSeconds = acrossOf(0);
    QUndoStack& steps = *window_.workspace().undoStack();
    const int before = steps.index();
    model::TrainingSetup setup = window_.workspace().problem().setup;
    setup.gpuPricePerHour = 3.6;
    window_.workspace().setSetup(setup);
    QVERIFY(columnOf(QStringLiteral("Dollars")) > 0);
    QVERIFY(columnOf(QStringLiteral("For 1B tokens")) > 0);
    QCOMPARE(chart().scene().acrossTitle, QStringLiteral("dollars for an iteration"));
    QVERIFY(std::abs(acrossOf(0) * 1000 / gpuSeconds - 1) < 1e-9);
    // One GPU at a price of its own: plans that use it cost as much more, and all can be opened still.
    const double atOnePrice = acrossOf(0);
    Cluster cluster = window_.workspace().problem().cluster;
    cluster.devices[0].pricePerHour = 36;
    window_.workspace().editCluster(cluster, QStringLiteral("price"));
    const double seconds = chart().scene().marks[0].seconds;
    QVERIFY(std::abs((acrossOf(0) - atOnePrice) / (seconds * (36 - 3.6) / 3600) - 1) < 1e-9);
    QVERIFY(page().findChild<QLabel*>(QStringLiteral("frontierStatus"))->text().isEmpty());
    QVERIFY(page().openPlan(0) > 0);
    QCOMPARE(window_.workspace().problem().cluster.devices[0].pricePerHour, 36.0);
    QCOMPARE(window_.workspace().problem().setup.gpuPricePerHour, 3.6);
    // Without a price for each there is no sum.
    steps.setIndex(before);
    window_.workspace().editCluster(cluster, QStringLiteral("price"));
    QCOMPARE(columnOf(QStringLiteral("Dollars")), -1);
    QCOMPARE(acrossOf(0), gpuSeconds);
    steps.setIndex(before);
    axis().setCurrentIndex(static_cast<int>(FrontierAxis::memory));
}

void FrontierPageTest::anotherProblemOpensNone() {
    LayerProfile profile = window_.workspace().problem().profile;
    profile.layers[1].forwardS *= 2;
    window_.workspace().setProfile(profile);
    QCOMPARE(page().openPlan(0), 0);
    const auto* status = page().findChild<QLabel*>(QStringLiteral("frontierStatus"));
    QVERIFY2(status->text().contains(QStringLiteral("changed since")), qPrintable(status->text()));
    window_.workspace().undoStack()->undo();
    QVERIFY(status->text().isEmpty());
}

void FrontierPageTest::aProjectFromElsewhereHasNone() {
    window_.workspace().undoStack()->setClean();
    openAndWait(window_, QStringLiteral(STAGECRAFT_SOURCE_DIR "/samples/fig2-toy.stagecraft.json"));
    QVERIFY(!page().isOffered());
}

STAGECRAFT_TEST(FrontierPageTest)
#include "frontier_page_test.moc"
