#include "app/commands/import_command.h"
#include "app/commands/inputs.h"
#include "app/commands/recording_report.h"
#include "core/formats/file_stream.h"
#include "core/formats/json_writer.h"
#include "core/formats/recordings/import.h"
#include "core/formats/traces/trace_json.h"
#include "core/recordings/recorded_project.h"

#include <filesystem>
#include <stdexcept>

namespace stagecraft::app::commands {

namespace {

/// As a trace, which this program and Perfetto open.
void writeRecording(const Recording& recording, const std::string& target) {
    const TraceContent content = traceContent(recording);
    writeFileInParts(target, [&](const WriteBytes& write) { writeTraceJson(content, write); });
}

Project projectOf(const Recording& recording, const std::string& path) {
    try {
        return recordings::projectFrom(recording);
    } catch (const std::invalid_argument& error) {
        throw InputError(path, "", error.what(), "passes of whole iterations on all stages");
    }
}

}  // namespace

bool asksForRecording(const Arguments& arguments) {
    const std::string as = arguments.text("as").value_or("");
    if (as == "recording" || as == "plan") return true;
    if (!as.empty() && as != "profile") return false;
    // Of a folder nothing else can be read: reading it says what is missing.
    const std::filesystem::path first =
        arguments.positional().empty() ? std::string() : arguments.positional().front();
    std::error_code error;
    return std::filesystem::is_directory(first, error) || (!first.empty() && isRecording(first));
}

void importRecording(const Arguments& arguments, std::ostream& out, std::ostream& err) {
    const std::string as = arguments.text("as").value_or("recording");
    const std::vector<std::filesystem::path> files = traceFiles(arguments, 0);
    const Recording recording = readRecording(files);
    if (as == "recording") {
        const RecordingFindings findings = findingsOf(recording);
        if (arguments.has("json")) {
            out << formatJson(recordingJson(recording, findings));
        } else {
            printRecording(recording, findings, out);
            if (findings.hasPasses()) {
                out << "\n";
                printGains(recording, findings, out);
            }
        }
        if (const auto target = arguments.text("out")) writeRecording(recording, *target);
        return;
    }
    const std::string target = arguments.required("out");
    Project project = projectOf(recording, files.front().string());
    for (const std::string& assumption : project.problem.cluster.assumptions)
        err << files.front().string() << ": assumed: " << assumption << "\n";
    stampPlans(project);
    if (as == "profile")
        writeFileAtomically(target, writeProfile(project.problem.profile));
    else if (target.ends_with(".stagecraft.json"))
        writeFileAtomically(target, writeProject(project));
    else
        writeFileAtomically(target,
                            writePlan({project.problem, project.plans.front(), project.origins.front()}));
}

}  // namespace stagecraft::app::commands
