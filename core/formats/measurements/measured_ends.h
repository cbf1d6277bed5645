#pragma once

#include "core/formats/measurements/measurements.h"
#include "core/model/cluster.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft::formats {

/// What a text of measurements does not say of where it was measured.
struct MeasuredWhere {
    /// Ids of devices or names of servers, two, for a text that names no ends; empty: the only two servers.
    std::vector<std::string> between;
    std::string server;  ///< whose GPUs numbers are; empty: those of every server that has so many
};

/// Finds the GPUs of a cluster that a text of measurements speaks of.
class MeasuredEnds {
public:
    /// @throws InputError for ends or a server that the cluster does not have
    MeasuredEnds(const Cluster& cluster, const Measurements& measured, const std::string& file,
                 const MeasuredWhere& where);

    /// Indices of devices, a way for each place where the pair may have been measured: the same numbers in
    /// every server alike.
    struct Way {
        int a = 0;
        int b = 0;
    };
    /// Empty if the cluster lacks an end.
    std::vector<Way> waysOf(const MeasuredPair& pair) const;
    /// The devices of a group, once for each server that may be meant; empty as above.
    std::vector<std::vector<int>> groupsOf(const MeasuredGroup& group) const;
    /// What was taken for granted, a sentence each.
    const std::vector<std::string>& assumed() const { return assumed_; }

private:
    void nameServers(const Measurements& measured, const std::string& wanted, const std::string& file);
    void nameHosts(const Measurements& measured);
    void nameBetween(const MeasuredWhere& where, const std::string& file);
    bool isOfOtherGpus(const std::string& server, const Measurements& measured) const;
    /// -1: there is none.
    int deviceOf(const MeasuredEnd& end, const std::string& server) const;
    std::optional<int> endNamed(const std::string& name) const;

    const Cluster& cluster_;
    std::map<std::string, std::vector<int>> devicesOf_;  ///< by server, in the order of their numbers
    std::vector<std::string> servers_;                   ///< of which numbers without a host may be
    std::map<std::string, std::string> serverOf_;        ///< by host
    std::optional<Way> between_;
    std::vector<std::string> assumed_;
};

}  // namespace stagecraft::formats
