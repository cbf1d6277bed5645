// Every figure of samples at sizes from half a column to a slide: type of the size that is set, nothing over
// the edge of the page, nothing on top of one another.
#include "app/commands/inputs.h"
#include "app/figures/figure_source.h"
#include "tests/app/sample_files.h"
#include "tests/support/every_room.h"
#include "tests/support/qt_program.h"

#include <QtTest>

#include <cmath>
#include <sstream>

using namespace stagecraft;

namespace {

constexpr double slackMm = 0.3;

struct PlacedText {
    QString text;
    QRectF box;  ///< of the letters, from baseline to the height of a capital
    double sizePt;
};

/// The boxes of all text of a figure, by the table of widths with which it was laid out.
std::vector<PlacedText> textsOf(const Figure& figure) {
    std::vector<PlacedText> texts;
    for (const FigureItem& item : figure.items) {
        const auto* text = std::get_if<FigureText>(&item);
        if (!text || text->text.isEmpty()) continue;
        const double wide = textWidthMm(text->text, text->sizePt), high = capHeightMm(text->sizePt);
        const double left = text->anchor == TextAnchor::start    ? 0
                            : text->anchor == TextAnchor::middle ? -wide / 2
                                                                 : -wide;
        const double top = text->rise == TextRise::top      ? 0
                           : text->rise == TextRise::middle ? -high / 2
                                                            : -high;
        QTransform place;
        place.translate(text->at.x(), text->at.y());
        place.rotate(text->rotationDeg);
        texts.push_back({text->text, place.mapRect(QRectF(left, top, wide, high)), text->sizePt});
    }
    return texts;
}

bool isCutNumber(const QString& text) {
    static const QRegularExpression cut(QStringLiteral("^[\\d.,]*%1$").arg(QChar(0x2026)));
    return cut.match(text).hasMatch();
}

/// What is wrong with the figure's text, a line each; empty: nothing.
QStringList faultsOf(const Figure& figure, double leastPt) {
    QStringList faults;
    const QRectF page =
        QRectF(0, 0, figure.widthMm, figure.heightMm).adjusted(-slackMm, -slackMm, slackMm, slackMm);
    const std::vector<PlacedText> texts = textsOf(figure);
    for (const PlacedText& each : texts) {
        if (each.sizePt < leastPt) faults << QString("'%1' is set in %2 pt").arg(each.text).arg(each.sizePt);
        if (!page.contains(each.box)) faults << QString("'%1' is over the edge").arg(each.text);
        if (isCutNumber(each.text)) faults << QString("'%1' is a part of a number").arg(each.text);
    }
    for (std::size_t i = 0; i < texts.size(); ++i)
        for (std::size_t j = i + 1; j < texts.size(); ++j) {
            const QRectF common = texts[i].box.intersected(texts[j].box);
            if (common.width() > slackMm && common.height() > slackMm)
                faults
                    << QString("'%1' and '%2' are on top of one another").arg(texts[i].text, texts[j].text);
        }
    return faults;
}

}  // namespace

class FigureSizesTest : public QObject {
    Q_OBJECT
private slots:
    void textIsWholeAndOfTheSizeThatIsSet_data();
    void textIsWholeAndOfTheSizeThatIsSet();
    void numbersInBlocksMayHaveASizeOfTheirOwn();
    void aFontThatDoesNotExistIsNamedWithTheNearest();

private:
    static std::vector<FigureSource> sourcesOf(const std::string& sample) {
        std::ostringstream ignored;
        const std::string path = stagecraft::testing::samplePath(sample);
        const PlansInput input = plansFrom(path);
        std::vector<std::shared_ptr<const PlanRun>> runs = reopenedPlans(input, path, ignored);
        std::vector<FigureSource> sources;
        for (const auto& run : runs) {
            if (!run->ok()) continue;
            for (FigureSource& source : planSources(run)) sources.push_back(std::move(source));
            if (sources.size() > 20) break;
        }
        if (!runs.empty()) sources.push_back(comparisonSource(runs));
        const std::shared_ptr<const Cluster> cluster(input.costs, &input.costs->problem().cluster);
        sources.push_back(clusterSource(cluster, nullptr));
        return sources;
    }
};

void FigureSizesTest::textIsWholeAndOfTheSizeThatIsSet_data() {
    QTest::addColumn<QString>("sample");
    for (const char* sample :
         {"fig2-toy", "gpipe-1f1b", "bert-large-8x4", "testbed-v100-vgg-19", "madpipe-fig3", "madpipe-fig5",
          "madpipe-resnet-50", "vpipe-bert", "xpipe-fig1", "schedules"})
        QTest::newRow(sample) << QString(sample) + ".stagecraft.json";
}

void FigureSizesTest::textIsWholeAndOfTheSizeThatIsSet() {
    QFETCH(QString, sample);
    FigureStyle style;
    style.memory = true;
    style.title = true;
    for (const FigureSource& source : sourcesOf(sample.toStdString()))
        for (const double widthMm : {60.0, 88.9, 181.9})
            for (const double fontPt : {5.0, 7.0, 9.0}) {
                style.widthMm = widthMm;
                style.fontPt = fontPt;
                const QStringList faults = faultsOf(source.draw(style, {}), fontPt);
                QVERIFY2(faults.isEmpty(), qPrintable(QString("%1 of %2 mm at %3 pt: %4")
                                                          .arg(source.id)
                                                          .arg(widthMm)
                                                          .arg(fontPt)
                                                          .arg(faults.mid(0, 5).join("; "))));
            }
}

void FigureSizesTest::numbersInBlocksMayHaveASizeOfTheirOwn() {
    const FigureSource schedule = sourcesOf("fig2-toy.stagecraft.json").front();
    FigureStyle style;
    style.fontPt = 8;
    style.numberPt = 5;
    std::map<double, int> sizes;
    for (const PlacedText& text : textsOf(schedule.draw(style, {}))) ++sizes[text.sizePt];
    QCOMPARE(sizes.size(), std::size_t(2));
    QVERIFY(sizes[5] > 0 && sizes[8] > 0);
}

void FigureSizesTest::aFontThatDoesNotExistIsNamedWithTheNearest() {
    const FigureSource schedule = sourcesOf("fig2-toy.stagecraft.json").front();
    FigureStyle style;
    style.fontFamily = "DejaVu Sanz";
    try {
        schedule.draw(style, {});
        QFAIL("a font that does not exist was taken");
    } catch (const std::invalid_argument& error) {
        QVERIFY2(QString(error.what()).contains("'DejaVu Sanz'"), error.what());
        QVERIFY2(QString(error.what()).contains("'DejaVu Sans'"), error.what());
    }
}

STAGECRAFT_TEST(FigureSizesTest)
#include "figure_sizes_test.moc"
