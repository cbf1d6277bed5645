// The table of schedules that a search tried.
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "views/common/theme.h"
#include "views/compare/tried_table.h"

#include <QHeaderView>
#include <QTest>

using namespace stagecraft;

class TriedTableTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { applyTheme(*qApp, ThemeChoice::light); }

    /// Beside the text about a plan in a small window, and over a large one: nothing is scrolled to sideways,
    /// and numbers with their titles are whole.
    void numbersAreReadWholeAtAnyWidth() {
        std::vector<TriedSchedule> tried(12);
        for (TriedSchedule& each : tried) {
            each.family = "interleaved-1f1b";
            each.partition = "data-parallelism";
            each.iterationTimeS = 0.4905;
            each.peakBytes = 1023.0 * 1024 * 1024;
        }
        tried.back().leftOut = "it needs two stages on each GPU, which this partition does not have";
        TriedTable table;
        table.setTried(tried);
        table.show();
        for (const int width : {540, 700, 1200}) {
            table.resize(width, 300);
            QTest::qWait(10);
            const QHeaderView& header = *table.horizontalHeader();
            QVERIFY2(
                header.length() <= table.viewport()->width(),
                qPrintable(QStringLiteral("%1 in %2").arg(header.length()).arg(table.viewport()->width())));
            for (const int column : {TriedTable::timeColumn, TriedTable::memoryColumn}) {
                QVERIFY(table.columnWidth(column) >= header.sectionSizeHint(column));
                QCOMPARE(table.model()->headerData(column, Qt::Horizontal, Qt::TextAlignmentRole).toInt(),
                         table.model()->index(0, column).data(Qt::TextAlignmentRole).toInt());
            }
        }
    }
};

STAGECRAFT_TEST(TriedTableTest)
#include "tried_table_test.moc"
