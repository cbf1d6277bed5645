#include "app/commands/commands.h"
#include "tests/support/window_rooms.h"
#include "app/figures/curve_tables.h"
#include "app/figures/figure_dialog.h"
#include "app/figures/figure_settings.h"
#include "app/figures/plan_tables.h"
#include "app/figures/style_picker.h"
#include "app/play/movie_choice.h"
#include "core/planners/planned_run.h"
#include "core/analysis/repeating_period.h"
#include "core/formats/files/project_file.h"
#include "tests/app/sample_files.h"
#include "tests/app/window_fixture.h"
#include "tests/support/qt_program.h"
#include "views/figures/figure_preview.h"

#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QSpinBox>
#include <QTableWidget>
#include <QToolButton>
#include <QWheelEvent>

#include <sstream>

using namespace stagecraft;
using testing::toyFile;

namespace {

const std::string madpipe = STAGECRAFT_SOURCE_DIR "/samples/madpipe-fig2.stagecraft.json";

std::shared_ptr<const PlanRun> runOfFirstPlan(const std::string& path) {
    const Project project = openProject(path);
    return std::make_shared<const PlanRun>(
        evaluatePlan(std::make_shared<const CostModel>(project.problem), project.plans.front()));
}

}  // namespace

class FigureDialogTest : public QObject {
    Q_OBJECT

    PrivateHome home_;

