#pragma once

#include "core/base/quantity.h"

#include <map>
#include <string>
#include <variant>
#include <vector>

namespace stagecraft::base {

using ParameterValue = std::variant<bool, int, double, std::string>;
using ParameterValues = std::map<std::string, ParameterValue>;

/// A parameter of a planner or a template, described once: panel, command line and help are built from this.
struct Parameter {
    std::string name;             ///< on the command line: snake_case
    std::string label;            ///< in the window
    std::string description;      ///< a sentence, with the paper's section
    ParameterValue defaultValue;  ///< its alternative is the parameter's type
    double minimum = 0;           ///< int and double
    double maximum = 0;
    std::vector<std::string> choices;  ///< string: what it may be; empty: anything
    /// double: what it measures; unless plain it is written with a unit.
    Quantity quantity = Quantity::plain;
    bool othersToo = false;      ///< string: `choices` are suggestions
    bool isFile = false;         ///< string: the path of a file; empty: none
    std::string zeroMeans = {};  ///< a number: what a field shows for 0; empty: 0
};

ParameterValues defaultValues(const std::vector<Parameter>& parameters);
/// The value that the text denotes. @throws std::invalid_argument naming what was wrong and what was
/// expected
ParameterValue readParameter(const Parameter& parameter, const std::string& text);
/// Reads "NAME=VALUE". @throws std::invalid_argument naming what was wrong and what was expected
void setParameter(const std::vector<Parameter>& parameters, ParameterValues& values,
                  const std::string& assignment);
std::string toText(const ParameterValue& value);
/// In the form that readParameter reads: a quantity with its unit.
std::string toText(const Parameter& parameter, const ParameterValue& value);

}  // namespace stagecraft::base
