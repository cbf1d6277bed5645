// Windows that edit, save, write recovery files and export, and sweeps, are killed at random instants. What
// was saved is there, nothing half-written is read, and what was edited up to 10 s before is offered back.
// STAGECRAFT_KILL_ROUNDS says how many are killed, STAGECRAFT_SEED which instants are drawn.

#include "app/document/recovery.h"
#include "app/document/samples.h"
#include "app/shell/main_window.h"
#include "core/formats/text_file.h"
#include "tests/app/file_bytes.h"
#include "tests/app/window_fixture.h"
#include "tests/support/qt_program.h"
#include "tests/support/test_extent.h"
#include "tests/support/window_rooms.h"
#include "tests/views/results_fixture.h"

#include <QDir>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <ctime>
#include <iostream>
#include <random>

using namespace stagecraft;

namespace {

const char folderVariable[] = "STAGECRAFT_TEST_FOLDER";
const char seedVariable[] = "STAGECRAFT_TEST_SEED";
const QString projectName = QStringLiteral("p.stagecraft.json");
const QString journalName = QStringLiteral("journal");

/// The same clock in both processes.
qint64 monotonicMs() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return qint64{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

/// What the killed window did, a line at once for each: a kill takes none of them away.
struct JournalLine {
    qint64 atMs = 0;
    QString what;  ///< "edit": the document is now at `state`; "saving" and "saved": that state of it
    int state = 0;
    bool isDirty = false;
};

std::vector<JournalLine> readJournal(const QString& path) {
    std::vector<JournalLine> lines;
    for (const QByteArray& line : bytesOf(path).split('\n')) {
        const QList<QByteArray> words = line.split(' ');
        if (words.size() == 4)
            lines.push_back(
                {words[0].toLongLong(), QString::fromLatin1(words[1]), words[2].toInt(), words[3] == "1"});
    }
    return lines;
}

/// Each state of the document is told apart by a name that is a number.
int stateOf(const Project& project) { return QString::fromStdString(project.problem.cluster.name).toInt(); }

/// The one process that is killed: works in a window, without end, as its seed says.
class WorkWithoutEnd : public QObject {
public:
    WorkWithoutEnd();
    void run();

private:
    void note(const char* what, int state);
    void noteState() { note("edit", stateOf(window_.workspace().project())); }
    void takeBackOrNot();
    void edit();
    void save();
    void exportFigure();
    int upTo(int most) { return static_cast<int>(random_() % static_cast<unsigned>(most + 1)); }

    QDir folder_{qEnvironmentVariable(folderVariable)};
    std::mt19937 random_{static_cast<unsigned>(qEnvironmentVariableIntValue(seedVariable))};
    int journal_ = ::open(qPrintable(folder_.filePath(journalName)), O_WRONLY | O_CREAT | O_APPEND, 0600);
    int next_ = qEnvironmentVariableIntValue(seedVariable) * 10'000;
    int savesPerMille_ = 0;
    bool exports_ = false;  ///< one is under way
    std::vector<int> saving_;
    MainWindow window_;
};

WorkWithoutEnd::WorkWithoutEnd() {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);    // nor does it outlive who is to kill it
    constexpr int kinds[] = {0, 10, 200};  // some never save, so that recovery files are written
    savesPerMille_ = kinds[upTo(2)];
    window_.show();
    connect(&window_, &MainWindow::savingDone, this, [this](bool written) {
        if (written && !saving_.empty()) note("saved", saving_.back());
        saving_.clear();
    });
    connect(&window_, &MainWindow::exported, this, [this] { exports_ = false; });
}

void WorkWithoutEnd::note(const char* what, int state) {
    const QByteArray line = QByteArray::number(monotonicMs()) + ' ' + what + ' ' + QByteArray::number(state) +
                            (window_.workspace().isDirty() ? " 1\n" : " 0\n");
    if (::write(journal_, line.constData(), static_cast<std::size_t>(line.size())) < 0) std::abort();
}

void WorkWithoutEnd::takeBackOrNot() {
    auto* bar = window_.findChild<QWidget*>(QStringLiteral("recoveryBar"));
    if (!bar || !bar->isVisible()) return;
    const char* choices[] = {"Recover", "Later", nullptr};
    if (const char* choice = choices[upTo(2)]) click(*bar, QLatin1String(choice));
}

void WorkWithoutEnd::edit() {
    QUndoStack& undo = *window_.workspace().undoStack();
    if (upTo(9) == 0 && undo.canUndo()) {
        undo.undo();
    } else if (upTo(19) == 0 && undo.canRedo()) {
        undo.redo();
    } else {
        Cluster cluster = window_.workspace().problem().cluster;
        cluster.name = std::to_string(++next_);
        window_.workspace().editCluster(std::move(cluster), QStringLiteral("Name"));
    }
    noteState();
}

void WorkWithoutEnd::save() {
    if (window_.isSaving()) return;
    saving_.push_back(stateOf(window_.workspace().project()));
    note("saving", saving_.back());
    window_.startSaving(folder_.filePath(projectName));
}

void WorkWithoutEnd::exportFigure() {
    if (std::exchange(exports_, true)) return;
    const char* formats[] = {"svg", "pdf", "png"};
    ExportChoice choice;
    choice.format = QLatin1String(formats[upTo(2)]);
    window_.exportTo(folder_.filePath(QStringLiteral("figure.") + choice.format), choice);
}

void WorkWithoutEnd::run() {
    openAndWait(window_, folder_.filePath(projectName));
    noteState();
    takeBackOrNot();
    noteState();
    for (;;) {
        const int drawn = upTo(999);
        if (drawn < savesPerMille_)
            save();
        else if (drawn < 250)
            exportFigure();
        else if (drawn < 700)
            edit();
        else
            QTest::qWait(upTo(200));
        QTest::qWait(upTo(10));
    }
}

/// A program that is run in a folder of its own and killed, again and again.
class Victim {
public:
    virtual ~Victim() = default;
    virtual void start(QProcess& process, int round) = 0;
    /// Empty: what is on disk is as it should be; else what is wrong.
    virtual QString wrongAfter(QProcess& process, qint64 killedAtMs) = 0;

