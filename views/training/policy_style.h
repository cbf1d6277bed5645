#pragma once

#include "core/training/policy.h"
#include "views/figures/figure.h"

#include <QIcon>

namespace stagecraft::views::training {

/// How a policy's curve looks: a colour of Okabe and Ito's palette and a dash of its own, so that curves are
/// told apart in grey as well. `ink` is the colour of the synchronous one.
Stroke policyStroke(stagecraft::training::Policy policy, const QColor& ink, double widthMm);

/// A piece of the curve, for legends and tables, in the colours of the current theme.
QIcon policySample(stagecraft::training::Policy policy);
inline constexpr QSize policySampleSize(26, 12);

}  // namespace stagecraft::views::training
