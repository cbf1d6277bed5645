#pragma once

#include "app/rooms.h"

#include <filesystem>
#include <string>

namespace stagecraft::app::experiments {

/// Where results of cells are kept from one run to the next, unless a run names a file of its own:
/// results.jsonl in the person's cache folder.
std::filesystem::path usualCacheFile();
/// Tells programs apart that may give different results: version, size and time of the program file.
std::string programRevision();

/// How an array of jobs runs an experiment's shards and puts them together.
struct ShardJobs {
    std::string program;     ///< "stagecraft", as the nodes find it
    std::string experiment;  ///< file
    std::string out;         ///< file of the merged results
    int shards = 1;
    int jobs = 1;  ///< threads of each
};
/// "OUT.shard-3-of-8.json", shards counted from 1 as on the command line.
std::string shardFile(const std::string& out, int shard, int shards);
/// A batch script for Slurm: an array with a task a shard.
std::string slurmArrayScript(const ShardJobs& jobs);
/// The job that merges them; to be run once the array is done.
std::string slurmMergeScript(const ShardJobs& jobs);
/// A shell script that runs the shards by GNU parallel, on `hosts` over ssh ("a,b"; empty: here), then
/// merges.
std::string parallelScript(const ShardJobs& jobs, const std::string& hosts);

}  // namespace stagecraft::app::experiments
