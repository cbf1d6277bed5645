#pragma once

#include "core/planners/vpipe/complete_search.h"

#include <string>
#include <utility>

namespace stagecraft::planners::vpipe {

/// Both as people write sizes, or in bytes with as many digits as it takes to distinguish them.
std::pair<std::string, std::string> distinctBytes(double neededBytes, double limitBytes);

/// What a search that found nothing has to say: no more than what it has shown.
std::string refusalOf(const SearchResult& found, const Settings& settings);

}  // namespace stagecraft::planners::vpipe