    struct Open {
        explicit Open(const std::string& path = toyFile, const ExportChoice& choice = {},
                      std::optional<FigurePart> shown = std::nullopt)
            : dialog(planSources(runOfFirstPlan(path)), std::move(shown), choice) {
            dialog.show();
            settle();
        }
        void settle() { QTRY_VERIFY_WITH_TIMEOUT(!dialog.preview().isBusy(), 20'000); }
        template <class Field>
        Field& field(const char* name) {
            auto* found = dialog.findChild<Field*>(QLatin1String(name));
            if (!found) qFatal("no field %s", name);
            return *found;
        }
        void choose(const char* name, const QString& data) {
            auto& box = field<QComboBox>(name);
            box.setCurrentIndex(box.findData(data));
            settle();
        }
        double widthMm() { return dialog.preview().figure() ? dialog.preview().figure()->widthMm : 0; }
        FigureDialog dialog;
    };

    /// What the command line makes of what the dialogue has set.
    QByteArray commanded(const ExportChoice& choice, const std::string& path) {
        const std::string style = home_.file(QStringLiteral("same.figure-style.json")).toStdString();
        saveFigureStyle(choice.style, style);
        const QString target = home_.file(QStringLiteral("commanded.") + choice.format);
        std::ostringstream out, err;
        const int status =
            runCommand({"export", path, "--plan", "0", "--view", choice.figure.toStdString(), "--style",
                        style, "--format", choice.format.toStdString(), "--out", target.toStdString()},
                       out, err);
        if (status != 0) qWarning("%s", err.str().c_str());
        return bytesOf(target);
    }

private slots:
    void cleanup() {
        for (const FigureStyle& style : keptFigureStyles()) forgetFigureStyle(style.name);
    }

    void thePreviewIsTheFigureThatIsWritten() {
        Open it;
        QCOMPARE(it.widthMm(), 88.9);
        QVERIFY(it.field<QLabel>("figureSize").text().startsWith(QStringLiteral("88.9 × ")));
        it.field<QDoubleSpinBox>("width").setValue(139.7);
        it.settle();
        QCOMPARE(it.widthMm(), 139.7);
        QVERIFY(it.field<QComboBox>("venue").currentText().startsWith(QStringLiteral("NeurIPS")));
        const ExportChoice choice = it.dialog.choice();
        const FigureSource source = it.dialog.source();
        const FigureFormat& svg = *figureFormatNamed(QStringLiteral("svg"));
        QCOMPARE(svg.write(*it.dialog.preview().figure(), choice.style),
                 svg.write(source.draw(choice.style, *choice.part), choice.style));
    }

    void panelsAreTickedAndTheirAxesChosen() {
        const auto first = runOfFirstPlan(toyFile), second = runOfFirstPlan(madpipe);
        FigureDialog dialog({panelsSource({{first, {}}, {second, {}}}, {{0, PanelView::schedule}})},
                            std::nullopt, {});
        dialog.show();
        const auto settle = [&] { QTRY_VERIFY_WITH_TIMEOUT(!dialog.preview().isBusy(), 20'000); };
        const auto words = [&] {
            QStringList all;
            for (const FigureItem& item : dialog.preview().figure()->items)
                if (const auto* text = std::get_if<FigureText>(&item)) all << text->text;
            return all;
        };
        settle();
        auto* table = dialog.findChild<QTableWidget*>(QStringLiteral("panels"));
        QVERIFY(table && table->isVisible());
        QCOMPARE(table->rowCount(), 2);
        QVERIFY(!words().contains("(a) " + QString::fromStdString(first->title()) + ", timeline"));
        table->setCurrentCell(1, 2);
        table->setFocus();
        QTest::keyClick(table, Qt::Key_Space);
        settle();
        QVERIFY2(words().contains("(b) " + QString::fromStdString(second->title()) + ", memory"),
                 qPrintable(words().join('|')));
        QCOMPARE(words().filter(QStringLiteral("time (")).size(), 1);
        dialog.findChild<QComboBox*>(QStringLiteral("panelTime"))->setCurrentIndex(1);
        settle();
        QCOMPARE(words().filter(QStringLiteral("time (")).size(), 2);
        for (const int row : {0, 1}) {  // without any the dialogue says that one is needed
            table->setCurrentCell(row, 1 + row);
            QTest::keyClick(table, Qt::Key_Space);
            settle();
        }
        QVERIFY(!dialog.preview().figure());
    }

    void textBracketsAndArrowsArePlacedWithTheMouse() {
        Open it;
        auto& preview = it.dialog.preview();
        QWidget* sheet = preview.widget();
        const auto pixel = [&](const QPointF& mm) {
            // The sheet has the page in its middle.
            const Figure& figure = *preview.figure();
            const double scale = preview.pixelsPerMm() * preview.zoom();
            const QPointF corner((sheet->width() - figure.widthMm * scale) / 2,
                                 (sheet->height() - figure.heightMm * scale) / 2);
            return (corner + mm * scale).toPoint();
        };
        const auto lane = [&](int number) {
            return preview.figure()->lanes[static_cast<std::size_t>(number)];
        };
        const auto drag = [&](const QPointF& from, const QPointF& to) {
            QTest::mousePress(sheet, Qt::LeftButton, {}, pixel(from));
            QTest::mouseMove(sheet, pixel((from + to) / 2));
            QTest::mouseRelease(sheet, Qt::LeftButton, {}, pixel(to));
        };
        const QRectF first = lane(0).rect, second = lane(1).rect;
        const double quarter = first.left() + first.width() / 4, half = first.center().x();

        QTest::mouseClick(&it.field<QToolButton>("markText"), Qt::LeftButton);
        QTest::mouseClick(sheet, Qt::LeftButton, {}, pixel({half, second.center().y()}));
        auto& words = it.field<QLineEdit>("markWords");
        QVERIFY(words.isVisible() && words.hasSelectedText());
        QTest::keyClicks(&words, QStringLiteral("waits for $x_1$"));
        it.settle();
        QVERIFY(it.dialog.editedNotes());
        const ChartNote text = it.dialog.editedNotes()->back();
        QCOMPARE(text.text, std::string("waits for $x_1$"));
        QVERIFY(text.shape == NoteShape::text && text.device == lane(1).device);
        const double middleS = (lane(1).fromS + lane(1).toS) / 2;
        QVERIFY(std::abs(text.atS - middleS) < 0.01 * middleS);
        QVERIFY(it.field<QCheckBox>("notes").isChecked());
        const auto drawn = [&](const QString& what) {
            for (const FigureItem& item : preview.figure()->items)
                if (const auto* each = std::get_if<FigureText>(&item); each && each->text == what)
                    return true;
            return false;
        };
        QVERIFY(drawn(QStringLiteral("waits for $x_1$")));

        QTest::mouseClick(&it.field<QToolButton>("markBracket"), Qt::LeftButton);
        drag({half, lane(0).rect.center().y()}, {quarter, lane(0).rect.center().y()});
        it.settle();
        const ChartNote bracket = it.dialog.editedNotes()->back();
        QVERIFY(bracket.shape == NoteShape::bracket && bracket.untilS && *bracket.untilS > bracket.atS);

        QTest::mouseClick(&it.field<QToolButton>("markArrow"), Qt::LeftButton);
        drag({quarter, lane(0).rect.center().y()}, {half, lane(1).rect.center().y()});
        it.settle();
        const ChartNote arrow = it.dialog.editedNotes()->back();
        QVERIFY(arrow.shape == NoteShape::arrow && arrow.end && arrow.end->device == lane(1).device);
        QVERIFY(arrow.end->atS > arrow.atS);

        // What was placed goes with the mouse, to another lane too, and away.
        drag({half, lane(1).rect.center().y()}, {quarter, lane(0).rect.center().y()});
        it.settle();
        const std::vector<ChartNote> notes = *it.dialog.editedNotes();
        QVERIFY(std::any_of(notes.begin(), notes.end(), [&](const ChartNote& note) {
            return note.shape != NoteShape::bracket && note.atS < middleS * 0.6;
        }));
        QTest::mouseClick(&it.field<QToolButton>("markRemove"), Qt::LeftButton);
        it.settle();
        QCOMPARE(int(it.dialog.editedNotes()->size()), 2);
    }

    void marksArePlacedInAnyPanelAndAcrossThem() {
        const auto first = runOfFirstPlan(toyFile), second = runOfFirstPlan(madpipe);
        FigureDialog dialog(
            {panelsSource({{first, {}}, {second, {}}}, {{0, PanelView::schedule}, {1, PanelView::schedule}})},
            std::nullopt, {});
        dialog.show();
        auto& preview = dialog.preview();
        QWidget* sheet = preview.widget();
        const auto settle = [&] { QTRY_VERIFY_WITH_TIMEOUT(!preview.isBusy(), 20'000); };
        const auto pixel = [&](const QPointF& mm) {
            const Figure& figure = *preview.figure();
            const double scale = preview.pixelsPerMm() * preview.zoom();
            return (QPointF((sheet->width() - figure.widthMm * scale) / 2,
                            (sheet->height() - figure.heightMm * scale) / 2) +
                    mm * scale)
                .toPoint();
        };
        const auto laneOf = [&](int panel, std::size_t number) {
            std::vector<FigureLane> own;
            for (const FigureLane& lane : preview.figure()->lanes)
                if (lane.panel == panel) own.push_back(lane);
            return own.at(number);
        };
        settle();
        QTest::mouseClick(dialog.findChild<QToolButton*>("markText"), Qt::LeftButton);
        QTest::mouseClick(sheet, Qt::LeftButton, {}, pixel(laneOf(1, 1).rect.center()));
        QTest::keyClicks(dialog.findChild<QLineEdit*>("markWords"), QStringLiteral("here"));
        settle();
        auto notes = dialog.choice().part->planNotes;
        QVERIFY(notes && notes->at(0).empty() && notes->at(1).size() == 1);
        QCOMPARE(notes->at(1)[0].device, laneOf(1, 1).device);
        QTest::mouseClick(dialog.findChild<QToolButton*>("markArrow"), Qt::LeftButton);
        const QPoint from = pixel(laneOf(0, 0).rect.center()), to = pixel(laneOf(1, 0).rect.center());
        QTest::mousePress(sheet, Qt::LeftButton, {}, from);
        QTest::mouseMove(sheet, (from + to) / 2);
        QTest::mouseRelease(sheet, Qt::LeftButton, {}, to);
        settle();
        notes = dialog.choice().part->planNotes;
        QCOMPARE(notes->at(0).size(), std::size_t(1));
        const ChartNote arrow = notes->at(0)[0];
        QVERIFY(arrow.end && arrow.end->panel == 1);
        QCOMPARE(arrow.end->device, laneOf(1, 0).device);
        int arrows = 0;
        for (const FigureItem& item : preview.figure()->items)
            if (const auto* line = std::get_if<FigureLine>(&item); line && line->role == "note")
                arrows += line->arrowhead && laneOf(0, 0).rect.contains(line->from) &&
                          laneOf(1, 0).rect.contains(line->to);
        QCOMPARE(arrows, 1);
        // It is taken by any of its parts, and goes away alone.
        QTest::mouseClick(sheet, Qt::LeftButton, {}, (from + to) / 2);
        QTest::mouseClick(dialog.findChild<QToolButton*>("markRemove"), Qt::LeftButton);
        settle();
        notes = dialog.choice().part->planNotes;
        QVERIFY(notes->at(0).empty() && notes->at(1).size() == 1);
    }

    void namesOfLanesAndATitleAreTyped() {
        Open it;
        auto& names = it.field<QLineEdit>("laneNames");
        names.setFocus();
        QTest::keyClicks(&names, QStringLiteral("GPU {n}"));
        QTest::keyClicks(&it.field<QLineEdit>("titleText"), QStringLiteral("Schedule: {plan}"));
        it.settle();
        QStringList words;
        for (const FigureItem& item : it.dialog.preview().figure()->items)
            if (const auto* text = std::get_if<FigureText>(&item)) words << text->text;
        QVERIFY2(words.contains(QStringLiteral("GPU 1")), qPrintable(words.join('|')));
        QVERIFY2(words.contains(QStringLiteral("Schedule: The plan of Fig. 2")), qPrintable(words.join('|')));
        QVERIFY(it.field<QCheckBox>("title").isChecked());
    }

    void aRangeOfOnesOwnBeginsWithAllOfTheTime() {
        Open it;
        it.field<QComboBox>("time").setCurrentIndex(2);
        it.settle();
        const std::shared_ptr<const PlanRun> run = runOfFirstPlan(toyFile);
        QCOMPARE(it.field<QDoubleSpinBox>("from").value(), 0.0);
        QVERIFY(std::abs(it.field<QDoubleSpinBox>("to").value() -
                         1e3 * run->evaluation->timeline.lastEndS()) < 1e-3);
        QVERIFY(it.dialog.preview().figure());
    }

    void theSteadyStateIsOnePeriodAsOnTheCommandLine() {
        const std::string path = testing::samplePath("gpipe-1f1b.stagecraft.json");
        Open it(path);
        it.field<QComboBox>("time").setCurrentIndex(3);
        it.settle();
        const auto run = runOfFirstPlan(path);
        const auto period = repeatingPeriod(run->evaluation->timeline);
        QVERIFY(period);
        const FigureLane& lane = it.dialog.preview().figure()->lanes.front();
        QCOMPARE(lane.fromS, period->fromS);
        QVERIFY(std::abs(lane.toS - lane.fromS - period->lengthS) < 1e-12);
    }

    void theWheelChangesNoFieldThatIsOnlyPassed() {
        Open it;
        for (const char* name : {"time", "figure", "format", "venue", "axis"}) {
            auto& box = it.field<QComboBox>(name);
            const int before = box.currentIndex();
            const QPointF at = QRectF(box.rect()).center();
            QWheelEvent wheel(at, box.mapToGlobal(at), {}, {0, -120}, Qt::NoButton, {}, Qt::NoScrollPhase,
                              false);
            QApplication::sendEvent(&box, &wheel);
            QCOMPARE(box.currentIndex(), before);
        }
    }

    void theCommandLineGivesTheSameBytes_data() {
        QTest::addColumn<QString>("figure");
        QTest::addColumn<bool>("changed");
        for (const char* figure : {"schedule", "memory", "partition", "cluster", "bandwidth", "pattern"}) {
            QTest::addRow("%s", figure) << QString(figure) << false;
            QTest::addRow("%s, everything changed", figure) << QString(figure) << true;
        }
    }
    void theCommandLineGivesTheSameBytes() {
        QFETCH(QString, figure);
        QFETCH(bool, changed);
        const std::string& path = figure == QLatin1String("pattern") ? madpipe : toyFile;
        Open it(path);
        it.choose("figure", figure);
        QCOMPARE(it.dialog.source().id, figure);
        if (changed) {
            it.field<QDoubleSpinBox>("width").setValue(122);
            it.field<QDoubleSpinBox>("laneHeight").setValue(6);
            it.field<QDoubleSpinBox>("fontSize").setValue(8.5);
            it.field<QComboBox>("family").setCurrentText(QStringLiteral("DejaVu Serif"));
            it.field<QComboBox>("colours").setCurrentIndex(1);
            it.field<QComboBox>("axis").setCurrentIndex(1);
            for (const char* box : {"title", "communication", "memory", "criticalPath"})
                it.field<QCheckBox>(box).setChecked(true);
            it.field<QCheckBox>("bubbles").setChecked(false);
        }
        it.settle();
        QVERIFY(it.dialog.preview().figure());
        for (const FigureFormat& format : figureFormats()) {
            it.choose("format", format.id);
            const ExportChoice choice = it.dialog.choice();
            const QString target = home_.file(QStringLiteral("dialogue"));
            writeSource(it.dialog.source(), choice.format, choice.style, *choice.part, target.toStdString());
            const QByteArray own = bytesOf(target);
            QVERIFY(own.size() > 500);
            QVERIFY2(own == commanded(choice, path), qPrintable(format.id));
        }
    }

    void aPartOfTimeAndLanesIsTheCommandLines() {
        const FigurePart shown{std::pair(0.01, 0.05), {0, 1}, -1};
        Open it(toyFile, {}, shown);
        QCOMPARE(it.field<QComboBox>("time").currentIndex(),
                 1);  // what is shown is drawn unless said otherwise
        QVERIFY(it.dialog.choice().part->lanes.empty());
        it.field<QComboBox>("lanes").setCurrentIndex(1);
        it.field<QComboBox>("time").setCurrentIndex(2);
        QVERIFY(it.field<QDoubleSpinBox>("from").isVisible());
        QCOMPARE(it.field<QDoubleSpinBox>("from").value(), 10.0);
        it.field<QDoubleSpinBox>("to").setValue(80);
        it.settle();
        const ExportChoice choice = it.dialog.choice();
        const QString own = home_.file(QStringLiteral("own.svg")),
                      same = home_.file(QStringLiteral("same.svg"));
        writeSource(it.dialog.source(), QStringLiteral("svg"), choice.style, *choice.part, own.toStdString());
        std::ostringstream out, err;
        QCOMPARE(runCommand({"export", toyFile, "--format", "svg", "--from-s", "0.01", "--to-s", "0.08",
                             "--lanes", "0-1", "--out", same.toStdString()},
                            out, err),
                 0);
        QCOMPARE(bytesOf(own), bytesOf(same));
    }

    void whatCannotBeDrawnIsSaidAndNotExported() {
        const FigurePart shown{std::pair(0.01, 0.05), {0}, -1};
        Open it(toyFile, {}, shown);
        it.field<QComboBox>("time").setCurrentIndex(2);
        it.field<QDoubleSpinBox>("to").setValue(5);
        it.settle();
        QTRY_VERIFY(it.field<QLabel>("failure").text().contains(QStringLiteral("time range is empty")));
        QVERIFY(!it.field<QPushButton>("copyFigure").isEnabled());
        it.field<QDoubleSpinBox>("to").setValue(50);
        it.settle();
        QTRY_VERIFY(it.field<QLabel>("failure").text().isEmpty());
        QVERIFY(it.field<QPushButton>("copyFigure").isEnabled());
    }

    void aStyleIsKeptUnderItsNameAndChosenAgain() {
        {
            Open it;
            it.field<QDoubleSpinBox>("width").setValue(84.7);
            it.field<QComboBox>("styleName").lineEdit()->setText(QStringLiteral("My thesis"));
            QVERIFY(it.field<QToolButton>("keepStyle").isEnabled());
            QTest::mouseClick(&it.field<QToolButton>("keepStyle"), Qt::LeftButton);
            QVERIFY(!it.field<QToolButton>("keepStyle").isEnabled());
            it.settle();
        }
        Open it;
        QCOMPARE(it.widthMm(), 88.9);
        auto& names = it.field<QComboBox>("styleName");
        const int index = names.findText(QStringLiteral("My thesis"));
        QVERIFY(index > 0);
        names.setCurrentIndex(index);
        emit names.activated(index);
        it.settle();
        QCOMPARE(it.widthMm(), 84.7);
        QCOMPARE(it.dialog.choice().style.name, std::string("My thesis"));
    }

    void styleFilesAreTakenAndFaultsSaidWithTheirPlace() {
        Open it;
        const QString good = home_.file(QStringLiteral("good.figure-style.json")),
                      bad = home_.file(QStringLiteral("bad.figure-style.json"));
        FigureStyle style;
        style.name = "From a colleague";
        style.widthMm = 178;
        style.grey = true;
        saveFigureStyle(style, good.toStdString());
        writeText(bad, R"({"format": "stagecraft/figure-style", "version": 1, "width_mm": "wide"})");
        it.dialog.styles().open(good);
        it.settle();
        QCOMPARE(it.widthMm(), 178.0);
        QVERIFY(it.dialog.choice().style == style);
        it.dialog.styles().open(bad);
        auto& said = it.field<QLabel>("styleSaid");
        QVERIFY(said.isVisible());
        QVERIFY(said.text().contains(QStringLiteral("bad.figure-style.json")) &&
                said.text().contains(QStringLiteral("/width_mm")));
        QVERIFY(it.dialog.choice().style == style);
        const QString again = home_.file(QStringLiteral("again.figure-style.json"));
        it.dialog.styles().saveTo(again);
        QCOMPARE(bytesOf(again), bytesOf(good));
    }

    void theClipboardHoldsPictureSvgAndPdf() {
        ExportChoice choice;
        choice.format = QStringLiteral("tikz");
        Open it(toyFile, choice);
        QTest::mouseClick(&it.field<QPushButton>("copyFigure"), Qt::LeftButton);
        const QMimeData* data = QGuiApplication::clipboard()->mimeData();
        QVERIFY(data);
        QVERIFY(data->data(QStringLiteral("image/svg+xml")).startsWith("<?xml"));
        QVERIFY(data->data(QStringLiteral("application/pdf")).startsWith("%PDF"));
        QVERIFY(data->hasImage());
        QVERIFY(data->text().contains(QStringLiteral("\\begin{tikzpicture}")));
    }

    void zoomKeepsToTheSizeOnPaper() {
        Open it;
        QVERIFY(it.dialog.preview().fits());
        QTest::mouseClick(&it.field<QToolButton>("actualSize"), Qt::LeftButton);
        QCOMPARE(it.dialog.preview().zoom(), 1.0);
        it.settle();
        QTest::mouseClick(&it.field<QToolButton>("zoomIn"), Qt::LeftButton);
        QCOMPARE(it.field<QLabel>("zoom").text(), QStringLiteral("125 %"));
        it.settle();
        QTest::keyClick(&it.dialog.preview(), Qt::Key_F);
        QVERIFY(it.dialog.preview().fits());
        it.settle();
    }

    void returnInAFieldDoesNotExport() {
        Open it;
        auto& width = it.field<QDoubleSpinBox>("width");
        width.setFocus();
        width.selectAll();
        QTest::keyClicks(&width, QStringLiteral("120"));
        QTest::keyClick(&width, Qt::Key_Return);
        QVERIFY(it.dialog.isVisible());
        it.settle();
        QCOMPARE(it.widthMm(), 120.0);
    }

    void settingsThatMeanNothingAreNotShown() {
        Open it;
        QVERIFY(it.field<QCheckBox>("bubbles").isVisibleTo(&it.dialog));
        it.choose("figure", QStringLiteral("bandwidth"));
        QVERIFY(!it.field<QCheckBox>("bubbles").isVisibleTo(&it.dialog));
        QVERIFY(!it.field<QDoubleSpinBox>("laneHeight").isVisibleTo(&it.dialog));
        QVERIFY(it.field<QCheckBox>("numbers").isVisibleTo(&it.dialog));
        QVERIFY(!it.field<QSpinBox>("dpi").isVisibleTo(&it.dialog));
        it.choose("format", QStringLiteral("png"));
        QVERIFY(it.field<QSpinBox>("dpi").isVisibleTo(&it.dialog));
    }

    void everyFormatIsOfferedByWindowHelpAndComplaints() {
        Open it;
        const auto& box = it.field<QComboBox>("format");
        QCOMPARE(box.itemData(0).toString(), ExportChoice().format);
        std::ostringstream help, plain, out, complaint;
        QCOMPARE(runCommand({"export", "--help"}, help, plain), 0);
        QCOMPARE(runCommand({"sweep", "--help"}, help, plain), 0);
        QCOMPARE(
            runCommand({"train", toyFile, "--policies", "all", "--out",
                        home_.file(QStringLiteral("curves.csv")).toStdString(), "--figure", "curves.gif"},
                       out, complaint),
            2);
        const std::string unbroken = QString::fromStdString(help.str()).simplified().toStdString();
        for (const FigureFormat& format : figureFormats()) {
            const int row = box.findData(format.id);
            QVERIFY(row >= 0 && row < static_cast<int>(figureFormats().size()));
            QCOMPARE(box.itemText(row), format.title);
            QVERIFY(it.field<QPushButton>("copyFigure").toolTip().contains(format.title) ==
                    (!format.isRaster && !format.mimeType.isEmpty()));
            QVERIFY2(unbroken.find(" " + format.id.toStdString() + " |") != std::string::npos ||
                         unbroken.find("| " + format.id.toStdString()) != std::string::npos,
                     unbroken.c_str());
            for (const QString& suffix : format.suffixes) {
                QVERIFY(unbroken.find("." + suffix.toStdString()) != std::string::npos);
                QVERIFY2(complaint.str().find("." + suffix.toStdString()) != std::string::npos,
                         complaint.str().c_str());
                QVERIFY(format.filter().contains("*." + suffix));
            }
        }
    }

    void everyMovieAndTableIsOfferedByWindowAndHelp() {
        std::ostringstream help, plain;
        QCOMPARE(runCommand({"export", "--help"}, help, plain), 0);
        const QString unbroken = QString::fromStdString(help.str()).simplified();
        const auto isInHelp = [&unbroken](const std::string& id) {
            const QString listed = "| " + QString::fromStdString(id);
            return unbroken.contains(listed + ' ') || unbroken.contains(listed + ';');
        };
        MovieDialog movie{MovieChoice()};
        const auto* movies = movie.findChild<QComboBox*>(QStringLiteral("movieFormat"));
        QCOMPARE(movies->count(), static_cast<int>(movieFormats().size()));
        for (const MovieFormat& format : movieFormats()) {
            QVERIFY(movies->findData(format.id) >= 0);
            QVERIFY2(isInHelp(format.id.toStdString()), qPrintable(format.id));
        }
        Open it;
        const auto& box = it.field<QComboBox>("format");
        for (const std::string& id : planTableIds()) {
            QVERIFY2(box.findData(QString::fromStdString(id)) >= 0, id.c_str());
            QVERIFY2(isInHelp(id), id.c_str());
        }
        for (const std::string& id : curveTableIds()) QVERIFY2(isInHelp(id), id.c_str());
    }

    void tracesAndTablesComeFromTheWindowToo() {
        Open it;
        for (const auto& [format, begin] :
             {std::pair("perfetto", "{\"displayTimeUnit\""), {"csv", "row,lane,"}}) {
            it.choose("format", QLatin1String(format));
            const ExportChoice choice = it.dialog.choice();
            const QString own = home_.file(QStringLiteral("own")), same = home_.file(QStringLiteral("same"));
            writeSource(it.dialog.source(), choice.format, choice.style, *choice.part, own.toStdString());
            std::ostringstream out, err;
            QCOMPARE(
                runCommand({"export", toyFile, "--format", format, "--out", same.toStdString()}, out, err),
                0);
            QVERIFY(bytesOf(own).startsWith(begin));
            QCOMPARE(bytesOf(own), bytesOf(same));
        }
    }
};

STAGECRAFT_TEST(FigureDialogTest)
#include "figure_dialog_test.moc"
