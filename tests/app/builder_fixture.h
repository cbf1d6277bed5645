#pragma once

#include "app/experiments/builder/experiment_builder.h"
#include "tests/support/window_rooms.h"
#include "tests/app/window_fixture.h"

#include <QFrame>
#include <QLineEdit>
#include <QSettings>
#include <QTreeWidget>

namespace stagecraft {

/// A home and a cache of results of a test's own, both empty.
struct ExperimentHome {
    ExperimentHome() {
        qputenv("XDG_CACHE_HOME", cache.path().toUtf8());
        QSettings().clear();
    }
    PrivateHome home;
    QTemporaryDir cache;
};

template <class Widget>
Widget& part(QWidget& parent, const char* name) {
    auto* found = parent.findChild<Widget*>(QLatin1String(name));
    if (!found) qFatal("there is no %s", name);
    return *found;
}

/// Types it in the place of what is there.
inline void type(QLineEdit& line, const QString& text) {
    QTest::mouseClick(&line, Qt::LeftButton);
    line.selectAll();
    QTest::keyClicks(&line, text);
}

/// Of the axes.
inline QList<QFrame*> cards(ExperimentBuilder& builder) {
    QCoreApplication::processEvents();  // layouts show what was added
    QList<QFrame*> shown;
    for (QFrame* card : builder.findChildren<QFrame*>(QStringLiteral("axisCard")))
        if (!card->isHidden()) shown << card;
    return shown;
}

/// Finds a field by words and double clicks it.
inline void vary(ExperimentBuilder& builder, const QString& words, const QString& label) {
    type(part<QLineEdit>(builder, "fieldSearch"), words);
    auto& tree = part<QTreeWidget>(builder, "fieldTree");
    QCoreApplication::processEvents();  // the tree has its place
    for (QTreeWidgetItemIterator it(&tree); *it; ++it) {
        if ((*it)->text(0) != label) continue;
        tree.scrollToItem(*it);
        const QPoint at = tree.visualItemRect(*it).center();
        const QPoint on(tree.visualItemRect(*it).left() + 8, at.y());
        QTest::mouseClick(tree.viewport(), Qt::LeftButton, {}, on);
        QTest::mouseDClick(tree.viewport(), Qt::LeftButton, {}, on);
        return;
    }
    QFAIL(qPrintable("no field " + label));
}

}  // namespace stagecraft
