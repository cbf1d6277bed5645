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

constexpr double mostMicrobatches = 1e6, mostLimitBytes = 1e6 * gib;

std::vector<SetupField> madeFields() {
    SetupField microbatches{
        {"microbatches", "Microbatches", "M: microbatches of an iteration", 0, 1, mostMicrobatches},
        {},
        "microbatches",
        "M",
        "microbatches in an iteration"};
    microbatches.isRequired = true;
    SetupField limit{{"memory_limit_bytes", "Memory limit",
                      "Overrides the memory of every GPU; 0: as the cluster has it", 0.0, 1, mostLimitBytes},
                     {},
                     "memory limit",
                     "N",
                     "memory of each device, instead of what the cluster says"};
    limit.value.quantity = Quantity::bytes;
    limit.value.zeroMeans = "the GPUs' own";
    return {
        plainField(std::move(microbatches), &TrainingSetup::microbatches),
        choiceField(
            {{"mode", "Mode", "Synchronous: an update at the end of each iteration, before the next begins"},
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
            &TrainingSetup::optimizer, optimizerNames),
        choiceField({{"channel", "Channels",
                      "How transfers share the links between two stages. Full duplex: one in each direction; "
                      "half duplex: one at a time, in the order of the schedule or first come first served"},
                     {"full duplex", "half duplex", "half duplex, FIFO"},
                     "channel",
                     "MODE",
                     {}},
                    &TrainingSetup::channel, channelModeNames),
        optionalField(std::move(limit), &TrainingSetup::memoryLimitBytes),
        plainField({{"allreduce_overlaps", "AllReduce overlaps",
                     "A stage's AllReduce starts after its own last backward, not after those of all stages"},
                    {},
                    "AllReduce overlap",
                    "true|false",
                    "whether an AllReduce runs beside other stages' work"},
                   &TrainingSetup::allreduceOverlaps)};
}

}  // namespace

std::string SetupField::axisName() const {
    std::string name = value.name.substr(0, value.name.rfind("_bytes"));
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
