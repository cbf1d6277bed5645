// Editing in the profile's view by mouse and keys.
#include "tests/views/profile_fixture.h"

#include "core/editing/profile_edit.h"
#include "core/model/profile_sizes.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "views/common/theme.h"
#include "views/profile/import_notes.h"
#include "views/profile/layer_bars.h"
#include "views/profile/layer_pane.h"
#include "views/profile/layer_table.h"
#include "views/profile/layer_text.h"
#include "views/profile/size_bar.h"

#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableView>
#include <QToolButton>

using namespace stagecraft;

namespace {

QPoint cellOf(const ProfileView& view, int row, int column) {
    return view.table()->visualRect(view.table()->model()->index(row, column)).center();
}

void clickCell(const ProfileView& view, int row, int column, Qt::KeyboardModifiers modifiers = {}) {
    QTest::mouseClick(view.table()->viewport(), Qt::LeftButton, modifiers, cellOf(view, row, column));
}

QLineEdit* editor(const ProfileView& view) {
    return view.table()->findChild<QLineEdit*>(QStringLiteral("cellEditor"));
}

/// Enter, after which the table takes the text when it comes to it.
void confirm(const ProfileView& view) {
    QTest::keyClick(editor(view), Qt::Key_Return);
    QTRY_VERIFY(!editor(view));
}

/// Into the cell that has the focus.
void enter(const ProfileView& view, const QString& text) {
    QTest::keyClick(view.table(), Qt::Key_F2);
    QTRY_VERIFY(editor(view));
    editor(view)->selectAll();
    QTest::keyClicks(editor(view), text);
    confirm(view);
}

QString complaintOf(const ProfileView& view) {
    auto* label = view.findChild<QLabel*>(QStringLiteral("complaint"));
    return label->isVisible() ? label->text() : QString();
}

}  // namespace

class ProfileEditViewTest : public QObject {
    Q_OBJECT

private slots:
    void aCellTakesWhatIsTypedWithItsUnit() {
        EditedView edited(chainProfile(6));
        const QPoint cell = cellOf(edited.view, 2, LayerTable::forward);
        QTest::mouseClick(edited.view.table()->viewport(), Qt::LeftButton, {}, cell);
        QTest::mouseDClick(edited.view.table()->viewport(), Qt::LeftButton, {}, cell);
        QTRY_VERIFY(editor(edited.view));
        QCOMPARE(editor(edited.view)->text(), QString("12 ms"));
        QTest::keyClicks(editor(edited.view), "2.5 us");
        confirm(edited.view);
        QCOMPARE(edited.profile.layers[2].forwardS, 2.5e-6);
        QCOMPARE(edited.steps, QStringList{"Set forward of 1 layer"});
    }

    void whatCannotBeReadStaysInTheFieldAndEscLeavesIt() {
        EditedView edited(chainProfile(6));
        clickCell(edited.view, 1, LayerTable::parameters);
        QTest::keyClick(edited.view.table(), Qt::Key_F2);
        QTest::keyClicks(editor(edited.view), "12 parsecs");
        QTest::keyClick(editor(edited.view), Qt::Key_Return);
        QTest::qWait(50);
        QVERIFY(editor(edited.view));
        QCOMPARE(editor(edited.view)->text(), QString("12 parsecs"));
        QTest::keyClick(editor(edited.view), Qt::Key_Escape);
        QTRY_VERIFY(!editor(edited.view));
        QVERIFY(edited.steps.isEmpty());
    }

    void whatIsTypedIntoOneOfSeveralChosenRowsGoesForAllOfThem() {
        EditedView edited(chainProfile(6));
        clickCell(edited.view, 1, LayerTable::output);
        clickCell(edited.view, 3, LayerTable::output, Qt::ShiftModifier);
        enter(edited.view, "3 KiB");
        for (int layer = 0; layer < 6; ++layer)
            QCOMPARE(edited.profile.layers[std::size_t(layer)].outputBytes,
                     layer >= 1 && layer <= 3 ? 3072 : 4096);
        QCOMPARE(edited.steps.size(), 1);
        QCOMPARE(edited.view.chosenLayers(), std::vector<int>({1, 2, 3}));
    }

