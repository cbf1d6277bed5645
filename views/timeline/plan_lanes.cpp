#include "views/timeline/plan_lanes.h"

#include "views/common/choice_popup.h"
#include "views/common/lane_list.h"
#include "views/timeline/gantt_chart.h"

#include <QActionGroup>
#include <QMenu>

#include <algorithm>

namespace stagecraft::views::timeline {

PlanLanes::PlanLanes(GanttChart& chart, QWidget* window) : QObject(window), chart_(chart), window_(window) {
    connect(&chart_, &GanttChart::laneMenuRequested, this,
            [this](int lane, const QString& servers, QPoint at) {
                QMenu menu(window_);
                fillMenu(menu, lane, servers);
                menu.exec(at);
            });
    connect(&chart_, &GanttChart::groupClicked, this,
            [this](const QString& servers) { setCollapsed(servers, false); });
    connect(&chart_, &GanttChart::laneClicked, this, [this](int lane) {
        if (hasStreams(lane)) setOpened(lane, !isOpened(lane));
    });
}

void PlanLanes::setData(std::shared_ptr<const ChartData> data) { data_ = std::move(data); }

void PlanLanes::setArrangement(const LaneArrangement& arrangement) {
    if (arrangement == arrangement_) return;
    arrangement_ = arrangement;
    chart_.setArrangement(arrangement_);
    emit changed();
}

void PlanLanes::setOrder(LaneOrder order) {
    LaneArrangement wanted = arrangement_;
    wanted.order = order;
    setArrangement(wanted);
}

bool PlanLanes::isPinned(int lane) const {
    return arrangement_.pinned.contains(laneKey(data_->shown(), lane));
}

void PlanLanes::setPinned(int lane, bool pinned) {
    LaneArrangement wanted = arrangement_;
    const QString key = laneKey(data_->shown(), lane);
    wanted.pinned.removeAll(key);
    if (pinned) wanted.pinned << key;
    setArrangement(wanted);
}

void PlanLanes::unpinAll() {
    LaneArrangement wanted = arrangement_;
    wanted.pinned.clear();
    setArrangement(wanted);
}

void PlanLanes::setCollapsed(const QString& servers, bool collapsed) {
    LaneArrangement wanted = arrangement_;
    wanted.collapsed.removeAll(servers);
    if (collapsed) wanted.collapsed << servers;
    setArrangement(wanted);
}

void PlanLanes::collapseAll(bool collapsed) {
    LaneArrangement wanted = arrangement_;
    wanted.collapsed.clear();
    if (collapsed)
        for (const LaneGroup& group : laneGroups(data_->shown())) wanted.collapsed << group.servers;
    setArrangement(wanted);
}

bool PlanLanes::hasStreams(int lane) const {
    if (!data_ || lane < 0 || !data_->hasStreams()) return false;
    const std::vector<Lane>& lanes = data_->timeline().lanes;
    const Lane& own = lanes[static_cast<std::size_t>(lane)];
    return own.kind == LaneKind::compute && std::ranges::any_of(lanes, [&own](const Lane& it) {
               return it.kind == LaneKind::stream && it.blockCount() > 0 &&
                      it.devices.front() == own.devices.front();
           });
}

bool PlanLanes::isOpened(int lane) const {
    return arrangement_.opened.contains(laneKey(data_->shown(), lane));
}

void PlanLanes::setOpened(int lane, bool opened) {
    LaneArrangement wanted = arrangement_;
    const QString key = laneKey(data_->shown(), lane);
    wanted.opened.removeAll(key);
    if (opened) wanted.opened << key;
    setArrangement(wanted);
}

void PlanLanes::openAll(bool opened) {
    LaneArrangement wanted = arrangement_;
    wanted.opened.clear();
    const int lanes = static_cast<int>(data_->timeline().lanes.size());
    for (int lane = 0; opened && lane < lanes; ++lane)
        if (hasStreams(lane)) wanted.opened << laneKey(data_->shown(), lane);
    setArrangement(wanted);
}

void PlanLanes::reveal(int lane) {
    const auto shown = [&] { return chart_.scene().rowOfLane[static_cast<std::size_t>(lane)] >= 0; };
    if (shown()) return;
    const Lane& it = data_->timeline().lanes[static_cast<std::size_t>(lane)];
    if (it.kind == LaneKind::stream)
        return setOpened(data_->timeline().computeLaneOf(it.devices.front()), true);
    if (it.kind != LaneKind::compute) emit communicationWanted();
    if (shown()) return;
    const QString servers = serversOf(data_->shown(), lane);
    LaneArrangement wanted = arrangement_;
    if (it.kind == LaneKind::compute) {
        wanted.collapsed.removeAll(servers);
    } else {
        const QStringList own = servers.split('+', Qt::SkipEmptyParts);
        wanted.collapsed.removeIf([&own](const QString& band) {
            const QStringList in = band.split('+');
            return std::all_of(own.begin(), own.end(),
                               [&in](const QString& name) { return in.contains(name); });
        });
    }
    setArrangement(wanted);
}

void PlanLanes::find() {
    std::vector<int> lanes;
    std::vector<ChoicePopup::Choice> choices;
    std::vector<LaneRow> rows = laneRows(data_->shown(), true, {}, {}, true);
    std::stable_partition(rows.begin(), rows.end(), [](const LaneRow& row) { return !row.thin; });
    for (const LaneRow& row : rows) {
        if (row.label.isEmpty()) continue;
        if (chart_.scene().hidesRest() && !chart_.scene().hits->inLane(row.lane)) continue;
        lanes.push_back(row.lane);
        const QString servers = serversOf(data_->shown(), row.lane);
        const bool named = row.thin || servers.isEmpty() || row.label.contains(servers);
        choices.push_back({named ? row.label : servers + QStringLiteral(" · ") + row.label, {}, {}});
    }
    auto* popup = new ChoicePopup(QStringLiteral("Which lane?"), std::move(choices), window_);
    popup->setObjectName(QStringLiteral("laneFinder"));
    connect(popup, &ChoicePopup::chosen, this,
            [this, lanes](int choice) { goTo(lanes[static_cast<std::size_t>(choice)]); });
    popup->show();
}

void PlanLanes::goTo(int lane) {
    reveal(lane);
    chart_.showLane(lane);
}

void PlanLanes::fillMenu(QMenu& menu, int lane, const QString& servers) {
    const auto add = [&](const QString& text, auto does) {
        QAction* action = menu.addAction(text);
        connect(action, &QAction::triggered, this, does);
        return action;
    };
    if (lane >= 0) {
        const bool pinned = isPinned(lane);
        add(pinned ? QStringLiteral("Unpin") : QStringLiteral("Pin at the top"),
            [this, lane, pinned] { setPinned(lane, !pinned); });
        const QString own = serversOf(data_->shown(), lane);
        const bool computes =
            data_->timeline().lanes[static_cast<std::size_t>(lane)].kind == LaneKind::compute;
        if (computes && !own.isEmpty())
            add(QStringLiteral("Collapse %1").arg(own), [this, own] { setCollapsed(own, true); });
        if (hasStreams(lane))
            add(isOpened(lane) ? QStringLiteral("Hide its streams") : QStringLiteral("Show its streams"),
                [this, lane] { setOpened(lane, !isOpened(lane)); });
        menu.addSeparator();
    } else if (!servers.isEmpty()) {
        add(QStringLiteral("Expand %1").arg(servers), [this, servers] { setCollapsed(servers, false); });
        menu.addSeparator();
    }
    add(QStringLiteral("Find a lane…"), [this] { find(); });
    menu.addSeparator();
    const char* orders[laneOrderCount] = {"Sort by stage", "Sort by device", "Sort by busy share"};
    auto* group = new QActionGroup(&menu);
    for (int i = 0; i < laneOrderCount; ++i) {
        QAction* action =
            add(QString::fromLatin1(orders[i]), [this, i] { setOrder(static_cast<LaneOrder>(i)); });
        action->setCheckable(true);
        action->setChecked(arrangement_.order == static_cast<LaneOrder>(i));
        group->addAction(action);
    }
    menu.addSeparator();
    add(QStringLiteral("Collapse lanes per server"), [this] {
        collapseAll(true);
    })->setEnabled(!laneGroups(data_->shown()).empty());
    add(QStringLiteral("Expand all servers"), [this] {
        collapseAll(false);
    })->setEnabled(!arrangement_.collapsed.isEmpty());
    if (data_->hasStreams()) {
        add(QStringLiteral("Show all streams"), [this] { openAll(true); });
        add(QStringLiteral("Hide streams"), [this] {
            openAll(false);
        })->setEnabled(!arrangement_.opened.isEmpty());
    }
    add(QStringLiteral("Unpin all lanes"), [this] {
        unpinAll();
    })->setEnabled(!arrangement_.pinned.isEmpty());
}

}  // namespace stagecraft::views::timeline
