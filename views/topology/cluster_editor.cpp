#include "views/topology/cluster_editor.h"

#include "core/generation/link_rates.h"
#include "views/common/text.h"
#include "views/topology/cluster_clipboard.h"
#include "views/topology/link_defaults.h"
#include "views/topology/scene_folding.h"
#include "views/topology/server_layout.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace stagecraft::views::topology {
namespace {

constexpr double copyGap = 32;     // between something and its copy
constexpr double pasteShift = 24;  // of what is pasted beside where it was copied

void keepBelow(std::vector<int>& indices, std::size_t count) {
    std::sort(indices.begin(), indices.end());
    indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
    std::erase_if(indices, [count](int i) { return i < 0 || static_cast<std::size_t>(i) >= count; });
}

template <class T, class Key>
std::vector<int> follow(const std::vector<int>& chosen, const SharedList<T>& before,
                        const SharedList<T>& after, Key key) {
    std::set<std::string> keys;
    for (const int i : chosen) keys.insert(key(before[static_cast<std::size_t>(i)]));
    std::vector<int> found;
    if (keys.empty()) return found;
    for (std::size_t i = 0; i < after.size(); ++i)
        if (keys.contains(key(after[i]))) found.push_back(static_cast<int>(i));
    return found;
}

/// By id; links by their ends, unless their number shows that none came or went.
ClusterSelection follow(const ClusterSelection& chosen, const Cluster& before, const Cluster& after) {
    const auto id = [](const auto& node) { return node.id; };
    const auto ends = [](const Link& link) { return link.a + '\0' + link.b; };
    ClusterSelection now;
    now.devices = before.devices.size() == after.devices.size()
                      ? chosen.devices
                      : follow(chosen.devices, before.devices, after.devices, id);
    now.switches = before.switches.size() == after.switches.size()
                       ? chosen.switches
                       : follow(chosen.switches, before.switches, after.switches, id);
    now.links = before.links.size() == after.links.size()
                    ? chosen.links
                    : follow(chosen.links, before.links, after.links, ends);
    return now;
}

Point pointOf(QPointF point) { return {point.x(), point.y()}; }

}  // namespace

ClusterEditor::ClusterEditor(QObject* parent) : QObject(parent), scene_(std::make_shared<TopologyScene>()) {}

void ClusterEditor::reset(std::shared_ptr<const TopologyScene> scene) {
    select({});
    scene_ = std::move(scene);
}

void ClusterEditor::update(std::shared_ptr<const TopologyScene> scene) {
    const ClusterSelection now = follow(selection_, scene_->cluster(), scene->cluster());
    scene_ = std::move(scene);
    select(now);
}

void ClusterEditor::select(ClusterSelection selection) {
    keepBelow(selection.devices, scene_->cluster().devices.size());
    keepBelow(selection.switches, scene_->cluster().switches.size());
    keepBelow(selection.links, scene_->cluster().links.size());
    if (selection == selection_) return;
    selection_ = std::move(selection);
    emit selectionChanged(selection_);
}

void ClusterEditor::selectAll() {
    ClusterSelection all;
    for (int i = 0; i < scene_->cluster().deviceCount(); ++i) all.devices.push_back(i);
    for (std::size_t i = 0; i < scene_->cluster().switches.size(); ++i)
        all.switches.push_back(static_cast<int>(i));
    select(std::move(all));
}

void ClusterEditor::selectServers() {
    std::set<int> servers;
    const TopologyLayout& layout = scene_->layout();
    for (const int device : selection_.devices)
        servers.insert(layout.serverOfDevice[static_cast<std::size_t>(device)]);
    for (const int index : selection_.switches)
        servers.insert(layout.serverOfSwitch[static_cast<std::size_t>(index)]);
    ClusterSelection all{{}, selection_.switches, {}};
    for (const int server : servers) {
        if (server < 0) continue;
        const ClusterSelection whole = scene_->serverSelection(server);
        all.devices.insert(all.devices.end(), whole.devices.begin(), whole.devices.end());
        all.switches.insert(all.switches.end(), whole.switches.begin(), whole.switches.end());
    }
    select(std::move(all));
}