    void aDoubleClickIntoChosenRowsEditsThemAllAndASingleOneChoosesItsRow() {
        EditedView edited(chainProfile(6));
        clickCell(edited.view, 1, LayerTable::stored);
        clickCell(edited.view, 4, LayerTable::stored, Qt::ControlModifier);
        const QPoint cell = cellOf(edited.view, 4, LayerTable::stored);
        QTest::mouseClick(edited.view.table()->viewport(), Qt::LeftButton, {}, cell);
        QTest::mouseDClick(edited.view.table()->viewport(), Qt::LeftButton, {}, cell);
        QTRY_VERIFY(editor(edited.view));
        QTest::keyClicks(editor(edited.view), "0");
        confirm(edited.view);
        QCOMPARE(edited.profile.layers[1].storedActivationBytes, 0);
        QCOMPARE(edited.profile.layers[4].storedActivationBytes, 0);
        QCOMPARE(edited.profile.layers[2].storedActivationBytes, 8192);
        QTest::mouseClick(edited.view.table()->viewport(), Qt::LeftButton, {}, cell);
        QTRY_COMPARE(edited.view.chosenLayers(), std::vector<int>{4});
    }

    void whatIsKeptForTheWeightGradientIsSetAndEmptied() {
        EditedView edited(chainProfile(6));
        const LayerProfile before = edited.profile;
        clickCell(edited.view, 1, LayerTable::weightGradientBytes);
        clickCell(edited.view, 2, LayerTable::weightGradientBytes, Qt::ShiftModifier);
        enter(edited.view, "3 KiB");
        QCOMPARE(edited.profile.layers[1].weightGradientBytes, std::optional(3072.0));
        QCOMPARE(edited.profile.layers[2].weightGradientBytes, std::optional(3072.0));
        QCOMPARE(edited.profile.layers[3].weightGradientBytes, std::nullopt);
        // Copied layers say it, or are as silent as they were.
        edited.view.pane()->chooseLayers({2, 3});
        edited.view.editor().copyChosen();
        edited.view.pane()->chooseLayers({0});
        edited.view.editor().paste();
        QCOMPARE(edited.profile.layers[0].weightGradientBytes, std::optional(3072.0));
        QCOMPARE(edited.profile.layers[1], before.layers[3]);
        clickCell(edited.view, 0, LayerTable::weightGradientBytes);
        QTest::keyClick(edited.view.table(), Qt::Key_F2);
        QTRY_VERIFY(editor(edited.view));
        editor(edited.view)->clear();
        confirm(edited.view);
        QCOMPARE(edited.profile.layers[0].weightGradientBytes, std::nullopt);
    }

    void sortingAndFilterStayThroughEdits() {
        EditedView edited(chainProfile(12));
        edited.view.filterField()->setText("block 1");  // 1, 10, 11
        edited.view.table()->sortByColumn(LayerTable::layerIndex, Qt::DescendingOrder);
        clickCell(edited.view, 0, LayerTable::name);
        enter(edited.view, "block 1 tail");
        QCOMPARE(edited.profile.layers[11].name, std::string("block 1 tail"));
        QCOMPARE(edited.view.table()->model()->rowCount(), 3);
        QCOMPARE(edited.view.chosenLayers(), std::vector<int>{11});
        QCOMPARE(edited.view.selectedLayer(), 11);
    }

