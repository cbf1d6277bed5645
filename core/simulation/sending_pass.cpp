#include "core/simulation/sending_pass.h"

#include "core/base/indices.h"

#include <algorithm>

namespace stagecraft::simulation {

void SendingPass::beginToSend(double atS) {
    isSending_ = true;
    ++foreseen_;
    speed_ = 1;
    changedS_ = atS;
    leftS_ = sending().toS - sending().fromS;
    sentS_ = originS_ + sending().toS + laterS_;
}

void SendingPass::setSpeed(double speed, double atS) {
    const double untilS = std::max(atS, changedS_);
    addPace(untilS);
    leftS_ -= speed_ * (untilS - changedS_);
    changedS_ = untilS;
    speed_ = speed;
    wasSlowed_ = wasSlowed_ || speed != 1;
    sentS_ = untilS + std::max(0.0, leftS_) / speed;
    ++foreseen_;
}

void SendingPass::endToSend(double atS) {
    addPace(atS);
    if (wasSlowed_) laterS_ = std::max(0.0, atS - (originS_ + sending().toS));
    isSending_ = false;
    ++next_;
    ++foreseen_;
}

void SendingPass::addPace(double untilS) {
    const double aloneBps = (*flows_)[at(flow())].fullBps;
    if (untilS > changedS_) paces_.push_back({changedS_, untilS, speed_ * aloneBps, aloneBps});
}

const std::vector<Pace>& SendingPass::paces() const {
    static const std::vector<Pace> none;
    return wasSlowed_ ? paces_ : none;
}

}  // namespace stagecraft::simulation
