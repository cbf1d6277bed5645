#include "tests/core/support/json_instance.h"
#include "tests/support/every_room.h"

template class nlohmann::basic_json<>;