    void theModelKeepsTheRulesOfItemModelsThroughEdits() {
        LayerTable model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        LayerFilter filter;
        filter.setSourceModel(&model);
        QAbstractItemModelTester filterTester(&filter,
                                              QAbstractItemModelTester::FailureReportingMode::QtTest);
        LayerProfile profile = chainProfile(9);
        model.setProfile(profile);
        filter.setNeedle("block");
        filter.sort(LayerTable::forward, Qt::DescendingOrder);
        Plan plan;
        plan.stages = {{0, 8, {0}}};
        model.setPlan(plan);
        for (const LayerProfile& after :
             {insertLayers(profile, 3, {{"block new"}}), deleteLayers(profile, {0, 5}),
              repeatLayers(profile, 2, 4, 3), mergeLayers(profile, {6, 7}), branchedProfile(3), profile}) {
            model.setProfile(after);
            QCOMPARE(model.rowCount(), after.layerCount());
        }
    }

    void nodesAreNotTakenForStages() {
        LayerTable model;
        LayerFilter filter;
        filter.setSourceModel(&model);
        model.setProfile(branchedProfile(3));  // layers of 1 and 3 nodes
        filter.setNeedle("stage 3");
        QCOMPARE(filter.rowCount(), 0);
        Plan plan;
        plan.stages = {{0, 1, {0}}, {2, model.rowCount() - 1, {1}}};
        model.setPlan(plan);
        filter.setNeedle("stage 0");
        QCOMPARE(filter.rowCount(), 2);
    }

    void layersAreScaledRepeatedInsertedMergedAndDeleted() {
        EditedView edited(chainProfile(6));
        ProfileView& view = edited.view;
        clickCell(view, 2, LayerTable::name);
        clickCell(view, 3, LayerTable::name, Qt::ShiftModifier);
        view.editor().askFactor();
        auto* factor = view.findChild<QLineEdit*>(QStringLiteral("factor"));
        QTRY_VERIFY(factor->hasFocus());
        QTest::keyClicks(factor, "0.5");
        QTest::keyClick(factor, Qt::Key_Return);
        QCOMPARE(edited.profile.layers[2].forwardS, 6e-3);
        QCOMPARE(edited.profile.layers[4].forwardS, 14e-3);
        view.editor().askCopies();
        QTest::mouseClick(view.findChild<QPushButton*>(QStringLiteral("applyOperation")), Qt::LeftButton);
        QCOMPARE(edited.profile.layerCount(), 8);
        QCOMPARE(view.chosenLayers(), std::vector<int>({2, 3, 4, 5}));
        view.editor().mergeChosen();
        QCOMPARE(edited.profile.layerCount(), 5);
        QCOMPARE(view.chosenLayers(), std::vector<int>{2});
        view.editor().insertLayer();
        QCOMPARE(edited.profile.layers[3].name, std::string("new layer"));
        QCOMPARE(view.chosenLayers(), std::vector<int>{3});
        view.editor().deleteChosen();
        QCOMPARE(edited.profile.layerCount(), 5);
        QCOMPARE(edited.steps.size(), 5);
    }

    void whatCannotBeDoneIsSaidAboveTheTable() {
        EditedView edited(chainProfile(3));
        edited.view.pane()->chooseLayers({0, 1, 2});
        edited.view.editor().deleteChosen();
        QVERIFY2(complaintOf(edited.view).contains("at least one"), qPrintable(complaintOf(edited.view)));
        edited.view.pane()->chooseLayers({0, 2});
        QVERIFY(!edited.view.editor().canMerge());
        edited.view.editor().askCopies();
        QVERIFY(complaintOf(edited.view).contains("neighbouring"));
        edited.view.pane()->chooseLayers({1});
        edited.view.editor().deleteChosen();
        QCOMPARE(complaintOf(edited.view), QString());
        QCOMPARE(edited.profile.layerCount(), 2);
    }

