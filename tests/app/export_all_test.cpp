// Every figure of a project at once, from the command line and from the window.
#include "app/figures/figure_set.h"
#include "app/shell/all_figures.h"
#include "core/formats/files/project_file.h"
#include "tests/app/command_call.h"
#include "tests/app/sample_files.h"
#include "tests/app/window_fixture.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"

#include <QAction>
#include <QDir>
#include <QFileDialog>
#include <QLineEdit>
#include <QStatusBar>
#include <QtTest>

#include <filesystem>

namespace fs = std::filesystem;
using namespace stagecraft;
using testing::call;
using testing::mentions;
using testing::Outcome;

class ExportAllTest : public QObject {
    Q_OBJECT
private slots:
    void everyFigureIsWrittenAndNamed();
    void onePlanIsComparedWithNothing();
    void theBytesAreThoseOfOneFigure();
    void plansOfOneTitleHaveFilesOfTheirOwn();
    void aPlanWithoutATimelineIsToldAndTheRestWritten();
    void aFigureThatFailsIsToldAndTheRestWritten();
    void aFolderThatIsNotEmptyIsKeptUnlessForced();
    void whatChoosesOneFigureIsRefused();
    void theWindowWritesThemIntoAFolder();
    void theWindowAsksBeforeItReplaces();
    void theWindowCanBeToldToStop();

private:
    QString folder(const char* name) const { return home_.file(QLatin1String(name)); }
    Outcome exported(const std::string& project, const QString& to, std::vector<std::string> more = {}) {
        std::vector<std::string> words{"export", project, "--all", "--out", to.toStdString()};
        words.insert(words.end(), more.begin(), more.end());
        return call(words);
    }
    static QStringList filesIn(const QString& folder) {
        QStringList files = QDir(folder).entryList(QDir::Files);
        files.sort();
        return files;
    }
    /// The sample with what `change` does to it.
    std::string changed(const char* name, const std::function<void(Project&)>& change) const {
        Project project = openProject(project_);
        change(project);
        const std::string path = home_.file(QLatin1String(name)).toStdString();
        writeFileAtomically(path, writeProject(project));
        return path;
    }
    /// Chooses that folder in the dialogue that opens next, and then answers what is asked about it.
    void chooseFolder(
        const QString& folder, const std::function<void()>& then = [] {}) {
        QTimer::singleShot(0, qApp, [folder, then] {
            auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
            QVERIFY(dialog);
            dialog->findChild<QLineEdit*>()->setText(folder);
            QTest::keyClick(dialog->findChild<QLineEdit*>(), Qt::Key_Return);
            QTimer::singleShot(0, qApp, then);
        });
    }

    PrivateHome home_;
    static constexpr const char* project_ = STAGECRAFT_SOURCE_DIR "/samples/gpipe-1f1b.stagecraft.json";
};

void ExportAllTest::everyFigureIsWrittenAndNamed() {
    const Outcome outcome = exported(project_, folder("every"), {"--format", "svg"});
    QVERIFY2(outcome.status == 0, outcome.err.c_str());
    const QStringList files = filesIn(folder("every"));
    const Project project = openProject(project_);
    QVERIFY(project.plans.size() > 1);
    for (const char* name : {"comparison.svg", "cluster.svg", "bandwidths.svg"})
        QCOMPARE(files.count(QLatin1String(name)), 1);
    for (const char* part : {"-schedule.svg", "-memory.svg", "-partition.svg", "-cluster.svg"})
        QCOMPARE(files.filter(QLatin1String(part)).size(), int(project.plans.size()));
    QStringList named;
    for (const QString& line : QString::fromStdString(outcome.out).split('\n', Qt::SkipEmptyParts)) {
        QCOMPARE(QFileInfo(line).absolutePath(), QFileInfo(folder("every")).absoluteFilePath());
        named << QFileInfo(line).fileName();
    }
    named.sort();
    QCOMPARE(named, files);
}

void ExportAllTest::onePlanIsComparedWithNothing() {
    const std::string toy = STAGECRAFT_SOURCE_DIR "/samples/fig2-toy.stagecraft.json";
    QCOMPARE(exported(toy, folder("toy")).status, 0);
    QCOMPARE(filesIn(folder("toy")),
             (QStringList{"The-plan-of-Fig-2-cluster.pdf", "The-plan-of-Fig-2-links.pdf",
                          "The-plan-of-Fig-2-memory.pdf", "The-plan-of-Fig-2-partition.pdf",
                          "The-plan-of-Fig-2-schedule.pdf", "bandwidths.pdf", "cluster.pdf", "spp-fig-2.pdf"}));
}

