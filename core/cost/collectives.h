#pragma once

namespace stagecraft::cost {

/// How ranks work a collective out together.
enum class CollectiveAlgorithm {
    ring,
    rings,       ///< several, each over another network card of the ranks' servers
    laidRings,   ///< along the links that join the ranks to each other
    tree,        ///< two binary trees, each for half of the bytes
    inSwitch,    ///< the switch that all hang on sums up, and hands one sum on to each
    eachToEach,  ///< every rank sends to every other at once
};
/// "in a ring", …
const char* algorithmText(CollectiveAlgorithm algorithm);
/// "ring", …: as short as it can be said.
const char* algorithmWord(CollectiveAlgorithm algorithm);

/// The ranks, what the slowest of them reaches, and what joins them.
struct CollectiveRanks {
    int count = 1;
    double bandwidthBps = 0, latencyS = 0;
    bool switchSums = false;    ///< they all hang on one switch that sums up
    bool severalRings = false;  ///< the bandwidth is that of several rings (ServerExits), and of trees beside
    /// That of rings alone, where they are laid along links between the ranks (LinkRings); 0: they are not.
    double laidBps = 0;
};

/// So many collectives of a kind, one after the other.
struct Collectives {
    double count = 0;
    /// That each rank sends in a ring: (n - 1) / n of the whole tensors where they are gathered or scattered,
    /// twice that where they are summed up for all.
    double ringBytes = 0;
    bool areSums = false;  ///< AllReduces
};

struct CollectiveCost {
    double bytes = 0;   ///< that each rank sends
    double startS = 0;  ///< besides them
    double bandwidthBps = 0;
    CollectiveAlgorithm algorithm = CollectiveAlgorithm::ring;
    double seconds() const { return startS + (bytes > 0 ? bytes / bandwidthBps : 0); }
};

/// By the algorithm that takes least, of S bytes on n ranks of bandwidth B, with latency l a step:
/// - a ring, or those laid along links: n - 1 steps to gather or scatter, 2 (n - 1) and 2 (n - 1) / n S / B
/// for a sum (Patarasuk and
///   Yuan, Bandwidth optimal all-reduce algorithms, JPDC 2009);
/// - two trees, for sums: 2 ceil(log2 n) steps, 2 S / B (Sanders, Speck and Traeff, Two-tree algorithms for
///   full bandwidth broadcast, reduction and scan, Parallel Computing 2009);
/// - the switch where it sums up: one step, S / B for a sum, for the others what a ring has (Klenk et al., An
///   in-network architecture for accelerating shared-memory multiprocessor collectives, ISCA 2020).
/// Rings and trees are several, each with a part of S, where the ranks have more than one network card in
/// each server. Equals go to the ring. @param startS of each collective besides
CollectiveCost fastestCollectives(const Collectives& collectives, const CollectiveRanks& ranks,
                                  double startS);

/// Rank by rank round the ring, or each to each other at once, in so many steps.
CollectiveCost sentInSteps(const Collectives& collectives, const CollectiveRanks& ranks, double startS,
                           int steps, CollectiveAlgorithm algorithm);

}  // namespace stagecraft::cost
