// Cumulative curves, scatter and the graph of the network.
#include "tests/views/profile_fixture.h"

#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "views/common/theme.h"
#include "views/profile/graph/network_view.h"
#include "views/profile/layer_curves.h"
#include "views/profile/layer_pane.h"
#include "views/profile/layer_scatter.h"

#include <QComboBox>
#include <QMenu>
#include <QTemporaryDir>
#include <QTimer>
#include <QToolButton>

using namespace stagecraft;

namespace {

void chooseChart(ProfileView& view, const char* name) {
    auto* button = view.findChild<QToolButton*>(QStringLiteral("chart") + name);
    QVERIFY(button);
    QTest::mouseClick(button, Qt::LeftButton);
}

/// An executable that replaces dot.
QString program(const QTemporaryDir& folder, const QByteArray& script) {
    const QString path = folder.filePath(QStringLiteral("dot"));
    QFile file(path);
    if (file.open(QIODevice::WriteOnly)) file.write("#!/bin/sh\n" + script);
    file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    return path;
}

void triggerFromMenu(QWidget& widget, const QPoint& at, const QString& text) {
    QTimer::singleShot(0, qApp, [text] {
        auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
        QVERIFY(menu);
        for (QAction* action : menu->actions())
            if (action->text().contains(text)) {
                menu->setActiveAction(action);
                QTest::keyClick(menu, Qt::Key_Return);
                return;
            }
        menu->close();
        QFAIL(qPrintable("no entry " + text));
    });
    QContextMenuEvent event(QContextMenuEvent::Mouse, at, widget.mapToGlobal(at));
    QApplication::sendEvent(&widget, &event);
}

}  // namespace

class ProfileChartsTest : public QObject {
    Q_OBJECT

private slots:
    void cumulativeSharesEndAtTheWhole() {
        EditedView edited(chainProfile(10));
        chooseChart(edited.view, "Cumulative");
        QVERIFY(edited.view.curves()->isVisible());
        QCOMPARE(edited.view.curves()->timeShare(9), 1.0);
        double total = 0, half = 0;
        for (std::size_t i = 0; i < 10; ++i) {
            total += edited.profile.layers[i].forwardS;
            if (i < 5) half += edited.profile.layers[i].forwardS;
        }
        QVERIFY(std::abs(edited.view.curves()->timeShare(4) - half / total) < 1e-12);
    }

    void aClickIntoTheCurvesChoosesTheRow() {
        EditedView edited(chainProfile(10));
        chooseChart(edited.view, "Cumulative");
        LayerCurves* curves = edited.view.curves();
        QTest::mouseClick(curves, Qt::LeftButton, {},
                          QPoint(int(curves->axis().toPixel(6.5)), curves->height() / 2));
        QCOMPARE(edited.view.chosenLayers(), std::vector<int>{6});
    }

    void eachPointOfTheScatterIsHitWhereItIsDrawn() {
        LayerProfile profile = chainProfile(5);
        for (std::size_t i = 0; i < 5; ++i) {
            profile.layers[i].forwardS = std::pow(10.0, -5.0 + double(i));
            profile.layers[i].parameterBytes = i == 0 ? 0 : std::pow(10.0, 8.0 - double(i));
        }
        EditedView edited(profile);
        chooseChart(edited.view, "Scatter");
        LayerScatter* scatter = edited.view.scatter();
        for (int layer = 0; layer < 5; ++layer) {
            QTest::mouseMove(scatter, scatter->pointOf(layer).toPoint());
            QTRY_COMPARE(scatter->hoveredLayer(), layer);
            QTest::mouseClick(scatter, Qt::LeftButton, {}, scatter->pointOf(layer).toPoint());
            QCOMPARE(edited.view.chosenLayers(), std::vector<int>{layer});
        }
        QVERIFY2(scatter->pointOf(0).x() < scatter->pointOf(4).x(), "what is 0 lies left of all else");
        QVERIFY(scatter->pointOf(4).x() < scatter->pointOf(1).x());
        scatter->abscissa()->setCurrentIndex(1);
        QCOMPARE(scatter->pointOf(1).x(), scatter->pointOf(4).x());
    }

