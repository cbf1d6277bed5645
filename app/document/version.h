#pragma once

namespace stagecraft {

/// "0.1.0"
const char* version();

}  // namespace stagecraft
