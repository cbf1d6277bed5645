#include "core/base/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <span>
#include <stdexcept>
#include <utility>

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
    // It would keep open what other threads have just made for programs of theirs.
    if (answers > STDERR_FILENO + 1) ::close_range(STDERR_FILENO + 1, static_cast<unsigned>(answers) - 1, 0);
    ::close_range(static_cast<unsigned>(answers) + 1, ~0U, 0);
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

// What follows runs between fork and exec, where other threads may hold any lock: system calls alone.

void giveAs(int descriptor, int standard) {
    if (descriptor == standard)
        ::fcntl(standard, F_SETFD, 0);
    else if (descriptor >= 0)
        ::dup2(descriptor, standard);
}

void confineThisProcess(const Confinement& confinement) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const rlimit none{0, 0}, bytes{confinement.memoryBytes, confinement.memoryBytes};
    ::setrlimit(RLIMIT_CORE, &none);
    ::setrlimit(RLIMIT_AS, &bytes);
}

/// Lines out of pieces.
class LineSplitter {
public:
    explicit LineSplitter(const std::function<void(std::string_view)>& take) : take_(take) {}
    void add(std::string_view piece) {
        for (const char letter : piece)
            if (letter == '\n')
                finish();
            else if (line_.size() < longest)
                line_ += letter;
    }
    void finish() {
        if (take_ && !line_.empty()) take_(line_);
        line_.clear();
    }

private:
    static constexpr std::size_t longest = 4096;
    const std::function<void(std::string_view)>& take_;
    std::string line_;
};

/// What there is to read; closes the descriptor at its end.
std::string_view nextPiece(int& descriptor, std::span<char> buffer) {
    ssize_t count = -1;
    do count = ::read(descriptor, buffer.data(), buffer.size());
    while (count < 0 && errno == EINTR);
    if (count > 0) return {buffer.data(), static_cast<std::size_t>(count)};
    ::close(std::exchange(descriptor, -1));
    return {};
}

}  // namespace

/// What a program gets as standard input, output and error; -1: what this process has.
struct ChildProcess::Streams {
    int input = -1, output = -1, errors = -1;
    ~Streams() {
        for (const int each : {input, output, errors})
            if (each >= 0) ::close(each);
    }
};

