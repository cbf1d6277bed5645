// A window is used at random for long: opened, edited, planned, simulated, undone, exported, swept and
// played. Its memory stops growing, its thread answers within 100 ms, and no file stays open.
// STAGECRAFT_USE_MINUTES says for how long, STAGECRAFT_SEED what is drawn.

#include "app/document/samples.h"
#include "app/experiments/experiments_window.h"
#include "app/shell/workbench.h"
#include "core/base/freed_memory.h"
#include "core/formats/text_file.h"
#include "tests/app/window_fixture.h"
#include "tests/support/qt_program.h"
#include "tests/support/test_extent.h"
#include "tests/support/window_rooms.h"
#include "tests/views/results_fixture.h"
#include "views/common/style_lookups.h"

#include <QDialog>
#include <QDir>
#include <QElapsedTimer>

#include <malloc.h>

#include <fstream>
#include <iostream>
#include <random>
#include <set>

using namespace stagecraft;

namespace {

/// What the program has asked for and not given back; what else is resident is the allocator's.
double heapMib() {
    const struct mallinfo2 heap = mallinfo2();
    return static_cast<double>(heap.uordblks + heap.hblkhd) / (1 << 20);
}

double residentMib() {
    std::ifstream statm("/proc/self/statm");
    double all = 0, resident = 0;
    statm >> all >> resident;
    return resident * 4096 / (1 << 20);
}

int openFiles() {
    return static_cast<int>(QDir(QStringLiteral("/proc/self/fd"))
                                .entryList(QDir::System | QDir::Files | QDir::Dirs | QDir::NoDotAndDotDot)
                                .size());
}

}  // namespace

class LongUseTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void usedAtRandom();

private:
    struct Step {
        const char* name;
        int weight;
        void (LongUseTest::*take)();
    };
    /// Once everything is closed: what has grown has grown for good.
    struct Checkpoint {
        double minutes = 0, residentMib = 0, heapMib = 0;
        int openFiles = 0;
    };

    static const std::vector<Step>& steps();
    void takeStep();
    Checkpoint checkpoint();
    void closeOthers();
    void beat();
    void answerDialogs();

    void openSample();
    void openFile();
    void editSetup();
    void editCluster();
    void editProfile();
    void undoOrRedo();
    void plan();
    void cancel();
    void turnTab();
    void pressKey();
    void triggerAnything();
    void exportFigure();
    void save();
    void sweep();
    void play();

    int upTo(int most) { return static_cast<int>(random_() % static_cast<unsigned>(most + 1)); }
    template <typename List>
    const auto& oneOf(const List& list) {
        return list[random_() % std::size(list)];
    }

    PrivateHome home_;
    std::mt19937 random_;
    std::unique_ptr<MainWindow> window_;
    QElapsedTimer clock_;
    QTimer heart_, dialogs_;
    double lastMs_ = 0;                                 ///< CPU of this thread at the last beat
    double lastClockMs_ = 0;                            ///< of clock_, at the last beat
    QString doing_;                                     ///< the step under way
    std::map<QString, std::pair<int, double>> stalls_;  ///< how many over the limit, and the longest, by step
    int taken_ = 0;
    double limitMs_ = 0;  ///< of CPU, within which the thread is to answer
};

void LongUseTest::initTestCase() {
    returnFreedMemory();  // as the program does
    applyTheme(*qApp, ThemeChoice::light);
    qputenv("XDG_CACHE_HOME", home_.file(QStringLiteral("cache")).toUtf8());
    writeFileAtomically(home_.file(QStringLiteral("e.experiment.json")).toStdString(), smallExperiment());
    connect(&heart_, &QTimer::timeout, this, &LongUseTest::beat);
    connect(&dialogs_, &QTimer::timeout, this, &LongUseTest::answerDialogs);
}

const std::vector<LongUseTest::Step>& LongUseTest::steps() {
    static const std::vector<Step> all = {{"open a sample", 6, &LongUseTest::openSample},
                                          {"open a file", 3, &LongUseTest::openFile},
                                          {"edit the setup", 14, &LongUseTest::editSetup},
                                          {"edit the cluster", 8, &LongUseTest::editCluster},
                                          {"edit the profile", 8, &LongUseTest::editProfile},
                                          {"undo or redo", 14, &LongUseTest::undoOrRedo},
                                          {"plan", 10, &LongUseTest::plan},
                                          {"cancel", 4, &LongUseTest::cancel},
                                          {"turn to a tab", 16, &LongUseTest::turnTab},
                                          {"press a key", 20, &LongUseTest::pressKey},
                                          {"an action", 12, &LongUseTest::triggerAnything},
                                          {"export", 8, &LongUseTest::exportFigure},
                                          {"save", 6, &LongUseTest::save},
                                          {"sweep", 2, &LongUseTest::sweep},
                                          {"play", 3, &LongUseTest::play}};
    return all;
}

