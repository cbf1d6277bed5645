#include "core/formats/orders/pipelining_csv.h"

#include "core/base/indices.h"
#include "core/base/text_parts.h"
#include "core/formats/input_error.h"
#include "core/formats/orders/pass_check.h"
#include "core/formats/pass_text.h"

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <set>
#include <stdexcept>
#include <tuple>

namespace stagecraft::formats {

namespace {

constexpr std::string_view communicationNames[] = {"UNSHARD", "RESHARD", "REDUCE_GRAD", "SEND_F",
                                                   "RECV_F",  "SEND_B",  "RECV_B"};

/// "12", then letters and underscores, then "3" or nothing.
struct Token {
    int stage = 0;
    std::string_view action;
    std::optional<int> microbatch;
};
constexpr const char* pairName = "OVERLAP_F_B";

std::optional<Token> tokenOf(std::string_view cell) {
    const std::optional<int> stage = takeCount(cell);
    if (!stage) return std::nullopt;
    Token token{*stage, cell.substr(0, cell.find_first_of("0123456789")), {}};
    cell.remove_prefix(token.action.size());
    if (!cell.empty() && !(token.microbatch = takeCount(cell))) return std::nullopt;
    if (!cell.empty() || token.action.empty()) return std::nullopt;
    return token;
}

/// Nothing for what is no pass.
std::optional<TaskKind> kindOf(std::string_view action) {
    if (action == "F") return TaskKind::forward;
    if (action == "B") return TaskKind::backward;
    if (action == "I") return TaskKind::inputGradient;
    if (action == "W") return TaskKind::weightGradient;
    return std::nullopt;
}

bool isCommunication(std::string_view action) {
    return std::find(std::begin(communicationNames), std::end(communicationNames), action) !=
           std::end(communicationNames);
}

class CsvReader {
public:
    explicit CsvReader(const std::string& file) : file_(file) {}

    RankOrders read(std::string_view text) {
        int line = 0;
        for (const std::string_view row : linesOf(text)) {
            ++line;
            if (trimmed(row).empty()) {
                blank_ = blank_ > 0 ? blank_ : line;
                continue;
            }
            if (blank_ > 0)
                fail({blank_, 0}, "the row is empty, and the rank of each following row is its number",
                     "an action of every rank");
            readRow(row, line);
        }
        if (orders_.ranks.empty()) throw InputError(file_, "", "there is no rank", "a row for each rank");
        check();
        return std::move(orders_);
    }

private:
    struct Place {
        int line = 0, cell = 0;
    };

    [[noreturn]] void fail(const Place& place, const std::string& problem,
                           const std::string& expected) const {
        std::string where = "line " + std::to_string(place.line);
        if (place.cell > 0) where += ", cell " + std::to_string(place.cell);
        throw InputError(file_, where, problem, expected);
    }

    void readRow(std::string_view row, int line) {
        std::vector<Task>& order = orders_.ranks.emplace_back();
        std::vector<Place>& places = places_.emplace_back();
        int number = 0;
        for (const std::string_view cell : cellsOf(row, ',')) {
            const Place place{line, ++number};
            if (cell.empty()) continue;
            for (const Task& task : tasksOf(cell, place)) {
                order.push_back(task);
                places.push_back(place);
            }
        }
        if (order.empty()) fail({line, 0}, "the rank runs nothing", "F and B, or F, I and W, of a stage");
    }

    /// One, the two of a pair, or none.
    std::vector<Task> tasksOf(std::string_view cell, const Place& place) {
        if (cell.front() != '(') {
            const std::optional<Task> task = taskOf(cell, place);
            return task ? std::vector{*task} : std::vector<Task>{};
        }
        const std::size_t semicolon = cell.find(';'), end = cell.find(')');
        std::optional<Task> forward, backward;
        if (semicolon < end && end != std::string_view::npos && cell.substr(end + 1) == pairName) {
            forward = taskOf(cell.substr(1, semicolon - 1), place);
            backward = taskOf(cell.substr(semicolon + 1, end - semicolon - 1), place);
        }
        if (!forward || !backward || forward->kind != TaskKind::forward ||
            backward->kind != TaskKind::backward)
            fail(place, inQuotes(cell) + " is no overlapped pair",
                 std::string("a forward and a whole backward, as (0F7;7B3)") + pairName);
        backward->paired = true;
        return {*forward, *backward};
    }

    std::optional<Task> taskOf(std::string_view cell, const Place& place) {
        constexpr auto expected = "STAGE, then F, B, I or W, then MICROBATCH, as 0F3";
        const std::optional<Token> token = tokenOf(cell);
        if (!token) fail(place, inQuotes(cell) + " is no action", expected);
        if (token->action == "BW")
            fail(
                place,
                inQuotes(cell) +
                    " is the notation before October 2024, in which BW is the whole backward and B the input "
                    "gradient",
                "B for what is BW and I for what is B, throughout the file");
        const std::optional<TaskKind> kind = kindOf(token->action);
        if (!kind) {
            if (!isCommunication(token->action)) fail(place, inQuotes(cell) + " is no action", expected);
            return std::nullopt;
        }
        if (!token->microbatch) fail(place, inQuotes(cell) + " does not say its microbatch", expected);
        return Task{*kind, token->stage, *token->microbatch};
    }