    void layersTravelThroughTheClipboardAsText() {
        EditedView edited(chainProfile(6));
        const LayerProfile before = edited.profile;
        edited.view.pane()->chooseLayers({1, 2});
        edited.view.editor().copyChosen();
        const QStringList lines = QGuiApplication::clipboard()->text().split('\n');
        QCOMPARE(lines[0].section('\t', 0, 1), QString("name\tforward_s"));
        QCOMPARE(lines[1].section('\t', 0, 1), QString("block 1\t0.011"));
        edited.view.pane()->chooseLayers({4});
        edited.view.editor().paste();
        QCOMPARE(edited.profile.layers[4], before.layers[1]);
        QCOMPARE(edited.profile.layers[5], before.layers[2]);
        QCOMPARE(edited.profile.layers[3], before.layers[3]);
        edited.view.editor().pasteAsNew();
        QCOMPARE(edited.profile.layerCount(), 8);
        QCOMPARE(edited.profile.layers[5], before.layers[1]);
    }

    void aColumnOfNumbersIsPastedFromTheFocusedCellOn() {
        EditedView edited(chainProfile(6));
        clickCell(edited.view, 2, LayerTable::parameters);
        QGuiApplication::clipboard()->setText("1 MiB\t512\r\n2 MiB\t1024\r\n");
        edited.view.editor().paste();
        QCOMPARE(edited.profile.layers[2].parameterBytes, 1048576);
        QCOMPARE(edited.profile.layers[3].outputBytes, 1024);
        QGuiApplication::clipboard()->setText("1 MiB\t512\nseven\t8");
        edited.view.editor().paste();
        QVERIFY2(complaintOf(edited.view).contains("'seven' is not a number"),
                 qPrintable(complaintOf(edited.view)));
        QCOMPARE(edited.steps.size(), 1);
    }

    /// Selected or not, and drawn so that it is seen.
    void pasteGoesToTheCellThatIsDrawnWithTheFocus() {
        applyTheme(*qApp, ThemeChoice::light);
        EditedView edited(chainProfile(6));
        clickCell(edited.view, 2, LayerTable::parameters);
        clickCell(edited.view, 4, LayerTable::parameters, Qt::ControlModifier);
        clickCell(edited.view, 2, LayerTable::parameters, Qt::ControlModifier);
        QCOMPARE(edited.view.chosenLayers(), std::vector<int>{4});
        const QModelIndex focused = edited.view.table()->currentIndex();
        QCOMPARE(focused.row(), 2);
        const QRect cell = edited.view.table()->visualRect(focused);
        const QImage seen = edited.view.table()->viewport()->grab(cell).toImage();
        edited.view.table()->clearFocus();
        QVERIFY(seen != edited.view.table()->viewport()->grab(cell).toImage());
        edited.view.table()->setFocus();
        QGuiApplication::clipboard()->setText("3 MiB\n");
        edited.view.editor().paste();
        QCOMPARE(edited.profile.layers[2].parameterBytes, 3 * 1048576.0);
    }

    void oddLayersAreMarkedAndFoundByAButton() {
        LayerProfile profile = chainProfile(12);
        profile.layers[7].forwardS = profile.layers[7].backwardS = profile.layers[7].weightGradientS = 0;
        EditedView edited(profile);
        QToolButton* odd = edited.view.pane()->oddButton();
        QCOMPARE(odd->text(), QString("1 unusual"));
        QTest::mouseClick(odd, Qt::LeftButton);
        QCOMPARE(edited.view.table()->model()->rowCount(), 1);
        clickCell(edited.view, 0, LayerTable::name);
        QVERIFY2(edited.view.pane()->details().contains("takes no time"),
                 qPrintable(edited.view.pane()->details()));
        QTest::mouseClick(odd, Qt::LeftButton);
        QCOMPARE(edited.view.table()->model()->rowCount(), 12);
        QCOMPARE(edited.view.filterField()->text(), QString());
    }

