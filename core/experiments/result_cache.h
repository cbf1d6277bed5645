#pragma once

#include "core/experiments/cell_result.h"

#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

namespace stagecraft {

/// Results of cells by what they are results of: problem, planner, parameters and the program that made them.
/// A file to which a line is added for each cell, so that an end at any time loses no finished one; a last
/// line that was cut off is passed over. Safe to use from several threads; several programs may add to one
/// file.
class ResultCache {
public:
    /// @param revision of the program: results of others are not used
    /// @throws InputError if the file cannot be read or written
    ResultCache(const std::filesystem::path& file, const std::string& revision);

    /// A name for a cell's content. @param problem whole, as the native format writes it
    std::string key(const std::string& problem, const std::string& planner,
                    const ParameterValues& values) const;
    std::optional<CellResult> find(const std::string& key) const;
    /// Written through to the file at once. Failures to write are passed over: the cache is a help, no more.
    void add(const std::string& key, const CellResult& result);
    std::size_t size() const;

private:
    void load(const std::filesystem::path& file);

    std::string revision_;
    mutable std::mutex mutex_;
    std::unordered_map<std::string, CellResult> known_;
    std::ofstream out_;
};

}  // namespace stagecraft