    /// Before October 2024 B was the input gradient, whose weight gradient is named, too; a whole backward
    /// was BW.
    void refuseOldNotation() const {
        std::set<std::tuple<int, int>> gradients, inputGradients;
        for (const std::vector<Task>& order : orders_.ranks)
            for (const Task& task : order)
                if (task.kind != TaskKind::forward && task.kind != TaskKind::backward)
                    (task.kind == TaskKind::weightGradient ? gradients : inputGradients)
                        .emplace(task.stage, task.microbatch);
        for (std::size_t rank = 0; rank < orders_.ranks.size(); ++rank)
            for (std::size_t i = 0; i < orders_.ranks[rank].size(); ++i) {
                const Task& task = orders_.ranks[rank][i];
                const std::tuple pass(task.stage, task.microbatch);
                if (task.kind != TaskKind::backward || !gradients.contains(pass) ||
                    inputGradients.contains(pass))
                    continue;
                const std::string number = std::to_string(task.stage), last = std::to_string(task.microbatch);
                fail(places_[rank][i],
                     inQuotes(number + "B" + last) + " beside " + number + "W" + last +
                         " is the notation before October 2024, in which B is the input gradient",
                     "I for what is B, and B for BW, throughout the file");
            }
    }

    void check() const {
        refuseOldNotation();
        const std::optional<PassMistake> mistake = firstMistake(orders_);
        if (!mistake) return;
        if (mistake->position < 0) throw InputError(file_, "", mistake->problem, mistake->expected);
        fail(places_[at(mistake->rank)][at(mistake->position)], mistake->problem, mistake->expected);
    }

    const std::string& file_;
    RankOrders orders_;
    std::vector<std::vector<Place>> places_;  ///< of each task
    int blank_ = 0;                           ///< the line of the first empty row; 0: none
};

/// A cell of compute_comms.
struct Action {
    std::string name;  ///< "F", "SEND_F", …
    int stage = 0;
    int microbatch = -1;  ///< -1: of none
    std::string text() const {
        return std::to_string(stage) + name + (microbatch < 0 ? std::string() : std::to_string(microbatch));
    }
    bool operator<(const Action& other) const {
        return std::tie(name, stage, microbatch) < std::tie(other.name, other.stage, other.microbatch);
    }
};

/// Adds to passes what PyTorch's runtime adds to compute_only, in its order (pipelining/schedules.py:
/// _add_unshard_reshard, _add_reduce_grad, _add_send_recv).
class Lowering {
public:
    explicit Lowering(const RankOrders& orders)
        : rankOf_(orders.rankOf()),
          microbatches_(orders.microbatches()),
          ran_(orders.ranks.size()),
          lowered_(orders.ranks.size()) {
        for (const std::vector<Task>& order : orders.ranks) {
            std::vector<Action> actions;
            for (const Task& task : order)
                actions.push_back({std::string(1, passLetter(task.kind)), task.stage, task.microbatch});
            waiting_.push_back(reduced(gathered(actions)));
        }
    }

    std::vector<std::vector<Action>> run() {
        const auto waits = [](const std::deque<Action>& queue) { return !queue.empty(); };
        while (std::any_of(waiting_.begin(), waiting_.end(), waits)) {
            bool progress = false;
            for (std::size_t rank = 0; rank < waiting_.size(); ++rank) progress = step(rank) || progress;
            if (!progress) throw std::invalid_argument("the ranks wait for each other and never complete");
        }
        return std::move(lowered_);
    }

private:
    static constexpr std::size_t gatheredStages = 3;

    /// The next stages that run, without repetition.
    static std::vector<int> nextStages(const std::vector<Action>& actions, std::size_t from) {
        std::vector<int> stages;
        for (std::size_t i = from; i < actions.size() && stages.size() < gatheredStages; ++i)
            if (std::find(stages.begin(), stages.end(), actions[i].stage) == stages.end())
                stages.push_back(actions[i].stage);
        return stages;
    }

    static std::vector<Action> gathered(const std::vector<Action>& passes) {
        std::vector<Action> actions;
        std::set<int> held;
        for (std::size_t i = 0; i < passes.size(); ++i) {
            const std::vector<int> next = nextStages(passes, i);
            for (const int stage : std::vector<int>(held.begin(), held.end()))
                if (std::find(next.begin(), next.end(), stage) == next.end()) {
                    held.erase(stage);
                    actions.push_back({"RESHARD", stage});
                }
            for (const int stage : next)
                if (held.insert(stage).second) actions.push_back({"UNSHARD", stage});
            actions.push_back(passes[i]);
        }
        for (const int stage : held) actions.push_back({"RESHARD", stage});
        return actions;
    }