    void pointsOfTheScatterHaveARimThatIsSeenOnDark() {
        applyTheme(*qApp, ThemeChoice::dark);
        EditedView edited(chainProfile(5));
        chooseChart(edited.view, "Scatter");
        LayerScatter* scatter = edited.view.scatter();
        const QImage image = scatter->grab().toImage();
        const QPointF at = scatter->pointOf(4);
        int lightest = 0;
        for (int x = -6; x <= 6; ++x)
            for (int y = -6; y <= 6; ++y)
                lightest = std::max(lightest, image.pixelColor((at + QPointF(x, y)).toPoint()).red());
        applyTheme(*qApp, ThemeChoice::light);
        QVERIFY2(lightest > 110, qPrintable(QString::number(lightest)));
    }

    void arrowKeysSelectTheNextLayerOfTheScatter() {
        EditedView edited(chainProfile(5));
        chooseChart(edited.view, "Scatter");
        LayerScatter* scatter = edited.view.scatter();
        scatter->select(2);
        QTest::keyClick(scatter, Qt::Key_Right);
        QCOMPARE(edited.view.chosenLayers(), std::vector<int>{3});
        QTest::keyClick(scatter, Qt::Key_Left);
        QTest::keyClick(scatter, Qt::Key_Left);
        QCOMPARE(edited.view.chosenLayers(), std::vector<int>{1});
    }

    void ticksOfTheScatterStayRoundHoweverFarItIsZoomed() {
        LayerProfile profile = chainProfile(5);
        profile.layers[0].parameterBytes = 0;
        EditedView edited(profile);
        chooseChart(edited.view, "Scatter");
        LayerScatter* scatter = edited.view.scatter();
        QCOMPARE(scatter->drawnAcross().ticks.front().label, QStringLiteral("0"));
        for (int step = 0; step < 12; ++step) {
            QVERIFY(scatter->drawnAcross().ticks.size() > 1);
            QVERIFY(scatter->drawnUpright().ticks.size() > 1);
            QTest::keyClick(scatter, Qt::Key_Plus);
        }
    }

    void theGraphIsThereForNetworksThatAreMoreThanAChain() {
        EditedView edited(chainProfile(5));
        auto* button = edited.view.findChild<QToolButton*>(QStringLiteral("chartGraph"));
        QVERIFY(!button->isEnabled());
        LayerProfile branched = chainProfile(4);
        branched.edges = {{0, 1}, {0, 2}, {1, 3}, {2, 3}};
        edited.view.setProfile(branched);
        QVERIFY(button->isEnabled());
        chooseChart(edited.view, "Graph");
        QVERIFY(edited.view.network()->isVisible());
        edited.view.setProfile(chainProfile(5));
        QVERIFY(!edited.view.network()->isVisible());
    }

    void nodesAreHitWhereTheyAreDrawnAndChooseTheirLayer() {
        EditedView edited(branchedProfile(3));
        edited.view.network()->graphviz().setProgram(QStringLiteral("/nonexistent/dot"));
        chooseChart(edited.view, "Graph");
        NetworkCanvas* canvas = edited.view.network()->canvas();
        for (int node = 0; node < 12; ++node) {
            const QPoint at = canvas->nodeRect(node).center().toPoint();
            QTest::mouseMove(canvas, at);
            QTRY_COMPARE(canvas->hoveredNode(), node);
            QTest::mouseClick(canvas, Qt::LeftButton, {}, at);
            QCOMPARE(edited.view.chosenLayers(),
                     std::vector<int>{edited.profile.operators.layerOf[std::size_t(node)]});
        }
        QVERIFY2(canvas->describe(2).contains("nodes are one layer, since"), qPrintable(canvas->describe(2)));
        QVERIFY(edited.view.pane()->details().contains("nodes are one layer, since"));
    }

