// Profiles in the window: opening, editing with undo, oddities, generating, matching columns.
#include "tests/app/window_fixture.h"

#include "app/commands/commands.h"
#include "app/panels/problems_panel.h"
#include "app/profile/csv_dialog.h"
#include "app/profile/generate_dialog.h"
#include "app/shell/workbench.h"
#include "core/formats/native/formats.h"
#include "core/generation/generated_profile.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "views/profile/import_notes.h"
#include "views/profile/layer_pane.h"
#include "views/profile/layer_table.h"
#include "views/profile/profile_view.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QSpinBox>
#include <QTableWidget>
#include <QTableView>
#include <QTreeView>

using namespace stagecraft;

class ProfileWindowTest : public QObject {
    Q_OBJECT

    PrivateHome home_;

    static ProfileView& profileOf(MainWindow& window) { return *window.workbench().profile(); }

    static void openToy(MainWindow& window) {
        window.resize(1280, 800);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        window.openSample(QStringLiteral("fig2-toy"));
        window.workbench().showProfile();
    }

    static void trigger(MainWindow& window, const char* id) {
        QAction* action = window.actionRegister().action(QLatin1String(id));
        QVERIFY2(action, id);
        QVERIFY2(action->isEnabled(), id);
        action->trigger();
    }

private slots:
    void aCellEditedByKeysIsOneStepThatUndoTakesBack() {
        MainWindow window;
        openToy(window);
        ProfileView& view = profileOf(window);
        const LayerProfile before = window.workspace().problem().profile;
        const QModelIndex cell = view.table()->model()->index(1, LayerTable::forward);
        QTest::mouseClick(view.table()->viewport(), Qt::LeftButton, {},
                          view.table()->visualRect(cell).center());
        QTest::keyClick(view.table(), Qt::Key_F2);
        auto* editor = view.table()->findChild<QLineEdit*>(QStringLiteral("cellEditor"));
        QVERIFY(editor);
        QTest::keyClicks(editor, "42 ms");
        QTest::keyClick(editor, Qt::Key_Return);
        QTRY_COMPARE(window.workspace().problem().profile.layers[1].forwardS, 0.042);
        QCOMPARE(window.workspace().undoStack()->count(), 1);
        QCOMPARE(view.chosenLayers(), std::vector<int>{1});
        window.workspace().undoStack()->undo();
        QCOMPARE(window.workspace().problem().profile, before);
        QCOMPARE(view.model()->profile(), before);
        QCOMPARE(view.chosenLayers(), std::vector<int>{1});
    }

    void operationsAreInTheMenuAndFollowTheSelection() {
        MainWindow window;
        openToy(window);
        ProfileView& view = profileOf(window);
        const auto enabled = [&](const char* id) {
            return window.actionRegister().action(QLatin1String(id))->isEnabled();
        };
        QVERIFY(enabled("profile.insert") && enabled("profile.scale"));
        QVERIFY(!enabled("edit.delete") && !enabled("profile.merge") && !enabled("profile.split"));
        view.pane()->chooseLayers({0, 1});
        QVERIFY(enabled("edit.delete") && enabled("profile.merge"));
        const int layers = window.workspace().problem().profile.layerCount();
        trigger(window, "profile.merge");
        QCOMPARE(window.workspace().problem().profile.layerCount(), layers - 1);
        view.table()->setFocus();
        QTest::keyClick(view.table(), Qt::Key_Delete);
        QCOMPARE(window.workspace().problem().profile.layerCount(), layers - 2);
        QVERIFY(enabled("edit.delete"));
        const Cluster cluster = window.workspace().problem().cluster;
        trigger(window, "edit.copy");
        trigger(window, "edit.paste");
        QVERIFY2(window.workspace().problem().cluster == cluster, "the clipboard is the profile's here");
        window.workbench().showCluster();
        QVERIFY(!enabled("profile.insert"));
    }

