#pragma once

#include "views/rooms.h"

#include <QColor>
#include <QComboBox>
#include <QFont>
#include <QIcon>
#include <QLabel>
#include <QObject>
#include <QStandardItemModel>
#include <QString>
#include <QToolButton>
#include <QWidget>

class QLabel;
class QWidget;
class QButtonGroup;
class QToolButton;
class QTabWidget;
class QToolButton;
class QApplication;
class QApplication;

namespace stagecraft::views::common {

/// A line in one of the theme's roles: "heading", "muted", "error", …
QLabel* newLine(const QString& text, const char* role, QWidget* parent = nullptr);
/// Plain text that is broken into lines.
QLabel* newParagraph(const QString& text, const char* role, QWidget* parent = nullptr);
/// Another role of a widget that may have been drawn in its old one.
void setRole(QWidget& widget, const char* role);

/// One of a group of buttons of which one is down: it turns to a page or a chart.
/// @param name the button's object name
QToolButton* newSwitchButton(QButtonGroup* group, const QString& name, const QString& text,
                             const QString& tip);

/// A small square of a colour for lists and tables; the same while its row is chosen.
QIcon colourSwatch(const QColor& colour);

/// A small flat button whose menu is made anew each time that it opens.
class MenuButton : public QToolButton {
    Q_OBJECT
public:
    /// @param sign what it shows
    MenuButton(const QString& name, QChar sign, const QString& tip, QWidget* parent = nullptr);

protected:
    /// Puts what there is now into the menu, which is empty.
    virtual void fill() = 0;
};

/// A line that takes the room it is given: what does not fit ends in an ellipsis, and the whole of it is the
/// tool tip.
class ElidedLabel : public QLabel {
    Q_OBJECT
public:
    explicit ElidedLabel(QWidget* parent = nullptr);
    void setWhole(const QString& text);
    const QString& whole() const { return whole_; }

    QSize sizeHint() const override;  ///< of the whole
    QSize minimumSizeHint() const override;

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void elide();

    QString whole_;
};

/// The mark "»" at the end of a toolbar that has no room for all of its buttons: its menu has those that are
/// left out, as they are: ticked, grey, with menus of their own.
class OverflowButton : public MenuButton {
    Q_OBJECT
public:
    explicit OverflowButton(QWidget* parent = nullptr);

    /// Shows itself where anything is left out.
    void setLeftOut(QList<QToolButton*> tools);
    const QList<QToolButton*>& leftOut() const { return leftOut_; }

private:
    void fill() override;

    QList<QToolButton*> leftOut_;
};

/// A button with the list of all tabs, for a corner of theirs; it is there while not all tabs are.
QToolButton* newTabList(QTabWidget& tabs);

/// Draws a ring around what the keyboard has been moved to by Tab: charts, canvases and lists draw none.
/// For the life of the application; a second call changes nothing.
void markKeyboardFocus(QApplication& application);

inline constexpr const char* actionOfTip = "actionOfTip";  ///< the property

/// Names the action of the program that `object`, a button or an action of a view's own, stands for, as in
/// "file.export": what lists the actions adds the key to its tooltip. No tooltip says a key itself.
inline void setActionOfTip(QObject& object, const char* id) {
    object.setProperty(actionOfTip, QString::fromLatin1(id));
}

/// Whether that item can be chosen; one that cannot stays visible, greyed.
inline void enableItem(QComboBox& box, int index, bool on) {
    if (auto* items = qobject_cast<QStandardItemModel*>(box.model())) items->item(index)->setEnabled(on);
}

/// For the destructor of a widget that listens to its own fields: a field with the focus reports the end of
/// editing while it is destroyed, when the members of its listener are gone already.
inline void stopListeningToChildren(QWidget& listener) {
    for (const QWidget* child : listener.findChildren<QWidget*>()) child->disconnect(&listener);
}

/// The font of labels inside a chart: 11 pixels high.
inline QFont smallFont(QFont font) {
    font.setPixelSize(11);
    return font;
}

/// A progress bar and a future count a part of the work, 0 to 1, in this many steps.
inline constexpr int progressSteps = 1000;

/// Return presses the button that has the focus, as Space does. In dialogs it stays with their default
/// button.
void pressButtonsByReturn(QApplication& application);

}  // namespace stagecraft::views::common
