// Files that are wrong, changed by another program, or left over from a kill.
#include "app/commands/inputs.h"
#include "app/document/file_names.h"
#include "app/document/samples.h"
#include "app/shell/workbench.h"
#include "tests/app/window_fixture.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"

#include <QStandardPaths>
#include <QDir>
#include <QElapsedTimer>
#include <QLabel>
#include <QMimeData>
#include <QRegularExpression>
#include <QTreeView>

using namespace stagecraft;

class FilesTest : public QObject {
    Q_OBJECT

    PrivateHome home_;

    QString savedToy(const QString& name) const {
        const QString path = home_.file(name);
        writeFileAtomically(path.toStdString(),
                            writeProject(*findSample(QStringLiteral("fig2-toy"))->project));
        return path;
    }
    static QByteArray toyText() {
        return QByteArray::fromStdString(writeProject(*findSample(QStringLiteral("fig2-toy"))->project));
    }

    static void setMicrobatches(Workspace& workspace, int microbatches) {
        TrainingSetup setup = workspace.problem().setup;
        setup.microbatches = microbatches;
        workspace.setSetup(setup);
    }
    /// As another program does.
    static void changeOutside(const QString& path, int microbatches) {
        Project other = openProject(path.toStdString());
        other.problem.setup.microbatches = microbatches;
        writeFileAtomically(path.toStdString(), writeProject(other));
    }
    static void openAndSave(MainWindow& window, const QString& path) {
        window.show();
        openAndWait(window, path);
        QVERIFY(window.saveTo(path));
    }
    static QWidget* visible(const QWidget& window, const QString& name) {
        for (auto* each : window.findChildren<QWidget*>(name))
            if (each->isVisible()) return each;
        return nullptr;
    }

private slots:
    void everySampleIsTitledWithItsOrigin() {
        QVERIFY(!samples().empty());
        for (const Sample& sample : samples()) {
            // What a card says begins with a capital; in brackets it does not.
            QCOMPARE((sample.title + " (" + sample.origin + ")").toLower(),
                     QString::fromStdString(sample.project->name).toLower());
            QVERIFY(sample.title.front().isUpper());
            QVERIFY(sample.origin.front().isUpper() || sample.origin.startsWith(QLatin1String("vPipe")));
            QCOMPARE(sample.title.count('('), sample.title.count(')'));
            QVERIFY(!sample.origin.isEmpty() && !sample.origin.contains(')'));
        }
    }

    void initTestCase() { applyTheme(*qApp, ThemeChoice::light); }

