// A printed figure shows what swap and recompute save.
#include "tests/support/qt_program.h"
#include "tests/support/every_room.h"
#include "tests/views/saving_run.h"
#include "views/figures/schedule_figure.h"

#include <QTest>

using namespace stagecraft;

class SavedMemoryFigureTest : public QObject {
    Q_OBJECT
private slots:
    void bandsLieOnTopOfWhatIsHeld();
    void aDeviceThatKeepsEverythingHasNone();

private:
    /// The highest point of what plays that role, in millimetres from above; far down if nothing does.
    static double topOf(const Figure& figure, const std::string& role) {
        double top = nowhere;
        for (const FigureItem& item : figure.items)
            if (const auto* polygon = std::get_if<FigurePolygon>(&item); polygon && polygon->role == role)
                for (const QPointF& point : polygon->points) top = std::min(top, point.y());
        return top;
    }
    static Figure figureOf(int device) {
        ScheduleFigureOptions options;
        options.memory = true;
        options.memoryDevice = device;
        return scheduleFigure(*savingRun(), options);
    }
    static constexpr double nowhere = 1e9;
};

void SavedMemoryFigureTest::bandsLieOnTopOfWhatIsHeld() {
    const Figure figure = figureOf(0);
    QVERIFY(topOf(figure, "memory saved by recompute") < topOf(figure, "memory saved by swap"));
    QVERIFY(topOf(figure, "memory saved by swap") < topOf(figure, "memory activations"));
    QVERIFY(topOf(figure, "memory saved by recompute") > 0);
}

void SavedMemoryFigureTest::aDeviceThatKeepsEverythingHasNone() {
    const Figure figure = figureOf(3);
    QVERIFY(topOf(figure, "memory activations") < nowhere);
    QCOMPARE(topOf(figure, "memory saved by swap"), nowhere);
    QCOMPARE(topOf(figure, "memory saved by recompute"), nowhere);
}

STAGECRAFT_TEST(SavedMemoryFigureTest)
#include "saved_memory_figure_test.moc"
