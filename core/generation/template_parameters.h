#pragma once

#include "core/base/parameters.h"
#include "core/model/link_technologies.h"

#include <string>
#include <utility>
#include <variant>
#include <vector>

// The parameters that templates of clusters share, by the names that they have on the command line, and how
// others are described.
namespace stagecraft::generation {

inline constexpr char serversName[] = "servers", speedName[] = "speed", networkName[] = "network_bandwidth",
                      latencyName[] = "network_latency", switchSumsName[] = "switch_sums",
                      perLeafName[] = "servers_per_leaf", spinesName[] = "spines",
                      oversubscriptionName[] = "oversubscription";

template <class T>
T valueOf(const ParameterValues& values, const char* name) {
    return std::get<T>(values.at(name));
}

inline Parameter countParameter(const char* name, const char* label, const char* description, int value,
                                int most) {
    return {name, label, description, value, 1, static_cast<double>(most)};
}

inline Parameter quantity(const char* name, const char* label, const char* description, double value,
                          Quantity kind, double most) {
    return {name, label, description, value, 0, most, {}, kind};
}

inline Parameter bandwidth(const char* name, const char* label, const char* description, double value) {
    return quantity(name, label, description, value, Quantity::bandwidth, 1e15);
}

inline Parameter choice(const char* name, const char* label, const char* description, const char* value,
                        std::vector<std::string> choices) {
    return {name, label, description, std::string(value), 0, 0, std::move(choices)};
}

inline Parameter speedParameter() {
    return {speedName, "Speed", "Divides compute times; 1: the profile's reference GPU", 1.0, 1e-3, 1e3};
}
inline Parameter ratesParameter() {
    return choice(linkRatesName, "Link rates", "Of NVLink, xGMI and PCIe; reached: what NCCL or RCCL counts",
                  reachedChoice, {reachedChoice, dataSheetChoice});
}
inline LinkRates ratesFrom(const ParameterValues& values) {
    return linkRatesOf(std::get<std::string>(values.at(linkRatesName)));
}
inline Parameter latencyParameter() {
    return quantity(latencyName, "Latency", "Of each link of the network", 0, Quantity::seconds, 1);
}
inline Parameter switchSumsParameter() {
    return {switchSumsName, "NVSwitch sums up",
            "Whether AllReduces within stages may be summed up by the NVSwitch (NVLink SHARP)", false};
}
inline Parameter perLeafParameter() {
    return countParameter(perLeafName, "Servers per leaf", "Below each leaf switch of a fat tree", 4, 4096);
}
inline Parameter spinesParameter() {
    return countParameter(spinesName, "Spines",
                          "Each leaf (or rail) has a link to each; a path takes one of them", 2, 64);
}
inline Parameter oversubscriptionParameter() {
    return {oversubscriptionName,
            "Oversubscription",
            "Bandwidth of what is below a leaf (or rail) over that of its links up",
            1.0,
            1,
            1000};
}

}  // namespace stagecraft::generation
