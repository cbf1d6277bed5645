#pragma once

#include "core/base/parameters.h"
#include "core/model/problem.h"

#include <functional>
#include <string>
#include <vector>

namespace stagecraft::model {

/// A field of the training setup, described once: files, options of the command line, the panel, undo steps,
/// the hash of a problem, and what experiments may vary are made of it. A new field is a member of
/// TrainingSetup, a line of setupFields(), and the place where it acts.
struct SetupField {
    /// `name` as files have it, on the command line with hyphens; `label` and `description`, a sentence, in
    /// the window; default, range and choices. A quantity with `zeroMeans` is not set where it is 0.
    base::Parameter value;
    std::vector<std::string> choiceLabels;  ///< in the window, as many as `value.choices`
    std::string phrase;                     ///< in a sentence: "memory limit"
    std::string placeholder;                ///< of its option's value: "N"
    std::string optionHelp;                 ///< empty: the choices
    bool isRequired = false;                ///< files must have it, and the hash does
    bool isHashed = true;                   ///< plans that were made with another value are out of date
    bool isLater = false;    ///< it came after files were written without it: they leave its default out
    bool isSpecial = false;  ///< what few people change: the panel has it behind a button
    /// Whether it makes a difference in this setup; empty: always.
    std::function<bool(const TrainingSetup&)> applies;
    std::function<base::ParameterValue(const TrainingSetup&)> get;
    std::function<void(TrainingSetup&, const base::ParameterValue&)> set;

    /// What an axis of an experiment over it is called at first: "memory limit".
    std::string axisName() const;
};

/// In the order of files and of the panel.
const std::vector<SetupField>& setupFields();

/// The first field in which the two differ; null if none does.
const SetupField* changedField(const TrainingSetup& before, const TrainingSetup& after);

}  // namespace stagecraft::model
