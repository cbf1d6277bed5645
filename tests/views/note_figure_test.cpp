// Notes of a chart in its printed figure.
#include "tests/support/qt_program.h"
#include "tests/support/window_rooms.h"
#include "tests/views/figures_sample_run.h"
#include "views/figures/schedule_figure.h"

#include <QTest>

using namespace stagecraft;

class NoteFigureTest : public QObject {
    Q_OBJECT
private slots:
    void aNoteHasItsTextAndALineDownToTheLanes();
    void aBookmarkIsAFlagWithoutText();
    void flagsDoNotTouchAndLanesMoveDownForThem();
    void aStretchOnALaneIsFramedThere();
    void whatLiesOutsideTheTimeIsLeftOut();
    void bracketsThatTouchAreOnOneLevel();
    void theLabelOfAShortArrowLeavesItFree();

private:
    template <typename Item>
    static std::vector<Item> itemsOf(const Figure& figure, const std::string& role) {
        std::vector<Item> found;
        for (const FigureItem& item : figure.items)
            if (const Item* it = std::get_if<Item>(&item); it && it->role == role) found.push_back(*it);
        return found;
    }
    static std::vector<FigureText> textsOf(const Figure& figure, const QString& text) {
        std::vector<FigureText> found;
        for (const FigureItem& item : figure.items)
            if (const auto* it = std::get_if<FigureText>(&item); it && it->text == text) found.push_back(*it);
        return found;
    }
    static Figure drawn(std::vector<ChartNote> notes) {
        ScheduleFigureOptions options;
        options.notes = std::move(notes);
        return scheduleFigure(*sample::run(), options);
    }
    static double topOfLanes(const Figure& figure) {
        double top = 1e9;
        for (const FigureRectangle& block : itemsOf<FigureRectangle>(figure, "forward"))
            top = std::min(top, block.rect.top());
        return top;
    }
};

void NoteFigureTest::aNoteHasItsTextAndALineDownToTheLanes() {
    const Figure figure = drawn({{0.11, {}, "", "backwards begin"}});
    QCOMPARE(textsOf(figure, "backwards begin").size(), std::size_t{1});
    const auto lines = itemsOf<FigureLine>(figure, "note line");
    QCOMPARE(lines.size(), std::size_t{1});
    // Block 2 of the first lane starts then.
    const double x = itemsOf<FigureRectangle>(figure, "backward").front().rect.left();
    QVERIFY(std::abs(lines.front().from.x() - x) < 1e-9);
    QVERIFY(lines.front().to.y() > topOfLanes(figure));
    QVERIFY(textsOf(figure, "backwards begin").front().at.y() < topOfLanes(figure));
}

void NoteFigureTest::bracketsThatTouchAreOnOneLevel() {
    std::vector<ChartNote> notes;
    for (const auto& [from, to, text] :
         {std::tuple(0.0, 0.03, "warm-up"), {0.03, 0.15, "steady"}, {0.15, 0.25, "drain"}}) {
        ChartNote note{from, {}, "", text};
        note.shape = NoteShape::bracket;
        note.untilS = to;
        notes.push_back(note);
    }
    const Figure figure = drawn(notes);
    for (const char* text : {"steady", "drain"})
        QCOMPARE(textsOf(figure, text).at(0).at.y(), textsOf(figure, "warm-up").at(0).at.y());
}

void NoteFigureTest::theLabelOfAShortArrowLeavesItFree() {
    ChartNote note{0.10, {}, "s0g0", "a label"};
    note.shape = NoteShape::arrow;
    note.end = NoteEnd{0.11, "s0g2"};
    const Figure figure = drawn({note});
    const QRectF label = itemsOf<FigureRectangle>(figure, "note label").at(0).rect;
    const FigureLine arrow = itemsOf<FigureLine>(figure, "note").at(0);
    QVERIFY(!label.contains(arrow.from) && !label.contains((arrow.from + arrow.to) / 2));
}

void NoteFigureTest::aBookmarkIsAFlagWithoutText() {
    const Figure figure = drawn({{0.11, {}, "", ""}});
    QCOMPARE(itemsOf<FigureRectangle>(figure, "note flag").size(), std::size_t{1});
    QCOMPARE(itemsOf<FigureRectangle>(drawn({}), "note flag").size(), std::size_t{0});
}

void NoteFigureTest::flagsDoNotTouchAndLanesMoveDownForThem() {
    const Figure plain = drawn({});
    const Figure figure = drawn({{0.05, {}, "", "one that takes some room"},
                                 {0.06, {}, "", "another one"},
                                 {0.249, {}, "", "at the very end of it"}});
    const auto flags = itemsOf<FigureRectangle>(figure, "note flag");
    QCOMPARE(flags.size(), std::size_t{3});
    for (std::size_t i = 0; i < flags.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) QVERIFY(!flags[i].rect.intersects(flags[j].rect));
    for (const FigureRectangle& flag : flags) {
        QVERIFY(flag.rect.right() <= figure.widthMm);
        QVERIFY(flag.rect.bottom() <= topOfLanes(figure));
    }
    QVERIFY(topOfLanes(figure) > topOfLanes(plain) + 3);
    QVERIFY(figure.heightMm > plain.heightMm + 3);
}

void NoteFigureTest::aStretchOnALaneIsFramedThere() {
    const Figure figure = drawn({{0.03, 0.05, "s0g2", "first forward"}});
    const auto frames = itemsOf<FigureRectangle>(figure, "note frame");
    QCOMPARE(frames.size(), std::size_t{1});
    bool found = false;  // the block that lasts as long, on the second lane
    for (const FigureRectangle& block : itemsOf<FigureRectangle>(figure, "forward"))
        found |= std::abs(block.rect.left() - frames.front().rect.left()) < 1e-9 &&
                 std::abs(block.rect.width() - frames.front().rect.width()) < 1e-9 &&
                 std::abs(block.rect.top() - frames.front().rect.top()) < 1e-9;
    QVERIFY(found);
    const Figure all = drawn({{0.03, 0.05, "", "first forward"}});
    QCOMPARE(itemsOf<FigureRectangle>(all, "note frame").size(), std::size_t{0});
    QCOMPARE(itemsOf<FigureRectangle>(all, "note bar").size(), std::size_t{1});
}

void NoteFigureTest::whatLiesOutsideTheTimeIsLeftOut() {
    ScheduleFigureOptions options;
    options.notes = {{0.01, {}, "", "before"}, {0.02, 0.06, "", "reaches in"}, {0.2, {}, "", "after"}};
    options.timeRangeS = {0.05, 0.1};
    const Figure figure = scheduleFigure(*sample::run(), options);
    QCOMPARE(textsOf(figure, "before").size() + textsOf(figure, "after").size(), std::size_t{0});
    QCOMPARE(textsOf(figure, "reaches in").size(), std::size_t{1});
}

STAGECRAFT_TEST(NoteFigureTest)
#include "note_figure_test.moc"
