// Work in the background: a newer job voids an older one's result, and nothing outlives its owner.
#include "core/base/work_context.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "views/common/job.h"

#include <QPointer>
#include <QSignalSpy>
#include <QTest>
#include <QThread>
#include <QThreadPool>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <random>

using namespace stagecraft;

namespace {

void waitForStop(const JobContext& context) {
    while (!context.stop.stop_requested()) QThread::msleep(1);
}

}  // namespace

class JobTest : public QObject {
    Q_OBJECT

private slots:
    void aResultIsDeliveredInTheGuiThreadAndThenTheJobHasEnded() {
        Job job;
        QSignalSpy ended(&job, &Job::ended);
        QThread* worked = nullptr;
        QString result;
        job.start(
            [&worked] {
                worked = QThread::currentThread();
                return QStringLiteral("done");
            },
            [&](const QString& text) {
                QCOMPARE(QThread::currentThread(), thread());
                QVERIFY(!job.isRunning());
                QCOMPARE(ended.count(), 0);
                result = text;
            });
        QVERIFY(job.isRunning());
        QTRY_COMPARE(ended.count(), 1);
        QCOMPARE(result, QStringLiteral("done"));
        QVERIFY(worked && worked != thread());
        QCOMPARE(ended.front(), (QVariantList{false, QString()}));
    }

    void aNewerJobVoidsAnOlderOne() {
        Job job;
        QSignalSpy ended(&job, &Job::ended);
        std::vector<int> delivered;
        std::atomic<bool> begun = false;
        const auto deliver = [&](int result) { delivered.push_back(result); };
        job.start(
            [&begun](const JobContext& context) {
                begun = true;
                waitForStop(context);
                return 1;  // ready after all, but of no use to anybody
            },
            deliver);
        QTRY_VERIFY(begun);
        job.start([] { return 2; }, deliver);
        QTRY_COMPARE(ended.count(), 1);
        QTest::qWait(20);
        QCOMPARE(delivered, std::vector{2});
        QCOMPARE(ended.count(), 1);
    }

    void whatIsHandedOverComesInOrderAndBeforeTheResult() {
        Job job;
        QSignalSpy ended(&job, &Job::ended);
        std::vector<int> came;
        job.start(
            [&came](const JobContext& context) {
                for (int i = 0; i < 100; ++i) context.handOver([&came, i] { came.push_back(i); });
                return 100;
            },
            [&came](int last) { came.push_back(last); });
        QTRY_COMPARE(ended.count(), 1);
        std::vector<int> expected(101);
        std::iota(expected.begin(), expected.end(), 0);
        QCOMPARE(came, expected);
    }

    void nothingIsHeardOfAnAbandonedJob() {
        Job job;
        QSignalSpy ended(&job, &Job::ended), told(&job, &Job::statusChanged),
            progressed(&job, &Job::progressed);
        std::atomic<bool> begun = false, done = false;
        bool delivered = false;
        job.start(
            [&](const JobContext& context) {
                begun = true;
                waitForStop(context);
                context.says("too late");
                context.report(0.5);
                context.handOver([&delivered] { delivered = true; });
                done = true;
            },
            [&delivered] { delivered = true; });
        QTRY_VERIFY(begun);
        progressed.clear();
        job.abandon();
        QVERIFY(!job.isRunning());
        QTRY_VERIFY(done);
        QTest::qWait(50);
        QVERIFY(!delivered);
        QCOMPARE(ended.count() + told.count() + progressed.count(), 0);
    }

    void aStoppedJobEndsWithoutAResult() {
        Job job;
        QSignalSpy ended(&job, &Job::ended);
        bool delivered = false;
        job.start(
            [](const JobContext& context) {
                waitForStop(context);
                context.throwIfStopped();
            },
            [&delivered] { delivered = true; });
        job.stop();
        QTRY_COMPARE(ended.count(), 1);
        QCOMPARE(ended.front(), (QVariantList{true, QString()}));
        QVERIFY(!delivered);
    }

