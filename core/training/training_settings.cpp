#include "core/training/training_settings.h"

namespace stagecraft::training {

double usualLearningRate(OptimizerKind kind) {
    switch (kind) {
        case OptimizerKind::sgd:
            return 0.01;
        case OptimizerKind::rmsprop:
            return 0.0003;
        case OptimizerKind::adam:
            return 0.001;
    }
    return 0.01;
}

}  // namespace stagecraft::training
