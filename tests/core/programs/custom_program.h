#pragma once

#include "core/base/rooms.h"
#include "core/formats/files/project_file.h"
#include "tests/support/every_room.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace custom_program {

/// A folder that is gone with it, to write small programs into.
class Folder {
public:
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "stagecraft-programs-XXXXXX").string();
        path_ = mkdtemp(name.data());
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    const std::filesystem::path& path() const { return path_; }
    /// An executable file with that text. @return its path
    std::string add(const std::string& name, const std::string& text) const {
        std::ofstream(path_ / name) << text;
        std::filesystem::permissions(path_ / name, std::filesystem::perms::owner_all);
        return (path_ / name).string();
    }
    /// A shell script; $1 is its argument, and a call for its description fails unless it says otherwise.
    std::string script(const std::string& name, const std::string& body) const {
        return add(name, "#!/bin/sh\n[ \"$1\" = --describe ] && exit 9\n" + body + "\n");
    }
    /// One that answers with a text, whatever it is asked.
    std::string answering(const std::string& name, const std::string& answer) const {
        return script(name, "cat <<'END'\n" + answer + "\nEND");
    }

private:
    std::filesystem::path path_;
};

/// Four GPUs in two servers, three layers.
inline const stagecraft::formats::Project& toy() {
    static const auto project =
        stagecraft::formats::openProject(STAGECRAFT_SOURCE_DIR "/samples/fig2-toy.stagecraft.json");
    return project;
}

}  // namespace custom_program
