// What authors write into figures: names of lanes, titles, units, text in blocks, and math.
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "tests/views/figures_sample_run.h"
#include "views/figures/figure_math.h"
#include "views/figures/figure_style.h"
#include "views/figures/figure_writers.h"
#include "views/figures/memory_figure.h"
#include "views/figures/schedule_lanes.h"

#include <QTest>

using namespace stagecraft;

namespace {

QStringList wordsOf(const Figure& figure) {
    QStringList words;
    for (const FigureItem& item : figure.items)
        if (const auto* text = std::get_if<FigureText>(&item)) words << text->text;
    return words;
}

ScheduleFigureOptions named(const char* names) {
    ScheduleFigureOptions options;
    options.laneNames = names;
    return options;
}

}  // namespace

class FigureLabelsTest : public QObject {
    Q_OBJECT
private slots:
    void lanesAreCalledByAPatternOrByNames() {
        const auto run = sample::run();
        QStringList words = wordsOf(scheduleFigure(*run, named("GPU {n}")));
        QVERIFY2(words.contains("GPU 1") && words.contains("GPU 2"), qPrintable(words.join('|')));
        words = wordsOf(scheduleFigure(*run, named("stage {stages} on {gpu} ({i})")));
        QVERIFY2(words.contains("stage 1 on s0g2 (1)"), qPrintable(words.join('|')));
        words = wordsOf(scheduleFigure(*run, named("first")));
        QVERIFY2(words.contains("first") && words.contains(QString("s0g2 · stage 1")),
                 qPrintable(words.join('|')));
        words = wordsOf(scheduleFigure(*run, named("$P_1$ | $P_2$")));
        QVERIFY2(words.contains("$P_1$") && words.contains("$P_2$"), qPrintable(words.join('|')));
    }

    void memoryIsCalledAsTheLanesAre() {
        const QStringList words = wordsOf(memoryFigure(*sample::run(), named("GPU {n}")));
        QVERIFY2(words.contains("GPU 1 (GiB)") || words.contains("GPU 1 (MiB)"), qPrintable(words.join('|')));
    }

    void anUnknownWordInBracesIsRefusedWithThoseThatThereAre() {
        try {
            scheduleFigure(*sample::run(), named("GPU {number}"));
            QFAIL("{number} was taken");
        } catch (const std::invalid_argument& error) {
            QVERIFY2(QString(error.what()).contains("{number}") && QString(error.what()).contains("{n}"),
                     error.what());
        }
    }

    void theTimeAxisHasTheUnitAndTheTitleThatAreAskedFor() {
        ScheduleFigureOptions options;
        options.timeUnit = TimeUnit::microseconds;
        QStringList words = wordsOf(scheduleFigure(*sample::run(), options));
        QVERIFY2(words.contains(QString("time (µs)")) && words.contains("200000"),
                 qPrintable(words.join('|')));
        options.timeTitle = "$t$ in {unit}";
        words = wordsOf(scheduleFigure(*sample::run(), options));
        QVERIFY2(words.contains(QString("$t$ in µs")), qPrintable(words.join('|')));
    }

    void blocksSayTheirStageWhereThatIsAskedFor() {
        ScheduleFigureOptions options;
        options.widthMm = 300;
        options.axis = FigureAxis::none;
        options.blockText = BlockText::stage;
        QStringList words = wordsOf(scheduleFigure(*sample::run(), options));
        QCOMPARE(words.count("0"), 4);
        QCOMPARE(words.count("1"), 4);
        options.blockText = BlockText::none;
        words = wordsOf(scheduleFigure(*sample::run(), options));
        QCOMPARE(words.count("0") + words.count("1"), 0);
    }

    void aTitleOfOnesOwnMayNameThePlan() {
        FigureStyle style;
        style.title = true;
        style.titleText = "Fig. 1: {plan}";
        const QStringList words = wordsOf(inStyle(scheduleFigure(*sample::run()), style));
        QVERIFY2(words.contains("Fig. 1: By hand"), qPrintable(words.join('|')));
    }