    void anotherMicrobatchSizeIsLookedAtAndTaken() {
        LayerProfile profile = chainProfile(4);
        profile.otherSizes = {{8, {}}};
        for (const Layer& layer : profile.layers)
            profile.otherSizes[0].layers.push_back(
                {layer.forwardS * 1.5, layer.backwardS * 1.5, layer.forwardS});
        EditedView edited(profile);
        QComboBox* sizes = edited.view.sizes()->sizes();
        QVERIFY(sizes->isVisible());
        QTest::keyClick(sizes, Qt::Key_Down);
        QCOMPARE(edited.view.model()->profile().layers[0].forwardS, profile.layers[0].forwardS * 1.5);
        QCOMPARE(edited.profile, profile);
        QVERIFY(!edited.view.editor().canEdit());
        clickCell(edited.view, 0, LayerTable::forward);
        QTest::keyClick(edited.view.table(), Qt::Key_F2);
        QVERIFY(!editor(edited.view));
        QTest::mouseClick(edited.view.findChild<QPushButton*>(QStringLiteral("adoptSize")), Qt::LeftButton);
        QCOMPARE(edited.profile.microbatchSize, 8);
        QCOMPARE(edited.profile, profileAtSize(profile, 8));
        QVERIFY(edited.view.editor().canEdit());
    }

    void whatOneOfSeveralGpusTakesIsShownAndNotEdited() {
        LayerProfile profile = chainProfile(4);
        for (Layer& layer : profile.layers)
            layer.onRanks = {{.tensor = 2,
                              .microbatchSize = profile.microbatchSize,
                              .times = LayerTimes{layer.forwardS * 0.75, layer.backwardS, 0},
                              .storedActivationBytes = 512},
                             {.tensor = 4,
                              .microbatchSize = profile.microbatchSize,
                              .times = LayerTimes{layer.forwardS * 0.5, layer.backwardS, 0}}};
        profile.layers[3].onRanks.pop_back();
        EditedView edited(profile);
        QComboBox* groups = edited.view.sizes()->groups();
        QVERIFY(groups->isVisible());
        QVERIFY(!edited.view.sizes()->sizes()->isVisible());
        QCOMPARE(groups->count(), 2);  // four GPUs are not known of every layer
        QTest::keyClick(groups, Qt::Key_Down);
        QCOMPARE(groups->currentText(), QString("each of 2 GPUs"));
        const Layer& shown = edited.view.model()->profile().layers[0];
        QCOMPARE(shown.forwardS, profile.layers[0].forwardS * 0.75);
        QCOMPARE(shown.storedActivationBytes, 512.0);
        QCOMPARE(edited.profile, profile);
        QVERIFY(!edited.view.editor().canEdit());
        clickCell(edited.view, 0, LayerTable::forward);
        QTest::keyClick(edited.view.table(), Qt::Key_F2);
        QVERIFY(!editor(edited.view));
        QTest::keyClick(groups, Qt::Key_Up);
        QCOMPARE(edited.view.model()->profile(), profile);
        QVERIFY(edited.view.editor().canEdit());
    }

    void aProfileOfOneSizeHasNothingToChoose() {
        EditedView edited(chainProfile(4));
        QVERIFY(!edited.view.sizes()->isVisible());
    }

    void theImportReportStaysUntilItIsClosed() {
        EditedView edited(chainProfile(4));
        edited.view.showImportNotes("net.txt", {{ImportNote::Kind::took, "4 nodes"},
                                                {ImportNote::Kind::derived, "times from milliseconds"},
                                                {ImportNote::Kind::grouped, "layer 1 groups 2 nodes"}});
        ImportNotes* notes = edited.view.importNotes();
        QVERIFY(notes->isVisible());
        QCOMPARE(notes->summary(), QString("Import report of net.txt: 1 taken, 1 derived, 1 grouped"));
        clickCell(edited.view, 1, LayerTable::forward);
        enter(edited.view, "3 s");
        QVERIFY(notes->isVisible());
        QTest::mouseClick(notes->findChild<QToolButton*>(QStringLiteral("moreNotes")), Qt::LeftButton);
        QVERIFY(notes->text().contains("times from milliseconds"));
        QTest::mouseClick(notes->findChild<QToolButton*>(QStringLiteral("closeNotes")), Qt::LeftButton);
        QVERIFY(!notes->isVisible());
    }
};

STAGECRAFT_TEST(ProfileEditViewTest)
#include "profile_edit_view_test.moc"
