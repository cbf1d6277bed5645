// Training in the window, with real clicks.
#include "app/commands/commands.h"
#include "tests/support/window_rooms.h"
#include "app/shell/workbench.h"
#include "app/training/training_page.h"
#include "app/training/training_panel.h"
#include "core/formats/files/project_file.h"
#include "tests/app/sample_files.h"
#include "tests/app/window_fixture.h"
#include "tests/support/qt_program.h"
#include "views/training/curve_chart.h"

#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QPointer>
#include <QSpinBox>
#include <QTableView>
#include <QToolButton>

#include <sstream>

using namespace stagecraft;
using stagecraft::training::PolicyDescription;
using stagecraft::training::PolicyRuns;
using stagecraft::training::TrainingRun;
using testing::toyCard;

namespace {

/// A sanitizer on a busy machine makes an epoch take seconds.
constexpr int epochsWithinMs = 120'000;

QString fourGpusCopy;  // a copy: what is edited leaves a recovery file beside it

/// A window with the sample of four GPUs, in front of its training.
struct OpenTraining {
    MainWindow window;

    OpenTraining() {
        window.resize(1280, 800);
        window.show();
        openAndWait(window, fourGpusCopy);
        QTest::mouseClick(window.findChild<QToolButton*>(QStringLiteral("train")), Qt::LeftButton);
        QTest::qWait(20);
    }
    ~OpenTraining() {
        page().job().abandon();
        window.workspace().undoStack()->setClean();
    }
    TrainingPage& page() { return *window.workbench().training(); }
    void set(const char* field, int value) {
        auto* box = page().findChild<QSpinBox*>(QLatin1String(field));
        QVERIFY(box);
        box->setValue(value);
    }
    void choose(const std::set<std::string>& ids) {
        for (const PolicyDescription& about : stagecraft::training::policies()) {
            auto* box =
                page().findChild<QCheckBox*>(QStringLiteral("policy:") + QString::fromStdString(about.id));
            if (box->isChecked() != ids.contains(about.id))
                QTest::mouseClick(box, Qt::LeftButton, {}, QPoint(8, 8));
        }
    }
    void start() {
        const QString name =
            page().view().isEmpty() ? QStringLiteral("firstStartTraining") : QStringLiteral("startTraining");
        click(page(), name);
        QCOMPARE(page().job().state(), TrainingJob::State::running);
    }
    int epochsReached() {
        std::size_t all = 0;
        for (const PolicyRuns& policy : page().job().reached().runs)
            for (const TrainingRun& run : policy.runs) all += run.epochs.size();
        return static_cast<int>(all);
    }
    void waitForEnd() {
        QTRY_VERIFY_WITH_TIMEOUT(page().job().state() == TrainingJob::State::idle, epochsWithinMs);
    }
};

}  // namespace

class TrainingWindowTest : public QObject {
    Q_OBJECT

    PrivateHome home_;

private slots:
    void initTestCase() {
        applyTheme(*qApp, ThemeChoice::light);
        fourGpusCopy = home_.file(QStringLiteral("four-gpus.stagecraft.json"));
        QVERIFY(
            QFile::copy(QStringLiteral(STAGECRAFT_SOURCE_DIR "/samples/training/four-gpus.stagecraft.json"),
                        fourGpusCopy));
    }

    void theTabIsReachedByButtonKeyAndPalette() {
        MainWindow window;
        window.show();
        click(window, toyCard);
        QVERIFY(window.workbench().currentKey() != QStringLiteral("training"));
        QTest::mouseClick(window.findChild<QToolButton*>(QStringLiteral("train")), Qt::LeftButton);
        QCOMPARE(window.workbench().currentKey(), QStringLiteral("training"));
        window.workbench().showCluster();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QTest::keyClick(&window, Qt::Key_4, Qt::AltModifier);
        QCOMPARE(window.workbench().currentKey(), QStringLiteral("training"));
        QVERIFY(!window.actionRegister()
                     .menuOf(window.actionRegister().action(QStringLiteral("training.start")))
                     .isEmpty());
        QVERIFY(window.actionRegister().action(QStringLiteral("training.start"))->isEnabled());
        QVERIFY(!window.actionRegister().action(QStringLiteral("training.stop"))->isEnabled());
    }

