// Topologies that machines report, opened in the window: from a file, several files, a drop, the clipboard.
#include "app/panels/import_report.h"
#include "app/panels/parameter_form.h"
#include "tests/app/window_fixture.h"
#include "views/common/theme.h"

#include <QClipboard>
#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QSpinBox>

using namespace stagecraft;

namespace {

const QByteArray pairText =
    "\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tNV2\t0-23\nGPU1\tNV2\t X \t0-23\n\nLegend:\n\n  X    = Self\n";

/// One server as NCCL dumps it.
const QByteArray serverXml = R"(<system version="1">
  <cpu numaid="0" arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="85">
    <pci busid="0000:17:00.0" class="0x030000" vendor="0x10de" device="0x1db1" link_speed="8.0 GT/s PCIe" link_width="16">
      <gpu dev="0" sm="70" rank="0" gdr="1"/>
    </pci>
    <pci busid="0000:18:00.0" class="0x030000" vendor="0x10de" device="0x1db1" link_speed="8.0 GT/s PCIe" link_width="16">
      <gpu dev="1" sm="70" rank="1" gdr="1"/>
    </pci>
    <pci busid="0000:19:00.0" class="0x020000" link_speed="8.0 GT/s PCIe" link_width="16">
      <nic><net name="mlx5_0" dev="0" speed="100000" port="1" guid="0x1"/></nic>
    </pci>
  </cpu>
</system>
)";

ImportReport& reportOf(MainWindow& window) { return *window.findChild<ImportReport*>(); }

QString textOf(const QWidget& widget) {
    QString text;
    for (const QLabel* label : widget.findChildren<QLabel*>()) text += label->text() + '\n';
    return text;
}

}  // namespace

class ImportTest : public QObject {
    Q_OBJECT

    PrivateHome home_;

    void importPair(MainWindow& window) {
        QGuiApplication::clipboard()->setText(pairText);
        QSignalSpy done(&window, &MainWindow::openingDone);
        QTest::keyClick(&window, Qt::Key_V, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(done.wait(5000));
    }

private slots:
    void initTestCase() { applyTheme(*qApp, ThemeChoice::light); }

    void aTopologyOnTheClipboardBecomesTheCluster() {
        MainWindow window;
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        importPair(window);
        QVERIFY(window.workspace().isOpen());
        QCOMPARE(window.workspace().problem().cluster.deviceCount(), 2);
        QVERIFY(reportOf(window).isVisible());
        QVERIFY(textOf(reportOf(window)).contains(QStringLiteral("Assumed")));
        QVERIFY(!window.workspace().problem().cluster.assumptions.empty());
    }

    void anAnswerChangesTheClusterAndIsUndoneWithTheImport() {
        MainWindow window;
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        importPair(window);
        const Cluster assumed = window.workspace().problem().cluster;
        auto* gpu = reportOf(window).findChild<QComboBox*>(QStringLiteral("gpu"));
        QVERIFY(gpu);
        gpu->setFocus();
        gpu->lineEdit() ? gpu->lineEdit()->selectAll() : void();
        QTest::keyClicks(gpu, QStringLiteral("V100-SXM2-32GB"));
        QTest::keyClick(gpu, Qt::Key_Return);
        QTRY_COMPARE(QString::fromStdString(window.workspace().problem().cluster.devices[0].gpu),
                     QStringLiteral("V100-SXM2-32GB"));
        QVERIFY(window.workspace().problem().cluster != assumed);
        window.workspace().undoStack()->undo();
        QCOMPARE(window.workspace().problem().cluster.deviceCount(), 0);
        window.workspace().undoStack()->redo();
        QCOMPARE(QString::fromStdString(window.workspace().problem().cluster.devices[0].gpu),
                 QStringLiteral("V100-SXM2-32GB"));
    }

    void severalDroppedDumpsAreTheServersOfOneCluster() {
        const QString first = home_.file("one.xml"), second = home_.file("two.xml");
        writeText(first, serverXml);
        writeText(second, serverXml);
        MainWindow window;
        window.show();
        QMimeData files;
        files.setUrls({QUrl::fromLocalFile(first), QUrl::fromLocalFile(second)});
        QSignalSpy done(&window, &MainWindow::openingDone);
        QDragEnterEvent enter(QPoint(200, 200), Qt::CopyAction, &files, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&window, &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop({200, 200}, Qt::CopyAction, &files, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&window, &drop);
        QVERIFY(done.wait(5000));
        const Cluster& cluster = window.workspace().problem().cluster;
        QCOMPARE(cluster.deviceCount(), 4);
        QCOMPARE(cluster.servers().size(), std::size_t{2});
    }

    void aTextThatIsNoTopologyIsRefusedAndChangesNothing() {
        MainWindow window;
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QGuiApplication::clipboard()->setText(QStringLiteral("roses are red"));
        QSignalSpy done(&window, &MainWindow::openingDone);
        QTest::keyClick(&window, Qt::Key_V, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(done.wait(5000));
        QVERIFY(!window.workspace().isOpen());
        QCOMPARE(window.problems().rowCount(), 1);
        QVERIFY2(window.problems().row(0).text.contains(QStringLiteral("clipboard")),
                 qPrintable(window.problems().row(0).text));
    }
};

QTEST_MAIN(ImportTest)
#include "import_test.moc"