    void aBadFileBecomesARowWithFileAndPlace_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("cut short") << "cut.stagecraft.json" << toyText().left(300);
        QTest::newRow("not JSON") << "noise.stagecraft.json" << QByteArray("hello");
        QTest::newRow("empty") << "empty.stagecraft.json" << QByteArray();
        QTest::newRow("wrong kind") << "kind.stagecraft.json"
                                    << QByteArray(R"({"format": "stagecraft/recipe", "version": 1})");
        QTest::newRow("newer version")
            << "newer.stagecraft.json" << toyText().replace("\"version\": 1", "\"version\": 99");
        QTest::newRow("unknown field")
            << "unknown.stagecraft.json" << toyText().replace("\"microbatches\"", "\"microbatchs\"");
        QTest::newRow("negative") << "negative.stagecraft.json"
                                  << toyText().replace("\"microbatches\": ", "\"microbatches\": -");
        QTest::newRow("cut profile") << "cut.profile.json" << QByteArray("{\"format\": \"stagecraft/prof");
        QTest::newRow("bad graph") << "graph.txt" << QByteArray("node1 -- nothing like a graph\n");
    }
    void aBadFileBecomesARowWithFileAndPlace() {
        QFETCH(QString, name);
        QFETCH(QByteArray, text);
        const QString path = home_.file(name);
        writeText(path, text);
        MainWindow window;
        window.show();
        openAndWait(window, path);
        QVERIFY(!window.workspace().isOpen());
        QCOMPARE(window.problems().rowCount(), 1);
        const QString row = window.problems().row(0).text;
        QVERIFY2(row.contains(name), qPrintable(row));
        QVERIFY2(row.count(QStringLiteral(": ")) >= 1 && row.size() > name.size() + 10, qPrintable(row));
        QCOMPARE(window.findChild<QLabel*>(QStringLiteral("startError"))->text(), row);
        QVERIFY(window.findChild<QLabel*>(QStringLiteral("startError"))->isVisible());
    }

    void aFileThatIsDroppedOnTheWindowOpens() {
        const QString path = savedToy(QStringLiteral("dropped.stagecraft.json"));
        MainWindow window;
        window.show();
        QMimeData files;
        files.setUrls({QUrl::fromLocalFile(path)});
        QSignalSpy done(&window, &MainWindow::openingDone);
        QDragEnterEvent enter(QPoint(40, 40), Qt::CopyAction, &files, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&window, &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(QPointF(40, 40), Qt::CopyAction, &files, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&window, &drop);
        QVERIFY(done.wait(5000));
        QCOMPARE(window.workspace().path(), path);
    }

    void aFileThatDoesNotExistBecomesARow() {
        MainWindow window;
        window.show();
        openAndWait(window, home_.file(QStringLiteral("nowhere.stagecraft.json")));
        QCOMPARE(window.problems().rowCount(), 1);
    }

    void aProblemThatCannotBePlannedIsARowInTheWordsOfTheCore_data() {
        QTest::addColumn<int>("which");
        QTest::newRow("no layer") << 0;
        QTest::newRow("no device") << 1;
        QTest::newRow("cluster in two pieces") << 2;
    }
    void aProblemThatCannotBePlannedIsARowInTheWordsOfTheCore() {
        QFETCH(int, which);
        MainWindow window;
        window.show();
        click(window, QStringLiteral("sample:fig2-toy"));
        if (which == 0) window.workspace().setProfile({});
        if (which == 1) window.workspace().setCluster({});
        if (which == 2) {
            Cluster apart = window.workspace().problem().cluster;
            apart.links.clear();
            window.workspace().setCluster(apart);
        }
        const auto reason = whyUnplannable(window.workspace().problem());
        QVERIFY(reason);
        QVERIFY(window.problems().rowCount() >= 1);
        QCOMPARE(window.problems().row(0).text, QString::fromStdString(*reason));
        for (const char* tab : {"cluster", "profile", "plan:0", "compare"})
            window.workbench().showKey(QLatin1String(tab));
        click(window, QStringLiteral("run"));
        QVERIFY(!window.planning().isPlanning());
        window.workspace().undoStack()->undo();
        QTRY_VERIFY(window.workspace().plans().front().run);
        QCOMPARE(window.problems().errorCount(), 0);
    }

    void enterOnAProblemGoesToItsPlace() {
        MainWindow window;
        window.show();
        click(window, QStringLiteral("sample:fig2-toy"));
        window.workbench().showCompare();
        window.workspace().setProfile({});
        auto* list = window.findChild<QTreeView*>(QStringLiteral("problems"));
        list->setCurrentIndex(list->model()->index(0, 0));
        QTest::keyClick(list, Qt::Key_Return);
        QCOMPARE(window.workbench().currentKey(), QStringLiteral("profile"));
        window.workspace().undoStack()->setClean();
    }

    void unsavedWorkReachesTheRecoveryFileWithinFiveSeconds() {
        const QString path = savedToy(QStringLiteral("edited.stagecraft.json"));
        MainWindow window;
        window.show();
        openAndWait(window, path);
        const QString recovery = home_.file(QStringLiteral(".edited.stagecraft.json.recovery"));
        QVERIFY(!QFile::exists(recovery));
        setMicrobatches(window.workspace(), 7);
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(recovery), 5000);
        QVERIFY(openProject(recovery.toStdString()) == window.workspace().project());
        QVERIFY(openProject(path.toStdString()) != window.workspace().project());
        // Another window must not offer what this one still works on.
        QVERIFY(Recovery::find(path).isEmpty());
        QVERIFY(window.saveTo(path));
        QVERIFY(!QFile::exists(recovery));
    }

    void aLargeProjectIsSavedWhileTheWindowGoesOnAndLaterEditsStayUnsaved() {
        constexpr int microbatches = 100'000;
        Project large = *findSample(QStringLiteral("fig2-toy"))->project;
        Plan& plan = large.plans.front();
        ExplicitSchedule schedule;
        for (int s = 0; s < plan.stageCount(); ++s)
            for (const int device : plan.stages[static_cast<std::size_t>(s)].devices) {
                std::vector<Task>& order = schedule.orders[device];
                for (int m = 0; m < microbatches; ++m) order.push_back({TaskKind::forward, s, m});
                for (int m = 0; m < microbatches; ++m) order.push_back({TaskKind::backward, s, m});
            }
        plan.schedule.order = schedule;
        MainWindow window;
        window.show();
        window.workspace().openProject(large, {});
        QTest::qWait(100);
        const QString path = home_.file(QStringLiteral("large.stagecraft.json"));
        QSignalSpy done(&window, &MainWindow::savingDone);
        const double before = threadCpuMs();
        window.startSaving(path);
        const double blocked = threadCpuMs() - before;
        QVERIFY(window.isSaving());
        QVERIFY2(blocked < 50 * slowness, qPrintable(QString::number(blocked)));
        TrainingSetup setup = large.problem.setup;
        setup.microbatches = 8;
        window.workspace().setSetup(setup);
        QVERIFY(done.wait(20'000));
        QVERIFY(done.front().front().toBool());
        QCOMPARE(window.workspace().path(), path);
        QVERIFY2(window.workspace().isDirty(), "the edit came after the state that was written");
        stampPlans(large);
        QVERIFY(openProject(path.toStdString()) == large);
        QVERIFY(window.saveTo(path));
        QVERIFY(!window.workspace().isDirty());
        QCOMPARE(openProject(path.toStdString()).problem.setup.microbatches, 8);
    }

    void whatAKilledWindowLeftIsOfferedAndComesBack() {
        const QString path = savedToy(QStringLiteral("killed.stagecraft.json"));
        const QString recovery = Recovery::fileFor(path);
        Project lost = openProject(path.toStdString());
        lost.problem.setup.microbatches = 9;
        writeFileAtomically(recovery.toStdString(), writeProject(lost));

        MainWindow window;
        window.show();
        openAndWait(window, path);
        auto* bar = window.findChild<QWidget*>(QStringLiteral("recoveryBar"));
        QVERIFY(bar);
        QTRY_VERIFY(bar->isVisible());
        QVERIFY(window.workspace().problem().setup.microbatches != 9);
        click(*bar, QStringLiteral("Recover"));
        stampPlans(lost);
        QVERIFY(window.workspace().project() == lost);
        QCOMPARE(window.workspace().path(), path);
        QVERIFY(window.workspace().isDirty());
        QVERIFY2(QFile::exists(recovery), "until it is saved it must survive another kill");
        QVERIFY(window.saveTo(path));
        QVERIFY(!QFile::exists(recovery));
    }

    void workThatIsLeftForLaterIsNotOverwritten() {
        const QString path = savedToy(QStringLiteral("later.stagecraft.json"));
        const QString recovery = Recovery::fileFor(path);
        writeText(recovery, toyText());
        MainWindow window;
        window.show();
        openAndWait(window, path);
        click(*window.findChild<QWidget*>(QStringLiteral("recoveryBar")), QStringLiteral("Later"));
        setMicrobatches(window.workspace(), 13);
        const QString second = home_.file(QStringLiteral(".later.stagecraft.json-2.recovery"));
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(second), 5000);
        QFile old(recovery);
        QVERIFY(old.open(QIODevice::ReadOnly));
        QCOMPARE(old.readAll(), toyText());
        QVERIFY(window.saveTo(path));
        QVERIFY(!QFile::exists(second));
        QVERIFY(QFile::exists(recovery));
        QCOMPARE(Recovery::find(path).size(), 1);
    }

    void workOnAProjectThatWasNeverSavedIsOfferedAtTheNextStart() {
        {
            Workspace workspace;
            Recovery recovery(workspace);
            workspace.openProject(*findSample(QStringLiteral("fig2-toy"))->project, {});
            setMicrobatches(workspace, 11);
            recovery.writeNow();
        }  // gone without saving and without being asked
        QCOMPARE(Recovery::find({}).size(), 1);
        MainWindow window;
        window.show();
        auto* bar = window.findChild<QWidget*>(QStringLiteral("recoveryBar"));
        QVERIFY(bar);
        click(*bar, QStringLiteral("Recover"));
        QCOMPARE(window.workspace().problem().setup.microbatches, 11);
        answer(QMessageBox::Discard);
        QVERIFY(window.close());
        QVERIFY(Recovery::find({}).isEmpty());
    }

    /// With names and dates, the newest first, each to be taken back or given up; after one is closed the
    /// others are offered again.
    void allUnsavedWorkIsListed() {
        for (const RecoverableWork& work : Recovery::find({})) Recovery::discard(work);
        const QDateTime now = QDateTime::currentDateTime();
        for (const int age : {2, 0, 1}) {
            Workspace workspace;
            Recovery recovery(workspace);
            Project project = *findSample(QStringLiteral("fig2-toy"))->project;
            project.name = "Project " + std::to_string(age);
            workspace.openProject(project, {});
            setMicrobatches(workspace, 11 + age);
            recovery.writeNow();
            const QDir folder(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) +
                              "/recovery");
            QFile latest(folder.filePath(
                folder.entryList({"*.recovery"}, QDir::Files | QDir::Hidden, QDir::Time).constFirst()));
            QVERIFY(latest.open(QIODevice::ReadWrite));
            QVERIFY(latest.setFileTime(now.addDays(-1 - age), QFileDevice::FileModificationTime));
        }
        QCOMPARE(Recovery::find({}).size(), 3);
        MainWindow window;
        window.show();
        const auto list = [&] { return visible(window, QStringLiteral("recoveryBar")); };
        const auto texts = [&](const char* name) {
            QStringList found;
            for (const auto* label : list()->findChildren<QLabel*>(QLatin1String(name)))
                if (label->isVisible()) found << label->text();
            return found;
        };
        QVERIFY(list());
        QTRY_VERIFY(texts("recoverableName").filter(QStringLiteral("Project ")).size() == 3);
        const QStringList names = texts("recoverableName"), dates = texts("recoverableDate");
        QStringList own, when;
        for (int i = 0; i < names.size(); ++i)
            if (names[i].startsWith(QLatin1String("Project "))) own << names[i], when << dates[i];
        QCOMPARE(own, (QStringList{QStringLiteral("Project 0 · never saved"),
                                   QStringLiteral("Project 1 · never saved"),
                                   QStringLiteral("Project 2 · never saved")}));
        for (int age = 0; age < 3; ++age)
            QVERIFY(when[age].startsWith(now.addDays(-1 - age).toString(QStringLiteral("yyyy-MM-dd"))));
        const auto press = [&](const QString& project, const char* button) {
            for (auto* row : list()->findChildren<QWidget*>(QStringLiteral("recoverable")))
                if (row->isVisible() &&
                    row->findChild<QLabel*>(QStringLiteral("recoverableName"))->text().startsWith(project))
                    return click(*row, QLatin1String(button));
            QFAIL(qPrintable(project));
        };
        press(QStringLiteral("Project 1"), "Discard");
        QCOMPARE(Recovery::find({}).size(), 2);
        QTRY_VERIFY(texts("recoverableName").filter(QStringLiteral("Project ")).size() == 2);
        press(QStringLiteral("Project 2"), "Recover");
        QCOMPARE(window.workspace().problem().setup.microbatches, 13);
        QVERIFY(!list());
        answer(QMessageBox::Discard);
        window.actionRegister().action(QStringLiteral("file.close"))->trigger();
        QTRY_VERIFY(list());
        QTRY_VERIFY(texts("recoverableName").filter(QStringLiteral("Project ")).size() == 1);
        // Put off, it stays on disk; a window of its own offers it again.
        click(*list(), QStringLiteral("Later"));
        QVERIFY(!list());
        QCOMPARE(Recovery::find({}).size(), 1);
    }

    /// What is offered is read once the window is there, however much it is and whatever killed windows left
    /// beside it.
    void theWindowDoesNotWaitForWhatItOffers() {
        for (const RecoverableWork& work : Recovery::find({})) Recovery::discard(work);
        const QDir folder(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + "/recovery");
        QVERIFY(folder.mkpath(QStringLiteral(".")));
        const QByteArray left[] = {toyText(), toyText().left(300), QByteArray(50'000'000, '[')};
        for (std::size_t i = 0; i < std::size(left); ++i) {
            const QString file = folder.filePath(QStringLiteral("left-%1.recovery").arg(i));
            writeText(file, left[i]);
            writeText(file + QStringLiteral(".lock"),
                      "4194304\nstagecraft\n" + QSysInfo::machineHostName().toUtf8() + '\n');
        }
        const double before = threadCpuMs();
        MainWindow window;
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        QVERIFY2(threadCpuMs() - before < 1500 * slowness,
                 qPrintable(QString::number(threadCpuMs() - before)));
        auto* list = visible(window, QStringLiteral("recoveryBar"));
        QVERIFY(list);
        QVERIFY(list->findChildren<QWidget*>(QStringLiteral("recoverable")).size() >= 3);
        const auto named = [&] {
            const auto labels = list->findChildren<QLabel*>(QStringLiteral("recoverableName"));
            return std::count_if(labels.begin(), labels.end(), [](const QLabel* label) {
                return label->text().startsWith(QStringLiteral("Three stages"));
            });
        };
        // Also of the one that was cut short, and at once: no project is read whole for its name.
        QTRY_VERIFY_WITH_TIMEOUT(named() >= 2, 2000);
        QElapsedTimer leaving;
        leaving.start();
        click(*list, QStringLiteral("Later"));
        QTest::qWait(50);
        QVERIFY2(leaving.elapsed() < 2000, qPrintable(QString::number(leaving.elapsed())));
        for (const RecoverableWork& work : Recovery::find({})) Recovery::discard(work);
    }

    void allUnsavedWorkIsDiscardedAtASecondPress() {
        for (int i = 0; i < 2; ++i) {
            Workspace workspace;
            Recovery recovery(workspace);
            workspace.openProject(*findSample(QStringLiteral("fig2-toy"))->project, {});
            workspace.markUnsaved();
            recovery.writeNow();
        }
        MainWindow window;
        window.show();
        auto* list = window.findChild<QWidget*>(QStringLiteral("recoveryBar"));
        QVERIFY(list);
        const auto left = Recovery::find({}).size();
        QVERIFY(left >= 2);
        click(*list, QStringLiteral("discardAll"));
        QCOMPARE(Recovery::find({}).size(), left);
        QVERIFY(list->findChild<QPushButton*>(QStringLiteral("discardAll"))
                    ->text()
                    .contains(QStringLiteral("for good")));
        click(*list, QStringLiteral("discardAll"));
        QVERIFY(Recovery::find({}).isEmpty());
        QVERIFY(!list->isVisible());
    }

    void namesOfFilesHaveNoMarksAtTheirEnds() {
        QCOMPARE(fileNameOf(QStringLiteral("Three stages (SPP, Fig. 2)")),
                 QStringLiteral("Three-stages-SPP-Fig-2"));
        QCOMPARE(fileNameOf(QStringLiteral("ResNet-50 v1.5")), QStringLiteral("ResNet-50-v1.5"));
        QCOMPARE(fileNameOf(QStringLiteral("…")), QStringLiteral("project"));
    }

    void whatCameWithTheProgramIsNotWhereFilesGo() {
        const QString shipped = QStringLiteral(STAGECRAFT_SOURCE_DIR "/samples/fig2-toy.stagecraft.json");
        QVERIFY(proposedFolder(shipped) != QFileInfo(shipped).path());
        QCOMPARE(proposedFolder(shipped), proposedFolder({}));
        const QString own = home_.file(QStringLiteral("own.stagecraft.json"));
        QCOMPARE(proposedFolder(own), QFileInfo(own).path());
    }

    void savingOverAnotherProgramsChangeAsks() {
        const QString path = savedToy(QStringLiteral("both.stagecraft.json"));
        MainWindow window;
        openAndSave(window, path);
        setMicrobatches(window.workspace(), 9);
        const auto bar = [&] { return visible(window, QStringLiteral("diskBar")); };
        const auto onDisk = [&] { return openProject(path.toStdString()).problem.setup.microbatches; };
        const auto save = [&] { window.actionRegister().action(QStringLiteral("file.save"))->trigger(); };
        // At once: the watch has not had time to notice.
        changeOutside(path, 31);
        save();
        QVERIFY(!window.isSaving());
        QCOMPARE(onDisk(), 31);
        QTRY_VERIFY(bar());
        click(*bar(), QStringLiteral("Not now"));
        QTRY_VERIFY_WITH_TIMEOUT(bar(), 5000);  // it is noticed as well
        save();
        QCOMPARE(onDisk(), 31);
        QTRY_VERIFY(bar() && bar()->findChild<QPushButton*>(QStringLiteral("Save over it")));
        QSignalSpy saved(&window, &MainWindow::savingDone);
        click(*bar(), QStringLiteral("Save over it"));
        QVERIFY(saved.wait(5000));
        QCOMPARE(onDisk(), 9);
        QVERIFY(!window.workspace().isDirty());
        QTest::qWait(500);
        QVERIFY2(!bar(), "nothing is left to be said");
        save();
        QVERIFY(saved.wait(5000));
    }

    void whatIsSaidOfTheFileGoesWhenItIsNoLongerTrue() {
        const QString path = savedToy(QStringLiteral("again.stagecraft.json"));
        MainWindow window;
        openAndSave(window, path);
        const std::string mine = writeProject(openProject(path.toStdString()));
        const auto bar = [&] { return visible(window, QStringLiteral("diskBar")); };
        changeOutside(path, 31);
        QTRY_VERIFY_WITH_TIMEOUT(bar(), 5000);
        // What reloading loses is said as it is now.
        QVERIFY(bar()->findChild<QPushButton*>(QStringLiteral("Reload")));
        setMicrobatches(window.workspace(), 9);
        QTRY_VERIFY(bar() && bar()->findChild<QPushButton*>(QStringLiteral("Reload and lose my changes")));
        window.workspace().undoStack()->undo();
        QTRY_VERIFY(bar() && bar()->findChild<QPushButton*>(QStringLiteral("Reload")));
        writeFileAtomically(path.toStdString(), mine);
        QTRY_VERIFY_WITH_TIMEOUT(!bar(), 5000);
    }

    void aFileChangedByAnotherProgramIsNoticedAndReloaded() {
        const QString path = savedToy(QStringLiteral("shared.stagecraft.json"));
        MainWindow window;
        openAndSave(window, path);
        QTest::qWait(500);
        QVERIFY2(!window.findChild<QWidget*>(QStringLiteral("diskBar")), "its own saving is no news");

        changeOutside(path, 21);
        QTRY_VERIFY_WITH_TIMEOUT(window.findChild<QWidget*>(QStringLiteral("diskBar")), 5000);
        QSignalSpy done(&window, &MainWindow::openingDone);
        click(*window.findChild<QWidget*>(QStringLiteral("diskBar")), QStringLiteral("Reload"));
        QVERIFY(done.wait(5000));
        QCOMPARE(window.workspace().problem().setup.microbatches, 21);

        // A second change, and this time the window's own version is kept.
        changeOutside(path, 22);
        QTRY_VERIFY_WITH_TIMEOUT(window.findChild<QWidget*>(QStringLiteral("diskBar")), 5000);
        click(*window.findChild<QWidget*>(QStringLiteral("diskBar")), QStringLiteral("Keep mine"));
        QCOMPARE(window.workspace().problem().setup.microbatches, 21);
        QVERIFY(window.workspace().isDirty());
        QVERIFY(window.saveTo(path));
        QCOMPARE(openProject(path.toStdString()).problem.setup.microbatches, 21);
    }

    void referencesToPartsSurviveASaveInTheSameFolderUnlessThePartChanges() {
        const Project toy = *findSample(QStringLiteral("fig2-toy"))->project;
        writeFileAtomically(home_.file("p.profile.json").toStdString(), writeProfile(toy.problem.profile));
        writeFileAtomically(home_.file("c.cluster.json").toStdString(), writeCluster(toy.problem.cluster));
        Project split = toy;
        split.profileFile = "p.profile.json";
        split.clusterFile = "c.cluster.json";
        const QString path = home_.file(QStringLiteral("split.stagecraft.json"));
        writeFileAtomically(path.toStdString(), writeProject(split));

        MainWindow window;
        window.show();
        openAndWait(window, path);
        QVERIFY(window.workspace().profileFile());
        Cluster cluster = window.workspace().problem().cluster;
        cluster.name = "mine";
        window.workspace().setCluster(cluster);
        QVERIFY(window.saveTo(path));
        const Project again = openProject(path.toStdString());
        QVERIFY(again.profileFile == std::optional<std::string>("p.profile.json"));
        QVERIFY(!again.clusterFile);
        QVERIFY(again.problem == window.workspace().problem());
    }

    void aPlanWhoseDevicesAreGoneDoesNotKeepTheProjectFromBeingSaved() {
        MainWindow window;
        window.show();
        click(window, QStringLiteral("sample:fig2-toy"));
        Cluster one = window.workspace().problem().cluster;
        one.devices.resize(1);
        one.links.clear();
        one.switches.clear();
        window.workspace().setCluster(one);
        const QString path = home_.file(QStringLiteral("one.stagecraft.json"));
        QVERIFY(window.saveTo(path));
        QVERIFY(openProject(path.toStdString()).problem.cluster == one);
        QVERIFY(openProject(path.toStdString()).plans.empty());
        // Undone, the plan is there again and can be saved.
        window.workspace().undoStack()->undo();
        QVERIFY(window.saveTo(path));
        QCOMPARE(openProject(path.toStdString()).plans.size(), std::size_t(1));
    }

    void aProfileAndAClusterReplaceThoseOfTheProjectAndCanBeUndone() {
        const Project toy = *findSample(QStringLiteral("fig2-toy"))->project;
        LayerProfile profile = toy.problem.profile;
        profile.layers.pop_back();
        profile.edges.clear();
        const QString path = home_.file(QStringLiteral("short.profile.json"));
        writeFileAtomically(path.toStdString(), writeProfile(profile));
        MainWindow window;
        window.show();
        click(window, QStringLiteral("sample:fig2-toy"));
        openAndWait(window, path);
        QVERIFY(window.workspace().problem().profile == profile);
        // The plan has a stage for a layer that is gone: it says so and nothing crashes.
        QTRY_VERIFY(window.workspace().plans().front().run);
        QVERIFY(!window.workspace().plans().front().run->ok());
        window.workspace().undoStack()->undo();
        QVERIFY(window.workspace().problem() == toy.problem);
        QTRY_VERIFY(window.workspace().plans().front().run && window.workspace().plans().front().run->ok());
    }
};

STAGECRAFT_TEST(FilesTest)
#include "files_test.moc"
