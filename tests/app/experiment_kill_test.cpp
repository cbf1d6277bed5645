// A run of thousands of points is killed in the middle, on the command line and in the window, and run again:
// what was done is known, and the results are the bytes of a run that nobody killed.

#include "app/experiments/experiments_window.h"
#include "tests/support/window_rooms.h"
#include "core/formats/text_file.h"
#include "tests/app/file_bytes.h"
#include "tests/support/qt_program.h"
#include "tests/support/test_extent.h"
#include "tests/views/results_fixture.h"
#include "views/experiments/experiment_view.h"

#include <QApplication>
#include <QEventLoop>
#include <QProcess>
#include <QPushButton>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

using namespace stagecraft;

namespace {

/// Threads of a sweep; as many cells can be in flight.
constexpr int jobCount = 2;
const int side = testing::inFull() ? 100 : 55, points = side * side;
/// What the window that is to be killed opens, and where it writes its results.
const char experimentVariable[] = "STAGECRAFT_TEST_EXPERIMENT";
const char resultsVariable[] = "STAGECRAFT_TEST_RESULTS";

qsizetype finishedCells(const QString& path) { return bytesOf(path).count("\"status\""); }

}  // namespace

/// The child that is killed: runs the experiment in a window and writes its results.
class ExperimentWindowRun : public QObject {
    Q_OBJECT

private slots:
    void runsToItsEnd();
};

void ExperimentWindowRun::runsToItsEnd() {
    if (!qEnvironmentVariableIsSet(resultsVariable))
        QSKIP("started by experiment_kill_test, with a file for its results");
    ExperimentsWindow window;
    window.show();
    QVERIFY(window.openFile(qEnvironmentVariable(experimentVariable)));
    QEventLoop loop;
    connect(&window, &ExperimentsWindow::ended, &window, [&] {
        ExperimentView& view = window.view();
        writeFileAtomically(qEnvironmentVariable(resultsVariable).toStdString(),
                            writeResults({view.grid()->experiment(), view.cells()}));
        loop.quit();
    });
    QTest::mouseClick(window.findChild<QPushButton*>(QStringLiteral("runExperiment")), Qt::LeftButton);
    loop.exec();
}

class ExperimentKillTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void aKilledSweepLosesAtMostTheCellsInFlight();
    void aKilledWindowLosesAtMostTheCellsInFlight();

private:
    QString path(const char* name) const { return folder_.filePath(QLatin1String(name)); }
    /// Starts it, kills it (SIGKILL) once a third is in the cache, and runs it again to its end.
    void killAndResume(const QString& program, const QStringList& arguments, const QString& cache);

    QTemporaryDir folder_;
    QString said_;         ///< on stderr, by the run that went on
    qsizetype known_ = 0;  ///< lines of the cache when it was killed
};

void ExperimentKillTest::initTestCase() {
    QVERIFY(folder_.isValid());
    std::string text = smallExperiment(twoAxes(side, side));
    const std::string both = R"("spp", )";
    text.erase(text.find(both), both.size());
    writeFileAtomically(path("e.experiment.json").toStdString(), text);
    QCOMPARE(QProcess::execute(STAGECRAFT_PROGRAM, {"sweep", path("e.experiment.json"), "--no-cache", "--out",
                                                    path("whole.json")}),
             0);
}

void ExperimentKillTest::killAndResume(const QString& program, const QStringList& arguments,
                                       const QString& cache) {
    QProcess first;
    first.start(program, arguments);
    QVERIFY(first.waitForStarted());
    QTRY_VERIFY_WITH_TIMEOUT(finishedCells(cache) > points / 3, 120000);
    QCOMPARE(::kill(static_cast<pid_t>(first.processId()), SIGKILL), 0);
    QVERIFY(first.waitForFinished());
    QCOMPARE(first.exitStatus(), QProcess::CrashExit);
    known_ = finishedCells(cache);
    QVERIFY2(known_ < points, "it was done before it could be killed");
    // Whatever was called done is known.
    const QString told = QString::fromUtf8(first.readAllStandardError());
    static const QRegularExpression done(QStringLiteral("(\\d+) of \\d+ cells"));
    for (auto found = done.globalMatch(told); found.hasNext();)
        QVERIFY(found.next().captured(1).toInt() <= known_);
    QProcess second;
    second.start(program, arguments);
    QVERIFY(second.waitForFinished(300000));
    QCOMPARE(second.exitCode(), 0);
    said_ = QString::fromUtf8(second.readAllStandardError());
    // Each of the others was run once more, and nothing that was known: a cell that was killed while its line
    // was being written is the one that may be there in part.
    const qsizetype lines = finishedCells(cache);
    QVERIFY2(lines >= points && lines <= points + jobCount, qPrintable(QString::number(lines)));
}

void ExperimentKillTest::aKilledSweepLosesAtMostTheCellsInFlight() {
    killAndResume(STAGECRAFT_PROGRAM,
                  {"sweep", path("e.experiment.json"), "--jobs", QString::number(jobCount), "--cache",
                   path("cache"), "--out", path("resumed.json")},
                  path("cache"));
    if (QTest::currentTestFailed()) return;
    const auto known = QRegularExpression(QStringLiteral("(\\d+) of them known")).match(said_);
    QVERIFY2(known.hasMatch(), qPrintable(said_));
    QVERIFY(known.captured(1).toInt() >= known_ - jobCount);
    QVERIFY(bytesOf(path("resumed.json")) == bytesOf(path("whole.json")));
}

void ExperimentKillTest::aKilledWindowLosesAtMostTheCellsInFlight() {
    qputenv("XDG_CACHE_HOME", folder_.path().toUtf8());
    qputenv(experimentVariable, path("e.experiment.json").toUtf8());
    qputenv(resultsVariable, path("window.json").toUtf8());
    killAndResume(QCoreApplication::applicationFilePath(), {QStringLiteral("experiment_window")},
                  path("Stagecraft/results.jsonl"));
    if (QTest::currentTestFailed()) return;
    QVERIFY(bytesOf(path("window.json")) == bytesOf(path("whole.json")));
}

STAGECRAFT_TEST(ExperimentKillTest)
static const TestRegistration windowRegistration("experiment_window", TestNeeds::widgets,
                                                 []() -> std::unique_ptr<QObject> {
                                                     return std::make_unique<ExperimentWindowRun>();
                                                 });
#include "experiment_kill_test.moc"
