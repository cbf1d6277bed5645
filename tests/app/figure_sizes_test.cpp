// Every figure of samples at sizes from half a column to a slide: type of the size that is set, nothing over
// the edge of the page, nothing on top of one another.
#include "app/commands/export_command.h"
#include "app/experiments/paper_experiments.h"
#include "app/experiments/results_source.h"
#include "app/figures/figure_source.h"
#include "tests/app/sample_files.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "views/figures/figure_writers.h"

#include <QtTest>

#include <cmath>
#include <map>
#include <set>
#include <sstream>

using namespace stagecraft;

namespace {

using stagecraft::testing::samplePath;

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
    void everyFigureOfEverySampleIsWhole_data() { allSamples(); }
    void everyFigureOfEverySampleIsWhole();
    void theLegendListsExactlyWhatIsDrawn_data() { allSamples(); }
    void theLegendListsExactlyWhatIsDrawn();
    void everyExperimentNamesItsCategoriesAndIsReadByTex_data();
    void everyExperimentNamesItsCategoriesAndIsReadByTex();
    void predictionsCoverNoNumberAndNoOtherPrediction();
    void numbersInBlocksMayHaveASizeOfTheirOwn();
    void aFontThatDoesNotExistIsNamedWithTheNearest();

private:
    static void allSamples() {
        QTest::addColumn<QString>("sample");
        const QDir folder(QFileInfo(QString::fromStdString(samplePath("fig2-toy.stagecraft.json"))).path());
        const QStringList files = folder.entryList({"*.stagecraft.json"}, QDir::Files, QDir::Name);
        QVERIFY(files.size() >= 30);
        for (const QString& file : files) QTest::newRow(qPrintable(file.section('.', 0, 0))) << file;
    }

    /// What of a sample is drawn; simulated once for all tests.
    struct Drawn {
        DrawnProject project;
        std::vector<KeptFigure> figures;
    };
    static const Drawn& drawnOf(const std::string& sample) {
        static std::map<std::string, Drawn> known;
        const auto [place, isNew] = known.try_emplace(sample);
        if (isNew) {
            std::ostringstream ignored;
            const std::string path = samplePath(sample);
            const PlansInput input = plansFrom(path);
            place->second = {drawnProject(input, path, ignored), input.figures};
        }
        return place->second;
    }

    /// All that shows up to `most` plans, the comparison, the cluster and its bandwidths.
    static std::vector<FigureSource> sourcesOf(const std::string& sample, std::size_t most = 3) {
        const DrawnProject& project = drawnOf(sample).project;
        std::vector<std::shared_ptr<const PlanRun>> runs;
        std::vector<FigureSource> sources;
        for (const NotedPlan& plan : project.plans) {
            runs.push_back(plan.run);
            if (!plan.run->ok() || most == 0) continue;
            --most;
            for (FigureSource& source : planSources(plan.run)) sources.push_back(std::move(source));
        }
        if (!runs.empty()) sources.push_back(comparisonSource(runs));
        sources.push_back(clusterSource(project.cluster, nullptr));
        if (project.cluster->deviceCount() > 1) sources.push_back(bandwidthSource(project.cluster));
        return sources;
    }
};

/// At type from small to large, of samples that differ.
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
    for (const FigureSource& source : sourcesOf(sample.toStdString(), 2))
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

namespace {

/// The roles of what is drawn.
std::set<std::string> rolesIn(const Figure& figure) {
    std::set<std::string> roles;
    for (const FigureItem& item : figure.items)
        std::visit(
            [&roles](const auto& each) {
                if constexpr (requires { each.role; }) roles.insert(each.role);
            },
            item);
    return roles;
}

/// Whether something of that role is drawn, be it of a series: "printed" is "SPP printed" too.
bool isDrawn(const std::string& role, const std::set<std::string>& drawn) {
    return std::any_of(drawn.begin(), drawn.end(), [&role](const std::string& each) {
        return each == role || each.ends_with(" " + role) || each.starts_with(role + " ");
    });
}

/// How many things of each role are drawn.
std::map<std::string, int> countsIn(const Figure& figure) {
    std::map<std::string, int> counts;
    for (const FigureItem& item : figure.items)
        std::visit(
            [&counts](const auto& each) {
                if constexpr (requires { each.role; }) ++counts[each.role];
            },
            item);
    return counts;
}

/// Whether a reader has to be told what it is, by the names of memory, of loads and of blocks.
bool needsName(const std::string& role, const QString& id) {
    static const QRegularExpression ofBlocks(QStringLiteral(
        "^(forward|backward|input gradient|weight gradient|recompute|transfer .*|swap .*|AllReduce)$"));
    const QString name = QString::fromStdString(role);
    if (name.endsWith(" label")) return false;
    if (id == "memory") return name.startsWith("memory ");
    return (id == "pattern" || id == "partition") && ofBlocks.match(name).hasMatch();
}

/// What the legend has that the figure without it does not have, and what is drawn that it lacks. A scale of
/// colours is no legend, and neither are grounds of its signs.
QStringList legendFaults(const FigureSource& source, FigureStyle style, const FigurePart& part) {
    QStringList faults;
    if (source.id == "bandwidth") return faults;
    if (source.id == QLatin1String("lanes")) return {};  // it names what is to be drawn by hand
    static const std::set<std::string> grounds = {"", "plain block", "kind", "mean"};
    const std::map<std::string, int> with = countsIn(source.draw(style, part));
    style.legend = false;
    const Figure without = source.draw(style, part);
    const std::set<std::string> drawn = rolesIn(without);
    for (const auto& [role, count] : with)
        if (!grounds.contains(role) && !isDrawn(role == "quartiles" ? "spread" : role, drawn))
            faults << QString("the legend has '%1', which is not drawn").arg(QString::fromStdString(role));
    for (const auto& [role, count] : countsIn(without))
        if (needsName(role, source.id) && with.at(role) <= count)
            faults << QString("'%1' is drawn and not in the legend").arg(QString::fromStdString(role));
    return faults;
}

}  // namespace

