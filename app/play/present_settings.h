#pragma once

#include "views/play/presenting.h"

namespace stagecraft::app {

/// How a person last presented, and if never as it is made; kept from one time to the next.
PresentChoice loadPresentChoice();
void savePresentChoice(const PresentChoice& choice);

}  // namespace stagecraft::app
