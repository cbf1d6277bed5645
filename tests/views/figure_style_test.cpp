#include "core/formats/input_error.h"
#include "tests/views/figures_sample_run.h"
#include "views/figures/figure_sink.h"
#include "views/figures/figure_style.h"
#include "views/figures/partition_figure.h"
#include "views/figures/schedule_figure.h"
#include "views/interconnect/bandwidth_figure.h"

#include <QFile>
#include <QImage>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <cstring>

using namespace stagecraft;

namespace {

FigureStyle everyFieldChanged() {
    FigureStyle style;
    style.name = "Thesis “one”";
    style.widthMm = 122.25;
    style.heightMm = 40;
    style.laneMm = 4.5;
    style.fontFamily = "DejaVu Serif";
    style.fontPt = 8.5;
    style.textAsPaths = style.grey = style.title = style.communication = style.firstStageBelow = true;
    style.criticalPath = style.memory = style.predictions = style.standalone = true;
    style.hatches = style.legend = style.numbers = style.bubbles = style.marks = false;
    style.axis = FigureAxis::blocks;
    style.colouring = BlockColouring::staleness;
    style.dpi = 600;
    return style;
}

QString complaint(const char* text) {
    try {
        readFigureStyle(text, "my.figure-style.json");
    } catch (const InputError& error) {
        return QString::fromUtf8(error.what());
    }
    return {};
}

/// Corners and ends of all shapes and lines, in millimetres from the top left, in the order of drawing.
using Coordinates = std::vector<QPointF>;

/// What the writers are given.
class CoordinateSink : public FigureSink {
public:
    Coordinates points, baselines;
    void rectangle(const QRectF& rect, const QColor& fill, const Stroke& stroke,
                   const std::string&) override {
        if (fill.isValid() || stroke.visible())
            points.insert(points.end(), {rect.topLeft(), rect.bottomRight()});
    }
    void polygon(const std::vector<QPointF>& all, const QColor& fill, const Stroke& stroke,
                 const std::string&) override {
        if (fill.isValid() || stroke.visible()) points.insert(points.end(), all.begin(), all.end());
    }
    void polyline(const std::vector<QPointF>& all, const Stroke&, const std::string&) override {
        points.insert(points.end(), all.begin(), all.end());
    }
    void segments(const std::vector<QLineF>& lines, const Stroke&, const std::string&) override {
        for (const QLineF& line : lines) points.insert(points.end(), {line.p1(), line.p2()});
    }
    void text(const FigureText& text, const QPointF& at) override {
        if (text.rotationDeg == 0) baselines.push_back(at);
    }
    void outline(const QPainterPath&, const QColor&) override {}
    void beginClip(const QRectF& rect) override {
        points.insert(points.end(), {rect.topLeft(), rect.bottomRight()});
    }
    void endClip() override {}
};

/// Of an SVG by writeSvg, read as a viewer reads it: rectangles and paths of M, L and Z.
struct Read {
    Coordinates points, baselines;
};

Read readSvg(const QString& svg) {
    Read read;
    static const QRegularExpression element(
        "<rect x=\"([-\\d.]+)\" y=\"([-\\d.]+)\" width=\"([-\\d.]+)\" height=\"([-\\d.]+)\"|<path "
        "d=\"([^\"]+)\""
        "|<text x=\"([-\\d.]+)\" y=\"([-\\d.]+)\"( transform)?");
    static const QRegularExpression pair("[ML]([-\\d.]+) ([-\\d.]+)");
    for (auto it = element.globalMatch(svg); it.hasNext();) {
        const auto match = it.next();
        const auto number = [&](int i) { return match.captured(i).toDouble(); };
        if (match.hasCaptured(1)) {
            read.points.insert(read.points.end(),
                               {{number(1), number(2)}, {number(1) + number(3), number(2) + number(4)}});
        } else if (match.hasCaptured(5)) {
            for (auto p = pair.globalMatch(match.captured(5)); p.hasNext();) {
                const auto point = p.next();
                read.points.push_back({point.captured(1).toDouble(), point.captured(2).toDouble()});
            }
        } else if (!match.hasCaptured(8)) {
            read.baselines.push_back({number(6), number(7)});
        }
    }
    return read;
}

Read readTikz(const QString& tikz) {
    Read read;
    static const QRegularExpression pair("\\(([-\\d.]+),([-\\d.]+)\\)");
    for (const QString& line : tikz.split('\n')) {
        if (line.contains("bounding box")) continue;
        const bool text = line.contains("\\node");
        if (text && line.contains("rotate=")) continue;
        for (auto p = pair.globalMatch(line); p.hasNext();) {
            const auto point = p.next();
            (text ? read.baselines : read.points)
                .push_back({point.captured(1).toDouble(), point.captured(2).toDouble()});
            if (text) break;
        }
    }
    return read;
}

/// The page's content stream.
QByteArray pageContent(const QByteArray& pdf) {
    QByteArray best;
    for (qsizetype at = pdf.indexOf("stream\n"); at >= 0; at = pdf.indexOf("stream\n", at + 7)) {
        if (at >= 3 && pdf.mid(at - 3, 3) == "end") continue;
        const qsizetype end = pdf.indexOf("\nendstream", at);
        QByteArray packed = pdf.mid(at + 7, end - at - 7);
        const quint32 guess = 1 << 22;
        QByteArray header(4, '\0');
        for (int i = 0; i < 4; ++i) header[i] = static_cast<char>(guess >> (24 - 8 * i));
        const QByteArray plain = qUncompress(header + packed);
        if (plain.contains(" re\n") || plain.contains(" l\n")) best = plain;
    }
    return best;
}

/// Interprets the operators that QPdfWriter uses, with the matrix that is in force.
Read readPdf(const QByteArray& pdf) {
    Read read;
    const auto box = QRegularExpression("/MediaBox \\[([\\d.]+) ([\\d.]+) ([\\d.]+) ([\\d.]+)\\]")
                         .match(QString::fromLatin1(pdf));
    const double top = box.captured(4).toDouble();
    constexpr double mm = 25.4 / 72;
    QTransform matrix, textMatrix;
    std::vector<QTransform> stack;
    std::vector<double> operands;
    Coordinates path;
    bool inText = false;
    const auto toMm = [&](QPointF point) { return QPointF(point.x() * mm, (top - point.y()) * mm); };
    for (const QByteArray& line : pageContent(pdf).split('\n'))
        for (const QByteArray& token : line.split(' ')) {
            if (token.isEmpty()) continue;
            bool isNumber = false;
            const double value = token.toDouble(&isNumber);
            if (isNumber) {
                operands.push_back(value);
                continue;
            }
            const auto operand = [&](std::size_t fromEnd) { return operands[operands.size() - fromEnd]; };
            const std::size_t count = operands.size();
            if (token == "q") stack.push_back(matrix);
            if (token == "Q" && !stack.empty()) {
                matrix = stack.back();
                stack.pop_back();
            }
            if ((token == "cm" || token == "Tm") && count >= 6) {
                const QTransform own(operand(6), operand(5), operand(4), operand(3), operand(2), operand(1));
                if (token == "cm")
                    matrix = own * matrix;
                else
                    textMatrix = own;
            }
            if (token == "BT") inText = true;
            if (token == "Tm" && inText && textMatrix.m12() == 0)
                read.baselines.push_back(toMm(matrix.map(QPointF(textMatrix.dx(), textMatrix.dy()))));
            if (token == "ET") inText = false;
            if (token == "re" && count >= 4) {
                path.push_back(toMm(matrix.map(QPointF(operand(4), operand(3)))));
                path.push_back(toMm(matrix.map(QPointF(operand(4) + operand(2), operand(3) + operand(1)))));
            }
            if ((token == "m" || token == "l") && count >= 2)
                path.push_back(toMm(matrix.map(QPointF(operand(2), operand(1)))));
            if (token == "f" || token == "f*" || token == "S" || token == "B" || token == "B*" ||
                token == "n" || token == "W*" || token == "W") {
                if (token != "W" && token != "W*") {
                    read.points.insert(read.points.end(), path.begin(), path.end());
                    path.clear();
                }
            }
            operands.clear();
        }
    return read;
}

double distance(const QPointF& a, const QPointF& b) { return std::hypot(a.x() - b.x(), a.y() - b.y()); }

/// How far the farthest point of `wanted` is from what was found, wherever in the file that stands.
double farthest(const Coordinates& wanted, const Coordinates& found) {
    double worst = 0;
    for (const QPointF& point : wanted) {
        double nearest = 1e9;
        for (const QPointF& other : found) nearest = std::min(nearest, distance(point, other));
        worst = std::max(worst, nearest);
    }
    return worst;
}

ScheduleFigureOptions everything() {
    ScheduleFigureOptions options;
    options.communication = options.criticalPath = options.memory = true;
    return options;
}

}  // namespace