bool isOnPath(const std::string& program) {
    const char* path = std::getenv("PATH");
    std::istringstream folders(path ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');)
        if (::access((folder + "/" + program).c_str(), X_OK) == 0) return true;
    return false;
}

ChildProcess::ChildProcess(std::vector<std::string> words, const std::filesystem::path& log,
                           std::string_view input) {
    Streams streams;
    streams.input = input.empty() ? ::open("/dev/null", O_RDONLY | O_CLOEXEC) : fileWith(input);
    if (log.empty()) {
        const std::array<int, 2> ends = newPipe();
        output_ = ends[0];
        streams.output = ends[1];
    } else {
        streams.output = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        streams.errors = ::fcntl(streams.output, F_DUPFD_CLOEXEC, 0);
    }
    start(words, streams, nullptr);
}

ChildProcess::ChildProcess(std::vector<std::string> words, std::string_view input,
                           const Confinement& confinement)
    : confined_(true) {
    Streams streams;
    streams.input = fileWith(input);
    for (const auto& [mine, its] : {std::pair(&output_, &streams.output), {&errors_, &streams.errors}}) {
        const std::array<int, 2> ends = newPipe();
        *mine = ends[0];
        *its = ends[1];
    }
    start(words, streams, &confinement);
}

/// The pipe closes when the program begins; else it brings the error.
void ChildProcess::start(std::vector<std::string>& words, const Streams& streams,
                         const Confinement* confinement) {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const std::array<int, 2> failures = newPipe();
    process_ = ::fork();
    if (process_ == 0) {
        giveAs(streams.input, STDIN_FILENO);
        giveAs(streams.output, STDOUT_FILENO);
        giveAs(streams.errors, STDERR_FILENO);
        if (confinement) confineThisProcess(*confinement);
        if (confinement)
            ::execv(arguments.front(), arguments.data());
        else
            ::execvp(arguments.front(), arguments.data());
        const int error = errno;
        writeWhole(failures[1], {reinterpret_cast<const char*>(&error), sizeof error});
        ::_exit(127);
    }
    int error = process_ < 0 ? errno : 0;
    ::close(failures[1]);
    while (::read(failures[0], &error, sizeof error) < 0 && errno == EINTR) {
    }
    ::close(failures[0]);
    if (error == 0) return;
    if (process_ > 0) reap(true);
    closeOutput();
    throw std::runtime_error(words.front() + " cannot be started: " + std::strerror(error));
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
    ReadLimits limits;
    limits.time = limit;
    ReadWatch watch;
    watch.stop = stop;
    ProcessOutput written = read(limits, watch);
    if (written.end != ReadEnd::whole) return std::nullopt;
    return std::move(written.text);
}

ProcessOutput ChildProcess::read(const ReadLimits& limits, const ReadWatch& watch) {
    using Clock = std::chrono::steady_clock;
    constexpr long long glanceMs = 50;  // how long a stop may wait to be seen
    const auto end = Clock::now() + limits.time;
    const bool glances = confined_ || watch.stop.stop_possible();
    std::vector<char> buffer(std::size_t{1} << 16);
    ProcessOutput written;
    LineSplitter lines(watch.errorLine);
    bool asked = false;
    const auto breakOff = [&](ReadEnd why) {
        endByForce();
        written.end = why;
        return std::move(written);
    };
    for (;;) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
        if (watch.stop.stop_requested()) return breakOff(ReadEnd::stopped);
        if (left <= 0) return breakOff(ReadEnd::outOfTime);
        if (watch.enough.stop_requested() && !std::exchange(asked, true)) interrupt();
        std::array<pollfd, 2> waiting{{{output_, POLLIN, 0}, {errors_, POLLIN, 0}}};
        const long long patience = std::min<long long>(left, glances ? glanceMs : 1 << 30);
        const int ready = ::poll(waiting.data(), waiting.size(), static_cast<int>(patience));
        if (ready > 0 && waiting[0].revents) written.text += nextPiece(output_, buffer);
        if (ready > 0 && waiting[1].revents) lines.add(nextPiece(errors_, buffer));
        if (written.text.size() > limits.bytes) return breakOff(ReadEnd::tooMuch);
        // One that is confined may have closed its output and run on, or have left others that hold it open.
        const bool done = confined_ ? ended() && (ready == 0 || (output_ < 0 && errors_ < 0)) : output_ < 0;
        if (!done) continue;
        lines.finish();
        return written;
    }
}

bool ChildProcess::ended() {
    if (!ended_) reap(false);
    return ended_;
}

bool ChildProcess::endedWell() {
    if (!ended_) reap(true);
    return ended_ && WIFEXITED(status_) && WEXITSTATUS(status_) == 0;
}

std::string ChildProcess::ending() {
    if (!ended_) reap(true);
    if (WIFEXITED(status_)) return "exit status " + std::to_string(WEXITSTATUS(status_));
    const char* name = ::sigdescr_np(WTERMSIG(status_));
    return "signal " + std::to_string(WTERMSIG(status_)) + " (" + (name ? name : "unknown") + ")";
}

/// While the process is known to have ended and not yet reaped, nobody else can have its number: what is left
/// of its group is ended then.
void ChildProcess::reap(bool wait) {
    siginfo_t info{};
    const int how = WEXITED | WNOWAIT | (wait ? 0 : WNOHANG);
    int result = 0;
    do result = ::waitid(P_PID, static_cast<id_t>(process_), &info, how);
    while (result < 0 && errno == EINTR);
    if (result == 0 && info.si_pid == 0) return;  // it runs
    if (confined_) ::kill(-process_, SIGKILL);
    ended_ = true;
    while ((result = ::waitpid(process_, &status_, 0)) < 0 && errno == EINTR) {
    }
    if (result < 0) status_ = W_EXITCODE(1, 0);  // somebody else has reaped it
}

void ChildProcess::interrupt() {
    if (!ended_) ::kill(process_, SIGINT);
}

void ChildProcess::endByForce() {
    if (ended_) return;
    ::kill(confined_ ? -process_ : process_, SIGKILL);
    endedWell();
}

void ChildProcess::closeOutput() {
    for (int* each : {&output_, &errors_})
        if (*each >= 0) ::close(std::exchange(*each, -1));
}

}  // namespace stagecraft::base