    void aResultThatComesInSpiteOfTheStopCounts() {
        Job job;
        QSignalSpy ended(&job, &Job::ended);
        bool delivered = false;
        job.start(waitForStop, [&delivered] { delivered = true; });
        job.stop();
        QTRY_COMPARE(ended.count(), 1);
        QCOMPARE(ended.front(), (QVariantList{false, QString()}));
        QVERIFY(delivered);
    }

    void anExceptionIsTheFailureInItsOwnWords() {
        Job job;
        QSignalSpy ended(&job, &Job::ended);
        bool delivered = false;
        job.start([]() -> int { throw std::runtime_error("no luck"); },
                  [&delivered](int) { delivered = true; });
        QTRY_COMPARE(ended.count(), 1);
        QCOMPARE(ended.front(), (QVariantList{false, QStringLiteral("no luck")}));
        QVERIFY(!delivered);
    }

    void progressArrivesInTheGuiThreadAndNotTooOften() {
        Job job;
        QSignalSpy ended(&job, &Job::ended);
        std::vector<double> fractions;
        connect(&job, &Job::progressed, this, [&](double fraction) {
            QCOMPARE(QThread::currentThread(), thread());
            fractions.push_back(fraction);
        });
        job.start([](const JobContext& context) {
            constexpr int reports = 200'000;
            for (int i = 1; i <= reports; ++i) context.report(double(i) / reports);
        });
        QTRY_COMPARE(ended.count(), 1);
        QVERIFY(std::is_sorted(fractions.begin(), fractions.end()));
        QVERIFY(!fractions.empty() && fractions.size() < 100);
        QVERIFY(fractions.front() >= 0 && fractions.back() <= 1);
    }

    void aSearchSettlesForWhatItHas() {
        Job job;
        QSignalSpy told(&job, &Job::statusChanged);
        int best = 0;
        job.start(
            [](const JobContext& context) {
                context.says("within 2 %");
                while (!context.enough.stop_requested() && !context.stop.stop_requested()) QThread::msleep(1);
                return 7;
            },
            [&best](int found) { best = found; });
        QTRY_COMPARE(told.count(), 1);
        QCOMPARE(told.front(), QVariantList{QStringLiteral("within 2 %")});
        QCOMPARE(best, 0);
        job.takeBest();
        QTRY_COMPARE(best, 7);
    }

    void whoeverGoesStopsItsWorkAndWaitsForIt() {
        bool delivered = false;
        std::atomic<bool> begun = false, done = false;
        {
            Job job;
            job.start(
                [&](const JobContext& context) {
                    begun = true;
                    waitForStop(context);
                    QThread::msleep(20);
                    done = true;
                },
                [&delivered] { delivered = true; });
            QTRY_VERIFY(begun);
        }
        QVERIFY(done);
        QCoreApplication::processEvents();
        QVERIFY(!delivered);
    }

    void nobodyWaitsForWorkThatCannotBeStopped() {
        struct State {
            std::atomic<bool> begun = false, mayEnd = false, done = false;
        };
        const auto state = std::make_shared<State>();
        bool delivered = false;
        {
            Job job;
            job.start(
                [state] {
                    state->begun = true;
                    while (!state->mayEnd) QThread::msleep(1);
                    state->done = true;
                },
                [&delivered] { delivered = true; });
            QTRY_VERIFY(state->begun);
        }
        QVERIFY(!state->done);
        state->mayEnd = true;
        QTRY_VERIFY(state->done);
        QTest::qWait(20);
        QVERIFY(!delivered);
    }

    void theOwnerMayGoWhileItTakesTheResult() {
        auto job = std::make_unique<Job>();
        bool delivered = false;
        job->start([] { return 1; },
                   [&](int) {
                       job.reset();
                       delivered = true;
                   });
        QTRY_VERIFY(delivered);
    }