class FigureStyleTest : public QObject {
    Q_OBJECT
private slots:
    void aStyleReadsBackAsItWasWritten() {
        for (const FigureStyle& style : {FigureStyle{}, everyFieldChanged()}) {
            const std::string text = writeFigureStyle(style);
            QVERIFY(readFigureStyle(text, "x") == style);
            QCOMPARE(writeFigureStyle(readFigureStyle(text, "x")), text);
        }
        for (const FigureStyle& style : shippedFigureStyles())
            QVERIFY(readFigureStyle(writeFigureStyle(style), "x") == style);
        QVERIFY(readFigureStyle(R"({"format": "stagecraft/figure-style", "version": 1})", "x") ==
                FigureStyle{});
    }

    void everyFieldIsWritten() {
        const std::string plain = writeFigureStyle({}), changed = writeFigureStyle(everyFieldChanged());
        const QStringList a = QString::fromStdString(plain).split('\n'),
                          b = QString::fromStdString(changed).split('\n');
        QCOMPARE(a.size(), b.size());
        int same = 0;
        for (qsizetype i = 0; i < a.size(); ++i) same += a[i] == b[i];
        QCOMPARE(same, 5);  // the braces, format, version and the end of the file
    }

    void aFaultNamesFileAndPlace_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("words");
        const auto row = [](const char* name, const QByteArray& fields, const char* words) {
            QTest::newRow(name) << QByteArray("{\"format\": \"stagecraft/figure-style\", \"version\": 1, " +
                                              fields + "}")
                                << QString(words);
        };
        row("too narrow", "\"width_mm\": 3",
            "/width_mm: the number is out of bounds; expected 30 to 2000 mm");
        row("spelling", "\"font_point\": 7", "font_pt");
        row("axis", "\"axis\": \"block\"", "/axis");
        row("family", "\"font_family\": \"a'b\"", "/font_family: this is no name of a font");
        row("dpi", "\"dpi\": 0", "/dpi");
        row("not a flag", "\"grey\": 1", "/grey");
        row("lane", "\"lane_mm\": 0.5", "or 0 to leave it open");
        QTest::newRow("another file")
            << QByteArray(R"({"format": "stagecraft/plan", "version": 1})") << QString("/format");
        QTest::newRow("newer") << QByteArray(R"({"format": "stagecraft/figure-style", "version": 9})")
                               << QString("/version");
        QTest::newRow("no JSON") << QByteArray("{") << QString("my.figure-style.json");
    }
    void aFaultNamesFileAndPlace() {
        QFETCH(QByteArray, text);
        QFETCH(QString, words);
        const QString said = complaint(text.constData());
        QVERIFY2(said.startsWith("my.figure-style.json") && said.contains(words), qPrintable(said));
    }

    void svgPdfAndTikzAgreeWithTheDisplayListToAHundredthOfAMillimetre() {
        constexpr double tolerance = 0.01;
        const Figure figure = scheduleFigure(*sample::run(), everything());
        CoordinateSink list;
        draw(figure, list);
        QVERIFY(list.points.size() > 300 && list.baselines.size() > 20);
        const Read svg = readSvg(QString::fromUtf8(writeSvg(figure)));
        const Read tikz = readTikz(QString::fromUtf8(writeTikz(figure)));
        QCOMPARE(svg.points.size(), list.points.size());
        QCOMPARE(tikz.points.size(), list.points.size());
        QCOMPARE(svg.baselines.size(), list.baselines.size());
        QCOMPARE(tikz.baselines.size(), list.baselines.size());
        for (std::size_t i = 0; i < list.points.size(); ++i) {
            QVERIFY(distance(svg.points[i], list.points[i]) < tolerance);
            QVERIFY(distance(tikz.points[i], list.points[i]) < tolerance);
        }
        for (std::size_t i = 0; i < list.baselines.size(); ++i) {
            QVERIFY(distance(svg.baselines[i], list.baselines[i]) < tolerance);
            QVERIFY(distance(tikz.baselines[i], list.baselines[i]) < tolerance);
        }
        // Qt writes shapes in its own ways, so that points are looked for wherever they stand.
        const Read pdf = readPdf(writePdf(figure));
        QVERIFY(pdf.points.size() > list.points.size() / 2);
        const double worst = farthest(list.points, pdf.points);
        QVERIFY2(worst < tolerance, QByteArray::number(worst).constData());
        // And nothing stands where the list has nothing, but for the page's own edge.
        const auto onEdge = [&](const QPointF& p) {
            return p.x() < tolerance || p.y() < tolerance || p.x() > figure.widthMm ||
                   p.y() > figure.heightMm;
        };
        Coordinates inside;
        for (const QPointF& point : pdf.points)
            if (!onEdge(point)) inside.push_back(point);
        const double strangers = farthest(inside, list.points);
        QVERIFY2(strangers < tolerance, QByteArray::number(strangers).constData());
    }

    void pictureHasTheFiguresSize() {
        const Figure figure = scheduleFigure(*sample::run(), everything());
        const QImage image = QImage::fromData(writePng(figure, 600), "PNG");
        QVERIFY(std::abs(image.width() * 25.4 / 600 - figure.widthMm) < 25.4 / 600);
        QVERIFY(std::abs(image.height() * 25.4 / 600 - figure.heightMm) < 25.4 / 600);
    }

    void lettersAsOutlinesNeedNoFont() {
        Figure figure = scheduleFigure(*sample::run());
        figure.textAsPaths = true;
        const QByteArray svg = writeSvg(figure), tikz = writeTikz(figure), pdf = writePdf(figure);
        QVERIFY(!svg.contains("<text") && svg.contains("C"));
        QVERIFY(!tikz.contains("\\node") && tikz.contains(".. controls"));
        QVERIFY(!pdf.contains("/FontFile") && !pdf.contains("/Type /Font\n"));
        // It looks the same as with letters.
        const QImage outlined = QImage::fromData(writePng(figure, 150), "PNG");
        figure.textAsPaths = false;
        const QImage lettered = QImage::fromData(writePng(figure, 150), "PNG");
        QCOMPARE(outlined.size(), lettered.size());
        int different = 0;
        for (int y = 0; y < outlined.height(); ++y)
            for (int x = 0; x < outlined.width(); ++x)
                different += std::abs(qGray(outlined.pixel(x, y)) - qGray(lettered.pixel(x, y))) > 128;
        QVERIFY2(different < outlined.width() * outlined.height() / 200,
                 QByteArray::number(different).constData());
    }

    void theFamilyIsWrittenAndEscaped() {
        FigureStyle style;
        style.fontFamily = "Nimbus & Co";
        const QByteArray svg =
            figureBytes(inStyle(scheduleFigure(*sample::run()), style), style, FigureFormat::svg);
        QVERIFY(svg.contains("font-family=\"'Nimbus &amp; Co', sans-serif\""));
    }

    void aTitleMovesEverythingDownByItsLine() {
        FigureStyle plain, titled;
        titled.title = true;
        const Figure figure = scheduleFigure(*sample::run(), everything());
        const Figure below = inStyle(figure, titled);
        CoordinateSink a, b;
        draw(inStyle(figure, plain), a);
        draw(withoutHatches(inStyle(figure, titled)), b);
        const double line = below.heightMm - figure.heightMm;
        QVERIFY(line > 3 && line < 6);
        QVERIFY(farthest({{a.points.front().x(), a.points.front().y() + line}}, b.points) < 1e-9);
        QVERIFY(writeSvg(below).contains(">By hand</text>"));
        QVERIFY(!writeSvg(figure).contains(">By hand</text>"));
    }

    void withoutHatchesBubblesKeepTheirs() {
        int hatched = 0, bubbles = 0;
        for (const FigureItem& item : withoutHatches(scheduleFigure(*sample::run(), everything())).items) {
            if (const auto* rect = std::get_if<FigureRectangle>(&item)) {
                hatched += rect->fill.hatch != Hatch::none;
                bubbles += rect->role == "bubble";
            }
            if (const auto* polygon = std::get_if<FigurePolygon>(&item))
                QVERIFY(polygon->fill.hatch == Hatch::none);
        }
        QVERIFY(bubbles > 0);
        QCOMPARE(hatched, bubbles);
    }

    void anAxisInForwardPassesCountsThem() {
        // Forwards of the sample take 20 ms, the whole of it 250 ms: 12.5 of them.
        QCOMPARE(forwardBlockS(sample::run()->evaluation->timeline), 0.02);
        ScheduleFigureOptions options;
        options.axis = FigureAxis::blocks;
        options.numbers = options.legend = false;
        const QByteArray svg = writeSvg(scheduleFigure(*sample::run(), options));
        QVERIFY(svg.contains("time (forward passes)"));
        QVERIFY(svg.contains(">12</text>") && !svg.contains(">14</text>"));
        options.axis = FigureAxis::none;
        QVERIFY(!writeSvg(scheduleFigure(*sample::run(), options)).contains("time ("));
    }

    void lanesCanBeChosenTurnedAndSized() {
        ScheduleFigureOptions options;
        const auto rowsOf = [&](const char* first, const char* second) {
            double a = -1, b = -1;
            for (const FigureItem& item : scheduleFigure(*sample::run(), options).items)
                if (const auto* text = std::get_if<FigureText>(&item)) {
                    if (text->text.contains(first)) a = text->at.y();
                    if (text->text.contains(second)) b = text->at.y();
                }
            return std::pair(a, b);
        };
        auto rows = rowsOf("stage 0", "stage 1");
        QVERIFY(rows.first > 0 && rows.first < rows.second);
        options.firstStageBelow = true;
        rows = rowsOf("stage 0", "stage 1");
        QVERIFY(rows.second > 0 && rows.second < rows.first);
        options.firstStageBelow = false;
        options.laneMm = 10;
        rows = rowsOf("stage 0", "stage 1");
        QVERIFY(rows.second - rows.first > 10 && rows.second - rows.first < 11);
        options.lanes = {1};
        rows = rowsOf("stage 0", "stage 1");
        QVERIFY(rows.first < 0 && rows.second > 0);
        options.lanes = {77};
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, scheduleFigure(*sample::run(), options));
    }

    void memoryOfEachDeviceHasItsPanel() {
        const Figure all = memoryFigure(*sample::run());
        const QByteArray svg = writeSvg(all);
        for (const char* device : {"s0g0 (GiB)", "s0g1 (GiB)", "s0g2 (GiB)"}) QVERIFY(svg.contains(device));
        QCOMPARE(svg.count(">activations</text>"), 1);
        ScheduleFigureOptions one;
        one.memoryDevice = 1;
        const Figure single = memoryFigure(*sample::run(), one);
        QVERIFY(single.heightMm < all.heightMm / 2);
        // Replicas that fill up alike share one.
        auto run = std::make_shared<PlanRun>(*sample::run());
        auto evaluation = std::make_shared<Evaluation>(*run->evaluation);
        evaluation->memory[1].bytes = evaluation->memory[0].bytes;
        run->evaluation = evaluation;
        QVERIFY(writeSvg(memoryFigure(*run)).contains("s0g0–1 (GiB)"));
        QVERIFY(!writeSvg(single).contains("s0g0"));
        one.memoryDevice = 9;
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, memoryFigure(*sample::run(), one));
    }

    void thePartitionIsAsWideAsItsLayersTakeLong() {
        const Figure figure = partitionFigure(*sample::run());
        std::vector<QRectF> layers;
        double slowest = 0, quickest = 1e9;
        for (const FigureItem& item : figure.items)
            if (const auto* rect = std::get_if<FigureRectangle>(&item)) {
                if (rect->role == "stage 0" || rect->role == "stage 1") layers.push_back(rect->rect);
                if (rect->role == "backward" && rect->rect.width() > 20) {
                    slowest = std::max(slowest, rect->rect.height());
                    quickest = std::min(quickest, rect->rect.height());
                }
            }
        QCOMPARE(int(layers.size()), 4);
        for (const QRectF& layer : layers) QVERIFY(std::abs(layer.width() - layers[0].width()) < 1e-9);
        QVERIFY(layers.back().right() <= figure.widthMm);
        // Stage 0 stands on two devices, which take half as long.
        QVERIFY(std::abs(slowest / quickest - 2) < 1e-6);
    }

    void aBandwidthMatrixShowsEachPair() {
        const auto costs = sample::costs();
        const Cluster& cluster = costs->problem().cluster;
        const QByteArray svg = writeSvg(bandwidthFigure(cluster));
        QCOMPARE(svg.count(">12</text>"), 6);
        QVERIFY(svg.contains("12.0 GB/s") || svg.contains("12 GB/s"));
        BandwidthFigureOptions bare;
        bare.numbers = bare.legend = false;
        QCOMPARE(writeSvg(bandwidthFigure(cluster, bare)).count(">12</text>"), 0);
        Cluster one;
        one.devices = {{"g"}};
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, bandwidthFigure(one));
    }

    void tikzOfEveryFigureCompiles() {
        const QString latex = QStandardPaths::findExecutable("pdflatex");
        if (latex.isEmpty()) QSKIP("pdflatex is not installed");
        FigureStyle style;
        style.title = true;
        const Figure outlined = [] {
            Figure figure = scheduleFigure(*sample::run());
            figure.textAsPaths = true;
            return figure;
        }();
        QByteArray document =
            "\\documentclass{article}\n\\usepackage[T1]{fontenc}\n\\usepackage{tikz}\n\\begin{document}\n";
        for (const Figure& figure : {inStyle(scheduleFigure(*sample::run(), everything()), style),
                                     memoryFigure(*sample::run()), partitionFigure(*sample::run()),
                                     bandwidthFigure(sample::run()->costs->problem().cluster), outlined})
            document += "\\begin{figure}\n" + writeTikz(figure) + "\\end{figure}\n";
        document += "\\end{document}\n";
        QTemporaryDir directory;
        QFile file(directory.filePath("figures.tex"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(document);
        file.close();
        QProcess process;
        process.setWorkingDirectory(directory.path());
        process.start(latex, {"-interaction=nonstopmode", "-halt-on-error", "figures.tex"});
        QVERIFY(process.waitForFinished(120000));
        const QByteArray log = process.readAllStandardOutput();
        if (log.contains("tikz.sty' not found")) QSKIP("pdflatex has no TikZ");
        QVERIFY2(process.exitCode() == 0, log.right(3000).constData());
        QVERIFY2(!log.contains("Overfull"), log.right(3000).constData());
    }
};

QTEST_MAIN(FigureStyleTest)
#include "figure_style_test.moc"
