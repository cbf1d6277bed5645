#pragma once

#include "app/commands/arguments.h"

#include <ostream>

namespace stagecraft::app {

/// export --all: every figure of a project, with --kept those that it keeps, into the folder --out. Names
/// what it writes on `out`, and what differs from the files that --force replaces on `err`.
/// @returns the exit status: not exitDone if anything could not be drawn
/// @throws UsageError, InputError
int exportAll(const Arguments& arguments, std::ostream& out, std::ostream& err);

}  // namespace stagecraft::app
