#pragma once

#include "core/generation/generated_profile.h"
#include "core/model/problem.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft::formats {

/// What became of a thing that a configuration says.
struct ConfigurationItem {
    enum class Kind {
        understood,
        notModelled,     ///< it changes time or memory, and here it does not
        withoutMeaning,  ///< for planning: learning rates, files, logs
        unknown,
    };
    Kind kind = Kind::understood;
    std::string argument;  ///< as it is written: "--micro-batch-size 1"
    std::string place;     ///< "line 12", a JSON pointer, byDefault; empty: not known
    std::string text;      ///< what it was taken for, or why it was not
    bool ofModel = false;  ///< of the model's sizes, which one that is named beside has itself
    bool operator==(const ConfigurationItem&) const = default;
};
using ItemKind = ConfigurationItem::Kind;
inline constexpr EnumName<ItemKind> configurationItemKindNames[] = {
    {ItemKind::understood, "understood"},
    {ItemKind::notModelled, "not_modelled"},
    {ItemKind::withoutMeaning, "without_meaning"},
    {ItemKind::unknown, "unknown"}};

/// The place of what is not said.
inline constexpr const char* byDefault = "by default";
/// Why the model's sizes do not count.
inline constexpr const char* modelBesideDecides = "the model that is named beside decides it";

/// What a stage holds of a transformer.
struct StageContent {
    bool embedding = false;
    int blocks = 0;
    int predictions = 0;  ///< layers of multi-token prediction
    bool head = false;    ///< with the loss

    bool isEmpty() const { return !embedding && blocks == 0 && predictions == 0 && !head; }
    bool operator==(const StageContent&) const = default;
};

/// What each stage holds, in the order of the layers: `chunks` on each of `ranks` ranks, round the ring.
/// @throws InputError where the blocks cannot be dealt out so
using StageRule = std::function<std::vector<StageContent>(int blocks, int predictions)>;
/// The same by the parameters of the layers, in bytes, among which embedding and head are: 0 where the
/// profile lacks them. @param parameters blocks + predictions + 2 numbers, 0 or more
using WeighingRule = std::function<std::vector<StageContent>(int blocks, int predictions,
                                                             const std::vector<double>& parameters)>;

/// Which blocks a stage recomputes.
struct BlockMemory {
    LayerMemory memory = LayerMemory::keep;
    int firstBlocks = 0;  ///< so many of each stage; 0: all
    int every = 1;        ///< each so-many-th block of a rank, counted on through its stages
};

/// A training run as a person has configured it, whichever program it is for.
struct Configuration {
    std::string format;                   ///< "Megatron-LM arguments"
    std::string modelName;                ///< of the zoo; empty: `model`, or none is described
    std::string unknownModel;             ///< as it calls a model that the zoo lacks
    std::optional<DescribedModel> model;  ///< of which some names may be "described by arguments"
    ParameterValues run;                  ///< of describedParameters(): sequence_length, attention, …
    std::string precision;                ///< of passes, as Precision is named; empty: not said
    Group group;                          ///< of every stage
    int ranks = 1;                        ///< of a pipeline
    FamilySchedule schedule;              ///< "1f1b…" is "interleaved…" where ranks have several stages
    StageRule stages;
    WeighingRule weighedStages;  ///< where it is set, in the place of `stages`
    BlockMemory memory;
    bool copiesOutermost = false;  ///< ranks of one copy of the whole pipeline follow one another
    int samples = 1;               ///< of a microbatch, on one copy; 0: as the batch has it
    int stepSamples = 0;  ///< of a step on one copy, of which an iteration has whole ones; 0: any number
    std::optional<int> copies;  ///< of each stage; nothing: as many as GPUs make
    std::optional<int> batch;   ///< samples of an iteration
    std::optional<int>
        microbatches;        ///< of an iteration, on one copy; of this and `batch` one at most, or both agree
    std::string batchPlace;  ///< where the batch is said, for complaints
    std::optional<int> gpus;  ///< that its launcher starts it on
    /// What a comment of its own names: "# Machines: 1024x dgx-h100 (…)", without the brackets; empty: none.
    std::string machines;
    /// Precision, gradients, ZeRO and optimizer; all else by default.
    TrainingSetup setup;
    std::vector<ConfigurationItem> items;
};

}  // namespace stagecraft::formats
