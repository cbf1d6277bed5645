// Figures that a project keeps: from the command line, in its file, and in the window.
#include "app/figures/figure_dialog.h"
#include "app/figures/figure_settings.h"
#include "app/panels/project_tree.h"
#include "app/shell/all_figures.h"
#include "app/shell/workbench.h"
#include "core/planners/planned_run.h"
#include "core/formats/files/project_file.h"
#include "tests/app/command_call.h"
#include "tests/app/sample_files.h"
#include "tests/app/window_fixture.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "views/figures/figure_preview.h"

#include <nlohmann/json.hpp>
#include <QDir>
#include <QFileDialog>
#include <QLineEdit>
#include <QRegularExpression>
#include <QSettings>
#include <QStatusBar>
#include <QtTest>

using namespace stagecraft;
using testing::call;
using testing::mentions;
using testing::Outcome;

class KeptFiguresTest : public QObject {
    Q_OBJECT
private slots:
    void whatIsKeptIsDrawnTheSame_data();
    void whatIsKeptIsDrawnTheSame();
    void aNameIsKeptOnce();
    void keptOnesAreRemadeAndWhatDiffersIsSaid();
    void eachIsRemadeInItsOwnFormatUnlessAnotherIsAskedFor();
    void aFigureOfAPlanThatIsGoneIsToldAndTheRestWritten();
    void whatCannotBeSaysWhy();
    void faultyFilesNameThePlace_data();
    void faultyFilesNameThePlace();
    void theDialogueKeepsWhatItShows();
    void aKeptFigureIsOpenedRenamedAndRemoved();
    void figuresFollowTheNameOfTheirPlan();
    void theWindowRemakesThemWithOneClick();
    void numbersAreMacrosOfLettersAlone();

private:
    std::string file(const std::string& name) const {
        return home_.file(QString::fromStdString(name)).toStdString();
    }
    /// A copy of the sample of which figures may be kept.
    std::string copied(const std::string& name) const {
        const std::string path = file(name + ".stagecraft.json");
        writeFileAtomically(path, readTextFile(sample));
        return path;
    }
    Outcome kept(const std::string& project, const std::string& name, std::vector<std::string> more) {
        std::vector<std::string> words{
            "export", project, "--format", "svg", "--out", file(name + "-first.svg"), "--keep", name};
        words.insert(words.end(), more.begin(), more.end());
        return call(words);
    }
    static KeptFigure figureOf(const std::string& project, std::size_t index = 0) {
        return openProject(project).figures.at(index);
    }
    /// The dialogue that is open, from within its exec().
    static void inDialogue(const std::function<void(FigureDialog&)>& act, int triesLeft = 100) {
        QTimer::singleShot(50, qApp, [act, triesLeft] {
            auto* dialog = qobject_cast<FigureDialog*>(QApplication::activeModalWidget());
            if (!dialog && triesLeft > 0) return inDialogue(act, triesLeft - 1);
            QVERIFY(dialog);
            QTRY_VERIFY_WITH_TIMEOUT(!dialog->preview().isBusy(), 20'000);
            act(*dialog);
            dialog->reject();
        });
    }
    static QTreeWidgetItem* rowOf(ProjectTree& tree, const QString& name) {
        const auto rows = tree.findItems(name, Qt::MatchExactly | Qt::MatchRecursive);
        return rows.isEmpty() ? nullptr : rows.front();
    }
    struct Open {
        explicit Open(const std::string& path) {
            window.show();
            openAndWait(window, QString::fromStdString(path));
            QTRY_VERIFY_WITH_TIMEOUT(!window.planning().isBusy(), 60'000);
        }
        ProjectTree& tree() { return *window.findChild<ProjectTree*>(); }
        MainWindow window;
    };

    PrivateHome home_;
    static constexpr const char* sample = STAGECRAFT_SOURCE_DIR "/samples/gpipe-1f1b.stagecraft.json";
};

void KeptFiguresTest::whatIsKeptIsDrawnTheSame_data() {
    QTest::addColumn<QStringList>("options");
    const auto row = [](const char* name, const QStringList& options) { QTest::newRow(name) << options; };
    row("schedule", {"--plan", "1F1B", "--axis", "blocks", "--count-from-1", "--legend-names", "forward=F"});
    row("range and lanes", {"--plan", "1F1B", "--from-s", "0.004", "--to-s", "0.012", "--lanes", "0,2-3"});
    row("marks", {"--plan", "GPipe", "--mark", "bracket:0-0.004::warm-up", "--font-pt", "8"});
    row("memory of one GPU", {"--plan", "GPipe", "--view", "memory", "--memory-device", "s0g1", "--grey"});
    row("partition", {"--plan", "GPipe", "--view", "partition", "--lane-mm", "9"});
    row("panels", {"--view", "panels", "--panel", "1F1B", "--panel", "GPipe", "--panel", "1F1B:memory"});
    row("panels with marks",
        {"--view", "panels", "--panel", "GPipe", "--panel", "1F1B", "--mark", "b/bracket:0-0.004::warm-up"});
    row("panels in a grid", {"--view", "panels", "--panel", "GPipe", "--panel", "1F1B", "--panel",
                             "1F1B:memory", "--panel-columns", "2", "--width-mm", "178", "--memory-lines"});
    row("an arrow from panel to panel", {"--view", "panels", "--panel", "GPipe", "--panel", "1F1B", "--mark",
                                         "a/arrow:0.002-0.004:s0g0>b/s0g1:sooner"});
    row("memory in one frame", {"--plan", "GPipe", "--view", "memory", "--memory-lines"});
    row("comparison with what was published",
        {"--view", "compare", "--published", "GPipe=40 ms (35 ms-45 ms)|1F1B=41 ms"});
    row("comparison", {"--view", "compare", "--reference", "GPipe"});
    row("cluster", {"--view", "cluster", "--width-mm", "120"});
    row("cluster by stage", {"--cluster", "--plan", "1F1B"});
    row("bandwidths", {"--view", "bandwidth"});
}

void KeptFiguresTest::whatIsKeptIsDrawnTheSame() {
    QFETCH(QStringList, options);
    const std::string project = copied("same");
    std::vector<std::string> more;
    for (const QString& option : options) more.push_back(option.toStdString());
    const Outcome first = kept(project, "x", more);
    QVERIFY2(first.status == 0, first.err.c_str());
    const Outcome again =
        call({"export", project, "--figure", "x", "--format", "svg", "--out", file("again.svg")});
    QVERIFY2(again.status == 0, again.err.c_str());
    QCOMPARE(readTextFile(file("again.svg")), readTextFile(file("x-first.svg")));
    // The rest of the project is as it was.
    Project now = openProject(project);
    QCOMPARE(now.figures.size(), 1u);
    now.figures.clear();
    QVERIFY(now == openProject(sample));
}

void KeptFiguresTest::aNameIsKeptOnce() {
    const std::string project = copied("once");
    QCOMPARE(kept(project, "a", {"--plan", "GPipe"}).status, 0);
    QCOMPARE(kept(project, "b", {"--plan", "GPipe"}).status, 0);
    QCOMPARE(kept(project, "a", {"--plan", "1F1B", "--grey"}).status, 0);
    const std::vector<KeptFigure> figures = openProject(project).figures;
    QCOMPARE(figures.size(), 2u);
    QCOMPARE(figures[0].name, std::string("a"));
    QCOMPARE(figures[0].plan, std::string("1F1B"));
    // Options of style change it for once.
    QCOMPARE(
        call({"export", project, "--figure", "b", "--grey", "--format", "svg", "--out", file("grey.svg")})
            .status,
        0);
    QVERIFY(readTextFile(file("grey.svg")) != readTextFile(file("b-first.svg")));
    QVERIFY(openProject(project).figures == figures);
}

void KeptFiguresTest::keptOnesAreRemadeAndWhatDiffersIsSaid() {
    const std::string path = copied("remade");
    QCOMPARE(kept(path, "fig 1", {"--plan", "1F1B"}).status, 0);
    QCOMPARE(kept(path, "fig:2", {"--view", "cluster"}).status, 0);
    const std::string folder = file("remade");
    const Outcome first = call({"export", path, "--all", "--kept", "--format", "svg", "--out", folder});
    QVERIFY2(first.status == 0, first.err.c_str());
    const QDir made(QString::fromStdString(folder));
    QCOMPARE(made.entryList(QDir::Files, QDir::Name), (QStringList{"fig-1.svg", "fig-2.svg"}));
    QCOMPARE(readTextFile(folder + "/fig-1.svg"), readTextFile(file("fig 1-first.svg")));
    Project project = openProject(path);
    for (Layer& layer : project.problem.profile.layers) layer.forwardS *= 2;
    writeFileAtomically(path, writeProject(project));
    const Outcome again =
        call({"export", path, "--all", "--kept", "--format", "svg", "--force", "--out", folder});
    QVERIFY2(again.status == 0, again.err.c_str());
    QVERIFY2(mentions(again.err, "1 changed (fig-1.svg), 1 as it was"), again.err.c_str());
    // Beside all others they have their names too.
    QCOMPARE(call({"export", path, "--all", "--format", "svg", "--out", file("with")}).status, 0);
    QCOMPARE(readTextFile(file("with") + "/fig-1.svg"), readTextFile(folder + "/fig-1.svg"));
    QVERIFY(QFileInfo::exists(QString::fromStdString(file("with") + "/1F1B-schedule.svg")));
}

void KeptFiguresTest::eachIsRemadeInItsOwnFormatUnlessAnotherIsAskedFor() {
    const std::string path = copied("formats");
    QCOMPARE(kept(path, "drawn", {"--plan", "1F1B"}).status, 0);
    QCOMPARE(call({"export", path, "--plan", "GPipe", "--format", "tikz", "--keep", "set", "--out",
                   file("set-first.tex")})
                 .status,
             0);
    const auto namesIn = [](const std::string& folder) {
        return QDir(QString::fromStdString(folder)).entryList(QDir::Files, QDir::Name);
    };
    QCOMPARE(call({"export", path, "--all", "--kept", "--out", file("own")}).status, 0);
    QCOMPARE(namesIn(file("own")), (QStringList{"drawn.svg", "set.tex"}));
    QCOMPARE(readTextFile(file("own") + "/set.tex"), readTextFile(file("set-first.tex")));
    QCOMPARE(call({"export", path, "--all", "--kept", "--format", "pdf", "--out", file("asked")}).status, 0);
    QCOMPARE(namesIn(file("asked")), (QStringList{"drawn.pdf", "set.pdf"}));
    Project project = openProject(path);
    project.figures[1].format = "woodcut";
    writeFileAtomically(path, writeProject(project));
    const Outcome wrong = call({"export", path, "--all", "--kept", "--out", file("wrong")});
    QCOMPARE(wrong.status, 1);
    QVERIFY2(mentions(wrong.err, "its format is 'woodcut'; expected one of "), wrong.err.c_str());
}

void KeptFiguresTest::aFigureOfAPlanThatIsGoneIsToldAndTheRestWritten() {
    const std::string path = copied("gone");
    QCOMPARE(kept(path, "lost", {"--plan", "1F1B"}).status, 0);
    QCOMPARE(kept(path, "there", {"--plan", "GPipe"}).status, 0);
    Project project = openProject(path);
    std::erase_if(project.plans, [](const Plan& plan) { return titleOf(plan) == "1F1B"; });
    project.origins.clear();
    project.notes.clear();
    writeFileAtomically(path, writeProject(project));
    const Outcome outcome =
        call({"export", path, "--all", "--kept", "--format", "svg", "--out", file("gone")});
    QCOMPARE(outcome.status, 1);
    QVERIFY2(mentions(outcome.err, "lost.svg: the project has no simulated plan '1F1B'"),
             outcome.err.c_str());
    QVERIFY(QFileInfo::exists(QString::fromStdString(file("gone") + "/there.svg")));
}

void KeptFiguresTest::whatCannotBeSaysWhy() {
    const std::string path = copied("cannot");
    const auto fails = [](const Outcome& outcome, const char* why) {
        return outcome.status == 2 && mentions(outcome.err, why);
    };
    QVERIFY(fails(call({"export", path, "--figure", "x", "--format", "svg", "--out", file("x.svg")}),
                  "keeps no figures"));
    QVERIFY(fails(call({"export", path, "--all", "--kept", "--out", file("none")}), "keeps no figures"));
    QVERIFY(fails(call({"export", path, "--plan", "0", "--kept", "--format", "svg", "--out", file("x.svg")}),
                  "--kept is about a folder"));
    QCOMPARE(kept(path, "x", {"--plan", "GPipe"}).status, 0);
    QVERIFY(fails(call({"export", path, "--figure", "y", "--format", "svg", "--out", file("x.svg")}), "x"));
    QVERIFY(fails(kept(path, "", {"--plan", "GPipe"}), "--keep is empty"));
    QCOMPARE(openProject(path).figures.size(), 1u);
    // What is no project keeps nothing.
    const std::string cluster = STAGECRAFT_SOURCE_DIR "/samples/clusters/dgx1.cluster.json";
    const std::string before = readTextFile(cluster);
    QVERIFY(kept(cluster, "x", {}).status != 0);
    QCOMPARE(readTextFile(cluster), before);
}

void KeptFiguresTest::faultyFilesNameThePlace_data() {
    QTest::addColumn<QString>("figures");
    QTest::addColumn<QString>("place");
    const auto row = [](const char* name, const char* figures, const char* place) {
        QTest::newRow(name) << QString::fromLatin1(figures) << QString::fromLatin1(place);
    };
    row("no name", R"([{"view": "cluster"}])", "/figures/0");
    row("an empty name", R"([{"name": ""}])", "/figures/0/name");
    row("a name twice", R"([{"name": "a"}, {"name": "a"}])", "/figures/1/name");
    row("a field", R"([{"name": "a", "plans": "x"}])", "/figures/0");
    row("a time", R"([{"name": "a", "from_s": 2, "to_s": 1}])", "/figures/0/to_s");
    row("a link", R"([{"name": "a", "link": ["x"]}])", "/figures/0/link");
    row("a lane", R"([{"name": "a", "lanes": [-1]}])", "/figures/0/lanes/0");
    row("a panel", R"([{"name": "a", "panels": [{"view": "memory"}]}])", "/figures/0/panels/0");
    row("a mark", R"([{"name": "a", "marks": [{"at_s": "x"}]}])", "/figures/0/marks/0/at_s");
    row("a style", R"([{"name": "a", "style": 3}])", "/figures/0/style");
}

void KeptFiguresTest::faultyFilesNameThePlace() {
    QFETCH(QString, figures);
    QFETCH(QString, place);
    nlohmann::json document = nlohmann::json::parse(readTextFile(sample));
    document["figures"] = nlohmann::json::parse(figures.toStdString());
    try {
        readProject(document.dump(), "FILE", ".");
        QFAIL("it was read");
    } catch (const InputError& error) {
        QVERIFY2(mentions(error.what(), place.toStdString()), error.what());
        QVERIFY2(mentions(error.what(), "FILE"), error.what());
    }
}

void KeptFiguresTest::theDialogueKeepsWhatItShows() {
    const std::string path = copied("dialogue");
    Open open(path);
    QVERIFY(open.window.workspace().figures().empty());
    open.window.workbench().showPlan(open.window.workspace().plans().front().id);
    inDialogue([](FigureDialog& dialog) {
        auto* keep = dialog.findChild<QPushButton*>(QStringLiteral("keepFigure"));
        auto* name = dialog.findChild<QLineEdit*>(QStringLiteral("keptName"));
        QVERIFY(keep->isVisible() && !keep->isEnabled());
        QTest::mouseClick(name, Qt::LeftButton);
        QTest::keyClicks(name, QStringLiteral("fig-3"));
        QVERIFY(keep->isEnabled());
        QTest::mouseClick(keep, Qt::LeftButton);
    });
    open.window.actionRegister().action(QStringLiteral("file.export"))->trigger();
    const std::vector<KeptFigure>& figures = open.window.workspace().figures();
    QCOMPARE(figures.size(), 1u);
    QCOMPARE(figures[0].name, std::string("fig-3"));
    QCOMPARE(figures[0].format, std::string("pdf"));  // as the dialogue has it at first
    QCOMPARE(QString::fromStdString(figures[0].plan), open.window.workspace().plans().front().title());
    QVERIFY(rowOf(open.tree(), QStringLiteral("fig-3")));
    QVERIFY(open.window.workspace().isDirty());
    open.window.workspace().undoStack()->undo();
    QVERIFY(open.window.workspace().figures().empty());
    QVERIFY(!rowOf(open.tree(), QStringLiteral("fig-3")));
}

void KeptFiguresTest::aKeptFigureIsOpenedRenamedAndRemoved() {
    const std::string path = copied("opened");
    QCOMPARE(kept(path, "a",
                  {"--view", "panels", "--panel", "1F1B", "--panel", "GPipe", "--panel", "1F1B:memory",
                   "--width-mm", "84"})
                 .status,
             0);
    QCOMPARE(kept(path, "b", {"--view", "cluster"}).status, 0);
    Open open(path);
    ProjectTree& tree = open.tree();
    QTreeWidgetItem* row = rowOf(tree, QStringLiteral("a"));
    QVERIFY(row);
    const KeptFigure before = figureOf(path);
    bool seen = false;
    inDialogue([&](FigureDialog& dialog) {
        QCOMPARE(dialog.preview().figure()->widthMm, 84.0);
        QCOMPARE(dialog.choice().part->panels->size(), 3u);
        QTest::mouseClick(dialog.findChild<QPushButton*>(QStringLiteral("keepFigure")), Qt::LeftButton);
        seen = true;
    });
    const QPoint at = tree.visualItemRect(row).center();
    QTest::mouseClick(tree.viewport(), Qt::LeftButton, {}, at);
    QTest::mouseDClick(tree.viewport(), Qt::LeftButton, {}, at);
    QTRY_VERIFY_WITH_TIMEOUT(seen, 20'000);
    // Kept again as it was opened it is the same.
    QVERIFY(open.window.workspace().figures().front() == before);
    const auto rename = [&](const QString& wanted) {
        tree.setCurrentItem(rowOf(tree, QStringLiteral("a")));
        tree.editItem(tree.currentItem(), 0);
        auto* editor = tree.viewport()->findChild<QLineEdit*>();
        QVERIFY(editor);
        QTest::keyClicks(editor, wanted);
        QTest::keyClick(editor, Qt::Key_Return);
        QCoreApplication::processEvents();
    };
    rename(QStringLiteral("b"));  // another figure's
    QTRY_VERIFY(rowOf(tree, QStringLiteral("a")));
    rename(QStringLiteral("overview"));
    QTRY_COMPARE(open.window.workspace().figures().front().name, std::string("overview"));
    tree.setCurrentItem(rowOf(tree, QStringLiteral("overview")));
    QTest::keyClick(&tree, Qt::Key_Delete);
    QTRY_COMPARE(open.window.workspace().figures().size(), 1u);
    QCOMPARE(open.window.workspace().figures().front().name, std::string("b"));
}

void KeptFiguresTest::figuresFollowTheNameOfTheirPlan() {
    const std::string path = copied("follow");
    QCOMPARE(kept(path, "a", {"--plan", "1F1B"}).status, 0);
    QCOMPARE(kept(path, "b", {"--view", "panels", "--panel", "GPipe", "--panel", "1F1B"}).status, 0);
    QCOMPARE(
        kept(path, "c", {"--view", "compare", "--reference", "1F1B", "--published", "GPipe=40 ms|1F1B=41 ms"})
            .status,
        0);
    Open open(path);
    Workspace& workspace = open.window.workspace();
    const auto& plans = workspace.plans();
    const auto plan = std::find_if(plans.begin(), plans.end(), [](const PlanItem& item) {
        return item.title() == QLatin1String("1F1B");
    });
    QVERIFY(plan != plans.end());
    const std::vector<KeptFigure> before = workspace.figures();
    workspace.renamePlan(plan->id, QStringLiteral("mine"));
    QCOMPARE(workspace.figures()[0].plan, std::string("mine"));
    QCOMPARE(workspace.figures()[1].panels[1].plan, std::string("mine"));
    QCOMPARE(workspace.figures()[1].panels[0].plan, std::string("GPipe"));
    QCOMPARE(workspace.figures()[2].reference, std::string("mine"));
    QCOMPARE(workspace.figures()[2].published[0].plan, std::string("GPipe"));
    QCOMPARE(workspace.figures()[2].published[1].plan, std::string("mine"));
    QCOMPARE(workspace.figures()[2].published[1].time, std::string("41 ms"));
    workspace.undoStack()->undo();  // in one step
    QVERIFY(workspace.figures() == before);
    QCOMPARE(workspace.plan(plan->id)->title(), QStringLiteral("1F1B"));
}

void KeptFiguresTest::theWindowRemakesThemWithOneClick() {
    const std::string path = copied("click");
    QAction* action = nullptr;
    {
        Open without(path);
        action = without.window.actionRegister().action(QStringLiteral("file.remakeKept"));
        QVERIFY(!action->isEnabled());
    }
    QCOMPARE(kept(path, "a", {"--plan", "1F1B"}).status, 0);
    Open open(path);
    const QString folder = home_.file(QStringLiteral("click"));
    QVERIFY(QDir().mkpath(folder));
    action = open.window.actionRegister().action(QStringLiteral("file.remakeKept"));
    QVERIFY(action->isEnabled());
    QSignalSpy done(&open.window, &MainWindow::exported);
    QTimer::singleShot(0, qApp, [folder] {
        auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
        QVERIFY(dialog);
        dialog->findChild<QLineEdit*>()->setText(folder);
        QTest::keyClick(dialog->findChild<QLineEdit*>(), Qt::Key_Return);
    });
    action->trigger();
    QVERIFY(done.wait(60'000));
    QVERIFY2(open.window.statusBar()->currentMessage().endsWith(QStringLiteral(": 1 new")),
             qPrintable(open.window.statusBar()->currentMessage()));
    // The second time nothing is asked, and it says what differs.
    TrainingSetup setup = open.window.workspace().problem().setup;
    setup.microbatches *= 2;
    open.window.workspace().setSetup(setup);
    QTRY_VERIFY_WITH_TIMEOUT(!open.window.planning().isBusy(), 60'000);
    QTRY_VERIFY_WITH_TIMEOUT(action->isEnabled(), 60'000);
    action->trigger();
    QVERIFY(done.wait(60'000));
    QVERIFY2(open.window.statusBar()->currentMessage().endsWith(QStringLiteral(": 1 changed (a.svg)")),
             qPrintable(open.window.statusBar()->currentMessage()));
}

void KeptFiguresTest::numbersAreMacrosOfLettersAlone() {
    Project project = openProject(sample);
    project.plans.push_back(project.plans.front());
    project.plans.back().name = "1F1B (µ, 50 %)";
    project.origins.clear();
    project.notes.clear();
    const std::string path = file("numbers.stagecraft.json");
    writeFileAtomically(path, writeProject(project));
    const Outcome outcome = call({"export", path, "--numbers", file("n.tex"), "--reference", "GPipe"});
    QVERIFY2(outcome.status == 0, outcome.err.c_str());
    const QString text = QString::fromStdString(readTextFile(file("n.tex")));
    static const QRegularExpression macro(
        QStringLiteral("^\\\\newcommand\\{\\\\([A-Za-z]+)\\}\\{(.*)\\} % .+$"));
    QMap<QString, QString> macros;
    for (const QString& line : text.split('\n', Qt::SkipEmptyParts)) {
        if (line.startsWith('%')) continue;
        const QRegularExpressionMatch match = macro.match(line);
        QVERIFY2(match.hasMatch(), qPrintable(line));
        QVERIFY2(!macros.contains(match.captured(1)), qPrintable(line));
        macros.insert(match.captured(1), match.captured(2));
        QVERIFY2(!QRegularExpression(QStringLiteral("(?<!\\\\)%")).match(match.captured(2)).hasMatch(),
                 qPrintable(line));
    }
    const auto costs = std::make_shared<const CostModel>(project.problem);
    const auto evaluated = [&](const char* title) {
        for (const Plan& plan : project.plans)
            if (titleOf(plan) == title) return evaluatePlan(costs, plan);
        throw std::out_of_range(title);
    };
    const PlanRun one = evaluated("1F1B"), gpipe = evaluated("GPipe");
    const auto tex = [](const std::string& quantity) {
        return QString::fromStdString(quantity).replace(' ', QLatin1String("\\,"));
    };
    QCOMPARE(macros.value(QStringLiteral("OneFOneBIterationTime")), tex(formatSeconds(one.iterationTimeS())));
    QCOMPARE(macros.value(QStringLiteral("OneFOneBSpeedupOverReference")),
             QString::fromStdString(formatNumber(gpipe.iterationTimeS() / one.iterationTimeS())) +
                 QLatin1String("$\\times$"));
    QCOMPARE(macros.value(QStringLiteral("ProjectGPUs")),
             QString::number(project.problem.cluster.deviceCount()));
    QVERIFY(macros.contains(QStringLiteral("OneFOneBFiveZeroIterationTime")));
}

STAGECRAFT_TEST(KeptFiguresTest)
#include "kept_figures_test.moc"
