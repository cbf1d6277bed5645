// What the chart of a plan whose mini-batches overlap shows of weights.

#include "tests/support/qt_program.h"
#include "tests/support/window_rooms.h"
#include "tests/views/plan_view_fixture.h"
#include "views/timeline/block_text.h"
#include "views/timeline/gantt_overlays.h"
#include "views/timeline/legend.h"

#include <QAction>
#include <QComboBox>
#include <QSignalSpy>
#include <QTest>

#include <cmath>
#include <set>

using namespace stagecraft;

namespace {

/// CIE L*.
double lightness(const QColor& colour) {
    const auto linear = [](double v) {
        return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
    };
    const double y =
        0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF());
    return y > 0.008856 ? 116 * std::cbrt(y) - 16 : 903.3 * y;
}

}  // namespace

class GanttWeightsTest : public QObject {
    Q_OBJECT
private slots:
    void init() { show(WeightPolicyKind::predicted); }
    void cleanup() { shown_.reset(); }

    void numbersTellMiniBatchAndMicrobatchApart();
    void keysAndTheBoxChooseTheColours();
    void eachMiniBatchHasItsHueAndEachPassItsShade();
    void stalenessIsAScaleOfIntegers();
    void theChoiceComesBackWithTheState();
    void plansWithABarrierAreColouredByKindAlone();
    void largeTimelinesAreColouredOffTheGuiThread();
    void updatesCanBePointedAtAndClicked();
    void bellwethersHaveACornerMark();
    void theCardShowsVersionPredictionAndStaleness();
    void predictionsShowOnDemandAndOfTheSelectedBlockAlone();
    void aStashedVersionIsFollowedToItsBackward();
    void theSteadyStateHasABand();

private:
    void show(WeightPolicyKind weights);
    TimePlot& plot() { return shown_->plot(); }
    const ChartData& data() { return *view_->gantt().scene().data; }
    quint32 block(BlockKind kind, int stage, int microbatch, int miniBatch) {
        return shown_->block(kind, stage, microbatch, miniBatch);
    }
    QPoint centreOf(quint32 which) { return shown_->centreOf(which).toPoint(); }
    /// In a corner of the block, where neither its number nor its mark is.
    QColor colourOf(quint32 which) {
        const QRectF where = view_->gantt().blockRect(which);
        return shown_->shot().pixelColor((where.bottomLeft() + QPointF(5, -5)).toPoint());
    }
    int pixelsOf(const QColor& colour) {
        const QImage image = shown_->shot();
        int found = 0;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x) found += image.pixelColor(x, y) == colour;
        return found;
    }

    std::unique_ptr<ShownPlanView> shown_;
    PlanView* view_ = nullptr;
};

void GanttWeightsTest::show(WeightPolicyKind weights) {
    MadeUpPipeline wanted;
    wanted.microbatches = 2;
    wanted.miniBatches = 8;
    wanted.replicas = 1;
    wanted.weights = weights;
    wanted.linkBps = 60e9;
    shown_ = std::make_unique<ShownPlanView>(wanted);
    view_ = &shown_->view;
    QVERIFY(QTest::qWaitForWindowExposed(view_));
    view_->setFocus();
    view_->setVisibleRange(0, shown_->timeline().lastEndS() / 3);
}

void GanttWeightsTest::numbersTellMiniBatchAndMicrobatchApart() {
    QCOMPARE(data().numbers.text(3, 1), QString("3.1"));
    QCOMPARE(data().numbers.describe(data().timeline(), block(BlockKind::forward, 2, 1, 3)),
             QString("forward of microbatch 1 of mini-batch 3 on stage 2"));
    QCOMPARE(data().numbers.describe(data().timeline(), data().updates[1][4]),
             QString("update of mini-batch 4 on stage 1"));
    Timeline timeline;
    timeline.resize(2);
    timeline.iteration = {0, 1};
    QCOMPARE(BlockNumbers(timeline).text(1, 0), QString("1"));  // one microbatch per mini-batch
    timeline.iteration = {0, 0};
    timeline.microbatch = {0, 1};
    QCOMPARE(BlockNumbers(timeline).text(0, 1), QString("1"));  // one mini-batch
    QVERIFY(view_->findChild<Legend*>()->texts().contains("2.1: mini-batch 2, microbatch 1"));
}