void ClusterEditor::selectLinks() {
    const auto isChosen = [this](ClusterNode node) {
        const std::vector<int>& list =
            node.kind == ClusterNode::Kind::device ? selection_.devices : selection_.switches;
        return std::binary_search(list.begin(), list.end(), node.index);
    };
    std::vector<int> among, hanging;
    for (const ClusterGraph::Edge& edge : scene_->graph().edges) {
        const bool a = isChosen(edge.a), b = isChosen(edge.b);
        if (a && b) among.push_back(edge.link);
        if (a || b) hanging.push_back(edge.link);
    }
    select({{}, {}, among.empty() ? hanging : among});
}

std::vector<int> ClusterEditor::chosenServers() const {
    std::vector<int> servers;
    for (std::size_t i = 0; i < scene_->layout().servers.size(); ++i) {
        const ClusterSelection whole = scene_->serverSelection(static_cast<int>(i));
        if (std::includes(selection_.devices.begin(), selection_.devices.end(), whole.devices.begin(),
                          whole.devices.end()) &&
            std::includes(selection_.switches.begin(), selection_.switches.end(), whole.switches.begin(),
                          whole.switches.end()))
            servers.push_back(static_cast<int>(i));
    }
    return servers;
}

std::optional<ClusterNode> ClusterEditor::onlyNode() const {
    if (selection_.size() != 1 || !selection_.links.empty()) return std::nullopt;
    if (selection_.devices.empty()) return ClusterNode{ClusterNode::Kind::switchNode, selection_.switches[0]};
    return ClusterNode{ClusterNode::Kind::device, selection_.devices[0]};
}

void ClusterEditor::ask(const Cluster& after, const QString& text, const ClusterSelection& selection,
                        const QString& mergeKey) {
    emit edited(after, text, mergeKey);
    select(selection);
}

QString ClusterEditor::nameOf(const ClusterSelection& part) const {
    const std::vector<int> servers = chosenServers();
    const auto i = [](int index) { return static_cast<std::size_t>(index); };
    for (const int server : servers) {
        const ServerBox& group = scene_->layout().servers[i(server)];
        if (group.isGroup() && scene_->serverSelection(server).size() == part.size())
            return countedText(static_cast<long long>(group.members.size()), "server");
    }
    if (servers.size() == 1 && scene_->serverSelection(servers[0]).size() == part.size())
        return tr("server %1").arg(QString::fromStdString(scene_->layout().servers[i(servers[0])].name));
    if (part.size() == 1 && part.devices.size() == 1)
        return QString::fromStdString(scene_->cluster().devices[i(part.devices[0])].id);
    if (part.size() == 1 && part.switches.size() == 1)
        return QString::fromStdString(scene_->cluster().switches[i(part.switches[0])].id);
    if (part.size() == part.links.size())
        return part.size() == 1 ? tr("link") : countedText(static_cast<long long>(part.size()), "link");
    if (part.size() == part.devices.size()) return countedText(static_cast<long long>(part.size()), "GPU");
    return countedText(static_cast<long long>(part.size()), "item");
}

void ClusterEditor::add(PalettePart part, QPointF middle) {
    if (part == PalettePart::server) return insert(newServer(scene_->cluster()), middle, tr("Add server"));
    Cluster after = scene_->pinned();
    const int box = scene_->serverAt(middle);
    const std::string server = box < 0 ? "" : scene_->layout().servers[static_cast<std::size_t>(box)].name;
    const Point place = pointOf(middle);
    ClusterSelection added;
    const auto addSwitchOf = [&](const char* stem) {
        const std::string home = server.empty() ? FreshNames(after).server() : server;
        added.switches = {addSwitch(after, stem, home, place)};
    };
    switch (part) {
        case PalettePart::gpu:
            added.devices = {addDevice(after, newDevice(after), server, place)};
            break;
        case PalettePart::pcieSwitch:
            addSwitchOf("pcie");
            break;
        case PalettePart::nvSwitch:
            addSwitchOf("nvswitch");
            break;
        case PalettePart::socket:
            addSwitchOf("socket");
            break;
        case PalettePart::nic:
            addSwitchOf("nic");
            break;
        case PalettePart::networkSwitch:
        case PalettePart::server:
        case PalettePart::machine:
        case PalettePart::rack:
            added.switches = {addSwitch(after, "network", "", place)};
            break;
    }
    ask(after, tr("Add %1").arg(paletteEntry(part).name), added);
}

