#include "core/base/units.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "tests/views/view_tests.h"
#include "views/common/theme.h"
#include "views/profile/layer_bars.h"
#include "views/profile/layer_table.h"
#include "views/profile/profile_header.h"
#include "views/profile/profile_view.h"
#include "views/profile/totals_row.h"

#include <QAbstractItemModelTester>
#include <QHeaderView>
#include <QLineEdit>
#include <QSignalSpy>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QTest>
#include <QWheelEvent>

#include <malloc.h>

#include <random>

using namespace stagecraft;

namespace {

LayerProfile profileOf(int layers) {
    std::mt19937 random(17);
    std::uniform_real_distribution<double> value(0.1, 1);
    LayerProfile profile;
    profile.name = "net";
    profile.source = "drawn for this test";
    profile.microbatchSize = 6;
    for (int i = 0; i < layers; ++i) {
        Layer layer;
        layer.name = (i % 3 == 0 ? "attention" : "mlp") + std::to_string(i);
        layer.forwardS = 1e-3 * value(random);
        layer.backwardS = 2e-3 * value(random);
        layer.parameterBytes = 1e8 * value(random);
        layer.outputBytes = 1e6 * value(random);
        layer.outputGradientBytes = 1e6 * value(random);
        layer.storedActivationBytes = 1e7 * value(random);
        layer.weightGradientS = layer.backwardS / 2;
        profile.layers.push_back(layer);
    }
    return profile;
}

std::shared_ptr<const PlanRun> runOfStages(std::vector<Stage> stages) {
    auto run = std::make_shared<PlanRun>();
    run->result.status = PlanStatus::ok;
    run->result.plan.stages = std::move(stages);
    return run;
}

std::shared_ptr<const PlanRun> threeStageRun() {
    return runOfStages({{0, 3, {0}}, {4, 8, {1}}, {9, 11, {2, 3}}});
}

QString layerCell(const ProfileView& view, int row, int column, int role = Qt::DisplayRole) {
    return view.table()->model()->index(row, column).data(role).toString();
}

void showProfile(ProfileView& view) {
    view.resize(1200, 760);
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
}

QPoint barOf(const ProfileView& view, int layer) {
    return QPoint(static_cast<int>(view.bars()->axis().toPixel(layer + 0.5)), view.bars()->height() / 2);
}

}  // namespace

class ProfileViewTest : public QObject {
    Q_OBJECT
private slots:
    void theModelKeepsTheRulesOfItemModels() {
        LayerTable model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setProfile(profileOf(12));
        model.setPlan(threeStageRun()->result.plan);
        model.setPlan(runOfStages({{0, 11, {0}}})->result.plan);
        model.setPlan(std::nullopt);
        model.setProfile({});
        QCOMPARE(model.rowCount(), 0);
    }

    void theTableShowsTheNumbersOfTheProfile() {
        const LayerProfile profile = profileOf(12);
        const auto largest = [&profile](double Layer::*field) {
            double most = 0;
            for (const Layer& layer : profile.layers) most = std::max(most, layer.*field);
            return most;
        };
        ProfileView view;
        view.setProfile(profile);
        for (int row = 0; row < 12; ++row) {
            const Layer& layer = profile.layers[static_cast<std::size_t>(row)];
            QCOMPARE(layerCell(view, row, LayerTable::layerIndex), QString::number(row));
            QCOMPARE(layerCell(view, row, LayerTable::name), QString::fromStdString(layer.name));
            // All numbers of a column are in the unit of its largest.
            const std::pair<int, double Layer::*> times[] = {
                {LayerTable::forward, &Layer::forwardS},
                {LayerTable::backward, &Layer::backwardS},
                {LayerTable::weightGradient, &Layer::weightGradientS}};
            for (const auto& [column, field] : times) {
                const double value = layer.*field;
                QCOMPARE(layerCell(view, row, column),
                         QString::fromStdString(formatSecondsBeside(value, largest(field))));
                QCOMPARE(layerCell(view, row, column, LayerTable::sortRole).toDouble(), value);
                QCOMPARE(layerCell(view, row, column, Qt::ToolTipRole).chopped(2).toDouble(), value);
            }
            const std::pair<int, double Layer::*> bytes[] = {
                {LayerTable::parameters, &Layer::parameterBytes},
                {LayerTable::output, &Layer::outputBytes},
                {LayerTable::gradient, &Layer::outputGradientBytes},
                {LayerTable::stored, &Layer::storedActivationBytes}};
            for (const auto& [column, field] : bytes)
                QCOMPARE(layerCell(view, row, column),
                         QString::fromStdString(formatBytesBeside(layer.*field, largest(field))));
        }
    }

