#include "views/common/widgets.h"

#include "views/common/painted_icon.h"
#include "views/common/theme.h"

#include <QAbstractButton>
#include <QAbstractSpinBox>
#include <QAction>
#include <QApplication>
#include <QButtonGroup>
#include <QComboBox>
#include <QDialog>
#include <QEvent>
#include <QFocusEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QPointer>
#include <QPushButton>
#include <QSlider>
#include <QStyle>
#include <QTabBar>
#include <QTabWidget>
#include <QTimer>
#include <QToolButton>

namespace stagecraft::views::common {

QLabel* newLine(const QString& text, const char* role, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    label->setProperty("role", role);
    return label;
}

QLabel* newParagraph(const QString& text, const char* role, QWidget* parent) {
    QLabel* label = newLine(text, role, parent);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    return label;
}

void setRole(QWidget& widget, const char* role) {
    if (widget.property("role") == QLatin1String(role)) return;
    widget.setProperty("role", role);
    // A style sheet reads properties once, when it first styles a widget.
    widget.style()->unpolish(&widget);
    widget.style()->polish(&widget);
}

QToolButton* newSwitchButton(QButtonGroup* group, const QString& name, const QString& text,
                             const QString& tip) {
    auto* button = new QToolButton;
    button->setObjectName(name);
    button->setText(text);
    button->setToolTip(tip);
    button->setCheckable(true);
    button->setFocusPolicy(Qt::TabFocus);
    group->addButton(button);
    return button;
}

QIcon colourSwatch(const QColor& colour) {
    constexpr QSize size(14, 14);
    return paintedIcon(
        [colour](QPainter& painter, const QRect& rect, QIcon::Mode) {
            painter.setRenderHint(QPainter::Antialiasing);
            painter.setPen(Qt::NoPen);
            painter.setBrush(colour);
            painter.drawRoundedRect(QRectF(rect).adjusted(1, 1, -1, -1), 3, 3);
        },
        size);
}

MenuButton::MenuButton(const QString& name, QChar sign, const QString& tip, QWidget* parent)
    : QToolButton(parent) {
    setObjectName(name);
    setText(QString(sign));
    setToolTip(tip);
    setAccessibleName(tip);
    setAutoRaise(true);
    setFocusPolicy(Qt::TabFocus);
    setPopupMode(QToolButton::InstantPopup);
    setProperty("withoutArrow", true);
    setMenu(new QMenu(this));
    connect(menu(), &QMenu::aboutToShow, this, [this] {
        menu()->clear();
        fill();
    });
    hide();
}

ElidedLabel::ElidedLabel(QWidget* parent) : QLabel(parent) {
    setTextFormat(Qt::PlainText);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
}

void ElidedLabel::setWhole(const QString& text) {
    if (text == whole_) return;
    whole_ = text;
    updateGeometry();
    elide();
}

QSize ElidedLabel::sizeHint() const {
    const QMargins margins = contentsMargins();
    return {fontMetrics().horizontalAdvance(whole_) + margins.left() + margins.right() + 2,
            QLabel::sizeHint().height()};
}

QSize ElidedLabel::minimumSizeHint() const { return {0, QLabel::minimumSizeHint().height()}; }

void ElidedLabel::showEvent(QShowEvent* event) {
    QLabel::showEvent(event);
    elide();
}

void ElidedLabel::resizeEvent(QResizeEvent* event) {
    QLabel::resizeEvent(event);
    elide();
}

void ElidedLabel::changeEvent(QEvent* event) {
    QLabel::changeEvent(event);
    if (event->type() == QEvent::FontChange) elide();
}

void ElidedLabel::elide() {
    if (!isVisible()) return setText(whole_);  // it has no width yet
    const QString fitting = fontMetrics().elidedText(whole_, Qt::ElideRight, contentsRect().width());
    setText(fitting);
    setToolTip(fitting == whole_ ? QString() : whole_);
}

namespace {

QString titleOf(const QToolButton& tool) {
    return tool.text().isEmpty() ? tool.toolTip().section('\n', 0, 0) : tool.text();
}

/// A button without an action of its own is pressed by one.
void addPress(QMenu& menu, QToolButton& tool) {
    QAction* press = menu.addAction(tool.icon(), titleOf(tool), &tool, &QToolButton::click);
    press->setCheckable(tool.isCheckable());
    press->setChecked(tool.isChecked());
    press->setEnabled(tool.isEnabled());
}

}  // namespace

OverflowButton::OverflowButton(QWidget* parent)
    : MenuButton(QStringLiteral("toolbarOverflow"), QChar(0x00BB), tr("More tools"), parent) {}

void OverflowButton::setLeftOut(QList<QToolButton*> tools) {
    leftOut_ = std::move(tools);
    setVisible(!leftOut_.isEmpty());
}

void OverflowButton::fill() {
    for (QToolButton* tool : leftOut_) {
        if (QMenu* own = tool->menu()) {
            own->setTitle(titleOf(*tool));
            own->setIcon(tool->icon());
            menu()->addMenu(own);
        } else if (tool->defaultAction()) {
            menu()->addAction(tool->defaultAction());
        } else {
            addPress(*menu(), *tool);
        }
    }
}

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
            if (!tabs_.isTabVisible(tab)) continue;
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

namespace {

/// A frame over a widget, through which the mouse goes.
class Ring : public QWidget {
public:
    explicit Ring(QWidget* around) : QWidget(around) {
        setObjectName(QStringLiteral("focusRing"));
        setAttribute(Qt::WA_TransparentForMouseEvents);
        setFocusPolicy(Qt::NoFocus);
        setGeometry(around->rect());
        show();
        raise();
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setPen(QPen(Theme::current().accent, 2));
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
};

/// Their style says it.
bool marksItself(const QWidget* widget) {
    return qobject_cast<const QAbstractButton*>(widget) || qobject_cast<const QLineEdit*>(widget) ||
           qobject_cast<const QAbstractSpinBox*>(widget) || qobject_cast<const QComboBox*>(widget) ||
           qobject_cast<const QAbstractSlider*>(widget) || qobject_cast<const QTabBar*>(widget);
}

class FocusMark : public QObject {
public:
    using QObject::QObject;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() == QEvent::FocusIn && watched->isWidgetType()) {
            const Qt::FocusReason reason = static_cast<QFocusEvent*>(event)->reason();
            if (reason == Qt::TabFocusReason || reason == Qt::BacktabFocusReason)
                mark(static_cast<QWidget*>(watched));
        } else if (ring_ && watched == ring_->parent()) {
            if (event->type() == QEvent::FocusOut || event->type() == QEvent::MouseButtonPress)
                delete ring_;
            else if (event->type() == QEvent::Resize)
                ring_->setGeometry(static_cast<QWidget*>(watched)->rect());
        }
        return false;
    }

private:
    void mark(QWidget* widget) {
        delete ring_;
        if (!marksItself(widget)) ring_ = new Ring(widget);
    }

