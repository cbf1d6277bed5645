// What all canvases share: keys, wheel, dragging, hovering, the theme.
#include "views/common/canvas.h"

#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"

#include <QTest>
#include <QToolTip>
#include <QWheelEvent>

using namespace stagecraft;

namespace {

/// Writes down what it is asked for.
class RecordingCanvas : public Canvas {
public:
    explicit RecordingCanvas(CanvasMotion motion) : Canvas("recorder", motion, nullptr) { resize(400, 300); }

    void fit() override { done << "fit"; }
    QString take() { return std::exchange(done, {}).join(", "); }
    using Canvas::showTip;

    QStringList done;
    bool takes = true;

protected:
    void lookChanged() override { done << "look"; }
    void hoverAt(QPointF at, QPoint) override { done << QString("hover %1").arg(at.x()); }
    void hoverEnded() override { done << "left"; }
    void click(QPointF at, Qt::KeyboardModifiers) override { done << QString("click %1").arg(at.x()); }
    void panBy(QPointF by) override { done << QString("pan %1 %2").arg(by.x()).arg(by.y()); }
    void zoomAt(QPointF at, double factor) override { done << QString("zoom %1 %2").arg(at.x()).arg(factor); }
    QPointF keyPan() const override { return {50, 20}; }
    bool step(QPoint by) override {
        done << QString("step %1 %2").arg(by.x()).arg(by.y());
        return takes;
    }
    bool pick(Qt::KeyboardModifiers) override {
        done << "pick";
        return takes;
    }
    bool letGo() override {
        done << "letGo";
        return takes;
    }
};

/// @return whether the canvas took the key
bool press(QWidget& canvas, int key, Qt::KeyboardModifiers modifiers = {}) {
    QKeyEvent event(QEvent::KeyPress, key, modifiers);
    QApplication::sendEvent(&canvas, &event);
    return event.isAccepted();
}

bool turn(QWidget& canvas, QPoint eighths, Qt::KeyboardModifiers modifiers = {}) {
    QWheelEvent event(QPointF(100, 40), canvas.mapToGlobal(QPointF(100, 40)), {}, eighths, Qt::NoButton,
                      modifiers, Qt::NoScrollPhase, false);
    QApplication::sendEvent(&canvas, &event);
    return event.isAccepted();
}

void move(QWidget& canvas, QPointF at, Qt::MouseButtons buttons = {}) {
    QMouseEvent event(QEvent::MouseMove, at, canvas.mapToGlobal(at), Qt::NoButton, buttons, {});
    QApplication::sendEvent(&canvas, &event);
}

}  // namespace

class CanvasTest : public QObject {
    Q_OBJECT

private slots:
    void keysMoveWhatCanBeMoved() {
        RecordingCanvas plane(CanvasMotion::plane);
        for (const int key : {Qt::Key_F, Qt::Key_Home, Qt::Key_Plus, Qt::Key_Equal, Qt::Key_Minus})
            QVERIFY(press(plane, key));
        QCOMPARE(plane.take(), "fit, fit, zoom 200 1.25, zoom 200 1.25, zoom 200 0.8");
        for (const int key : {Qt::Key_W, Qt::Key_A, Qt::Key_S, Qt::Key_D}) QVERIFY(press(plane, key));
        QCOMPARE(plane.take(), "pan 0 20, pan 50 0, pan 0 -20, pan -50 0");
        RecordingCanvas along(CanvasMotion::along);
        for (const int key : {Qt::Key_W, Qt::Key_A, Qt::Key_S, Qt::Key_D}) QVERIFY(press(along, key));
        QCOMPARE(along.take(), "zoom 200 1.25, pan 50 0, zoom 200 0.8, pan -50 0");
        RecordingCanvas still(CanvasMotion::none);
        for (const int key : {Qt::Key_F, Qt::Key_Plus, Qt::Key_W, Qt::Key_A}) QVERIFY(!press(still, key));
        QCOMPARE(still.take(), "");
    }

    void otherKeysAreOfferedAndGoOnWhereTheyMeanNothing() {
        RecordingCanvas canvas(CanvasMotion::none);
        const int keys[] = {Qt::Key_Left,  Qt::Key_Right,  Qt::Key_Up,    Qt::Key_Down,
                            Qt::Key_Enter, Qt::Key_Return, Qt::Key_Escape};
        for (const bool takes : {true, false}) {
            canvas.takes = takes;
            for (const int key : keys) QCOMPARE(press(canvas, key), takes);
            QCOMPARE(canvas.take(), "step -1 0, step 1 0, step 0 -1, step 0 1, pick, pick, letGo");
        }
        canvas.takes = true;
        QVERIFY(!press(canvas, Qt::Key_Left, Qt::ControlModifier));  // somebody's shortcut
        QCOMPARE(canvas.take(), "");
    }