void GanttWeightsTest::keysAndTheBoxChooseTheColours() {
    auto* box = view_->findChild<QComboBox*>("colouring");
    QVERIFY(box->isVisible());
    QTest::keyClick(view_, Qt::Key_B);
    QCOMPARE(view_->colouring(), BlockColouring::miniBatch);
    QCOMPARE(box->currentText(), QString("Colour: mini-batch"));
    QTest::keyClick(box, Qt::Key_Down);
    QCOMPARE(view_->colouring(), BlockColouring::weightVersion);
    QCOMPARE(view_->gantt().scene().classes().colouring(), BlockColouring::weightVersion);
    view_->setFocus();
    QTest::keyClick(view_, Qt::Key_K);
    QCOMPARE(view_->colouring(), BlockColouring::kind);
    QCOMPARE(colourOf(block(BlockKind::forward, 0, 1, 0)), blockColour(BlockKind::forward));
}

void GanttWeightsTest::eachMiniBatchHasItsHueAndEachPassItsShade() {
    view_->setColouring(BlockColouring::miniBatch);
    const BlockClasses& classes = view_->gantt().scene().classes();
    std::set<QRgb> seen;
    for (int miniBatch = 0; miniBatch < 3; ++miniBatch)
        for (const BlockKind kind : {BlockKind::forward, BlockKind::backward}) {
            const quint32 which = block(kind, 0, 1, miniBatch);
            const ColourStep& step = classes.steps()[static_cast<std::size_t>(miniBatch)];
            QCOMPARE(step.label, QString::number(miniBatch));
            if (view_->gantt().blockRect(which).right() > plot().area().right()) continue;
            QCOMPARE(colourOf(which), kind == BlockKind::forward ? step.forward : step.backward);
            seen.insert(colourOf(which).rgb());
        }
    QVERIFY(seen.size() >= 4);
    QCOMPARE(classes.steps().size(), std::size_t(8));
    // Neighbours can be told apart without colour.
    for (std::size_t i = 0; i < classes.steps().size(); ++i) {
        const ColourStep& a = classes.steps()[i];
        const ColourStep& b = classes.steps()[(i + 1) % classes.steps().size()];
        QVERIFY(std::abs(lightness(a.forward) - lightness(b.forward)) > 7);
        QVERIFY(lightness(a.forward) - lightness(a.backward) > 20);
    }
    QVERIFY(view_->findChild<Legend*>()->texts().contains("mini-batch"));
}

void GanttWeightsTest::stalenessIsAScaleOfIntegers() {
    show(WeightPolicyKind::stashing);
    QTest::keyClick(view_, Qt::Key_T);
    const BlockClasses& classes = view_->gantt().scene().classes();
    const int most = data().weights->maxStaleness();
    QVERIFY(most > 0);
    QCOMPARE(int(classes.steps().size()), most + 1);
    for (int staleness = 0; staleness <= most; ++staleness) {
        const ColourStep& step = classes.steps()[static_cast<std::size_t>(staleness)];
        QCOMPARE(step.label, QString::number(staleness));
        if (staleness > 0)
            QVERIFY(lightness(step.forward) <
                    lightness(classes.steps()[static_cast<std::size_t>(staleness) - 1].forward) - 4);
    }
    for (quint32 which = 0; which < data().timeline().blockCount(); ++which) {
        const BlockWeights own = data().weights->of(which);
        if (own.version < 0 || data().timeline().kind[which] == BlockKind::update) continue;
        QCOMPARE(classes.colour(classes.column(data().timeline())[which]),
                 classes.steps()[static_cast<std::size_t>(own.staleness)].forward);
    }
}

