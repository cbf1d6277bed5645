#include "app/actions/shortcut_help.h"

#include "views/common/list_filter.h"
#include "views/common/on_screen.h"
#include "views/plan/plan_commands.h"

#include <QHeaderView>
#include <QLineEdit>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft::app::actions {
namespace {

QTreeWidgetItem* groupOf(QTreeWidget& list, const QString& title) {
    for (int i = 0; i < list.topLevelItemCount(); ++i)
        if (list.topLevelItem(i)->text(0) == title) return list.topLevelItem(i);
    auto* group = new QTreeWidgetItem(&list, {title});
    group->setExpanded(true);
    group->setFirstColumnSpanned(true);
    QFont bold = list.font();
    bold.setBold(true);
    group->setFont(0, bold);
    return group;
}

/// Rows that have all the words, in what they do, their key or their group.
void narrow(QTreeWidget& list, const QString& text) {
    const QStringList words = text.split(' ', Qt::SkipEmptyParts);
    for (int i = 0; i < list.topLevelItemCount(); ++i) {
        QTreeWidgetItem& group = *list.topLevelItem(i);
        bool any = false;
        for (int j = 0; j < group.childCount(); ++j) {
            QTreeWidgetItem& row = *group.child(j);
            const QString whole = group.text(0) + ' ' + row.text(0) + ' ' + row.text(1);
            const bool has = std::all_of(words.begin(), words.end(), [&](const QString& word) {
                return whole.contains(word, Qt::CaseInsensitive);
            });
            row.setHidden(!has);
            any |= has;
        }
        group.setHidden(!any);
    }
    if (list.currentItem() && list.currentItem()->isHidden()) list.setCurrentItem(nullptr);
}

}  // namespace

ShortcutHelp::ShortcutHelp(const ActionRegister& actions, QWidget* parent) : QDialog(parent) {
    setObjectName(QStringLiteral("shortcutHelp"));
    setWindowTitle(tr("Keys"));
    setAttribute(Qt::WA_DeleteOnClose);
    auto* list = new QTreeWidget;
    list->setColumnCount(2);
    list->setHeaderHidden(true);
    list->setRootIsDecorated(false);
    list->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    list->header()->setStretchLastSection(false);
    list->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    const QString chart = tr("In a plan's chart");
    for (const QAction* action : actions.all()) {
        if (action->shortcut().isEmpty()) continue;
        const QString menu = actions.menuOf(action).remove('&');
        const bool ofChart = action->objectName().startsWith(QLatin1String("chart."));
        const QString group = ofChart ? chart : menu.isEmpty() ? tr("Window") : menu;
        new QTreeWidgetItem(groupOf(*list, group),
                            {action->text().section(':', 0, 0).remove('&').remove(QStringLiteral("…")),
                             action->shortcut().toString(QKeySequence::NativeText)});
    }
    for (const KeyHelp& key : PlanCommands::keyHelp(false))
        new QTreeWidgetItem(groupOf(*list, chart), {key.does, key.keys});
    list->expandAll();
    auto* find = new QLineEdit;
    find->setObjectName(QStringLiteral("findKey"));
    find->setPlaceholderText(tr("Find a key or what it does"));
    find->setClearButtonEnabled(true);
    connect(find, &QLineEdit::textChanged, list, [list](const QString& text) { narrow(*list, text); });
    leadInto(*find, *list);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->addWidget(find);
    layout->addWidget(list);
    placeOnScreen(*this, QSize(560, 640));
    find->setFocus();
}

}  // namespace stagecraft::app::actions
