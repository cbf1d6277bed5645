// From the start page to a plan in one dialogue: model, machines, and memory checked before anything runs.
#include "app/start/new_plan_dialog.h"

#include "app/pareto/frontier_page.h"
#include "app/shell/workbench.h"
#include "core/formats/files/import.h"
#include "core/planners/planned_run.h"
#include "core/planners/planning_goal.h"
#include "tests/app/window_fixture.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "views/common/theme.h"
#include "views/plan/questions.h"

#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QDropEvent>
#include <QFile>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QRadioButton>
#include <QSpinBox>
#include <QToolButton>

using namespace stagecraft;

class NewPlanDialogTest : public QObject {
    Q_OBJECT

    PrivateHome home_;

    static QString data(const char* path) {
        return QStringLiteral(STAGECRAFT_SOURCE_DIR "/tests/data/") + QLatin1String(path);
    }

    /// Opened by the button of the start page, and checked.
    static NewPlanDialog* opened(MainWindow& window) {
        window.resize(1280, 800);
        window.show();
        click(window, QStringLiteral("newPlan"));
        auto* dialog = window.findChild<NewPlanDialog*>();
        if (dialog) [&] { QTRY_VERIFY(dialog->isReady()); }();
        return dialog;
    }
    static QListWidget& list(NewPlanDialog& dialog, const char* name) {
        return *dialog.findChild<QListWidget*>(QLatin1String(name));
    }
    static QString chosen(NewPlanDialog& dialog, const char* name) {
        const QListWidgetItem* item = list(dialog, name).currentItem();
        return item ? item->text() : QString();
    }
    static void type(NewPlanDialog& dialog, const char* name, const char* words) {
        auto* field = dialog.findChild<QLineEdit*>(QStringLiteral("find:") + QLatin1String(name));
        QVERIFY(field);
        field->setFocus();
        field->selectAll();
        QTest::keyClicks(field, QLatin1String(words));
    }
    static QString memory(NewPlanDialog& dialog) {
        return dialog.findChild<QLabel*>(QStringLiteral("memoryOutlook"))->text();
    }
    static QPushButton& planButton(NewPlanDialog& dialog) {
        return *dialog.findChild<QPushButton*>(QStringLiteral("planModel"));
    }
    static void setCount(NewPlanDialog& dialog, int count) {
        auto* box = dialog.findChild<QSpinBox*>(QStringLiteral("machineCount"));
        QVERIFY(box && box->isVisible());
        box->setFocus();
        box->selectAll();
        QTest::keyClicks(box, QString::number(count));
    }
    static void forget(MainWindow& window) {
        QTRY_VERIFY_WITH_TIMEOUT(!window.planning().isBusy(), 60'000);
        window.workspace().undoStack()->setClean();
    }

private slots:
    void initTestCase() { applyTheme(*qApp, ThemeChoice::light); }

    void twoClicksMakeAPlanOfADefault() {
        MainWindow window;
        NewPlanDialog* dialog = opened(window);
        QVERIFY(dialog && dialog->isVisible());
        QCOMPARE(chosen(*dialog, "models"), QStringLiteral("Llama 3 8B"));
        QVERIFY(chosen(*dialog, "machines").startsWith(QStringLiteral("DGX H100")));
        QVERIFY2(memory(*dialog).contains(QStringLiteral("This fits")), qPrintable(memory(*dialog)));
        QVERIFY2(memory(*dialog).contains(QStringLiteral("16 GPUs have 1.25 TiB together")),
                 qPrintable(memory(*dialog)));
        QTest::mouseClick(&planButton(*dialog), Qt::LeftButton);
        QVERIFY(window.planning().isPlanning());
        QTRY_VERIFY_WITH_TIMEOUT(!window.planning().isPlanning(), 60'000);
        QTRY_VERIFY(!window.findChild<NewPlanDialog*>());
        const Problem& problem = window.workspace().problem();
        QCOMPARE(problem.cluster.deviceCount(), 16);
        QCOMPARE(problem.setup.optimizer, model::Optimizer::adam);
        QCOMPARE(problem.setup.microbatches, 64);
        QCOMPARE(window.workspace().plans().size(), std::size_t{1});
        const PlanItem& plan = window.workspace().plans().front();
        QVERIFY(plan.run && plan.run->ok() && plan.plan.claims.fitsMemory);
        QCOMPARE(window.workbench().currentPlan(), plan.id);
        QVERIFY(window.workspace().isDirty());
        window.workspace().undoStack()->undo();
        QVERIFY(window.workspace().plans().empty());
        forget(window);
    }

    void theFastestLayoutIsSearchedAndItsPlanSaysWhatIsProven() {
        MainWindow window;
        NewPlanDialog* dialog = opened(window);
        click(*dialog, QStringLiteral("goal:layouts"));
        QVERIFY2(memory(*dialog).contains(QStringLiteral("64 samples in an iteration on 16 GPUs")),
                 qPrintable(memory(*dialog)));
        click(*dialog, QStringLiteral("planModel"));
        QTRY_VERIFY_WITH_TIMEOUT(window.workspace().plans().size() == 1, 60'000);
        const PlanItem& plan = window.workspace().plans().front();
        QTRY_VERIFY(plan.run);
        QVERIFY(plan.run->ok() && plan.run->evaluation->valid() && plan.plan.claims.fitsMemory);
        QCOMPARE(window.workbench().currentPlan(), plan.id);
        QCOMPARE(window.workspace().problem().samplesPerIteration(), 64.0);
        QTRY_VERIFY(window.workbench().planView(plan.id) && window.workbench().planView(plan.id)->isReady());
        const QString said = window.workbench().planView(plan.id)->questions().remarksText();
        QVERIFY2(said.contains(QStringLiteral("No plan of those that are searched")), qPrintable(said));
        // What one planner made of the same samples on the same GPUs takes no less time.
        Problem other = window.workspace().problem();
        const double foundS = plan.run->iterationTimeS();
        for (const planners::Planner* planner : plannersFor(*findPlanningGoal("best"), other.setup)) {
            const PlanRun run = runAndEvaluate(*planner, std::make_shared<const CostModel>(other), {});
            QVERIFY(run.ok() && foundS <= run.iterationTimeS() * (1 + 1e-9));
        }
        forget(window);
    }

    void theCheapestLayoutIsSearchedWithinATime() {
        MainWindow window;
        NewPlanDialog* dialog = opened(window);
        auto* objective = dialog->findChild<QComboBox*>(QStringLiteral("searchedFor"));
        auto* within = dialog->findChild<QDoubleSpinBox*>(QStringLiteral("searchedWithin"));
        QVERIFY(!objective->isVisible() && !within->isVisible());
        click(*dialog, QStringLiteral("goal:layouts"));
        QVERIFY(objective->isVisible() && !within->isVisible());
        objective->setFocus();
        QTest::keyClick(objective, Qt::Key_Down);
        QVERIFY(within->isVisible());
        QVERIFY2(memory(*dialog).contains(QStringLiteral("counted in GPU seconds")),
                 qPrintable(memory(*dialog)));
        // No plan is done in a millisecond.
        within->setFocus();
        within->selectAll();
        QTest::keyClicks(within, QStringLiteral("0.001"));
        QTest::keyClick(within, Qt::Key_Tab);
        click(*dialog, QStringLiteral("planModel"));
        QTRY_VERIFY_WITH_TIMEOUT(memory(*dialog).contains(QStringLiteral("takes no longer than asked")),
                                 60'000);
        within->setFocus();
        within->selectAll();
        QTest::keyClicks(within, QStringLiteral("0"));
        QTest::keyClick(within, Qt::Key_Tab);
        QCOMPARE(within->text(), QStringLiteral("any time"));
        click(*dialog, QStringLiteral("planModel"));
        QTRY_VERIFY_WITH_TIMEOUT(window.workspace().plans().size() == 1, 60'000);
        const PlanItem& plan = window.workspace().plans().front();
        QCOMPARE(plan.plan.name, std::string("Auto, cheapest"));
        QTRY_VERIFY(window.workbench().planView(plan.id) && window.workbench().planView(plan.id)->isReady());
        const QString said = window.workbench().planView(plan.id)->questions().remarksText();
        for (const char* part : {"It costs ", " GPU seconds an iteration of ", "of those that are searched"})
            QVERIFY2(said.contains(QLatin1String(part)), qPrintable(said));
        QVERIFY(!window.workbench().frontier()->isOffered());
        forget(window);
    }

    /// On one server, where planners have few degrees.
    void theFastestLayoutIsSearchedWithEveryPlanner() {
        MainWindow window;
        NewPlanDialog* dialog = opened(window);
        type(*dialog, "models", "bert large");
        type(*dialog, "machines", "dgx a100");
        setCount(*dialog, 1);
        QTRY_VERIFY_WITH_TIMEOUT(dialog->isReady(), 30'000);
        click(*dialog, QStringLiteral("goal:layouts"));
        auto* objective = dialog->findChild<QComboBox*>(QStringLiteral("searchedFor"));
        objective->setFocus();
        QTest::keyClick(objective, Qt::Key_End);
        QVERIFY(!dialog->findChild<QDoubleSpinBox*>(QStringLiteral("searchedWithin"))->isVisible());
        QVERIFY2(memory(*dialog).contains(QStringLiteral("each planner is run")),
                 qPrintable(memory(*dialog)));
        click(*dialog, QStringLiteral("planModel"));
        QTRY_VERIFY_WITH_TIMEOUT(window.workspace().plans().size() == 1, 120'000);
        const PlanItem& plan = window.workspace().plans().front();
        QTRY_VERIFY(plan.run && plan.run->ok());
        QTRY_VERIFY(window.workbench().planView(plan.id) && window.workbench().planView(plan.id)->isReady());
        const QString said = window.workbench().planView(plan.id)->questions().remarksText();
        QVERIFY2(said.contains(QStringLiteral("proven to be no faster by all work over all GPUs")),
                 qPrintable(said));
        forget(window);
    }

    void aSearchOfLayoutsEndsByEscapeAndTheDialogStays() {
        MainWindow window;
        NewPlanDialog* dialog = opened(window);
        type(*dialog, "models", "llama 405b");
        setCount(*dialog, 32);
        QTRY_VERIFY_WITH_TIMEOUT(dialog->isReady(), 30'000);
        click(*dialog, QStringLiteral("goal:layouts"));
        QVERIFY(planButton(*dialog).isEnabled());
        click(*dialog, QStringLiteral("planModel"));
        QCOMPARE(planButton(*dialog).text(), QStringLiteral("Take the best so far"));
        QTest::keyClick(dialog, Qt::Key_Escape);
        QTRY_COMPARE_WITH_TIMEOUT(planButton(*dialog).text(), QStringLiteral("Plan"), 20'000);
        QVERIFY(dialog->isVisible() && !window.workspace().isOpen());
        QVERIFY2(memory(*dialog).contains(QStringLiteral("in an iteration on 256 GPUs")),
                 qPrintable(memory(*dialog)));
        QTest::keyClick(dialog, Qt::Key_Escape);
        QTRY_VERIFY(!window.findChild<NewPlanDialog*>());
    }

    void enterAloneDoesToo() {
        MainWindow window;
        window.resize(1280, 800);
        window.show();
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QTest::keySequence(&window, QKeySequence(QStringLiteral("Ctrl+Shift+N")));
        auto* dialog = window.findChild<NewPlanDialog*>();
        QVERIFY(dialog);
        // It need not have been checked yet.
        QVERIFY(!dialog->isReady());
        QTest::keyClick(dialog->findChild<QLineEdit*>(QStringLiteral("find:models")), Qt::Key_Return);
        QTRY_VERIFY(window.workspace().isOpen());
        QTRY_COMPARE_WITH_TIMEOUT(window.workspace().plans().size(), std::size_t{1}, 60'000);
        forget(window);
    }

    void typedWordsChooseAndTheUsualGpuFollows() {
        MainWindow window;
        NewPlanDialog* dialog = opened(window);
        type(*dialog, "models", "bert large");
        QVERIFY2(chosen(*dialog, "models").contains(QStringLiteral("BERT"), Qt::CaseInsensitive),
                 qPrintable(chosen(*dialog, "models")));
        type(*dialog, "machines", "dgx a100");
        setCount(*dialog, 1);
        QVERIFY(!dialog->isReady());
        QTRY_VERIFY(dialog->isReady());
        QVERIFY2(memory(*dialog).contains(QStringLiteral("8 GPUs have")), qPrintable(memory(*dialog)));
        QTest::mouseClick(dialog->findChild<QToolButton*>(QStringLiteral("more")), Qt::LeftButton);
        auto* gpu = dialog->findChild<QComboBox*>(QStringLiteral("gpu"));
        QVERIFY(gpu && gpu->isVisible());
        QVERIFY2(gpu->currentText().startsWith(QStringLiteral("A100")), qPrintable(gpu->currentText()));
        QTest::mouseClick(dialog->findChild<QRadioButton*>(QStringLiteral("goal:none")), Qt::LeftButton);
        QCOMPARE(planButton(*dialog).text(), QStringLiteral("Open project"));
        QTest::mouseClick(&planButton(*dialog), Qt::LeftButton);
        QTRY_VERIFY(!window.findChild<NewPlanDialog*>());
        QCOMPARE(window.workspace().problem().cluster.deviceCount(), 8);
        QVERIFY(window.workspace().plans().empty() && !window.planning().isPlanning());
        QVERIFY(!window.workspace().problem().profile.layers.empty());
    }

    void wordsThatNothingHasSaySoInPlace() {
        MainWindow window;
        NewPlanDialog* dialog = opened(window);
        type(*dialog, "models", "no such model");
        QVERIFY2(memory(*dialog).contains(QStringLiteral("No model has this")), qPrintable(memory(*dialog)));
        QVERIFY(!planButton(*dialog).isEnabled());
        type(*dialog, "models", "qwen3 8b");
        QTRY_VERIFY(dialog->isReady() && planButton(*dialog).isEnabled());
    }

    void whatCannotFitIsSaidAndAButtonHelps() {
        MainWindow window;
        NewPlanDialog* dialog = opened(window);
        type(*dialog, "models", "llama 405b");
        QTRY_VERIFY(dialog->isReady());
        QVERIFY2(memory(*dialog).startsWith(QStringLiteral("Does not fit: ")), qPrintable(memory(*dialog)));
        QVERIFY2(memory(*dialog).contains(QStringLiteral("at least")), qPrintable(memory(*dialog)));
        QVERIFY(!planButton(*dialog).isEnabled());
        QTest::keyClick(dialog, Qt::Key_Return);
        QVERIFY(!window.workspace().isOpen());
        auto* remedy = dialog->findChild<QPushButton*>(QStringLiteral("remedy:0"));
        QVERIFY(remedy);
        QTRY_VERIFY(remedy->isVisible());  // once its row is laid out
        QVERIFY2(remedy->text().contains(QStringLiteral("servers")), qPrintable(remedy->text()));
        QTest::mouseClick(remedy, Qt::LeftButton);
        // What was offered was for what was there before.
        for (const QPushButton* button : dialog->findChildren<QPushButton*>())
            QVERIFY(!button->objectName().startsWith(QStringLiteral("remedy:")) || !button->isVisible());
        QVERIFY(!dialog->isReady());
        QTRY_VERIFY(dialog->isReady() && planButton(*dialog).isEnabled());
        QVERIFY2(memory(*dialog).contains(QStringLiteral("This fits")), qPrintable(memory(*dialog)));
        QVERIFY(dialog->findChild<QSpinBox*>(QStringLiteral("machineCount"))->value() > 2);
    }

    void lessThanKnownIsNotCalledFitting() {
        MainWindow window;
        NewPlanDialog* dialog = opened(window);
        type(*dialog, "models", "llama 3 70b");
        setCount(*dialog, 4);
        QTRY_VERIFY(dialog->isReady());
        QVERIFY2(memory(*dialog).contains(QStringLiteral("may not fit")), qPrintable(memory(*dialog)));
        QVERIFY2(planButton(*dialog).isEnabled(), "a planner may know better");
        auto* remedy = dialog->findChild<QPushButton*>(QStringLiteral("remedy:0"));
        QVERIFY(remedy);
        QTest::mouseClick(remedy, Qt::LeftButton);
        QTRY_VERIFY(dialog->isReady() && memory(*dialog).contains(QStringLiteral("This fits")));
        auto* recompute = dialog->findChild<QComboBox*>(QStringLiteral("setup:recomputation"));
        QCOMPARE(recompute->currentText(), QStringLiteral("full"));
    }

    void aPastedTextOfNvidiaSmiIsTheMachines() {
        MainWindow window;
        NewPlanDialog* dialog = opened(window);
        QFile file(data("public/01-h20-nv18.txt"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QGuiApplication::clipboard()->setText(QString::fromUtf8(file.readAll()));
        // Ctrl+V in the field, which takes words only.
        QTest::keySequence(dialog->findChild<QLineEdit*>(QStringLiteral("find:machines")),
                           QKeySequence(QKeySequence::Paste));
        QTRY_VERIFY(chosen(*dialog, "machines").contains(QStringLiteral("clipboard")));
        QTRY_VERIFY(dialog->isReady());
        QVERIFY2(memory(*dialog).contains(QStringLiteral("8 GPUs have")), qPrintable(memory(*dialog)));
        // As many servers of it as there are.
        setCount(*dialog, 2);
        QTRY_VERIFY(dialog->isReady());
        QVERIFY2(memory(*dialog).contains(QStringLiteral("16 GPUs have")), qPrintable(memory(*dialog)));
        QTest::mouseClick(dialog->findChild<QRadioButton*>(QStringLiteral("goal:none")), Qt::LeftButton);
        QTest::keyClick(dialog, Qt::Key_Return);
        QTRY_VERIFY(window.workspace().isOpen());
        QCOMPARE(window.workspace().problem().cluster.deviceCount(), 16);
    }

    void aPastedListOfServersIsTheMachinesToo() {
        const QString text = QStringLiteral(
            "SwitchName=s0 Nodes=dev[0-1]\nSwitchName=s1 Nodes=dev[2-3]\nSwitchName=top Switches=s[0-1]\n");
        const int gpus = importCluster(text.toStdString(), "F").cluster.deviceCount();
        QVERIFY(gpus > 0 && gpus % 4 == 0);
        MainWindow window;
        NewPlanDialog* dialog = opened(window);
        QGuiApplication::clipboard()->setText(text);
        click(*dialog, QStringLiteral("pasteMachines"));
        QTRY_VERIFY(chosen(*dialog, "machines").contains(QStringLiteral("clipboard")));
        QTRY_VERIFY2(memory(*dialog).contains(QStringLiteral("%1 GPUs have").arg(gpus)),
                     qPrintable(memory(*dialog)));
        // What the list does not say is asked for among the settings.
        QTest::mouseClick(dialog->findChild<QToolButton*>(QStringLiteral("more")), Qt::LeftButton);
        auto* each = dialog->findChild<QSpinBox*>(QStringLiteral("gpus_per_server"));
        QVERIFY(each && each->isVisible());
        each->setFocus();
        each->selectAll();
        QTest::keyClicks(each, QStringLiteral("2"));
        QTRY_VERIFY2(memory(*dialog).contains(QStringLiteral("8 GPUs have")), qPrintable(memory(*dialog)));
    }

    void aDroppedConfigurationIsTheModel() {
        MainWindow window;
        NewPlanDialog* dialog = opened(window);
        QMimeData files;
        files.setUrls({QUrl::fromLocalFile(data("models/huggingface/qwen3-8B_config.json"))});
        QDragEnterEvent enter(QPoint(40, 40), Qt::CopyAction, &files, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(dialog, &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(QPointF(40, 40), Qt::CopyAction, &files, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(dialog, &drop);
        QTRY_VERIFY(chosen(*dialog, "models").contains(QStringLiteral("qwen3-8B_config.json")));
        QTRY_VERIFY(dialog->isReady());
        QTest::mouseClick(dialog->findChild<QRadioButton*>(QStringLiteral("goal:all")), Qt::LeftButton);
        QTest::mouseClick(&planButton(*dialog), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(window.workspace().plans().size() > 1 && !window.planning().isPlanning(),
                                 60'000);
        QCOMPARE(*window.workspace().problem().profile.parameterCount(), 8190735360.0);
        QTRY_COMPARE(window.workbench().currentKey(), QStringLiteral("compare"));
        forget(window);
    }

    void aPastedConfigurationIsPlannedAsItIs() {
        MainWindow window;
        NewPlanDialog* dialog = opened(window);
        // Nothing of it is there before.
        auto* configured = dialog->findChild<QRadioButton*>(QStringLiteral("goal:configured"));
        auto* items = dialog->findChild<QPlainTextEdit*>(QStringLiteral("configurationItems"));
        QVERIFY(configured && !configured->isVisible() && items && !items->isVisible());
        QGuiApplication::clipboard()->setText(
            QStringLiteral("--tensor-model-parallel-size 4 --pipeline-model-parallel-size 2 \\\n"
                           "  --micro-batch-size 1 --global-batch-size 16 --bf16 --nonsense 3\n"));
        click(*dialog, QStringLiteral("pasteModel"));
        QTRY_VERIFY(configured->isVisible() && configured->isChecked());
        QTRY_VERIFY(dialog->isReady());
        // It describes no model: the one that was chosen stays.
        QCOMPARE(chosen(*dialog, "models"), QStringLiteral("Llama 3 8B"));
        QVERIFY(items->isVisible());
        QVERIFY2(items->toPlainText().startsWith(QStringLiteral("Not understood\n    --nonsense 3: ")),
                 qPrintable(items->toPlainText()));
        QVERIFY2(items->toPlainText().contains(
                     QStringLiteral("--pipeline-model-parallel-size 2: ranks of the pipeline (line 1)")),
                 qPrintable(items->toPlainText()));
        QCOMPARE(dialog->findChild<QLabel*>(QStringLiteral("configurationCounts"))->text(),
                 QStringLiteral("Arguments: 1 not understood, 5 understood"));
        QVERIFY2(memory(*dialog).startsWith(QStringLiteral(
                     "tensor 4 × pipeline 2 × data 2; 1F1B, 8 microbatches of 1 sample on each of 2 "
                     "copies\nFits: yes, ")),
                 qPrintable(memory(*dialog)));
        QVERIFY2(memory(*dialog).contains(QStringLiteral("MFU ")), qPrintable(memory(*dialog)));
        QTest::mouseClick(&planButton(*dialog), Qt::LeftButton);
        QTRY_VERIFY(!window.findChild<NewPlanDialog*>());
        QVERIFY(!window.planning().isPlanning());
        QTRY_COMPARE(window.workspace().plans().size(), std::size_t{1});
        const PlanItem& plan = window.workspace().plans().front();
        QTRY_VERIFY(plan.run && plan.run->ok());
        QCOMPARE(plan.plan.stageCount(), 2);
        QCOMPARE(plan.plan.stages[0].group, (Group{4, 1, 1, false}));
        QCOMPARE(window.workspace().problem().setup.microbatches, 8);
        QCOMPARE(window.workbench().currentPlan(), plan.id);
        forget(window);
    }

    void whatAPersonSaysCountsBeforeAConfiguration() {
        MainWindow window;
        NewPlanDialog* dialog = opened(window);
        const auto tokens = [&] { return dialog->findChild<QSpinBox*>(QStringLiteral("sequence_length")); };
        const auto settings = [&] { return dialog->findChild<QToolButton*>(QStringLiteral("more"))->text(); };
        const int usual = tokens()->value();
        QCOMPARE(usual, 8192);
        QGuiApplication::clipboard()->setText(
            QStringLiteral("--tensor-model-parallel-size 8 --micro-batch-size 1 --global-batch-size 16 "
                           "--seq-length 1024 --bf16\n"));
        click(*dialog, QStringLiteral("pasteModel"));
        // The form shows what the configuration says.
        QTRY_COMPARE(tokens()->value(), 1024);
        QVERIFY2(settings().contains(QStringLiteral("1,024 tokens")), qPrintable(settings()));
        // The model's own default counts, too, where a person says it.
        tokens()->setValue(usual);
        QTRY_VERIFY2(settings().contains(QStringLiteral("8,192 tokens")), qPrintable(settings()));
        setCount(*dialog, 4);
        QTRY_VERIFY(dialog->isReady());
        QCOMPARE(tokens()->value(), usual);
        // What was only proposed is gone with the configuration.
        tokens()->setValue(1024);
        QTRY_VERIFY(dialog->isReady());
        QTest::mouseClick(dialog->findChild<QRadioButton*>(QStringLiteral("goal:best")), Qt::LeftButton);
        QTRY_VERIFY(dialog->isReady());
        QCOMPARE(tokens()->value(), usual);
    }

    void aDroppedScriptBringsItsModelAndSaysWhichMachinesItNeeds() {
        MainWindow window;
        NewPlanDialog* dialog = opened(window);
        dialog->openFiles({data("configurations/gpt3-175b.sh")});
        QTRY_COMPARE(chosen(*dialog, "models"), QStringLiteral("Transformer 175 B (gpt3-175b.sh)"));
        QTRY_VERIFY2(
            memory(*dialog) == QStringLiteral("gpt3-175b.sh: 16 GPUs for tensor 8 × context 1 × pipeline "
                                              "16 = 128; expected a multiple of 128 GPUs"),
            qPrintable(memory(*dialog)));
        QVERIFY(!planButton(*dialog).isEnabled());
        setCount(*dialog, 16);
        QTRY_VERIFY(dialog->isReady() && planButton(*dialog).isEnabled());
        QVERIFY2(memory(*dialog).contains(QStringLiteral("pipeline 16 × data 1; 1F1B, 1,536 microbatches")),
                 qPrintable(memory(*dialog)));
        // Planners may be asked as well, and then nothing is said of arguments.
        QTest::mouseClick(dialog->findChild<QRadioButton*>(QStringLiteral("goal:best")), Qt::LeftButton);
        QTRY_VERIFY(dialog->isReady());
        QVERIFY(!dialog->findChild<QPlainTextEdit*>(QStringLiteral("configurationItems"))->isVisible());
        QVERIFY2(memory(*dialog).contains(QStringLiteral("128 GPUs have")), qPrintable(memory(*dialog)));
    }

    void machinesOfAConfigurationAreAsManyAsItSays() {
        MainWindow window;
        NewPlanDialog* dialog = opened(window);
        dialog->openFiles(
            {QStringLiteral(STAGECRAFT_SOURCE_DIR "/samples/configurations/korthikanti-22b.sh")});
        QTRY_COMPARE(chosen(*dialog, "machines"), QStringLiteral("dgx-a100"));
        QTRY_VERIFY(dialog->isReady());
        QVERIFY2(memory(*dialog).contains(QStringLiteral("Fits: yes")), qPrintable(memory(*dialog)));
    }

    void gpuAndPrecisionThatAPersonChoseStayBesideAConfiguration() {
        MainWindow window;
        NewPlanDialog* dialog = opened(window);
        const auto box = [&](const char* name) {
            return dialog->findChild<QComboBox*>(QString::fromLatin1(name));
        };
        const auto settings = [&] { return dialog->findChild<QToolButton*>(QStringLiteral("more"))->text(); };
        QGuiApplication::clipboard()->setText(QStringLiteral(
            "--tensor-model-parallel-size 8 --micro-batch-size 1 --global-batch-size 16 --bf16\n"));
        click(*dialog, QStringLiteral("pasteModel"));
        QTRY_COMPARE(box("precision")->currentText(), QStringLiteral("BF16"));
        const int other = box("gpu")->findText(QStringLiteral("A100 SXM4 80GB"), Qt::MatchStartsWith);
        QVERIFY2(other >= 0, qPrintable(box("gpu")->itemText(0)));
        box("gpu")->setCurrentIndex(other);
        box("precision")->setCurrentText(QStringLiteral("FP16"));
        QTRY_VERIFY2(settings().contains(QStringLiteral("fp16 on A100-SXM4-80GB")), qPrintable(settings()));
        // Whatever else changes: the number of servers, or the configuration.
        setCount(*dialog, 4);
        QTRY_VERIFY(dialog->isReady());
        QVERIFY2(settings().contains(QStringLiteral("fp16 on A100-SXM4-80GB")), qPrintable(settings()));
        QGuiApplication::clipboard()->setText(
            QStringLiteral("--tensor-model-parallel-size 4 --micro-batch-size 2 --global-batch-size 32 "
                           "--seq-length 1024 --bf16\n"));
        click(*dialog, QStringLiteral("pasteModel"));
        QTRY_VERIFY2(settings().contains(QStringLiteral("1,024 tokens")), qPrintable(settings()));
        QVERIFY2(settings().contains(QStringLiteral("fp16 on A100-SXM4-80GB")), qPrintable(settings()));
    }

    void aFaultyConfigurationIsRefusedInPlace() {
        MainWindow window;
        NewPlanDialog* dialog = opened(window);
        QGuiApplication::clipboard()->setText(QStringLiteral("--tensor-model-parallel-size eight\n"));
        QTest::keySequence(dialog, QKeySequence(QKeySequence::Paste));
        auto* refusal = dialog->findChild<QLabel*>(QStringLiteral("refusal"));
        QTRY_VERIFY2(refusal->text().contains(
                         QStringLiteral("line 1: --tensor-model-parallel-size cannot be 'eight'")),
                     qPrintable(refusal->text()));
        QVERIFY(!dialog->findChild<QRadioButton*>(QStringLiteral("goal:configured"))->isVisible());
    }

    void aBadFileSaysInPlaceWhatIsWrongAndLeavesTheRest() {
        const QString path = home_.file(QStringLiteral("broken.json"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("{\"format\": \"stagecraft/cluster\", \"devices\": 3");
        file.close();
        MainWindow window;
        NewPlanDialog* dialog = opened(window);
        dialog->openFiles({path});
        auto* refusal = dialog->findChild<QLabel*>(QStringLiteral("refusal"));
        QTRY_VERIFY(refusal->isVisible());
        QVERIFY2(refusal->text().contains(QStringLiteral("broken.json")), qPrintable(refusal->text()));
        QVERIFY(memory(*dialog).contains(QStringLiteral("This fits")));
        QVERIFY(!QApplication::activeModalWidget() || QApplication::activeModalWidget() == dialog);
        QCOMPARE(chosen(*dialog, "models"), QStringLiteral("Llama 3 8B"));
        // What was there is still what is planned.
        QVERIFY(planButton(*dialog).isEnabled());
        setCount(*dialog, 1);
        QVERIFY(!refusal->isVisible());
        QTRY_VERIFY(dialog->isReady());
        const QString experiment = QDir(QStringLiteral(STAGECRAFT_SOURCE_DIR "/resources/experiments"))
                                       .entryList({"*.json"})
                                       .first();
        dialog->openFiles({QStringLiteral(STAGECRAFT_SOURCE_DIR "/resources/experiments/") + experiment});
        QTRY_VERIFY2(
            refusal->text().contains(experiment + QStringLiteral(" is neither a model nor machines")),
            qPrintable(refusal->text()));
        QGuiApplication::clipboard()->clear();
        click(*dialog, QStringLiteral("pasteMachines"));
        QVERIFY2(refusal->text().contains(QStringLiteral("holds no text")), qPrintable(refusal->text()));
    }

    void ofSeveralFilesTheRefusedOneStaysNamed() {
        const QString path = home_.file(QStringLiteral("refused.json"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("{\"format\": \"stagecraft/cluster\", \"devices\": 3");
        file.close();
        MainWindow window;
        NewPlanDialog* dialog = opened(window);
        dialog->openFiles({path, data("models/huggingface/qwen3-8B_config.json")});
        QTRY_VERIFY(chosen(*dialog, "models").contains(QStringLiteral("qwen3-8B_config.json")));
        QTRY_VERIFY(dialog->isReady());
        auto* refusal = dialog->findChild<QLabel*>(QStringLiteral("refusal"));
        QTRY_VERIFY(refusal->isVisible());
        QVERIFY2(refusal->text().contains(QStringLiteral("refused.json")), qPrintable(refusal->text()));
        // Until something else is opened or changed.
        dialog->openFiles({data("models/huggingface/qwen3-8B_config.json")});
        QVERIFY(!refusal->isVisible());
    }

    void machinesThatDoNotGoTogetherSaySo() {
        MainWindow window;
        NewPlanDialog* dialog = opened(window);
        QTest::mouseClick(dialog->findChild<QToolButton*>(QStringLiteral("more")), Qt::LeftButton);
        type(*dialog, "machines", "nvlink ring");
        setCount(*dialog, 64);
        auto* microbatches = dialog->findChild<QSpinBox*>(QStringLiteral("setup:microbatches"));
        QVERIFY(microbatches && microbatches->isVisible());
        microbatches->setFocus();
        microbatches->selectAll();
        QTest::keyClicks(microbatches, QStringLiteral("32"));
        QTRY_VERIFY(dialog->isReady());
        QVERIFY2(
            dialog->findChild<QToolButton*>(QStringLiteral("more"))
                ->text()
                .contains(QStringLiteral("32 microbatches of 1 sample, 8,192 tokens each, fp16 on V100")),
            qPrintable(dialog->findChild<QToolButton*>(QStringLiteral("more"))->text()));
        auto* gpu = dialog->findChild<QComboBox*>(QStringLiteral("precision"));
        gpu->setFocus();
        QTest::keyClicks(gpu, QStringLiteral("b"));
        QTRY_VERIFY2(memory(*dialog).contains(QStringLiteral("V100-SXM2-16GB has no bf16 peak")),
                     qPrintable(memory(*dialog)));
        QVERIFY(!planButton(*dialog).isEnabled());
    }

    void escapeLeavesEverythingAsItWas() {
        MainWindow window;
        NewPlanDialog* dialog = opened(window);
        type(*dialog, "models", "llama 405b");
        QTest::keyClick(dialog->findChild<QLineEdit*>(QStringLiteral("find:models")), Qt::Key_Escape);
        QTRY_VERIFY(!window.findChild<NewPlanDialog*>());
        QVERIFY(!window.workspace().isOpen() && !window.planning().isBusy());
    }

    void unsavedWorkIsAskedAboutAndMayStay() {
        MainWindow window;
        window.show();
        window.openSample(QStringLiteral("fig2-toy"));
        window.workspace().markUnsaved();
        window.actionRegister().action(QStringLiteral("file.newPlan"))->trigger();
        auto* dialog = window.findChild<NewPlanDialog*>();
        QTRY_VERIFY(dialog->isReady());
        answer(QMessageBox::Cancel);
        QTest::mouseClick(&planButton(*dialog), Qt::LeftButton);
        QVERIFY(dialog->isVisible());
        QVERIFY(window.workspace().problem().cluster.deviceCount() != 16);
        answer(QMessageBox::Discard);
        QTest::mouseClick(&planButton(*dialog), Qt::LeftButton);
        QTRY_COMPARE(window.workspace().problem().cluster.deviceCount(), 16);
        forget(window);
    }

    void theKeyboardReachesEveryPartAndEachHasAName() {
        MainWindow window;
        NewPlanDialog* dialog = opened(window);
        QStringList seen;
        QVERIFY(dialog->focusWidget());
        for (int step = 0; step < 40; ++step) {
            QWidget* at = dialog->focusWidget();
            if (seen.contains(at->objectName()) && step > 0 && at->objectName() == seen.first()) break;
            seen << at->objectName();
            const bool isNamed = !at->accessibleName().isEmpty() || at->inherits("QAbstractButton");
            QVERIFY2(isNamed, qPrintable(at->objectName()));
            QTest::keyClick(at, Qt::Key_Tab);
        }
        for (const char* name : {"find:models", "models", "openModel", "find:machines", "machines",
                                 "openMachines", "pasteMachines", "machineCount", "more", "planModel"})
            QVERIFY2(seen.contains(QLatin1String(name)), name);
        QVERIFY(seen.indexOf("find:models") < seen.indexOf("find:machines"));
        QVERIFY(seen.indexOf("machineCount") < seen.indexOf("planModel"));
    }
};

STAGECRAFT_TEST(NewPlanDialogTest)
#include "new_plan_dialog_test.moc"