    QString path(const QString& name) const { return folder_.filePath(name); }

private:
    QTemporaryDir folder_;
};

class WindowVictim : public Victim {
public:
    WindowVictim() {
        writeFileAtomically(path(projectName).toStdString(),
                            writeProject(*findSample(QStringLiteral("fig2-toy"))->project));
    }
    void start(QProcess& process, int round) override;
    QString wrongAfter(QProcess& process, qint64 killedAtMs) override;

private:
    QString wrongExport() const;
    static QString wrongSave(const std::vector<JournalLine>& done, int onDisk);
    QString wrongRecovery(const std::vector<JournalLine>& done, int onDisk, qint64 killedAtMs) const;

    int round_ = 0;
};

void WindowVictim::start(QProcess& process, int round) {
    round_ = round;
    QFile::remove(path(journalName));
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* home : {"XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"})
        environment.insert(QLatin1String(home), path(QStringLiteral("home")));
    environment.insert(QLatin1String(folderVariable), path({}));
    environment.insert(QLatin1String(seedVariable), QString::number(round));
    environment.remove(QStringLiteral("QTEST_FUNCTION_TIMEOUT"));
    process.setProcessEnvironment(environment);
    process.start(QCoreApplication::applicationFilePath(), {QStringLiteral("killed_window")});
}

/// Whether a line from `first` on brought the document to that state.
bool reaches(const std::vector<JournalLine>& done, std::size_t first, int state) {
    return std::any_of(done.begin() + static_cast<std::ptrdiff_t>(first), done.end(),
                       [state](const JournalLine& line) { return line.state == state; });
}

/// Where the last save began that ended well; nothing was saved: 0.
std::size_t lastSaved(const std::vector<JournalLine>& done) {
    std::size_t began = 0, ended = 0;
    for (std::size_t i = 0; i < done.size(); ++i) {
        if (done[i].what == QLatin1String("saving")) began = i;
        if (done[i].what == QLatin1String("saved")) ended = began;
    }
    return ended;
}

QString WindowVictim::wrongSave(const std::vector<JournalLine>& done, int onDisk) {
    if (done.empty() || reaches(done, lastSaved(done), onDisk)) return {};
    return QStringLiteral("the project is at %1, though %2 was saved")
        .arg(onDisk)
        .arg(done[lastSaved(done)].state);
}

