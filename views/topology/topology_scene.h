#pragma once

#include "core/editing/cluster_mistakes.h"
#include "core/runs/plan_run.h"
#include "views/topology/cluster_selection.h"
#include "views/topology/node_roles.h"
#include "views/topology/server_groups.h"
#include "views/topology/topology_links.h"

#include <memory>
#include <optional>
#include <set>

namespace stagecraft::views::topology {

/// Something in the picture that can be pointed at. Devices, switches and servers have stable ids (idOf);
/// links and bundles are known by index until the cluster changes.
struct TopologyItem {
    /// A server may be a box that represents many; a mesh is one of TopologyLinks::meshes, a hub one of
    /// TopologyLinks::hubs.
    enum class Kind { none, device, switchNode, server, link, bundle, mesh, hub } kind = Kind::none;
    int index = -1;
    bool operator==(const TopologyItem&) const = default;
    explicit operator bool() const { return kind != Kind::none; }
};

/// A cluster with its layout and what a plan says about it: all that is painted, without a widget.
class TopologyScene {
public:
    TopologyScene() : TopologyScene(Cluster{}, nullptr) {}
    /// @param openServers those whose network cards are shown one by one
    /// @param before of the cluster before an edit: what that left as it was is taken from there
    TopologyScene(Cluster cluster, std::shared_ptr<const PlanRun> run, std::set<std::string> openServers = {},
                  FoldChoice folding = {}, const TopologyScene* before = nullptr);

    void setRun(std::shared_ptr<const PlanRun> run);
    /// Null too for a run that found no plan.
    const std::shared_ptr<const PlanRun>& run() const { return run_; }

    bool isEmpty() const { return cluster_.devices.empty() && cluster_.switches.empty(); }
    const Cluster& cluster() const { return cluster_; }
    const ClusterGraph& graph() const { return *graph_; }
    const TopologyLayout& layout() const { return layout_; }
    const TopologyLinks& links() const { return links_; }
    const NodeNames& names() const { return *names_; }
    const std::set<std::string>& openServers() const { return openServers_; }
    const FoldChoice& folding() const { return folding_; }

    /// Null without a run, or with one that found no plan.
    const Plan* plan() const { return run_ ? &run_->result.plan : nullptr; }
    const Metrics* metrics() const { return run_ && run_->ok() ? &run_->evaluation->metrics : nullptr; }
    /// Ascending; empty without a plan.
    const std::vector<int>& stagesOf(int device) const {
        static const std::vector<int> none;
        return run_ ? stagesOf_[static_cast<std::size_t>(device)] : none;
    }

    /// What is under a point of the scene, lines within `tolerance`; the smallest thing wins.
    TopologyItem itemAt(QPointF point, double tolerance) const;
    /// The id in the cluster, or a server's name; empty for links.
    std::string idOf(TopologyItem item) const;
    const std::string& idOf(ClusterNode node) const;
    QRectF rectOf(TopologyItem item) const;
    /// Devices and switches of the network that touch `area`; if there are none, the links drawn inside it.
    ClusterSelection partIn(const QRectF& area) const;
    /// The server whose box holds the point, or -1; a box for many is none.
    int serverAt(QPointF point) const;
    ClusterSelection serverSelection(int server) const;
    /// What is chosen by a click on an item.
    ClusterSelection partOf(TopologyItem item) const;
    /// The server whose network cards a click there shows one by one, or folds.
    std::optional<std::string> serverToOpen(QPointF point) const;
    /// The device or switch that an item is.
    static std::optional<ClusterNode> nodeOf(TopologyItem item);
    /// On the line that shows the link.
    QPointF middleOfLink(int link) const;
    /// Where a link is drawn, or what it joins.
    QRectF boundsOfLink(int link) const;
    /// The links that an item of kind link, bundle, mesh or hub shows; of lines that lie upon each other all.
    std::vector<int> linksOf(TopologyItem item) const;
    /// Of a switch, of one in a server those inside it.
    LinkSummary linksOfSwitch(int index) const;
    /// The cluster with all places as drawn written down; where something is folded, with those of `moved`
    /// alone: the rest finds its places as before.
    Cluster pinned(const ClusterSelection& moved = {}) const;
    const std::vector<ClusterMistake>& mistakes() const { return mistakes_; }

private:
    TopologyItem smallItemAt(QPointF point, double tolerance) const;
    std::vector<int> switchesWith(int index) const;
    std::vector<int> linksAlong(int link) const;

    Cluster cluster_;
    std::set<std::string> openServers_;
    FoldChoice folding_;
    std::shared_ptr<const ClusterGraph> graph_;
    std::shared_ptr<const TopologyLayout> parts_;  ///< layoutOfParts()
    std::shared_ptr<const LikeParts> alike_;       ///< of these; null where nothing is folded
    TopologyLayout layout_;
    std::shared_ptr<const NodeNames> names_;
    TopologyLinks links_;
    std::shared_ptr<const PlanRun> run_;
    std::vector<std::vector<int>> stagesOf_;  ///< by device, with a run
    std::vector<ClusterMistake> mistakes_;
};

/// How many GPUs of a box for many servers hold a stage; -1: none, idle. One of several stages counts for
/// each.
struct StageShare {
    int stage = -1;
    int devices = 0;
};
/// By stage, the idle ones last.
std::vector<StageShare> stageShares(const TopologyScene& scene, int server);

/// What the pointer reads off an item, as rich text with all numbers.
QString describeItem(const TopologyScene& scene, TopologyItem item);
/// "GPU 0 — GPU 3, 2 × 20 GB/s".
QString linkTitle(const TopologyScene& scene, int link);
/// "stage 3: layers 0–6 × 4".
QString describeStage(const Plan& plan, int stage);

}  // namespace stagecraft::views::topology
