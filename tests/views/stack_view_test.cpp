// Plans one above the other: one axis, linked pointers, ends and differences.

#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "tests/views/gantt_fixture.h"
#include "views/common/theme.h"
#include "views/stack/stack_marks.h"
#include "views/stack/stack_row.h"
#include "views/stack/stack_view.h"
#include "views/timeline/gantt_chart.h"
#include "views/timeline/legend.h"

#include <QLabel>
#include <QMenu>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QWheelEvent>

using namespace stagecraft;

namespace {

std::shared_ptr<PlanRun> madeUp(const char* name, const char* policy, int stages = 4) {
    MadeUpPipeline wanted;
    wanted.policy = policy;
    wanted.stages = stages;
    auto run = madeUpRun(wanted);
    run->result.plan.name = name;
    return run;
}

/// The same network and devices in other stages: the first holds half of the layers.
std::shared_ptr<PlanRun> otherwiseCut() {
    const MadeUpPipeline wanted;
    auto run = std::make_shared<PlanRun>();
    run->costs = std::make_shared<CostModel>(madeUpProblem(wanted));
    run->result.status = PlanStatus::ok;
    run->result.plan = madeUpPlan(wanted);
    run->result.plan.name = "Two stages";
    run->result.plan.stages = {{0, 1, {0, 1, 2, 3}}, {2, 3, {4, 5, 6, 7}}};
    run->evaluation = std::make_shared<const Evaluation>(
        measureRun(*run->costs, run->result.plan, simulatedRun(*run->costs, run->result.plan, {1, {}})));
    return run;
}

}  // namespace

class StackViewTest : public QObject {
    Q_OBJECT
private slots:
    void init();
    void cleanup() { view_.reset(); }

    void withoutPlansItSaysWhatToDo();
    void allChartsHaveOneAxis();
    void theWheelOverOneZoomsAll();
    void draggingOnePansAll();
    void keysZoomPanAndFit();
    void theCursorStandsAtTheSameInstantInAll();
    void whatIsPointedAtLightsUpInTheOthers();
    void whereStagesDifferTheLayersTell();
    void aClickSelectsTheSamePassInAll();
    void endsAreMarkedWithNameAndTime();
    void differencesAreInWordsAgainstTheOneThatIsClicked();
    void plansThatAreOutOfDateAreMarkedAndNotMeasured();
    void theMenuAndTheCrossChooseUpToSix();
    void theyMayBeInTheOrderInWhichTheyAreNamed();
    void aLegendSaysWhatOccurs();
    void aPlanThatIsWorkedOutAgainKeepsTheView();
    void whatIsTakenOutLeavesNothingBehind();

private:
    StackRow& row(std::size_t index) { return *view_->rows()[index]; }
    quint32 block(std::size_t index, BlockKind kind, int stage, int microbatch) {
        return row(index).run().evaluation->timeline.find(kind, stage, microbatch, 0);
    }
    QPoint pointAt(std::size_t index, quint32 block) {
        return row(index).chart().blockRect(block).center().toPoint();
    }
    void hover(std::size_t index, quint32 block) {
        QTest::mouseMove(&row(index).chart().plot(), pointAt(index, block));
    }

    std::vector<StackPlan> plans_;
    std::unique_ptr<StackView> view_;
};

void StackViewTest::init() {
    applyTheme(*qApp, ThemeChoice::light);
    plans_ = {{11, madeUp("Greedy", "1f1b")}, {12, madeUp("All forward", "gpipe")}, {13, otherwiseCut()}};
    view_ = std::make_unique<StackView>();
    view_->resize(1100, 700);
    view_->setPlans(plans_);
    view_->choose({11, 12, 13});
    view_->show();
    QVERIFY(QTest::qWaitForWindowExposed(view_.get()));
    QCOMPARE(view_->rows().size(), std::size_t{3});
}

void StackViewTest::withoutPlansItSaysWhatToDo() {
    StackView view;
    const auto says = [&view](const QString& words) {
        const auto labels = view.findChildren<QLabel*>();
        return std::any_of(labels.begin(), labels.end(),
                           [&](const QLabel* label) { return label->text().contains(words); });
    };
    QVERIFY(says("Run a planner"));
    view.setPlans(plans_);
    QVERIFY(!says("Run a planner") && says("Select two to six plans"));
    view.setPlans({});
    QVERIFY(says("Run a planner"));
}

