#pragma once

#include "core/planners/madpipe/chain.h"
#include "tests/support/every_room.h"

#include <nlohmann/json.hpp>
#include <rapidcheck.h>

namespace stagecraft::testing {

/// A golden case's "chain": a has L + 1 entries, from a_0 on.
inline MadPipeChain madPipeChainOf(const nlohmann::json& json) {
    MadPipeChain chain;
    const int links = json.at("L");
    const double bandwidth = json.at("beta");
    for (int link = 0; link < links; ++link) {
        const double output = link + 1 < links ? json.at("a").at(link + 1).get<double>() : 0;
        chain.forwardS.push_back(json.at("uF").at(link));
        chain.backwardS.push_back(json.at("uB").at(link));
        chain.weightBytes.push_back(3 * json.at("W").at(link).get<double>());
        chain.storedBytes.push_back(json.at("a").at(link));
        chain.bufferBytes.push_back(2 * output);
        chain.transferS.push_back(2 * output / bandwidth);
        chain.lastLayer.push_back(link);
    }
    chain.sumUp();
    return chain;
}

/// Small whole numbers; for use inside rc::check.
inline MadPipeChain randomChain(int maxLinks) {
    MadPipeChain chain;
    const int links = *rc::gen::inRange(1, maxLinks + 1);
    for (int link = 0; link < links; ++link) {
        const double output = link + 1 < links ? *rc::gen::inRange(1, 9) : 0;
        chain.forwardS.push_back(*rc::gen::inRange(1, 7));
        chain.backwardS.push_back(*rc::gen::inRange(1, 13));
        chain.weightBytes.push_back(3 * *rc::gen::inRange(0, 7));
        chain.storedBytes.push_back(*rc::gen::inRange(0, 9));
        chain.bufferBytes.push_back(2 * output);
        chain.transferS.push_back(output);
        chain.lastLayer.push_back(link);
    }
    chain.sumUp();
    return chain;
}

}  // namespace stagecraft::testing