    void wheelZoomsAtThePointerAndAlongAnAxisPansSideways() {
        RecordingCanvas along(CanvasMotion::along), plane(CanvasMotion::plane), still(CanvasMotion::none);
        for (RecordingCanvas* canvas : {&along, &plane}) QVERIFY(turn(*canvas, {0, 240}));
        QCOMPARE(along.take(), "zoom 100 1.5625");
        QCOMPARE(plane.take(), "zoom 100 1.5625");
        turn(along, {0, 120}, Qt::ShiftModifier);
        turn(along, {-120, 0});
        QCOMPARE(along.take(), "pan 60 0, pan -60 0");
        QVERIFY(!turn(still, {0, 120}));  // it belongs to what scrolls around it
    }

    void dragPansAndClickPicks() {
        RecordingCanvas canvas(CanvasMotion::plane);
        QTest::mousePress(&canvas, Qt::LeftButton, {}, {100, 50});
        const int start = QApplication::startDragDistance();
        move(canvas, {100, 50 + start - 1.0}, Qt::LeftButton);
        QCOMPARE(canvas.take(), "");
        move(canvas, {100, 50 + start + 5.0}, Qt::LeftButton);
        move(canvas, {90, 50 + start + 5.0}, Qt::LeftButton);
        QTest::mouseRelease(&canvas, Qt::LeftButton, {}, {90, 50});
        QCOMPARE(canvas.take(), QString("pan 0 %1, pan -10 0").arg(start + 5));
        QTest::mouseClick(&canvas, Qt::LeftButton, {}, {70, 50});
        QTest::mouseClick(&canvas, Qt::RightButton, {}, {70, 50});
        QCOMPARE(canvas.take(), "click 70");
        QTest::mousePress(&canvas, Qt::MiddleButton, {}, {100, 50});
        move(canvas, {101, 50}, Qt::MiddleButton);
        QTest::mouseRelease(&canvas, Qt::MiddleButton, {}, {101, 50});
        QCOMPARE(canvas.take(), "pan 1 0");
    }

    void whatCannotBeDraggedIsPickedAtThePress() {
        RecordingCanvas canvas(CanvasMotion::none);
        QTest::mousePress(&canvas, Qt::LeftButton, {}, {70, 50});
        QCOMPARE(canvas.take(), "click 70");
        move(canvas, {170, 50}, Qt::LeftButton);
        QTest::mouseRelease(&canvas, Qt::LeftButton, {}, {170, 50});
        QCOMPARE(canvas.take(), "hover 170");
    }

    void hoverEndsWhereThePointerLeaves() {
        RecordingCanvas canvas(CanvasMotion::along);
        QVERIFY(canvas.hasMouseTracking());
        move(canvas, {30, 50});
        QEvent leave(QEvent::Leave);
        QApplication::sendEvent(&canvas, &leave);
        QCOMPARE(canvas.take(), "hover 30, left");
    }

    void anotherThemeOrFontIsAnotherLook() {
        RecordingCanvas canvas(CanvasMotion::none);
        canvas.take();
        QPalette palette = canvas.palette();
        palette.setColor(QPalette::Window, palette.color(QPalette::Window).darker(300));
        canvas.setPalette(palette);
        QVERIFY(canvas.take().startsWith("look"));
        QFont font = canvas.font();
        font.setPixelSize(31);
        canvas.setFont(font);
        QVERIFY(canvas.take().startsWith("look"));
    }

    void tellsScreenReadersWhatTheTooltipSays() {
        RecordingCanvas canvas(CanvasMotion::none);
        QCOMPARE(canvas.accessibleName(), "recorder");
        canvas.show();
        canvas.showTip("twelve", canvas.mapToGlobal(QPoint(20, 20)));
        QCOMPARE(canvas.accessibleDescription(), "twelve");
        QCOMPARE(QToolTip::text(), "twelve");
        canvas.showTip({}, {});
        QCOMPARE(canvas.accessibleDescription(), "");
        QTRY_VERIFY(!QToolTip::isVisible());
    }
};

STAGECRAFT_TEST(CanvasTest)
#include "canvas_test.moc"