void StackViewTest::allChartsHaveOneAxis() {
    for (const bool communication : {false, true}) {
        for (QToolButton* button : view_->findChildren<QToolButton*>())
            if (button->text() == "Communication" && button->isChecked() != communication)
                QTest::mouseClick(button, Qt::LeftButton);
        QTest::qWait(20);
        const TimeAxis first = row(0).chart().plot().axis();
        for (std::size_t i = 1; i < 3; ++i) {
            const TimeAxis other = row(i).chart().plot().axis();
            QCOMPARE(other.t0, first.t0);
            QCOMPARE(other.t1, first.t1);
            QCOMPARE(other.width, first.width);
            QCOMPARE(row(i).chart().plot().mapTo(view_.get(), QPoint()).x(),
                     row(0).chart().plot().mapTo(view_.get(), QPoint()).x());
        }
    }
    for (const StackPlan& plan : plans_) {
        QVERIFY(view_->visibleRange().first <= 0);
        QVERIFY(view_->visibleRange().second >= plan.run->evaluation->timeline.lastEndS());
    }
}

void StackViewTest::theyMayBeInTheOrderInWhichTheyAreNamed() {
    view_->choose({13, 11, 12}, StackView::Order::asChosen);
    QCOMPARE(view_->chosen(), (std::vector<int>{13, 11, 12}));
    QVERIFY(row(0).mapTo(view_.get(), QPoint()).y() < row(1).mapTo(view_.get(), QPoint()).y());
    view_->setPlans(plans_);
    QCOMPARE(view_->chosen(), (std::vector<int>{13, 11, 12}));
    view_->choose({13, 11, 12});
    QCOMPARE(view_->chosen(), (std::vector<int>{11, 12, 13}));
}

void StackViewTest::whatIsTakenOutLeavesNothingBehind() {
    const auto widgets = [this] {
        QApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        return view_->findChildren<QWidget*>().size();
    };
    view_->choose({11});
    const qsizetype before = widgets();
    for (int times = 0; times < 3; ++times) {
        view_->choose({11, 12, 13});
        view_->choose({11});
    }
    QCOMPARE(widgets(), before);
}

void StackViewTest::aLegendSaysWhatOccurs() {
    auto* legend = view_->findChild<Legend*>();
    QVERIFY(legend->isVisible());
    QVERIFY(legend->texts().contains("forward") && legend->texts().contains("backward"));
    QVERIFY(!legend->texts().contains("transfer forward"));
    for (QToolButton* button : view_->findChildren<QToolButton*>())
        if (button->text() == "Communication") QTest::mouseClick(button, Qt::LeftButton);
    QVERIFY2(legend->texts().contains("transfer forward"), qPrintable(legend->texts().join(", ")));
    view_->choose({});
    QVERIFY(!legend->isVisible());
}

void StackViewTest::theWheelOverOneZoomsAll() {
    const auto before = view_->visibleRange();
    TimePlot& plot = row(1).chart().plot();
    const QPointF at(plot.width() / 3.0, plot.height() / 2.0);
    const double instant = plot.axis().toTime(at.x());
    QWheelEvent wheel(at, plot.mapToGlobal(at), {}, {0, 240}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                      false);
    QApplication::sendEvent(&plot, &wheel);
    const auto after = view_->visibleRange();
    QVERIFY(after.second - after.first < 0.8 * (before.second - before.first));
    for (std::size_t i = 0; i < 3; ++i) {
        QCOMPARE(row(i).chart().plot().axis().t0, after.first);
        QVERIFY(std::abs(row(i).chart().plot().axis().toTime(at.x()) - instant) < 1e-6);
    }
}

void StackViewTest::draggingOnePansAll() {
    QTest::keyClick(view_.get(), Qt::Key_W);
    QTest::keyClick(view_.get(), Qt::Key_W);
    const auto before = view_->visibleRange();
    TimePlot& plot = row(2).chart().plot();
    QTest::mousePress(&plot, Qt::LeftButton, {}, {500, 60});
    QTest::mouseMove(&plot, {460, 60});
    QTest::mouseMove(&plot, {400, 60});
    QTest::mouseRelease(&plot, Qt::LeftButton, {}, {400, 60});
    QVERIFY(view_->visibleRange().first > before.first);
    for (std::size_t i = 0; i < 3; ++i)
        QCOMPARE(row(i).chart().plot().axis().t0, view_->visibleRange().first);
}

