// The setup's fields in the panel: what few people change is out of the way until it is set.
#include "app/document/samples.h"
#include "app/document/workspace.h"
#include "app/panels/setup_panel.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "views/common/theme.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QTest>
#include <QToolButton>

using namespace stagecraft;

class SetupPanelTest : public QObject {
    Q_OBJECT

    template <class Widget>
    static Widget* field(SetupPanel& panel, const char* name) {
        return panel.findChild<Widget*>(QLatin1String(name));
    }

private slots:
    void initTestCase() { applyTheme(*qApp, ThemeChoice::light); }

    void overheadsAreBehindAButtonUntilOneIsSet() {
        Workspace workspace;
        workspace.openProject(*findSample(QStringLiteral("fig2-toy"))->project, {});
        SetupPanel panel(workspace);
        panel.setVisible(true);
        auto* overhead = field<QDoubleSpinBox>(panel, "pass_overhead_s");
        QVERIFY(!overhead->isVisible());
        QTest::mouseClick(field<QToolButton>(panel, "moreSettings"), Qt::LeftButton);
        QVERIFY(overhead->isVisible());
        QCOMPARE(overhead->suffix(), QStringLiteral(" µs"));
        overhead->setFocus();
        overhead->selectAll();
        QTest::keyClicks(overhead, QStringLiteral("150"));
        QTest::keyClick(overhead, Qt::Key_Return);
        QCOMPARE(workspace.problem().setup.passOverheadS, 150e-6);
        // A project that has one shows it.
        Project project = *findSample(QStringLiteral("fig2-toy"))->project;
        project.problem.setup.reservedBytes = 1e9;
        Workspace other;
        other.openProject(project, {});
        SetupPanel shown(other);
        shown.setVisible(true);
        QVERIFY(field<QDoubleSpinBox>(shown, "reserved_bytes")->isVisible());
    }

    void gradientsHaveAPrecisionWhereStatesAreMixedAlone() {
        Workspace workspace;
        workspace.openProject(*findSample(QStringLiteral("llama-3-8b"))->project, {});
        SetupPanel panel(workspace);
        panel.setVisible(true);
        auto* gradients = field<QComboBox>(panel, "gradient_precision");
        QVERIFY(gradients->isEnabled());
        auto* precision = field<QComboBox>(panel, "state_precision");
        precision->setFocus();
        QTest::keyClick(precision, Qt::Key_Home);
        QCOMPARE(workspace.problem().setup.precision, StatePrecision::uniform);
        QVERIFY(!gradients->isEnabled());
        workspace.undoStack()->undo();
        QCOMPARE(workspace.problem().setup.precision, StatePrecision::mixed);
        QVERIFY(gradients->isEnabled());
    }
};

STAGECRAFT_TEST(SetupPanelTest)
#include "setup_panel_test.moc"
