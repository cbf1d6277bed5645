#pragma once

#include "core/editing/cluster_arrange.h"
#include "views/topology/canvas_tool.h"
#include "views/topology/cluster_selection.h"
#include "views/topology/topology_scene.h"

#include <QObject>

namespace stagecraft::views::topology {

/// Links among several: each to the next and the last to the first, or each to each.
enum class LinkShape { ring, mesh };

/// What a person has chosen in a drawn cluster, and what can be done with it. Every edit is asked for by a
/// signal and changes nothing here; whoever keeps the cluster answers with a new scene.
class ClusterEditor : public QObject {
    Q_OBJECT

public:
    explicit ClusterEditor(QObject* parent = nullptr);

    /// Another cluster: nothing is chosen.
    void reset(std::shared_ptr<const TopologyScene> scene);
    /// The same cluster after an edit: what is still there stays chosen.
    void update(std::shared_ptr<const TopologyScene> scene);
    const TopologyScene& scene() const { return *scene_; }

    const ClusterSelection& selection() const { return selection_; }
    /// Indices that the cluster does not have are left out.
    void select(ClusterSelection selection);
    void selectAll();
    /// Everything in the servers that something is chosen of.
    void selectServers();
    /// All links among what is chosen; if there are none, all that hang on it.
    void selectLinks();
    /// Servers everything of which is chosen, by index into the layout.
    std::vector<int> chosenServers() const;
    /// The chosen device or switch if it is the only thing chosen.
    std::optional<ClusterNode> onlyNode() const;

    // Edits. Each is one step; positions of what is drawn are written down with it, so that nothing jumps.
    /// A part from the palette, with its middle there; in a server's box it becomes part of the server.
    void add(PalettePart part, QPointF middle);
    /// One of several devices or of several switches that are chosen stands for all of them: each gets a link
    /// to the other end.
    void connectNodes(ClusterNode a, ClusterNode b);
    /// Links among the devices and switches that are chosen.
    void linkChosen(LinkShape shape);
    /// The first, second, … of each server that is chosen to the first, second, … of the network switches
    /// that are (a rail each); without those the GPUs of a server to its switches. Where there are twice as
    /// many as switches, each gets two, and so on.
    void linkOneToOne();
    bool canLinkOneToOne() const;
    /// Moves what is chosen; over the box of a server in which nothing of it was (`into`, an index into the
    /// layout, or -1) it moves into that server; where it `leaves` its servers what was in each becomes one
    /// of its own. Either is said.
    void move(QPointF by, int into = -1, bool leaves = false);
    /// What is chosen becomes one server of its own; switches of the network stay between servers.
    void group();
    bool canGroup() const;
    /// Each thing in the servers that are chosen becomes a server of its own.
    void ungroup();
    bool canUngroup() const;
    /// Takes back what was measured of the links chosen.
    void useDerivedRates();
    bool canUseDerivedRates() const;
    /// A move that is one step with the nudges before it.
    void nudge(QPointF by);
    void remove();
    void duplicate(int times = 1);
    void align(Alignment alignment);
    void distribute(ArrangeAxis axis);
    /// By 90 degrees to the right around the middle; servers stay as they are and only change places, but for
    /// one that is chosen alone.
    void rotate();
    bool canRotate() const { return turnable().size() > 1; }
    /// Forgets all positions: the drawing finds them itself.
    void layOutAfresh();
    /// All of another cluster, with its middle there, under ids of its own.
    void insert(const Cluster& other, QPointF middle, const QString& text);

    // The clipboard holds a cluster file of what is chosen.
    void copy() const;
    void cut();
    /// With its middle at `middle`, else beside where it was copied.
    void paste(std::optional<QPointF> middle = {});

    bool canDuplicate() const { return !selection_.devices.empty() || !selection_.switches.empty(); }
    /// "s0g3", "server s0", "4 GPUs", "3 links", "12 items".
    QString selectionName() const { return nameOf(selection_); }
    /// Things that align and distribute move as a whole: whole servers, else single devices and switches.
    std::size_t unitCount() const { return units().size(); }

signals:
    void selectionChanged(const ClusterSelection& selection);
    void edited(const Cluster& after, const QString& text, const QString& mergeKey);
    /// Copies were added, which are chosen now.
    void copied();
    /// What an edit did besides what a person sees at once.
    void said(const QString& text);
    /// The clipboard holds text that is no cluster file.
    void otherTextPasted(const QString& text);

private:
    struct Unit {
        QRectF box;
        ClusterPart part;
    };
    void leave(Cluster after, const QString& name);
    bool refusesFolded();
    /// Servers that something is chosen of, by index into the layout.
    std::vector<int> homes() const;
    std::vector<Unit> units() const;
    std::vector<Unit> turnable() const;
    std::vector<ClusterNode> chosenNodes() const;
    std::vector<std::pair<std::vector<ClusterNode>, std::vector<ClusterNode>>> oneToOne() const;
    void linkPairs(const std::vector<std::pair<ClusterNode, ClusterNode>>& pairs);
    void moveUnits(const std::vector<Unit>& units, const std::vector<Point>& moves, const QString& text);
    void ask(const Cluster& after, const QString& text, const ClusterSelection& selection,
             const QString& mergeKey = {});
    QRectF boundsOf(const ClusterSelection& part) const;
    std::vector<Point> placesFor(int copies) const;
    QString nameOf(const ClusterSelection& part) const;

    std::shared_ptr<const TopologyScene> scene_;
    ClusterSelection selection_;
};

}  // namespace stagecraft::views::topology