/// The widths of half a column, of a column and of a page.
void FigureSizesTest::everyFigureOfEverySampleIsWhole() {
    QFETCH(QString, sample);
    std::vector<StyledFigure> figures;
    for (FigureSource& source : sourcesOf(sample.toStdString())) {
        StyledFigure figure{std::move(source), {}, {}};
        figures.push_back(figure);
        if (figure.source.id != "memory") continue;
        figure.style.memoryLines = true;
        figures.push_back(std::move(figure));
    }
    const Drawn& drawn = drawnOf(sample.toStdString());
    for (const KeptFigure& kept : drawn.figures) figures.push_back(findKept(kept, drawn.project));
    for (const StyledFigure& figure : figures)
        for (const double widthMm : {60.0, 84.0, 178.0}) {
            FigureStyle style = figure.style;
            style.widthMm = widthMm;
            const FigurePart part = figure.source.placed(figure.part);
            const double leastPt = std::min(style.fontPt, style.numbersPt());
            const QStringList faults =
                faultsOf(figure.source.draw(style, part), leastPt) + legendFaults(figure.source, style, part);
            QVERIFY2(faults.isEmpty(), qPrintable(QString("%1 of '%2', %3 mm: %4")
                                                      .arg(figure.source.id, figure.source.plan)
                                                      .arg(widthMm)
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
            // What is listed from 0.1 mm on is seen here to a hundredth.
            for (const auto& [role, mm] : seen)
                if (mm >= 0.11 && !role.ends_with("label"))
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
        if (!paper.results().empty()) QTest::newRow(paper.id.c_str()) << QString::fromStdString(paper.id);
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
        const QStringList faults = faultsOf(figure, style.fontPt) + legendFaults(source, style, {});
        QVERIFY2(faults.isEmpty(),
                 qPrintable(QString("%1 mm: %2").arg(widthMm).arg(faults.mid(0, 5).join("; "))));
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

void FigureSizesTest::predictionsCoverNoNumberAndNoOtherPrediction() {
    const Drawn& drawn = drawnOf("xpipe-fig1.stagecraft.json");
    const StyledFigure kept = findKept(drawn.figures.at(0), drawn.project);
    for (const double widthMm : {84.0, 139.7, 178.0}) {
        FigureStyle style = kept.style;
        style.widthMm = widthMm;
        const Figure figure = kept.source.draw(style, kept.part);
        std::vector<QLineF> arrows;
        int numbers = 0;
        for (std::size_t i = 0; i < figure.items.size(); ++i) {
            if (const auto* line = std::get_if<FigureLine>(&figure.items[i]);
                line && line->role == "prediction") {
                arrows.emplace_back(line->from, line->to);
                // Numbers that are there already would be under it.
                for (std::size_t below = 0; below < i; ++below)
                    if (const auto* text = std::get_if<FigureText>(&figure.items[below])) {
                        const double wide = textWidthMm(text->text, text->sizePt) / 2;
                        const bool inLane =
                            std::any_of(figure.lanes.begin(), figure.lanes.end(),
                                        [&](const FigureLane& lane) { return lane.rect.contains(text->at); });
                        if (!inLane) continue;
                        const double high = capHeightMm(text->sizePt) / 2;
                        for (const QPointF& corner : {QPointF(wide, high), QPointF(wide, -high)})
                            QVERIFY2(
                                QLineF(text->at - corner, text->at + corner)
                                        .intersects(arrows.back(), nullptr) != QLineF::BoundedIntersection,
                                qPrintable(text->text));
                    }
            }
            const auto* text = std::get_if<FigureText>(&figure.items[i]);
            numbers += text && text->text.contains('.') && text->anchor == TextAnchor::middle &&
                       text->rise == TextRise::middle;
        }
        QVERIFY2(numbers > 100, qPrintable(QString("%1 mm: %2 numbers").arg(widthMm).arg(numbers)));
        QVERIFY(arrows.size() > 20);
        // Level ones that share a height do not share a place.
        for (std::size_t i = 0; i < arrows.size(); ++i)
            for (std::size_t j = i + 1; j < arrows.size(); ++j) {
                const QLineF &one = arrows[i], &other = arrows[j];
                const bool level = one.dy() == 0 && other.dy() == 0 && std::abs(one.y1() - other.y1()) < 0.5;
                if (level && one.dx() != 0 && other.dx() != 0)
                    QVERIFY(one.x2() < other.x1() || other.x2() < one.x1());
            }
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