void LongUseTest::beat() {
    const double now = threadCpuMs(), took = now - std::exchange(lastMs_, now);
    const double clockMs = static_cast<double>(clock_.nsecsElapsed()) / 1e6;
    const double byClock = clockMs - std::exchange(lastClockMs_, clockMs);
    if (took < limitMs_ * slowness) return;
    auto& [count, longest] = stalls_[doing_];
    ++count;
    longest = std::max(longest, took);
    if (limitMs_ > 100) return;
    // By the clock of `perf record -k CLOCK_MONOTONIC`, so that what was done then is found.
    timespec at{};
    clock_gettime(CLOCK_MONOTONIC, &at);
    std::cerr << "  " << took << " ms of CPU, " << byClock << " ms by the clock, until "
              << static_cast<double>(at.tv_sec) + static_cast<double>(at.tv_nsec) / 1e9
              << " s: " << qPrintable(doing_) << std::endl;
}

/// Questions and dialogs that come up are left again; what is unsaved is given up.
void LongUseTest::answerDialogs() {
    QWidget* modal = QApplication::activeModalWidget();
    if (auto* box = qobject_cast<QMessageBox*>(modal); box && box->button(QMessageBox::Discard))
        QTest::mouseClick(box->button(QMessageBox::Discard), Qt::LeftButton);
    else if (auto* dialog = qobject_cast<QDialog*>(modal))
        dialog->reject();
    if (QWidget* popup = QApplication::activePopupWidget()) popup->close();
}

void LongUseTest::openSample() { window_->openSample(oneOf(samples()).id); }

void LongUseTest::openFile() {
    const QString path = home_.file(QStringLiteral("s%1.stagecraft.json").arg(upTo(3)));
    if (QFile::exists(path)) window_->openFile(path);
}

void LongUseTest::editSetup() {
    TrainingSetup setup = window_->workspace().problem().setup;
    constexpr int mostMicrobatches = 32;
    if (upTo(1))
        setup.microbatches = 1 + upTo(mostMicrobatches - 1);
    else
        setup.mode = upTo(3) ? TrainingMode::synchronous : TrainingMode::asynchronous;
    window_->workspace().setSetup(setup);
}

void LongUseTest::editCluster() {
    Cluster cluster = window_->workspace().problem().cluster;
    if (cluster.devices.empty()) return;
    Device& device = cluster.devices[random_() % cluster.devices.size()];
    upTo(1) ? device.memoryBytes *= 0.5 + 0.1 * upTo(10) : device.speed = 0.5 + 0.1 * upTo(10);
    window_->workspace().editCluster(std::move(cluster), QStringLiteral("Device"));
}

void LongUseTest::editProfile() {
    LayerProfile profile = window_->workspace().problem().profile;
    if (profile.layers.empty()) return;
    Layer& layer = profile.layers[random_() % profile.layers.size()];
    layer.forwardS *= 0.5 + 0.1 * upTo(10);
    window_->workspace().editProfile(std::move(profile), QStringLiteral("Layer"));
}

void LongUseTest::undoOrRedo() {
    QUndoStack& undo = *window_->workspace().undoStack();
    for (int times = upTo(3); times >= 0; --times) upTo(2) ? undo.undo() : undo.redo();
}

void LongUseTest::plan() {
    QStringList planners;
    for (int count = upTo(2); count >= 0; --count)
        planners << QString::fromStdString(oneOf(allPlanners())->description().id);
    planners.removeDuplicates();
    window_->planning().run(planners, {});
}

void LongUseTest::cancel() { window_->planning().cancel(); }

void LongUseTest::turnTab() {
    Workbench& workbench = window_->workbench();
    if (workbench.count() > 0) workbench.setCurrentIndex(upTo(workbench.count() - 1));
}

void LongUseTest::pressKey() {
    constexpr Qt::Key keys[] = {Qt::Key_W,    Qt::Key_S,     Qt::Key_A,  Qt::Key_D,  Qt::Key_F,
                                Qt::Key_B,    Qt::Key_C,     Qt::Key_L,  Qt::Key_Up, Qt::Key_Down,
                                Qt::Key_Left, Qt::Key_Right, Qt::Key_Tab};
    window_->workbench().focusPage();
    if (QWidget* focus = QApplication::focusWidget())
        for (int times = upTo(4); times >= 0; --times) QTest::keyClick(focus, oneOf(keys));
}

/// Whatever the menus offer, but for what leaves the program or goes out of it.
void LongUseTest::triggerAnything() {
    QAction* action = oneOf(window_->actionRegister().all());
    const QString id = action->objectName();
    static const std::set<QString> left = {QStringLiteral("file.quit"), QStringLiteral("file.programs")};
    if (!action->isEnabled() || left.contains(id)) return;
    doing_ = QStringLiteral("action ") + action->text().remove('&');
    action->trigger();
}

void LongUseTest::exportFigure() {
    const char* formats[] = {"svg", "pdf", "png", "tikz"};
    ExportChoice choice;
    choice.format = QLatin1String(oneOf(formats));
    window_->exportTo(home_.file(QStringLiteral("figure.") + choice.format), choice);
}

