#include "core/formats/files/project_file.h"
#include "core/formats/native/formats.h"
#include "core/planners/planned_run.h"
#include "core/simulation/steady_state.h"
#include "core/weights/weight_trace.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "tests/views/figures_sample_run.h"
#include "tests/views/gantt_fixture.h"
#include "views/common/text.h"
#include "views/figures/busy_share.h"
#include "views/figures/compare_figure.h"
#include "views/figures/figure_formats.h"
#include "views/figures/figure_sink.h"
#include "views/figures/figure_writers.h"
#include "views/figures/painter_writer.h"
#include "views/figures/schedule_figure.h"
#include "views/figures/schedule_lanes.h"

#include <QFile>
#include <QImage>
#include <QLocale>
#include <QPainter>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QTest>

#include <set>

using namespace stagecraft;

namespace {

const QColor red(0xD0, 0x10, 0x10), blue(0x10, 0x10, 0xD0), black(0, 0, 0);

/// Every kind of item, with a clip that cuts a hatched rectangle, a polygon and a line.
Figure everyItem() {
    Figure figure{40, 20, "every item", {}};
    figure.add(ClipBegin{QRectF(5, 5, 10, 10)});
    figure.add(
        FigureRectangle{QRectF(0, 0, 10, 10), {red, Hatch::rising, black}, {black, 0.2, {}}, "forward"});
    figure.add(FigurePolygon{{{10, 10}, {20, 10}, {20, 20}}, true, {blue, Hatch::none, {}}, {}, "backward"});
    figure.add(ClipEnd{});
    figure.add(FigureLine{{20, 5}, {35, 5}, {black, 0.3, {1, 0.5}}, true, "arrow"});
    figure.add(FigureText{{20, 15}, "A & B <0–1>", 7, TextAnchor::middle, TextRise::middle, 90});
    return figure;
}

QImage pixels(const QByteArray& png) { return QImage::fromData(png, "PNG"); }

/// Whether anything but white shows in that part of a picture of `perMm` pixels to the millimetre.
bool inked(const QImage& image, const QRectF& mm, double perMm) {
    for (int y = int(mm.top() * perMm); y < int(mm.bottom() * perMm); ++y)
        for (int x = int(mm.left() * perMm); x < int(mm.right() * perMm); ++x)
            if (qGray(image.pixel(x, y)) < 200) return true;
    return false;
}

/// With STAGECRAFT_UPDATE_GOLDEN set the file is written instead, to be read over before it is committed.
void compareWithGolden(const QByteArray& bytes, const QString& name) {
    const QString path = QString(STAGECRAFT_SOURCE_DIR) + "/tests/golden/figures/" + name;
    QFile file(path);
    if (qEnvironmentVariableIsSet("STAGECRAFT_UPDATE_GOLDEN")) {
        QVERIFY2(file.open(QIODevice::WriteOnly), qPrintable(path));
        file.write(bytes);
        return;
    }
    QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(path));
    const QList<QByteArray> expected = file.readAll().split('\n'), actual = bytes.split('\n');
    for (qsizetype i = 0; i < std::min(expected.size(), actual.size()); ++i)
        QVERIFY2(actual[i] == expected[i], QByteArray("line " + QByteArray::number(i + 1) + ": " + actual[i] +
                                                      "\nexpected: " + expected[i])
                                               .constData());
    QCOMPARE(actual.size(), expected.size());
}

/// Runs a tool of poppler on a PDF; empty where poppler is not installed.
QByteArray poppler(const QString& tool, const QByteArray& pdf, const QStringList& before,
                   const QStringList& after) {
    QTemporaryDir directory;
    QFile file(directory.filePath("figure.pdf"));
    if (!file.open(QIODevice::WriteOnly)) return {};
    file.write(pdf);
    file.close();
    QProcess process;
    process.start(tool, before + QStringList{file.fileName()} + after);
    process.waitForFinished();
    return process.readAllStandardOutput();
}

bool hasPoppler() { return !QStandardPaths::findExecutable("pdftoppm").isEmpty(); }

/// Two stages, two microbatches per mini-batch, weights predicted: an XPipe of the smallest size.
std::shared_ptr<PlanRun> overlappingRun() {
    MadeUpPipeline wanted;
    wanted.stages = 2;
    wanted.replicas = 1;
    wanted.microbatches = 2;
    wanted.miniBatches = 4;
    wanted.linkBps = 60e9;
    return madeUpRun(wanted);
}

ScheduleFigureOptions overlappingOptions(BlockColouring colouring) {
    ScheduleFigureOptions options;
    options.colouring = colouring;
    options.predictions = true;
    return options;
}