void ClusterEditor::connectNodes(ClusterNode a, ClusterNode b) {
    if (a == b) return;
    // Of a whole server it is not its parts that are meant.
    const bool alike =
        selection_.devices.size() > 1 ? selection_.switches.empty() : selection_.devices.empty();
    const std::vector<ClusterNode> chosen = alike ? chosenNodes() : std::vector<ClusterNode>();
    const auto isChosen = [&](ClusterNode node) {
        return std::find(chosen.begin(), chosen.end(), node) != chosen.end();
    };
    std::vector<ClusterNode> from{a};
    if (isChosen(a) && !isChosen(b)) from = chosen;
    if (isChosen(b) && !isChosen(a) && chosen.size() > 1) from = chosen, b = a;
    std::vector<std::pair<ClusterNode, ClusterNode>> pairs;
    for (const ClusterNode each : from) pairs.emplace_back(each, b);
    linkPairs(pairs);
}

void ClusterEditor::linkChosen(LinkShape shape) {
    const std::vector<ClusterNode> chosen = chosenNodes();
    std::vector<std::pair<ClusterNode, ClusterNode>> pairs;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        if (shape == LinkShape::ring && (chosen.size() > 2 || i == 0))
            pairs.emplace_back(chosen[i], chosen[(i + 1) % chosen.size()]);
        for (std::size_t j = i + 1; shape == LinkShape::mesh && j < chosen.size(); ++j)
            pairs.emplace_back(chosen[i], chosen[j]);
    }
    linkPairs(pairs);
}

/// The network switches that are chosen, or the switches of a server, and what is to be linked to them.
std::vector<std::pair<std::vector<ClusterNode>, std::vector<ClusterNode>>> ClusterEditor::oneToOne() const {
    std::vector<ClusterNode> network;
    std::map<int, std::vector<ClusterNode>> devices, switches;  // by server
    for (const ClusterNode node : chosenNodes()) {
        const int server = scene_->layout().server(node);
        if (server < 0)
            network.push_back(node);
        else
            (node.kind == ClusterNode::Kind::device ? devices : switches)[server].push_back(node);
    }
    std::vector<std::pair<std::vector<ClusterNode>, std::vector<ClusterNode>>> groups;
    if (!network.empty()) {
        for (const auto* parts : {&devices, &switches})
            for (const auto& [server, nodes] : *parts) groups.emplace_back(nodes, network);
    } else {
        for (const auto& [server, nodes] : devices)
            if (const auto own = switches.find(server); own != switches.end())
                groups.emplace_back(nodes, own->second);
    }
    std::erase_if(groups, [](const auto& group) {
        return group.second.size() < 2 || group.first.size() % group.second.size() != 0;
    });
    return groups;
}

bool ClusterEditor::canLinkOneToOne() const { return !oneToOne().empty(); }

void ClusterEditor::linkOneToOne() {
    std::vector<std::pair<ClusterNode, ClusterNode>> pairs;
    for (const auto& [nodes, ends] : oneToOne())
        for (std::size_t i = 0; i < nodes.size(); ++i) pairs.emplace_back(nodes[i], ends[i % ends.size()]);
    linkPairs(pairs);
}

std::vector<ClusterNode> ClusterEditor::chosenNodes() const {
    std::vector<ClusterNode> nodes;
    for (const int device : selection_.devices) nodes.push_back({ClusterNode::Kind::device, device});
    for (const int each : selection_.switches) nodes.push_back({ClusterNode::Kind::switchNode, each});
    return nodes;
}

void ClusterEditor::linkPairs(const std::vector<std::pair<ClusterNode, ClusterNode>>& pairs) {
    if (pairs.empty()) return;
    Cluster after = scene_->pinned();
    ClusterSelection made;
    for (const auto& [a, b] : pairs) {
        after.links.push_back(newLink(after, scene_->graph(), scene_->layout().roles, a, b));
        made.links.push_back(static_cast<int>(after.links.size()) - 1);
    }
    const Link& link = after.links.back();
    ask(after,
        pairs.size() == 1
            ? tr("Join %1 and %2").arg(QString::fromStdString(link.a), QString::fromStdString(link.b))
            : tr("Add %1").arg(countedText(static_cast<long long>(pairs.size()), "link")),
        made);
}

