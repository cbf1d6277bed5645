#pragma once

#include "core/formats/file_kind.h"
#include "core/formats/input_error.h"
#include "core/formats/text_file.h"
#include "core/model/problem.h"

#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::formats {

/// What a person can draw and nobody can plan on: two devices with one id, a link from a device to itself, a
/// bandwidth of 0. The window keeps them, so that half-drawn work can be saved; everybody else refuses them.
enum class DrawingMistakes { refuse, keep };

// Native formats (FORMATS.md). `file` is what messages call the text. All throw InputError; none leaves
// anything half-read.
LayerProfile readProfile(std::string_view text, const std::string& file);
Cluster readCluster(std::string_view text, const std::string& file,
                    DrawingMistakes mistakes = DrawingMistakes::refuse);

// The same object gives the same bytes.
std::string writeProfile(const LayerProfile& profile);
std::string writeCluster(const Cluster& cluster);

/// What an importer took, derived, grouped, ignored, or assumed because nothing said it.
struct ImportNote {
    enum class Kind { took, derived, grouped, ignored, assumed } kind = Kind::took;
    std::string text;
};

/// A division into stages that came with a profile: a person's, or another planner's.
struct ImportedSplit {
    struct Part {
        int firstLayer = 0;
        int lastLayer = 0;  ///< included
        int replicas = 1;
    };
    std::string name;         ///< for people
    std::vector<Part> parts;  ///< all layers, in order

    int deviceCount() const;
};

struct ImportedProfile {
    LayerProfile profile;
    std::vector<ImportNote> notes;
    std::vector<ImportedSplit> splits;
};

}  // namespace stagecraft::formats
