// Every figure of samples at sizes from half a column to a slide: type of the size that is set, nothing over
// the edge of the page, nothing on top of one another.
#include "app/commands/inputs.h"
#include "app/experiments/paper_experiments.h"
#include "app/experiments/results_source.h"
#include "app/figures/figure_source.h"
#include "tests/app/sample_files.h"
#include "tests/support/every_room.h"
#include "tests/support/qt_program.h"
#include "views/figures/tikz_writer.h"

#include <QtTest>

#include <cmath>
#include <map>
#include <set>
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

/// By role, how wide the widest stretch is that can be seen in a lane: later shapes cover earlier ones. In
/// steps of a hundredth of a millimetre, along the middle of the lower half, where pairs have their backward,
/// and of the upper one.
std::map<std::string, double> widestSeen(const Figure& figure) {
    constexpr double perMm = 100;
    std::map<std::string, double> widest;
    for (const FigureLane& lane : figure.lanes)
        for (const double share : {0.3, 0.8}) {
            const double y = lane.rect.top() + share * lane.rect.height();
            std::vector<const std::string*> shown(static_cast<std::size_t>(lane.rect.width() * perMm),
                                                  nullptr);
            const auto paint = [&](double from, double to, const std::string& role) {
                const auto place = [&](double x) {
                    return static_cast<std::size_t>(std::clamp((x - lane.rect.left()) * perMm + 0.5, 0.0,
                                                               static_cast<double>(shown.size())));
                };
                std::fill(shown.begin() + static_cast<std::ptrdiff_t>(place(from)),
                          shown.begin() + static_cast<std::ptrdiff_t>(place(to)), &role);
            };
            for (const FigureItem& item : figure.items) {
                if (const auto* rect = std::get_if<FigureRectangle>(&item))
                    if (rect->rect.top() <= y && rect->rect.bottom() >= y && !rect->role.ends_with("label"))
                        paint(rect->rect.left(), rect->rect.right(), rect->role);
                if (const auto* polygon = std::get_if<FigurePolygon>(&item); polygon && polygon->closed) {
                    const QRectF box =
                        QPolygonF(QList<QPointF>(polygon->points.begin(), polygon->points.end()))
                            .boundingRect();
                    if (box.top() >= lane.rect.top() - 0.1 && box.bottom() <= lane.rect.bottom() + 0.1)
                        widest[polygon->role] = std::max(widest[polygon->role], box.width());
                }
            }
            for (std::size_t i = 0; i < shown.size();) {
                std::size_t end = i;
                while (end < shown.size() && shown[end] == shown[i]) ++end;
                if (shown[i])
                    widest[*shown[i]] = std::max(widest[*shown[i]], static_cast<double>(end - i) / perMm);
                i = end;
            }
        }
    return widest;
}

/// The roles of the boxes below the lanes.
std::set<std::string> listedIn(const Figure& figure) {
    double bottom = 0;
    for (const FigureLane& lane : figure.lanes) bottom = std::max(bottom, lane.rect.bottom());
    std::set<std::string> roles;
    for (const FigureItem& item : figure.items)
        if (const auto* rect = std::get_if<FigureRectangle>(&item); rect && rect->rect.top() > bottom)
            roles.insert(rect->role);
    return roles;
}

}  // namespace

