#include "tests/support/qt_program.h"
#include "tests/support/window_rooms.h"
#include "tests/views/plan_view_fixture.h"
#include "views/common/choice_popup.h"
#include "views/plan/details_pane.h"
#include "views/plan/plan_commands.h"
#include "views/plan/plan_search.h"
#include "views/plan/search_bar.h"
#include "views/resources/memory_chart.h"
#include "views/timeline/plan_lanes.h"

#include <QAction>
#include <QLineEdit>
#include <QListWidget>
#include <QTest>
#include <QToolButton>
#include <QTreeWidget>

#include <algorithm>

using namespace stagecraft;

class PlanSearchTest : public QObject {
    Q_OBJECT
private slots:
    void init();
    void cleanup() { shown_.reset(); }

    void whatIsTypedIsFoundAndTheRestIsFaint();
    void enterAndF3GoRoundAllThatWasFound();
    void escapeEndsTheSearchAndGivesTheKeysBack();
    void onlyWhatIsFoundIsShownUntilEscape();
    void memoryAndTheLanesToChooseFromFollowWhatIsShown();
    void nothingIsHiddenWhereNothingIsFound();
    void aMistakeIsToldAndNothingIsFaint();
    void aClickInTheListJumps();
    void aHitInALaneThatIsNotShownIsBroughtOut();
    void columnsTellWhatTheirBlocksAre();
    void aLargeTimelineIsSearchedOffTheGuiThread();
    void everyKeyOfTheTableDoesSomethingFromAnyWidget();

private:
    void type(const QString& text) {
        QTest::keyClick(view_, Qt::Key_F, Qt::ControlModifier);
        QVERIFY(view_->search().isOpen());
        QTest::keyClicks(&bar().field(), text);
    }
    SearchBar& bar() { return view_->search().bar(); }

    std::unique_ptr<ShownPlanView> shown_;
    PlanView* view_ = nullptr;
};

void PlanSearchTest::init() {
    shown_ = std::make_unique<ShownPlanView>();
    view_ = &shown_->view;
    QVERIFY(QTest::qWaitForWindowExposed(view_));
    view_->setFocus();
}

void PlanSearchTest::whatIsTypedIsFoundAndTheRestIsFaint() {
    const quint32 sought = shown_->block(BlockKind::backward, 2, 4);
    const quint32 other = shown_->block(BlockKind::forward, 2, 4);
    const QPoint corner(3, 6);  // beside the number
    const auto colourIn = [&](quint32 block) {
        const QRectF where = view_->gantt().blockRect(block);
        return shown_->shot().pixelColor(where.topLeft().toPoint() + corner);
    };
    const QColor before = colourIn(sought), otherBefore = colourIn(other);
    type("stage:2 kind:backward mb:3..5");
    QVERIFY(view_->search().hits());
    QCOMPARE(view_->search().hits()->blocks().size(), std::size_t(3));
    QVERIFY(view_->search().hits()->has(sought));
    QCOMPARE(bar().answer(), QString("3 found"));
    QCOMPARE(colourIn(sought), before);
    QVERIFY(colourIn(other).lightness() > otherBefore.lightness() + 20);
}

void PlanSearchTest::enterAndF3GoRoundAllThatWasFound() {
    type("kind:b stage:1 mb:0,2,7");
    const std::vector<quint32> hits = view_->search().hits()->blocks();
    QCOMPARE(hits.size(), std::size_t(3));
    QTest::keyClick(&bar().field(), Qt::Key_Return);
    QCOMPARE(view_->selectedBlock(), hits[0]);
    QCOMPARE(bar().answer(), QString("1 of 3"));
    QTest::keyClick(&bar().field(), Qt::Key_F3);
    QCOMPARE(view_->selectedBlock(), hits[1]);
    QTest::keyClick(view_, Qt::Key_F3);
    QTest::keyClick(view_, Qt::Key_F3);
    QCOMPARE(view_->selectedBlock(), hits[0]);  // round the end
    QTest::keyClick(view_, Qt::Key_F3, Qt::ShiftModifier);
    QCOMPARE(view_->selectedBlock(), hits[2]);
    QTest::keyClick(&bar().field(), Qt::Key_Return, Qt::ShiftModifier);
    QCOMPARE(view_->selectedBlock(), hits[1]);
}