    void groupsAreSplitAndJoinedFromTheGraph() {
        EditedView edited(branchedProfile(3));
        edited.view.network()->graphviz().setProgram(QStringLiteral("/nonexistent/dot"));
        chooseChart(edited.view, "Graph");
        NetworkCanvas* canvas = edited.view.network()->canvas();
        const LayerProfile before = edited.profile;
        triggerFromMenu(*canvas, canvas->nodeRect(1).center().toPoint(), "End a layer after");
        QCOMPARE(edited.profile.layerCount(), 7);
        triggerFromMenu(*canvas, canvas->nodeRect(1).center().toPoint(), "Merge layer 1");
        QCOMPARE(edited.profile, before);
        triggerFromMenu(*canvas, canvas->nodeRect(2).center().toPoint(), "Make a layer of each");
        QCOMPARE(edited.profile.layerCount(), 8);
        QCOMPARE(edited.steps.size(), 3);
    }

    void theGraphShowsTheLayerThatWasChosenBeforeItWasThere() {
        EditedView edited(branchedProfile(3));
        edited.view.network()->graphviz().setProgram(QStringLiteral("/nonexistent/dot"));
        edited.view.selectLayer(3);
        chooseChart(edited.view, "Graph");
        QCOMPARE(edited.view.network()->canvas()->selectedLayer(), 3);
    }

    void whatIsInTheMiddleStaysThereWhenGroupsChange() {
        EditedView edited(branchedProfile(12));
        edited.view.network()->graphviz().setProgram(QStringLiteral("/nonexistent/dot"));
        chooseChart(edited.view, "Graph");
        NetworkCanvas* canvas = edited.view.network()->canvas();
        const QPointF start = canvas->nodeRect(20).center();
        const QPoint from = canvas->rect().center();
        QTest::mousePress(canvas, Qt::LeftButton, {}, from);
        QTest::mouseMove(canvas, from + QPoint(-60, 0));
        QTest::mouseMove(canvas, from + QPoint(-120, 0));
        QTest::mouseRelease(canvas, Qt::LeftButton, {}, from + QPoint(-120, 0));
        QVERIFY(canvas->nodeRect(20).center().x() < start.x() - 100);
        int middle = 0;
        for (int node = 0; node < 48; ++node) {
            const auto away = [&](int n) {
                return (canvas->nodeRect(n).center() - QRectF(canvas->rect()).center()).manhattanLength();
            };
            if (away(node) < away(middle)) middle = node;
        }
        const QPointF before = canvas->nodeRect(middle).center();
        edited.view.pane()->chooseLayers({0, 1, 2, 3});
        edited.view.editor().mergeChosen();
        QCOMPARE(edited.profile.layerCount(), 21);
        QVERIFY((canvas->nodeRect(middle).center() - before).manhattanLength() < 1);
    }

    void groupsOfTheSimpleLayoutKeepApartAndHoldTheirNodes() {
        const NetworkOutline outline = outlineOf(branchedProfile(5));
        const NetworkLayout layout = layeredLayout(outline);
        for (std::size_t a = 0; a < layout.groups.size(); ++a)
            for (std::size_t b = 0; b < a; ++b) QVERIFY(!layout.groups[a].intersects(layout.groups[b]));
        for (std::size_t a = 0; a < layout.nodes.size(); ++a) {
            QVERIFY(layout.groups[std::size_t(outline.groupOf[a])].contains(layout.nodes[a]));
            for (std::size_t b = 0; b < a; ++b) QVERIFY(!layout.nodes[a].intersects(layout.nodes[b]));
        }
        for (const LayerEdge& edge : outline.edges)
            QVERIFY(layout.nodes[std::size_t(edge.from)].right() < layout.nodes[std::size_t(edge.to)].left());
    }