void ExportAllTest::theBytesAreThoseOfOneFigure() {
    QCOMPARE(exported(project_, folder("same"), {"--grey", "--width-mm", "120"}).status, 0);
    const QStringList files = filesIn(folder("same")).filter(QStringLiteral("-memory.pdf"));
    const QString one = folder("one.pdf");
    for (std::size_t plan = 0; plan < openProject(project_).plans.size(); ++plan) {
        QCOMPARE(call({"export", project_, "--plan", std::to_string(plan), "--view", "memory", "--format",
                       "pdf", "--grey", "--width-mm", "120", "--out", one.toStdString()})
                     .status,
                 0);
        const auto bytes = readTextFile(one.toStdString());
        QCOMPARE(std::count_if(files.begin(), files.end(),
                               [&](const QString& file) {
                                   return readTextFile((folder("same") + '/' + file).toStdString()) == bytes;
                               }),
                 1);
    }
}

void ExportAllTest::plansOfOneTitleHaveFilesOfTheirOwn() {
    const std::string project = changed("twins.stagecraft.json", [](Project& it) {
        it.plans[0].name = "a/b";
        it.plans[1].name = "A b";
    });
    QCOMPARE(exported(project, folder("twins"), {"--format", "svg"}).status, 0);
    const QStringList files = filesIn(folder("twins"));
    QVERIFY2(files.contains(QStringLiteral("a-b-schedule.svg")), qPrintable(files.join(' ')));
    QVERIFY2(files.contains(QStringLiteral("A-b-2-schedule.svg")), qPrintable(files.join(' ')));
}

void ExportAllTest::aPlanWithoutATimelineIsToldAndTheRestWritten() {
    const std::string project = changed("broken.stagecraft.json", [](Project& it) {
        it.plans[0].name = "broken";
        it.plans[0].stages.pop_back();
        it.plans[1].name = "whole";
    });
    const Outcome outcome = exported(project, folder("broken"), {"--format", "svg"});
    QCOMPARE(outcome.status, 1);
    QVERIFY2(mentions(outcome.err, "the plan 'broken' has no timeline"), outcome.err.c_str());
    const QStringList files = filesIn(folder("broken"));
    QVERIFY(files.contains(QStringLiteral("whole-schedule.svg")));
    QVERIFY(files.contains(QStringLiteral("comparison.svg")));
    QVERIFY(files.filter(QStringLiteral("broken")).isEmpty());
}

void ExportAllTest::aFigureThatFailsIsToldAndTheRestWritten() {
    // A folder where a figure belongs cannot be replaced by a file.
    QVERIFY(QDir().mkpath(folder("taken/comparison.svg/x")));
    const Outcome outcome = exported(project_, folder("taken"), {"--format", "svg", "--force"});
    QCOMPARE(outcome.status, 1);
    QVERIFY2(mentions(outcome.err, "comparison.svg"), outcome.err.c_str());
    QVERIFY(!mentions(outcome.out, "comparison.svg"));
    QVERIFY(filesIn(folder("taken")).contains(QStringLiteral("bandwidths.svg")));
}

void ExportAllTest::aFolderThatIsNotEmptyIsKeptUnlessForced() {
    QVERIFY(QDir().mkpath(folder("mine")));
    const auto keep = (folder("mine") + "/cluster.svg").toStdString();
    writeFileAtomically(keep, "mine");
    const Outcome refused = exported(project_, folder("mine"), {"--format", "svg"});
    QCOMPARE(refused.status, 2);
    QVERIFY2(mentions(refused.err, "is not empty; expected a new or empty folder, or --force"),
             refused.err.c_str());
    QCOMPARE(filesIn(folder("mine")).size(), 1);
    QCOMPARE(readTextFile(keep), std::string("mine"));
    QCOMPARE(exported(project_, folder("mine"), {"--format", "svg", "--force"}).status, 0);
    QVERIFY(readTextFile(keep).starts_with("<?xml"));
    const Outcome file = exported(project_, QString::fromStdString(keep));
    QCOMPARE(file.status, 2);
    QVERIFY2(mentions(file.err, "not a folder"), file.err.c_str());
}