QString WindowVictim::wrongRecovery(const std::vector<JournalLine>& done, int onDisk,
                                    qint64 killedAtMs) const {
    std::vector<int> offered{onDisk};
    for (const RecoverableWork& work : Recovery::find(path(projectName))) {
        try {
            offered.push_back(stateOf(openProject(work.file.toStdString())));
        } catch (const std::exception& error) {
            return QString::fromUtf8(error.what());
        }
    }
    constexpr qint64 promisedMs = 10'000;
    std::size_t due = 0;  // the last edit that has to be there
    bool isLost = false;
    for (std::size_t i = 0; i < done.size(); ++i)
        if (done[i].what == QLatin1String("edit") && done[i].atMs < killedAtMs - promisedMs) {
            due = i;
            isLost = done[i].isDirty;
        }
    if (!isLost || lastSaved(done) > due) return {};
    for (std::size_t i = due; i < done.size(); ++i)
        if (!done[i].isDirty) return {};  // undone until there was nothing to be kept
    for (const int state : offered)
        if (reaches(done, due, state)) return {};
    return QStringLiteral("%1, edited %2 ms before, is not offered; %3 is on disk")
        .arg(done[due].state)
        .arg(killedAtMs - done[due].atMs)
        .arg(onDisk);
}

QString WindowVictim::wrongExport() const {
    const std::pair<const char*, const char*> ends[] = {{"svg", "</svg>"}, {"pdf", "%%EOF"}, {"png", "IEND"}};
    for (const auto& [format, end] : ends) {
        const QString file = path(QStringLiteral("figure.") + QLatin1String(format));
        if (QFile::exists(file) && !bytesOf(file).right(20).contains(end))
            return QStringLiteral("%1 was cut off").arg(file);
    }
    return {};
}

QString WindowVictim::wrongAfter(QProcess& process, qint64 killedAtMs) {
    if (process.exitStatus() != QProcess::CrashExit)
        return QStringLiteral("it ended by itself: ") + QString::fromUtf8(process.readAll());
    const std::vector<JournalLine> done = readJournal(path(journalName));
    int onDisk = 0;
    try {
        onDisk = stateOf(openProject(path(projectName).toStdString()));
    } catch (const std::exception& error) {
        return QString::fromUtf8(error.what());
    }
    QString wrong = wrongSave(done, onDisk);
    if (wrong.isEmpty()) wrong = wrongRecovery(done, onDisk, killedAtMs);
    if (wrong.isEmpty()) wrong = wrongExport();
    // Some are left to the next window.
    QList<RecoverableWork> left = Recovery::find(path(projectName));
    for (qsizetype i = round_ % 2; i < left.size(); ++i) Recovery::discard(left[i]);
    return wrong;
}

class SweepVictim : public Victim {
public:
    SweepVictim();
    void start(QProcess& process, int round) override;
    QString wrongAfter(QProcess& process, qint64 killedAtMs) override;

private:
    QByteArray whole_;
    qsizetype known_ = 0;  ///< points in the cache when it was started
};

SweepVictim::SweepVictim() {
    constexpr int side = 30;
    writeFileAtomically(path(QStringLiteral("e.json")).toStdString(), smallExperiment(twoAxes(side, side)));
    QProcess::execute(STAGECRAFT_PROGRAM, {"sweep", path(QStringLiteral("e.json")), "--no-cache", "--out",
                                           path(QStringLiteral("whole.json"))});
    whole_ = bytesOf(path(QStringLiteral("whole.json")));
}

void SweepVictim::start(QProcess& process, int) {
    const QString cache = path(QStringLiteral("cache"));
    if (QFile::exists(path(QStringLiteral("r.json")))) {
        QFile::remove(path(QStringLiteral("r.json")));
        QFile::remove(cache);
    }
    known_ = bytesOf(cache).count("\"status\"");
    process.start(STAGECRAFT_PROGRAM, {"sweep", path(QStringLiteral("e.json")), "--jobs", "2", "--cache",
                                       cache, "--out", path(QStringLiteral("r.json"))});
}

QString SweepVictim::wrongAfter(QProcess& process, qint64) {
    const QString results = path(QStringLiteral("r.json"));
    if (whole_.isEmpty()) return QStringLiteral("the sweep that nobody killed has no results");
    if (QFile::exists(results) && bytesOf(results) != whole_)
        return QStringLiteral("the results differ from those of a sweep that nobody killed");
    if (process.exitStatus() == QProcess::NormalExit && process.exitCode() != 0)
        return QString::fromUtf8(process.readAllStandardError());
    const qsizetype known = bytesOf(path(QStringLiteral("cache"))).count("\"status\"");
    if (known < known_)
        return QStringLiteral("%1 of %2 known points are lost").arg(known_ - known).arg(known_);
    static const QRegularExpression progress(QStringLiteral("(\\d+) of \\d+ cells"));
    for (auto found = progress.globalMatch(QString::fromUtf8(process.readAllStandardError()));
         found.hasNext();)
        if (const int said = found.next().captured(1).toInt(); said > known)
            return QStringLiteral("%1 were called done, %2 are known").arg(said).arg(known);
    return {};
}

}  // namespace

