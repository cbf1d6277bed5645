#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

namespace stagecraft {

using ParameterValue = std::variant<bool, int, double, std::string>;
using ParameterValues = std::map<std::string, ParameterValue>;

/// A planner's parameter, described once: panel, command line and help are built from this.
struct Parameter {
    std::string name;             ///< on the command line: snake_case
    std::string label;            ///< in the panel
    std::string description;      ///< a sentence, with the paper's section
    ParameterValue defaultValue;  ///< its alternative is the parameter's type
    double minimum = 0;           ///< int and double
    double maximum = 0;
    std::vector<std::string> choices;  ///< string: what it may be
};

ParameterValues defaultValues(const std::vector<Parameter>& parameters);
/// Reads "NAME=VALUE". @throws std::invalid_argument naming what was wrong and what was expected
void setParameter(const std::vector<Parameter>& parameters, ParameterValues& values,
                  const std::string& assignment);
std::string toText(const ParameterValue& value);

}  // namespace stagecraft
