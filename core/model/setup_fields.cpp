#include "core/model/setup_fields.h"

#include "core/base/indices.h"
#include "core/base/units.h"
#include "core/model/model_names.h"

#include <algorithm>

namespace stagecraft::model {

namespace {

/// Reads and writes one member of the setup; choices go by their names.
template <class Enum, std::size_t count>
SetupField choiceField(SetupField field, Enum TrainingSetup::*member, const EnumName<Enum> (&names)[count]) {
    field.value.choices = allNames(names);
    field.value.defaultValue = std::string(nameOf(names, TrainingSetup{}.*member));
    field.get = [member, &names](const TrainingSetup& setup) {
        return ParameterValue(std::string(nameOf(names, setup.*member)));
    };
    field.set = [member, &names](TrainingSetup& setup, const ParameterValue& value) {
        setup.*member = *findByName(names, std::get<std::string>(value));
    };
    return field;
}

template <class Value>
SetupField plainField(SetupField field, Value TrainingSetup::*member) {
    field.value.defaultValue = TrainingSetup{}.*member;
    field.get = [member](const TrainingSetup& setup) { return ParameterValue(setup.*member); };
    field.set = [member](TrainingSetup& setup, const ParameterValue& value) {
        setup.*member = std::get<Value>(value);
    };
    return field;
}

/// 0 is "not set".
SetupField optionalField(SetupField field, std::optional<double> TrainingSetup::*member) {
    field.value.defaultValue = 0.0;
    field.get = [member](const TrainingSetup& setup) { return ParameterValue((setup.*member).value_or(0)); };
    field.set = [member](TrainingSetup& setup, const ParameterValue& value) {
        const double number = std::get<double>(value);
        setup.*member = number > 0 ? std::optional<double>(number) : std::nullopt;
    };
    return field;
}

SetupField later(SetupField field) {
    field.isLater = true;
    return field;
}

SetupField special(SetupField field) {
    field.isSpecial = true;
    return field;
}

SetupField onlyIf(SetupField field, std::function<bool(const TrainingSetup&)> applies) {
    field.applies = std::move(applies);
    return field;
}

constexpr double mostMicrobatches = 1e6, mostLimitBytes = 1e6 * gib, mostOverheadS = 1,
                 mostUpdateBytesPerS = 1e18;

/// An overhead in seconds.
SetupField timeField(Parameter value, const char* phrase, const char* optionHelp) {
    value.defaultValue = 0.0;
    value.maximum = mostOverheadS;
    value.quantity = Quantity::seconds;
    return {std::move(value), {}, phrase, "SECONDS", optionHelp};
}

std::vector<SetupField> courseFields() {
    SetupField microbatches{
        {"microbatches", "Microbatches", "M: microbatches of an iteration", 0, 1, mostMicrobatches},
        {},
        "microbatches",
        "M",
        "microbatches in an iteration"};
    microbatches.isRequired = true;
    return {plainField(std::move(microbatches), &TrainingSetup::microbatches),
            choiceField({{"mode", "Mode",
                          "Synchronous: an update at the end of each iteration, before the next begins"},
                         {"synchronous", "asynchronous"},
                         "mode",
                         "MODE",
                         {}},
                        &TrainingSetup::mode, trainingModeNames),
            choiceField(
                {{"optimizer", "Optimizer", "Its state takes 0, 1 or 2 times the bytes of the parameters"},
                 {"SGD", "momentum", "Adam"},
                 "optimizer",
                 "NAME",
                 {}},
                &TrainingSetup::optimizer, optimizerNames)};
}

/// Of weights and what belongs to them, and of what layers keep.
std::vector<SetupField> stateFields() {
    return {
        later(choiceField({{"state_precision", "Precision",
                            "Uniform: weights, gradients and moments in the profile's elements. Mixed: "
                            "weights of 2 bytes, master weights and moments of 4. FP8: a copy of the "
                            "weights in 1 byte besides"},
                           {"uniform", "mixed, 16 bit", "mixed, FP8"},
                           "precision",
                           "NAME",
                           {}},
                          &TrainingSetup::precision, statePrecisionNames)),
        later(onlyIf(choiceField({{"gradient_precision", "Gradients",
                                   "What gradients are summed in where the precision is mixed; Megatron-LM: "
                                   "32 bit"},
                                  {"16 bit", "32 bit"},
                                  "gradients' precision",
                                  "BITS",
                                  {}},
                                 &TrainingSetup::gradients, gradientPrecisionNames),
                     [](const TrainingSetup& setup) { return setup.precision != StatePrecision::uniform; })),
        later(choiceField({{"zero", "ZeRO",
                            "What the copies of a layer share out: 1 master weights and moments (Megatron's "
                            "distributed optimizer), 2 gradients too, 3 weights too (FSDP)"},
                           {"off", "1: optimizer", "2: and gradients", "3: and weights"},
                           "ZeRO stage",
                           "STAGE",
                           {}},
                          &TrainingSetup::zero, zeroStageNames)),
        later(choiceField({{"recomputation", "Recompute",
                            "What new plans recompute: the scores of attention (selective) or all of a layer "
                            "but its input (full). Planners that plan for memory decide it themselves"},
                           {"nothing", "selective", "full"},
                           "recomputation",
                           "NAME",
                           {}},
                          &TrainingSetup::recomputation, recomputationNames))};
}

std::vector<SetupField> machineFields() {
    SetupField limit{{"memory_limit_bytes", "Memory limit",
                      "Overrides the memory of every GPU; 0: as the cluster has it", 0.0, 1, mostLimitBytes},
                     {},
                     "memory limit",
                     "N",
                     "memory of each device, instead of what the cluster says"};
    limit.value.quantity = Quantity::bytes;
    limit.value.zeroMeans = "the GPUs' own";
    return {
        choiceField({{"channel", "Channels",
                      "How transfers share the links between two stages. Full duplex: one in each direction; "
                      "half duplex: one at a time, in the order of the schedule or first come first served"},
                     {"full duplex", "half duplex", "half duplex, FIFO"},
                     "channel",
                     "MODE",
                     {}},
                    &TrainingSetup::channel, channelModeNames),
        later(
            special(choiceField({{"network", "Links",
                                  "Unshared (independent), as in the papers: a transfer takes as long as if "
                                  "it were alone. Shared: "
                                  "what crosses a link at one time shares it fairly; planners go on counting "
                                  "transfers as alone"},
                                 {"unshared", "shared"},
                                 "sharing of links",
                                 "MODEL",
                                 {}},
                                &TrainingSetup::network, linkSharingNames))),
        optionalField(std::move(limit), &TrainingSetup::memoryLimitBytes),
        plainField({{"allreduce_overlaps", "AllReduce overlaps",
                     "A stage's AllReduce starts after its own last backward, not after those of all stages"},
                    {},
                    "AllReduce overlap",
                    "true|false",
                    "whether an AllReduce runs beside other stages' work"},
                   &TrainingSetup::allreduceOverlaps)};
}

/// Of the group that planners give each stage.
std::vector<SetupField> groupFields() {
    const auto degree = [](const char* name, const char* label, const char* description, const char* phrase,
                           int TrainingSetup::*member) {
        return later(special(plainField(
            {{name, label, description, 1, 1, double(mostRanks)}, {}, phrase, "N", description}, member)));
    };
    return {
        degree("tensor", "Tensor-parallel GPUs",
               "How many neighbouring GPUs divide each layer of new plans, as Megatron-LM does; they work as "
               "one",
               "tensor parallelism", &TrainingSetup::tensor),
        later(special(onlyIf(
            plainField({{"sequence_parallel", "Sequence parallel",
                         "Tensor-parallel GPUs divide the tokens where they do not divide the layer: norms, "
                         "dropouts, and what stages pass on"},
                        {},
                        "sequence parallelism",
                        "true|false",
                        "whether tensor-parallel GPUs divide the tokens of what they do not divide"},
                       &TrainingSetup::sequenceParallel),
            [](const TrainingSetup& setup) { return setup.tensor > 1; }))),
        degree("context", "Context-parallel GPUs",
               "How many divide the tokens of each sample in new plans; keys and values go round them",
               "context parallelism", &TrainingSetup::context),
        degree("expert", "Expert-parallel GPUs",
               "Over how many the experts of a layer are shared out in new plans, copies of the stage among "
               "them",
               "expert parallelism", &TrainingSetup::expert),
        later(special(plainField({{"expert_imbalance", "Imbalance of experts",
                                   "How many times as many tokens as the mean the busiest of the GPUs that "
                                   "share out experts has; 1: an even load",
                                   1.0, 1, double(mostRanks)},
                                  {},
                                  "imbalance of experts",
                                  "FACTOR",
                                  "how many times as many tokens as the mean the busiest expert-parallel "
                                  "GPU has"},
                                 &TrainingSetup::expertImbalance)))};
}

SetupField zeroOverlapField() {
    return later(special(onlyIf(
        plainField({{"zero_overlap", "Overlap of ZeRO",
                     "Of the weights that ZeRO-3 gathers for each pass, and the gradients that ZeRO-2 and "
                     "3 scatter after each backward: the share that is sent while the pass computes, as "
                     "far as that takes as long. FSDP: all but the first layer's, or the last one's",
                     0.0, 0, 1},
                    {},
                    "overlap of ZeRO",
                    "SHARE",
                    "the share of what ZeRO-2 and 3 send for each microbatch that its passes compute "
                    "beside"},
                   &TrainingSetup::zeroOverlap),
        [](const TrainingSetup& setup) { return setup.zero >= ZeroStage::gradients; })));
}

SetupField updateField() {
    SetupField field{{"update_bytes_per_s", "Update rate",
                      "How fast each GPU reads and writes weights, gradients and states in the update at "
                      "the end of an iteration, about what its memory reaches; 0: the update takes no time",
                      0.0, 0, mostUpdateBytesPerS},
                     {},
                     "rate of the optimizer's step",
                     "BYTES",
                     "bytes a second that each device reads and writes in the update; 0: it takes no time"};
    return later(special(plainField(std::move(field), &TrainingSetup::updateBytesPerS)));
}

SetupField gradientPassesField() {
    return later(special(onlyIf(
        choiceField({{"gradient_passes", "Gradient passes",
                      "What is done with gradients when backwards are done, at the update's rate. Norm: "
                      "they are clipped by their norm over all GPUs, and no update begins before the last "
                      "gradient is there. Megatron: they are set to zero, checked and scaled as well"},
                     {"nothing", "norm", "Megatron"},
                     "gradient passes",
                     "NAME",
                     {}},
                    &TrainingSetup::gradientPasses, gradientPassesNames),
        [](const TrainingSetup& setup) { return setup.updateBytesPerS > 0; })));
}

std::vector<SetupField> overheadFields() {
    SetupField reserved{{"reserved_bytes", "Reserved memory",
                         "On each GPU that works, besides what is counted: NCCL's buffers, fragments, the "
                         "CUDA context",
                         0.0, 0, mostLimitBytes},
                        {},
                        "reserved memory",
                        "N",
                        "memory of each device that works, besides what is counted"};
    reserved.value.quantity = Quantity::bytes;
    return {
        later(plainField({{"whole_samples", "Whole samples",
                           "Replicas that split a microbatch get whole samples; off, as the papers have it: "
                           "equal shares, though half a sample cannot be computed"},
                          {},
                          "whole samples",
                          "true|false",
                          "whether replicas that split a microbatch get whole samples"},
                         &TrainingSetup::wholeSamples)),
        later(special(plainField(
            timeField({"pass_overhead_s", "Overhead of a pass",
                       "What each pass takes besides its layers: launches and waits, calibrated on a run"},
                      "pass overhead", "what each pass takes besides its layers"),
            &TrainingSetup::passOverheadS))),
        later(special(
            plainField({{"inside_overlap", "Overlap within stages",
                         "Of what GPUs of a stage send to each other in a pass: the share that goes on "
                         "while the pass computes, as far as that takes as long",
                         0.0, 0, 1},
                        {},
                        "overlap within stages",
                        "SHARE",
                        "the share of what is sent within a stage that a pass computes beside"},
                       &TrainingSetup::insideOverlap))),
        zeroOverlapField(),
        later(special(plainField(
            timeField(
                {"collective_start_s", "Start of a collective",
                 "What each collective within a stage, or of its copies, takes besides its bytes and the "
                 "links' latency"},
                "start of a collective", "what each collective of a stage's GPUs takes besides its bytes"),
            &TrainingSetup::collectiveStartS))),
        updateField(),
        gradientPassesField(),
        later(special(plainField(
            timeField({"transfer_overhead_s", "Overhead of a transfer",
                       "What each transfer between stages takes besides its bytes and the links' latency"},
                      "transfer overhead", "what each transfer takes besides its bytes"),
            &TrainingSetup::transferOverheadS))),
        later(special(plainField(std::move(reserved), &TrainingSetup::reservedBytes)))};
}

/// What training costs is read off a plan, and no plan depends on it.
std::vector<SetupField> priceFields() {
    const auto field = [](const char* name, const char* label, const char* description, double most,
                          const char* phrase, const char* optionHelp, double TrainingSetup::*member) {
        SetupField made{{name, label, description, 0.0, 0, most}, {}, phrase, "N", optionHelp};
        made.isHashed = false;
        return later(special(plainField(std::move(made), member)));
    };
    constexpr double mostDollars = 1e6, mostWatts = 1e6;
    return {field("gpu_price_per_hour", "Dollars per GPU hour",
                  "What a GPU without a price of its own costs for an hour, for what training costs; 0: not "
                  "known",
                  mostDollars, "price of a GPU hour",
                  "dollars for an hour of a GPU that has no price of its own, for what training costs",
                  &TrainingSetup::gpuPricePerHour),
            field("gpu_power_w", "Watts per GPU",
                  "What a GPU draws while it trains, with its share of the server; 0: not known", mostWatts,
                  "power of a GPU", "watts that a GPU draws while it trains, with its share of the server",
                  &TrainingSetup::gpuPowerW)};
}

std::vector<SetupField> madeFields() {
    std::vector<SetupField> all;
    for (std::vector<SetupField> part :
         {courseFields(), stateFields(), machineFields(), groupFields(), overheadFields(), priceFields()})
        all.insert(all.end(), part.begin(), part.end());
    return all;
}

}  // namespace

std::string SetupField::axisName() const {
    std::string name = value.name.substr(0, value.name.rfind("_bytes"));
    if (name.ends_with("_s")) name.resize(name.size() - 2);
    std::replace(name.begin(), name.end(), '_', ' ');
    return name;
}

const std::vector<SetupField>& setupFields() {
    static const std::vector<SetupField> fields = madeFields();
    return fields;
}

const SetupField* changedField(const TrainingSetup& before, const TrainingSetup& after) {
    for (const SetupField& field : setupFields())
        if (field.get(before) != field.get(after)) return &field;
    return nullptr;
}

}  // namespace stagecraft::model