/// Whether what is chosen is drawn as one of many, without a place to be moved from; says so.
bool ClusterEditor::refusesFolded() {
    if (!SceneFolding(*scene_).hides(selection_)) return false;
    emit said(tr("%1: some are folded and have no places of their own; show all servers to move them")
                  .arg(nameOf(selection_)));
    return true;
}

void ClusterEditor::move(QPointF by, int into, bool leaves) {
    if (refusesFolded()) return;
    Cluster after = scene_->pinned(selection_);
    const std::optional<ClusterNode> only = onlyNode();
    const QString name = only && into >= 0 ? qtText(scene_->idOf(*only)) : nameOf(selection_);
    movePart(after, selection_, pointOf(by));
    if (leaves) return leave(std::move(after), name);
    if (into < 0) return ask(after, tr("Move %1").arg(name), selection_);
    // A copy: the answer to what is asked for is another scene.
    const std::string server = scene_->layout().servers[static_cast<std::size_t>(into)].name;
    movePartToServer(after, selection_, server);
    ask(after, tr("Move %1 into server %2").arg(name, qtText(server)), selection_);
    emit said(tr("%1 joined server %2").arg(name, qtText(server)));
}

/// What is chosen of each server becomes a server of its own.
void ClusterEditor::leave(Cluster after, const QString& name) {
    std::map<int, ClusterPart> parts;
    for (const int i : selection_.devices)
        parts[scene_->layout().serverOfDevice[static_cast<std::size_t>(i)]].devices.push_back(i);
    for (const int i : selection_.switches)
        parts[scene_->layout().serverOfSwitch[static_cast<std::size_t>(i)]].switches.push_back(i);
    QStringList names;
    for (const auto& [home, part] : parts) {
        if (home < 0) continue;
        const std::string server = FreshNames(after).server();
        movePartToServer(after, part, server);
        names << qtText(server);
    }
    ask(after, tr("Move %1 out of its server").arg(name), selection_);
    emit said(tr("%1 left its server and is now in server %2").arg(name, names.join(QStringLiteral(", "))));
}

std::vector<int> ClusterEditor::homes() const {
    std::set<int> homes;
    for (const int i : selection_.devices)
        homes.insert(scene_->layout().serverOfDevice[static_cast<std::size_t>(i)]);
    for (const int i : selection_.switches)
        homes.insert(scene_->layout().serverOfSwitch[static_cast<std::size_t>(i)]);
    homes.erase(-1);
    return {homes.begin(), homes.end()};
}

bool ClusterEditor::canGroup() const {
    const std::vector<int> all = homes();
    if (all.size() != 1) return all.size() > 1;
    return selection_.devices.size() + selection_.switches.size() > 1 && chosenServers().empty();
}

void ClusterEditor::group() {
    if (!canGroup()) return;
    Cluster after = scene_->pinned();
    const std::string server = FreshNames(after).server();
    movePartToServer(after, selection_, server);
    ask(after, tr("Group into server %1").arg(qtText(server)), selection_);
}

bool ClusterEditor::canUngroup() const {
    for (const int server : chosenServers()) {
        const ClusterSelection whole = scene_->serverSelection(server);
        if (whole.devices.size() + whole.switches.size() > 1) return true;
    }
    return false;
}

void ClusterEditor::ungroup() {
    if (!canUngroup()) return;
    Cluster after = scene_->pinned();
    ClusterPart all;
    for (const int server : chosenServers()) {
        const ClusterSelection whole = scene_->serverSelection(server);
        all.devices.insert(all.devices.end(), whole.devices.begin(), whole.devices.end());
        all.switches.insert(all.switches.end(), whole.switches.begin(), whole.switches.end());
    }
    moveApart(after, all);
    ask(after, tr("Ungroup %1").arg(nameOf(selection_)), selection_);
}

