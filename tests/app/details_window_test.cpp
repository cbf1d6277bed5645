// What a planner looked through, in a window beside the main one, with real clicks and keys.
#include "app/plan/details_window.h"
#include "app/shell/workbench.h"
#include "core/base/counted.h"
#include "core/planners/details/plan_details.h"
#include "tests/app/command_call.h"
#include "tests/app/sample_files.h"
#include "tests/app/window_fixture.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "views/compare/detail_view.h"

#include <QComboBox>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>

using namespace stagecraft;

namespace {

constexpr int patienceMs = 60'000;

struct OpenDetails {
    MainWindow window;
    DetailsWindow* details = nullptr;

    explicit OpenDetails(const char* sample) {
        window.show();
        [this] { QVERIFY(QTest::qWaitForWindowActive(&window)); }();
        window.openSample(QLatin1String(sample));
    }
    ~OpenDetails() { window.workspace().undoStack()->setClean(); }

    int planOf(const std::string& planner) {
        for (const PlanItem& each : window.workspace().plans())
            if (each.plan.planner == planner) return each.id;
        return 0;
    }
    void show(const std::string& planner) {
        if (!planOf(planner)) {
            window.actionRegister()
                .action(QStringLiteral("plan.run.") + QString::fromStdString(planner))
                ->trigger();
            QTRY_VERIFY_WITH_TIMEOUT(!window.planning().isPlanning(), patienceMs);
        }
        const int id = planOf(planner);
        QVERIFY2(id, planner.c_str());
        window.workbench().showPlan(id);
        QTRY_VERIFY_WITH_TIMEOUT(window.workspace().plan(id)->run, patienceMs);
    }
    void open() {
        QTest::keyClick(&window, Qt::Key_F7, Qt::ShiftModifier);
        details = window.findChild<DetailsWindow*>();
        QVERIFY(details);
        waitUntilMade();
    }
    void waitUntilMade() { QTRY_VERIFY_WITH_TIMEOUT(!details->isBusy(), patienceMs); }
    QTableView& table() { return *details->findChild<QTableView*>(QStringLiteral("detailTable")); }
    QComboBox& choice() { return *details->findChild<QComboBox*>(QStringLiteral("detailChoice")); }
    QLineEdit& filter() { return *details->findChild<QLineEdit*>(QStringLiteral("detailFilter")); }
    QString words(const char* name) { return details->findChild<QLabel*>(QLatin1String(name))->text(); }
    QString cell(int row, int column) { return table().model()->index(row, column).data().toString(); }
    int rows() { return table().model()->rowCount(); }
    int columnOf(const char* id) {
        const DetailTable listed = details->view().listed();
        for (std::size_t i = 0; i < listed.columns.size(); ++i)
            if (listed.columns[i].id == id) return static_cast<int>(i);
        return -1;
    }
    void clickHeading(int column) {
        QHeaderView& header = *table().horizontalHeader();
        const QPoint at(header.sectionViewportPosition(column) + 8, header.height() / 2);
        QTest::mouseClick(header.viewport(), Qt::LeftButton, {}, at);
    }
};

}  // namespace

class DetailsWindowTest : public QObject {
    Q_OBJECT

    PrivateHome home_;

private slots:
    void initTestCase() { applyTheme(*qApp, ThemeChoice::light); }

    void aKeyOpensSppsTableWhichSortsAndFilters() {
        OpenDetails it("bert-large-8x4");
        it.show("spp");
        it.open();
        QCOMPARE(it.choice().currentText(), QStringLiteral("W(l, ξ, r, i)"));
        QVERIFY(it.words("detailsTitle").contains(QStringLiteral("SPP")));
        const int all = it.rows();
        QCOMPARE(all, static_cast<int>(usualDetailRows));  // there are more
        const int stages = static_cast<int>(it.window.workspace().plan(it.planOf("spp"))->plan.stages.size());
        it.filter().setFocus();
        QTest::keyClicks(&it.filter(), QStringLiteral("in_plan=yes"));
        QTRY_COMPARE(it.rows(), stages);
        QCOMPARE(it.words("detailCount"),
                 QStringLiteral("%1 of the first %2").arg(stages).arg(countedRows(all)));
        it.clickHeading(it.columnOf("w_s"));
        const DetailTable up = it.details->view().listed();
        it.clickHeading(it.columnOf("w_s"));
        const DetailTable down = it.details->view().listed();
        const auto w = static_cast<std::size_t>(it.columnOf("w_s"));
        QCOMPARE(up.rows.size(), std::size_t(stages));
        QVERIFY(up.rows.front()[w] <= up.rows.back()[w]);
        QVERIFY(up.rows.front()[w] == down.rows.back()[w]);
        it.filter().clear();
        QTest::keyClicks(&it.filter(), QStringLiteral("nothing=3"));
        QTRY_VERIFY(it.words("detailMessage").contains(QStringLiteral("no column is called 'nothing'")));
        QCOMPARE(it.rows(), stages);
    }

    void itFollowsThePlanThatIsShown() {
        OpenDetails it("bert-large-8x4");
        it.show("spp");
        it.open();
        it.show("pipedream");
        QTRY_COMPARE(it.choice().currentText(), QStringLiteral("A(i → j, m)"));
        it.waitUntilMade();
        QVERIFY(it.rows() > 0);
        // A planner that looks nothing through leaves what any plan has.
        it.show("data-parallel");
        QTRY_COMPARE(it.choice().currentText(), QStringLiteral("Memory at its peak"));
        QCOMPARE(it.choice().count(), 1);
        it.waitUntilMade();
        QCOMPARE(it.rows(), 1);
    }

    void whatIsListedIsExportedAsTheCommandWritesIt() {
        OpenDetails it("madpipe-resnet-50");
        it.show("madpipe");
        it.open();
        QVERIFY(it.choice().count() >= 2);
        it.choice().setCurrentIndex(it.choice().findText(QStringLiteral("MadPipe-DP's states")));
        it.waitUntilMade();
        QTest::keyClicks(&it.filter(), QStringLiteral("p>=1"));
        QTRY_VERIFY(it.words("detailCount").contains(QStringLiteral(" of ")));
        const QString path = home_.file(QStringLiteral("states.csv"));
        QTimer::singleShot(0, qApp, [&path] {
            auto* file = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
            QVERIFY(file);
            file->selectFile(path);
            QMetaObject::invokeMethod(file, "accept");
        });
        QTest::mouseClick(it.details->findChild<QPushButton*>(QStringLiteral("detailExport")),
                          Qt::LeftButton);
        QTRY_VERIFY(QFile::exists(path));
        const QString project = home_.file(QStringLiteral("p.stagecraft.json"));
        it.window.workspace().saveAs(project);
        const testing::Outcome call =
            testing::call({"details", project.toStdString(), "--plan", "MadPipe", "--table", "madpipe-states",
                           "--where", "p>=1", "--format", "csv"});
        QCOMPARE(call.status, 0);
        QCOMPARE(bytesOf(path), QByteArray::fromStdString(call.out));
    }

private:
    static QString countedRows(int rows) { return QString::fromStdString(counted(rows, "row")); }
};

STAGECRAFT_TEST(DetailsWindowTest)
#include "details_window_test.moc"
