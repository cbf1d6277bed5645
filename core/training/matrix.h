#pragma once

#include "core/base/rooms.h"

#include <Eigen/Core>

namespace stagecraft::training {

/// One column per sample.
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using VectorView = Eigen::Ref<Vector>;
using ConstVectorView = Eigen::Ref<const Vector>;

}  // namespace stagecraft::training
