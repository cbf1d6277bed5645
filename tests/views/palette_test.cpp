// Colours of blocks: palettes, and how people see them.
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "tests/views/figures_sample_run.h"
#include "views/common/theme.h"
#include "views/figures/figure_style.h"

#include <QTest>

#include <set>

using namespace stagecraft;

namespace {

QColor fillOf(const Figure& figure, const std::string& role) {
    for (const FigureItem& item : figure.items)
        if (const auto* rect = std::get_if<FigureRectangle>(&item); rect && rect->role == role)
            return rect->fill.colour;
    return {};
}

Figure drawnWith(PaletteKind palette, const char* own = "", BlockColouring by = BlockColouring::kind) {
    ScheduleFigureOptions options;
    options.palette = palette;
    options.ownColours = own;
    options.colouring = by;
    return scheduleFigure(*sample::run(), options);
}

}  // namespace

class PaletteTest : public QObject {
    Q_OBJECT
private slots:
    void theStandardIsThatOfTheWindow() {
        const Figure figure = drawnWith(PaletteKind::standard);
        QCOMPARE(fillOf(figure, "forward"), blockColour(BlockKind::forward));
        QCOMPARE(fillOf(figure, "backward"), blockColour(BlockKind::backward));
    }

    void ownColoursAreOfTheKindsInTurnOrByName() {
        const Figure figure = drawnWith(PaletteKind::own, "#88CCEE, #CC6677, AllReduce=#112233");
        QCOMPARE(fillOf(figure, "forward"), QColor(0x88, 0xCC, 0xEE));
        QCOMPARE(fillOf(figure, "backward"), QColor(0xCC, 0x66, 0x77));
        QCOMPARE(fillOf(figure, "AllReduce"), QColor(0x11, 0x22, 0x33));
        for (const char* wrong : {"#88CCEX", "forwards=#112233", "update="})
            QVERIFY_THROWS_EXCEPTION(std::invalid_argument, drawnWith(PaletteKind::own, wrong));
    }

    void aGreyPaletteHasNoColourAndItsKindsDifferInLightness() {
        std::set<int> levels;
        for (int kind = 0; kind < blockKindCount; ++kind) {
            const QColor colour =
                Palette(PaletteKind::grey, {}).ofKind(static_cast<BlockKind>(kind), Qt::red);
            QVERIFY(colour.red() == colour.green() && colour.green() == colour.blue());
            levels.insert(colour.red());
        }
        QCOMPARE(int(levels.size()), blockKindCount);
    }

    void stepsAreLightForwardAndDarkBackward() {
        for (const PaletteKind kind : {PaletteKind::okabeIto, PaletteKind::viridis, PaletteKind::grey}) {
            const Figure figure = drawnWith(kind, "", BlockColouring::microbatch);
            const QColor forward = fillOf(figure, "microbatch 0 forward");
            const QColor backward = fillOf(figure, "microbatch 0 backward");
            QVERIFY(forward.isValid() && backward.isValid());
            QVERIFY2(qGray(forward.rgb()) > qGray(backward.rgb()) + 30, nameOf(paletteNames, kind));
            QVERIFY(forward != fillOf(figure, "microbatch 1 forward"));
            // The legend shows the same.
            std::set<QRgb> seen;
            for (const FigureItem& item : figure.items)
                if (const auto* rect = std::get_if<FigureRectangle>(&item);
                    rect && rect->role == "microbatch 0 forward")
                    seen.insert(rect->fill.colour.rgb());
            QCOMPARE(int(seen.size()), 1);
        }
    }

    void whoSeesNoGreenTakesRedAndGreenForAlike() {
        Figure figure{10, 10, "", {}};
        figure.add(FigureRectangle{QRectF(0, 0, 1, 1), Fill{QColor(200, 80, 0)}, {}, "red"});
        figure.add(FigureRectangle{QRectF(0, 0, 1, 1), Fill{QColor(120, 130, 0)}, {}, "green"});
        figure.add(FigureRectangle{QRectF(0, 0, 1, 1), Fill{QColor(255, 255, 255)}, {}, "white"});
        const auto apart = [](const QColor& a, const QColor& b) {
            return std::abs(a.red() - b.red()) + std::abs(a.green() - b.green()) +
                   std::abs(a.blue() - b.blue());
        };
        const Figure seen = asSeen(figure, Vision::deuteranopia);
        QVERIFY(apart(fillOf(seen, "red"), fillOf(seen, "green")) <
                apart(fillOf(figure, "red"), fillOf(figure, "green")) / 3);
        for (const Vision vision :
             {Vision::grey, Vision::protanopia, Vision::deuteranopia, Vision::tritanopia}) {
            const QColor white = fillOf(asSeen(figure, vision), "white");
            QVERIFY(qGray(white.rgb()) >= 254);
        }
        const QColor grey = fillOf(asSeen(figure, Vision::grey), "red");
        QVERIFY(grey.red() == grey.green() && grey.green() == grey.blue());
    }
};

STAGECRAFT_TEST(PaletteTest)
#include "palette_test.moc"
