// Drafts of experiments are kept; custom experiments are deleted, put back and renamed, by mouse and keys.

#include "app/experiments/claims_overview.h"
#include "app/experiments/custom_experiments.h"
#include "app/experiments/experiments_list.h"
#include "app/experiments/experiments_window.h"
#include "core/formats/native/formats.h"
#include "tests/app/builder_fixture.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "views/experiments/experiment_view.h"

#include <nlohmann/json.hpp>

#include <QDir>

using namespace stagecraft;

class ExperimentDraftsTest : public QObject {
    Q_OBJECT

private slots:
    void init();
    void aDraftThatWasNeitherRunNorSavedIsThereAfterTheNextStart();
    void aDraftOfASavedExperimentLeavesItsFileAlone();
    void aDraftThatIsAsAtFirstOrSavedLeavesNothing();
    void aCustomExperimentIsDeletedAndPutBack();
    void aCustomExperimentIsRenamedInItsFile();
    void aLargeBaseIsLookedIntoOffTheWindowsThread();

private:
    static QStringList ownNames(ExperimentsWindow& window) {
        QStringList names;
        for (QTreeWidgetItemIterator it(&window.list()); *it; ++it)
            if ((*it)->parent() && (*it)->parent()->text(0) == QLatin1String("Own")) names << (*it)->text(0);
        return names;
    }
    static QTreeWidgetItem* ownItem(ExperimentsWindow& window, const QString& name) {
        for (QTreeWidgetItemIterator it(&window.list()); *it; ++it)
            if ((*it)->parent() && (*it)->text(0) == name) return *it;
        qFatal("%s is not listed", qPrintable(name));
    }
    static void clickOwn(ExperimentsWindow& window, const QString& name) {
        const QRect at = window.list().visualItemRect(ownItem(window, name));
        QTest::mouseClick(window.list().viewport(), Qt::LeftButton, {}, at.center());
    }
    static QStringList keptFiles() { return QDir(CustomExperiments::folder()).entryList(QDir::Files); }
    /// A new draft with a name and an axis over microbatches.
    static void beginDraft(ExperimentsWindow& window, const QString& name) {
        window.resize(1280, 800);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        click(window, QStringLiteral("newExperiment"));
        type(part<QLineEdit>(window.builder(), "experimentName"), name);
        vary(window.builder(), QStringLiteral("microbatches"), QStringLiteral("Microbatches"));
    }
    QString savedExperiment(const QString& name) {
        const QString path = home_->home.file(QStringLiteral("saved.experiment.json"));
        Experiment experiment = freshExperiment();
        experiment.name = name.toStdString();
        writeText(path, QByteArray::fromStdString(writeExperiment(experiment)));
        return path;
    }

    std::unique_ptr<ExperimentHome> home_;
};

void ExperimentDraftsTest::init() { home_ = std::make_unique<ExperimentHome>(); }

