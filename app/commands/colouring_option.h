#pragma once

#include "app/commands/arguments.h"
#include "views/figures/figure_style.h"

namespace stagecraft::app {

/// --colour, and --predictions of plans whose mini-batches overlap.
inline const Option colouringOption = {
    "colour", "BY",
    joinNames(allNames(colouringNames), " | ") +
        "; default kind; mini-batch, version and staleness where mini-batches overlap"};
inline const Option predictionsOption = {
    "predictions", "", "arrows from predictions of weights to the updates that they anticipate"};

inline BlockColouring chosenColouring(const Arguments& arguments) {
    return arguments.choice("colour", colouringNames).value_or(BlockColouring::kind);
}

}  // namespace stagecraft::app