    void whatIsKeptForTheWeightGradientIsDimmedWhereTheProfileIsSilent() {
        LayerProfile profile = profileOf(3);
        for (Layer& layer : profile.layers) layer.storedActivationBytes = 6 << 20;
        profile.layers[1].weightGradientBytes = 2 << 20;
        ProfileView view;
        view.setProfile(profile);
        const int column = LayerTable::weightGradientBytes;
        QCOMPARE(layerCell(view, 0, column), QString("3.00 MiB"));
        QCOMPARE(layerCell(view, 1, column), QString("2.00 MiB"));
        QCOMPARE(layerCell(view, 0, column, Qt::EditRole), QString());
        QCOMPARE(layerCell(view, 1, column, Qt::EditRole), QString("2 MiB"));
        QVERIFY(
            layerCell(view, 0, column, Qt::ToolTipRole).contains("half of the stored activations is taken"));
        QCOMPARE(layerCell(view, 1, column, Qt::ToolTipRole), QString("2,097,152 bytes"));
        const auto dimmed = [&](int row) {
            return view.table()->model()->index(row, column).data(Qt::ForegroundRole).isValid();
        };
        QVERIFY(dimmed(0));
        QVERIFY(!dimmed(1));
        QCOMPARE(view.totals()->texts()[column], QString("8.00 MiB"));
    }

    void exactBytesAreGroupedOnHover() {
        LayerProfile profile = profileOf(1);
        profile.layers[0].parameterBytes = 125829120;
        ProfileView view;
        view.setProfile(profile);
        QCOMPARE(layerCell(view, 0, LayerTable::parameters, Qt::ToolTipRole), QString("125,829,120 bytes"));
    }

    void theStageColumnIsThereWithAPlanAlone() {
        ProfileView view;
        view.setProfile(profileOf(12));
        QCOMPARE(view.table()->model()->columnCount(), int(LayerTable::stage));
        view.setRun(threeStageRun());
        QCOMPARE(view.table()->model()->columnCount(), LayerTable::stage + 1);
        QCOMPARE(layerCell(view, 3, LayerTable::stage), QString("0"));
        QCOMPARE(layerCell(view, 4, LayerTable::stage), QString("1"));
        QCOMPARE(layerCell(view, 11, LayerTable::stage), QString("2"));
        view.setRun(nullptr);
        QCOMPARE(view.table()->model()->columnCount(), int(LayerTable::stage));
    }

    void colouredRowsThatArePaintedOverAndOverTakeNoMoreMemory() {
        ProfileView view;
        view.resize(1600, 600);
        view.setProfile(profileOf(12));
        view.setRun(threeStageRun());
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        view.table()->scrollTo(view.table()->model()->index(0, LayerTable::stage));
        const QImage shown = view.table()->grab().toImage();
        int coloured = 0;
        for (int y = 0; y < shown.height(); ++y)
            for (int x = 0; x < shown.width(); ++x) coloured += shown.pixel(x, y) == stageColour(0, 3).rgb();
        QVERIFY2(coloured >= 4 * 100, qPrintable(QString::number(coloured)));  // squares of four rows
        const auto paint = [&view] {
            for (int times = 0; times < 50; ++times) view.table()->grab();
            return mallinfo2().uordblks;
        };
        paint();
        const std::size_t before = paint(), after = paint();
        constexpr std::size_t most = 64 << 10;
        QVERIFY2(after < before + most, qPrintable(QString::number(after - before)));
    }

    void aLowAndNarrowViewKeepsRowsBarsAndWholeTotals() {
        ProfileView view;
        LayerProfile profile = profileOf(60);
        for (Layer& layer : profile.layers) layer.storedActivationBytes = 1;
        view.setProfile(profile);
        view.resize(690, 470);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        const QTableView* table = view.table();
        QVERIFY(table->viewport()->height() >= 3 * table->rowHeight(0));
        QVERIFY(view.findChild<LayerBars*>()->height() >= 180);
        const std::vector<int> needed = view.totals()->neededWidths();
        for (std::size_t column = 0; column < needed.size(); ++column)
            QVERIFY2(table->columnWidth(static_cast<int>(column)) >= needed[column],
                     qPrintable(view.totals()->texts()[column]));
        view.filterField()->setText("block 1");
        for (std::size_t column = 0; column < needed.size(); ++column)
            QVERIFY(table->columnWidth(static_cast<int>(column)) >= view.totals()->neededWidths()[column]);
    }