class CountingSink : public FigureSink {
public:
    int shapes = 0, texts = 0;
    void rectangle(const QRectF&, const QColor&, const Stroke&, const std::string&) override { ++shapes; }
    void polygon(const std::vector<QPointF>&, const QColor&, const Stroke&, const std::string&) override {
        ++shapes;
    }
    void polyline(const std::vector<QPointF>&, const Stroke&, const std::string&) override { ++shapes; }
    void segments(const std::vector<QLineF>&, const Stroke&, const std::string&) override { ++shapes; }
    void text(const FigureText&, const QPointF&) override { ++texts; }
    void outline(const QPainterPath&, const QColor&) override { ++texts; }
    void beginClip(const QRectF&) override {}
    void endClip() override {}
};

/// A bar and a line whose role has what separates options in TikZ and what TeX does not read.
Figure oddlyCalled() {
    Figure figure;
    figure.widthMm = 20;
    figure.heightMm = 10;
    const std::string role = "GPipe + swap, recompute_50% {a=b} é×";
    figure.add(FigureRectangle{QRectF(2, 2, 5, 5), {QColor(200, 0, 0)}, {}, role});
    figure.add(FigureLine{{1, 1}, {9, 9}, {QColor(0, 0, 200), 0.3, {}}, false, role});
    figure.add(FigureText{{12, 5}, "text"});
    return figure;
}

}  // namespace

class FiguresTest : public QObject {
    Q_OBJECT
private slots:
    void svgIsTheGoldenText() { compareWithGolden(writeSvg(everyItem()), "every_item.svg"); }
    void linesOutsideOfATikzPictureLeaveNoSpace() {
        for (const bool standalone : {false, true}) {
            const QString text = QString::fromUtf8(
                writeTikz(everyItem(), standalone ? TikzDocument::standalone : TikzDocument::none));
            const qsizetype begin = text.indexOf(QLatin1String("\\begin{tikzpicture}"));
            const qsizetype first = std::max<qsizetype>(0, text.indexOf(QLatin1String("\\definecolor")));
            for (const QString& line : text.mid(first, begin - first).split('\n', Qt::SkipEmptyParts))
                QVERIFY2(line.endsWith('%') || line.startsWith('%'), qPrintable(line));
            QVERIFY(text.contains(QLatin1String("\\end{tikzpicture}%\n")));
        }
    }
    void tikzIsTheGoldenText() { compareWithGolden(writeTikz(everyItem()), "every_item.tikz"); }
    void scheduleSvgIsTheGoldenText() {
        ScheduleFigureOptions options;
        options.communication = options.criticalPath = options.memory = true;
        compareWithGolden(writeSvg(scheduleFigure(*sample::run(), options)), "schedule.svg");
    }