void PlanSearchTest::escapeEndsTheSearchAndGivesTheKeysBack() {
    const QImage before = shown_->shot();
    type("kind:forward");
    QVERIFY(shown_->shot() != before);
    QTest::keyClick(&bar().field(), Qt::Key_Escape);
    QVERIFY(!view_->search().isOpen());
    QCOMPARE(shown_->shot().size(), before.size());
    QCOMPARE(shown_->shot(), before);
    QVERIFY(view_->hasFocus());
    QTest::keyClick(view_, Qt::Key_F, Qt::ControlModifier);  // the text is kept, to be typed over
    QCOMPARE(bar().field().selectedText(), QString("kind:forward"));
}

void PlanSearchTest::onlyWhatIsFoundIsShownUntilEscape() {
    const QImage before = shown_->shot();
    const std::size_t allRows = view_->gantt().scene().rows.size();
    const quint32 sought = shown_->block(BlockKind::backward, 2, 4);
    const quint32 other = shown_->block(BlockKind::forward, 2, 4);
    type("stage:1,2 kind:backward");
    QTest::mouseClick(view_->findChild<QToolButton*>("onlyHits"), Qt::LeftButton);
    const auto& rows = view_->gantt().scene().rows;
    QCOMPARE(rows.size(), std::size_t(2));
    QCOMPARE(rows[0].stage, 1);
    QCOMPARE(rows[1].stage, 2);
    QVERIFY(bar().answer().contains("the rest is hidden"));
    const QImage hidden = shown_->shot();
    QCOMPARE(hidden.pixelColor(shown_->centreOf(other).toPoint() + QPoint(0, 4)), Theme::current().surface);
    QVERIFY(hidden.pixelColor(shown_->centreOf(sought).toPoint() + QPoint(0, 8)) != Theme::current().surface);
    // What is hidden is not there for the pointer, and is no idle time.
    QTest::mouseClick(&shown_->plot(), Qt::LeftButton, {}, shown_->centreOf(other).toPoint());
    QCOMPARE(view_->selectedBlock(), noBlock);
    QVERIFY(!view_->gantt().scene().idle);
    QTest::mouseClick(&shown_->plot(), Qt::LeftButton, {}, shown_->centreOf(sought).toPoint());
    QCOMPARE(view_->selectedBlock(), sought);
    view_->selectBlock(noBlock);
    // Other words, other lanes; Ctrl+Enter shows the rest and hides it again.
    QTest::keyClick(&bar().field(), Qt::Key_A, Qt::ControlModifier);
    QTest::keyClicks(&bar().field(), "stage:3 kind:f");
    QCOMPARE(view_->gantt().scene().rows.size(), std::size_t(1));
    QTest::keyClick(&bar().field(), Qt::Key_Return, Qt::ControlModifier);
    QCOMPARE(view_->gantt().scene().rows.size(), allRows);
    QTest::keyClick(&bar().field(), Qt::Key_Return, Qt::ControlModifier);
    QCOMPARE(view_->gantt().scene().rows.size(), std::size_t(1));
    QTest::keyClick(&bar().field(), Qt::Key_Escape);
    QCOMPARE(view_->gantt().scene().rows.size(), allRows);
    const QPoint beside = shown_->centreOf(other).toPoint() + QPoint(0, 4);
    QCOMPARE(shown_->shot().pixelColor(beside), before.pixelColor(beside));
    QVERIFY(before.pixelColor(beside) != Theme::current().surface);
    // From the chart H opens the row; the next search begins with all of it shown.
    type("stage:3");
    QVERIFY(view_->gantt().scene().rows.size() == allRows);
    view_->setFocus();
    QTest::keyClick(view_, Qt::Key_H);
    QVERIFY(view_->gantt().scene().rows.size() < allRows);
}

