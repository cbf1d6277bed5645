#pragma once

#include "views/topology/topology_layout.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>

namespace stagecraft::views::topology {

/// Servers that are alike, or network switches that are; one that is like no other is a class of its own.
struct LikeClass {
    std::vector<int> servers;   ///< indices into TopologyLayout::servers, ascending
    std::vector<int> switches;  ///< indices into Cluster::switches, ascending
};

/// The same number for the same number and parts in any order, of which very many are asked for and few
/// differ; counted in the order in which they come first. A part is a few numbers.
template <std::size_t size>
class PartNumbers {
public:
    using Part = std::array<int, size>;

    void begin(int own) {
        parts_.clear();
        own_ = own;
    }
    void add(const Part& part) { parts_.push_back(part); }
    int number();
    std::size_t count() const { return keys_.size(); }

private:
    int own_ = 0;
    std::vector<Part> parts_;
    std::vector<std::pair<int, std::vector<Part>>> keys_;  ///< by number
    std::unordered_map<std::size_t, std::vector<int>> byHash_;
};

/// Servers and network switches of a cluster by what they are alike in: colour refinement, first of what is
/// in each server, then of servers and network switches.
/// Servers are alike if they have the same devices and switches inside with the same links among these, and
/// the same links to the same kinds of switches (or servers) outside; network switches if they are as far
/// from the servers and have the same links to the same kinds of neighbours.
class LikeParts {
public:
    /// @param layout says what is in which server and what role switches have; it and `graph` have to stay
    LikeParts(const Cluster& cluster, const ClusterGraph& graph, const TopologyLayout& layout);
    /// After an edit of numbers and kinds alone: only the servers and switches that it touched are looked
    /// at. Null where it touched so much that they are better all looked at.
    std::shared_ptr<const LikeParts> after(const Cluster& before, const Cluster& now) const;

    /// In the order of their first members. How far off kinds of neighbours are told apart is the finest that
    /// leaves no more than `mostBoxes` boxes where a class of more than `mostAlike` members is one box; the
    /// coarsest tells neighbours apart by nothing but the links to them.
    std::vector<LikeClass> classes(std::size_t mostAlike, std::size_t mostBoxes) const;

private:
    static constexpr std::size_t insideRounds = 3;  // a GPU knows its PCIe switch, its socket, both's cards
    using Bits = std::uint64_t;
    /// A link that leaves a unit.
    struct End {
        int node = 0;  ///< the own one
        int edge = 0;
        int other = 0;  ///< the unit at the other end
    };

    std::size_t nodeOf(ClusterNode node) const;
    int unitOf(ClusterNode node) const;
    template <class Do>
    void forEachNode(int unit, Do act) const;
    int numberOf(const Device& device);
    int numberOf(const Link& link);
    void findEnds();
    void refineInside(int server, std::size_t round);
    void numberUnit(int unit);
    std::size_t keys() const;
    /// Told apart by one step more. @return how many kinds there are
    std::size_t refine(std::vector<int>& units) const;
    std::vector<LikeClass> classesOf(const std::vector<int>& units, std::size_t count) const;

    const ClusterGraph& graph_;
    const TopologyLayout& layout_;
    std::size_t servers_;
    std::vector<int> all_;                          ///< units: servers, then their number + a switch
    std::vector<int> levels_;                       ///< of network switches, by unit
    std::shared_ptr<const std::vector<End>> ends_;  ///< of all units, one after the other
    std::vector<std::size_t> firstEnd_;             ///< by unit, and their number
    std::map<std::tuple<std::string, Bits, Bits>, int> linkKeys_;
    std::map<std::tuple<std::string, Bits, Bits, Bits>, int> deviceKeys_;
    std::array<PartNumbers<2>, insideRounds> insideKeys_;
    PartNumbers<2> unitKeys_;
    std::vector<int> links_;                                 ///< numbers, by index into ClusterGraph::edges
    std::array<std::vector<int>, insideRounds + 1> inside_;  ///< by devices, then switches
    std::vector<int> units_;                                 ///< by unit
};

/// LikeParts::classes of a cluster.
std::vector<LikeClass> likeClasses(const Cluster& cluster, const ClusterGraph& graph,
                                   const TopologyLayout& layout, std::size_t mostAlike,
                                   std::size_t mostBoxes);

}  // namespace stagecraft::views::topology