    void graphvizLaysOutWhatItCanAndItsAnswerIsChecked() {
        const NetworkOutline outline = outlineOf(branchedProfile(2));
        QVERIFY(!readPlain("graph 1 1 1\nstop\n", outline));
        QVERIFY(!readPlain("graph 1 1 1\nnode n99 1 1 1 1\nstop\n", outline));
        Graphviz graphviz;
        QSignalSpy done(&graphviz, &Graphviz::laidOut), failed(&graphviz, &Graphviz::failed);
        graphviz.start(outline);
        QTRY_VERIFY_WITH_TIMEOUT(done.count() + failed.count() == 1, 15'000);
        if (failed.count()) QSKIP(qPrintable("needs Graphviz: " + failed.front().front().toString()));
        const auto layout = done.front().front().value<NetworkLayout>();
        QCOMPARE(layout.nodes.size(), std::size_t(8));
        for (const QRectF& node : layout.nodes) QVERIFY(layout.bounds.contains(node));
        QVERIFY(!layout.groups[0].intersects(layout.groups[1]));
        for (std::size_t i = 0; i < outline.edges.size(); ++i) QVERIFY(!layout.edges[i].isEmpty());
    }

    void aSlowBrokenOrMissingGraphvizDoesNoHarm() {
        QTemporaryDir folder;
        const NetworkOutline outline = outlineOf(branchedProfile(2));
        Graphviz graphviz;
        QSignalSpy failed(&graphviz, &Graphviz::failed), done(&graphviz, &Graphviz::laidOut);
        graphviz.setProgram(QStringLiteral("/nonexistent/dot"));
        graphviz.start(outline);
        QTRY_COMPARE(failed.count(), 1);
        QVERIFY(failed.back().front().toString().contains("not installed"));
        graphviz.setProgram(program(folder, "exec sleep 60\n"));
        graphviz.setTimeLimitMs(50);
        graphviz.start(outline);
        QTRY_COMPARE(failed.count(), 2);
        QVERIFY(failed.back().front().toString().contains("took longer"));
        QTemporaryDir other;
        graphviz.setProgram(program(other, "cat > /dev/null; echo nonsense\n"));
        graphviz.setTimeLimitMs(10'000);
        graphviz.start(outline);
        QTRY_COMPARE(failed.count(), 3);
        QVERIFY(!graphviz.isRunning());
        QCOMPARE(done.count(), 0);
    }

    void aLayoutUnderWayCanBeCancelled() {
        QTemporaryDir folder;
        EditedView edited(branchedProfile(2));
        NetworkView* network = edited.view.network();
        network->graphviz().setProgram(program(folder, "exec sleep 60\n"));
        chooseChart(edited.view, "Graph");
        QVERIFY(network->graphviz().isRunning());
        QTest::mouseClick(network->findChild<QAbstractButton*>(QStringLiteral("layoutButton")),
                          Qt::LeftButton);
        QVERIFY(!network->graphviz().isRunning());
        QCOMPARE(network->status(), QString("Simple layout"));
    }

    void thousandsOfNodesAreLaidOutAtOnceAndSaySo() {
        EditedView edited(branchedProfile(500));
        chooseChart(edited.view, "Graph");
        QVERIFY(!edited.view.network()->graphviz().isRunning());
        QVERIFY2(edited.view.network()->status().contains("2000 nodes"),
                 qPrintable(edited.view.network()->status()));
        const QRectF first = edited.view.network()->canvas()->nodeRect(0);
        QVERIFY(edited.view.network()->canvas()->rect().contains(first.center().toPoint()));
    }

    void theWheelZoomsTheGraphAtThePointerAndFFits() {
        EditedView edited(branchedProfile(4));
        edited.view.network()->graphviz().setProgram(QStringLiteral("/nonexistent/dot"));
        chooseChart(edited.view, "Graph");
        NetworkCanvas* canvas = edited.view.network()->canvas();
        const double fitted = canvas->scale();
        const QPointF at = canvas->nodeRect(5).center();
        QWheelEvent event(at, canvas->mapToGlobal(at), {}, {0, 240}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(canvas, &event);
        QVERIFY(canvas->scale() > 1.5 * fitted);
        QVERIFY((canvas->nodeRect(5).center() - at).manhattanLength() < 1e-6);
        QTest::keyClick(canvas, Qt::Key_F);
        QCOMPARE(canvas->scale(), fitted);
    }
};

STAGECRAFT_TEST(ProfileChartsTest)
#include "profile_charts_test.moc"
