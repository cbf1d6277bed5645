#pragma once

namespace stagecraft {

/// Makes an application for widgets and fonts that needs no display, unless there is one already.
void ensureApplication();

}  // namespace stagecraft