bool ClusterEditor::canUseDerivedRates() const {
    return std::any_of(selection_.links.begin(), selection_.links.end(), [this](int link) {
        return scene_->cluster().links[static_cast<std::size_t>(link)].isMeasured();
    });
}

void ClusterEditor::useDerivedRates() {
    if (!canUseDerivedRates()) return;
    Cluster after = scene_->cluster();
    takeDerivedRates(after, selection_.links);
    ask(after, tr("Use derived rate"), selection_);
}

void ClusterEditor::nudge(QPointF by) {
    if (!canDuplicate() || refusesFolded()) return;
    Cluster after = scene_->pinned(selection_);
    movePart(after, selection_, pointOf(by));
    ask(after, tr("Move %1").arg(nameOf(selection_)), selection_, QStringLiteral("nudge"));
}

void ClusterEditor::remove() {
    if (selection_.isEmpty()) return;
    const QString text = tr("Delete %1").arg(nameOf(selection_));
    Cluster after = scene_->pinned();
    removePart(after, selection_);
    select({});
    ask(after, text, {});
}

QRectF ClusterEditor::boundsOf(const ClusterSelection& part) const {
    QRectF bounds;
    for (const int device : part.devices)
        bounds |= scene_->layout().shownRect({ClusterNode::Kind::device, device});
    for (const int index : part.switches)
        bounds |= scene_->layout().shownRect({ClusterNode::Kind::switchNode, index});
    for (const int server : chosenServers())
        bounds |= scene_->layout().servers[static_cast<std::size_t>(server)].box;
    return bounds;
}

/// Offsets at which copies of what is chosen meet nothing: in rows to the right of it and below, in about the
/// shape of a screen. Copies of a part of a server stay beside it.
std::vector<Point> ClusterEditor::placesFor(int copies) const {
    const bool whole = !chosenServers().empty() || selection_.devices.empty();
    const QRectF bounds = boundsOf(selection_);
    const double gap = whole ? copyGap : 16;
    const QSizeF step = bounds.size() + QSizeF(gap, gap);
    const double area = step.width() * step.height() * (copies + 1);
    const int columns = std::max(2, static_cast<int>(std::lround(std::sqrt(1.6 * area) / step.width())));
    std::vector<QRectF> taken;
    if (whole)
        for (const ServerBox& server : scene_->layout().servers) taken.push_back(server.box);
    for (std::size_t i = 0; i < scene_->layout().switches.size(); ++i)
        if (!whole || scene_->layout().serverOfSwitch[i] < 0) taken.push_back(scene_->layout().switches[i]);
    if (!whole) taken.insert(taken.end(), scene_->layout().devices.begin(), scene_->layout().devices.end());
    std::vector<Point> places;
    for (int cell = 1; static_cast<int>(places.size()) < copies; ++cell) {
        const QPointF by(cell % columns * step.width(), cell / columns * step.height());
        const QRectF there = bounds.translated(by);
        if (std::none_of(taken.begin(), taken.end(),
                         [&there](const QRectF& rect) { return rect.intersects(there); }))
            places.push_back(pointOf(by));
    }
    return places;
}

void ClusterEditor::duplicate(int times) {
    if (!canDuplicate() || times < 1) return;
    const ClusterSelection nodes{selection_.devices, selection_.switches, {}};
    Cluster after = scene_->pinned();
    ClusterSelection added = duplicatePart(after, nodes, placesFor(times));
    added.links.clear();
    const QString name = nameOf(nodes);
    ask(after, times == 1 ? tr("Duplicate %1").arg(name) : tr("Duplicate %1 %2 times").arg(name).arg(times),
        added);
    emit copied();
}

std::vector<ClusterEditor::Unit> ClusterEditor::units() const {
    std::vector<Unit> units;
    ClusterSelection rest = selection_;
    for (const int server : chosenServers()) {
        const ClusterSelection whole = scene_->serverSelection(server);
        units.push_back({scene_->layout().servers[static_cast<std::size_t>(server)].box, whole});
        const auto take = [](std::vector<int>& from, const std::vector<int>& what) {
            std::erase_if(from, [&](int i) { return std::binary_search(what.begin(), what.end(), i); });
        };
        take(rest.devices, whole.devices);
        take(rest.switches, whole.switches);
    }
    for (const int device : rest.devices)
        units.push_back({scene_->layout().devices[static_cast<std::size_t>(device)], {{device}, {}, {}}});
    for (const int index : rest.switches)
        units.push_back({scene_->layout().switches[static_cast<std::size_t>(index)], {{}, {index}, {}}});
    return units;
}