    void finestLayersAreOneStepThatUndoTakesBack() {
        MainWindow window;
        openToy(window);
        const auto finest = [&] {
            return window.actionRegister().action(QStringLiteral("profile.finest"))->isEnabled();
        };
        QVERIFY2(!finest(), "the toy's layers are all that is known of it");
        window.openSample(QStringLiteral("madpipe-resnet-50"));
        window.workbench().showProfile();
        const LayerProfile before = window.workspace().problem().profile;
        QVERIFY(finest() && before.operators.nodes.size() > before.layers.size());
        trigger(window, "profile.finest");
        const LayerProfile& now = window.workspace().problem().profile;
        QCOMPARE(now.layers.size(), before.operators.nodes.size());
        QVERIFY2(!finest(), "there is nothing finer");
        window.workspace().undoStack()->undo();
        QVERIFY(window.workspace().problem().profile == before && finest());
        window.workspace().undoStack()->setClean();
    }

    void aPlanStaysInViewWhileItIsWorkedOutAgain() {
        MainWindow window;
        openToy(window);
        QTRY_VERIFY(window.workspace().plans().front().run);
        ProfileView& view = profileOf(window);
        const int columns = view.model()->columnCount();
        QVERIFY(view.model()->sectionOf(LayerTable::stage) >= 0);
        QSignalSpy removed(view.model(), &QAbstractItemModel::columnsRemoved);
        LayerProfile profile = window.workspace().problem().profile;
        profile.layers[0].forwardS *= 2;
        window.workspace().editProfile(profile, QStringLiteral("Set forward"));
        QTRY_VERIFY(window.workspace().plans().front().run);
        QCOMPARE(view.model()->columnCount(), columns);
        QCOMPARE(removed.count(), 0);
    }

    void oddLayersAreNotesThatLeadToThem() {
        MainWindow window;
        openToy(window);
        const int faults = window.problems().faultCount();
        LayerProfile profile = window.workspace().problem().profile;
        Layer& odd = profile.layers[1];
        odd.forwardS = odd.backwardS = odd.weightGradientS = 0;
        window.workspace().editProfile(profile, QStringLiteral("Set times"));
        QCOMPARE(window.problems().faultCount(), faults);
        int row = 0;
        while (row < window.problems().rowCount() && window.problems().row(row).jump.layer != 1) ++row;
        QVERIFY(row < window.problems().rowCount());
        QCOMPARE(window.problems().row(row).severity, Severity::note);
        window.workbench().showCluster();
        auto* list = window.findChild<QTreeView*>(QStringLiteral("problems"));
        QVERIFY(list);
        emit list->activated(list->model()->index(row, 0));
        QCOMPARE(window.workbench().currentKey(), QStringLiteral("profile"));
        QCOMPARE(profileOf(window).selectedLayer(), 1);
    }

    void anImportIsReportedAboveItsProfile() {
        const QString path = home_.file(QStringLiteral("net.graph.txt"));
        const QByteArray node =
            " -- forward_compute_time=1.0, backward_compute_time=2.0, activation_size=8.0, "
            "parameter_size=4.0\n";
        writeText(path, "node1 -- Conv" + node + "node2 -- Conv" + node + "node3 -- Conv" + node +
                            "node4 -- Add" + node +
                            "\tnode1 -- node2\n\tnode1 -- node3\n\tnode2 -- node4\n\tnode3 -- node4\n");
        MainWindow window;
        openToy(window);
        openAndWait(window, path);
        ImportNotes* notes = profileOf(window).importNotes();
        QVERIFY(notes->isVisible());
        QVERIFY2(notes->summary().contains(QStringLiteral("net.graph.txt")), qPrintable(notes->summary()));
        QVERIFY(notes->text().contains(QStringLiteral("groups")));
        QVERIFY(profileOf(window).canShow(ProfileView::Chart::graph));
    }

    void aDivisionThatComesWithAProfileIsAmongThePlans() {
        const QString path = home_.file(QStringLiteral("split.graph.txt"));
        const QByteArray numbers =
            " -- Conv -- forward_compute_time=1.0, backward_compute_time=2.0, activation_size=8.0, "
            "parameter_size=4.0 -- stage_id=";
        writeText(path, "node1" + numbers + "0\nnode2" + numbers + "0\nnode3" + numbers +
                            "1\n\tnode1 -- node2\n\tnode2 -- node3\n");
        MainWindow window;
        openToy(window);
        const std::size_t before = window.workspace().plans().size();
        openAndWait(window, path);
        QCOMPARE(window.workspace().plans().size(), before + 1);
        const Plan& plan = window.workspace().plans().back().plan;
        QCOMPARE(plan.stageCount(), 2);
        QCOMPARE(plan.stages[0].lastLayer, 1);
        QVERIFY(profileOf(window).importNotes()->text().contains(QStringLiteral("among the plans")));
        // Without a cluster it cannot be placed, and that is said.
        window.workspace().setCluster({});
        openAndWait(window, path);
        QVERIFY(profileOf(window).importNotes()->text().contains(QStringLiteral("needs 2 devices")));
    }

