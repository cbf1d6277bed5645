// Public measurements beside what is predicted of them, in a window.

#include "app/experiments/measured_window.h"
#include "app/start/start_page.h"
#include "core/experiments/measured/sets.h"
#include "tests/app/window_fixture.h"
#include "tests/support/qt_program.h"
#include "tests/support/window_rooms.h"

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QTreeWidget>

using namespace stagecraft;

class MeasuredWindowTest : public QObject {
    Q_OBJECT

private slots:
    void rowsArePredictedAndSummedUp();
    void rowsSortByTheirErrors();
    void aRowBecomesTheProjectOfTheMainWindow();
    void theFilterLeavesTheRowsThatHaveTheWords();
    void theStartPageLeadsThere();

private:
    PrivateHome home_;
    std::vector<const MeasuredSet*> sets_ = {findMeasuredSet("primus"), findMeasuredSet("two-stages")};
};

namespace {

constexpr int errorOfTable = 5;

void predictAll(MeasuredWindow& window) {
    window.show();
    window.predict();
    QTRY_VERIFY_WITH_TIMEOUT(!window.isPredicting(), 20000);
}

QString cellOf(const MeasuredWindow& window, int row, int column) {
    return const_cast<MeasuredWindow&>(window).table().topLevelItem(row)->text(column);
}

}  // namespace

void MeasuredWindowTest::rowsArePredictedAndSummedUp() {
    MeasuredWindow window(sets_);
    QCOMPARE(window.table().topLevelItemCount(), 4);
    QCOMPARE(cellOf(window, 0, errorOfTable), QString());
    QCOMPARE(window.summary(), QStringLiteral("Nothing is predicted yet"));
    predictAll(window);
    QCOMPARE(cellOf(window, 1, errorOfTable), QStringLiteral("−3.0 %"));
    QCOMPARE(cellOf(window, 3, errorOfTable), QStringLiteral("+5.1 %"));
    QVERIFY2(window.summary().startsWith(QStringLiteral("all times and rates: 4 rows, median error ")),
             qPrintable(window.summary()));
    QVERIFY(window.summary().endsWith(QStringLiteral("worst +5.1 %")));
    QCOMPARE(window.findChild<QLabel*>(QStringLiteral("measuredSummary"))->text(), window.summary());
}

void MeasuredWindowTest::rowsSortByTheirErrors() {
    MeasuredWindow window(sets_);
    predictAll(window);
    window.table().sortByColumn(errorOfTable, Qt::AscendingOrder);
    QCOMPARE(cellOf(window, 0, errorOfTable), QStringLiteral("−3.0 %"));
    QCOMPARE(cellOf(window, 3, errorOfTable), QStringLiteral("+5.1 %"));
}

void MeasuredWindowTest::aRowBecomesTheProjectOfTheMainWindow() {
    MeasuredWindow window(sets_);
    QSignalSpy spy(&window, &MeasuredWindow::projectWanted);
    Project wanted;
    connect(&window, &MeasuredWindow::projectWanted, &window,
            [&](const Project& project) { wanted = project; });
    window.show();
    emit window.table().itemActivated(window.table().topLevelItem(3), 0);
    QTRY_COMPARE(spy.count(), 1);
    QCOMPARE(wanted.plans.size(), std::size_t(1));
    QCOMPARE(wanted.plans[0].stages[0].lastLayer, 10);
    QVERIFY(wanted.problem.profile.source.find("Measured: 0.84 s") != std::string::npos);
}

void MeasuredWindowTest::theFilterLeavesTheRowsThatHaveTheWords() {
    MeasuredWindow window(sets_);
    predictAll(window);
    const auto shownWith = [&](const QString& words) {
        window.findChild<QLineEdit*>()->setText(words);
        QStringList names;
        for (int row = 0; row < window.table().topLevelItemCount(); ++row)
            if (!window.table().topLevelItem(row)->isHidden()) names << cellOf(window, row, 0);
        return names;
    };
    // Of any column, in any order.
    QCOMPARE(shownWith(QStringLiteral("gpipe")), QStringList{QStringLiteral("two-stages")});
    QCOMPARE(shownWith(QStringLiteral("GPipe two-st")), QStringList{QStringLiteral("two-stages")});
    QVERIFY2(
        window.summary().startsWith(QStringLiteral("Of these: all times and rates: 1 row, median error ")),
        qPrintable(window.summary()));
    QCOMPARE(shownWith(QStringLiteral("gpipe primus")), QStringList());
    QCOMPARE(window.summary(), QStringLiteral("No row has all of these words"));
    QCOMPARE(shownWith({}).size(), 4);
    window.table().setCurrentItem(window.table().topLevelItem(1));
    const QString about = window.findChild<QLabel*>(QStringLiteral("measuredAbout"))->text();
    QVERIFY(about.contains(QStringLiteral("Nothing is calibrated.")));
}

void MeasuredWindowTest::theStartPageLeadsThere() {
    StartPage page;
    QSignalSpy spy(&page, &StartPage::measuredRequested);
    page.findChild<QPushButton*>(QStringLiteral("measured"))->click();
    QCOMPARE(spy.count(), 1);
}

STAGECRAFT_TEST(MeasuredWindowTest)
#include "measured_window_test.moc"
