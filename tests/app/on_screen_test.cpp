// Whatever the window opens is on the screen with its whole frame, wherever the window itself is.
#include "app/actions/command_palette.h"
#include "app/document/samples.h"
#include "app/figures/figure_dialog.h"
#include "app/help/help_panel.h"
#include "app/panels/template_dialog.h"
#include "app/profile/generate_dialog.h"
#include "app/shell/workbench.h"
#include "tests/app/window_fixture.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "views/common/on_screen.h"

#include <QScreen>
#include <QUndoStack>

using namespace stagecraft;

namespace {

QRect room() { return QGuiApplication::primaryScreen()->availableGeometry(); }

QString said(const QWidget& window) {
    const QRect frame = window.frameGeometry();
    return QStringLiteral("%1 %2: %3,%4 %5x%6, least %7x%8")
        .arg(QLatin1String(window.metaObject()->className()), window.objectName())
        .arg(frame.x())
        .arg(frame.y())
        .arg(frame.width())
        .arg(frame.height())
        .arg(window.minimumSizeHint().width())
        .arg(window.minimumSizeHint().height());
}

void verifyOnScreen(const QWidget& window) {
    const auto whole = [&window] {
        // The screen of tests is narrower than the least of some windows; then all that it has is taken.
        QRect place = window.frameGeometry();
        if (window.minimumSizeHint().width() > room().width() &&
            window.width() <= window.minimumSizeHint().width())
            place.setWidth(room().width());
        return room().contains(place);
    };
    QTRY_VERIFY2_WITH_TIMEOUT(whole(), qPrintable(said(window)), 2000);
}

}  // namespace

class OnScreenTest : public QObject {
    Q_OBJECT
    PrivateHome home_;

private slots:
    void initTestCase() { applyTheme(*qApp, ThemeChoice::light); }

    void aPlaceIsMovedThenCut() {
        const QRect screen(100, 50, 1024, 768);
        QCOMPARE(within({200, 100, 300, 200}, screen), QRect(200, 100, 300, 200));
        QCOMPARE(within({900, 700, 300, 200}, screen), QRect(824, 618, 300, 200));
        QCOMPARE(within({-900, -700, 300, 200}, screen), QRect(100, 50, 300, 200));
        QCOMPARE(within({0, 0, 3000, 2000}, screen), screen);
    }

    /// The main window hangs over an edge of the screen, or is in the middle of it.
    void everyWindowOpensOnTheScreen_data() {
        QTest::addColumn<QPoint>("corner");
        const QRect screen = room();
        QTest::newRow("middle") << screen.topLeft() + QPoint(20, 20);
        QTest::newRow("right below") << screen.bottomRight() - QPoint(120, 60);
        QTest::newRow("left above") << screen.topLeft() - QPoint(700, 500);
        QTest::newRow("below") << QPoint(screen.left() + 40, screen.bottom() - 30);
    }
    void everyWindowOpensOnTheScreen() {
        QFETCH(QPoint, corner);
        MainWindow window;
        window.resize(760, 600);
        window.show();
        window.openSample(QStringLiteral("gpipe-1f1b"));
        QTRY_VERIFY(window.actionRegister().action(QStringLiteral("plan.playWithCluster"))->isEnabled());
        window.move(corner);
        for (const char* id :
             {"plan.vpipe", "plan.playWithCluster", "experiment.papers", "help.keys", "edit.preferences"}) {
            window.actionRegister().action(QLatin1String(id))->trigger();
            for (QWidget* top : QApplication::topLevelWidgets()) {
                if (top == &window || !top->isVisible()) continue;
                verifyOnScreen(*top);
                QTest::keyClick(top, Qt::Key_F1);
                if (auto* help = top->findChild<HelpPanel*>(QStringLiteral("helpWindow"))) {
                    verifyOnScreen(*help);
                    help->close();
                }
                top->close();
            }
        }
        TemplateDialog templates(&window);
        GenerateDialog generate(&window);
        for (QDialog* dialog : {static_cast<QDialog*>(&templates), static_cast<QDialog*>(&generate)}) {
            dialog->show();
            verifyOnScreen(*dialog);
            dialog->close();
        }
        QTimer::singleShot(0, qApp, [] {
            auto* dialog = qobject_cast<FigureDialog*>(QApplication::activeModalWidget());
            QVERIFY(dialog);
            verifyOnScreen(*dialog);
            dialog->reject();
        });
        window.actionRegister().action(QStringLiteral("file.export"))->trigger();
        CommandPalette palette(window.actionRegister(), &window);
        palette.setAttribute(Qt::WA_DeleteOnClose, false);
        palette.show();
        verifyOnScreen(palette);
        palette.close();
        window.workspace().undoStack()->setClean();
    }

    /// A window that was left at an edge, then on a screen that is smaller, comes back whole.
    void aWindowThatIsShownAgainIsWhole() {
        QWidget window;
        placeOnScreen(window, QSize(5000, 5000));
        window.show();
        verifyOnScreen(window);
        QVERIFY(window.width() > room().width() / 2);
        window.hide();
        window.setGeometry(room().right() - 50, room().bottom() - 50, 4000, 300);
        window.show();
        verifyOnScreen(window);
    }
};

STAGECRAFT_TEST(OnScreenTest)
#include "on_screen_test.moc"