    void roomToSpareGoesToWideColumns() {
        ProfileView view;
        view.setProfile(profileOf(60));
        view.resize(1920, 900);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        const QTableView* table = view.table();
        QVERIFY2(table->columnWidth(LayerTable::layerIndex) < 80,
                 qPrintable(QString::number(table->columnWidth(0))));
        QVERIFY(table->columnWidth(LayerTable::name) > 2 * table->columnWidth(LayerTable::layerIndex));
        QCOMPARE(table->horizontalHeader()->length(), table->viewport()->width());
    }

    void totalsAddUpWhatIsShown() {
        const LayerProfile profile = profileOf(12);
        ProfileView view;
        view.setProfile(profile);
        double all = 0;
        double attention = 0;
        for (int i = 0; i < 12; ++i) {
            all += profile.layers[static_cast<std::size_t>(i)].forwardS;
            if (i % 3 == 0) attention += profile.layers[static_cast<std::size_t>(i)].forwardS;
        }
        QCOMPARE(view.totals()->texts()[LayerTable::forward], QString::fromStdString(formatSeconds(all)));
        showProfile(view);
        QTest::keyClicks(view.filterField(), "Attention");
        QCOMPARE(view.table()->model()->rowCount(), 4);
        QCOMPARE(view.totals()->texts()[LayerTable::forward],
                 QString::fromStdString(formatSeconds(attention)));
        QCOMPARE(view.totals()->texts()[LayerTable::name], QString("Total of 4 of 12 layers"));
    }

    void theFilterKnowsIndexAndStage() {
        ProfileView view;
        view.setProfile(profileOf(12));
        view.setRun(threeStageRun());
        view.filterField()->setText("stage 1");
        QCOMPARE(view.table()->model()->rowCount(), 5);
        QCOMPARE(layerCell(view, 0, LayerTable::layerIndex), QString("4"));
        view.filterField()->setText("stage:1");
        QCOMPARE(view.table()->model()->rowCount(), 5);
        view.filterField()->setText("stage:0,2..");
        QCOMPARE(view.table()->model()->rowCount(), 7);
        QCOMPARE(layerCell(view, 0, LayerTable::layerIndex), QString("0"));
        view.filterField()->setText("stage:x");
        QCOMPARE(view.table()->model()->rowCount(), 0);  // part of no name
        view.filterField()->setText("7");
        QCOMPARE(view.table()->model()->rowCount(), 1);  // neither "mlp7" twice nor layer 70
    }

    void namesThatAreNumberedAreSortedByTheirNumbers() {
        ProfileView view;
        LayerProfile profile = profileOf(12);
        for (int i = 0; i < 12; ++i)
            profile.layers[static_cast<std::size_t>(i)].name = "encoder " + std::to_string(11 - i);
        view.setProfile(profile);
        view.show();
        view.table()->sortByColumn(LayerTable::name, Qt::AscendingOrder);
        for (int row = 0; row < 12; ++row)
            QCOMPARE(cell(*view.table()->model(), row, LayerTable::name),
                     QStringLiteral("encoder %1").arg(row));
    }

    void sortingGoesByTheNumberAndNotByItsText() {
        LayerProfile profile = profileOf(4);
        const double times[] = {9e-3, 1.2, 800e-6, 90e-3};
        for (std::size_t i = 0; i < 4; ++i) profile.layers[i].forwardS = times[i];
        ProfileView view;
        view.setProfile(profile);
        showProfile(view);
        QHeaderView* header = view.table()->horizontalHeader();
        const QPoint title(header->sectionViewportPosition(LayerTable::forward) + 10, header->height() / 2);
        QTest::mouseClick(header->viewport(), Qt::LeftButton, {}, title);
        QStringList order;
        for (int row = 0; row < 4; ++row) order << layerCell(view, row, LayerTable::layerIndex);
        if (header->sortIndicatorOrder() == Qt::DescendingOrder) std::reverse(order.begin(), order.end());
        QCOMPARE(order, QStringList({"2", "0", "3", "1"}));
    }

    void clickingABarSelectsItsRowAndTheOtherWayRound() {
        ProfileView view;
        view.setProfile(profileOf(12));
        showProfile(view);
        view.table()->sortByColumn(LayerTable::backward, Qt::DescendingOrder);
        QSignalSpy selected(&view, &ProfileView::layerSelected);
        QTest::mouseClick(view.bars(), Qt::LeftButton, {}, barOf(view, 7));
        QCOMPARE(selected.size(), 1);
        QCOMPARE(selected.takeFirst().at(0).toInt(), 7);
        const QModelIndexList rows = view.table()->selectionModel()->selectedRows();
        QCOMPARE(rows.size(), 1);
        QCOMPARE(layerCell(view, rows.front().row(), LayerTable::layerIndex), QString("7"));

        const int other = rows.front().row() == 0 ? 1 : 0;
        const QRect row = view.table()->visualRect(view.table()->model()->index(other, LayerTable::name));
        QTest::mouseClick(view.table()->viewport(), Qt::LeftButton, {}, row.center());
        QCOMPARE(selected.size(), 1);
        QCOMPARE(view.bars()->selectedLayer(), layerCell(view, other, LayerTable::layerIndex).toInt());
        QCOMPARE(selected.takeFirst().at(0).toInt(), view.bars()->selectedLayer());
    }

