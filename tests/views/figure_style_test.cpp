#include "core/formats/input_error.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "tests/views/figure_readers.h"
#include "tests/views/figures_sample_run.h"
#include "views/figures/figure_style_json.h"
#include "views/figures/figure_writers.h"
#include "views/figures/memory_figure.h"
#include "views/figures/painter_writer.h"
#include "views/figures/partition_figure.h"
#include "views/figures/schedule_figure.h"
#include "views/interconnect/bandwidth_figure.h"

#include <QFile>
#include <QImage>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

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
    style.numberPt = 5.5;
    style.textAsPaths = style.grey = style.title = style.communication = style.firstStageBelow = true;
    style.criticalPath = style.memory = style.predictions = style.notes = style.standalone = style.slide =
        true;
    style.hatches = style.legend = style.numbers = style.bubbles = style.marks = false;
    style.axis = FigureAxis::blocks;
    style.colouring = BlockColouring::staleness;
    style.dpi = 600;
    style.panelTime = PanelTime::own;
    style.laneNames = "P{n}";
    style.legendNames = "forward=F";
    style.panelNames = "A|B";
    style.countFromOne = true;
    style.titleText = "$T_f$ of {plan}";
    style.timeTitle = "t";
    style.palette = PaletteKind::own;
    style.ownColours = "#88CCEE, update=#000000";
    style.timeUnit = TimeUnit::microseconds;
    style.blockText = BlockText::stage;
    style.letters = false;
    style.panelColumns = 3;
    style.memoryLines = true;
    style.nameLine = false;
    style.insides = false;
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
        row("family", "\"font_family\": \"a'b\"", "/font_family: not the name of a font");
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
        // Qt writes shapes in its own ways, so that points are looked for wherever they are.
        const Read pdf = readPdf(writePdf(figure));
        QVERIFY(pdf.points.size() > list.points.size() / 2);
        const double worst = farthest(list.points, pdf.points);
        QVERIFY2(worst < tolerance, QByteArray::number(worst).constData());
        // And nothing is where the list has nothing.
        Coordinates known = list.points;
        known.insert(known.end(), list.otherCorners.begin(), list.otherCorners.end());
        const double strangers = farthest(pdf.points, known);
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
        QVERIFY(!pdf.contains("/FontFile") && !pdf.contains("/Type /Font "));
        // It looks the same as with letters.
        const QImage outlined = QImage::fromData(writePng(figure, 150), "PNG");
        figure.textAsPaths = false;
        const QByteArray letters = writePdf(figure);
        QVERIFY(letters.contains("/FontFile") && letters.contains("/Type /Font "));
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
        Figure figure = scheduleFigure(*sample::run());
        figure.fontFamily = "Nimbus & Co";
        const QByteArray svg = writeSvg(figure);
        QVERIFY(svg.contains("font-family=\"'Nimbus &amp; Co', sans-serif\""));
    }

    void aSlideIsAPageOf16To9WithTheFigureInItsMiddle() {
        FigureStyle style;
        style.widthMm = 160;
        style.slide = true;
        ScheduleFigureOptions options;
        options.widthMm = 160;
        const Figure figure = scheduleFigure(*sample::run(), options);
        const Figure page = inStyle(figure, style);
        QCOMPARE(page.heightMm, 90.0);
        CoordinateSink a, b;
        draw(figure, a);
        draw(page, b);
        QVERIFY(std::abs(b.points.front().y() - a.points.front().y() - (90 - figure.heightMm) / 2) < 1e-9);
        options.laneMm = 60;
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument,
                                 inStyle(scheduleFigure(*sample::run(), options), style));
    }

    void aSlideHasLanesAsHighAsThereIsRoomFor() {
        FigureStyle style;
        style.widthMm = 160;
        style.slide = true;
        style.laneMm = 60;
        const Figure page = drawnInStyle(style, [](const FigureStyle& own) {
            ScheduleFigureOptions options;
            options.widthMm = own.widthMm;
            options.laneMm = own.laneMm;
            return scheduleFigure(*sample::run(), options);
        });
        QCOMPARE(page.heightMm, 90.0);
        QCOMPARE(page.widthMm, 160.0);
        CoordinateSink sink;
        draw(page, sink);
        for (const QPointF& point : sink.points)
            QVERIFY(point.x() > 3 && point.x() < 157 && point.y() > 3 && point.y() < 87);
        QVERIFY(page.lanes.front().rect.height() > 20);
    }

    void aFrameOfBeamerCompilesToOnePageOf16To9() {
        if (QStandardPaths::findExecutable("pdflatex").isEmpty()) QSKIP("pdflatex is not installed");
        QProcess find;
        find.start("kpsewhich", {"beamer.cls"});
        if (!find.waitForFinished() || find.exitCode() != 0) QSKIP("LaTeX has no beamer");
        FigureStyle style;
        style.widthMm = 160;
        style.slide = true;
        ScheduleFigureOptions options;
        options.widthMm = 160;
        QTemporaryDir folder;
        QFile file(folder.filePath("slide.tex"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(writeTikz(inStyle(scheduleFigure(*sample::run(), options), style), TikzDocument::beamer));
        file.close();
        QProcess latex;
        latex.setWorkingDirectory(folder.path());
        latex.start("pdflatex", {"-interaction=nonstopmode", "-halt-on-error", "slide.tex"});
        QVERIFY(latex.waitForFinished(120'000));
        const QString log = QString::fromUtf8(latex.readAllStandardOutput());
        QVERIFY2(latex.exitCode() == 0, qPrintable(log.right(2000)));
        QVERIFY2(log.contains("(1 page"), qPrintable(log.right(500)));
        QVERIFY2(!log.contains("Overfull"), qPrintable(log));
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
        options.blockText = BlockText::none;
        options.legend = false;
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
        evaluation->memory[1].steps = evaluation->memory[0].steps;
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
        // Stage 0 is on two devices, which take half as long.
        QVERIFY(std::abs(slowest / quickest - 2) < 1e-6);
    }

    void thePartitionLeavesNoLayerNumberOut() {
        const auto numbersIn = [](double widthMm, int layersOfStage1) {
            Problem problem = sample::costs()->problem();
            while (problem.profile.layerCount() < 2 + layersOfStage1)
                problem.profile.layers.push_back(problem.profile.layers.back());
            problem.profile.layers[2].forwardS = problem.profile.layers[2].backwardS = 0;
            auto run = std::make_shared<PlanRun>(*sample::run());
            run->costs = std::make_shared<const CostModel>(problem);
            run->result.plan.stages[1].lastLayer = 1 + layersOfStage1;
            PartitionFigureOptions options;
            options.widthMm = widthMm;
            options.numberPt = 6;  // by which the numbers are known
            QStringList numbers;
            for (const FigureItem& item : partitionFigure(*run, options).items)
                if (const auto* text = std::get_if<FigureText>(&item);
                    text && text->sizePt == options.numberPt)
                    numbers << text->text;
            return numbers;
        };
        // Layer 2 takes no time, so that its number has no room beside that of layer 3.
        QCOMPARE(numbersIn(88.9, 2), QStringList({"0", "1", "2–3"}));
        QCOMPARE(numbersIn(88.9, 30).join(" "), QString("0 1 2–31"));
        QCOMPARE(numbersIn(5000, 2), QStringList({"0", "1", "2", "3"}));
    }

    void thePartitionCutsNoTimeOfAStage() {
        // The first of two stages takes a fiftieth of the time, too little room for "30.0 ms".
        Problem problem = sample::costs()->problem();
        problem.profile.layers[3].backwardS = 3;
        auto run = std::make_shared<PlanRun>(*sample::run());
        run->costs = std::make_shared<const CostModel>(problem);
        const QByteArray svg = writeSvg(partitionFigure(*run));
        QVERIFY(svg.contains(" s</text>"));
        for (const FigureItem& item : partitionFigure(*run).items)
            if (const auto* text = std::get_if<FigureText>(&item))
                QVERIFY2(!text->text[0].isDigit() || !text->text.contains(QChar(0x2026)),
                         qPrintable(text->text));
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

STAGECRAFT_TEST(FigureStyleTest)
#include "figure_style_test.moc"
