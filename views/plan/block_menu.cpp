#include "views/plan/block_menu.h"

#include "views/plan/plan_commands.h"
#include "views/plan/plan_navigator.h"
#include "views/plan/plan_search.h"
#include "views/plan/plan_view_actions.h"
#include "views/plan/questions.h"
#include "views/timeline/block_text.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QMenu>

namespace stagecraft::views::plan {

namespace {

/// When the lane of a block was idle last before it; nothing if it was not.
std::optional<double> idleBefore(const Timeline& timeline, quint32 block) {
    const double startS = timeline.startS[block];
    double freeS = 0;
    const Lane& lane = timeline.lanes[static_cast<std::size_t>(timeline.laneOf(block))];
    for (std::uint32_t other = lane.firstBlock; other < block; ++other)
        freeS = std::max(freeS, timeline.endS[other]);
    if (lane.kind != LaneKind::compute || !(freeS < startS)) return std::nullopt;
    return (freeS + startS) / 2;
}

}  // namespace

BlockMenu::BlockMenu(const Parts& parts, QWidget* view) : QObject(view), parts_(parts), view_(view) {}

void BlockMenu::addCommand(QMenu& menu, const QString& text, const char* command) {
    const QString id = QLatin1String(command);
    QAction* action =
        menu.addAction(text + '\t' + PlanCommands::keyOf(id).toString(QKeySequence::NativeText));
    action->setObjectName(id);
    connect(action, &QAction::triggered, &parts_.commands, [this, id] { parts_.commands.run(id); });
}

void BlockMenu::addBlock(QMenu& menu, const ChartData& data, quint32 block) {
    const Timeline& timeline = data.timeline();
    if (const auto idle = idleBefore(timeline, block)) {
        QAction* why = menu.addAction("Why the lane was idle before it");
        why->setObjectName("whyIdle");
        connect(why, &QAction::triggered, this,
                [this, lane = timeline.laneOf(block), at = *idle] { parts_.questions.askIdle(lane, at); });
    }
    addCommand(menu, "Go to the block it waited for", "dependency");
    addCommand(menu, "Go to the block that waits for it", "dependent");
    menu.addAction(parts_.actions.criticalPath);
    menu.addSeparator();
    const auto find = [&](const QString& text, const QString& query) {
        connect(menu.addAction(text), &QAction::triggered, this,
                [this, query] { parts_.search.find(query); });
    };
    if (const int microbatch = timeline.microbatch[block]; microbatch >= 0)
        find(QStringLiteral("Find microbatch %1").arg(microbatch), QStringLiteral("mb:%1").arg(microbatch));
    if (const int stage = timeline.stage[block]; stage >= 0)
        find(QStringLiteral("Find stage %1").arg(stage), QStringLiteral("stage:%1").arg(stage));
    if (passKind(timeline.kind[block]).role == PassRole::other && !timeline.label.empty() &&
        timeline.label[block] >= 0)
        find(QStringLiteral("Find those of this name"),
             QStringLiteral("\"%1\"").arg(QString::fromUtf8(timeline.wordOf(block)).remove('"')));
    menu.addSeparator();
    addCommand(menu, "Zoom to it", "fit");
    addCommand(menu, "Mark its time", "markBlock");
    addCommand(menu, "Add a note", "note");
    QAction* copy = menu.addAction("Copy description");
    copy->setObjectName("copyDescription");
    connect(copy, &QAction::triggered, this,
            [text = blockLine(data, block)] { QGuiApplication::clipboard()->setText(text); });
}

void BlockMenu::show(const ChartData& data, quint32 block, int lane, double timeS, QPoint globalPosition) {
    auto* menu = new QMenu(view_);
    menu->setObjectName("blockMenu");
    menu->setAttribute(Qt::WA_DeleteOnClose);
    if (block != noBlock) {
        parts_.navigator.select(block);
        addBlock(*menu, data, block);
    } else {
        if (lane >= 0) {
            QAction* why = menu->addAction("Why it is idle here");
            why->setObjectName("whyIdle");
            connect(why, &QAction::triggered, this,
                    [this, lane, timeS] { parts_.questions.askIdle(lane, timeS); });
        }
        addCommand(*menu, "Add a note", "note");
        addCommand(*menu, "Fit all", "fitAll");
    }
    emit opening(menu, block);
    menu->popup(globalPosition);
}

}  // namespace stagecraft::views::plan