/// What is in a server that is chosen alone, else whole servers and the rest.
std::vector<ClusterEditor::Unit> ClusterEditor::turnable() const {
    std::vector<Unit> all = units();
    if (all.size() != 1) return all;
    const ClusterPart whole = std::exchange(all, {}).front().part;
    for (const int device : whole.devices)
        all.push_back({scene_->layout().devices[static_cast<std::size_t>(device)], {{device}, {}, {}}});
    for (const int index : whole.switches)
        if (scene_->layout().isDrawn(index))
            all.push_back({scene_->layout().switches[static_cast<std::size_t>(index)], {{}, {index}, {}}});
    return all;
}

void ClusterEditor::moveUnits(const std::vector<Unit>& all, const std::vector<Point>& moves,
                              const QString& text) {
    if (refusesFolded()) return;
    Cluster after = scene_->pinned(selection_);
    for (std::size_t i = 0; i < all.size(); ++i) movePart(after, all[i].part, moves[i]);
    ask(after, text, selection_);
}

namespace {

template <class Units>
std::vector<DrawnBox> boxesOf(const Units& units) {
    std::vector<DrawnBox> boxes;
    for (const auto& unit : units)
        boxes.push_back({unit.box.left(), unit.box.top(), unit.box.width(), unit.box.height()});
    return boxes;
}

}  // namespace

void ClusterEditor::align(Alignment alignment) {
    if (unitCount() > 1)
        moveUnits(units(), stagecraft::editing::alignment(boxesOf(units()), alignment), tr("Align"));
}

void ClusterEditor::distribute(ArrangeAxis axis) {
    if (unitCount() > 2) moveUnits(units(), distribution(boxesOf(units()), axis), tr("Distribute"));
}

void ClusterEditor::rotate() {
    if (canRotate()) moveUnits(turnable(), quarterTurn(boxesOf(turnable())), tr("Rotate"));
}

void ClusterEditor::layOutAfresh() {
    Cluster after = scene_->cluster();
    after.layout.clear();
    ask(after, tr("Lay out again"), selection_);
}

void ClusterEditor::insert(const Cluster& other, QPointF middle, const QString& text) {
    // Laid out by itself, so that it has places to be moved from.
    const TopologyScene drawn(other, nullptr);
    const QPointF by = middle - drawn.layout().bounds.center();
    const int box = scene_->serverAt(middle);
    std::unordered_map<std::string, std::string> into;
    const std::vector<std::string> names = serverNames(other);
    // Some GPUs over a server join it; whole servers stay on their own.
    if (box >= 0 && names.size() == 1 && other.switches.empty())
        into.emplace(names[0], scene_->layout().servers[static_cast<std::size_t>(box)].name);
    Cluster after = scene_->pinned();
    if (scene_->isEmpty()) {
        after.name = other.name;
        after.source = other.source;
        after.assumptions = other.assumptions;
    }
    ClusterSelection added = insertCluster(after, drawn.pinned(), pointOf(by), into);
    added.links.clear();
    ask(after, text, added);
}

void ClusterEditor::copy() const {
    if (!canDuplicate()) return;
    const ClusterSelection nodes{selection_.devices, selection_.switches, {}};
    copyToClipboard(extractPart(scene_->pinned(), nodes));
}

void ClusterEditor::cut() {
    copy();
    remove();
}

void ClusterEditor::paste(std::optional<QPointF> middle) {
    const ClipboardCluster held = clusterOnClipboard();
    if (!held.otherText.isEmpty()) return emit otherTextPasted(held.otherText);
    if (!held.cluster) return;
    const TopologyScene drawn(*held.cluster, nullptr);
    insert(*held.cluster, middle.value_or(drawn.layout().bounds.center() + QPointF(pasteShift, pasteShift)),
           tr("Paste"));
    emit copied();
}

}  // namespace stagecraft::views::topology
