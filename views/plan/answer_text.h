#pragma once

#include "core/analysis/idle_cause.h"
#include "core/analysis/what_bounds.h"
#include "views/timeline/chart_data.h"

#include <QString>

#include <optional>

namespace stagecraft::views::plan {

// Answers as rich text for the pane beside a chart. Blocks are links whose address is their number.

/// Why a lane is idle: the stretch, then one line per link of the chain.
QString idleAnswer(const ChartData& data, const IdleCause& cause);
/// What the time of an iteration is made of, and what to try.
QString boundsAnswer(const WhatBounds& bounds);
/// Times of a block, what it waited for, and its slack; nothing: it is being worked out.
QString blockAnswer(const ChartData& data, std::uint32_t block, std::optional<double> slackS);

}  // namespace stagecraft::views::plan
