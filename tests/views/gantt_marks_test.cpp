// What is over the blocks and beside them: arrows, numbers, marks of devices.

#include "tests/support/qt_program.h"
#include "tests/support/window_rooms.h"
#include "tests/views/plan_view_fixture.h"
#include "views/resources/memory_chart.h"
#include "views/timeline/block_raster.h"
#include "views/timeline/lane_labels.h"
#include "views/timeline/play_clock.h"

#include <QAction>
#include <QSignalSpy>
#include <QTest>

#include <cmath>

using namespace stagecraft;

class GanttMarksTest : public QObject {
    Q_OBJECT
private slots:
    void init();
    void cleanup() { shown_.reset(); }

    void arrowsHideNothingInTheSelectedBlock();
    void arrowsHideNoNumberOfATransfer_data();
    void arrowsHideNoNumberOfATransfer();
    void pointingAtALaneOrItsMemoryTellsTheDevice();
    void aHighlightedDeviceHasItsLaneMarked();
    void updatesShowOnBothThemes();
    void blocksOfOneLengthAllHaveTheirNumberOrNoneHas();

private:
    TimePlot& plot() { return shown_->plot(); }
    const Timeline& timeline() const { return shown_->timeline(); }
    QPointF centreOf(quint32 block) { return shown_->centreOf(block); }
    quint32 block(BlockKind kind, int stage, int microbatch) {
        return shown_->block(kind, stage, microbatch);
    }
    QImage shot() { return shown_->shot(); }

    std::unique_ptr<ShownPlanView> shown_;
    PlanView* view_ = nullptr;
};

void GanttMarksTest::init() {
    shown_ = std::make_unique<ShownPlanView>();
    view_ = &shown_->view;
    QVERIFY(QTest::qWaitForWindowExposed(view_));
}

void GanttMarksTest::arrowsHideNothingInTheSelectedBlock() {
    view_->setVisibleRange(0, timeline().lastEndS() / 2);
    const QImage plain = shot();
    for (const quint32 selected : {block(BlockKind::forward, 1, 1), block(BlockKind::backward, 3, 1),
                                   block(BlockKind::forward, 0, 2), block(BlockKind::forward, 3, 2)}) {
        view_->selectBlock(selected);
        QVERIFY(!view_->gantt().scene().arrows.empty());
        const QRect inside =
            view_->gantt().blockRect(selected).toAlignedRect().adjusted(4, 6, -4, -6) & plot().area();
        QVERIFY(inside.width() > 4 && inside.height() > 4);
        const QImage marked = shot();
        QVERIFY(marked != plain);
        QCOMPARE(marked.copy(inside), plain.copy(inside));
    }
}

void GanttMarksTest::arrowsHideNoNumberOfATransfer_data() {
    QTest::addColumn<bool>("played");
    QTest::newRow("whole") << false;
    QTest::newRow("nothing has begun but the first pass") << true;
}

void GanttMarksTest::arrowsHideNoNumberOfATransfer() {
    QFETCH(bool, played);
    MadeUpPipeline slow;
    slow.linkBps = 4e9;
    slow.channel = ChannelMode::halfDuplex;
    shown_ = std::make_unique<ShownPlanView>(slow);
    view_ = &shown_->view;
    view_->resize(1000, 1500);
    QVERIFY(QTest::qWaitForWindowExposed(view_));
    view_->setVisibleRange(0, timeline().lastEndS() / 3);
    if (played) view_->clock().setTime(0);
    const QImage plain = shot();
    const Timeline& blocks = timeline();
    std::vector<QRect> numbers;
    for (quint32 each = 0; each < blocks.blockCount(); ++each) {
        if (blocks.kind[each] != BlockKind::transferForward &&
            blocks.kind[each] != BlockKind::transferBackward)
            continue;
        const QRectF where = view_->gantt().blockRect(each) & QRectF(plot().area());
        if (where.width() < 20 || where.height() < 13) continue;
        QRect number(0, 0, 5, 7);
        number.moveCenter(where.center().toPoint());
        if (where.toAlignedRect().contains(number)) numbers.push_back(number);
    }
    QVERIFY(numbers.size() > 3);
    int changed = 0;
    for (quint32 selected = 0; selected < blocks.blockCount(); ++selected) {
        if (!isPass(blocks.kind[selected]) || view_->gantt().blockRect(selected).width() < 4) continue;
        view_->selectBlock(selected);  // may move what is in view
        view_->setVisibleRange(0, timeline().lastEndS() / 3);
        const QImage marked = shot();
        changed += marked != plain;
        for (const QRect& number : numbers) QCOMPARE(marked.copy(number), plain.copy(number));
    }
    QVERIFY(changed > 4);
}