    void eachBarIsHitWhereItIsDrawn() {
        ProfileView view;
        view.setProfile(profileOf(40));
        showProfile(view);
        QSignalSpy hovered(view.bars(), &LayerBars::layerHovered);
        for (int layer = 0; layer < 40; ++layer) {
            QTest::mouseMove(view.bars(), barOf(view, layer));
            QTRY_COMPARE(view.bars()->hoveredLayer(), layer);
        }
        QCOMPARE(hovered.size(), 40);
        QTest::mouseMove(view.bars(), QPoint(3, 60));
        QTRY_COMPARE(view.bars()->hoveredLayer(), -1);
    }

    void theWheelZoomsAtTheCursor() {
        ProfileView view;
        view.setProfile(profileOf(300));
        showProfile(view);
        LayerBars* bars = view.bars();
        const QPointF at(500, 100);
        const double before = bars->axis().toLayer(at.x());
        QWheelEvent event(at, bars->mapToGlobal(at), {}, {0, 480}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(bars, &event);
        QVERIFY(bars->axis().shown < 150);
        QVERIFY(std::abs(bars->axis().toLayer(at.x()) - before) < 1e-9);
        view.selectLayer(299);
        QVERIFY(bars->axis().toPixel(300) <= bars->width());
        QTest::keyClick(bars, Qt::Key_F);
        QCOMPARE(bars->axis().shown, 300.0);
        QCOMPARE(bars->axis().first, 0.0);
    }

    void zoomingStaysWithinTheLayers() {
        LayerAxis axis{100, 0, 100, 50, 800};
        for (const double factor : {3.0, 100.0, 0.5, 0.01, 1e9}) {
            axis.zoomAt(55, factor);
            axis.pan(-3000);
            QVERIFY(axis.first >= 0);
            QVERIFY(axis.first + axis.shown <= 100 + 1e-9);
            QVERIFY(axis.shown >= 4);
        }
    }

    void boundariesAreThoseOfThePlan() {
        ProfileView view;
        view.setProfile(profileOf(12));
        view.setRun(threeStageRun());
        QCOMPARE(view.bars()->boundaries(), std::vector<int>({4, 9}));
        view.setRun(nullptr);
        QVERIFY(view.bars()->boundaries().empty());
    }

    void copiesThatAreCutAlikeShareARibbon() {
        Plan plan;
        const auto add = [&](int first, int last, int pipeline) {
            Stage stage{first, last, {plan.stageCount()}};
            stage.pipeline = pipeline;
            plan.stages.push_back(stage);
        };
        for (const int pipeline : {0, 1}) {
            add(0, 5, pipeline);
            add(6, 11, pipeline);
        }
        add(0, 7, 2);
        add(8, 11, 2);
        const std::vector<StageRibbon> ribbons = stageRibbons(plan);
        QCOMPARE(ribbons.size(), 2u);
        QCOMPARE(ribbons[0][1].stages, std::vector<int>({1, 3}));
        QCOMPARE(ribbons[1][0].stages, std::vector<int>({4}));
        QCOMPARE(stageBoundaries(plan), std::vector<int>({6, 8}));
    }

    void aLongSourceIsFoldedUntilAskedFor() {
        LayerProfile profile = profileOf(3);
        for (int i = 0; i < 60; ++i) profile.source += " operations over peak times efficiency";
        ProfileView view;
        view.setProfile(profile);
        showProfile(view);
        auto* header = view.findChild<ProfileHeader*>();
        const int folded = header->height();
        header->expandSource(true);
        QTRY_VERIFY(header->height() > folded + 20);
        header->expandSource(false);
        QTRY_COMPARE(header->height(), folded);
    }

    void anEmptyProfileSaysWhatToDo() {
        ProfileView view;
        showProfile(view);
        QVERIFY(!view.bars()->isVisible());
        view.setProfile(profileOf(3));
        QVERIFY(view.bars()->isVisible());
        view.setProfile({});
        QVERIFY(!view.bars()->isVisible());
    }
};

STAGECRAFT_TEST(ProfileViewTest)
#include "profile_view_test.moc"