    void finishingDeliversAtOnce() {
        Job job;
        QSignalSpy ended(&job, &Job::ended);
        std::vector<int> came;
        job.start(
            [&came](const JobContext& context) {
                QThread::msleep(20);
                context.handOver([&came] { came.push_back(1); });
                return 2;
            },
            [&came](int result) { came.push_back(result); });
        job.finish();
        QCOMPARE(came, (std::vector{1, 2}));
        QCOMPARE(ended.count(), 1);
        QTest::qWait(20);
        QCOMPARE(came.size(), std::size_t{2});
        QCOMPARE(ended.count(), 1);
        job.finish();  // there is nothing left to finish
        QCOMPARE(ended.count(), 1);
    }

    void oneThatIsMadeForOnceGoesByItself() {
        QObject owner;
        const QPointer<Job> job = Job::once(&owner);
        bool delivered = false;
        job->start([] {}, [&delivered] { delivered = true; });
        QTRY_VERIFY(!job);
        QVERIFY(delivered);
    }

    void whatCanBeStoppedHasAThreadHoweverBusyTheProgramIs() {
        QThreadPool& pool = *QThreadPool::globalInstance();
        static std::atomic<bool> mayEnd{false};
        mayEnd = false;
        for (int i = 0; i < pool.maxThreadCount(); ++i)
            pool.start([] {
                while (!mayEnd) QThread::msleep(1);
            });
        Job job;
        bool delivered = false;
        job.start([](const JobContext&) {}, [&delivered] { delivered = true; });
        const bool came = QTest::qWaitFor([&delivered] { return delivered; });
        mayEnd = true;
        pool.waitForDone();
        QVERIFY(came);
    }

    void thePoolLimitsHowManyRunAtOnce() {
        QThreadPool pool;
        pool.setMaxThreadCount(2);
        std::atomic<int> running = 0, most = 0;
        int ended = 0;
        std::vector<std::unique_ptr<Job>> jobs;
        for (int i = 0; i < 6; ++i) {
            jobs.push_back(std::make_unique<Job>(nullptr, &pool));
            jobs.back()->start(
                [&](const JobContext&) {
                    const int now = ++running;
                    int seen = most;
                    while (now > seen && !most.compare_exchange_weak(seen, now)) {
                    }
                    QThread::msleep(20);
                    --running;
                },
                [&ended] { ++ended; });
        }
        QTRY_COMPARE(ended, 6);
        QCOMPARE(most.load(), 2);
    }

    /// After any sequence of starts, cancellations and pauses the last start that was not cancelled has
    /// delivered, and nothing was ever delivered but what was then the newest.
    void theLastResultThatNobodyCancelledIsDelivered() {
        for (unsigned seed = 0; seed < 60; ++seed) {
            std::mt19937 random(seed);
            const auto below = [&random](int bound) { return static_cast<int>(random() % unsigned(bound)); };
            Job job;
            int newest = 0;  // 0: it was abandoned
            std::vector<int> delivered;
            for (int step = 0; step < 40; ++step) {
                const int id = step + 1, sleepMs = below(3);
                const bool obeys = below(2) != 0;
                const auto deliver = [&, id](int result) {
                    QCOMPARE(result, id);
                    QCOMPARE(result, newest);
                    delivered.push_back(result);
                };
                switch (below(6)) {
                    case 0:
                        job.abandon();
                        if (delivered.empty() || delivered.back() != newest) newest = 0;
                        break;
                    case 1:
                        QTest::qWait(below(4));
                        break;
                    case 2:
                        newest = id;
                        job.start(
                            [id, sleepMs] {
                                QThread::msleep(unsigned(sleepMs));
                                return id;
                            },
                            deliver);
                        break;
                    default:
                        newest = id;
                        job.start(
                            [id, sleepMs, obeys](const JobContext& context) {
                                QThread::msleep(unsigned(sleepMs));
                                if (obeys) context.throwIfStopped();
                                return id;
                            },
                            deliver);
                }
            }
            QTRY_VERIFY(!job.isRunning());
            if (newest != 0) QCOMPARE(delivered.back(), newest);
            QVERIFY(std::is_sorted(delivered.begin(), delivered.end()));
            QVERIFY(std::adjacent_find(delivered.begin(), delivered.end()) == delivered.end());
        }
    }
};

STAGECRAFT_TEST(JobTest)
#include "job_test.moc"
