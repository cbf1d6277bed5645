#include "app/help/help_controller.h"

#include "app/help/help_panel.h"
#include "app/help/help_topic.h"
#include "app/help/help_view.h"
#include "app/panels/right_dock.h"
#include "views/common/on_screen.h"

#include <QApplication>
#include <QDockWidget>
#include <QKeyEvent>
#include <QMainWindow>
#include <QStatusBar>

namespace stagecraft::app::help {

namespace {

constexpr int messageMs = 5000;
constexpr QSize windowSize(640, 720);

}  // namespace

HelpController::HelpController(const ActionRegister& actions, QMainWindow& window)
    : QObject(&window), actions_(actions), window_(window) {
    qApp->installEventFilter(this);
}

void HelpController::openHere() {
    QWidget* focus = QApplication::focusWidget();
    openFor(focus ? *focus : window_);
}

void HelpController::openFor(QWidget& widget) {
    const QString topic = helpTopicOf(&widget);
    panelFor(*widget.window()).view().showTopic(topic);
}

void HelpController::open(const QString& topic) { panelFor(window_).view().showTopic(topic); }

void HelpController::openSearch() {
    HelpPanel& panel = panelFor(window_);
    if (!panel.view().page()) panel.view().showTopic(QStringLiteral("CONTENTS"));
    panel.focusSearch();
}

HelpPanel& HelpController::panelFor(QWidget& window) {
    if (&window == &window_ || (dock_ && &window == dock_)) {
        if (!dock_) {
            dock_ = new QDockWidget(tr("Help"));
            dock_->setObjectName(QStringLiteral("helpDock"));
            auto* panel = new HelpPanel(actions_);
            connectPanel(*panel);
            connect(panel, &HelpPanel::closeRequested, this, &HelpController::closeDock);
            dock_->setWidget(panel);
            addRightDock(window_, *dock_);
        }
        if (QWidget* focus = QApplication::focusWidget(); focus && !dock_->isAncestorOf(focus))
            askedFrom_ = focus;
        dock_->show();
        dock_->raise();
        return *static_cast<HelpPanel*>(dock_->widget());
    }
    if (beside_ && (beside_ == &window || beside_->parentWidget() == &window)) {
        beside_->raise();
        return *beside_;
    }
    delete beside_;
    // A child of that window, so that a modal one does not shut it out.
    beside_ = new HelpPanel(actions_, &window);
    beside_->setObjectName(QStringLiteral("helpWindow"));
    beside_->setWindowFlag(Qt::Window);
    beside_->setWindowTitle(tr("Help"));
    beside_->setAttribute(Qt::WA_DeleteOnClose);
    placeOnScreen(*beside_, windowSize);
    connectPanel(*beside_);
    connect(beside_, &HelpPanel::closeRequested, beside_, &QWidget::close);
    beside_->show();
    return *beside_;
}

void HelpController::closeDock() {
    dock_->hide();
    if (askedFrom_ && askedFrom_->isVisible()) askedFrom_->setFocus();
}

void HelpController::connectPanel(HelpPanel& panel) {
    connect(&panel.view(), &MarkdownView::sampleChosen, this, &HelpController::sampleChosen);
    connect(&panel.view(), &MarkdownView::statusText, window_.statusBar(),
            [bar = window_.statusBar()](const QString& text) { bar->showMessage(text, messageMs); });
}

bool HelpController::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::KeyPress || static_cast<QKeyEvent*>(event)->key() != Qt::Key_F1)
        return false;
    auto* widget = qobject_cast<QWidget*>(watched);
    // Main windows have an action for it.
    if (!widget || qobject_cast<QMainWindow*>(widget->window())) return false;
    openFor(*widget);
    return true;
}

}  // namespace stagecraft::app::help
