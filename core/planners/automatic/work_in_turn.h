#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <vector>

namespace stagecraft::planners {

/// Work of several threads on rows of pieces. What comes of the pieces of a row is taken in turn, one at a
/// time; each may be begun before its turn, by a thread that has nothing else to do. With one thread a piece
/// is begun when all before it were taken.
class WorkInTurn {
public:
    /// Of which any number may run at once.
    using Work = std::function<void(std::size_t piece)>;
    /// In turn; false: none after it is wanted. Of pieces that are not taken failures do not matter.
    using Take = std::function<bool(std::size_t piece)>;

    /// @param owners threads that call run() until they say that they are done()
    explicit WorkInTurn(std::size_t owners) : owners_(owners) {}

    /// A row by itself, on so many threads and no more than it has pieces; this one is one of them.
    /// @throws as run()
    static void onThreads(int threads, std::size_t count, const Work& work, const Take& take);

    /// Works on a row, with those who help(), to its end. @throws what a piece that was to be taken has
    /// thrown
    void run(std::size_t count, const Work& work, const Take& take);
    /// An owner has no more rows.
    void done();
    /// Works on others' rows until all owners are done.
    void help();

private:
    struct Row {
        std::size_t count;
        const Work& work;
        const Take& take;
        std::vector<std::exception_ptr> failures;
        std::vector<char> isDone;
        std::size_t next = 0, taken = 0, running = 0;
        bool isEnded = false;
        std::exception_ptr failure = {};

        bool hasNext() const { return !isEnded && next < count; }
        bool isOver() const { return running == 0 && (isEnded || taken == count); }
    };
    void workOn(Row& row, std::unique_lock<std::mutex>& lock);
    static void takeDone(Row& row);

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Row*> rows_;
    std::size_t owners_;
};

}  // namespace stagecraft::planners
