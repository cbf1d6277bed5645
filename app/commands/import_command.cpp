#include "app/commands/command.h"
#include "app/commands/inputs.h"

namespace stagecraft {

namespace {

constexpr EnumName<FileKind> kindNames[] = {
    {FileKind::profile, "profile"}, {FileKind::cluster, "cluster"}, {FileKind::pipeDreamGraph, "pipedream"}};

int run(const Arguments& arguments, std::ostream&, std::ostream& err) {
    arguments.refuseMoreThan(1);
    const std::string& path = arguments.positionalAt(0, "FILE");
    const std::string target = arguments.required("out");
    const auto named = arguments.choice("as", kindNames);
    const int microbatchSize = arguments.integer("microbatch-size", 1).value_or(0);
    const std::string text = readTextFile(path);
    const FileKind kind = named.value_or(detectKind(text));
    if (kind == FileKind::cluster) {
        writeFileAtomically(target, writeCluster(readCluster(text, path)));
    } else if (kind == FileKind::profile || kind == FileKind::unknown) {
        // What is of no known kind is no profile either, and openProfile says what is wrong with it.
        writeFileAtomically(target,
                            writeProfile(named ? readProfile(text, path) : openProfile(path).profile));
    } else if (kind == FileKind::pipeDreamGraph) {
        const ImportedProfile imported = readPipeDreamGraph(text, path, microbatchSize);
        printNotes(imported.notes, path, err);
        writeFileAtomically(target, writeProfile(imported.profile));
    } else {
        throw InputError(
            path, "", "this is a project or a plan",
            "a profile or a cluster; --as " + joinNames(allNames(kindNames), "|") + " names the format");
    }
    return exitDone;
}

}  // namespace

Command importCommand() {
    return {"import",
            {"FILE --out F [--as KIND]"},
            "Converts a profile or a cluster of any known format into the native one.",
            {{"out", "F", "the file to write"},
             {"as", "KIND",
              "the format, where its content does not tell: " + joinNames(allNames(kindNames), " | ")},
             {"microbatch-size", "N", "samples in a minibatch, where a PipeDream profile does not say"}},
            &run};
}

}  // namespace stagecraft
