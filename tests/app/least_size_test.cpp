// The window, its tool windows and its dialogs fit a screen of 1024×768, less a bar and a title, whatever is
// open and whichever tab is shown; the window itself fits half of 1920×1080, which twice the scale leaves.
#include "app/document/samples.h"
#include "app/experiments/builder/experiment_builder.h"
#include "app/experiments/experiments_window.h"
#include "app/figures/figure_dialog.h"
#include "app/lessons/lesson_library.h"
#include "app/lessons/lesson_player.h"
#include "app/panels/empty_panel.h"
#include "app/panels/template_dialog.h"
#include "app/plan/plan_page.h"
#include "app/play/play_window.h"
#include "app/profile/generate_dialog.h"
#include "app/shell/lesson_actions.h"
#include "app/shell/workbench.h"
#include "app/start/new_plan_dialog.h"
#include "app/start/start_page.h"
#include "app/vpipe/vpipe_window.h"
#include "tests/app/window_fixture.h"
#include "tests/support/test_extent.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "views/common/theme.h"

#include <QDialog>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QTabWidget>

using namespace stagecraft;

namespace {

constexpr QSize screenSize(1024, 700);

/// What within asks for most, from outside in.
QString culprits(const QWidget& widget) {
    QString chain;
    const QWidget* at = &widget;
    while (at) {
        const QSize least = at->minimumSizeHint().expandedTo(at->minimumSize());
        chain += QStringLiteral("\n  %1 '%2' %3x%4")
                     .arg(QLatin1String(at->metaObject()->className()), at->objectName())
                     .arg(least.width())
                     .arg(least.height());
        const QWidget* next = nullptr;
        int most = 0;
        for (const QWidget* child : at->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
            // Pages that are not shown count as well.
            const bool page = at->inherits("QStackedWidget");
            if (child->isWindow() || (!page && !child->isVisibleTo(at))) continue;
            const QSize wants = child->minimumSizeHint().expandedTo(child->minimumSize());
            const int excess = std::max(wants.width() - 200, wants.height() - 140);
            if (excess > most) most = excess, next = child;
        }
        at = next;
    }
    return chain;
}

/// 1920×1080 at twice the scale is 960×540, less a title.
constexpr QSize halfOfFullHd(960, 512);

void verifyFits(const QWidget& window, const QString& what) {
    QCoreApplication::processEvents();
    const auto least = [&] { return window.minimumSizeHint().expandedTo(window.minimumSize()); };
    const auto fits = [&] {
        return least().width() <= screenSize.width() && least().height() <= screenSize.height();
    };
    QTRY_VERIFY2_WITH_TIMEOUT(fits(),
                              qPrintable(QStringLiteral("%1 needs %2x%3%4")
                                             .arg(what)
                                             .arg(least().width())
                                             .arg(least().height())
                                             .arg(culprits(window))),
                              2000);
}

}  // namespace

class LeastSizeTest : public QObject {
    Q_OBJECT
    PrivateHome home_;

private slots:
    void initTestCase() { applyTheme(*qApp, ThemeChoice::light); }

    void theStartPageFits() {
        MainWindow window;
        window.show();
        verifyFits(window, QStringLiteral("start page"));
    }

    void theStartPageNeedsNoScrollingSideways() {
        MainWindow window;
        window.show();
        auto* page = window.findChild<StartPage*>();
        for (const int width : {1920, screenSize.width(), 960, 1300}) {
            window.resize(width, screenSize.height());
            QTest::qWait(20);
            QTRY_VERIFY2_WITH_TIMEOUT(page->widget()->width() <= page->viewport()->width(),
                                      qPrintable(QStringLiteral("%1 in %2 of a window of %3")
                                                     .arg(page->widget()->width())
                                                     .arg(page->viewport()->width())
                                                     .arg(width)),
                                      2000);
            for (const auto* button : page->findChildren<QAbstractButton*>()) {
                const QRect place(button->mapTo(page->widget(), QPoint()), button->size());
                QVERIFY2(!button->isVisible() || page->widget()->rect().contains(place),
                         qPrintable(button->objectName()));
            }
        }
    }

