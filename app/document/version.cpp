#include "app/document/version.h"

namespace stagecraft::app::document {

const char* version() { return STAGECRAFT_VERSION; }

}  // namespace stagecraft::app::document
