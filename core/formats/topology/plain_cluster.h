#pragma once

#include "core/formats/topology/topology_format.h"

#include <map>
#include <string>

namespace stagecraft::formats {

/// A cluster of equal devices s0g0, s0g1, …, s1g0, … of which a text says no more than how they are joined.
class PlainCluster {
public:
    /// @param printed what the text calls the GPUs; empty: nothing
    /// @throws InputError if there are more devices than checkSize allows
    PlainCluster(const std::string& file, const ImportOptions& options, int devices, int perServer,
                 const std::string& printed = {});

    const std::string& device(int index) const {
        return imported_.cluster.devices[static_cast<std::size_t>(index)].id;
    }
    /// @param inServerOf a device whose server it belongs to; -1: none
    /// @return its id, made different from all others by a number
    std::string addSwitch(const std::string& name, int inServerOf);
    /// One of no server, of that very name if nothing else has it. @return its id
    std::string addNamedSwitch(std::string id);
    void join(const std::string& a, const std::string& b, Rate rate, double latencyS, const char* kind);
    /// Calls a device otherwise
    void rename(int index, const std::string& id, const std::string& server);
    /// Between a device and its host, in bytes per second.
    void setHostBandwidth(int index, double bps);
    void note(ImportNote::Kind kind, std::string text);
    void assume(Assumption assumption) {
        stagecraft::formats::assume(imported_.assumed, std::move(assumption));
    }
    ImportedCluster finish() &&;

private:
    std::string file_;
    ImportedCluster imported_;
    std::map<std::string, int> numbers_;  ///< switches of a name so far
};

}  // namespace stagecraft::formats
