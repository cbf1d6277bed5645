#pragma once

#include "core/formats/configurations/shell_parts.h"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::formats {

/// The variables of a script and what words become with them in place.
class ShellVariables {
public:
    /// "NAME=…" or "NAME+=…", with elements where it is an array. @return whether the word is one of these
    bool assign(const RawShellWord& word);
    /// Not set variables stay as they are written.
    std::vector<ShellWord> expanded(const RawShellWord& word);
    /// One word whatever blanks it has; not set variables are empty.
    std::string asCondition(const RawShellWord& word);
    /// Words of all variables that have options, in the order in which they were set first.
    std::vector<ShellWord> options() const;

private:
    friend class ShellExpansion;

    std::vector<ShellWord>& variable(const std::string& name);
    void spend(std::size_t letters);

    std::map<std::string, std::vector<ShellWord>, std::less<>> values_;
    std::vector<std::string> order_;
    std::size_t spent_ = 0;
};

/// Whole numbers with + - * / % and brackets; nothing for all else, and for what does not fit.
std::optional<long long> shellArithmetic(std::string_view text);

}  // namespace stagecraft::formats