void PlanSearchTest::memoryAndTheLanesToChooseFromFollowWhatIsShown() {
    const auto hidden = [&] {
        const std::vector<bool>& filtered = view_->memory().scene().filtered;
        return std::count(filtered.begin(), filtered.end(), true);
    };
    const auto offered = [&] {
        QTest::keyClick(view_, Qt::Key_P, Qt::ControlModifier);
        auto* popup = view_->findChild<ChoicePopup*>("laneFinder");
        if (!popup) return -1;
        const int rows = popup->findChild<QListWidget*>()->count();
        QTest::keyClick(popup->findChild<QLineEdit*>(), Qt::Key_Escape);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        return rows;
    };
    const int all = offered();
    QVERIFY(all > 2);
    const double ceilingBefore = view_->memory().scene().ceilingBytes();
    type("stage:1,2 kind:backward");
    QCOMPARE(hidden(), 0);
    QTest::mouseClick(bar().findChild<QToolButton*>("onlyHits"), Qt::LeftButton);
    const auto lines = static_cast<std::ptrdiff_t>(view_->memory().scene().data->memory.size());
    QVERIFY(hidden() > 0 && hidden() < lines);
    // The highest of all lines is that of the first stage, which is hidden now.
    QVERIFY(view_->memory().scene().ceilingBytes() <= ceilingBefore);
    view_->setFocus();
    QCOMPARE(offered(), 2);
    QTest::keyClick(&bar().field(), Qt::Key_Escape);
    QCOMPARE(hidden(), 0);
    QCOMPARE(offered(), all);
}

void PlanSearchTest::nothingIsHiddenWhereNothingIsFound() {
    const std::size_t allRows = view_->gantt().scene().rows.size();
    type("stage:0 -stage:0");
    QTest::keyClick(&bar().field(), Qt::Key_Return, Qt::ControlModifier);
    QCOMPARE(bar().answer(), QString("Nothing found"));
    QCOMPARE(view_->gantt().scene().rows.size(), allRows);
}

void PlanSearchTest::aMistakeIsToldAndNothingIsFaint() {
    type("stage:2 kind:bakward");
    QVERIFY(bar().answer().startsWith("'bakward' is not a kind of block (did you mean 'backward'?)"));
    QVERIFY(!view_->search().hits());
    bar().field().clear();
    QTest::keyClicks(&bar().field(), "mb:9");
    QCOMPARE(bar().answer(), QString("9: the plan has microbatches 0 to 7"));
    QTest::keyClick(&bar().field(), Qt::Key_Backspace);
    QTest::keyClick(&bar().field(), Qt::Key_7);
    QVERIFY(view_->search().hits());
}

void PlanSearchTest::aClickInTheListJumps() {
    view_->viewActions().details->setChecked(true);
    type("kind:allreduce");
    auto* list = view_->findChild<QTreeWidget*>("hitList");
    QVERIFY(list->isVisible());
    const auto& hits = view_->search().hits()->blocks();
    QCOMPARE(list->topLevelItemCount(), static_cast<int>(hits.size()));
    QTest::mouseClick(list->viewport(), Qt::LeftButton, {},
                      list->visualItemRect(list->topLevelItem(1)).center());
    QCOMPARE(view_->selectedBlock(), hits[1]);
    QCOMPARE(bar().answer(), QStringLiteral("2 of %1").arg(hits.size()));
}

void PlanSearchTest::aHitInALaneThatIsNotShownIsBroughtOut() {
    view_->viewActions().communication->setChecked(false);
    view_->lanes().collapseAll(true);
    type("kind:transfer-forward stage:0 mb:3");
    QTest::keyClick(&bar().field(), Qt::Key_Return);
    const quint32 block = view_->selectedBlock();
    QVERIFY(block != noBlock);
    QVERIFY(view_->viewActions().communication->isChecked());
    QVERIFY(view_->gantt().scene().rowOf(block));
}

