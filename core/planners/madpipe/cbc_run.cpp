#include "core/planners/madpipe/cbc_run.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <spawn.h>
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char** environ;

namespace stagecraft {

namespace {

std::filesystem::path newFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "stagecraft-cbc-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder for cbc: " + name);
    return name;
}

pid_t spawn(std::vector<std::string> words, const std::filesystem::path& log) {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
    pid_t process = -1;
    const int error = posix_spawnp(&process, arguments.front(), &files, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    if (error != 0) throw std::runtime_error("cbc cannot be started");
    return process;
}

/// The number after `words` in `line`.
std::optional<double> numberAfter(const std::string& line, const std::string& words) {
    const std::size_t at = line.find(words);
    if (at == std::string::npos) return std::nullopt;
    const char* begin = line.c_str() + at + words.size();
    char* end = nullptr;
    const double number = std::strtod(begin, &end);
    if (end == begin || std::abs(number) > 1e40) return std::nullopt;  // 1e+50: none yet
    return number;
}

/// The number before `words` in `line`.
std::optional<double> numberBefore(const std::string& line, const std::string& words) {
    const std::size_t at = line.find(words);
    if (at == std::string::npos) return std::nullopt;
    const std::size_t space = line.rfind(' ', at - 1);
    return numberAfter(line.substr(space == std::string::npos ? 0 : space, at), " ");
}

}  // namespace

bool CbcRun::available() {
    const char* path = std::getenv("PATH");
    std::istringstream folders(path ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');)
        if (access((folder + "/cbc").c_str(), X_OK) == 0) return true;
    return false;
}

CbcRun::CbcRun(const std::string& program, double timeLimitS) : folder_(newFolder()) {
    std::ofstream(folder_ / "pattern.lp") << program;
    try {
        // Line by line, or its log would come in blocks of 4 KiB, long after what it reports.
        process_ = spawn({"stdbuf", "-oL", "cbc", folder_ / "pattern.lp", "-timeMode", "elapsed", "-sec",
                          std::to_string(std::max(timeLimitS, 0.1)), "-ratioGap", "0", "-allowableGap", "0",
                          "-solve", "-solution", folder_ / "solution"},
                         folder_ / "log");
    } catch (...) {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
        throw;
    }
}

CbcRun::~CbcRun() {
    if (!ended_) {
        kill(process_, SIGKILL);
        waitpid(process_, nullptr, 0);
    }
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

bool CbcRun::finished() {
    if (!ended_) ended_ = waitpid(process_, nullptr, WNOHANG) != 0;
    readLog();
    return ended_;
}

void CbcRun::finishSoon() {
    if (!ended_) kill(process_, SIGINT);
}

void CbcRun::readLog() {
    std::ifstream log(folder_ / "log");
    log.seekg(static_cast<std::streamoff>(readSoFar_));
    for (std::string line; std::getline(log, line);) {
        if (log.eof()) break;  // it is still writing the line
        readSoFar_ += line.size() + 1;
        parseLine(line);
    }
}

/// cbc turns a maximum into a minimum, so that its numbers have the other sign.
void CbcRun::parseLine(const std::string& line) {
    if (line.starts_with("Cbc0012I") || line.starts_with("Cbc0004I") || line.starts_with("Cbc0016I"))
        if (const auto best = numberAfter(line, "Integer solution of ")) best_ = -*best;
    if (const auto best = numberBefore(line, " best solution")) best_ = -*best;
    if (const auto bound = numberAfter(line, "best possible ")) bound_ = -*bound;
}

CbcRun::Result CbcRun::result() const {
    Result result;
    std::ifstream file(folder_ / "solution");
    std::string line;
    if (!std::getline(file, line)) return result;
    const auto says = [&](const char* words) { return line.find(words) != std::string::npos; };
    if (says("nfeasible")) {
        result.outcome = Outcome::infeasible;
        return result;
    }
    if (says("Optimal"))
        result.outcome = Outcome::proven;
    else if (says("Stopped"))
        result.outcome = Outcome::stopped;
    else
        return result;
    result.hasSolution = !says("no integer solution");
    while (std::getline(file, line)) {
        std::istringstream words(line);
        std::string number, name;
        double value = 0;
        if (words >> number && number == "**") words >> number;  // marks a value outside its bounds
        if (words >> name >> value) result.values[name] = value;
    }
    return result;
}

}  // namespace stagecraft
