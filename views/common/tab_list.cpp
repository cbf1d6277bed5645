#include "views/common/tab_list.h"

#include <QEvent>
#include <QMenu>
#include <QTabBar>
#include <QTabWidget>
#include <QTimer>
#include <QToolButton>

namespace stagecraft {
namespace {

class TabList : public QToolButton {
public:
    explicit TabList(QTabWidget& tabs) : tabs_(tabs) {
        setObjectName(QStringLiteral("tabList"));
        setText(QString(QChar(0x25BE)));
        setToolTip(QObject::tr("All tabs"));
        setAccessibleName(toolTip());
        setAutoRaise(true);
        setFocusPolicy(Qt::TabFocus);
        setPopupMode(QToolButton::InstantPopup);
        setStyleSheet(QStringLiteral("QToolButton::menu-indicator { image: none; }"));
        setMenu(new QMenu(this));
        connect(menu(), &QMenu::aboutToShow, this, &TabList::fill);
        tabs_.tabBar()->installEventFilter(this);
        tabs_.installEventFilter(this);
        hide();
    }

protected:
    bool eventFilter(QObject*, QEvent* event) override {
        // Once the tabs have their places.
        const bool moved = event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest;
        // Tabs come and go without either; they are painted then.
        if (moved || (event->type() == QEvent::Paint && isNeeded() != isVisible()))
            QTimer::singleShot(0, this, [this] { setVisible(isNeeded()); });
        return false;
    }

private:
    bool isNeeded() const {
        const QTabBar& bar = *tabs_.tabBar();
        int wanted = 0;
        for (int tab = 0; tab < bar.count(); ++tab) wanted += bar.tabRect(tab).width();
        // With its own width, lest it come and go.
        const int room = bar.width() + (isVisible() ? sizeHint().width() : 0);
        return wanted > room;
    }
    void fill() {
        menu()->clear();
        for (int tab = 0; tab < tabs_.count(); ++tab) {
            QAction* turn = menu()->addAction(tabs_.tabIcon(tab), tabs_.tabText(tab),
                                              [this, tab] { tabs_.setCurrentIndex(tab); });
            turn->setCheckable(true);
            turn->setChecked(tab == tabs_.currentIndex());
        }
    }

    QTabWidget& tabs_;
};

}  // namespace

QToolButton* newTabList(QTabWidget& tabs) { return new TabList(tabs); }

}  // namespace stagecraft
