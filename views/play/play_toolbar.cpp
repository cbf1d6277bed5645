#include "views/play/play_toolbar.h"

#include "views/common/action_tip.h"
#include "views/common/theme.h"
#include "views/play/play_picture.h"
#include "views/play/present_menu.h"

#include <QAction>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

namespace stagecraft::views {

namespace {
constexpr int toolbarHeight = 36;
}

PlayToolbar::PlayToolbar(QWidget* parent)
    : QWidget(parent),
      title_(new QLabel(this)),
      plans_(new QToolButton(this)),
      presentMenu_(new PresentMenu(this)) {
    setFixedHeight(toolbarHeight);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 4, 8, 4);
    row->setSpacing(4);
    title_->setProperty("role", "heading");
    row->addWidget(title_, 1);
    addPlans();
    communication_ = addAction("playCommunication", tr("Communication"),
                               tr("Show the lanes of transfers, AllReduce and host links"));
    communication_->setCheckable(true);
    connect(communication_, &QAction::toggled, this, &PlayToolbar::communicationToggled);
    addPresent();
    export_ =
        addAction("exportMovie", tr("Export…"), tr("Save a movie as an animated PNG or GIF, or as frames"));
    connect(export_, &QAction::triggered, this, &PlayToolbar::exportWanted);
    refreshIcons();
}

void PlayToolbar::addPlans() {
    plans_->setObjectName(QStringLiteral("playedPlans"));
    plans_->setText(tr("Plans"));
    plans_->setToolTip(tr("Play up to %1 plans together, on one time axis").arg(mostPlayedPlans));
    plans_->setAutoRaise(true);
    plans_->setFocusPolicy(Qt::TabFocus);
    plans_->setPopupMode(QToolButton::InstantPopup);
    plans_->hide();
    layout()->addWidget(plans_);
}

void PlayToolbar::addPresent() {
    present_ = addAction("present", tr("Present"), tr("Full screen, large type, nothing else"));
    setActionOfTip(*present_, "plan.present");
    connect(present_, &QAction::triggered, this, &PlayToolbar::presentWanted);
    auto* button = findChild<QToolButton*>(QStringLiteral("present"));
    button->setMenu(presentMenu_);
    button->setPopupMode(QToolButton::MenuButtonPopup);
}

QAction* PlayToolbar::addAction(const char* name, const QString& text, const QString& tip) {
    auto* action = new QAction(text, this);
    action->setObjectName(QLatin1String(name));
    action->setToolTip(tip);
    auto* button = new QToolButton(this);
    button->setObjectName(QLatin1String(name));
    button->setDefaultAction(action);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    layout()->addWidget(button);
    return action;
}

void PlayToolbar::setTitle(const QString& title) { title_->setText(title); }

void PlayToolbar::setActionsEnabled(bool on) {
    for (QAction* it : {communication_, present_, export_}) it->setEnabled(on);
}

void PlayToolbar::setPlansMenu(QMenu* menu) {
    plans_->setMenu(menu);
    plans_->show();
}

bool PlayToolbar::communication() const { return communication_->isChecked(); }

void PlayToolbar::refreshIcons() {
    present_->setIcon(lineIcon(QStringLiteral("present")));
    export_->setIcon(lineIcon(QStringLiteral("export")));
}

void PlayToolbar::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && export_) refreshIcons();
}

}  // namespace stagecraft::views
