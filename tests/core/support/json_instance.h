#pragma once

#include <nlohmann/json.hpp>

extern template class nlohmann::basic_json<>;
