// Text, brackets and arrows on figures, from the command line and through project files.
#include "app/commands/commands.h"
#include "core/formats/files/project_file.h"
#include "core/formats/text_file.h"
#include "tests/app/sample_files.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"

#include <QtTest>

#include <sstream>

using namespace stagecraft;

class FigureMarksTest : public QObject {
    Q_OBJECT
private slots:
    void marksAreDrawnWithTheirWords() {
        QCOMPARE(exported({"--mark", "text:0.01:s0g1:idle here", "--mark", "bracket:0-0.008::warm-up",
                           "--mark", "arrow:0.004-0.012:s0g0>s0g3:to the last"}),
                 0);
        const std::string svg = readTextFile(target());
        for (const char* words : {">idle here<", ">warm-up<", ">to the last<"})
            QVERIFY2(svg.find(words) != std::string::npos, words);
    }

    void marksOfPanelsAreInTheirPanel() {
        const auto panels = [&](const std::string& mark) {
            return exported(
                {"--view", "panels", "--panel", "0", "--panel", "1", "--panel", "1:memory", "--mark", mark});
        };
        static const QRegularExpression words(QStringLiteral("y=\"([\\d.]+)\">here<")),
            second(QStringLiteral("y=\"([\\d.]+)\">\\(b\\)"));
        for (const auto& [mark, below] :
             {std::pair("text:0.01:s0g1:here", false), {"b/text:0.01:s0g1:here", true}}) {
            QVERIFY2(panels(mark) == 0, error_.str().c_str());
            const QString svg = QString::fromStdString(readTextFile(target()));
            const auto placed = words.match(svg), heading = second.match(svg);
            QVERIFY2(placed.hasMatch() && heading.hasMatch(), qPrintable(svg.left(2000)));
            QCOMPARE(placed.captured(1).toDouble() > heading.captured(1).toDouble(), below);
        }
        QVERIFY(panels("c/text:0.01:s0g1:here") != 0);  // memory has no lanes
        QVERIFY2(error_.str().find("panel c") != std::string::npos, error_.str().c_str());
    }

    void anArrowMayEndInAnotherPanel() {
        const auto panels = [&](const std::string& mark) {
            return exported({"--view", "panels", "--panel", "0", "--panel", "1", "--panel", "1:memory",
                             "--panel-columns", "2", "--width-mm", "178", "--mark", mark});
        };
        QVERIFY2(panels("a/arrow:0.004-0.012:s0g0>b/s0g3:sooner") == 0, error_.str().c_str());
        QVERIFY(readTextFile(target()).find(">sooner<") != std::string::npos);
        for (const char* wrong : {"arrow:0.004-0.012:s0g0>c/s0g3:x", "arrow:0.004-0.012:s0g0>e/s0g3:x"}) {
            QVERIFY(panels(wrong) != 0);
            QVERIFY2(error_.str().find(std::string("panel ") + wrong[23]) != std::string::npos,
                     error_.str().c_str());
        }
        QVERIFY(exported({"--mark", "arrow:0.004-0.012:s0g0>b/s0g3:x"}) != 0);
        QVERIFY2(error_.str().find("without panels") != std::string::npos, error_.str().c_str());
    }

    void withoutPanelsAllPlansAreDrawn() {
        QVERIFY2(exported({"--view", "panels"}) == 0, error_.str().c_str());
        const std::string svg = readTextFile(target());
        for (const char* heading : {"(a) GPipe", "(b) 1F1B"})
            QVERIFY2(svg.find(heading) != std::string::npos, heading);
    }

    void panelsBesideEachOtherNeedRoom() {
        QVERIFY(exported({"--view", "panels", "--panel-columns", "2", "--width-mm", "50"}) != 0);
        QVERIFY2(error_.str().find("expected 30 mm at least") != std::string::npos, error_.str().c_str());
        QVERIFY(exported({"--view", "panels", "--panel-columns", "9"}) != 0);
        QVERIFY2(error_.str().find("expected 6 at most") != std::string::npos, error_.str().c_str());
    }

    void aPlanToCompareWithIsNamedAsElsewhere() {
        QCOMPARE(exported({"--view", "compare", "--reference", "gpipe"}), 0);
        QVERIFY(readTextFile(target()).find("1.00") != std::string::npos);
    }

    void aMarkThatCannotBeReadSaysWhatIsExpected_data() {
        QTest::addColumn<QString>("mark");
        QTest::addColumn<QString>("words");
        QTest::newRow("GPU") << "text:0.01:s0g9:x"
                             << "no GPU 's0g9'";
        QTest::newRow("time") << "text:soon:s0g1:x"
                              << "'soon' is no time";
        QTest::newRow("kind") << "circle:0.01:s0g1:x"
                              << "'circle' is no mark";
        QTest::newRow("parts") << "text:0.01"
                               << "a part is missing";
        QTest::newRow("bracket") << "bracket:0.02-0.01::x"
                                 << "begins before it ends";
        QTest::newRow("arrow") << "arrow:0.01:s0g1:x"
                               << "two GPUs";
    }
    void aMarkThatCannotBeReadSaysWhatIsExpected() {
        QFETCH(QString, mark);
        QFETCH(QString, words);
        QVERIFY(exported({"--mark", mark.toStdString()}) != 0);
        const QString error = QString::fromStdString(error_.str());
        QVERIFY2(error.contains(words) && error.contains("expected text:T:GPU:WORDS"), qPrintable(error));
    }

    void shapesStandInProjectFiles() {
        Project project = openProject(sample_);
        project.notes.resize(project.plans.size());
        ChartNote text{0.01, std::nullopt, "s0g1", "here"}, arrow{0.002, std::nullopt, "s0g0", ""};
        text.shape = NoteShape::text;
        arrow.shape = NoteShape::arrow;
        arrow.end = NoteEnd{0.004, "s0g2"};
        ChartNote bracket{0.001, 0.005, "", "all"};
        bracket.shape = NoteShape::bracket;
        project.notes.front() = {text, arrow, bracket};
        const std::string written = writeProject(project);
        QVERIFY(readProject(written, "x", ".").notes == project.notes);
        std::string broken = written;
        broken.replace(broken.find("\"until_s\""), 9, "\"until_x\"");
        QVERIFY_THROWS_EXCEPTION(InputError, readProject(broken, "x", "."));
    }

private:
    std::string target() const { return folder_.filePath("marked.svg").toStdString(); }
    int exported(std::vector<std::string> marks) {
        marks.insert(marks.begin(), {"export", sample_, "--plan", "0", "--format", "svg", "--out", target()});
        std::ostringstream out;
        error_.str({});
        return runCommand(marks, out, error_);
    }

    QTemporaryDir folder_;
    std::string sample_ = testing::samplePath("gpipe-1f1b.stagecraft.json");
    std::ostringstream error_;
};

STAGECRAFT_TEST(FigureMarksTest)
#include "figure_marks_test.moc"