    void curvesGrowWhileItRunsAndStopKeepsThem() {
        OpenTraining open;
        open.choose({"synchronous", "stashing"});
        open.set("epochs", 500);
        open.start();
        QTRY_VERIFY_WITH_TIMEOUT(open.epochsReached() >= 4, epochsWithinMs);
        const int early = open.epochsReached();
        QTRY_VERIFY_WITH_TIMEOUT(open.epochsReached() > early, epochsWithinMs);
        QCOMPARE(open.page().view().chart()->panels()[0].curves.size(), std::size_t(2));
        // Paused, no epoch comes to its end.
        click(open.page(), QStringLiteral("pauseTraining"));
        QCOMPARE(open.page().job().state(), TrainingJob::State::paused);
        QTest::qWait(150);  // what was on its way has arrived
        const int paused = open.epochsReached();
        QTest::qWait(400);
        QCOMPARE(open.epochsReached(), paused);
        QVERIFY(open.page().job().where().startsWith(QStringLiteral("Paused")));
        click(open.page(), QStringLiteral("pauseTraining"));
        QTRY_VERIFY_WITH_TIMEOUT(open.epochsReached() > paused, epochsWithinMs);
        click(open.page(), QStringLiteral("stopTraining"));
        open.waitForEnd();
        const int reached = open.epochsReached();
        QVERIFY(reached > paused);
        QTest::qWait(200);
        QCOMPARE(open.epochsReached(), reached);
        QVERIFY(open.page().hasResults());
        QVERIFY(open.page().job().where().startsWith(QStringLiteral("Stopped")));
        QVERIFY(!open.page()
                     .findChild<QTableView*>(QStringLiteral("trainingResults"))
                     ->model()
                     ->index(0, 1)
                     .data()
                     .toString()
                     .isEmpty());
    }

    void stoppingAPausedTrainingEndsIt() {
        OpenTraining open;
        open.set("epochs", 500);
        open.start();
        QTRY_VERIFY_WITH_TIMEOUT(open.epochsReached() > 0, epochsWithinMs);
        click(open.page(), QStringLiteral("pauseTraining"));
        click(open.page(), QStringLiteral("stopTraining"));
        open.waitForEnd();
    }

    void theTableExportedIsTheCommandLines() {
        OpenTraining open;
        open.choose({"synchronous", "stashing", "xpipe"});
        open.set("epochs", 2);
        open.set("seeds", 2);
        open.start();
        open.waitForEnd();
        const QString fromWindow = home_.file(QStringLiteral("window.csv"));
        const std::string fromCommand = home_.file(QStringLiteral("command.csv")).toStdString();
        QSignalSpy exported(&open.window, &MainWindow::exported);
        ExportChoice choice;
        choice.format = QStringLiteral("csv");
        open.window.exportTo(fromWindow, choice);
        QVERIFY(exported.wait(5000));
        std::ostringstream out, err;
        QCOMPARE(runCommand({"train", fourGpusCopy.toStdString(), "--policies", "synchronous,stashing,xpipe",
                             "--epochs", "2", "--seeds", "2", "--out", fromCommand},
                            out, err),
                 0);
        const std::string text = readTextFile(fromWindow.toStdString());
        QCOMPARE(text, readTextFile(fromCommand));
        QCOMPARE(std::count(text.begin(), text.end(), '\n'), 1L + 3 * 2 * 2);
        // And a figure in each format.
        for (const char* format : {"svg", "pdf", "png", "tikz"}) {
            choice.format = QLatin1String(format);
            const QString file = home_.file(QStringLiteral("curves.") + choice.format);
            open.window.exportTo(file, choice);
            QVERIFY(exported.wait(5000));
            QVERIFY2(QFileInfo(file).size() > 1000, format);
        }
        open.window.actionRegister().action(QStringLiteral("edit.copyPicture"))->trigger();
        QVERIFY(!QGuiApplication::clipboard()->pixmap().isNull());
    }

