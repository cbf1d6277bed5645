#pragma once

#include "core/training/policy.h"
#include "views/figures/figure.h"

#include <QIcon>

namespace stagecraft::views {

/// How a policy's curve looks: a colour of Okabe and Ito's palette and a dash of its own, so that curves are
/// told apart in grey as well. `ink` is the colour of the synchronous one.
Stroke policyStroke(training::Policy policy, const QColor& ink, double widthMm);

/// A piece of the curve, for legends and tables, in the colours of the current theme.
QIcon policySample(training::Policy policy);
inline constexpr QSize policySampleSize(26, 12);

}  // namespace stagecraft::views