    void overlappingSvgIsTheGoldenText() {
        const auto options = overlappingOptions(BlockColouring::staleness);
        compareWithGolden(writeSvg(scheduleFigure(*overlappingRun(), options)), "overlapping.svg");
    }
    void overlappingTikzIsTheGoldenText() {
        const auto options = overlappingOptions(BlockColouring::miniBatch);
        compareWithGolden(writeTikz(scheduleFigure(*overlappingRun(), options)), "overlapping.tikz");
    }
    /// Whatever a series is called, TeX reads its colours' and styles' names.
    void tikzNamesAreWhatTexReads() {
        const QByteArray tikz = writeTikz(oddlyCalled());
        static const QRegularExpression colours(QStringLiteral("\\\\definecolor\\{([^}]*)\\}"));
        static const QRegularExpression plain(QStringLiteral("^[A-Za-z-]+$"));
        int count = 0;
        for (auto found = colours.globalMatch(QString::fromUtf8(tikz)); found.hasNext(); ++count) {
            const QString name = found.next().captured(1);
            QVERIFY2(name.contains(plain), qPrintable(name));
        }
        QVERIFY(count >= 2);
        QVERIFY2(tikz.contains("stagecraft GPipe + swap recompute 50 a b/.style"), tikz.constData());
    }
    void tikzCompiles_data() {
        QTest::addColumn<QByteArray>("text");
        const auto options = overlappingOptions(BlockColouring::miniBatch);
        QTest::newRow("overlapping") << writeTikz(scheduleFigure(*overlappingRun(), options),
                                                  TikzDocument::standalone);
        QTest::newRow("odd names") << writeTikz(oddlyCalled(), TikzDocument::standalone);
    }
    void tikzCompiles() {
        QFETCH(QByteArray, text);
        const QString latex = QStandardPaths::findExecutable("pdflatex");
        if (latex.isEmpty()) QSKIP("pdflatex is not installed");
        QTemporaryDir directory;
        QFile file(directory.filePath("figure.tex"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
        file.close();
        QProcess process;
        process.setWorkingDirectory(directory.path());
        process.start(latex, {"-interaction=nonstopmode", "-halt-on-error", "figure.tex"});
        QVERIFY(process.waitForFinished(60000));
        const QByteArray log = process.readAllStandardOutput();
        if (log.contains("tikz.sty' not found") || log.contains("standalone.cls' not found"))
            QSKIP("pdflatex has no TikZ");
        QVERIFY2(process.exitCode() == 0, log.constData());
        QVERIFY(QFile::exists(directory.filePath("figure.pdf")));
        const QString fonts = QStandardPaths::findExecutable("pdffonts");
        if (fonts.isEmpty()) return;
        process.start(fonts, {"figure.pdf"});
        QVERIFY(process.waitForFinished(60000));
        const QByteArray list = process.readAllStandardOutput();
        QVERIFY2(list.contains("Type 1") && !list.contains("Type 3"), list.constData());
    }
    /// "7 pt" are seven points in a document of any size.
    void tikzTextHasItsSizeInEveryDocument() {
        const QString latex = QStandardPaths::findExecutable("pdflatex");
        if (latex.isEmpty() || !hasPoppler()) QSKIP("pdflatex or poppler is not installed");
        Figure figure{60, 20, "", {}};
        figure.add(FigureText{{30, 10}, "Hxg", 7, TextAnchor::middle});
        QByteArrayList sizes;
        for (const QByteArray size : {"10pt", "11pt", "12pt"}) {
            QTemporaryDir directory;
            QFile file(directory.filePath("figure.tex"));
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write("\\documentclass[" + size +
                       "]{article}\\usepackage{tikz}\\pagestyle{empty}\\begin{document}\n" +
                       writeTikz(figure) + "\\end{document}\n");
            file.close();
            QProcess process;
            process.setWorkingDirectory(directory.path());
            process.start(latex, {"-interaction=nonstopmode", "-halt-on-error", "figure.tex"});
            QVERIFY(process.waitForFinished(60000));
            if (process.exitCode() != 0) QSKIP("pdflatex has no TikZ");
            QFile pdf(directory.filePath("figure.pdf"));
            QVERIFY(pdf.open(QIODevice::ReadOnly));
            static const QRegularExpression box(QStringLiteral("yMin=\"([\\d.]+)\".*yMax=\"([\\d.]+)\">Hxg"));
            const auto found = box.match(poppler("pdftotext", pdf.readAll(), {"-bbox"}, {"-"}));
            QVERIFY(found.hasMatch());
            sizes << QByteArray::number(found.captured(2).toDouble() - found.captured(1).toDouble(), 'f', 2);
        }
        QVERIFY2(sizes[0] == sizes[1] && sizes[1] == sizes[2], sizes.join(' ').constData());
    }
    void aSteadyStateIsMarkedOnlyWhereSomethingRepeats() {
        const Project project = openProject(STAGECRAFT_SOURCE_DIR "/samples/xpipe-fig1.stagecraft.json");
        const auto costs = std::make_shared<const CostModel>(project.problem);
        int marked = 0, unmarked = 0;
        for (const Plan& plan : project.plans) {
            const PlanRun run = evaluatePlan(costs, plan);
            const auto steady = steadyState(run.evaluation->timeline);
            if (!steady) continue;
            bool says = false;
            for (const FigureItem& item :
                 scheduleFigure(run, overlappingOptions(BlockColouring::miniBatch)).items)
                if (const auto* line = std::get_if<FigureLine>(&item)) says |= line->role == "steady state";
            QVERIFY(!says || steady->repeats);
            ++(says ? marked : unmarked);
        }
        QVERIFY(marked > 0 && unmarked > 0);
    }
    void lettersDoNotJoinIntoLigatures() {
        const QString reader = QStandardPaths::findExecutable("pdftotext");
        if (reader.isEmpty()) QSKIP("pdftotext is not installed");
        Figure figure{60, 10, {}, {}};
        figure.add(FigureText{{2, 5}, "first office"});
        QTemporaryDir directory;
        exportFigure(figure, {}, *figureFormatNamed("pdf"), directory.filePath("text.pdf").toStdString());
        QProcess process;
        process.start(reader, {directory.filePath("text.pdf"), "-"});
        QVERIFY(process.waitForFinished(60000));
        const QString text = QString::fromUtf8(process.readAllStandardOutput());
        QVERIFY2(text.contains("first office"), qPrintable(text));
    }
    void colouringsMarksAndPredictionsShowOnDemand() {
        const auto rolesOf = [](const ScheduleFigureOptions& options) {
            std::set<std::string> roles;
            for (const FigureItem& item : scheduleFigure(*overlappingRun(), options).items)
                std::visit(
                    [&](const auto& it) {
                        if constexpr (requires { it.role; }) roles.insert(it.role);
                    },
                    item);
            return roles;
        };
        ScheduleFigureOptions plain;
        plain.marks = false;
        plain.legend = false;
        const auto byKind = rolesOf(plain);
        QVERIFY(byKind.contains("forward") && !byKind.contains("mini-batch 0 forward"));
        for (const char* mark : {"update mark", "bellwether", "prediction", "steady state"})
            QVERIFY2(!byKind.contains(mark), mark);
        const auto byMiniBatch = rolesOf(overlappingOptions(BlockColouring::miniBatch));
        QVERIFY(!byMiniBatch.contains("forward"));
        for (const char* role : {"mini-batch 0 forward", "mini-batch 3 backward", "update mark", "bellwether",
                                 "prediction", "steady state"})
            QVERIFY2(byMiniBatch.contains(role), role);
        QVERIFY(rolesOf(overlappingOptions(BlockColouring::weightVersion)).contains("version 1 forward"));
        QVERIFY(rolesOf(overlappingOptions(BlockColouring::staleness)).contains("staleness 0"));
        plain.colouring = BlockColouring::staleness;  // with a barrier there is nothing to show
        const Figure barrier = scheduleFigure(*sample::run(), plain);
        QCOMPARE(barrier.items.size(), scheduleFigure(*sample::run(),
                                                      [] {
                                                          ScheduleFigureOptions options;
                                                          options.legend = false;
                                                          return options;
                                                      }())
                                           .items.size());
    }

    /// Under every colouring, for every part of the timeline: one entry for each number whose blocks are in
    /// the part, and none for others.
    void theLegendOfAPartHasWhatIsInIt_data() {
        QTest::addColumn<int>("colouring");
        for (const BlockColouring by :
             {BlockColouring::miniBatch, BlockColouring::weightVersion, BlockColouring::microbatch,
              BlockColouring::stage, BlockColouring::kind})
            QTest::newRow(describe(by).name) << static_cast<int>(by);
    }
    void theLegendOfAPartHasWhatIsInIt() {
        QFETCH(int, colouring);
        const auto by = static_cast<BlockColouring>(colouring);
        MadeUpPipeline wanted;
        wanted.stages = 3;
        wanted.replicas = 1;
        wanted.microbatches = 2;
        wanted.miniBatches = 9;
        wanted.linkBps = 60e9;
        const auto run = madeUpRun(wanted);
        const Timeline& timeline = run->evaluation->timeline;
        const WeightTrace weights(run->result.plan, timeline);
        const double endS = timeline.lastEndS();
        for (const auto& [from, to] :
             {std::pair(0.0, 0.08), std::pair(0.0, 0.3), std::pair(0.4, 0.6), std::pair(0.9, 1.0)}) {
            ScheduleFigureOptions options = overlappingOptions(by);
            options.timeRangeS = {from * endS, to * endS};
            std::set<QString> expected, found;
            for (std::uint32_t block = 0; block < timeline.blockCount(); ++block) {
                const bool seen = timeline.endS[block] > from * endS && timeline.startS[block] < to * endS;
                const LaneKind lane = timeline.lanes[static_cast<std::size_t>(timeline.laneOf(block))].kind;
                if (!seen || timeline.durationS(block) <= 0 || lane == LaneKind::channel) continue;
                if (by == BlockColouring::kind)
                    expected.insert(blockKindName(timeline.kind[block]));
                else if (timeline.kind[block] != BlockKind::update)
                    expected.insert(
                        QString::number(by == BlockColouring::miniBatch    ? timeline.iteration[block]
                                        : by == BlockColouring::microbatch ? timeline.microbatch[block]
                                        : by == BlockColouring::stage      ? timeline.stage[block]
                                                                           : weights.of(block).version));
            }
            const QString title = QString(describe(by).name) + ' ';
            for (const FigureItem& item : scheduleFigure(*run, options).items)
                if (const auto* text = std::get_if<FigureText>(&item)) {
                    if (by == BlockColouring::kind && expected.contains(text->text)) found.insert(text->text);
                    if (by == BlockColouring::kind)
                        for (int kind = 0; kind < blockKindCount; ++kind)
                            if (text->text == blockKindName(static_cast<BlockKind>(kind)))
                                found.insert(text->text);
                    if (text->text.startsWith(title))
                        for (const QString& number : text->text.mid(title.size()).split(QStringLiteral(", ")))
                            if (number != QStringLiteral("…")) found.insert(number);
                }
            QStringList missed;
            for (const QString& each : found)
                if (!expected.contains(each)) missed << "not drawn: " + each;
            if (by != BlockColouring::kind && expected.size() <= 12)
                for (const QString& each : expected)
                    if (!found.contains(each)) missed << "not listed: " + each;
            QVERIFY2(missed.empty() && !found.empty(), qPrintable(missed.join(QStringLiteral("; "))));
        }
    }

    void numbersKeepThePointInEveryLocale() {
        const QByteArray svg = writeSvg(everyItem()), tikz = writeTikz(everyItem());
        QLocale::setDefault(QLocale(QLocale::German));
        QCOMPARE(writeSvg(everyItem()), svg);
        QCOMPARE(writeTikz(everyItem()), tikz);
        QLocale::setDefault(QLocale::c());
        QCOMPARE(figureNumber(-0.0001), "0");
        QCOMPARE(figureNumber(12.3456), "12.346");
        QCOMPARE(figureNumber(100), "100");
    }

    void everyWriterHonoursTheClip() {
        const double dpi = 254, perMm = 10;
        const auto check = [&](const QImage& image, const char* writer) {
            QVERIFY2(!image.isNull(), writer);
            QVERIFY2(inked(image, QRectF(5.5, 5.5, 4, 4), perMm), writer);     // inside the clip
            QVERIFY2(!inked(image, QRectF(0, 0, 4.8, 20), perMm), writer);     // left of it
            QVERIFY2(!inked(image, QRectF(0, 0, 18, 4.8), perMm), writer);     // above it
            QVERIFY2(!inked(image, QRectF(15.2, 10.5, 3, 9), perMm), writer);  // right of it
        };
        check(pixels(writePng(everyItem(), dpi)), "png");
        const QByteArray svg = writeSvg(everyItem());
        QVERIFY(svg.contains(
            "<clipPath id=\"clip0\"><rect x=\"5\" y=\"5\" width=\"10\" height=\"10\"/></clipPath>\n"
            "<g clip-path=\"url(#clip0)\">"));
        const QByteArray tikz = writeTikz(everyItem());
        QVERIFY(tikz.contains("\\clip (5.000,5.000) rectangle (15.000,15.000);"));
        if (!hasPoppler()) QSKIP("poppler-utils is not installed: the PDF was not looked at");
        check(pixels(poppler("pdftoppm", writePdf(everyItem()), {"-r", "254", "-png"}, {})), "pdf");
    }

    void paintedAndPrintedFiguresAgreeInEveryPixelButItsEdges() {
        if (!hasPoppler()) QSKIP("poppler-utils is not installed");
        const QImage png = pixels(writePng(everyItem(), 254));
        const QImage pdf = pixels(poppler("pdftoppm", writePdf(everyItem()), {"-r", "254", "-png"}, {}));
        QVERIFY(std::abs(png.width() - pdf.width()) <= 1 && std::abs(png.height() - pdf.height()) <= 1);
        int different = 0;
        for (int y = 0; y < std::min(png.height(), pdf.height()); ++y)
            for (int x = 0; x < std::min(png.width(), pdf.width()); ++x)
                different += std::abs(qGray(png.pixel(x, y)) - qGray(pdf.pixel(x, y))) > 128;
        QVERIFY2(different < png.width() * png.height() / 100, QByteArray::number(different).constData());
    }

    void pdfPageIsExactlyAsWideAsAsked_data() {
        QTest::addColumn<double>("widthMm");
        for (const double width : {88.9, 181.9, 84.7, 178.0, 139.7, 50.123})
            QTest::addRow("%g mm", width) << width;
    }
    void pdfPageIsExactlyAsWideAsAsked() {
        QFETCH(double, widthMm);
        const QByteArray pdf = writePdf(Figure{widthMm, 33.33, {}, everyItem().items});
        const auto box = QRegularExpression("/MediaBox \\[\\s*([\\d.]+) ([\\d.]+) ([\\d.]+) ([\\d.]+)\\s*\\]")
                             .match(QString::fromLatin1(pdf));
        QVERIFY(box.hasMatch());
        const auto mm = [&](int i) { return box.captured(i).toDouble() * 25.4 / 72; };
        QVERIFY2(std::abs(mm(3) - mm(1) - widthMm) < 0.001, qPrintable(box.captured()));
        QVERIFY2(std::abs(mm(4) - mm(2) - 33.33) < 0.001, qPrintable(box.captured()));
        if (!hasPoppler()) return;
        const auto size = QRegularExpression("Page size:\\s+([\\d.]+) x ([\\d.]+) pts")
                              .match(QString::fromLatin1(poppler("pdfinfo", pdf, {}, {})));
        QVERIFY(size.hasMatch());
        QVERIFY(std::abs(size.captured(1).toDouble() * 25.4 / 72 - widthMm) < 0.01);
    }

    void pdfHasTheSameBytesWheneverItIsWritten() {
        const QByteArray first = writePdf(everyItem());
        QTest::qWait(1100);  // Qt notes the second of creation
        QCOMPARE(writePdf(everyItem()), first);
        QVERIFY(!first.contains("CreationDate"));
        const auto idOf = [](const QByteArray& pdf) {
            const qsizetype at = pdf.indexOf("/ID [");
            return at < 0 ? QByteArray() : pdf.mid(at, pdf.indexOf(']', at) - at);
        };
        QVERIFY(idOf(first).size() > 64);
        Figure wider = everyItem();
        wider.widthMm += 1;
        QVERIFY2(idOf(writePdf(wider)) != idOf(first), "documents that differ share an id");
    }

    void pdfEmbedsTrueTypeAndKeepsTextSearchable() {
        if (!hasPoppler()) QSKIP("poppler-utils is not installed");
        const QByteArray pdf = writePdf(scheduleFigure(*sample::run()));
        const QByteArray fonts = poppler("pdffonts", pdf, {}, {});
        QVERIFY2(fonts.contains("CID TrueType") && !fonts.contains("Type 3"), fonts.constData());
        // Qt names the glyph of a space by a tabulator, with which readers other than poppler find no phrase.
        QVERIFY(pdf.contains("<0020>") && !pdf.contains("<0009>"));
        const QByteArray text = poppler("pdftotext", pdf, {}, {"-"});
        QVERIFY2(text.contains("time (ms)") && text.contains("stage 1"), text.constData());
    }

    void svgIsReadableByARenderer() {
        QSvgRenderer renderer(writeSvg(scheduleFigure(*sample::run())));
        QVERIFY(renderer.isValid());
        QCOMPARE(renderer.viewBoxF().width(), 88.9);
    }

    void hatchLinesStayInsideAPolygonWithADent() {
        const std::vector<QPointF> dented = {{0, 0}, {10, 0}, {10, 10}, {5, 2}, {0, 10}};
        for (const Hatch hatch :
             {Hatch::rising, Hatch::falling, Hatch::cross, Hatch::vertical, Hatch::horizontal}) {
            const std::vector<QLineF> lines = hatchLines(dented, hatch);
            QVERIFY(lines.size() > 5);
            const QPolygonF outline(QList<QPointF>(dented.begin(), dented.end()));
            for (const QLineF& line : lines)
                for (const double t : {0.01, 0.25, 0.5, 0.75, 0.99})
                    QVERIFY(outline.containsPoint(line.pointAt(t), Qt::OddEvenFill));
        }
    }

    void unbalancedClipsAndFiguresWithoutSizeAreRefused() {
        Figure open = everyItem();
        open.add(ClipBegin{QRectF(0, 0, 1, 1)});
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, writeSvg(open));
        Figure closed = everyItem();
        closed.add(ClipEnd{});
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, writePdf(closed));
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, writeSvg(Figure{}));
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, writePng(everyItem(), 0));
        PlanRun failed;
        failed.result.reason = "no plan";
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, scheduleFigure(failed));
        ScheduleFigureOptions narrow, unreadable, empty, unknown;
        narrow.widthMm = 10;
        unreadable.fontPt = 1;
        empty.timeRangeS = {0.1, 0.1};
        unknown.memory = true;
        unknown.memoryDevice = 3;
        for (const ScheduleFigureOptions& options : {narrow, unreadable, empty, unknown})
            QVERIFY_THROWS_EXCEPTION(std::invalid_argument, scheduleFigure(*sample::run(), options));
    }

    void exportWritesEachFormatAndNamesWhatCannotBeWritten() {
        QTemporaryDir directory;
        for (const FigureFormat& each : figureFormats()) {
            const std::filesystem::path path = directory.filePath("a." + each.suffixes.last()).toStdString();
            const FigureFormat* format = figureFormatOf(path);
            QCOMPARE(format, &each);
            exportFigure(everyItem(), {}, *format, path);
            QFile file(QString::fromStdString(path.string()));
            QVERIFY(file.size() > 200 && file.open(QIODevice::ReadOnly));
            QCOMPARE(file.readAll(), each.write(everyItem(), {}));
        }
        QVERIFY(!figureFormatOf("a.docx"));
        const std::filesystem::path missing = (directory.filePath("no/such/folder/a.svg")).toStdString();
        try {
            exportFigure(everyItem(), {}, *figureFormatNamed("svg"), missing);
            QFAIL("the file cannot have been written");
        } catch (const InputError& error) {
            QVERIFY(std::string(error.what()).find("a.svg") != std::string::npos);
        }
    }

    void everyBlockIsDrawnAtItsTimeAndNumbered() {
        ScheduleFigureOptions options;
        options.widthMm = 181.9;
        options.legend = false;
        const Figure figure = scheduleFigure(*sample::run(), options);
        double scale = 0;
        int forwards = 0;
        std::multiset<QString> texts;
        for (const FigureItem& item : figure.items) {
            if (const auto* rect = std::get_if<FigureRectangle>(&item); rect && rect->role == "backward") {
                if (scale == 0) scale = rect->rect.width() / 0.04;
                QVERIFY(std::abs(rect->rect.width() / 0.04 - scale) < 1e-6);
            }
            if (const auto* rect = std::get_if<FigureRectangle>(&item)) forwards += rect->role == "forward";
            if (const auto* text = std::get_if<FigureText>(&item)) texts.insert(text->text);
        }
        QCOMPARE(forwards, 4);
        QVERIFY(texts.count("1") == 4 && texts.count("0") >= 4 && texts.count("AR") == 1);
    }

    void aLongTimelineIsAggregatedWithoutHidingItsBubbles() {
        auto run = std::make_shared<PlanRun>(*sample::run());
        auto evaluation = std::make_shared<Evaluation>(*run->evaluation);
        evaluation->timeline = {};
        std::vector<sample::Block> blocks;
        for (int i = 0; i < 20000; ++i)  // busy a quarter of the time with forwards, another with backwards
            blocks.push_back(
                {i % 2 ? BlockKind::backward : BlockKind::forward, 0, i, i * 1e-3, i * 1e-3 + 5e-4});
        sample::addLane(evaluation->timeline, {LaneKind::compute, {0, 1}}, blocks);
        run->evaluation = evaluation;
        CountingSink sink;
        const Figure figure = scheduleFigure(*run);
        draw(figure, sink);
        QVERIFY2(sink.shapes < 400, QByteArray::number(sink.shapes).constData());
        QVERIFY(writeSvg(figure).size() < 200000);
        const BusyShare share = busyShare(evaluation->timeline, 0, 0, 20, 500);
        for (int c = 0; c < 500; ++c) {
            QVERIFY(std::abs(share[int(BlockKind::forward)][c] - 0.25) < 1e-6);
            QVERIFY(std::abs(share[int(BlockKind::backward)][c] - 0.25) < 1e-6);
        }
        // Half of the lane's height stays bubble.
        double highest = 1e9, lowest = 0;
        QRectF bubble;
        for (const FigureItem& item : figure.items) {
            if (const auto* rect = std::get_if<FigureRectangle>(&item);
                rect && rect->role == "bubble" && bubble.isNull())
                bubble = rect->rect;
            if (const auto* area = std::get_if<FigurePolygon>(&item))
                for (const QPointF& point : area->points) {
                    highest = std::min(highest, point.y());
                    lowest = std::max(lowest, point.y());
                }
        }
        QVERIFY(std::abs((lowest - highest) / bubble.height() - 0.5) < 0.05);
    }

    void greyFiguresHaveNoColourAndKeepLightness() {
        ScheduleFigureOptions options;
        options.grey = true;
        const QImage image = pixels(writePng(scheduleFigure(*sample::run(), options), 150));
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x) {
                const QRgb p = image.pixel(x, y);
                QVERIFY(std::abs(qRed(p) - qGreen(p)) <= 1 && std::abs(qGreen(p) - qBlue(p)) <= 1);
            }
    }

    void aFigureListsTheLanesOfAWindowInItsOwnOrder() {
        const auto run = sample::run();
        const auto kindsOf = [&run](LaneMedium medium) {
            std::vector<LaneKind> kinds;
            for (const ListedLane& lane : listedLanes(*run, true, medium))
                kinds.push_back(run->evaluation->timeline.lanes[static_cast<std::size_t>(lane.lane)].kind);
            return kinds;
        };
        const LaneKind compute = LaneKind::compute, channel = LaneKind::channel, sum = LaneKind::allReduce;
        QVERIFY(kindsOf(LaneMedium::screen) == std::vector({compute, sum, channel, compute}));
        QVERIFY(kindsOf(LaneMedium::print) == std::vector({compute, channel, sum, compute}));
    }

    void laneLabelsFitOneColumnAndReadAlike() {
        const auto run = sample::run();
        for (const double width : {88.9 * 0.27, 181.9 * 0.27}) {
            const std::vector<PrintedLane> rows = printedLanes(*run, true, width, 7);
            QCOMPARE(int(rows.size()), 4);
            for (const PrintedLane& row : rows) QVERIFY(textWidthMm(row.label, 7) <= width);
        }
        QCOMPARE(printedLanes(*run, false, 100, 7)[0].label, QString("s0g0–s0g1 · stage 0"));
        QCOMPARE(printedLanes(*run, false, 20, 7)[0].label, QString("stage 0 (2×)"));
        QCOMPARE(printedLanes(*run, false, 20, 7)[1].label, QString("s0g2 · stage 1"));
        QCOMPARE(printedLanes(*run, false, 12, 7)[0].label, QString("stage 0"));
        QCOMPARE(printedLanes(*run, true, 100, 7)[1].label, QString("transfer S0↔S1"));
        Cluster cluster;
        for (int i = 0; i < 12; ++i)
            cluster.devices.push_back({"s" + std::to_string(i / 8) + "g" + std::to_string(i)});
        QCOMPARE(deviceRange(cluster, {3, 2, 1, 0}, true), QString("s0g0–3"));
        QCOMPARE(deviceRange(cluster, {0, 1, 2, 3, 4, 5, 6, 7, 8}, true), QString("s0g0–s1g8"));
        QCOMPARE(deviceRange(cluster, {5, 0, 1, 8}, true), QString("s0g0–1, s0g5, s1g8"));
        QCOMPARE(deviceRange(cluster, {5, 0, 1, 8}, false), QString("s0g0–s0g1, s0g5, s1g8"));
    }

    void comparisonTimesHaveTheUnitOfTheAxis() {
        QStringList texts;
        for (const FigureItem& item : compareFigure({sample::run(1.05), sample::run(0.962)}).items)
            if (const auto* text = std::get_if<FigureText>(&item)) texts << text->text;
        QVERIFY2(texts.contains("962 ms") && texts.contains("1050 ms"), qPrintable(texts.join('|')));
    }

    void comparisonBarsAreProportionalAndFastestFirst() {
        const Figure figure = compareFigure({sample::run(0.5), sample::run(0.25)});
        std::vector<double> widths;
        for (const FigureItem& item : figure.items)
            if (const auto* rect = std::get_if<FigureRectangle>(&item)) widths.push_back(rect->rect.width());
        QCOMPARE(int(widths.size()), 2);
        QVERIFY(std::abs(widths[1] / widths[0] - 2) < 1e-9);
    }

    void comparisonBarsOfOutOfDatePlansComeLastAndAreNotTheFastest() {
        auto old = sample::run(0.1);
        old->age = PlanAge::outOfDate;
        const Figure figure = compareFigure({old, sample::run(0.5)});
        QStringList roles, texts;
        for (const FigureItem& item : figure.items) {
            if (const auto* rect = std::get_if<FigureRectangle>(&item))
                roles << QString::fromStdString(rect->role);
            if (const auto* text = std::get_if<FigureText>(&item)) texts << text->text;
        }
        // The third is the legend's.
        QCOMPARE(roles, QStringList({"fastest", "out of date", "out of date"}));
        QVERIFY2(texts.contains("100 ms") && texts.contains("out of date"), qPrintable(texts.join('|')));
    }

    void comparisonSetsTimesInProportionToTheReference() {
        const auto slow = sample::run(0.5), fast = sample::run(0.25);
        slow->result.plan.name = "slow";
        fast->result.plan.name = "fast";
        CompareFigureOptions options;
        options.reference = slow->title();
        QStringList texts;
        double barMm = 0, lineMm = 0;
        for (const FigureItem& item : compareFigure({slow, fast}, options).items) {
            if (const auto* text = std::get_if<FigureText>(&item)) texts << text->text;
            if (const auto* rect = std::get_if<FigureRectangle>(&item); rect && rect->role == "plan")
                barMm = rect->rect.right();
            if (const auto* line = std::get_if<FigureLine>(&item); line && line->role == "reference")
                lineMm = line->from.x();
        }
        QVERIFY2(texts.contains(QString("250 ms, 0.50") + QChar(0x00D7)), qPrintable(texts.join('|')));
        QVERIFY2(texts.contains("500 ms"), qPrintable(texts.join('|')));
        QCOMPARE(lineMm, barMm);
        options.reference = "medium";
        QVERIFY_EXCEPTION_THROWN(compareFigure({slow, fast}, options), std::invalid_argument);
    }
};

STAGECRAFT_TEST(FiguresTest)
#include "figures_test.moc"
