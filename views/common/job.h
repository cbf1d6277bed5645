#pragma once

#include "core/base/work_context.h"
#include "views/rooms.h"

#include <QFuture>
#include <QFutureWatcher>
#include <QList>
#include <QObject>
#include <QString>

#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

class QThreadPool;

namespace stagecraft::views::common {

/// What the work of a job may do while it runs: learn that it should stop, report progress, and hand
/// something over.
struct JobContext : WorkContext {
    /// Calls it in the GUI thread, before the result is delivered, unless a newer job has begun by then.
    std::function<void(std::function<void()>)> handOver;
};

/// One place for work in the background: a newer job voids an older one's result. Work is one of
/// - `R(const JobContext&)`: it can be stopped, and is waited for when this object goes;
/// - `R(const std::stop_token&)` or `R()`: it uses nothing but what it owns, so nobody waits for it.
/// All functions and signals are of the GUI thread.
class Job : public QObject {
    Q_OBJECT

public:
    /// @param pool whose threads run the work; without one there is always a free thread for work that can be
    /// stopped, and the program's pool runs the rest
    explicit Job(QObject* parent = nullptr, QThreadPool* pool = nullptr);
    /// Stops all work and waits for that which has a context.
    ~Job() override;
    /// One that deletes itself once it has ended.
    static Job* once(QObject* owner);

    /// Abandons what is under way.
    /// @param deliver takes the result in the GUI thread: `void(R)`, or `void()` if there is none
    template <typename Work, typename Deliver>
    void start(Work work, Deliver deliver);
    template <typename Work>
    void start(Work work) {
        start(std::move(work), [] {});
    }
    /// Asks it to end: `ended` follows. A result that comes all the same is delivered.
    void stop() { stop_.request_stop(); }
    /// Asks a search that gets better with time to settle for what it has.
    void takeBest() { enough_.request_stop(); }
    /// Asks it to end and hears nothing more of it. Does not wait.
    void abandon();
    /// Waits for the work and delivers its result at once.
    void finish();
    bool isRunning() const { return watcher_ != nullptr; }

signals:
    /// 0 to 1, at most 25 times a second.
    void progressed(double fraction);
    /// Where a long search is.
    void statusChanged(QString sentence);
    /// After the result was delivered; stopped, or failed with that sentence, there is none.
    void ended(bool stopped, QString failure);

private:
    struct Outcome {
        bool stopped = false;
        std::optional<QString> failure;
    };
    using Call = std::function<void()>;
    using AnyWork = std::function<void(const JobContext&)>;

    class Errand;
    class Message;

    void begin(AnyWork work, Call deliver, bool waitedFor);
    static Outcome carryOut(const AnyWork& work, const JobContext& context);
    void post(int ticket, Call what);
    void end();
    void release();

    QThreadPool* pool_;
    std::stop_source stop_, enough_;
    QFutureWatcher<void>* watcher_ = nullptr;  ///< of what is under way
    QList<QFuture<void>> awaited_;             ///< abandoned or not
    std::shared_ptr<const Outcome> outcome_;   ///< of what is under way, there once it has ended
    Call deliver_;
    int ticket_ = 0;
};

template <typename Work, typename Deliver>
void Job::start(Work work, Deliver deliver) {
    constexpr bool takesContext = std::is_invocable_v<Work&, const JobContext&>;
    auto run = [work = std::move(work)](const JobContext& context) mutable {
        if constexpr (takesContext)
            return work(context);
        else if constexpr (std::is_invocable_v<Work&, const std::stop_token&>)
            return work(context.stop);
        else
            return work();
    };
    using Result = decltype(run(std::declval<const JobContext&>()));
    if constexpr (std::is_void_v<Result>) {
        begin(std::move(run), std::move(deliver), takesContext);
    } else {
        auto result = std::make_shared<std::optional<Result>>();
        begin([run = std::move(run),
               result](const JobContext& context) mutable { result->emplace(run(context)); },
              [result, deliver = std::move(deliver)]() mutable { deliver(std::move(**result)); },
              takesContext);
    }
}

}  // namespace stagecraft::views::common
