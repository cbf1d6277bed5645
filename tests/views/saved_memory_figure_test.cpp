// A printed figure shows what swap and recompute save.
#include "tests/support/qt_program.h"
#include "tests/support/window_rooms.h"
#include "tests/views/saving_run.h"
#include "views/figures/memory_panel.h"
#include "views/figures/schedule_figure.h"

#include <QTest>

using namespace stagecraft;

class SavedMemoryFigureTest : public QObject {
    Q_OBJECT
private slots:
    void bandsLieOnTopOfWhatIsHeld();
    void aDeviceThatKeepsEverythingHasNone();
    void aLimitFarAboveIsWritten();
    void aLimitBelowWhatWouldBeKeptIsALine();

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
    struct PrintedLimit {
        int lines = 0, labels = 0;
    };
    /// How a limit of so many times the peak is shown where swap saves so many peaks more.
    static PrintedLimit limitOf(double limitBytes, double saved);
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

SavedMemoryFigureTest::PrintedLimit SavedMemoryFigureTest::limitOf(double limitBytes, double saved) {
    MemoryCurve curve = savingRun()->evaluation->memory[0];
    const double peak = curve.peakBytes();
    curve.limitBytes = limitBytes * peak;
    const SavedMemory kept{{0, 1}, {peak, peak}, {saved * peak, 0}, {0, 0}};
    Figure figure;
    std::vector<LegendEntry> legend;
    const SavedMemory* shown = saved > 0 ? &kept : nullptr;
    addMemoryPanel(figure, curve, "GPU", {20, 5, 60, 15}, {0, 1, 20, 80}, 8, legend,
                   memoryTopBytes(curve, shown), shown);
    PrintedLimit found;
    for (const FigureItem& item : figure.items) {
        if (const auto* line = std::get_if<FigureLine>(&item); line && line->role == "memory limit")
            ++found.lines;
        if (const auto* text = std::get_if<FigureText>(&item); text && text->text.startsWith("limit"))
            ++found.labels;
    }
    return found;
}

void SavedMemoryFigureTest::aLimitFarAboveIsWritten() {
    QCOMPARE(limitOf(2.4, 0).lines, 1);
    QCOMPARE(limitOf(2.4, 0).labels, 0);
    QCOMPARE(limitOf(2.6, 0).lines, 0);
    QCOMPARE(limitOf(2.6, 0).labels, 1);
}

void SavedMemoryFigureTest::aLimitBelowWhatWouldBeKeptIsALine() {
    QCOMPARE(limitOf(3, 4).lines, 1);
    QCOMPARE(limitOf(3, 4).labels, 0);
    QCOMPARE(limitOf(6, 4).lines, 0);
    QCOMPARE(limitOf(6, 4).labels, 1);
}

STAGECRAFT_TEST(SavedMemoryFigureTest)
#include "saved_memory_figure_test.moc"