    std::deque<Action> reduced(const std::vector<Action>& actions) const {
        std::deque<Action> result;
        std::vector<int> done(rankOf_.size(), 0);
        for (const Action& action : actions) {
            result.push_back(action);
            if ((action.name == "B" || action.name == "W") && ++done[at(action.stage)] == microbatches_)
                result.push_back({"REDUCE_GRAD", action.stage});
        }
        return result;
    }

    static bool isBackward(const Action& action) { return action.name == "B" || action.name == "I"; }

    /// The stage whose output it takes; -1: none.
    int before(const Action& action) const {
        if (action.name == "F") return action.stage - 1;
        if (!isBackward(action)) return -1;
        return action.stage + 1 < static_cast<int>(rankOf_.size()) ? action.stage + 1 : -1;
    }

    /// The stage that takes its output; -1: none.
    int after(const Action& action) const {
        if (isBackward(action)) return action.stage - 1;
        return action.name == "F" && action.stage + 1 < static_cast<int>(rankOf_.size()) ? action.stage + 1
                                                                                         : -1;
    }

    bool isReady(const Action& action, std::size_t rank) const {
        const int source = before(action);
        if (source < 0) return true;
        const std::string received = action.name == "F" ? "RECV_F" : "RECV_B";
        const auto ran = [&](const std::string& name, int stage) {
            return ran_[rank].contains({name, stage, action.microbatch});
        };
        if (ran(received, action.stage)) return true;
        return isBackward(action) ? ran("B", source) || ran("I", source) : ran(action.name, source);
    }

    void add(std::size_t rank, const Action& action) {
        lowered_[rank].push_back(action);
        ran_[rank].insert(action);
    }

    bool step(std::size_t rank) {
        if (waiting_[rank].empty() || !isReady(waiting_[rank].front(), rank)) return false;
        const Action action = waiting_[rank].front();
        waiting_[rank].pop_front();
        add(rank, action);
        const int target = after(action);
        if (target >= 0 && rankOf_[at(target)] != static_cast<int>(rank)) {
            const std::string letter = isBackward(action) ? "B" : "F";
            add(rank, {"SEND_" + letter, action.stage, action.microbatch});
            add(at(rankOf_[at(target)]), {"RECV_" + letter, target, action.microbatch});
        }
        return true;
    }

    std::vector<int> rankOf_;
    int microbatches_;
    std::vector<std::deque<Action>> waiting_;  ///< by rank
    std::vector<std::set<Action>> ran_;
    std::vector<std::vector<Action>> lowered_;
};

}  // namespace

bool isPipeliningCsv(std::string_view text) {
    for (const std::string_view cell : cellsOf(firstLine(text), ',')) {
        if (cell.empty()) continue;
        const std::optional<Token> token = tokenOf(cell);
        return cell.ends_with(pairName) ||
               (token && (kindOf(token->action) || token->action == "BW" || isCommunication(token->action)));
    }
    return false;
}

RankOrders readPipeliningCsv(std::string_view text, const std::string& file) {
    return CsvReader(file).read(text);
}

std::string writePipeliningCsv(const RankOrders& orders, PipeliningForm form) {
    if (const std::optional<PassMistake> mistake = firstMistake(orders))
        throw std::invalid_argument(mistake->problem);
    std::vector<std::vector<std::string>> rows;
    const std::vector<std::vector<Action>> lowered = Lowering(orders).run();
    if (form == PipeliningForm::computeComms) {
        for (const std::vector<Task>& order : orders.ranks)
            if (std::any_of(order.begin(), order.end(), [](const Task& task) { return task.paired; }))
                throw std::invalid_argument(
                    "the order has overlapped pairs; with communication the engine works them out itself");
        for (const std::vector<Action>& actions : lowered) {
            std::vector<std::string>& row = rows.emplace_back();
            for (const Action& action : actions) row.push_back(action.text());
        }
    } else {
        for (const std::vector<Task>& order : orders.ranks) {
            std::vector<std::string>& row = rows.emplace_back();
            for (const Task& task : order) {
                const std::string text =
                    Action{std::string(1, passLetter(task.kind)), task.stage, task.microbatch}.text();
                if (task.paired)
                    row.back() = "(" + row.back() + ";" + text + ")" + pairName;
                else
                    row.push_back(text);
            }
        }
    }
    std::string text;
    for (const std::vector<std::string>& row : rows) {
        for (std::size_t cell = 0; cell < row.size(); ++cell) text += (cell > 0 ? "," : "") + row[cell];
        text += "\r\n";
    }
    return text;
}

}  // namespace stagecraft::formats