class FigureSizesTest : public QObject {
    Q_OBJECT
private slots:
    void textIsWholeAndOfTheSizeThatIsSet_data();
    void textIsWholeAndOfTheSizeThatIsSet();
    void theLegendListsExactlyWhatIsDrawn_data() { textIsWholeAndOfTheSizeThatIsSet_data(); }
    void theLegendListsExactlyWhatIsDrawn();
    void everyExperimentNamesItsCategoriesAndIsReadByTex_data();
    void everyExperimentNamesItsCategoriesAndIsReadByTex();
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

/// What is seen of each kind in the lanes, by the order of drawing, against the words of the legend.
void FigureSizesTest::theLegendListsExactlyWhatIsDrawn() {
    QFETCH(QString, sample);
    for (const FigureSource& source : sourcesOf(sample.toStdString())) {
        if (source.id != "schedule") continue;
        for (const double widthMm : {60.0, 84.0, 178.0}) {
            FigureStyle style;
            style.widthMm = widthMm;
            style.marks = false;
            const Figure figure = source.draw(style, {});
            const std::map<std::string, double> seen = widestSeen(figure);
            const std::set<std::string> listed = listedIn(figure);
            for (const auto& [role, mm] : seen)
                if (mm >= 0.1 && !role.ends_with("label"))
                    QVERIFY2(listed.contains(role), qPrintable(QString("%1 mm: %2 is not listed")
                                                                   .arg(widthMm)
                                                                   .arg(QString::fromStdString(role))));
            for (const std::string& role : listed)
                QVERIFY2(seen.contains(role) && seen.at(role) > 0.01,
                         qPrintable(QString("%1 mm: %2 is listed and not seen")
                                        .arg(widthMm)
                                        .arg(QString::fromStdString(role))));
        }
    }
}

void FigureSizesTest::everyExperimentNamesItsCategoriesAndIsReadByTex_data() {
    QTest::addColumn<QString>("id");
    for (const PaperExperiment& paper : paperExperiments())
        if (!paper.results.empty()) QTest::newRow(paper.id.c_str()) << QString::fromStdString(paper.id);
}

void FigureSizesTest::everyExperimentNamesItsCategoriesAndIsReadByTex() {
    QFETCH(QString, id);
    const auto results =
        std::make_shared<const ExperimentResults>(shippedResults(*findPaperExperiment(id.toStdString())));
    const ChartChoice choice = firstChoice(results->experiment);
    const FigureSource source = resultsSource(results, choice);
    static const QRegularExpression wordEnd(QStringLiteral("[ -]"));
    QByteArray document;
    for (const double widthMm : {60.0, 84.0, 178.0}) {
        FigureStyle style;
        style.widthMm = widthMm;
        const Figure figure = source.draw(style, {});
        for (const PlacedText& text : textsOf(figure))
            QVERIFY2(text.box.left() > -slackMm && text.box.right() < widthMm + slackMm,
                     qPrintable(QString("%1 mm: '%2' is over the edge").arg(widthMm).arg(text.text)));
        document += writeTikz(figure) + "\n\n";
        // At 60 mm there may be more bars than lines of text fit beside each other.
        if (widthMm < 84 || choice.kind != ChartKind::bars || choice.axis >= results->experiment.axes.size())
            continue;
        QString all;
        for (const FigureItem& item : figure.items)
            if (const auto* text = std::get_if<FigureText>(&item)) all += text->text + ' ';
        for (const AxisValue& value : results->experiment.axes[choice.axis].values)
            for (const QString& word : QString::fromStdString(value.label).split(wordEnd))
                QVERIFY2(all.contains(word.left(8)),
                         qPrintable(QString("%1 mm: no name '%2'").arg(widthMm).arg(word)));
    }
    const QString latex = QStandardPaths::findExecutable("pdflatex");
    if (latex.isEmpty()) return;
    QTemporaryDir directory;
    QFile file(directory.filePath("figure.tex"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("\\documentclass{article}\\usepackage{tikz}\\begin{document}\n" + document +
               "\\end{document}\n");
    file.close();
    QProcess process;
    process.setWorkingDirectory(directory.path());
    process.start(latex, {"-interaction=nonstopmode", "-halt-on-error", "figure.tex"});
    QVERIFY(process.waitForFinished(120000));
    const QByteArray log = process.readAllStandardOutput();
    if (log.contains("tikz.sty' not found")) QSKIP("pdflatex has no TikZ");
    QVERIFY2(process.exitCode() == 0, log.right(2000).constData());
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
