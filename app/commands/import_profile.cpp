#include "app/commands/import_profile.h"

#include "app/commands/inputs.h"
#include "core/formats/profiles/import.h"
#include "core/model/profile_sizes.h"

namespace stagecraft {

namespace {

/// By the exponent of ten.
constexpr EnumName<int> timeUnitNames[] = {{0, "s"}, {-3, "ms"}, {-6, "us"}, {-9, "ns"}};

double secondsOf(int exponent) {
    double seconds = 1;
    for (; exponent < 0; exponent += 3) seconds /= 1000;
    return seconds;
}

ProfileImportOptions optionsFrom(const Arguments& arguments) {
    ProfileImportOptions options;
    options.microbatchSize = arguments.integer("microbatch-size", 1).value_or(0);
    if (const auto unit = arguments.choice("time-unit", timeUnitNames)) options.timeUnitS = secondsOf(*unit);
    if (const auto split = arguments.text("split")) {
        options.splitFile = *split;
        options.splitText = readTextFile(*split);
    }
    return options;
}

Project projectOf(const Arguments& arguments, ImportedProfile imported, std::ostream& err) {
    Project project;
    project.name = imported.profile.name;
    project.problem.profile = std::move(imported.profile);
    project.problem.cluster = openCluster(arguments.required("cluster"));
    project.problem.setup.microbatches = 8;
    applySetupOptions(arguments, project.problem.setup);
    for (const ImportedSplit& split : imported.splits) {
        if (std::optional<Plan> plan = planOfSplit(split, project.problem.cluster))
            project.plans.push_back(std::move(*plan));
        else
            printNotes(
                {{ImportNote::Kind::ignored, split.name + " needs " + std::to_string(split.deviceCount()) +
                                                 " devices; the cluster has " +
                                                 std::to_string(project.problem.cluster.deviceCount())}},
                arguments.required("cluster"), err);
    }
    return project;
}

}  // namespace

const std::vector<Option>& profileImportOptions() {
    static const std::vector<Option> options = [] {
        std::vector<Option> own = {
            {"microbatch-size", "N", "profile: samples for which its times hold, where it does not say"},
            {"at-microbatch-size", "N",
             "profile: make it one for microbatches of N samples, by interpolation or in proportion"},
            {"time-unit", "UNIT",
             "profile: of Piper's times, which the file does not say: " +
                 joinNames(allNames(timeUnitNames), " | ")},
            {"split", "F",
             "profile: a division into stages in a file of its own: dnn-partitioning's, or PipeDream's "
             "hybrid_conf.json"},
            {"cluster", "F",
             "profile: write a project with this cluster, and the splits that come along as plans"}};
        own.insert(own.end(), setupOptions().begin(), setupOptions().end());
        return own;
    }();
    return options;
}

void importProfileFile(const Arguments& arguments, const std::string& path, FileKind kind,
                       std::ostream& err) {
    const std::string target = arguments.required("out");
    ImportedProfile imported = importProfile(readTextFile(path), path, optionsFrom(arguments), kind);
    if (const auto size = arguments.integer("at-microbatch-size", 1))
        imported.profile = profileAtSize(imported.profile, *size);
    if (!imported.splits.empty() && !arguments.has("cluster"))
        imported.notes.push_back(
            {ImportNote::Kind::ignored,
             "a profile has no place for plans: with --cluster F the stages become a plan"});
    printNotes(imported.notes, path, err);
    if (arguments.has("cluster"))
        writeFileAtomically(target, writeProject(projectOf(arguments, std::move(imported), err)));
    else
        writeFileAtomically(target, writeProfile(imported.profile));
}

}  // namespace stagecraft
