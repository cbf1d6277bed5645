#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "views/topology/canvas_gestures.h"

#include <QTest>

using namespace stagecraft;

class SnappingTest : public QObject {
    Q_OBJECT

private slots:
    void theGridTakesTheCorner() {
        const Snapped snapped = snap(QRectF(5, 13, 120, 64), {}, {true, true}, 6);
        QCOMPARE(snapped.by, QPointF(3, 3));
    }

    void guidesDrawToTheNearestEdgeOrMiddleWithinReach() {
        const std::vector<QRectF> others = {QRectF(100, 200, 50, 50)};
        const Snapped left = snap(QRectF(104, 0, 12, 20), others, {false, true}, 6);
        QCOMPARE(left.by, QPointF(-4, 0));
        QCOMPARE(left.guideX.value(), 100.0);
        QVERIFY(!left.guideY);
        const Snapped middle = snap(QRectF(116, 0, 20, 20), others, {false, true}, 6);
        QCOMPARE(middle.by, QPointF(-1, 0));
        QCOMPARE(middle.guideX.value(), 125.0);
        QCOMPARE(snap(QRectF(10, 0, 20, 20), others, {false, true}, 6).by, QPointF());
    }

    void theGridWinsOverGuides() {
        const std::vector<QRectF> others = {QRectF(101, 200, 50, 50)};
        const Snapped snapped = snap(QRectF(103, 0, 20, 20), others, {true, true}, 6);
        QCOMPARE(snapped.by.x(), 1.0);
        QVERIFY2(!snapped.guideX, "a guide is shown only where grid and guide agree");
        QVERIFY(snap(QRectF(103, 0, 20, 20), {QRectF(104, 200, 50, 50)}, {true, true}, 6).guideX);
    }

    void neitherLeavesThingsAlone() {
        QCOMPARE(snap(QRectF(1, 1, 3, 3), {QRectF(2, 2, 3, 3)}, {false, false}, 6).by, QPointF());
    }
};

STAGECRAFT_TEST_NEEDING(nothing, SnappingTest)
#include "snapping_test.moc"
