#include "core/planners/madpipe/cbc_run.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace stagecraft::planners {

namespace {

std::filesystem::path newFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "stagecraft-cbc-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder for cbc: " + name);
    return name;
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

bool CbcRun::available() { return isOnPath("cbc"); }

CbcRun::CbcRun(const std::string& program, double timeLimitS) : folder_(newFolder()) {
    std::ofstream(folder_ / "pattern.lp") << program;
    try {
        // Line by line, or its log would come in blocks of 4 KiB, long after what it reports.
        process_.emplace(
            std::vector<std::string>{"stdbuf", "-oL", "cbc", folder_ / "pattern.lp", "-timeMode", "elapsed",
                                     "-sec", std::to_string(std::max(timeLimitS, 0.1)), "-ratioGap", "0",
                                     "-allowableGap", "0", "-solve", "-solution", folder_ / "solution"},
            folder_ / "log");
    } catch (...) {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
        throw;
    }
}

CbcRun::~CbcRun() {
    process_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

bool CbcRun::finished() {
    const bool ended = process_->ended();
    readLog();
    return ended;
}

void CbcRun::finishSoon() { process_->interrupt(); }

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

}  // namespace stagecraft::planners
