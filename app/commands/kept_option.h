#pragma once

#include "app/commands/inputs.h"
#include "app/figures/kept_figures.h"

#include <ostream>
#include <string>

namespace stagecraft::app {

/// --keep of a figure.
inline const Option keepOption = {"keep", "NAME",
                                  "the project keeps this figure under that name, beside what is written"};
/// Where --keep is given the project in the file keeps the figure, in place of one of that name.
/// @throws UsageError, InputError, also for a file that is no project
void keepFigure(const Arguments& arguments, const StyledFigure& figure, const std::string& path,
                std::ostream& err);

/// What had no room in the figure that was written; nothing where it is empty.
void sayOmissions(const QString& omissions, const std::string& target, std::ostream& err);

/// All plans, simulated; those without a timeline are said on `err`.
DrawnProject drawnProject(const PlansInput& input, const std::string& path, std::ostream& err);

}  // namespace stagecraft::app
