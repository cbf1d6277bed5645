#pragma once

#include "core/experiments/variable_fields.h"

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace stagecraft::experiments {

/// An axis while a person writes it: texts, which need not say anything yet.
struct AxisDraft {
    enum class Form {
        list,      ///< "4, 8, 16"
        range,     ///< from, to, by steps
        doubling,  ///< from, to, times a factor
        seeds,     ///< a count from 1, or a list
        files,     ///< one path per line
    };
    VariableField field;
    std::string name;
    Form form = Form::list;
    std::string list;  ///< list, seeds, files
    std::string from, to, by;
    /// What no field says: cases that change several things. `list` then names those that are taken.
    std::vector<AxisValue> cases;
    std::string unit;

    bool ofCases() const { return !cases.empty(); }
};

/// What is wrong in an axis that is being written, and in which of its texts.
class AxisMistake : public std::invalid_argument {
public:
    enum class Part { name, list, from, to, by };
    AxisMistake(Part part, const std::string& sentence) : std::invalid_argument(sentence), part_(part) {}
    Part part() const { return part_; }

private:
    Part part_;
};

/// An axis over the field that begins with what a person most often wants of it.
AxisDraft axisOver(const VariableField& field);
/// An axis as a person would have written it: "4 to 256, doubling" where its numbers are that.
AxisDraft draftOf(const Axis& axis, const std::vector<VariableField>& fields);
/// @throws AxisMistake
Axis axisOf(const AxisDraft& draft);
/// The forms in which its values may be written.
std::vector<AxisDraft::Form> formsOf(const AxisDraft& draft);

}  // namespace stagecraft::experiments
