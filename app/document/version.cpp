#include "app/document/version.h"

namespace stagecraft {

const char* version() { return STAGECRAFT_VERSION; }

}  // namespace stagecraft