void StackViewTest::keysZoomPanAndFit() {
    const auto all = view_->visibleRange();
    QTest::keyClick(view_.get(), Qt::Key_W);
    const auto zoomed = view_->visibleRange();
    QVERIFY(zoomed.second - zoomed.first < all.second - all.first);
    QTest::keyClick(view_.get(), Qt::Key_D);
    QVERIFY(view_->visibleRange().first > zoomed.first);
    QTest::keyClick(view_.get(), Qt::Key_F);
    QCOMPARE(view_->visibleRange(), all);
}

void StackViewTest::theCursorStandsAtTheSameInstantInAll() {
    hover(0, block(0, BlockKind::forward, 0, 2));
    const int x = pointAt(0, block(0, BlockKind::forward, 0, 2)).x();
    for (std::size_t i = 0; i < 3; ++i) {
        TimePlot& plot = row(i).chart().plot();
        const QImage with = plot.grab().toImage();
        plot.setCursorTime(std::nullopt);
        const QImage without = plot.grab().toImage();
        int changed = 0;
        for (int y = plot.area().top(); y < plot.area().bottom(); ++y)
            changed += with.pixel(x, y) != without.pixel(x, y);
        QVERIFY2(changed > plot.area().height() / 2, qPrintable(QString::number(changed)));
    }
}

void StackViewTest::whatIsPointedAtLightsUpInTheOthers() {
    const quint32 pointed = block(0, BlockKind::backward, 1, 3);
    hover(0, pointed);
    QVERIFY(row(0).marks().lit().empty());
    QCOMPARE(row(1).marks().lit(),
             std::vector<QRectF>{row(1).chart().blockRect(block(1, BlockKind::backward, 1, 3))});
    const QRectF lit = row(1).marks().lit().front();
    const QImage image = row(1).chart().plot().grab().toImage();
    QCOMPARE(image.pixelColor(qRound(lit.center().x()), qRound(lit.top()) + 1), Theme::current().text);
    QTest::mouseMove(&row(0).chart().plot(), {2, 2});
    QVERIFY(row(1).marks().lit().empty());
}

void StackViewTest::whereStagesDifferTheLayersTell() {
    hover(0, block(0, BlockKind::forward, 3, 1));
    QCOMPARE(row(2).marks().lit(),
             std::vector<QRectF>{row(2).chart().blockRect(block(2, BlockKind::forward, 1, 1))});
    hover(2, block(2, BlockKind::forward, 0, 5));
    const std::vector<QRectF> both{row(0).chart().blockRect(block(0, BlockKind::forward, 0, 5)),
                                   row(0).chart().blockRect(block(0, BlockKind::forward, 1, 5))};
    QCOMPARE(row(0).marks().lit(), both);
}

void StackViewTest::aClickSelectsTheSamePassInAll() {
    const quint32 clicked = block(1, BlockKind::forward, 2, 4);
    QTest::mouseClick(&row(1).chart().plot(), Qt::LeftButton, {}, pointAt(1, clicked));
    QCOMPARE(row(1).chart().scene().selected, clicked);
    QCOMPARE(row(0).chart().scene().selected, block(0, BlockKind::forward, 2, 4));
    QCOMPARE(row(2).chart().scene().selected, block(2, BlockKind::forward, 1, 4));
    QTest::keyClick(view_.get(), Qt::Key_Escape);
    for (std::size_t i = 0; i < 3; ++i) QCOMPARE(row(i).chart().scene().selected, noBlock);
    QSignalSpy activated(view_.get(), &StackView::planActivated);
    QTest::mouseDClick(&row(1).chart().plot(), Qt::LeftButton, {}, pointAt(1, clicked));
    QCOMPARE(activated.size(), 1);
    QCOMPARE(activated[0][0].toInt(), 12);
    QCOMPARE(activated[0][1].toUInt(), clicked);
}

void StackViewTest::endsAreMarkedWithNameAndTime() {
    for (std::size_t i = 0; i < 3; ++i) {
        const std::vector<EndMark>& ends = row(i).marks().ends();
        QCOMPARE(ends.size(), std::size_t{3});
        const EndMark& own = ends.back();  // on top of the others
        QVERIFY(own.own);
        QCOMPARE(own.timeS, row(i).run().iterationTimeS());
        QVERIFY(own.label.startsWith(QString::fromStdString(row(i).run().title() + " ")));
        TimePlot& plot = row(i).chart().plot();
        const QImage image = plot.grab().toImage();
        const int x = qRound(plot.axis().toX(own.timeS));
        bool found = false;
        for (int near = x - 2; near <= x + 2; ++near)
            found = found || image.pixelColor(near, plot.area().top() + 3) == Theme::current().accent;
        QVERIFY(found);
    }
}

