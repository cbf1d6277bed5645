#include "tests/support/qt_program.h"
#include "tests/support/window_rooms.h"
#include "tests/views/plan_view_fixture.h"
#include "views/plan/details_pane.h"
#include "views/plan/plan_notes.h"

#include <QAction>
#include <QLineEdit>
#include <QTest>
#include <QTreeWidget>

using namespace stagecraft;

class PlanNotesTest : public QObject {
    Q_OBJECT
private slots:
    void init();
    void cleanup() { shown_.reset(); }

    void mNotesTheInstantOfThePointerAndItsTextIsTyped();
    void mNotesWhatIsMarkedOrSelected();
    void aNoteGoesWithItsBlockAndSaysWhenThatIsGone();
    void aClickOnAFlagChoosesItsNote();
    void notesAreSteppedThroughAndDeleted();
    void theViewChangesNothingByItself();

private:
    QTreeWidget* list() { return view_->findChild<QTreeWidget*>("noteList"); }
    void editText(const QString& text) {
        QTRY_VERIFY(list()->findChild<QLineEdit*>());
        auto* editor = list()->findChild<QLineEdit*>();
        QTest::keyClicks(editor, text);
        QTest::keyClick(editor, Qt::Key_Return);
    }
    const std::vector<ChartNote>& notes() { return view_->notes().notes(); }

    std::unique_ptr<ShownPlanView> shown_;
    PlanView* view_ = nullptr;
    QStringList told_;
};

void PlanNotesTest::init() {
    shown_ = std::make_unique<ShownPlanView>();
    view_ = &shown_->view;
    told_.clear();
    connect(view_, &PlanView::notesEdited, this, [this](std::vector<ChartNote> wanted, const QString& what) {
        told_ << what;
        view_->notes().setNotes(std::move(wanted));
    });
    QVERIFY(QTest::qWaitForWindowExposed(view_));
    view_->setFocus();
}

void PlanNotesTest::mNotesTheInstantOfThePointerAndItsTextIsTyped() {
    const int above = shown_->plot().area().top();
    QTest::mouseMove(&shown_->plot(), QPoint(321, 90));
    const double timeS = shown_->plot().axis().toTime(321);
    QTest::keyClick(view_, Qt::Key_M);
    QCOMPARE(notes().size(), std::size_t(1));
    QVERIFY(std::abs(notes()[0].atS - timeS) < 1e-9);
    QVERIFY(!notes()[0].untilS);
    QVERIFY(view_->viewActions().details->isChecked());
    QVERIFY(shown_->plot().area().top() > above);  // the band of flags
    editText("here it waits");
    QTRY_COMPARE(QString::fromStdString(notes()[0].text), QString("here it waits"));
    QCOMPARE(told_, QStringList({"Add note", "Edit note"}));
}

void PlanNotesTest::mNotesWhatIsMarkedOrSelected() {
    const quint32 block = shown_->block(BlockKind::backward, 1, 2);
    view_->selectBlock(block);
    // What is in view comes along, for whoever jumps to it.
    const auto seen = view_->visibleRange();
    QTest::keyClick(view_, Qt::Key_M);
    const Timeline& timeline = shown_->timeline();
    ChartNote wanted{timeline.startS[block], timeline.endS[block], "s0g2", "", nameOfBlock(timeline, block)};
    wanted.viewS = seen;
    QCOMPARE(notes()[0], wanted);
    editText("");
    view_->setFocus();
    const quint32 other = shown_->block(BlockKind::forward, 0, 0);
    view_->selectBlock(other);
    QTest::keyClick(view_, Qt::Key_R);
    view_->setVisibleRange(timeline.startS[other], timeline.endS[block]);
    const auto zoomed = view_->visibleRange();
    QTest::keyClick(view_, Qt::Key_M);
    QCOMPARE(notes().size(), std::size_t(2));
    ChartNote first{timeline.startS[other], timeline.endS[other], "", ""};
    first.viewS = zoomed;
    QCOMPARE(notes()[0], first);  // by time
}

