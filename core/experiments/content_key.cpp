#include "core/experiments/content_key.h"

#include "core/experiments/experiment_json.h"

#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <nlohmann/json.hpp>

#include <fstream>
#include <iterator>

namespace stagecraft::experiments {

using nlohmann::json;

namespace {

/// Path and content of a file that is named; one that cannot be read counts as empty.
std::string fileText(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return "\n" + path.string() + " " + contentKey(std::string(std::istreambuf_iterator<char>(in), {}));
}

/// Of all that {"file": …} names anywhere in the value.
std::string filesOf(const json& value, const std::filesystem::path& directory) {
    std::string text;
    if (!value.is_structured()) return text;
    for (const auto& [name, member] : value.items()) {
        text += filesOf(member, directory);
        if (value.is_object() && name == "file" && member.is_string())
            text += fileText(directory / member.get<std::string>());
    }
    return text;
}

std::string recipeOf(const AxisValue& value, const std::filesystem::path& directory) {
    std::string text;
    for (const Change& change : value.changes) {
        if (!pointsIntoBase(change.pointer)) continue;
        const json::json_pointer pointer(change.pointer);
        const json changed = {{pointer.empty() ? "" : pointer.back(), json::parse(change.json)}};
        text += change.pointer + " " + change.json + filesOf(changed, directory) + "\n";
    }
    return text.empty() ? text : contentKey(text);
}

}  // namespace

std::string contentKey(const std::string& text) {
    static const boost::uuids::name_generator_sha1 generator{boost::uuids::uuid{}};
    return to_string(generator(text));
}

GridRecipes::GridRecipes(const Grid& grid) : grid_(grid) {
    const Experiment& experiment = grid.experiment();
    base_ = contentKey(experiment.base + filesOf(json::parse(experiment.base), experiment.directory));
    for (const Axis& axis : experiment.axes) {
        std::vector<std::string>& values = values_.emplace_back();
        for (const AxisValue& value : axis.values) values.push_back(recipeOf(value, experiment.directory));
    }
}

std::string GridRecipes::at(std::size_t point) const {
    std::string text = base_;
    const std::vector<std::size_t> at = grid_.coordinates(point);
    for (std::size_t axis = 0; axis < at.size(); ++axis) text += "," + values_[axis][at[axis]];
    return text;
}

}  // namespace stagecraft::experiments
