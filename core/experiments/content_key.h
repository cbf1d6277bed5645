#pragma once

#include "core/experiments/grid.h"

#include <string>
#include <vector>

namespace stagecraft::experiments {

/// A name for a text, whatever its length: other texts have other names (SHA-1, as a UUID of version 5).
std::string contentKey(const std::string& text);

/// Tells points of a grid apart without making their problems, at a thousandth of the cost: what their base,
/// the values of their axes and the files that those name are, as they are when this is made.
class GridRecipes {
public:
    explicit GridRecipes(const Grid& grid);
    /// The same only where problem and study are.
    std::string at(std::size_t point) const;

private:
    const Grid& grid_;
    std::string base_;
    std::vector<std::vector<std::string>> values_;  ///< by axis and value
};

}  // namespace stagecraft::experiments
