#include "core/base/number_style.h"

#include <algorithm>
#include <atomic>

namespace stagecraft::base {

namespace {

std::atomic<bool> decimalInForce = false;
std::atomic<int> figuresInForce = NumberStyle{}.figures;
thread_local int standardDepth = 0;

}  // namespace

void setNumberStyle(const NumberStyle& style) {
    decimalInForce = style.decimalBytes;
    figuresInForce = std::clamp(style.figures, leastFigures, mostFigures);
}

NumberStyle numberStyle() {
    if (standardDepth > 0) return {};
    return {decimalInForce, figuresInForce};
}

StandardNumbers::StandardNumbers() { ++standardDepth; }
StandardNumbers::~StandardNumbers() { --standardDepth; }

}  // namespace stagecraft::base
