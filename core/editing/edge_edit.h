#pragma once

#include "core/model/layer_profile.h"

#include <functional>
#include <vector>

namespace stagecraft::editing {

// Edges of a graph whose items, layers or nodes, are inserted, repeated or taken out. Edges that nothing
// concerns keep their order; each is there once.

/// Takes items out; what read one of them reads what it had read.
std::vector<LayerEdge> edgesWithout(const std::vector<LayerEdge>& edges, const std::vector<bool>& gone);

/// Inserts a chain of `count` items at index `at`. The edges from `before` to `after` lead through it;
/// without any, its first item reads the last of `before`, and the first of `after` reads its last item.
/// @param before, after items directly before and after the place, ascending; may be empty
std::vector<LayerEdge> edgesWithInserted(const std::vector<LayerEdge>& edges, int at, int count,
                                         const std::vector<int>& before, const std::vector<int>& after);

/// A run of items appears `copies` times in a row.
/// @param isBefore whether an item before the run is one in whose place further copies read the copy before
/// @param exits items of the run that further copies then read
std::vector<LayerEdge> edgesWithRepeated(const std::vector<LayerEdge>& edges, int first, int last, int copies,
                                         const std::function<bool(int)>& isBefore,
                                         const std::vector<int>& exits);

}  // namespace stagecraft::editing