void GanttMarksTest::pointingAtALaneOrItsMemoryTellsTheDevice() {
    QSignalSpy hovered(view_, &PlanView::deviceHovered);
    QTest::mouseMove(&plot(), centreOf(block(BlockKind::forward, 1, 4)).toPoint());
    QCOMPARE(hovered.last().at(0).toInt(), shown_->run->result.plan.stages[1].devices.front());
    QTest::mouseMove(&plot(), centreOf(block(BlockKind::transferForward, 1, 2)).toPoint());
    QCOMPARE(hovered.last().at(0).toInt(), -1);
    auto* labels = view_->findChild<LaneLabels*>();
    QTest::mouseMove(labels, QPoint(30, centreOf(block(BlockKind::forward, 3, 2)).toPoint().y()));
    QCOMPARE(hovered.last().at(0).toInt(), shown_->run->result.plan.stages[3].devices.front());
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(labels, &leave);
    QCOMPARE(hovered.last().at(0).toInt(), -1);
    MemoryList& list = view_->memory().list();
    QTest::mouseMove(&list, list.rowRect(2).center());
    QCOMPARE(hovered.last().at(0).toInt(), view_->gantt().scene().data->memory[2].devices.front());
}

void GanttMarksTest::aHighlightedDeviceHasItsLaneMarked() {
    auto* labels = view_->findChild<LaneLabels*>();
    const auto accents = [&](int stage) {
        const QRect row = view_->gantt().blockRect(block(BlockKind::forward, stage, 0)).toAlignedRect();
        const QImage image = labels->grab(QRect(0, row.top(), labels->width(), row.height())).toImage();
        int found = 0;
        for (int x = 0; x < image.width(); ++x)
            found += image.pixelColor(x, image.height() - 1) == Theme::current().accent;
        return found;
    };
    QSignalSpy hovered(view_, &PlanView::deviceHovered);
    for (int stage = 0; stage < 4; ++stage) QCOMPARE(accents(stage), 0);
    view_->highlightDevice(shown_->run->result.plan.stages[2].devices.back());
    for (int stage = 0; stage < 4; ++stage) QCOMPARE(accents(stage) > 100, stage == 2);
    view_->viewActions().communication->setChecked(false);  // the rows move, the mark with them
    for (int stage = 0; stage < 4; ++stage) QCOMPARE(accents(stage) > 100, stage == 2);
    view_->highlightDevice(-1);
    for (int stage = 0; stage < 4; ++stage) QCOMPARE(accents(stage), 0);
    QCOMPARE(hovered.count(), 0);  // views that follow each other must not answer
}

void GanttMarksTest::updatesShowOnBothThemes() {
    for (const ThemeChoice choice : {ThemeChoice::light, ThemeChoice::dark}) {
        applyTheme(*qApp, choice);
        const QColor surface = Theme::current().surface;
        QImage image(40, 16, QImage::Format_RGB32);
        BlockRaster raster(image, RasterColours::current(), std::vector<bool>(40, false), 1);
        raster.fillBackground();
        raster.paintLane(0, 16, {static_cast<std::uint8_t>(BlockKind::update)}, std::vector<float>(40, 1.0f),
                         {}, 40, 40);
        const QColor fill = image.pixelColor(20, 5), stripe = image.pixelColor(20, 7);
        QVERIFY(std::abs(fill.lightness() - surface.lightness()) > 120);
        QVERIFY(std::abs(stripe.lightness() - fill.lightness()) > 30);
    }
}

void GanttMarksTest::blocksOfOneLengthAllHaveTheirNumberOrNoneHas() {
    MadeUpPipeline wanted;
    wanted.microbatches = 14;
    shown_->run = madeUpRun(wanted);
    view_->setRun(shown_->run);
    view_->viewActions().communication->setChecked(false);
    const quint32 first = block(BlockKind::forward, 0, 0);
    bool some = false, none = false;
    for (double pixels = 8; pixels < 26; pixels += 0.5) {
        view_->setVisibleRange(0, timeline().durationS(first) * plot().area().width() / pixels);
        const QImage image = shot();
        const auto numbered = [&](int microbatch) {
            const QRect centre(centreOf(block(BlockKind::forward, 0, microbatch)).toPoint() - QPoint(3, 5),
                               QSize(7, 10));
            for (int y = centre.top(); y <= centre.bottom(); ++y)
                for (int x = centre.left(); x <= centre.right(); ++x)
                    if (image.pixelColor(x, y).lightness() < 90) return true;
            return false;
        };
        int count = 0, seen = 0;
        for (int m = 0; m < wanted.microbatches; ++m) {
            if (centreOf(block(BlockKind::forward, 0, m)).x() > plot().area().right() - 20) continue;
            ++seen;
            count += numbered(m);
        }
        QVERIFY2(count == 0 || count == seen,
                 qPrintable(QString("%1 of %2 at %3 pixels").arg(count).arg(seen).arg(pixels)));
        some |= count > 0;
        none |= count == 0;
    }
    QVERIFY(some && none);
}

STAGECRAFT_TEST(GanttMarksTest)
#include "gantt_marks_test.moc"
