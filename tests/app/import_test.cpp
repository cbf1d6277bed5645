// Topologies that machines report, opened in the window: from a file, several files, a drop, the clipboard.
#include "app/panels/cluster_inspector.h"
#include "app/panels/cluster_side.h"
#include "app/panels/import_report.h"
#include "app/panels/parameter_form.h"
#include "core/formats/files/import.h"
#include "core/formats/profiles/profile_format.h"
#include "core/formats/topology/topology_format.h"
#include "core/model/measured_gpus.h"
#include "tests/app/window_fixture.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "views/common/theme.h"
#include "views/profile/profile_view.h"

#include <QClipboard>
#include <QComboBox>
#include <QDockWidget>
#include <QFileDialog>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QRegularExpression>
#include <QSpinBox>
#include <QTableView>
#include <QTimer>

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

QString shownTextOf(const QWidget& widget) {
    QString text;
    for (const QLabel* label : widget.findChildren<QLabel*>()) text += label->text() + '\n';
    return text;
}

/// Whether the window took what was dropped on it.
bool dropped(MainWindow& window, const QMimeData& files) {
    QSignalSpy done(&window, &MainWindow::openingDone);
    QDragEnterEvent enter(QPoint(200, 200), Qt::CopyAction, &files, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &enter);
    if (!enter.isAccepted()) return false;
    QDropEvent drop({200, 200}, Qt::CopyAction, &files, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &drop);
    return done.wait(5000);
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

    /// Types it into the report's field.
    void choose(MainWindow& window, const QString& name) {
        auto* gpu = reportOf(window).findChild<QComboBox*>(QStringLiteral("gpu"));
        QVERIFY(gpu);
        gpu->setFocus();
        gpu->lineEdit()->selectAll();
        QTest::keyClicks(gpu, name);
        QTest::keyClick(gpu, Qt::Key_Return);
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
        QVERIFY(shownTextOf(reportOf(window)).contains(QStringLiteral("Assumed")));
        QVERIFY(!window.workspace().problem().cluster.assumptions.empty());
    }

    void measurementsStandBesideTheRatesOfTheOpenCluster() {
        MainWindow window;
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QSignalSpy done(&window, &MainWindow::openingDone);
        const auto paste = [&](const QByteArray& text) {
            QGuiApplication::clipboard()->setText(text);
            QTest::keyClick(&window, Qt::Key_V, Qt::ControlModifier | Qt::ShiftModifier);
            return done.wait(5000);
        };
        const QByteArray osu =
            "# OSU MPI-CUDA Bandwidth Test v7.5\n# Size      Bandwidth (MB/s)\n4194304   31000.00\n";
        QVERIFY(paste(osu));
        QVERIFY(!window.workspace().isOpen());  // there is no cluster to measure
        importPair(window);
        QVERIFY(paste(osu));
        const Cluster& cluster = window.workspace().problem().cluster;
        const auto measured = std::find_if(cluster.links.begin(), cluster.links.end(),
                                           [](const Link& link) { return link.isMeasured(); });
        QVERIFY(measured != cluster.links.end());
        QCOMPARE(measured->bandwidthBps, 31e9);
        QVERIFY(measured->derivedBps > 0 && measured->derivedBps != 31e9);
        QVERIFY(reportOf(window).isVisible());
        QVERIFY(shownTextOf(reportOf(window)).contains(QStringLiteral("1 link measured by osu_bw")));
        QVERIFY(shownTextOf(reportOf(window)).contains(QStringLiteral("the two GPUs were taken")));
        ClusterPart part;
        part.links = {int(measured - cluster.links.begin())};
        auto* side = window.findChild<ClusterSide*>();
        side->setSelection(part);
        const QString shown = shownTextOf(*side->inspector());
        QVERIFY2(shown.contains(QStringLiteral("Measured 31.0 GB/s (osu_bw: s0g0 to s0g1); derived ")),
                 qPrintable(shown));
        // One step back is the import again, with its questions.
        window.workspace().undoStack()->undo();
        QVERIFY(!window.workspace().problem().cluster.links[std::size_t(part.links[0])].isMeasured());
        QVERIFY(shownTextOf(reportOf(window)).contains(QStringLiteral("nvidia-smi")));
        window.workspace().undoStack()->redo();
        QVERIFY(shownTextOf(reportOf(window)).contains(QStringLiteral("1 link measured by osu_bw")));
    }

    void aTableOfGpusIsMeasurementsWhereItIsAskedFor() {
        MainWindow window;
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QAction* action = window.actionRegister().action(QStringLiteral("cluster.measurements"));
        QVERIFY(!action->isEnabled());
        importPair(window);
        QVERIFY(action->isEnabled());
        QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("nvbandwidth.txt")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("memcpy CE GPU(row) <- GPU(column) bandwidth (GB/s)\n 0 1\n0 N/A 33.5\n1 33.7 N/A\n");
        file.close();
        QSignalSpy done(&window, &MainWindow::openingDone);
        QTimer::singleShot(0, qApp, [&] {
            auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
            QVERIFY(dialog);
            dialog->selectFile(file.fileName());
            QMetaObject::invokeMethod(dialog, "accept");
        });
        action->trigger();
        QVERIFY(done.count() == 1 || done.wait(5000));
        const Cluster& cluster = window.workspace().problem().cluster;
        QCOMPARE(cluster.deviceCount(), 2);
        QVERIFY(std::any_of(cluster.links.begin(), cluster.links.end(), [](const Link& link) {
            return link.isMeasured() && link.bandwidthBps == 33.5e9;
        }));
    }

    void dialoguesOfferTheFilesOfEveryFormat() {
        MainWindow window;
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        const auto offered = [&](const char* action) {
            QString filter;
            QTimer::singleShot(0, qApp, [&] {
                auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
                QVERIFY(dialog);
                filter = dialog->nameFilters().value(0);
                dialog->reject();
            });
            window.actionRegister().action(QLatin1String(action))->trigger();
            return filter;
        };
        const QString all = offered("file.open"), clusters = offered("cluster.replace"),
                      profiles = offered("profile.replace");
        for (const FileKind kind : foreignKinds) {
            const TopologyFormat* topology = topologyFormatOf(kind);
            const ProfileFormat* profile = profileFormatOf(kind);
            std::vector<std::string> suffixes;
            if (topology) suffixes = {topology->suffix};
            if (profile) suffixes = profile->suffixes;
            for (const std::string& suffix : suffixes) {
                const QRegularExpression pattern(
                    QStringLiteral("\\*\\.%1[ )]").arg(QString::fromStdString(suffix)));
                QVERIFY2((topology ? clusters : profiles).contains(pattern), suffix.c_str());
                QVERIFY2(all.contains(pattern), suffix.c_str());
            }
        }
    }

    void aTextWithAMarkIsPastedAsWithoutIt() {
        MainWindow window;
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QGuiApplication::clipboard()->setText(QChar(0xfeff) + QString::fromUtf8(pairText));
        QSignalSpy done(&window, &MainWindow::openingDone);
        QTest::keyClick(&window, Qt::Key_V, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(done.wait(5000));
        QVERIFY(window.workspace().isOpen());
        QCOMPARE(window.workspace().problem().cluster.deviceCount(), 2);
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

    void theGpuThatIsChosenLeavesOtherGuessesGuesses() {
        MainWindow window;
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        importPair(window);
        choose(window, QStringLiteral("H100-SXM5-80GB"));
        QTRY_COMPARE(window.workspace().problem().cluster.devices[0].gpu, std::string("H100-SXM5-80GB"));
        // As the command line makes it of the same text and --gpu alone.
        const ImportedCluster expected = importClusters(
            {{"clipboard", pairText.toStdString()}}, importOptions({{"gpu", std::string("H100-SXM5-80GB")}}));
        QCOMPARE(window.workspace().problem().cluster.devices[0].hostBandwidthBps, 48e9);
        QVERIFY(window.workspace().problem().cluster.links == expected.cluster.links);
        QVERIFY(window.workspace().problem().cluster.assumptions == expected.cluster.assumptions);
        const QString report = shownTextOf(reportOf(window));
        QVERIFY2(report.contains(QStringLiteral("16 lanes of Gen 5 were taken")), qPrintable(report));
        QVERIFY2(report.contains(QStringLiteral("GPU: H100-SXM5-80GB")), qPrintable(report));
        QCOMPARE(reportOf(window).findChild<QSpinBox*>(QStringLiteral("pcie_generation"))->value(), 5);
    }

    void theRatesOfLinksAreAskedForAndTakeEffect() {
        MainWindow window;
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        importPair(window);
        auto* rates = reportOf(window).findChild<QComboBox*>(QStringLiteral("rates"));
        QVERIFY(rates && rates->isVisible());
        QCOMPARE(rates->currentText(), QStringLiteral("Stated"));
        const auto bps = [&] { return window.workspace().problem().cluster.links.front().bandwidthBps; };
        QCOMPARE(bps(), 24e9);  // of two RTX 3090
        rates->setFocus();
        QTest::keyClick(rates, Qt::Key_End);
        QVERIFY2(rates->currentText().startsWith(QStringLiteral("Data")), qPrintable(rates->currentText()));
        QTRY_COMPARE(bps(), 28.125e9);
        QVERIFY(shownTextOf(reportOf(window)).contains(QStringLiteral("Link rates: data-sheet")));
        QTest::keyClick(rates, Qt::Key_Home);
        QTRY_COMPARE(bps(), 24e9);
    }

    void aGpuThatNobodyKnowsIsRefusedWhereItIsTyped() {
        MainWindow window;
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        importPair(window);
        const Cluster before = window.workspace().problem().cluster;
        choose(window, QStringLiteral("nonsense"));
        QTRY_VERIFY(
            shownTextOf(reportOf(window)).contains(QStringLiteral("the catalogue has no GPU 'nonsense'")));
        QVERIFY(window.workspace().problem().cluster == before);
    }

    void answersWorkBeneathLaterEditsInAStepOfTheirOwn() {
        MainWindow window;
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        importPair(window);
        Workspace& workspace = window.workspace();
        Cluster edited = workspace.problem().cluster;
        edited.devices[1].memoryBytes = 7e9;
        edited.devices[1].speed = 0.5;
        workspace.editCluster(edited, QStringLiteral("Edit by hand"));
        choose(window, QStringLiteral("H100-SXM5-80GB"));
        QTRY_COMPARE(workspace.problem().cluster.devices[0].gpu, std::string("H100-SXM5-80GB"));
        QCOMPARE(workspace.problem().cluster.devices[1].memoryBytes, 7e9);
        QCOMPARE(workspace.problem().cluster.devices[1].speed, 0.5);
        QCOMPARE(workspace.problem().cluster.devices[1].hostBandwidthBps, 48e9);
        QCOMPARE(workspace.undoStack()->count(), 3);
        workspace.undoStack()->undo();
        QVERIFY(workspace.problem().cluster == edited);
        auto* gpu = reportOf(window).findChild<QComboBox*>(QStringLiteral("gpu"));
        QCOMPARE(gpu->currentText().toStdString(), edited.devices[0].gpu);
        QVERIFY2(reportOf(window).answers().empty(), "the panel follows undo");
        workspace.undoStack()->redo();
        QCOMPARE(gpu->currentText(), QStringLiteral("H100-SXM5-80GB"));
        QCOMPARE(reportOf(window).answers().size(), std::size_t{1});
    }

    void anImportThatWasUndoneChangesNothing() {
        MainWindow window;
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        importPair(window);
        Workspace& workspace = window.workspace();
        auto* gpu = reportOf(window).findChild<QComboBox*>(QStringLiteral("gpu"));
        workspace.undoStack()->undo();
        QVERIFY(!gpu->isEnabled());
        QVERIFY(shownTextOf(reportOf(window)).contains(QStringLiteral("The import was undone")));
        gpu->setCurrentText(QStringLiteral("T4-16GB"));
        QTest::qWait(100);
        QCOMPARE(workspace.problem().cluster.deviceCount(), 0);
        workspace.undoStack()->redo();
        QVERIFY(gpu->isEnabled());
        workspace.undoStack()->undo();
        Cluster drawn;
        drawn.devices.push_back({.id = "mine", .server = "s0"});
        workspace.editCluster(drawn, QStringLiteral("Draw"));
        QVERIFY2(!gpu->isEnabled(), "another command has taken its place on the stack");
    }

    void aClusterThatWasReplacedIsLeftAlone() {
        MainWindow window;
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        importPair(window);
        Workspace& workspace = window.workspace();
        Cluster other = workspace.problem().cluster;
        other.source = "another text";
        other.devices[0].memoryBytes = 1e9;
        workspace.setCluster(other);
        auto* gpu = reportOf(window).findChild<QComboBox*>(QStringLiteral("gpu"));
        QVERIFY(!gpu->isEnabled());
        gpu->setCurrentText(QStringLiteral("T4-16GB"));
        QTest::qWait(100);
        QVERIFY(workspace.problem().cluster == other);
        workspace.undoStack()->undo();
        QVERIFY(gpu->isEnabled());
    }

    void anImportOfAnotherDocumentIsForgotten() {
        MainWindow window;
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        importPair(window);
        Workspace& workspace = window.workspace();
        auto* gpu = reportOf(window).findChild<QComboBox*>(QStringLiteral("gpu"));
        Project next;
        next.problem.cluster = workspace.problem().cluster;
        workspace.openProject(next, {});
        gpu->setCurrentText(QStringLiteral("T4-16GB"));
        QTest::qWait(100);
        QVERIFY(workspace.problem().cluster == next.problem.cluster);
        QCOMPARE(workspace.undoStack()->count(), 0);
    }

    void severalDroppedDumpsAreTheServersOfOneCluster() {
        const QString first = home_.file("one.xml"), second = home_.file("two.xml");
        writeText(first, serverXml);
        writeText(second, serverXml);
        MainWindow window;
        window.show();
        QMimeData files;
        files.setUrls({QUrl::fromLocalFile(first), QUrl::fromLocalFile(second)});
        QVERIFY(dropped(window, files));
        const Cluster& cluster = window.workspace().problem().cluster;
        QCOMPARE(cluster.deviceCount(), 4);
        QCOMPARE(cluster.servers().size(), std::size_t{2});
    }

    void severalDroppedFilesOfOneMeasurementAreOneProfile() {
        const QString folder = QStringLiteral(STAGECRAFT_SOURCE_DIR "/tests/data/profiles/metis/");
        MainWindow window;
        window.show();
        QMimeData files;
        files.setUrls(
            {QUrl::fromLocalFile(folder + "mbs1_tmp1.json"), QUrl::fromLocalFile(folder + "mbs1_tmp2.json")});
        QVERIFY(dropped(window, files));
        const LayerProfile& profile = window.workspace().problem().profile;
        QCOMPARE(profile.layerCount(), 26);
        QCOMPARE(profile.layers[1].onRanks.size(), std::size_t{1});
        auto* groups = window.findChild<QComboBox*>(QStringLiteral("measuredGroups"));
        QVERIFY(groups);
        QTRY_VERIFY(groups->isVisible());
        QTest::keyClick(groups, Qt::Key_Down);
        QCOMPARE(groups->currentText(), QString("each of 2 GPUs"));
        QCOMPARE(window.workspace().undoStack()->count(), 0);  // looking changes nothing
    }

    void profilesOnSeveralTypesOfGpusAreLookedAtOneByOne() {
        const QString folder = QStringLiteral(STAGECRAFT_SOURCE_DIR "/tests/data/profiles/sailor/OPT-350/");
        MainWindow window;
        window.show();
        QMimeData files;
        files.setUrls({QUrl::fromLocalFile(folder + "A100-40/profile.json"),
                       QUrl::fromLocalFile(folder + "V100-16/profile.json")});
        QVERIFY(dropped(window, files));
        auto* on = window.findChild<QComboBox*>(QStringLiteral("measuredGroups"));
        QVERIFY(on);
        QTRY_VERIFY(on->isVisible());
        QStringList entries;
        for (int entry = 0; entry < on->count(); ++entry) entries << on->itemText(entry);
        QCOMPARE(entries, (QStringList{"one GPU", "each of 2 GPUs", "each of 4 GPUs", "V100-16",
                                       "each of 2 V100-16", "each of 4 V100-16"}));
        auto* table = window.findChild<ProfileView*>()->table();
        const auto block = [&] { return table->model()->index(2, 2).data().toString(); };
        QCOMPARE(block(), QStringLiteral("2.31 ms"));
        for (int down = 0; down < 3; ++down) QTest::keyClick(on, Qt::Key_Down);
        QCOMPARE(block(), QStringLiteral("7.32 ms"));
        QCOMPARE(window.workspace().undoStack()->count(), 0);
    }

    /// The dialogues of a file and of the type of GPU, and a file of other layers.
    void timesOnAnotherGpuAreAddedToTheProfile() {
        const QString folder = QStringLiteral(STAGECRAFT_SOURCE_DIR "/tests/data/profiles/sailor/");
        MainWindow window;
        window.show();
        QMimeData first;
        first.setUrls({QUrl::fromLocalFile(folder + "OPT-350/A100-40/profile.json")});
        QVERIFY(dropped(window, first));
        const auto add = [&](const QString& path, const QString& gpu) {
            QTimer::singleShot(0, qApp, [&, path] {
                auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
                QVERIFY(dialog);
                QTimer::singleShot(0, qApp, [&] {
                    auto* question = qobject_cast<QInputDialog*>(QApplication::activeModalWidget());
                    QVERIFY(question);
                    question->setTextValue(gpu);
                    question->accept();
                });
                dialog->selectFile(path);
                QMetaObject::invokeMethod(dialog, "accept");
            });
            window.actionRegister().action("profile.onGpu")->trigger();
        };
        Workspace& workspace = window.workspace();
        add(folder + "LLAMA-3-8/V100-16/profile.json", "V100");
        QCOMPARE(workspace.undoStack()->count(), 0);
        QVERIFY(shownTextOf(*window.findChild<ProfileView*>())
                    .contains("The times on V100 are of 35 layers, the profile has 26."));
        add(folder + "OPT-350/V100-16/profile.json", " V100-16 ");
        QCOMPARE(workspace.undoStack()->undoText(), QString("Add times on V100-16"));
        QCOMPARE(measuredGpus(workspace.problem().profile), (std::vector<std::string>{"V100-16"}));
        workspace.undoStack()->undo();
        QVERIFY(measuredGpus(workspace.problem().profile).empty());
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

STAGECRAFT_TEST(ImportTest)
#include "import_test.moc"