    void whatCannotBeTrainedIsGreyedWithTheReason() {
        OpenTraining open;
        auto* box = open.page().findChild<QCheckBox*>(QStringLiteral("policy:2bw"));
        QTRY_VERIFY(!box->isEnabled());
        QVERIFY2(box->toolTip().contains(QStringLiteral("microbatches")), qPrintable(box->toolTip()));
        QVERIFY(open.page().findChild<QLabel*>(QStringLiteral("reason:2bw"))->isVisible());
        TrainingSetup setup = open.window.workspace().problem().setup;
        setup.microbatches = 4;
        open.window.workspace().setSetup(setup);
        QTRY_VERIFY(box->isEnabled());
        // Settings that no policy can use are reported once.
        auto* data = open.page().findChild<QComboBox*>(QStringLiteral("data"));
        data->setCurrentIndex(data->findData(QStringLiteral("spirals")));
        auto* model = open.page().findChild<QComboBox*>(QStringLiteral("model"));
        model->setCurrentIndex(model->findData(QStringLiteral("cnn")));
        auto* start = open.page().findChild<QPushButton*>(QStringLiteral("firstStartTraining"));
        QTRY_VERIFY(!start->isEnabled());
        QVERIFY(box->isEnabled());
        QVERIFY(open.page()
                    .findChild<QLabel*>(QStringLiteral("trainingObstacle"))
                    ->text()
                    .contains(QStringLiteral("images")));
        data->setCurrentIndex(data->findData(QStringLiteral("digits")));
        QTRY_VERIFY(start->isEnabled());
        open.choose({});
        QVERIFY(!start->isEnabled());
    }

    void changesMeanwhileDoNotDisturbTheRun() {
        OpenTraining open;
        open.choose({"synchronous", "xpipe"});
        open.set("epochs", 300);
        open.start();
        QTRY_VERIFY_WITH_TIMEOUT(open.epochsReached() > 0, epochsWithinMs);
        open.set("epochs", 2);
        open.choose({"stashing"});
        TrainingSetup setup = open.window.workspace().problem().setup;
        setup.microbatches = 2;
        open.window.workspace().setSetup(setup);
        const int before = open.epochsReached();
        QTRY_VERIFY_WITH_TIMEOUT(open.epochsReached() > before + 2, epochsWithinMs);
        QCOMPARE(open.page().job().reached().epochs, 300);
        QCOMPARE(open.page().job().reached().runs.size(), std::size_t(2));
        const QString title = open.page().findChild<QLabel*>(QStringLiteral("trainingTitle"))->text();
        QVERIFY2(
            title.contains(QStringLiteral("300 epochs")) && title.contains(QStringLiteral("1 microbatch,")),
            qPrintable(title));
        QVERIFY(open.page()
                    .findChild<QLabel*>(QStringLiteral("trainingWhere"))
                    ->text()
                    .contains(QStringLiteral("earlier settings")));
    }

    void thePlanLastLookedAtIsTheOneToTrain() {
        MainWindow window;
        window.show();
        click(window, toyCard);
        auto* plan = window.workbench().training()->findChild<QComboBox*>(QStringLiteral("trainingPlan"));
        QVERIFY(plan);
        window.planning().run({QStringLiteral("gpipe")}, {});
        QTRY_VERIFY(!window.planning().isPlanning());
        for (const PlanItem& item : window.workspace().plans()) {
            window.workbench().showPlan(item.id);
            window.workbench().showTraining();
            QCOMPARE(plan->currentData().toInt(), item.id);
        }
        window.workspace().undoStack()->setClean();
    }

    void withoutAPlanTheStagesOfGpipeAreTrained() {
        OpenTraining open;
        open.window.workspace().openProject(Project{"bare", open.window.workspace().problem(), {}, {}, {}},
                                            {});
        open.window.workbench().showTraining();
        QCOMPARE(open.page().panel().planTitle(), QStringLiteral("GPipe's stages"));
        open.set("epochs", 1);
        open.start();
        open.waitForEnd();
        QVERIFY(open.page().hasResults());
        QVERIFY(open.page().job().reached().title.contains(QStringLiteral("GPipe")));
    }

    void anEmptyProjectSaysWhatIsMissing() {
        MainWindow window;
        window.resize(1280, 800);
        window.show();
        window.workspace().openProject({}, {});
        window.workbench().showTraining();
        QVERIFY(!window.workbench().training()->canStart());
        for (auto* button : window.workbench().training()->findChildren<QPushButton*>())
            if (button->isVisible()) {
                QTest::mouseClick(button, Qt::LeftButton);
                break;
            }
        QCOMPARE(window.workbench().currentKey(), QStringLiteral("cluster"));
    }

    void anotherProjectEndsTheTraining() {
        OpenTraining open;
        open.set("epochs", 500);
        open.start();
        QTRY_VERIFY_WITH_TIMEOUT(open.epochsReached() > 0, epochsWithinMs);
        openAndWait(open.window, fourGpusCopy);
        QCOMPARE(open.page().job().state(), TrainingJob::State::idle);
        QVERIFY(!open.page().hasResults());
        QVERIFY(open.page().view().isEmpty());
    }