void LongUseTest::save() {
    if (!window_->isSaving())
        window_->startSaving(home_.file(QStringLiteral("s%1.stagecraft.json").arg(upTo(3))));
}

void LongUseTest::sweep() {
    ExperimentsWindow window;
    window.show();
    QTest::qWait(50);
    doing_ = QStringLiteral("open an experiment");
    if (!window.openFile(home_.file(QStringLiteral("e.experiment.json")))) return;
    QTest::qWait(50);
    doing_ = QStringLiteral("run an experiment");
    click(window, QStringLiteral("runExperiment"));
    QTest::qWait(upTo(1500));
}

void LongUseTest::play() {
    QAction* play = window_->actionRegister().action(QStringLiteral("plan.play"));
    if (!play->isEnabled()) return;
    play->trigger();
    QTest::qWait(upTo(1000));
}

void LongUseTest::closeOthers() {
    for (QWidget* top : QApplication::topLevelWidgets())
        if (top != window_.get() && top->isVisible()) top->close();
}

void LongUseTest::takeStep() {
    int all = 0;
    for (const Step& step : steps()) all += step.weight;
    int drawn = upTo(all - 1);
    const Step* chosen = &steps().front();
    for (const Step& step : steps())
        if (drawn >= 0 && (drawn -= step.weight) < 0) chosen = &step;
    const bool needsProject = chosen->take != &LongUseTest::openSample &&
                              chosen->take != &LongUseTest::openFile && chosen->take != &LongUseTest::sweep;
    if (needsProject && !window_->workspace().isOpen()) chosen = &steps().front();
    doing_ = QLatin1String(chosen->name);
    (this->*chosen->take)();
    ++taken_;
    QTest::qWait(upTo(120));
    if (taken_ % 20 == 0) closeOthers();
}

LongUseTest::Checkpoint LongUseTest::checkpoint() {
    doing_ = QStringLiteral("close");
    window_->planning().cancel();
    closeOthers();
    window_->actionRegister().action(QStringLiteral("file.close"))->trigger();
    QTest::qWait(1000);
    qApp->findChild<StyleLookups*>()->forget();  // else it would count how long ago that was
    malloc_trim(0);
    lastMs_ = threadCpuMs();
    return {static_cast<double>(clock_.elapsed()) / 60e3, residentMib(), heapMib(), openFiles()};
}

void LongUseTest::usedAtRandom() {
    const double asked = qEnvironmentVariable("STAGECRAFT_USE_MINUTES").toDouble();
    const double minutes = asked > 0 ? asked : testing::inFull() ? 2 : 0.08;
    // Shorter, memory has not settled by the first checkpoint, and a stall is one that nobody would overlook.
    constexpr double settled = 10;
    limitMs_ = minutes >= settled ? 100 : 1000;
    const unsigned seed = static_cast<unsigned>(qEnvironmentVariableIntValue("STAGECRAFT_SEED"));
    random_.seed(seed);
    window_ = std::make_unique<MainWindow>();
    window_->resize(1280, 800);
    window_->show();
    samples();
    QTest::qWait(200);
    clock_.start();
    std::cerr.setf(std::ios::fixed);
    std::cerr.precision(3);
    dialogs_.start(20);
    lastMs_ = threadCpuMs();
    heart_.start(1);
    const double warmUp = std::min(30.0, minutes / 3), between = std::min(2.0, minutes / 6);
    std::vector<Checkpoint> seen;
    while (static_cast<double>(clock_.elapsed()) / 60e3 < minutes) {
        takeStep();
        const double now = static_cast<double>(clock_.elapsed()) / 60e3;
        if (now < (seen.empty() ? warmUp : seen.back().minutes + between)) continue;
        seen.push_back(checkpoint());
        std::cerr << qPrintable(QString::number(seen.back().minutes, 'f', 1)) << " min, " << taken_
                  << " steps: " << seen.back().residentMib << " MiB, " << seen.back().heapMib
                  << " MiB of it in use, " << seen.back().openFiles << " files" << std::endl;
    }
    heart_.stop();
    for (const auto& [what, stall] : stalls_)
        std::cerr << stall.first << " × too long: " << qPrintable(what) << ", up to " << stall.second
                  << " ms\n";
    QVERIFY(!seen.empty());
    const int threads = minutes >= settled ? 2 : 5;  // that have not been needed yet, with what they wait on
    for (const Checkpoint& each : seen)
        QVERIFY2(each.openFiles <= seen.front().openFiles + threads,
                 qPrintable(QStringLiteral("%1 files are open, %2 were")
                                .arg(each.openFiles)
                                .arg(seen.front().openFiles)));
    constexpr double mostGrowth = 1.1;
    if (minutes >= settled) QVERIFY(seen.back().residentMib <= seen.front().residentMib * mostGrowth);
    QVERIFY2(stalls_.empty(), "the window's thread did not answer in time");
}

STAGECRAFT_TEST(LongUseTest)
#include "long_use_test.moc"
