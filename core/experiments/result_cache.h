#pragma once

#include "core/base/parameters.h"
#include "core/experiments/cell_result.h"

#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

namespace stagecraft::experiments {

/// Results of cells, found by problem, planner, parameters and revision of the program. The content that a
/// recipe makes (GridRecipes) is kept too, so that known cells are found without making their problem. The
/// file gets one line per cell, so that a program that is killed loses no finished one; a truncated last line
/// is ignored. Safe to use from several threads; several programs may add to one file.
class ResultCache {
public:
    /// @param revision of the program: results of others are not used
    /// @throws InputError if the file cannot be read or written
    ResultCache(const std::filesystem::path& file, const std::string& revision);

    /// The name of what a recipe makes (contentKey), if this program has made it before.
    std::optional<std::string> content(const std::string& recipe) const;
    void addContent(const std::string& recipe, const std::string& content);

    /// A name for a cell's content. @param content names problem and study @param planner and what else is
    /// asked of it
    std::string key(const std::string& content, const std::string& planner,
                    const ParameterValues& values) const;
    std::optional<CellResult> find(const std::string& key) const;
    /// Written to the file at once. A failure to write is ignored: the cache only saves time.
    void add(const std::string& key, const CellResult& result);
    std::size_t size() const;  ///< cells

private:
    void load(const std::filesystem::path& file);
    std::string recipeKey(const std::string& recipe) const;

    std::string revision_;
    mutable std::mutex mutex_;
    std::unordered_map<std::string, CellResult> known_;
    std::unordered_map<std::string, std::string> contents_;  ///< by recipeKey
    std::ofstream out_;
};

}  // namespace stagecraft::experiments
