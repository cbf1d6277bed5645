#include "views/common/tab_list.h"

#include "views/common/menu_button.h"

#include <QEvent>
#include <QMenu>
#include <QTabBar>
#include <QTabWidget>
#include <QTimer>

namespace stagecraft::views {
namespace {

class TabList : public MenuButton {
public:
    explicit TabList(QTabWidget& tabs)
        : MenuButton(QStringLiteral("tabList"), QChar(0x25BE), QObject::tr("All tabs")), tabs_(tabs) {
        tabs_.tabBar()->installEventFilter(this);
        tabs_.installEventFilter(this);
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
    void fill() override {
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

}  // namespace stagecraft::views