void ExperimentDraftsTest::aDraftThatWasNeitherRunNorSavedIsThereAfterTheNextStart() {
    {
        ExperimentsWindow window;
        beginDraft(window, QStringLiteral("Half done"));
        // Written while the program runs: a kill loses the last edits at most.
        QTRY_COMPARE_WITH_TIMEOUT(ownNames(window), QStringList{QStringLiteral("Half done")}, 10'000);
        QCOMPARE(keptFiles(), QStringList{QStringLiteral("Half-done.experiment.json")});
        type(part<QLineEdit>(*cards(window.builder())[0], "axisTo"), QStringLiteral("128"));
    }
    ExperimentsWindow window;
    window.show();
    QCOMPARE(ownNames(window), QStringList{QStringLiteral("Half done")});
    window.list().setCurrentItem(ownItem(window, QStringLiteral("Half done")));
    QTRY_VERIFY(window.view().isVisible());
    QCOMPARE(window.view().grid()->experiment().axes.at(0).values.back().label, std::string("128"));
    click(window, QStringLiteral("editExperiment"));
    QCOMPARE(part<QLineEdit>(window.builder(), "experimentName").text(), QStringLiteral("Half done"));
    QCOMPARE(part<QLineEdit>(*cards(window.builder())[0], "axisTo").text(), QStringLiteral("128"));
    // Closed without an edit nothing is added.
    click(window, QStringLiteral("closeBuilder"));
    QCOMPARE(keptFiles().size(), 1);
}

void ExperimentDraftsTest::aDraftOfASavedExperimentLeavesItsFileAlone() {
    const QString path = savedExperiment(QStringLiteral("Saved"));
    const std::string before = readTextFile(path.toStdString());
    ExperimentsWindow window;
    window.show();
    QVERIFY(window.openFile(path));
    click(window, QStringLiteral("editExperiment"));
    type(part<QLineEdit>(window.builder(), "experimentName"), QStringLiteral("Changed"));
    click(window, QStringLiteral("closeBuilder"));
    QCOMPARE(readTextFile(path.toStdString()), before);
    QCOMPARE(ownNames(window), (QStringList{QStringLiteral("Saved"), QStringLiteral("Changed")}));
    QTRY_COMPARE(window.view().grid()->experiment().name, std::string("Changed"));
}

void ExperimentDraftsTest::aDraftThatIsAsAtFirstOrSavedLeavesNothing() {
    ExperimentsWindow window;
    window.show();
    click(window, QStringLiteral("newExperiment"));
    click(window, QStringLiteral("closeBuilder"));
    QVERIFY(keptFiles().isEmpty());
    beginDraft(window, QStringLiteral("Undone"));
    QTRY_COMPARE_WITH_TIMEOUT(ownNames(window).size(), 1, 10'000);
    while (window.builder().undoStack()->canUndo()) window.builder().undoStack()->undo();
    QVERIFY(keptFiles().isEmpty());
    QVERIFY(ownNames(window).isEmpty());
    beginDraft(window, QStringLiteral("To be saved"));
    QTRY_COMPARE_WITH_TIMEOUT(ownNames(window).size(), 1, 10'000);
    const QString path = home_->home.file(QStringLiteral("chosen.experiment.json"));
    window.builder().saveTo(path);
    QVERIFY(keptFiles().isEmpty());
    QCOMPARE(CustomExperiments::files(), QStringList{path});
    QCOMPARE(ownNames(window), QStringList{QStringLiteral("To be saved")});
}

void ExperimentDraftsTest::aCustomExperimentIsDeletedAndPutBack() {
    const QString saved = savedExperiment(QStringLiteral("Saved"));
    ExperimentsWindow window;
    beginDraft(window, QStringLiteral("Draft"));
    click(window, QStringLiteral("closeBuilder"));
    const QString file = CustomExperiments::folder() + u'/' + keptFiles().value(0);
    const std::string text = readTextFile(file.toStdString());
    QVERIFY(window.openFile(saved));
    clickOwn(window, QStringLiteral("Draft"));
    QTest::keyClick(&window.list(), Qt::Key_Delete);
    QVERIFY(!QFile::exists(file));
    QCOMPARE(ownNames(window), QStringList{QStringLiteral("Saved")});
    QVERIFY(window.overview().isVisible());
    clickOwn(window, QStringLiteral("Saved"));
    QTest::keyClick(&window.list(), Qt::Key_Delete);
    QVERIFY(QFile::exists(saved));  // a person's own file is only taken off the list
    QVERIFY(ownNames(window).isEmpty());
    click(window, QStringLiteral("Undo"));
    QCOMPARE(ownNames(window), QStringList{QStringLiteral("Saved")});
    click(window, QStringLiteral("Undo"));
    QCOMPARE(readTextFile(file.toStdString()), text);
    QTRY_COMPARE(window.view().grid()->experiment().name, std::string("Draft"));
    // A paper's experiment stays.
    window.showPaper(QStringLiteral("spp-fig-5"));
    QTRY_VERIFY_WITH_TIMEOUT(!window.isReading(), 30'000);
    QTest::keyClick(&window.list(), Qt::Key_Delete);
    QCOMPARE(ownNames(window).size(), 2);
    QVERIFY(window.view().isVisible());
}

void ExperimentDraftsTest::aCustomExperimentIsRenamedInItsFile() {
    const QString path = savedExperiment(QStringLiteral("First"));
    {
        ExperimentsWindow window;
        window.show();
        QVERIFY(window.openFile(path));
        QTest::keyClick(&window.list(), Qt::Key_F2);
        auto* line = window.list().findChild<QLineEdit*>();
        QVERIFY(line);
        line->selectAll();
        QTest::keyClicks(line, QStringLiteral("Second"));
        QTest::keyClick(line, Qt::Key_Return);
        QTRY_COMPARE(openExperiment(path.toStdString()).name, std::string("Second"));
        QTRY_COMPARE(window.view().grid()->experiment().name, std::string("Second"));
    }
    ExperimentsWindow window;
    QCOMPARE(ownNames(window), QStringList{QStringLiteral("Second")});
}

void ExperimentDraftsTest::aLargeBaseIsLookedIntoOffTheWindowsThread() {
    ExperimentsWindow window;
    beginDraft(window, QStringLiteral("Large"));
    ExperimentBuilder& builder = window.builder();
    nlohmann::json base = nlohmann::json::parse(builder.draft().experiment.base);
    base["cluster"] = nlohmann::json::parse(writeCluster(Grid(*builder.experiment()).problem(0).cluster));
    base["cluster"]["name"] = std::string(30'000, 'x');
    auto& tree = part<QTreeWidget>(builder, "fieldTree");
    QTest::keyClick(&part<QLineEdit>(builder, "fieldSearch"), Qt::Key_A, Qt::ControlModifier);
    QTest::keyClick(&part<QLineEdit>(builder, "fieldSearch"), Qt::Key_Delete);
    emit builder.base().chosen(base.dump(), QStringLiteral("A large one"));
    QVERIFY(builder.draft().experiment.base != base.dump());
    QTRY_COMPARE(builder.draft().experiment.base, base.dump());
    QTRY_VERIFY(builder.experiment());
    QCOMPARE(cards(builder).size(), 1);
    builder.undoStack()->undo();
    QVERIFY(tree.isEnabled());
    QVERIFY(builder.draft().experiment.base != base.dump());
    builder.undoStack()->redo();
    QVERIFY(!tree.isEnabled());
    QTRY_VERIFY(tree.isEnabled());
    QVERIFY(tree.topLevelItemCount() > 1);
}

STAGECRAFT_TEST(ExperimentDraftsTest)
#include "experiment_drafts_test.moc"
