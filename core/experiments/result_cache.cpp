#include "core/experiments/result_cache.h"

#include "core/experiments/content_key.h"
#include "core/experiments/experiment_json.h"
#include "core/formats/input_error.h"

#include <system_error>

namespace stagecraft::experiments {

using nlohmann::json;
using nlohmann::ordered_json;

ResultCache::ResultCache(const std::filesystem::path& file, const std::string& revision)
    : revision_(revision) {
    std::error_code error;
    if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path(), error);
    load(file);
    out_.open(file, std::ios::app | std::ios::binary);
    if (!out_)
        throw InputError(file.string(), "", "the file cannot be written", "a file that may be written");
    out_ << "\n";  // ends a line that was cut off, so that the next is on its own line
}

void ResultCache::load(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    const std::string name = file.string();
    for (std::string line; std::getline(in, line);) {
        const json entry = json::parse(line, nullptr, false);
        if (!entry.is_object()) continue;
        try {
            if (entry.contains("recipe")) {
                const JsonObject object(JsonValue(entry, name), {"recipe", "content"});
                contents_[object.required("recipe").text()] = object.required("content").text();
                continue;
            }
            const JsonObject object(JsonValue(entry, name), {"key", "status", "reason", "metrics"});
            known_[object.required("key").text()] = cellFromJson(object);
        } catch (const InputError&) {  // of another version
        }
    }
}

std::string ResultCache::recipeKey(const std::string& recipe) const {
    return contentKey(revision_ + "\n" + recipe);
}

std::optional<std::string> ResultCache::content(const std::string& recipe) const {
    const std::string key = recipeKey(recipe);
    const std::lock_guard lock(mutex_);
    const auto found = contents_.find(key);
    if (found == contents_.end()) return std::nullopt;
    return found->second;
}

void ResultCache::addContent(const std::string& recipe, const std::string& content) {
    const std::string key = recipeKey(recipe);
    const std::string text = ordered_json{{"recipe", key}, {"content", content}}.dump() + "\n";
    const std::lock_guard lock(mutex_);
    contents_[key] = content;
    out_ << text << std::flush;
}

std::string ResultCache::key(const std::string& content, const std::string& planner,
                             const ParameterValues& values) const {
    return contentKey(revision_ + "\n" + planner + "\n" + parametersToJson(values).dump() + "\n" + content);
}

std::optional<CellResult> ResultCache::find(const std::string& key) const {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(key);
    if (found == known_.end()) return std::nullopt;
    return found->second;
}

void ResultCache::add(const std::string& key, const CellResult& result) {
    ordered_json line = {{"key", key}};
    addCell(line, result);
    const std::string text = line.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
    const std::lock_guard lock(mutex_);
    known_[key] = result;
    out_ << text << std::flush;
}

std::size_t ResultCache::size() const {
    const std::lock_guard lock(mutex_);
    return known_.size();
}

}  // namespace stagecraft::experiments