    void everyTabOfEverySampleFits() {
        MainWindow window;
        window.resize(screenSize);
        window.show();
        std::size_t opened = 0;
        for (const Sample& sample : samples()) {
            ++opened;
            window.openSample(sample.id);
            if (window.workspace().plans().empty()) {
                window.actionRegister().action(QStringLiteral("plan.run.spp"))->trigger();
                QTRY_VERIFY_WITH_TIMEOUT(!window.planning().isPlanning(), 120'000);
            }
            for (int tab = 0; tab < window.workbench().count(); ++tab) {
                if (!testing::isTried(opened, static_cast<std::size_t>(tab))) continue;
                window.workbench().setCurrentIndex(tab);
                QTest::qWait(20);
                verifyFits(window, sample.id + QStringLiteral(", tab ") + window.workbench().tabText(tab));
                QVERIFY2(window.size() == screenSize, qPrintable(sample.id));
            }
            window.workspace().undoStack()->setClean();
        }
    }

    /// With all panels at its sides and below, and whatever is open beside the chart, on every tab.
    void theWindowFitsHalfOfFullHd() {
        MainWindow window;
        window.resize(halfOfFullHd);
        window.show();
        window.openSample(QStringLiteral("schedules"));
        QTRY_VERIFY_WITH_TIMEOUT(!window.planning().isBusy(), 60'000);
        const auto stays = [&](const QString& what) {
            QTest::qWait(30);
            const QSize least = window.minimumSizeHint();
            QVERIFY2(window.size() == halfOfFullHd && least.boundedTo(halfOfFullHd) == least,
                     qPrintable(QStringLiteral("%1: %2x%3, least %4x%5%6")
                                    .arg(what)
                                    .arg(window.width())
                                    .arg(window.height())
                                    .arg(least.width())
                                    .arg(least.height())
                                    .arg(culprits(window))));
        };
        for (const char* panel :
             {"", "view.problems", "help.contents", "lesson.list", "plan.schedule", "plan.whatIf"}) {
            if (*panel) window.actionRegister().action(QLatin1String(panel))->trigger();
            for (int tab = 0; tab < window.workbench().count(); ++tab) {
                window.workbench().setCurrentIndex(tab);
                stays(QStringLiteral("tab %1, %2").arg(tab).arg(QLatin1String(panel)));
            }
            window.workbench().showPlan(window.workspace().plans().front().id);
        }
        for (QDockWidget* dock : window.findChildren<QDockWidget*>()) dock->show();
        stays(QStringLiteral("all docks"));
        window.workspace().undoStack()->setClean();
    }

    void whatANewProjectOffersIsReadWhole() {
        MainWindow window;
        window.resize(screenSize);
        window.show();
        window.actionRegister().action(QStringLiteral("file.new"))->trigger();
        int read = 0;
        for (int tab = 0; tab < window.workbench().count(); ++tab) {
            window.workbench().setCurrentIndex(tab);
            QTest::qWait(20);
            for (const auto* panel : window.findChildren<EmptyPanel*>())
                for (const auto* label : panel->findChildren<QLabel*>()) {
                    if (!label->isVisible()) continue;
                    ++read;
                    QVERIFY2(label->wordWrap() ? label->heightForWidth(label->width()) <= label->height()
                                               : label->sizeHint().width() <= label->width(),
                             qPrintable(label->text()));
                }
        }
        QVERIFY(read >= 4);
        window.workspace().undoStack()->setClean();
    }

    void everythingThatOpensBesideAChartFits() {
        MainWindow window;
        window.resize(screenSize);
        window.show();
        window.openSample(QStringLiteral("vpipe-transformer"));
        const int plan = window.workspace().plans().empty() ? 0 : window.workspace().plans().front().id;
        if (plan) {
            window.workbench().showPlan(plan);
            QTRY_VERIFY_WITH_TIMEOUT(window.workbench().planView(plan)->isReady(), 20'000);
        }
        for (QAction* action : window.actionRegister().all()) {
            const QString id = action->objectName();
            if (!action->isEnabled() ||
                !(id.startsWith(QLatin1String("edit.what")) || id.startsWith(QLatin1String("plan.whatIf")) ||
                  id.startsWith(QLatin1String("plan.editOrder")) ||
                  id.startsWith(QLatin1String("chart.details")) || id == QLatin1String("view.problems")))
                continue;
            action->trigger();
            verifyFits(window, id);
        }
        window.workspace().undoStack()->setClean();
    }

    /// Whatever panels are open beside the chart, and in every lesson at every step, with all that a step can
    /// show: at the size of the smallest screen, and of one that is wide, the window stays as large as it was
    /// made.
    void noPanelMakesTheWindowLarger_data() {
        QTest::addColumn<QSize>("screen");
        QTest::newRow("1280x800") << QSize(1280, 740);
        QTest::newRow("1920x1080 at twice the scale") << halfOfFullHd;
    }
    void noPanelMakesTheWindowLarger() {
        QFETCH(QSize, screen);
        MainWindow window;
        window.resize(screen);
        window.show();
        const auto stays = [&](const QString& what) {
            window.resize(screen);
            QTest::qWait(1);
            const QSize least = window.minimumSizeHint();
            QTRY_VERIFY2_WITH_TIMEOUT(window.size() == screen && least.boundedTo(screen) == least,
                                      qPrintable(what + QStringLiteral(": %1x%2, least %3x%4%5")
                                                            .arg(window.width())
                                                            .arg(window.height())
                                                            .arg(least.width())
                                                            .arg(least.height())
                                                            .arg(culprits(window))),
                                      500);
        };
        const auto trigger = [&](const char* id) {
            QAction* action = window.actionRegister().action(QLatin1String(id));
            if (action && action->isEnabled()) action->trigger();
        };
        trigger("lesson.list");
        stays(QStringLiteral("list of lessons"));
        trigger("help.contents");
        stays(QStringLiteral("help"));
        LessonPlayer& player = window.lessons().player();
        std::size_t lessons = 0;
        for (const ShippedLesson& shipped : shippedLessons()) {
            window.lessons().take(shipped.id);
            const std::size_t number = lessons++;
            for (int step = 0; step < static_cast<int>(player.lesson().steps.size()); ++step) {
                if (!testing::isTried(number + (screen == halfOfFullHd), static_cast<std::size_t>(step))) continue;
                player.goTo(step);
                const QString place = QStringLiteral("%1, step %2").arg(shipped.id).arg(step + 1);
                stays(place);
                for (std::size_t i = hintsOf(player.current().task).size(); i > 0; --i) player.giveHint();
                if (player.mayReveal()) player.reveal();
                stays(place + QStringLiteral(", told"));
                for (const char* panel : {"plan.schedule", "plan.whatIf", "view.problems"}) trigger(panel);
                stays(place + QStringLiteral(", with panels"));
                for (const char* panel : {"plan.schedule", "plan.whatIf", "view.problems"}) trigger(panel);
            }
            player.stop();
        }
        window.workspace().undoStack()->setClean();
    }

    void toolWindowsFit() {
        MainWindow window;
        window.show();
        window.openSample(QStringLiteral("gpipe-1f1b"));
        QTRY_VERIFY(window.actionRegister().action(QStringLiteral("plan.playWithCluster"))->isEnabled());
        for (const char* id : {"plan.details", "plan.vpipe", "plan.playWithCluster", "experiment.papers",
                               "file.newExperiment"})
            if (QAction* action = window.actionRegister().action(QLatin1String(id))) action->trigger();
        QTest::qWait(500);
        int seen = 0;
        for (QWidget* top : QApplication::topLevelWidgets()) {
            if (top == &window || !top->isVisible()) continue;
            ++seen;
            verifyFits(*top, top->objectName() + u' ' + top->windowTitle());
            for (auto* tabs : top->findChildren<QTabWidget*>())
                for (int tab = 0; tab < tabs->count(); ++tab) {
                    tabs->setCurrentIndex(tab);
                    verifyFits(*top, top->windowTitle() + u' ' + tabs->tabText(tab));
                }
        }
        QVERIFY2(seen >= 3, qPrintable(QString::number(seen)));
        window.workspace().undoStack()->setClean();
    }

    void dialogsFit() {
        MainWindow window;
        window.resize(screenSize);
        window.show();
        window.openSample(QStringLiteral("bert-large-8x4"));
        verifyFits(TemplateDialog(), QStringLiteral("template"));
        verifyFits(GenerateDialog(), QStringLiteral("generate"));
        window.actionRegister().action(QStringLiteral("help.keys"))->trigger();
        for (auto* dialog : window.findChildren<QDialog*>()) verifyFits(*dialog, dialog->windowTitle());
        QTimer::singleShot(0, qApp, [] {
            auto* dialog = qobject_cast<FigureDialog*>(QApplication::activeModalWidget());
            QVERIFY(dialog);
            verifyFits(*dialog, QStringLiteral("export"));
            dialog->reject();
        });
        window.actionRegister().action(QStringLiteral("file.export"))->trigger();
        window.workspace().undoStack()->setClean();
    }

    void theDialogueOfANewPlanFitsWithItsSettingsAndAWayOut() {
        MainWindow window;
        window.resize(screenSize);
        window.show();
        window.actionRegister().action(QStringLiteral("file.newPlan"))->trigger();
        auto* dialog = window.findChild<NewPlanDialog*>();
        QVERIFY(dialog);
        click(*dialog, QStringLiteral("more"));
        QTest::keyClicks(dialog->findChild<QLineEdit*>(QStringLiteral("find:models")),
                         QStringLiteral("llama 405b"));
        QTRY_VERIFY(dialog->findChild<QPushButton*>(QStringLiteral("remedy:0")));
        verifyFits(*dialog, QStringLiteral("new plan"));
    }
};

STAGECRAFT_TEST(LeastSizeTest)
#include "least_size_test.moc"
