#include "views/play/play_toolbar.h"

#include "views/common/theme.h"
#include "views/common/widgets.h"
#include "views/play/play_picture.h"
#include "views/play/presenting.h"

#include <QAction>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

namespace stagecraft::views::play {

namespace {
constexpr int toolbarHeight = 36;
}

PlayToolbar::PlayToolbar(QWidget* parent)
    : QWidget(parent), title_(new QLabel(this)), presentMenu_(new PresentMenu(this)) {
    setFixedHeight(toolbarHeight);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 4, 8, 4);
    row->setSpacing(4);
    title_->setProperty("role", "heading");
    row->addWidget(title_, 1);
    plans_ = addMenuButton("playedPlans", tr("Plans"),
                           tr("Play up to %1 plans together, on one time axis").arg(mostPlayedPlans));
    plans_->hide();
    communication_ = addAction("playCommunication", tr("Communication"),
                               tr("Show the lanes of transfers, AllReduce and host links"));
    communication_->setCheckable(true);
    connect(communication_, &QAction::toggled, this, &PlayToolbar::communicationToggled);
    addMenuButton("pictureParts", tr("Picture"), tr("Text size, and what is shown next to the lanes"))
        ->setMenu(presentMenu_);
    present_ = addAction("present", tr("Present"), tr("Full screen, large type, nothing else"));
    setActionOfTip(*present_, "plan.present");
    connect(present_, &QAction::triggered, this, &PlayToolbar::presentWanted);
    export_ =
        addAction("exportMovie", tr("Export…"), tr("Save a movie as an animated PNG or GIF, or as frames"));
    connect(export_, &QAction::triggered, this, &PlayToolbar::exportWanted);
    refreshIcons();
}

QToolButton* PlayToolbar::addMenuButton(const char* name, const QString& text, const QString& tip) {
    auto* button = new QToolButton(this);
    button->setObjectName(QLatin1String(name));
    button->setText(text);
    button->setToolTip(tip);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    button->setPopupMode(QToolButton::InstantPopup);
    layout()->addWidget(button);
    return button;
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

}  // namespace stagecraft::views::play
