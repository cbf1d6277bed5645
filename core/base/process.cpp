#include "core/base/process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

extern char** environ;

namespace stagecraft::base {

namespace {

/// [0] to read from, [1] to write to; a program that is started has neither, unless it is given one.
std::array<int, 2> newPipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("a pipe cannot be created");
    return ends;
}

void writeWhole(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return;
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

/// A file in memory, to be read from its beginning: unlike a pipe it is never full.
int fileWith(std::string_view bytes) {
    const int file = ::memfd_create("input", MFD_CLOEXEC);
    if (file < 0) throw std::runtime_error("no memory for the input of a process");
    writeWhole(file, bytes);
    ::lseek(file, 0, SEEK_SET);
    return file;
}

[[noreturn]] void workInChild(const std::function<std::string()>& work, int answers) {
    // A crash is for the parent to report, not for a handler that the program has.
    for (const int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGTERM}) ::signal(signal, SIG_DFL);
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) ::dup2(nowhere, STDERR_FILENO);
    try {
        writeWhole(answers, work());
    } catch (...) {
        ::_exit(1);
    }
    ::_exit(0);
}

}  // namespace

bool isOnPath(const std::string& program) {
    const char* path = std::getenv("PATH");
    std::istringstream folders(path ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');)
        if (::access((folder + "/" + program).c_str(), X_OK) == 0) return true;
    return false;
}

ChildProcess::ChildProcess(std::vector<std::string> words, const std::filesystem::path& log,
                           std::string_view input) {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const int toRead = input.empty() ? -1 : fileWith(input);
    const std::array<int, 2> ends = log.empty() ? newPipe() : std::array{-1, -1};
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    if (toRead >= 0)
        posix_spawn_file_actions_adddup2(&files, toRead, STDIN_FILENO);
    else
        posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (log.empty()) {
        posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
    } else {
        posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                         0600);
        posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
    }
    const int error = posix_spawnp(&process_, arguments.front(), &files, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    for (const int end : {toRead, ends[1]})
        if (end >= 0) ::close(end);
    output_ = ends[0];
    if (error == 0) return;
    closeOutput();
    throw std::runtime_error(words.front() + " cannot be started");
}

ChildProcess::ChildProcess(const std::function<std::string()>& work) {
    const std::array<int, 2> ends = newPipe();
    process_ = ::fork();
    if (process_ == 0) workInChild(work, ends[1]);
    ::close(ends[1]);
    output_ = ends[0];
    if (process_ > 0) return;
    closeOutput();
    throw std::runtime_error("no further process can be started");
}

ChildProcess::~ChildProcess() {
    endByForce();
    closeOutput();
}

std::optional<std::string> ChildProcess::output(std::chrono::milliseconds limit,
                                                const std::stop_token& stop) {
    using Clock = std::chrono::steady_clock;
    constexpr long long glanceMs = 50;  // how long a stop may wait to be seen
    const auto end = Clock::now() + limit;
    std::string written;
    std::array<char, 1 << 16> buffer{};
    for (;;) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
        if (left <= 0 || stop.stop_requested()) {
            endByForce();
            return std::nullopt;
        }
        pollfd waiting{output_, POLLIN, 0};
        const long long patience = stop.stop_possible() ? std::min<long long>(left, glanceMs) : left;
        const int ready = ::poll(&waiting, 1, static_cast<int>(patience));
        if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
        const ssize_t count = ready < 0 ? -1 : ::read(output_, buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return written;
        written.append(buffer.data(), static_cast<std::size_t>(count));
    }
}

bool ChildProcess::ended() {
    if (!ended_) ended_ = ::waitpid(process_, &status_, WNOHANG) != 0;
    return ended_;
}

bool ChildProcess::endedWell() {
    while (!ended_) {
        ended_ = ::waitpid(process_, &status_, 0) > 0;
        if (!ended_ && errno != EINTR) return false;
    }
    return WIFEXITED(status_) && WEXITSTATUS(status_) == 0;
}

void ChildProcess::interrupt() {
    if (!ended_) ::kill(process_, SIGINT);
}

void ChildProcess::endByForce() {
    if (ended_) return;
    ::kill(process_, SIGKILL);
    endedWell();
}

void ChildProcess::closeOutput() {
    if (output_ >= 0) ::close(output_);
    output_ = -1;
}

}  // namespace stagecraft::base