void ExportAllTest::whatChoosesOneFigureIsRefused() {
    const std::vector<std::vector<std::string>> refused = {
        {"--plan", "0"},   {"--keep", "x"}, {"--figure", "x"},  {"--view", "memory"},
        {"--from-s", "1"}, {"--fps", "10"}, {"--format", "csv"}};
    for (const auto& more : refused) {
        const Outcome outcome = exported(project_, folder("none"), more);
        QCOMPARE(outcome.status, 2);
        QVERIFY2(mentions(outcome.err, more[0]), outcome.err.c_str());
        QVERIFY(!QFileInfo::exists(folder("none")));
    }
    const Outcome forced = call({"export", project_, "--plan", "0", "--format", "svg", "--force", "--out",
                                 folder("x.svg").toStdString()});
    QVERIFY2(forced.status == 2 && mentions(forced.err, "--force"), forced.err.c_str());
}

void ExportAllTest::theWindowWritesThemIntoAFolder() {
    QVERIFY(QDir().mkpath(folder("window")));
    MainWindow window;
    window.show();
    QAction* action = window.actionRegister().action(QStringLiteral("file.exportAll"));
    QVERIFY(!action->isEnabled());
    openAndWait(window, QLatin1String(project_));
    QTRY_VERIFY_WITH_TIMEOUT(!window.planning().isBusy(), 60'000);
    QVERIFY(action->isEnabled());
    QSignalSpy done(&window, &MainWindow::exported);
    chooseFolder(folder("window"));
    action->trigger();
    QVERIFY(!action->isEnabled());
    auto* bar = window.findChild<AllFigures*>();
    QVERIFY(bar->isVisible());
    QVERIFY(done.wait(60'000));
    QVERIFY(!bar->isVisible());
    QVERIFY(action->isEnabled());
    // As the command does.
    QCOMPARE(exported(project_, folder("command")).status, 0);
    const QStringList files = filesIn(folder("window"));
    QCOMPARE(files, filesIn(folder("command")));
    for (const QString& file : files)
        QCOMPARE(readTextFile((folder("window") + '/' + file).toStdString()),
                 readTextFile((folder("command") + '/' + file).toStdString()));
    QVERIFY2(window.statusBar()->currentMessage().startsWith(
                 QStringLiteral("%1 figures exported to ").arg(files.size())),
             qPrintable(window.statusBar()->currentMessage()));
}

void ExportAllTest::theWindowAsksBeforeItReplaces() {
    QVERIFY(QDir().mkpath(folder("asked")));
    const auto keep = (folder("asked") + "/cluster.pdf").toStdString();
    writeFileAtomically(keep, "mine");
    MainWindow window;
    window.show();
    openAndWait(window, QLatin1String(project_));
    QTRY_VERIFY_WITH_TIMEOUT(!window.planning().isBusy(), 60'000);
    const auto answerWith = [](const QString& text) {
        auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
        QVERIFY(box);
        QVERIFY2(box->text().contains(QStringLiteral("1 file of the same name")), qPrintable(box->text()));
        for (QAbstractButton* button : box->buttons())
            if (button->text() == text) return QTest::mouseClick(button, Qt::LeftButton);
        QFAIL("no such button");
    };
    QAction* action = window.actionRegister().action(QStringLiteral("file.exportAll"));
    for (const char* text : {"Cancel", "Replace"}) {
        QSignalSpy done(&window, &MainWindow::exported);
        chooseFolder(folder("asked"), [&] { answerWith(QLatin1String(text)); });
        action->trigger();
        const bool replaces = text[0] == 'R';
        QCOMPARE(!action->isEnabled(), replaces);
        if (replaces) QVERIFY(done.wait(60'000));
        QCOMPARE(readTextFile(keep) == "mine", !replaces);
    }
}

void ExportAllTest::theWindowCanBeToldToStop() {
    QVERIFY(QDir().mkpath(folder("stopped")));
    MainWindow window;
    window.show();
    openAndWait(window, QLatin1String(project_));
    QTRY_VERIFY_WITH_TIMEOUT(!window.planning().isBusy(), 60'000);
    QSignalSpy done(&window, &MainWindow::exported);
    window.findChild<AllFigures*>()->exportTo(AllFigures::Which::all, folder("stopped"),
                                              *figureFormatNamed(QStringLiteral("png")), {});
    click(window, QStringLiteral("cancelAllFigures"));
    QVERIFY(done.wait(60'000));
    QVERIFY2(window.statusBar()->currentMessage().startsWith(QStringLiteral("Cancelled: ")),
             qPrintable(window.statusBar()->currentMessage()));
    QVERIFY(filesIn(folder("stopped")).size() < filesIn(folder("command")).size());
}

STAGECRAFT_TEST(ExportAllTest)
#include "export_all_test.moc"