void GanttWeightsTest::theChoiceComesBackWithTheState() {
    QTest::keyClick(view_, Qt::Key_V);
    QTest::keyClick(view_, Qt::Key_P);
    const PlanViewState state = view_->viewState();
    QCOMPARE(state.colouring, BlockColouring::weightVersion);
    QVERIFY(state.predictions);
    PlanView other;
    other.setViewState(state);
    other.setRun(shown_->run);
    QCOMPARE(other.viewState(), state);
    QCOMPARE(other.gantt().scene().classes().colouring(), BlockColouring::weightVersion);
}

void GanttWeightsTest::plansWithABarrierAreColouredByKindAlone() {
    shown_->run = madeUpRun();
    view_->setColouring(BlockColouring::staleness);
    view_->setRun(shown_->run);
    QCOMPARE(view_->findChild<QComboBox*>("colouring")->currentIndex(), 0);
    QVERIFY(!view_->viewActions().predictions->isVisible());
    QCOMPARE(view_->gantt().scene().classes().colouring(), BlockColouring::kind);
    QCOMPARE(plot().bandHeight(), 0);
}

void GanttWeightsTest::largeTimelinesAreColouredOffTheGuiThread() {
    MadeUpPipeline wanted;
    wanted.microbatches = 1000;
    wanted.miniBatches = 8;
    wanted.replicas = 1;
    wanted.stages = 8;
    const auto run = madeUpRun(wanted);
    QVERIFY(run->evaluation->timeline.blockCount() > 100'000);
    QSignalSpy ready(view_, &PlanView::ready);
    view_->setRun(run);
    QVERIFY(ready.count() > 0 || ready.wait(20000));
    QSignalSpy coloured(&view_->gantt(), &GanttChart::coloured);
    view_->setColouring(BlockColouring::weightVersion);
    view_->setColouring(BlockColouring::miniBatch);  // makes the one before void
    QCOMPARE(view_->gantt().scene().classes().colouring(), BlockColouring::kind);
    QVERIFY(coloured.wait(20000));
    QCOMPARE(view_->gantt().scene().classes().colouring(), BlockColouring::miniBatch);
    QTest::qWait(200);
    QCOMPARE(coloured.count(), 1);
}

void GanttWeightsTest::updatesCanBePointedAtAndClicked() {
    QSignalSpy hovered(view_, &PlanView::blockHovered);
    for (const int stage : {0, 3}) {
        const quint32 update = data().updates[static_cast<std::size_t>(stage)][0];
        QCOMPARE(data().timeline().durationS(update), 0.0);
        QVERIFY(view_->gantt().blockRect(update).width() > 4);
        QTest::mouseMove(&plot(), centreOf(update) + QPoint(2, 0));
        QCOMPARE(hovered.last().at(0).toUInt(), update);
        QTest::mouseClick(&plot(), Qt::LeftButton, {}, centreOf(update));
        QCOMPARE(view_->selectedBlock(), update);
        const quint32 before = update - 1;
        QTest::mouseMove(&plot(), centreOf(update) - QPoint(9, 0));
        QCOMPARE(hovered.last().at(0).toUInt(), before);
    }
    const QString card = blockCard(data(), data().updates[0][2]);
    QVERIFY2(card.contains("Update of mini-batch 2 on stage 0") && card.contains("makes version 3"),
             qPrintable(card));
}

void GanttWeightsTest::bellwethersHaveACornerMark() {
    const auto corner = [&](quint32 which) {
        const QRectF where = view_->gantt().blockRect(which);
        return shown_->shot().pixelColor((where.topLeft() + QPointF(3, 3)).toPoint());
    };
    const quint32 first = block(BlockKind::forward, 0, 0, 0), second = block(BlockKind::forward, 0, 1, 0);
    QVERIFY(data().weights->of(first).bellwether && !data().weights->of(second).bellwether);
    QCOMPARE(corner(second), blockColour(BlockKind::forward));
    QCOMPARE(corner(first), readableOn(blockColour(BlockKind::forward)));
    QVERIFY(view_->findChild<Legend*>()->texts().contains("bellwether"));
}

void GanttWeightsTest::theCardShowsVersionPredictionAndStaleness() {
    quint32 predicted = noBlock;
    for (quint32 which = 0; which < data().timeline().blockCount() && predicted == noBlock; ++which)
        if (data().weights->of(which).ahead > 1 && data().weights->of(which).bellwether) predicted = which;
    QVERIFY(predicted != noBlock);
    const BlockWeights own = data().weights->of(predicted);
    const QString card = blockCard(data(), predicted);
    QVERIFY2(card.contains(QString("version %1, predicted %2 updates ahead").arg(own.version).arg(own.ahead)),
             qPrintable(card));
    QVERIFY(card.contains("staleness") && card.contains("bellwether"));
    show(WeightPolicyKind::stashing);
    const quint32 backward = block(BlockKind::backward, 0, 1, 6);
    const BlockWeights kept = data().weights->of(backward);
    QVERIFY(kept.staleness > 0);
    QCOMPARE(weightsText(data(), backward), QString("version %1, kept from its forward").arg(kept.version));
    QVERIFY(stalenessText(data(), backward).startsWith(QString::number(kept.staleness) + " update"));
    QVERIFY(weightsText(data(), block(BlockKind::transferForward, 0, 0, 0)).isEmpty());
}

void GanttWeightsTest::predictionsShowOnDemandAndOfTheSelectedBlockAlone() {
    view_->fitAll();
    QVERIFY(!data().predictions.empty());
    QCOMPARE(pixelsOf(weightArrowColour()), 0);
    QTest::keyClick(view_, Qt::Key_P);
    const int all = pixelsOf(weightArrowColour());
    QVERIFY(all > 200);
    QVERIFY(view_->findChild<Legend*>()->texts().contains("prediction"));
    view_->selectBlock(data().predictions.front().from);
    const auto& arrows = view_->gantt().scene().weightArrows;
    QCOMPARE(arrows.size(), std::size_t(1));
    QCOMPARE(arrows.front(), (WeightArrow{WeightArrow::Kind::prediction, data().predictions.front().from,
                                          data().predictions.front().toUpdate}));
    const int own = pixelsOf(weightArrowColour());
    QVERIFY(own > 5 && own < all / 2);
}

void GanttWeightsTest::aStashedVersionIsFollowedToItsBackward() {
    show(WeightPolicyKind::stashing);
    QVERIFY(!view_->viewActions().predictions->isVisible());
    const quint32 backward = block(BlockKind::backward, 0, 1, 6),
                  forward = block(BlockKind::forward, 0, 1, 6);
    const int version = data().weights->of(backward).version;
    QVERIFY(version > 0);
    view_->selectBlock(backward);
    const quint32 update = data().updates[0][static_cast<std::size_t>(version) - 1];
    QCOMPARE(data().weights->of(update).version, version);
    const std::vector<WeightArrow> expected = {{WeightArrow::Kind::made, update, backward},
                                               {WeightArrow::Kind::kept, forward, backward}};
    QCOMPARE(view_->gantt().scene().weightArrows, expected);
    QVERIFY(pixelsOf(weightArrowColour()) > 5);
}

void GanttWeightsTest::theSteadyStateHasABand() {
    QVERIFY(data().steady);
    const double miniBatchS = shown_->run->evaluation->metrics.iterationTimeS;
    QVERIFY(std::abs(data().steady->miniBatchS() - miniBatchS) < 1e-9 * miniBatchS);
    view_->fitAll();
    const QImage image = shown_->shot();
    const int y = plot().area().top() - 1;  // the bracket
    const TimeAxis axis = plot().axis();
    const auto accent = [&](double timeS) {
        return image.pixelColor(qRound(axis.toX(timeS)), y) == Theme::current().accent;
    };
    const double middle = (data().steady->fromS + data().steady->toS) / 2;
    QVERIFY(accent(middle));
    QVERIFY(!accent(data().steady->fromS - 0.02 * data().endS));
    QVERIFY(!accent(data().steady->toS + 0.02 * data().endS));
    QVERIFY(view_->picture(1).size().height() > 0);
}

STAGECRAFT_TEST(GanttWeightsTest)
#include "gantt_weights_test.moc"
