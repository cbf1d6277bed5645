#include "app/actions/shortcut_help.h"

#include "views/plan/plan_commands.h"

#include <QHeaderView>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace stagecraft::app {
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
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->addWidget(list);
    resize(560, 640);
}

}  // namespace stagecraft::app
