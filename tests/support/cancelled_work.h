#pragma once

#include "tests/support/every_room.h"
#include "tests/support/test_extent.h"

#include "core/base/work_context.h"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <random>
#include <thread>

namespace stagecraft::testing {

inline double cpuMs(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr double answerLimitMs = 1000;
#else
inline constexpr double answerLimitMs = 100;
#endif

struct Answer {
    double askedAtMs = 0;  ///< CPU of the work until it was asked to stop, and from then on
    double tookMs = 0;
    bool cancelled = false;  ///< else it was done before
};

/// @param atMs CPU of the work after which it is asked to stop
template <typename Work>
Answer answerOf(const Work& work, double atMs) {
    std::stop_source stop;
    Answer answer;
    std::atomic<double> endedAtMs = -1;
    std::thread worker([&] {
        try {
            work(WorkContext{stop.get_token(), {}});
        } catch (const Cancelled&) {
            answer.cancelled = true;
        }
        endedAtMs = cpuMs(CLOCK_THREAD_CPUTIME_ID);
        // Its clock is read from outside until then.
        while (!stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
    clockid_t clock{};
    pthread_getcpuclockid(worker.native_handle(), &clock);
    while (endedAtMs < 0 && cpuMs(clock) < atMs) std::this_thread::sleep_for(std::chrono::microseconds(200));
    answer.askedAtMs = cpuMs(clock);
    stop.request_stop();
    worker.join();
    answer.tookMs = endedAtMs - answer.askedAtMs;
    return answer;
}

/// The quickest of up to three answers, as far as they are too slow: what does not ask whether to stop is
/// slow each time, a machine that is short of free pages is not.
template <typename Work>
Answer leastOf(const Work& work, double atMs, double limitMs = answerLimitMs) {
    Answer least = answerOf(work, atMs);
    for (int again = 0; again < 2 && least.tookMs >= limitMs; ++again)
        if (const Answer answer = answerOf(work, atMs); answer.tookMs < least.tookMs) least = answer;
    return least;
}

/// How often each work is asked to stop: STAGECRAFT_CANCELS, or `usual`, in full four times as often.
inline int cancelCount(int usual) {
    const char* asked = std::getenv("STAGECRAFT_CANCELS");
    return asked ? std::atoi(asked) : inFull() ? 4 * usual : usual;
}

/// STAGECRAFT_SEED says which instants are drawn.
inline std::mt19937 cancelInstants() {
    const char* seed = std::getenv("STAGECRAFT_SEED");
    return std::mt19937(seed ? static_cast<unsigned>(std::atoi(seed)) : std::random_device()());
}

}  // namespace stagecraft::testing
