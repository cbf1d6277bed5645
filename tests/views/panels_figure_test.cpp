// Several plans in one figure: aligned, on one scale, with one legend.
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "tests/views/figures_sample_run.h"
#include "views/figures/panels_figure.h"

#include <QTest>

#include <set>

using namespace stagecraft;

namespace {

/// The sample's plan, played that many times slower and under another name.
std::shared_ptr<const PlanRun> slowed(const char* name, double factor) {
    auto run = sample::run();
    run->result.plan.name = name;
    auto evaluation = std::make_shared<Evaluation>(*run->evaluation);
    for (double& time : evaluation->timeline.startS) time *= factor;
    for (double& time : evaluation->timeline.endS) time *= factor;
    run->evaluation = evaluation;
    return run;
}

std::vector<FigureText> printedTexts(const Figure& figure) {
    std::vector<FigureText> texts;
    for (const FigureItem& item : figure.items)
        if (const auto* text = std::get_if<FigureText>(&item)) texts.push_back(*text);
    return texts;
}

std::vector<QRectF> blocksOf(const Figure& figure, const std::string& role) {
    std::vector<QRectF> blocks;
    for (const FigureItem& item : figure.items)
        if (const auto* rect = std::get_if<FigureRectangle>(&item); rect && rect->role == role)
            blocks.push_back(rect->rect);
    return blocks;
}

int axesOf(const Figure& figure) {
    int axes = 0;
    for (const FigureText& text : printedTexts(figure)) axes += text.text.startsWith("time (");
    return axes;
}

}  // namespace

class PanelsFigureTest : public QObject {
    Q_OBJECT
private slots:
    void blocksOfBothPlansHaveOneScaleUnlessEachHasItsOwn() {
        const std::vector<FigurePanel> panels = {{slowed("one", 1), PanelView::schedule, {}},
                                                 {slowed("two", 2), PanelView::schedule, {}}};
        PanelsFigureOptions options;
        options.drawing.legend = false;
        for (const PanelTime time : {PanelTime::shared, PanelTime::equal, PanelTime::own}) {
            options.time = time;
            const Figure figure = panelsFigure(panels, options);
            const std::vector<QRectF> blocks = blocksOf(figure, "forward");
            QCOMPARE(blocks.size(), std::size_t(8));
            const double ratio = blocks[4].width() / blocks[0].width();
            QVERIFY(std::abs(ratio - (time == PanelTime::own ? 1 : 2)) < 1e-9);
            QCOMPARE(axesOf(figure), time == PanelTime::shared ? 1 : 2);
            QVERIFY(blocks[4].top() > blocks[3].bottom());
        }
    }

    void forwardPassesAreTheFirstPanelsInAll() {
        PanelsFigureOptions options;
        options.drawing.axis = FigureAxis::blocks;
        const std::vector<FigurePanel> panels = {{slowed("Fast", 1), PanelView::schedule, {}},
                                                 {slowed("Slow", 2), PanelView::schedule, {}}};
        QCOMPARE(axesOf(panelsFigure(panels, options)), 1);
        options.time = PanelTime::own;
        // The timeline takes 12.5 forward passes of the first panel, and 25 of them when it is slow.
        QStringList numbers;
        for (const FigureText& text : printedTexts(panelsFigure(panels, options))) numbers << text.text;
        QVERIFY2(numbers.contains("25") || numbers.contains("24") || numbers.contains("20"),
                 qPrintable(numbers.join(' ')));
    }

    void timeBeginsAtOnePlaceThoughNamesDiffer() {
        auto longer = slowed("long names", 1);
        auto costs = std::make_shared<const CostModel>([&] {
            Problem problem = longer->costs->problem();
            for (Device& device : problem.cluster.devices) device.id = "server-of-the-cellar-" + device.id;
            return problem;
        }());
        auto copy = std::make_shared<PlanRun>(*longer);
        copy->costs = costs;
        const Figure figure = panelsFigure({{slowed("one", 1), PanelView::schedule, {}},
                                            {copy, PanelView::schedule, {}},
                                            {copy, PanelView::memory, {}}});
        const std::vector<QRectF> bubbles = blocksOf(figure, "bubble");
        std::set<double> starts;
        for (const QRectF& bubble : bubbles)
            if (bubble.width() > 20) starts.insert(std::round(bubble.left() * 1e6));
        QCOMPARE(starts.size(), std::size_t(1));
    }

    void theLegendListsEachEntryOnceAndPanelsHaveLetters() {
        const Figure figure = panelsFigure({{slowed("one", 1), PanelView::schedule, {}},
                                            {slowed("two", 1), PanelView::schedule, {}},
                                            {slowed("two", 1), PanelView::memory, {}}});
        QStringList texts;
        for (const FigureText& text : printedTexts(figure)) texts << text.text;
        QCOMPARE(texts.count("forward"), 1);
        QCOMPARE(texts.count("activations"), 1);
        QVERIFY2(texts.contains("(a) one, timeline"), qPrintable(texts.join('|')));
        QVERIFY2(texts.contains("(c) two, memory"), qPrintable(texts.join('|')));
        PanelsFigureOptions options;
        options.letters = false;
        texts.clear();
        for (const FigureText& text : printedTexts(panelsFigure(
                 {{slowed("one", 1), PanelView::schedule, {}}, {slowed("two", 1), PanelView::schedule, {}}},
                 options)))
            texts << text.text;
        QVERIFY2(texts.contains("one"), qPrintable(texts.join('|')));
    }

    void memoryOfAllPanelsHasOneScale() {
        auto fuller = sample::run();
        auto evaluation = std::make_shared<Evaluation>(*fuller->evaluation);
        for (MemoryCurve& curve : evaluation->memory) {
            MemorySteps steps = *curve.steps;
            for (auto& kind : steps.bytes)
                for (double& bytes : kind) bytes *= 3;
            curve.steps = std::make_shared<const MemorySteps>(std::move(steps));
        }
        fuller->evaluation = evaluation;
        const std::vector<FigurePanel> panels = {{sample::run(), PanelView::memory, {}},
                                                 {fuller, PanelView::memory, {}}};
        QStringList highest;
        for (const std::vector<FigurePanel>& shown :
             {std::vector{panels[0], panels[1]}, std::vector{panels[1]}}) {
            QStringList ticks;
            for (const FigureText& text : printedTexts(panelsFigure(shown)))
                if (text.anchor == TextAnchor::end && !text.text.isEmpty() && text.text[0].isDigit())
                    ticks << text.text;
            highest << ticks.front() + ' ' + ticks[1];
        }
        QCOMPARE(highest[0], highest[1]);
    }

    void panelsHaveTheNamesThatAuthorsGiveThem() {
        PanelsFigureOptions options;
        options.names = "|Ours";
        QStringList words;
        for (const FigureText& text : printedTexts(panelsFigure(
                 {{slowed("One", 1), PanelView::schedule, {}}, {slowed("Two", 2), PanelView::schedule, {}}},
                 options)))
            words << text.text;
        QVERIFY2(words.contains("(a) One") && words.contains("(b) Ours"), qPrintable(words.join('|')));
    }

    void withoutPanelsThereIsNoFigure() { QVERIFY_THROWS_EXCEPTION(std::invalid_argument, panelsFigure({})); }
};

STAGECRAFT_TEST(PanelsFigureTest)
#include "panels_figure_test.moc"
