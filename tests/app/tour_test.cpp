// The first look at the program on a machine without a display.
#include "app/commands/commands.h"
#include "tests/support/window_rooms.h"
#include "core/planners/applicability.h"
#include "tests/app/command_call.h"
#include "tests/support/qt_program.h"

#include <QDir>
#include <QImage>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <set>

using namespace stagecraft;
using namespace stagecraft::testing;

class TourTest : public QObject {
    Q_OBJECT

    /// A picture of something: of this size, with many colours.
    static void verifyPicture(const QString& path, QSize size) {
        const QImage picture(path);
        QCOMPARE(picture.size(), size);
        std::set<QRgb> colours;
        for (int y = 0; y < picture.height(); y += 3)
            for (int x = 0; x < picture.width(); x += 3) colours.insert(picture.pixel(x, y));
        QVERIFY(colours.size() > 20);
    }

private slots:
    void theTourPlansTheFirstSampleAndLeavesPictures() {
        QTemporaryDir folder;
        const QString target = folder.filePath(QStringLiteral("look"));
        const Outcome outcome = call({"tour", "--out", target.toStdString()});
        QCOMPARE(outcome.status, 0);
        QVERIFY2(outcome.err.empty(), outcome.err.c_str());
        for (const std::unique_ptr<Planner>& planner : allPlanners())
            QCOMPARE(mentions(outcome.out, "\n" + planner->description().id +
                                               (planner->description().choosesSchedule ? ": " : " ")),
                     !needsAsynchronousMode(*planner));
        QVERIFY(mentions(outcome.out, "Not run: XPipe and MadPipe train without a barrier"));
        verifyPicture(target + QStringLiteral("/schedule.png"), QSize(1600, 1000));
        verifyPicture(target + QStringLiteral("/window.png"), QSize(1280, 800));
        QVERIFY(mentions(outcome.out, (target + QStringLiteral("/schedule.png")).toStdString()));
        QVERIFY(mentions(outcome.out, (target + QStringLiteral("/window.png")).toStdString()));
        QCOMPARE(QDir(target).entryList(QDir::Files).size(), 2);
    }

    void theProgramWithoutADisplayGivesTheTourAndEndsWell() {
        QTemporaryDir folder;
        QProcess program;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
            environment.remove(QLatin1String(name));
        program.setProcessEnvironment(environment);
        program.setWorkingDirectory(folder.path());
        program.start(QStringLiteral(STAGECRAFT_PROGRAM), QStringList());
        QVERIFY(program.waitForFinished(120'000));
        QCOMPARE(program.exitStatus(), QProcess::NormalExit);
        QCOMPARE(program.exitCode(), 0);
        const QByteArray out = program.readAllStandardOutput();
        QVERIFY2(out.contains("ssh -X") && out.contains("QT_QPA_PLATFORM=vnc") && out.contains("Xvfb"),
                 out.constData());
        // With a file to open there is nothing to take its place.
        program.start(QStringLiteral(STAGECRAFT_PROGRAM),
                      {QStringLiteral(STAGECRAFT_SOURCE_DIR "/samples/fig2-toy.stagecraft.json")});
        QVERIFY(program.waitForFinished(60'000));
        QCOMPARE(program.exitCode(), 2);
    }
};

STAGECRAFT_TEST(TourTest)
#include "tour_test.moc"
