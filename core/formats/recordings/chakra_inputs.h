#pragma once

#include <cstdint>
#include <vector>

namespace stagecraft::formats {

/// What nodes of a Chakra trace depend on, as far as it says what ran after what.
class ChakraInputs {
public:
    /// The next node. @param inputs ids that it names; of one on the CPU without its callers, which last
    /// longer
    void add(std::uint64_t id, std::uint64_t startUs, std::uint64_t endUs, bool onCpu,
             const std::vector<std::uint64_t>& inputs);

    /// For each node by the order of add(): those on the GPU that ended before it began and that it names, or
    /// that operators of the CPU name which it depends on; of what one of these leads to the one that ended
    /// last. Empty for nodes of the CPU.
    std::vector<std::vector<std::uint32_t>> find();
    /// Named, and ended after the node had begun: no node waited for those. Known after find().
    std::uint64_t later() const { return later_; }

private:
    struct Node {
        std::uint64_t id = 0, startUs = 0, endUs = 0;
        std::size_t firstInput = 0, endInput = 0;  ///< in inputs_
        std::uint32_t last = noNode;               ///< of one on the CPU: what it leads to
        bool onCpu = false, sought = false;
    };
    static constexpr std::uint32_t noNode = 0xFFFFFFFFU;

    void seek(std::uint32_t start);
    std::uint32_t lastOf(const Node& node) const;

    std::vector<Node> nodes_;
    std::vector<std::uint64_t> inputs_;      // ids
    std::vector<std::uint32_t> inputNodes_;  // nodes of them, or noNode
    std::uint64_t later_ = 0;
};

}  // namespace stagecraft::formats
