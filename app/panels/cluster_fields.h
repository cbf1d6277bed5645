#pragma once

#include "app/rooms.h"
#include "core/base/quantity.h"
#include "core/editing/cluster_edit.h"

#include <string>
#include <variant>
#include <vector>

namespace stagecraft::app::panels {

/// A property of devices, switches or links that a person edits as text.
struct ClusterField {
    enum class Of { devices, switches, links };
    /// As held in the cluster: a number in the base unit, or a text.
    using Value = std::variant<double, std::string>;

    const char* id;     ///< "bandwidth"
    const char* label;  ///< "Bandwidth"
    const char* help;
    Of of = Of::devices;
    Quantity quantity = Quantity::plain;  ///< of a number
    bool oneAtATime = false;              ///< makes no sense for several things at once
    Value (*read)(const Cluster&, std::size_t index) = nullptr;
    /// @throws std::invalid_argument if the cluster cannot take the value
    void (*write)(Cluster&, std::size_t index, const Value& value) = nullptr;
    const char* ofNone = nullptr;  ///< where nothing need be said: 0, which shows as an empty field with this
};

const std::vector<ClusterField>& clusterFields();
const ClusterField& clusterField(const std::string& id);
/// The chosen things that have the field.
const std::vector<int>& indicesOf(const ClusterField& field, const ClusterPart& part);

/// What several things have in a field.
struct FieldSummary {
    bool mixed = false;
    std::string text;  ///< as it is edited: exact, with its unit; empty if mixed
    std::string hint;  ///< if mixed: "12.0 GB/s … 150 GB/s", or "3 different"; of nothing what holds then
};
FieldSummary summarise(const ClusterField& field, const Cluster& cluster, const std::vector<int>& indices);

/// The cluster with the field of all of these set to what the text says.
/// @throws std::invalid_argument in a person's words if the text cannot be read or the cluster cannot take it
Cluster withField(const ClusterField& field, const Cluster& cluster, const std::vector<int>& indices,
                  const std::string& text);

/// Where its bandwidth comes from; of a link that was measured also what it would have otherwise.
std::string sourceText(const Link& link);

/// How the source of a bandwidth reads once a person has put another in its place.
std::string overriddenSource(const Link& link);
bool isOverridden(const Link& link);

}  // namespace stagecraft::app::panels
