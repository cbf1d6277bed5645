#include "core/formats/orders/pass_check.h"

#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/formats/pass_text.h"

#include <set>
#include <tuple>

namespace stagecraft::formats {

namespace {

class PassCheck {
public:
    explicit PassCheck(const RankOrders& orders)
        : orders_(orders), stages_(orders.stages()), microbatches_(orders.microbatches()) {}

    std::optional<PassMistake> run() {
        rankOf_.assign(at(stages_), -1);
        for (std::size_t rank = 0; rank < orders_.ranks.size() && !mistake_; ++rank)
            for (std::size_t i = 0; i < orders_.ranks[rank].size() && !mistake_; ++i)
                look(static_cast<int>(rank), static_cast<int>(i), orders_.ranks[rank][i]);
        if (!mistake_) lookForMissing();
        return mistake_;
    }

private:
    std::string nameOf(const Task& task) const {
        return std::to_string(task.stage) + passLetter(task.kind) + std::to_string(task.microbatch);
    }

    static bool isBackward(TaskKind kind) {
        return kind == TaskKind::backward || kind == TaskKind::inputGradient;
    }
    static TaskKind otherBackward(TaskKind kind) {
        return kind == TaskKind::backward ? TaskKind::inputGradient : TaskKind::backward;
    }
    bool hasRun(const Task& task, TaskKind kind) const {
        return seen_.contains({task.stage, task.microbatch, kind});
    }

    void look(int rank, int position, const Task& task) {
        const auto fail = [&](const std::string& problem, const std::string& expected) {
            mistake_ = {rank, position, problem, expected};
        };
        int& place = rankOf_[at(task.stage)];
        if (place >= 0 && place != rank)
            return fail("stage " + std::to_string(task.stage) + " is on rank " + std::to_string(place) +
                            " and on rank " + std::to_string(rank),
                        "a stage on one rank");
        place = rank;
        if (!seen_.insert({task.stage, task.microbatch, task.kind}).second)
            return fail(nameOf(task) + " comes twice", "each pass once");
        if (isBackward(task.kind) && hasRun(task, otherBackward(task.kind)))
            return fail(nameOf(task) + " comes after " +
                            nameOf({otherBackward(task.kind), task.stage, task.microbatch}),
                        "a backward that is whole (B) or split (I and W)");
        const TaskKind needed =
            task.kind == TaskKind::weightGradient ? TaskKind::inputGradient : TaskKind::forward;
        if (task.kind != TaskKind::forward && !hasRun(task, needed)) {
            const Task missing{needed, task.stage, task.microbatch};
            return fail(nameOf(task) + " comes before " + nameOf(missing), nameOf(missing) + " first");
        }
        if (task.kind != TaskKind::forward || task.stage + 1 != stages_) return;
        if (task.microbatch != next_)
            return fail("the last stage runs " + nameOf(task) + " where microbatch " + std::to_string(next_) +
                            " is due; engines take losses in the order in which they come",
                        "forwards of the last stage in the order of microbatches");
        ++next_;
    }

    /// Names the first one; it comes at the latest after as many as there are.
    void lookForMissing() {
        for (int stage = 0; stage < stages_; ++stage)
            for (int microbatch = 0; microbatch < microbatches_; ++microbatch)
                for (const TaskKind kind :
                     {TaskKind::forward, TaskKind::backward, TaskKind::weightGradient}) {
                    const Task task{kind, stage, microbatch};
                    const bool whole = !hasRun(task, TaskKind::inputGradient);
                    if (hasRun(task, kind) || (whole ? kind == TaskKind::weightGradient : isBackward(kind)))
                        continue;
                    mistake_ = {-1, -1, nameOf(task) + " is missing",
                                "every pass of " + counted(microbatches_, "microbatch", "microbatches") +
                                    " on " + counted(stages_, "stage") + ", counted from 0"};
                    return;
                }
    }

    const RankOrders& orders_;
    int stages_, microbatches_;
    std::vector<int> rankOf_;  ///< by stage
    std::set<std::tuple<int, int, TaskKind>> seen_;
    int next_ = 0;  ///< microbatch of the last stage's next forward
    std::optional<PassMistake> mistake_;
};

}  // namespace

std::optional<PassMistake> firstMistake(const RankOrders& orders) { return PassCheck(orders).run(); }

}  // namespace stagecraft::formats
