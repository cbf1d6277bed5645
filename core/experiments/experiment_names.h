#pragma once

#include "core/base/enum_names.h"
#include "core/experiments/experiment.h"

namespace stagecraft::experiments {

inline constexpr EnumName<ClaimKind> claimKindNames[] = {
    {ClaimKind::ratio, "ratio"}, {ClaimKind::change, "change"}, {ClaimKind::spread, "spread"},
    {ClaimKind::step, "step"},   {ClaimKind::value, "value"},   {ClaimKind::difference, "difference"}};
inline constexpr EnumName<ClaimAggregate> claimAggregateNames[] = {
    {ClaimAggregate::every, "every"},
    {ClaimAggregate::some, "some"},
    {ClaimAggregate::largest, "largest"},
    {ClaimAggregate::least, "least"},
    {ClaimAggregate::geometricMean, "geometric_mean"},
    {ClaimAggregate::mean, "mean"},
    {ClaimAggregate::share, "share"}};
inline constexpr EnumName<ChartKind> chartKindNames[] = {{ChartKind::lines, "lines"},
                                                         {ChartKind::bars, "bars"},
                                                         {ChartKind::heat, "heat"},
                                                         {ChartKind::pareto, "pareto"}};
}  // namespace stagecraft::experiments
