#include "core/planners/automatic/work_in_turn.h"

#include <algorithm>
#include <thread>

namespace stagecraft::planners {

void WorkInTurn::onThreads(int threads, std::size_t count, const Work& work, const Take& take) {
    WorkInTurn inTurn(1);
    std::vector<std::jthread> helpers;
    const std::size_t most = std::min(static_cast<std::size_t>(threads), count);
    try {
        for (std::size_t i = 1; i < most; ++i) helpers.emplace_back([&inTurn] { inTurn.help(); });
        inTurn.run(count, work, take);
    } catch (...) {
        inTurn.done();
        throw;
    }
    inTurn.done();
}

void WorkInTurn::run(std::size_t count, const Work& work, const Take& take) {
    Row row{count, work, take, std::vector<std::exception_ptr>(count), std::vector<char>(count, 0)};
    std::unique_lock lock(mutex_);
    rows_.push_back(&row);
    changed_.notify_all();
    while (!row.isOver()) {
        if (row.hasNext())
            workOn(row, lock);
        else
            changed_.wait(lock);
    }
    std::erase(rows_, &row);
    if (row.failure) std::rethrow_exception(row.failure);
}

void WorkInTurn::done() {
    const std::lock_guard lock(mutex_);
    --owners_;
    changed_.notify_all();
}

void WorkInTurn::help() {
    std::unique_lock lock(mutex_);
    while (owners_ > 0) {
        const auto row = std::ranges::find_if(rows_, [](const Row* each) { return each->hasNext(); });
        if (row != rows_.end())
            workOn(**row, lock);
        else
            changed_.wait(lock);
    }
}

void WorkInTurn::workOn(Row& row, std::unique_lock<std::mutex>& lock) {
    const std::size_t piece = row.next++;
    ++row.running;
    lock.unlock();
    std::exception_ptr failure;
    try {
        row.work(piece);
    } catch (...) {
        failure = std::current_exception();
    }
    lock.lock();
    --row.running;
    row.failures[piece] = failure;
    row.isDone[piece] = 1;
    takeDone(row);
    changed_.notify_all();
}

void WorkInTurn::takeDone(Row& row) {
    for (; !row.isEnded && row.taken < row.count && row.isDone[row.taken]; ++row.taken) {
        row.failure = row.failures[row.taken];
        row.isEnded = row.failure || !row.take(row.taken);
    }
}

}  // namespace stagecraft::planners
