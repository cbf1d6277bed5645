#include "tests/core/support/json_instance.h"

template class nlohmann::basic_json<>;