void PlanNotesTest::aNoteGoesWithItsBlockAndSaysWhenThatIsGone() {
    const quint32 block = shown_->block(BlockKind::backward, 1, 2);
    view_->selectBlock(block);
    QTest::keyClick(view_, Qt::Key_M);
    editText("look");
    QTRY_COMPARE(QString::fromStdString(notes()[0].text), QString("look"));
    const double beforeS = shown_->timeline().startS[block];
    // The same plan, in which everything takes twice as long.
    const auto stretched = std::make_shared<PlanRun>(*shown_->run);
    auto evaluation = std::make_shared<Evaluation>(*shown_->run->evaluation);
    for (double& startS : evaluation->timeline.startS) startS *= 2;
    for (double& endS : evaluation->timeline.endS) endS *= 2;
    stretched->evaluation = evaluation;
    view_->setRun(stretched);
    QCOMPARE(view_->notes().placed().notes[0].atS, 2 * beforeS);
    QCOMPARE(view_->gantt().scene().notes[0].atS, 2 * beforeS);
    QCOMPARE(notes()[0].atS, beforeS);  // nothing was edited
    QCOMPARE(list()->topLevelItem(0)->text(1), QString("look"));
    // A plan of fewer microbatches does not have it.
    MadeUpPipeline fewer;
    fewer.microbatches = 2;
    view_->setRun(madeUpRun(fewer));
    QVERIFY(view_->notes().placed().gone[0]);
    QCOMPARE(list()->topLevelItem(0)->text(0), QString("gone"));
    QCOMPARE(list()->topLevelItem(0)->text(1), QString("look"));
    QCOMPARE(QString::fromStdString(view_->gantt().scene().notes[0].text),
             QString("gone: backward of microbatch 2 on stage 1 · look"));
    QCOMPARE(told_, QStringList({"Add note", "Edit note"}));
}

void PlanNotesTest::aClickOnAFlagChoosesItsNote() {
    const double endS = shown_->timeline().lastEndS();
    view_->notes().setNotes({{0.2 * endS, {}, "", "one"}, {0.6 * endS, 0.7 * endS, "s0g0", "two"}});
    const QRect area = shown_->plot().area();
    const int band = shown_->plot().bandHeight();
    const QImage before = shown_->shot();
    const QPoint flag(qRound(shown_->plot().axis().toX(0.6 * endS)) + 4, area.top() - band + 8);
    QTest::mouseClick(&shown_->plot(), Qt::LeftButton, {}, flag);
    QCOMPARE(view_->notes().chosen(), 1);
    QVERIFY(shown_->shot() != before);
    QVERIFY(list()->topLevelItem(1)->isSelected());
    view_->setVisibleRange(0.9 * endS, endS);
    const QRect row = list()->visualItemRect(list()->topLevelItem(0));
    QTest::mouseClick(list()->viewport(), Qt::LeftButton, {}, row.center());
    QVERIFY(view_->visibleRange().first <= 0.2 * endS && view_->visibleRange().second >= 0.2 * endS);
}

void PlanNotesTest::notesAreSteppedThroughAndDeleted() {
    const double endS = shown_->timeline().lastEndS();
    view_->notes().setNotes({{0.8 * endS, {}, "", "late"}, {0.1 * endS, {}, "", "early"}});
    QCOMPARE(notes()[0].text, std::string("early"));
    QTest::keyClick(view_, Qt::Key_M, Qt::ShiftModifier);
    QCOMPARE(view_->notes().chosen(), 0);
    QTest::keyClick(view_, Qt::Key_M, Qt::ShiftModifier);
    QTest::keyClick(view_, Qt::Key_M, Qt::ShiftModifier);
    QCOMPARE(view_->notes().chosen(), 0);
    view_->viewActions().details->setChecked(true);
    list()->setFocus();
    QTRY_VERIFY(list()->hasFocus());
    QTest::keyClick(list(), Qt::Key_Delete);
    QCOMPARE(notes().size(), std::size_t(1));
    QCOMPARE(notes()[0].text, std::string("late"));
    QCOMPARE(told_, QStringList{"Delete note"});
}

void PlanNotesTest::theViewChangesNothingByItself() {
    disconnect(view_, &PlanView::notesEdited, this, nullptr);
    QTest::keyClick(view_, Qt::Key_M);
    QVERIFY(notes().empty());
    QCOMPARE(shown_->plot().bandHeight(), 0);
}

STAGECRAFT_TEST(PlanNotesTest)
#include "plan_notes_test.moc"