    QPointer<QWidget> ring_;  ///< a Ring, but while it is being destroyed only a widget
};

}  // namespace

void markKeyboardFocus(QApplication& application) {
    static const QPointer<FocusMark> mark = [&application] {
        auto* made = new FocusMark(&application);
        application.installEventFilter(made);
        return QPointer<FocusMark>(made);
    }();
    Q_UNUSED(mark);
}

namespace {

class ReturnKey : public QObject {
public:
    using QObject::QObject;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() != QEvent::KeyPress) return false;
        const auto* press = static_cast<QKeyEvent*>(event);
        if ((press->key() != Qt::Key_Return && press->key() != Qt::Key_Enter) || press->isAutoRepeat())
            return false;
        if (!qobject_cast<QPushButton*>(watched) && !qobject_cast<QToolButton*>(watched)) return false;
        auto* button = static_cast<QAbstractButton*>(watched);
        if (!button->isEnabled() || qobject_cast<QDialog*>(button->window())) return false;
        button->click();
        return true;
    }
};

}  // namespace

void pressButtonsByReturn(QApplication& application) {
    static const QPointer<ReturnKey> key = [&application] {
        auto* made = new ReturnKey(&application);
        application.installEventFilter(made);
        return QPointer<ReturnKey>(made);
    }();
    Q_UNUSED(key);
}

}  // namespace stagecraft::views::common
