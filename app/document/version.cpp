#include "app/document/version.h"

namespace stagecraft::app {

const char* version() { return STAGECRAFT_VERSION; }

}  // namespace stagecraft::app