    void fieldsThatShowTheSettingsOfAnotherProjectStay() {
        OpenTraining open;
        open.window.openSample(QStringLiteral("gpipe-1f1b"));  // settings of none of these were changed
        const QPointer<QSpinBox> epochs = open.page().findChild<QSpinBox*>(QStringLiteral("epochs"));
        const int usual = epochs->value();
        open.window.openSample(QStringLiteral("fig2-toy"));
        QVERIFY(epochs);
        open.set("epochs", usual + 5);
        open.window.openSample(QStringLiteral("bert-large-8x4"));
        QCOMPARE(open.page().findChild<QSpinBox*>(QStringLiteral("epochs"))->value(), usual);
        auto* rate = open.page().findChild<QAbstractSpinBox*>(QStringLiteral("batch_size"));
        auto* typed = rate->findChild<QLineEdit*>();
        typed->setFocus();
        typed->selectAll();
        QTest::keyClicks(typed, QStringLiteral("9"));
        QVERIFY(typed->isModified());
        const QPointer<QWidget> was = rate;
        open.window.openSample(QStringLiteral("fig2-toy"));
        QVERIFY(!was);  // what was typed there is of the project before
    }

    void settingsStayWithTheProject() {
        const QString copy = home_.file(QStringLiteral("copy.stagecraft.json"));
        QFile::copy(fourGpusCopy, copy);
        {
            OpenTraining open;
            openAndWait(open.window, copy);
            open.window.workbench().showTraining();
            open.choose({"no-stashing", "xpipe"});
            open.set("epochs", 7);
            auto* optimizer = open.page().findChild<QComboBox*>(QStringLiteral("optimizer"));
            optimizer->setCurrentIndex(optimizer->findData(QStringLiteral("adam")));
            QTest::mouseClick(open.page().findChild<QToolButton*>(QStringLiteral("trainingLoss")),
                              Qt::LeftButton);
            QVERIFY(open.window.saveTo(copy));
        }
        MainWindow window;
        window.show();
        openAndWait(window, copy);
        TrainingPage& page = *window.workbench().training();
        QCOMPARE(window.workbench().currentKey(), QStringLiteral("training"));
        QCOMPARE(page.findChild<QSpinBox*>(QStringLiteral("epochs"))->value(), 7);
        QCOMPARE(page.findChild<QComboBox*>(QStringLiteral("optimizer"))->currentText(),
                 QStringLiteral("Adam"));
        QVERIFY(page.findChild<QCheckBox*>(QStringLiteral("policy:no-stashing"))->isChecked());
        QVERIFY(!page.findChild<QCheckBox*>(QStringLiteral("policy:stashing"))->isChecked());
    }

    void itFitsASmallWindow() {
        OpenTraining open;
        open.choose({"synchronous", "stashing", "no-stashing", "vertical-sync", "spectrain", "xpipe"});
        open.set("epochs", 1);
        open.start();
        open.waitForEnd();
        // What the project panel leaves of 1280 pixels.
        constexpr int room = 1280 - 264 - 8;
        QStringList wide;
        for (const QWidget* each : open.page().findChildren<QWidget*>())
            if (each->minimumSizeHint().width() > 740)
                wide << QStringLiteral("%1 %2: %3")
                            .arg(QLatin1String(each->metaObject()->className()), each->objectName())
                            .arg(each->minimumSizeHint().width());
        QVERIFY2(open.page().minimumSizeHint().width() <= room, qPrintable(wide.join(QStringLiteral(", "))));
    }

    void theWindowStaysQuickWhileSevenPoliciesTrain() {
        OpenTraining open;
        TrainingSetup setup = open.window.workspace().problem().setup;
        setup.microbatches = 4;
        open.window.workspace().setSetup(setup);
        open.choose({"synchronous", "stashing", "no-stashing", "vertical-sync", "2bw", "spectrain", "xpipe"});
        open.set("epochs", 200);
        open.set("seeds", 3);
        open.start();
        double longest = 0;
        for (int i = 0; (i < 300 && open.epochsReached() < 100) || (i < 6000 && open.epochsReached() == 0);
             ++i) {
            const double before = threadCpuMs();
            QCoreApplication::processEvents();
            longest = std::max(longest, threadCpuMs() - before);
            QTest::qSleep(10);
        }
        QVERIFY(open.epochsReached() > 0);
        QVERIFY2(longest < 50 * slowness, qPrintable(QString::number(longest)));
    }
};

STAGECRAFT_TEST(TrainingWindowTest)
#include "training_window_test.moc"