void PlanSearchTest::columnsTellWhatTheirBlocksAre() {
    const Timeline& timeline = shown_->timeline();
    std::vector<quint32> found;
    for (quint32 block = 0; block < timeline.blockCount(); block += 3) found.push_back(block);
    std::sort(found.begin(), found.end(),
              [&](quint32 a, quint32 b) { return timeline.startS[a] < timeline.startS[b]; });
    const BlockHits hits(timeline, found);
    std::vector<BlockHits::Column> columns;
    const int count = 37;
    const double columnS = timeline.lastEndS() / count;
    for (int lane = 0; lane < static_cast<int>(timeline.lanes.size()); ++lane) {
        hits.columns(lane, 0, columnS, count, columns);
        for (int c = 0; c < count; ++c) {
            double busyS = 0;
            bool any = false;
            const Lane& range = timeline.lanes[static_cast<std::size_t>(lane)];
            for (quint32 b = range.firstBlock; b < range.endBlock; ++b) {
                if (b % 3) continue;
                const double from = std::max(timeline.startS[b], c * columnS);
                const double to = std::min(timeline.endS[b], (c + 1) * columnS);
                busyS += std::max(0.0, to - from);
                any |= timeline.startS[b] >= c * columnS && timeline.startS[b] < (c + 1) * columnS;
            }
            const auto& column = columns[static_cast<std::size_t>(c)];
            QVERIFY(std::abs(static_cast<double>(column.share) - busyS / columnS) < 1e-4);
            QVERIFY(column.any || !(any || busyS > 1e-3 * columnS));
        }
    }
}

void PlanSearchTest::aLargeTimelineIsSearchedOffTheGuiThread() {
    MadeUpPipeline large;
    large.microbatches = 8000;
    view_->setRun(madeUpRun(large));
    QVERIFY(QTest::qWaitFor([this] { return view_->isReady(); }));
    type("kind:backward");
    QVERIFY(view_->search().isSearching());
    QTest::keyClick(&bar().field(), Qt::Key_Return);  // answered when it is known
    QVERIFY(QTest::qWaitFor([this] { return !view_->search().isSearching(); }));
    QCOMPARE(view_->search().hits()->blocks().size(), std::size_t(4 * 8000));
    QCOMPARE(view_->selectedBlock(), view_->search().hits()->blocks().front());
}

void PlanSearchTest::everyKeyOfTheTableDoesSomethingFromAnyWidget() {
    // The list of what was found would take letters for the beginning of a row.
    view_->viewActions().details->setChecked(true);
    type("kind:forward");
    auto* list = view_->findChild<QTreeWidget*>("hitList");
    list->setFocus();
    QTRY_VERIFY(list->hasFocus());
    const auto before = view_->visibleRange();
    QTest::keyClick(list, Qt::Key_W);
    QVERIFY(view_->visibleRange().second - view_->visibleRange().first < before.second - before.first);
    QTest::keyClick(list, Qt::Key_Period);
    QVERIFY(view_->selectedBlock() != noBlock);
    // In a field letters are letters.
    bar().field().setFocus();
    const auto range = view_->visibleRange();
    QTest::keyClicks(&bar().field(), "wsad");
    QCOMPARE(view_->visibleRange(), range);
    // What the help lists is what the table has.
    QStringList keys;
    for (const KeyHelp& row : PlanCommands::keyHelp()) keys << row.keys;
    const QString all = keys.join(", ");
    for (const ViewCommand& command : PlanCommands::all())
        if (!command.key.isEmpty()) QVERIFY2(all.contains(command.key.toString()), qPrintable(command.id));
}

STAGECRAFT_TEST(PlanSearchTest)
#include "plan_search_test.moc"