class KilledWindow : public QObject {
    Q_OBJECT

private slots:
    void worksUntilItIsKilled() {
        if (!qEnvironmentVariableIsSet(folderVariable)) QSKIP("started by kill_test, in a folder of its own");
        WorkWithoutEnd().run();
    }
};

class KillTest : public QObject {
    Q_OBJECT

private slots:
    void nothingThatWasSavedIsLost();

private:
    struct Slot {
        std::unique_ptr<Victim> victim;  ///< a sweep in one of all, as its kills come sooner
        std::unique_ptr<QProcess> process;
        qint64 killAtMs = 0;
        int round = 0;
    };
    void begin(Slot& slot, int round, int mostMs);
    void end(Slot& slot);

    PrivateHome home_;
    std::mt19937 random_;
    int parts_ = 0;  ///< files that kills left in the middle of being written
};

void KillTest::begin(Slot& slot, int round, int mostMs) {
    slot.round = round;
    slot.process = std::make_unique<QProcess>();
    slot.victim->start(*slot.process, round);
    slot.killAtMs = monotonicMs() + static_cast<int>(random_() % static_cast<unsigned>(mostMs));
}

void KillTest::end(Slot& slot) {
    if (slot.process->state() == QProcess::Starting) QVERIFY(slot.process->waitForStarted());
    if (slot.process->processId()) ::kill(static_cast<pid_t>(slot.process->processId()), SIGKILL);
    const qint64 killedAtMs = monotonicMs();
    if (slot.process->state() != QProcess::NotRunning) QVERIFY(slot.process->waitForFinished());
    const QString wrong = slot.victim->wrongAfter(*slot.process, killedAtMs);
    QVERIFY2(wrong.isEmpty(), qPrintable(QStringLiteral("kill %1: %2").arg(slot.round).arg(wrong)));
    const QDir folder(slot.victim->path({}));
    for (const QString& left :
         folder.entryList({QStringLiteral(".stagecraft-*")}, QDir::Files | QDir::Hidden)) {
        ++parts_;
        QFile::remove(folder.filePath(left));
    }
    slot.process.reset();
}

void KillTest::nothingThatWasSavedIsLost() {
    const int asked = qEnvironmentVariableIntValue("STAGECRAFT_KILL_ROUNDS");
    const int rounds = asked > 0 ? asked : testing::inFull() ? 100 : 6;
    const int mostMs = rounds > 6 ? 16'000 : 2500;
    random_.seed(static_cast<unsigned>(qEnvironmentVariableIntValue("STAGECRAFT_SEED")) + 1);
    std::vector<Slot> victims(rounds > 6 ? 10 : 3);
    for (std::size_t i = 0; i < victims.size(); ++i)
        victims[i].victim = i == 2 ? std::unique_ptr<Victim>(std::make_unique<SweepVictim>())
                                   : std::make_unique<WindowVictim>();
    int begun = 0, ended = 0;
    while (ended < rounds) {
        for (Slot& slot : victims) {
            if (!slot.process && begun < rounds) {
                // A sweep is over soon.
                const bool isSweep = dynamic_cast<SweepVictim*>(slot.victim.get());
                begin(slot, ++begun, isSweep ? 1500 : mostMs);
            } else if (slot.process && monotonicMs() >= slot.killAtMs) {
                end(slot);
                if (QTest::currentTestFailed()) return;
                if (++ended % 100 == 0) std::cerr << ended << " killed" << std::endl;
            }
        }
        QTest::qWait(2);
    }
    std::cerr << rounds << " killed; " << parts_ << " files left half written under names of their own\n";
}

STAGECRAFT_TEST(KillTest)
static const TestRegistration killedWindowRegistration("killed_window", TestNeeds::widgets,
                                                       []() -> std::unique_ptr<QObject> {
                                                           return std::make_unique<KilledWindow>();
                                                       });
#include "kill_test.moc"
