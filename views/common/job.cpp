#include "views/common/job.h"

#include "core/base/vector_state.h"
#include "views/common/widgets.h"

#include <QCoreApplication>
#include <QPointer>
#include <QPromise>
#include <QThreadPool>
#include <QtConcurrentRun>

#include <atomic>
#include <limits>

namespace stagecraft::views::common {

namespace {

/// Work that was asked to stop still takes a moment, and the next is not to wait for it.
QThreadPool& unlimitedThreads() {
    static const auto pool = [] {
        auto made = std::make_unique<QThreadPool>();
        made->setMaxThreadCount(std::numeric_limits<int>::max());
        return made;
    }();
    return *pool;
}

// What one thread wrote before it passed on is there for one that takes up after that. Qt's queues see to
// that too, but a thread sanitizer cannot see into Qt, and can into this.
std::atomic<unsigned> handoffs{0};
void passOn() { handoffs.fetch_add(1, std::memory_order_acq_rel); }
void takeUp() { handoffs.fetch_add(1, std::memory_order_acq_rel); }

}  // namespace

/// Work on its way through Qt to its thread.
class Job::Errand {
public:
    Errand(AnyWork work, JobContext context, std::shared_ptr<Outcome> outcome)
        : parcel_(new Parcel{std::move(work), std::move(context), std::move(outcome)}) {
        passOn();
    }
    Errand(Errand&& other) noexcept : parcel_(std::exchange(other.parcel_, nullptr)) {}
    Errand& operator=(Errand&&) = delete;
    ~Errand() { delete parcel_; }

    void operator()(QPromise<void>& promise) {
        takeUp();
        freeUpperVectors();
        promise.setProgressRange(0, progressSteps);
        parcel_->context.progress = [&promise](double fraction) {
            promise.setProgressValue(static_cast<int>(fraction * progressSteps));
        };
        *parcel_->outcome = carryOut(parcel_->work, parcel_->context);
        delete std::exchange(parcel_, nullptr);
        passOn();
    }

private:
    struct Parcel {
        AnyWork work;
        JobContext context;
        std::shared_ptr<Outcome> outcome;
    };
    Parcel* parcel_;
};

/// What is handed over, on its way through Qt to the GUI thread.
class Job::Message {
public:
    Message(const Job& job, int ticket, Call what) : parcel_(new Parcel{job, ticket, std::move(what)}) {
        passOn();
    }
    Message(Message&& other) noexcept : parcel_(std::exchange(other.parcel_, nullptr)) {}
    Message& operator=(Message&&) = delete;
    ~Message() { delete parcel_; }

    void operator()() const {
        takeUp();
        if (parcel_->ticket == parcel_->job.ticket_) parcel_->what();
    }

private:
    struct Parcel {
        const Job& job;
        int ticket;
        Call what;
    };
    Parcel* parcel_;
};

Job::Job(QObject* parent, QThreadPool* pool) : QObject(parent), pool_(pool) {}

Job::~Job() {
    abandon();
    for (QFuture<void>& each : awaited_) each.waitForFinished();
    takeUp();
}

Job* Job::once(QObject* owner) {
    auto* job = new Job(owner);
    connect(job, &Job::ended, job, &QObject::deleteLater);
    return job;
}

void Job::begin(AnyWork work, Call deliver, bool waitedFor) {
    abandon();
    stop_ = {};
    enough_ = {};
    deliver_ = std::move(deliver);
    watcher_ = new QFutureWatcher<void>(this);
    connect(watcher_, &QFutureWatcherBase::progressValueChanged, this,
            [this](int steps) { emit progressed(double(steps) / progressSteps); });
    connect(watcher_, &QFutureWatcherBase::finished, this, &Job::end);
    QThreadPool* pool = pool_ ? pool_ : waitedFor ? &unlimitedThreads() : QThreadPool::globalInstance();
    JobContext context;
    context.stop = stop_.get_token();
    context.enough = enough_.get_token();
    // What is not waited for may outlive this object.
    if (waitedFor) {
        context.says = [this, ticket = ticket_](const std::string& sentence) {
            post(ticket, [this, text = QString::fromStdString(sentence)] { emit statusChanged(text); });
        };
        context.handOver = [this, ticket = ticket_](Call what) { post(ticket, std::move(what)); };
    }
    // The watcher passes on at most 25 progress values a second, however often the work reports.
    auto outcome = std::make_shared<Outcome>();
    outcome_ = outcome;
    const QFuture<void> future =
        QtConcurrent::run(pool, Errand(std::move(work), std::move(context), std::move(outcome)));
    awaited_.removeIf([](const QFuture<void>& each) { return each.isFinished(); });
    if (waitedFor) awaited_.push_back(future);
    watcher_->setFuture(future);
}

/// On the thread.
Job::Outcome Job::carryOut(const AnyWork& work, const JobContext& context) {
    try {
        work(context);
        return {};
    } catch (const Cancelled&) {
        return {true, {}};
    } catch (const std::exception& error) {
        return {false, QString::fromUtf8(error.what())};
    }
}

void Job::post(int ticket, Call what) {
    QMetaObject::invokeMethod(this, Message(*this, ticket, std::move(what)), Qt::QueuedConnection);
}

void Job::abandon() {
    stop();
    release();
}

void Job::release() {
    ++ticket_;
    deliver_ = nullptr;
    if (!watcher_) return;
    watcher_->disconnect(this);
    watcher_->deleteLater();
    watcher_ = nullptr;
}

void Job::end() {
    takeUp();
    const Outcome outcome = *outcome_;
    const Call deliver = std::move(deliver_);
    release();
    const QPointer<Job> here(this);
    if (!outcome.stopped && !outcome.failure) deliver();
    if (here) emit ended(outcome.stopped, outcome.failure.value_or(QString()));
}

void Job::finish() {
    if (!watcher_) return;
    watcher_->waitForFinished();
    const int ticket = ticket_;
    QCoreApplication::sendPostedEvents(this, QEvent::MetaCall);  // what was handed over before
    if (ticket == ticket_) end();
}

}  // namespace stagecraft::views::common
