// Puzzles without a window.
#include "app/puzzles/puzzle_library.h"
#include "core/formats/files/project_file.h"
#include "core/formats/text_file.h"
#include "tests/app/command_call.h"
#include "tests/support/qt_program.h"

#include <QTemporaryDir>
#include <QTest>

using namespace stagecraft;
using testing::call;
using testing::mentions;

class PuzzleCommandTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::string file(const char* name) const { return folder_.filePath(QLatin1String(name)).toStdString(); }
    std::string written(const char* name, const std::string& text) const {
        writeFileAtomically(file(name), text);
        return file(name);
    }

private slots:
    void listsFifteenWithTheirPars() {
        const auto listed = call({"puzzle"});
        QCOMPARE(listed.status, 0);
        for (const CoursePuzzle& each : coursePuzzles())
            QVERIFY(mentions(listed.out, each.id + ": " + each.title));
        QVERIFY(
            mentions(listed.out, "par time 6, proven optimal, with 2 microbatches on a GPU at the least"));
        QVERIFY(!mentions(listed.out, "best known"));
    }

    void showsOneAndOneOfYourOwn() {
        const auto shown = call({"puzzle", "zb-h2"});
        QVERIFY(mentions(shown.out, "Par span 15, proven optimal"));
        const auto own = call({"puzzle", "--sandbox", "p=2,m=5,times=3:4"});
        QVERIFY(mentions(own.out, "Par time 42, proven optimal"));
        QCOMPARE(call({"puzzle", "zb-h3"}).status, 2);
        QVERIFY(mentions(call({"puzzle", "zb-h3"}).err, "no puzzle 'zb-h3'"));
        QVERIFY(mentions(call({"puzzle", "--sandbox", "p=0"}).err,
                         "--sandbox: devices: it is 0; expected a whole number from 1 to 8"));
        QVERIFY(mentions(call({"puzzle", "first-steps", "--coach"}).err, "--coach needs --order"));
    }

    void judgesAnOrderAgainstPar() {
        const auto best =
            call({"puzzle", "first-steps", "--order", written("best.txt", "F0 F1 B0 B1\nF0 B0 F1 B1\n")});
        QCOMPARE(best.status, 0);
        QVERIFY2(mentions(best.out,
                          "8 of 8 passes\ntime 6, par 6: par reached\nbubbles 33.3 %\npeak memory 2 micro"),
                 best.out.c_str());
        const auto worse =
            call({"puzzle", "first-steps", "--order", written("worse.txt", "F0 B0 F1 B1\nF0 B0 F1 B1\n")});
        QVERIFY2(mentions(worse.out, "time 8, par 6: 2 above par"), worse.out.c_str());
        const auto wrong = call({"puzzle", "first-steps", "--order", written("wrong.txt", "F0 B0\nB0\n")});
        QCOMPARE(wrong.status, 2);
        QVERIFY2(mentions(wrong.err, "must wait for"), wrong.err.c_str());
        const auto coached =
            call({"puzzle", "first-steps", "--coach", "--order", written("part.txt", "F0\n")});
        QVERIFY2(mentions(coached.out, "Follows an optimal order, which ends at 6"), coached.out.c_str());
    }

    void itsSolutionIsAtPar() {
        const auto solved = call({"puzzle", "memory-for-two", "--solution"});
        QVERIFY(mentions(solved.out, "# an optimal order\nGPU 0: F0"));
        const auto judged = call({"puzzle", "memory-for-two", "--order", written("solved.txt", solved.out)});
        QVERIFY2(mentions(judged.out, "time 21, par 21: par reached"), judged.out.c_str());
    }

    void anOrderBecomesAPlanOfAProject() {
        const std::string order = written("best.txt", "F0 F1 B0 B1\nF0 B0 F1 B1\n");
        const std::string project = STAGECRAFT_SOURCE_DIR "/samples/gpipe-1f1b.stagecraft.json";
        const auto made = call({"puzzle", "first-steps", "--order", order, "--real", project, "--out",
                                file("real.stagecraft.json")});
        QVERIFY2(made.status == 0, made.err.c_str());
        const Project real = openProject(file("real.stagecraft.json"));
        QCOMPARE(real.plans.size(), std::size_t(1));
        QCOMPARE(real.problem.setup.microbatches, 2);
        QCOMPARE(call({"check", file("real.stagecraft.json")}).status, 0);
        const auto small =
            call({"puzzle", "--sandbox", "p=8,m=1", "--order",
                  written("eight.txt", call({"puzzle", "--sandbox", "p=8,m=1", "--solution"}).out), "--real",
                  project, "--out", file("none.stagecraft.json")});
        QCOMPARE(small.status, 2);
        QVERIFY2(mentions(small.err, "and the puzzle needs 8"), small.err.c_str());
    }

    void theTableIsWhatTheProgramMakes() {
        QCOMPARE(call({"puzzle", "--par-table"}).out,
                 readTextFile(STAGECRAFT_SOURCE_DIR "/resources/puzzles/par.json"));
    }
};

STAGECRAFT_TEST_NEEDING(events, PuzzleCommandTest)
#include "puzzle_command_test.moc"
