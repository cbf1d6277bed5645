#pragma once

#include <vector>

namespace stagecraft::cost {

/// The widest paths between all pairs of nodes, in memory for the nodes alone: those of the maximum spanning
/// tree (Hu, The maximum capacity route problem, 1961), whose joins are kept by falling width as the inner
/// nodes of a tree.
class JoinTree {
public:
    struct Edge {
        int a = 0, b = 0;
        double bandwidthBps = 0;
    };
    JoinTree() = default;
    /// @param edges between nodes 0 to nodes - 1; all have a bandwidth above 0
    JoinTree(int nodes, std::vector<Edge> edges);

    /// Bytes per second; infinity from a node to itself, 0 where there is no path.
    double between(int a, int b) const;
    /// The same number for all nodes that paths of at least this bandwidth join, and for no others.
    int partOf(int node, double leastBps) const;
    /// Of all nodes that any path joins.
    int partOf(int node) const { return partOf(node, 0); }

private:
    void join(int a, int b, double bandwidthBps);

    int nodes_ = 0;
    std::vector<int> above_;        // by node, and then by join; -1: there is none
    std::vector<double> widthBps_;  // of a join; of a node infinity
};

}  // namespace stagecraft::cost
