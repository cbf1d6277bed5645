#pragma once

#include "core/formats/orders/rank_orders.h"

#include <string>
#include <string_view>

namespace stagecraft::formats {

// The CSV of PyTorch's torch.distributed.pipelining: no header, a row for each rank, a cell for each action,
// e.g. 0F3, 2B1, 1I0, 1W0; an empty cell is an idle slot.

enum class PipeliningForm {
    computeOnly,   ///< passes alone; the engine adds the rest
    computeComms,  ///< with sends, receives, the gathering of shards and the reduction of gradients, as they
                   ///< run
};

/// Whether the first cell that is not empty is an action.
bool isPipeliningCsv(std::string_view text);

/// The passes of either form. What else compute_comms has follows from them and is left out.
/// @throws InputError with line and cell for what is no action, for the notation before October 2024 (BW was
/// the whole backward and B the input gradient), a
/// stage on two ranks, a pass that is missing, comes twice or before what it needs in its row, and for
/// forwards of the last stage out of order, since the engine takes losses in the order in which they come
RankOrders readPipeliningCsv(std::string_view text, const std::string& file);

/// Lines end in CR LF, as the engine's own.
/// @throws std::invalid_argument if the last stage's forwards are out of order, an order never completes, or
/// compute_comms is asked for an order with pairs
std::string writePipeliningCsv(const RankOrders& orders, PipeliningForm form);

}  // namespace stagecraft::formats
