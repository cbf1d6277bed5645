#pragma once

#include "core/model/plan.h"
#include "core/model/timeline.h"
#include "views/rooms.h"

#include <QColor>
#include <QString>

#include <array>
#include <iterator>
#include <span>
#include <vector>

namespace stagecraft::weights {
class WeightTrace;
}  // namespace stagecraft::weights

namespace stagecraft::views::common {

/// By what the blocks of a schedule are coloured.
enum class BlockColouring : std::uint8_t {
    kind,
    miniBatch,
    weightVersion,
    staleness,
    microbatch,
    chunk,  ///< which of its device's stages: 0 is the first
    copy,   ///< of the network (Stage::pipeline)
    stage,  ///< of a transfer the one that sends
};
struct ColouringDescription {
    const char* name;  ///< for people, "weight version"
    const char* step;  ///< before the number of a class, "version"
    const char* tip;
    bool needsOverlap;  ///< says something only where mini-batches overlap
};
/// In the order of BlockColouring.
inline constexpr ColouringDescription blockColourings[] = {
    {"kind", "", "Forward, backward, transfer, …", false},
    {"mini-batch", "mini-batch", "A hue for each mini-batch, light forward and dark backward", true},
    {"weight version", "version", "By how many updates the weights of a pass have had", true},
    {"staleness", "staleness", "By how many updates come between the weights of a pass and its own", true},
    {"microbatch", "microbatch", "A hue for each microbatch, light forward and dark backward", false},
    {"chunk", "chunk", "A hue for each stage of a device, where it has several", false},
    {"copy", "copy", "A hue for each copy of the network, as in Chimera's two directions", false},
    {"stage", "stage", "A hue for each stage, light forward and dark backward", false},
};
inline constexpr int blockColouringCount = static_cast<int>(std::size(blockColourings));
constexpr const ColouringDescription& describe(BlockColouring by) {
    return blockColourings[static_cast<std::size_t>(by)];
}

/// The most classes into which a colouring sorts blocks.
inline constexpr int mostBlockClasses = 200;

/// The colours of a pair, one above the other.
struct PairColours {
    QColor forward, backward;
};

/// One step of a colouring, as a legend shows it: a number with its colours.
struct ColourStep {
    QString label;    ///< "3", "4–7", "< 0"; "0, 12, …" where hues come again
    QColor forward;   ///< of forward passes
    QColor backward;  ///< of backward passes; the same under staleness
    int forwardClass = 0;
    int backwardClass = 0;
};

/// Sorts the blocks of a timeline into classes of one colour. Under `kind` the classes are the kinds.
class BlockClasses {
public:
    BlockClasses();  ///< by kind
    /// @param stages of the timeline's plan
    /// @param weights of this timeline; null sorts all blocks into one class where weights would distinguish
    /// them
    /// @param steps how many numbers have a class of their own before the classes begin again: at most 12 of
    /// a timeline with pairs, else 48; 0: twelve, which have hues of their own
    BlockClasses(BlockColouring by, const Timeline& timeline, const std::vector<Stage>& stages,
                 const WeightTrace* weights, int steps = 0);

    BlockColouring colouring() const { return by_; }
    /// The class of each block; `timeline` is the one that was given to the constructor.
    std::span<const std::uint8_t> column(const Timeline& timeline) const;
    QColor colour(int blockClass) const;       ///< on paper; of a pair under other than `kind`: its forward's
    QColor shownColour(int blockClass) const;  ///< in the charts of the window
    BlockKind kindOf(int blockClass) const;    ///< whose texture or hatch the class has
    /// Of a class whose kind is `pair`.
    PairColours shownPairColours(int blockClass) const;
    /// The classes that the forward and the backward of a pair would have alone; for other classes themselves
    /// twice.
    std::pair<int, int> passClasses(int blockClass) const;
    QString name(int blockClass) const;  ///< "forward", "mini-batch 2 backward"
    /// Which of steps() a class belongs to; -1: none.
    int stepOf(int blockClass) const;
    /// What occurs, ascending; empty under `kind`. After as many steps as were asked for the hues begin
    /// again; steps after the twelfth have the hues of the first ones.
    const std::vector<ColourStep>& steps() const { return steps_; }
    /// The same of some blocks alone, as a legend for a part of the timeline has it: only numbers that are
    /// among them. @param timeline,weights those of the constructor
    std::vector<ColourStep> stepsOf(const Timeline& timeline, const WeightTrace* weights,
                                    const std::vector<std::uint32_t>& blocks) const;
    QString title() const;  ///< "mini-batch", "staleness (updates)"

private:
    /// What the block is coloured by, a number from 0; or below if it has none; under staleness its version.
    int numberOf(const Timeline& timeline, const WeightTrace* weights, std::uint32_t block) const;
    /// The same of the backward of a pair; weights are those of its forward.
    int numberOf(const Timeline& timeline, const WeightTrace* weights, const PairedBackward& backward) const;
    int numberOfStage(int stage) const;
    int stepOf(int number, const WeightTrace* weights, std::uint32_t block) const;
    int classOf(const Timeline& timeline, const WeightTrace* weights, std::uint32_t block);
    void nameSteps(const std::array<bool, mostBlockClasses>& present);
    int otherClass() const;
    int updateClass() const { return otherClass() + 1; }
    /// By the step of the forward, then of the backward.
    int firstPairClass() const { return otherClass() + 2; }

    BlockColouring by_ = BlockColouring::kind;
    std::vector<std::uint8_t> classes_;  ///< by block; empty under kind
    std::vector<ColourStep> steps_;
    int cycle_;                       ///< numbers with classes of their own
    int perStep_ = 1;                 ///< updates of staleness that share a colour
    int largest_ = 0;                 ///< number or staleness that occurs
    std::vector<int> numberOfStage_;  ///< under chunk and copy
};

}  // namespace stagecraft::views::common
