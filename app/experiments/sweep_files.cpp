#include "app/experiments/sweep_files.h"

#include "app/document/version.h"

#include <QStandardPaths>

#include <chrono>
#include <system_error>

namespace stagecraft::app::experiments {

namespace {

/// As one word of a shell.
std::string quoted(const std::string& word) {
    std::string text = "'";
    for (const char letter : word) text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    return text + "'";
}

/// Runs one shard, whose number the shell has in `number`.
std::string shardCommand(const ShardJobs& jobs, const std::string& number) {
    const std::string of = std::to_string(jobs.shards);
    const std::string file = quoted(jobs.out + ".shard-") + number + "-of-" + of;
    return quoted(jobs.program) + " sweep " + quoted(jobs.experiment) + " --shard " + number + "/" + of +
           " --jobs " + std::to_string(jobs.jobs) + " --cache " + file + ".cache --out " + file + ".json";
}

std::string mergeCommand(const ShardJobs& jobs) {
    std::string command = quoted(jobs.program) + " merge";
    for (int shard = 1; shard <= jobs.shards; ++shard)
        command += " " + quoted(shardFile(jobs.out, shard, jobs.shards));
    return command + " --out " + quoted(jobs.out);
}

std::string slurmHead(const char* name) {
    return "#!/bin/bash\n#SBATCH --job-name=" + std::string(name) +
           "\n#SBATCH --nodes=1\n#SBATCH --ntasks=1\n";
}

}  // namespace

std::filesystem::path usualCacheFile() {
    const QString folder = QStandardPaths::writableLocation(QStandardPaths::GenericCacheLocation);
    return std::filesystem::path(folder.toStdString()) / "Stagecraft" / "results.jsonl";
}

std::string programRevision() {
    std::error_code error;
    // The link itself, which leads to the file that runs even where another has taken its place.
    const std::filesystem::path program = "/proc/self/exe";
    const auto size = std::filesystem::file_size(program, error);
    const auto time = std::filesystem::last_write_time(program, error).time_since_epoch().count();
    return std::string(version()) + " " + std::to_string(size) + " " + std::to_string(time);
}

std::string shardFile(const std::string& out, int shard, int shards) {
    return out + ".shard-" + std::to_string(shard) + "-of-" + std::to_string(shards) + ".json";
}

std::string slurmArrayScript(const ShardJobs& jobs) {
    return slurmHead("stagecraft") + "#SBATCH --array=1-" + std::to_string(jobs.shards) +
           "\n#SBATCH --cpus-per-task=" + std::to_string(jobs.jobs) +
           "\n# A shard that was ended continues from its cache when it is submitted again: sbatch --array=N "
           "…\n" +
           "set -euo pipefail\n" + shardCommand(jobs, "\"$SLURM_ARRAY_TASK_ID\"") + "\n";
}

std::string slurmMergeScript(const ShardJobs& jobs) {
    return slurmHead("stagecraft-merge") + "set -euo pipefail\n" + mergeCommand(jobs) + "\n";
}

std::string parallelScript(const ShardJobs& jobs, const std::string& hosts) {
    std::string shards;
    for (int shard = 1; shard <= jobs.shards; ++shard) shards += " " + std::to_string(shard);
    // The hosts share the folder: each shard is written where it is merged.
    const std::string where = hosts.empty() ? "" : " --sshlogin " + quoted(hosts) + " --workdir \"$PWD\"";
    // As many shards at a time as their threads leave cores for.
    const std::string share = jobs.jobs > 1 ? " --jobs " + std::to_string(100 / jobs.jobs) + "%" : "";
    return "#!/bin/bash\nset -euo pipefail\n# A shard that was ended continues from its cache when this is "
           "run "
           "again.\nparallel --halt soon,fail=1" +
           share + where + " " + quoted(shardCommand(jobs, "{}")) + " :::" + shards + "\n" +
           mergeCommand(jobs) + "\n";
}

}  // namespace stagecraft::app::experiments