    void theDialogGivesTheBytesOfTheCommandLine() {
        const QString written = home_.file(QStringLiteral("written.profile.json"));
        std::ostringstream out, err;
        const int status =
            runCommand({"generate", "profile", "--model", "bert-large", "--gpu", "V100-SXM2-16GB",
                        "--microbatch-size", "6", "--out", written.toStdString()},
                       out, err);
        QVERIFY2(status == 0, err.str().c_str());
        MainWindow window;
        openToy(window);
        trigger(window, "profile.generate");
        auto* dialog = window.findChild<GenerateDialog*>();
        QVERIFY(dialog);
        dialog->chooseModel(QStringLiteral("bert-large"));
        auto* size = dialog->findChild<QSpinBox*>(QStringLiteral("microbatch_size"));
        QVERIFY(size);
        size->setFocus();
        size->selectAll();
        QTest::keyClicks(size, "6");
        auto* gpu = dialog->findChild<QComboBox*>(QStringLiteral("gpu"));
        gpu->setCurrentIndex(gpu->findData(QStringLiteral("V100-SXM2-16GB")));
        QTRY_VERIFY(dialog->isReady());
        QVERIFY2(dialog->totals().contains(QStringLiteral("parameters")), qPrintable(dialog->totals()));
        click(*dialog, QStringLiteral("useProfile"));
        QCOMPARE(QByteArray::fromStdString(writeProfile(window.workspace().problem().profile)),
                 QByteArray::fromStdString(readTextFile(written.toStdString())));
    }