void StackViewTest::differencesAreInWordsAgainstTheOneThatIsClicked() {
    const auto slowest = std::max_element(plans_.begin(), plans_.end(), [](const auto& a, const auto& b) {
        return a.run->iterationTimeS() < b.run->iterationTimeS();
    });
    QCOMPARE(view_->reference(), slowest->id);
    QTest::mouseClick(row(0).findChild<QToolButton*>("measureAgainst"), Qt::LeftButton);
    QCOMPARE(view_->reference(), 11);
    QVERIFY(row(0).words().contains("the others are measured against it"));
    QVERIFY2(row(1).words().startsWith("All forward is ") && row(1).words().contains("than Greedy"),
             qPrintable(row(1).words()));
    QTest::mouseClick(row(1).findChild<QToolButton*>("measureAgainst"), Qt::LeftButton);
    QCOMPARE(view_->reference(), 12);
    QVERIFY(row(0).words().contains("than All forward") || row(0).words().contains("as fast as All forward"));
    QVERIFY(row(1).words().contains("the others are measured against it"));
    QTest::mouseClick(row(1).findChild<QToolButton*>("measureAgainst"), Qt::LeftButton);
    QVERIFY(row(1).findChild<QToolButton*>("measureAgainst")->isChecked());
}

void StackViewTest::plansThatAreOutOfDateAreMarkedAndNotMeasured() {
    auto old = std::make_shared<PlanRun>(*plans_[0].run);
    old->age = PlanAge::outOfDate;
    old->changed = "setup";
    plans_[0].run = old;
    view_->setPlans(plans_);
    QVERIFY(view_->reference() != 11);
    view_->setReference(12);
    QCOMPARE(row(0).findChild<QToolButton*>("measureAgainst")->text(), QString("Greedy (out of date)"));
    QCOMPARE(row(0).words(), QString("Out of date: it was planned for another setup."));
    QVERIFY(row(1).words().contains("the others are measured against it"));
    QVERIFY(row(2).words().contains("All forward"));
}

void StackViewTest::theMenuAndTheCrossChooseUpToSix() {
    view_->setReference(11);
    QTest::mouseClick(row(0).findChild<QToolButton*>("removeFromStack"), Qt::LeftButton);
    QCOMPARE(view_->chosen(), (std::vector<int>{12, 13}));
    // What was chosen stays the measure, in the stack or not.
    QCOMPARE(view_->reference(), 11);
    QVERIFY2(row(0).words().contains("Greedy"), qPrintable(row(0).words()));
    std::vector<StackPlan> many;
    for (int id = 1; id <= 8; ++id)
        many.push_back({id, madeUp(("P" + std::to_string(id)).c_str(), "1f1b", 2)});
    view_->setPlans(many);
    view_->choose({1, 2, 3, 4, 5});
    auto* choice = view_->findChild<QToolButton*>("stackChoice");
    QCOMPARE(choice->text(), QString("Plans: 5 of 8"));
    choice->menu()->actions()[5]->trigger();
    QCOMPARE(view_->chosen(), (std::vector<int>{1, 2, 3, 4, 5, 6}));
    QVERIFY(!choice->menu()->actions()[6]->isEnabled());
    view_->choose({1, 2, 3, 4, 5, 6, 7});
    QCOMPARE(view_->chosen().size(), std::size_t{6});
    view_->choose({});
    QVERIFY(view_->rows().empty());
    QTest::keyClick(view_.get(), Qt::Key_W);  // nothing to zoom
}

void StackViewTest::aPlanThatIsWorkedOutAgainKeepsTheView() {
    QTest::keyClick(view_.get(), Qt::Key_W);
    const auto zoomed = view_->visibleRange();
    StackRow* kept = &row(0);
    plans_[1].run = madeUp("All forward", "gpipe");
    view_->setPlans(plans_);
    QCOMPARE(view_->rows()[0], kept);
    QCOMPARE(view_->rows()[1]->sharedRun(), plans_[1].run);
    QCOMPARE(view_->visibleRange(), zoomed);
    QCOMPARE(row(1).chart().plot().axis().t0, zoomed.first);
}

STAGECRAFT_TEST(StackViewTest)
#include "stack_view_test.moc"