    void whatIsMathAndWhatIsNot_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("formulas");
        QTest::newRow("subscript") << "$T_f$" << 1;
        QTest::newRow("two") << "$T_f$ and $T_b^2$" << 2;
        QTest::newRow("letter") << "$p$ stages" << 1;
        QTest::newRow("prices") << "from $5 to $7" << 0;
        QTest::newRow("one dollar") << "$T_f" << 0;
        QTest::newRow("unreadable") << "$T_{f$" << 0;
        QTest::newRow("difference") << "$p-1$ and $2p-1$" << 2;
        QTest::newRow("equation") << "$m = 8$" << 1;
        QTest::newRow("number") << "$8$" << 1;
        QTest::newRow("script alone") << "P$_{1}$" << 1;
        QTest::newRow("prices in a row") << "$5,$7" << 0;
        QTest::newRow("command") << "$\\alpha$" << 1;
    }
    void whatIsMathAndWhatIsNot() {
        QFETCH(QString, text);
        QFETCH(int, formulas);
        int math = 0;
        QString whole;
        for (const auto& [part, isMath] : mathParts(text)) {
            math += isMath;
            whole += isMath ? '$' + part + '$' : part;
        }
        QCOMPARE(math, formulas);
        QCOMPARE(whole, text);
    }

    void aDollarThatIsMeantAsOneIsWrittenWithABackslash() {
        Figure figure{60, 20, "", {}};
        figure.add(FigureText{{30, 10}, "\\$p-1\\$", 10});
        const QString svg = QString::fromUtf8(writeSvg(figure));
        QVERIFY2(svg.contains(">$p-1$</text>"), qPrintable(svg));
        QVERIFY2(writeTikz(figure).contains("{\\$p-1\\$}"), writeTikz(figure).constData());
    }

    void aFormulaThatCannotBeReadIsRefused() {
        FigureStyle style;
        style.title = true;
        style.titleText = "$\\unheard{p}$";
        try {
            inStyle(scheduleFigure(*sample::run()), style);
            QFAIL("the formula was printed");
        } catch (const std::invalid_argument& error) {
            QVERIFY2(QString(error.what()).contains("unheard"), error.what());
        }
    }

    void aFractionStandsAboveItsBar() {
        const auto widthEm = [](const TextRun& run) { return 0.5 * run.size * double(run.text.size()); };
        const SetText set = setText("b $\\frac{p-1}{m+p-1}$ x", widthEm);
        QCOMPARE(set.bars.size(), std::size_t(1));
        const FractionBar bar = set.bars.front();
        double above = 0, below = 0;
        for (const TextRun& run : set.runs) {
            if (run.raiseEm == 0) continue;
            QVERIFY(run.atEm > bar.fromEm && run.atEm < bar.toEm);
            (run.raiseEm > bar.raiseEm ? above : below) += widthEm(run);
        }
        QVERIFY(above > 0 && below > above && below <= bar.toEm - bar.fromEm);
        // What follows stands after the bar, on the baseline.
        QCOMPARE(set.runs.back().text, QString(" x"));
        QVERIFY(set.runs.back().raiseEm == 0 && set.runs.back().atEm >= bar.toEm);
        Figure figure{60, 20, "", {}};
        figure.add(FigureText{{30, 10}, "$\\frac{a}{b}$", 10});
        const QString svg = QString::fromUtf8(writeSvg(figure));
        QVERIFY2(svg.contains("<path") && !svg.contains(">/<"), qPrintable(svg));
    }

    void aSubscriptOfTwoDigitsIsOneSubscript() {
        const auto run = sample::run();
        const LaneNaming naming("$P_{n}$");
        QCOMPARE(naming.nameOf(*run, 0, 9, "usual"), QString("$P_{10}$"));
        QCOMPARE(LaneNaming("GPU {n}").nameOf(*run, 0, 9, "usual"), QString("GPU 10"));
    }

    void countingBeginsWithOneWhereThatIsAskedFor() {
        ScheduleFigureOptions options;
        options.axis = FigureAxis::none;
        options.firstNumber = 1;
        options.colouring = BlockColouring::microbatch;
        const QStringList words = wordsOf(scheduleFigure(*sample::run(), options));
        QVERIFY2(!words.contains("0") && words.contains("1") && words.contains("2"),
                 qPrintable(words.join('|')));
        QVERIFY2(words.contains("s0g2 · stage 2"), qPrintable(words.join('|')));
        QVERIFY2(words.contains("microbatch 1") && words.contains("microbatch 2") &&
                     !words.contains("microbatch 0"),
                 qPrintable(words.join('|')));
    }

    void theLegendHasTheAuthorsWords() {
        ScheduleFigureOptions options;
        options.legendNames = "forward=F | backward = $B$|bubble=|unheard of=x";
        const QStringList words = wordsOf(scheduleFigure(*sample::run(), options));
        QVERIFY2(words.contains("F") && words.contains("$B$") && !words.contains("bubble") &&
                     !words.contains("forward"),
                 qPrintable(words.join('|')));
        options.legendNames = "forward";
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, scheduleFigure(*sample::run(), options));
    }

    void withoutIdleTimeThereIsNoBubbleInTheLegend() {
        ScheduleFigureOptions options;
        options.timeRangeS = {0.05, 0.09};
        options.lanes = {1};
        QVERIFY(!wordsOf(scheduleFigure(*sample::run(), options)).contains("bubble"));
        options.timeRangeS = {0.0, 0.09};
        QVERIFY(wordsOf(scheduleFigure(*sample::run(), options)).contains("bubble"));
        options.colouring = BlockColouring::microbatch;
        QVERIFY(wordsOf(scheduleFigure(*sample::run(), options)).contains("hatched: backward"));
        options.hatches = false;
        QVERIFY(!wordsOf(scheduleFigure(*sample::run(), options)).contains("hatched: backward"));
    }

    void theLastNumberOfTheTimeAxisStaysOnThePage() {
        ScheduleFigureOptions options;
        options.widthMm = 84;
        for (const double lastS : {0.1, 0.13, 0.2, 0.25}) {
            options.timeRangeS = {lastS - 0.03, lastS};
            for (const FigureItem& item : scheduleFigure(*sample::run(), options).items)
                if (const auto* text = std::get_if<FigureText>(&item);
                    text && text->anchor == TextAnchor::middle)
                    QVERIFY2(text->at.x() + textWidthMm(text->text, text->sizePt) / 2 <= 84,
                             qPrintable(text->text));
        }
    }

    void tikzSetsGreekAndRefusesWhatItCannotSet() {
        Figure figure{60, 20, "", {}};
        figure.add(FigureText{{30, 10}, "π = $\\pi$", 10});
        QVERIFY2(writeTikz(figure).contains("$\\pi$ = $\\pi$"), writeTikz(figure).constData());
        figure.add(FigureText{{30, 10}, QString(QChar(0x6F22)), 10});
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, writeTikz(figure));
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, writePdf(figure));
    }

    void tikzKeepsMathAndSvgSetsItsLetters() {
        Figure figure{60, 20, "", {}};
        figure.add(FigureText{{30, 10}, "50% of $T_f$", 10, TextAnchor::middle});
        QVERIFY2(writeTikz(figure).contains("{50\\% of $T_f$}"), writeTikz(figure).constData());
        const QString svg = QString::fromUtf8(writeSvg(figure));
        QVERIFY2(svg.contains(">50% of </text>") && svg.contains(">T</text>") && svg.contains(">f</text>"),
                 qPrintable(svg));
        QVERIFY2(!svg.contains('$'), qPrintable(svg));
        // The three stretches follow each other about the middle.
        static const QRegularExpression start(QStringLiteral("<text x=\"([\\d.]+)\" y=\"([\\d.]+)\""));
        std::vector<double> x, y;
        for (auto found = start.globalMatch(svg); found.hasNext();) {
            const auto match = found.next();
            x.push_back(match.captured(1).toDouble());
            y.push_back(match.captured(2).toDouble());
        }
        QCOMPARE(x.size(), std::size_t(3));
        QVERIFY(x[0] < x[1] && x[1] < x[2] && y[2] > y[1]);
        QVERIFY(std::abs(x[1] - x[0] - textWidthMm("50% of ", 10)) < 1e-2);
        QVERIFY(std::abs(30 - x[0] - textWidthMm("50% of $T_f$", 10) / 2) < 1e-2);
        QVERIFY(textWidthMm("$T_f$", 10) < textWidthMm("Tf", 10));
    }
};

STAGECRAFT_TEST(FigureLabelsTest)
#include "figure_labels_test.moc"
