#pragma once

#include <optional>
#include <string>

namespace stagecraft::model {

/// How the ranks of a stage divide its layers among them; what they do not divide, the other ranks have
/// copies of. Tensor-parallel (Shoeybi et al., 2019) and context-parallel ranks (ring attention) work on one
/// copy of the stage together; groups that share out the experts are made of the same ranks, across copies. A
/// rank's place in its stage's list says which it is: tensor parallelism varies fastest, then context
/// parallelism, then the copies; the first `expert` ranks are the first group that shares out the experts,
/// and so on.
struct Group {
    int tensor = 1;
    int context = 1;
    int expert = 1;
    /// Tensor-parallel ranks divide the tokens where tensor parallelism divides nothing (Korthikanti et al.,
    /// MLSys 2023, Sec. 4.2.2).
    bool sequenceParallel = false;

    /// That work on one copy of the layers together.
    int ranksOfCopy() const { return tensor * context; }
    bool dividesLayers() const { return tensor > 1 || context > 1 || expert > 1; }
    /// By how much a rank's tensor is smaller than the whole one: of those that tensor parallelism divides,
    /// and of the others, what layers pass on among them.
    int insideDivision() const { return tensor * context; }
    int outsideDivision() const { return context * (sequenceParallel ? tensor : 1); }
    auto operator<=>(const Group&) const = default;
};
/// The most ranks that a degree may have; products of two stay whole numbers.
inline constexpr int mostRanks = 1 << 15;

/// "tensor parallel by 8 with sequence parallelism, context parallel by 2, experts on 16"; "" for one that
/// divides nothing.
std::string groupText(const Group& group);
/// What is wrong with the degrees by themselves, or with so many ranks (0: as many as it takes); a clause, or
/// nothing.
std::optional<std::string> whyNoGroup(const Group& group, int ranks);

}  // namespace stagecraft::model