    void everyModelIsGeneratedFromItsDefaults() {
        GenerateDialog dialog;
        dialog.show();
        for (const std::string& model : modelNames()) {
            dialog.chooseModel(QString::fromStdString(model));
            QTRY_VERIFY_WITH_TIMEOUT(dialog.isReady(), 20'000);
            QVERIFY(dialog.profile().layerCount() > 0);
        }
    }

    void valuesThatDoNotGoTogetherAreSaidAndNotOffered() {
        GenerateDialog dialog;
        dialog.show();
        dialog.chooseModel(QStringLiteral("gpt-2"));
        QTRY_VERIFY(dialog.isReady());
        auto* heads = dialog.findChild<QSpinBox*>(QStringLiteral("heads"));
        QVERIFY(heads);
        heads->setValue(7);
        QVERIFY(!dialog.isReady());
        QTRY_VERIFY2(dialog.totals().contains(QStringLiteral("heads")), qPrintable(dialog.totals()));
        QVERIFY(!dialog.findChild<QAbstractButton*>(QStringLiteral("useProfile"))->isEnabled());
    }

    void columnsOfATableAreMatchedByHand() {
        const QString path = home_.file(QStringLiteral("layers.csv"));
        writeText(path, "layer;fwd (ms);bwd (ms);weights (MB)\nstem;1;2;3\nhead;4;8;5\n");
        MainWindow window;
        openToy(window);
        openAndWait(window, path);
        auto* dialog = window.findChild<CsvDialog*>();
        QVERIFY(dialog);
        QVERIFY(dialog->preview());
        QCOMPARE(dialog->preview()->profile.layers[1].forwardS, 4e-3);
        // The times were microseconds after all.
        auto* unit = dialog->findChild<QComboBox*>(QStringLiteral("unit1"));
        int microseconds = -1;
        for (int i = 0; i < unit->count(); ++i)
            if (unit->itemData(i).toDouble() == 1e-6) microseconds = i;
        QVERIFY(microseconds >= 0);
        unit->setCurrentIndex(microseconds);
        QCOMPARE(dialog->preview()->profile.layers[1].forwardS, 4e-6);
        auto* backward = dialog->findChild<QComboBox*>(QStringLiteral("column2"));
        backward->setCurrentIndex(0);
        QCOMPARE(dialog->preview()->profile.layers[1].backwardS, 8e-6);
        QCOMPARE(dialog->preview()->profile.layers[1].parameterBytes, 5e6);
        click(*dialog, QStringLiteral("useColumns"));
        QCOMPARE(window.workspace().problem().profile.layers[1].name, std::string("head"));
        QCOMPARE(window.workspace().problem().profile.layers[1].forwardS, 4e-6);
        QCOMPARE(window.workspace().undoStack()->count(), 1);
    }

    void anyTableReachesTheColumnDialogue() {
        MainWindow window;
        openToy(window);
        const QString path = home_.file(QStringLiteral("couches.csv"));
        writeText(path, "couche;avant;arri\xc3\xa8re\nconv;1,5;3,25\nfc;0,5;1\n");
        openAndWait(window, path);
        QCOMPARE(window.problems().errorCount(), 0);
        auto* dialog = window.findChild<CsvDialog*>();
        QVERIFY(dialog);
        QVERIFY2(!dialog->preview(), "no column is known to hold forward times");
        auto* forward = dialog->findChild<QComboBox*>(QStringLiteral("column1"));
        auto* mark = dialog->findChild<QComboBox*>(QStringLiteral("decimalMark"));
        QCOMPARE(mark->currentData().toBool(), true);
        forward->setCurrentIndex(forward->findText(QStringLiteral("avant")));
        QVERIFY(dialog->preview());
        QCOMPARE(dialog->preview()->profile.layers[0].forwardS, 1.5);
        mark->setCurrentIndex(0);
        QVERIFY2(!dialog->preview(), "with a point 1,5 is no number");
    }

    void aTableThatIsNotUnderstoodYetIsShownAsItIs() {
        MainWindow window;
        openToy(window);
        const QString path = home_.file(QStringLiteral("schichten.csv"));
        writeText(path, "Schicht;Hin (ms);Her [us];Gewichte\nconv;1,5;3250;2\nfc;0,5;1000;4\n");
        openAndWait(window, path);
        auto* dialog = window.findChild<CsvDialog*>();
        QVERIFY(dialog && !dialog->preview());
        const auto* rows = dialog->findChild<QTableWidget*>(QStringLiteral("csvPreview"));
        QCOMPARE(rows->rowCount(), 2);
        QCOMPARE(rows->horizontalHeaderItem(2)->text(), QStringLiteral("Her [us]"));
        QCOMPARE(rows->item(0, 1)->text(), QStringLiteral("1,5"));
        // A column that a person chooses is in the unit that its header names.
        const auto choose = [&](int field, const char* header) {
            auto* column = dialog->findChild<QComboBox*>(QStringLiteral("column%1").arg(field));
            column->setCurrentIndex(column->findText(QLatin1String(header)));
        };
        choose(1, "Hin (ms)");
        QVERIFY(dialog->preview());
        choose(2, "Her [us]");
        choose(4, "Gewichte");
        choose(0, "Schicht");
        const Layer& layer = dialog->preview()->profile.layers[0];
        QCOMPARE(layer.forwardS, 1.5e-3);
        QCOMPARE(layer.backwardS, 3.25e-3);
        QCOMPARE(layer.parameterBytes, 8.0);  // values, where no unit is named
        dialog->findChild<QComboBox*>(QStringLiteral("unit2"))->setCurrentIndex(0);
        QCOMPARE(dialog->preview()->profile.layers[0].backwardS, 3250.0);
        QCOMPARE(rows->item(0, 0)->text(), QStringLiteral("conv"));
        QCOMPARE(rows->columnCount(), int(csvFieldCount));
    }

    void aProfileOpensWithoutAProject() {
        const QString path = home_.file(QStringLiteral("small.profile.json"));
        LayerProfile profile;
        profile.name = "small";
        profile.layers = {{"one", 1, 2, 3, 4, 4, 0, 1}, {"two", 1, 2, 3, 4, 4, 4, 1}};
        writeText(path, QByteArray::fromStdString(writeProfile(profile)));
        MainWindow window;
        window.show();
        openAndWait(window, path);
        QVERIFY(window.workspace().isOpen());
        QCOMPARE(window.workspace().problem().profile, profile);
        QCOMPARE(window.workbench().currentKey(), QStringLiteral("profile"));
        QVERIFY(!profileOf(window).importNotes()->isVisible());
    }
};

STAGECRAFT_TEST(ProfileWindowTest)
#include "profile_window_test.moc"
