// A disk that is full, a folder that is read-only or gone, another program's change, and two windows on one
// project: each is answered in words, the saved file stays whole, and what was edited is kept elsewhere.

#include "app/document/samples.h"
#include "core/formats/text_file.h"
#include "tests/app/window_fixture.h"
#include "tests/support/qt_program.h"
#include "tests/support/window_rooms.h"

#include <QDir>
#include <QLabel>
#include <QStandardPaths>

#include <sys/mount.h>
#include <sys/resource.h>

#include <csignal>

using namespace stagecraft;

namespace {

/// A disk of its own, of 256 KiB, while this lives.
class SmallDisk {
public:
    explicit SmallDisk(const QString& folder) : folder_(folder.toLocal8Bit()) {
        QDir().mkpath(folder);
        isThere_ = ::mount("none", folder_.constData(), "tmpfs", 0, "size=256k") == 0;
    }
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;
    ~SmallDisk() {
        if (isThere_) ::umount2(folder_.constData(), MNT_DETACH);
    }
    bool isThere() const { return isThere_; }
    bool setReadOnly(bool on) {
        return ::mount("none", folder_.constData(), "tmpfs",
                       MS_REMOUNT | (on ? static_cast<unsigned long>(MS_RDONLY) : 0UL), nullptr) == 0;
    }

private:
    QByteArray folder_;
    bool isThere_ = false;
};

/// No file of this program can become longer than nothing while this lives: every write fails.
class NothingCanBeWritten {
public:
    NothingCanBeWritten() : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit none{0, before_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &none);
    }
    NothingCanBeWritten(const NothingCanBeWritten&) = delete;
    NothingCanBeWritten& operator=(const NothingCanBeWritten&) = delete;
    ~NothingCanBeWritten() {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }

private:
    rlimit before_{};
    void (*handler_)(int);
};

}  // namespace

class DiskConditionsTest : public QObject {
    Q_OBJECT

    PrivateHome home_;

    QString savedIn(const QString& folder) const {
        QDir().mkpath(home_.file(folder));
        const QString path = home_.file(folder + QStringLiteral("/p.stagecraft.json"));
        writeFileAtomically(path.toStdString(),
                            writeProject(*findSample(QStringLiteral("fig2-toy"))->project));
        return path;
    }
    static void setMicrobatches(MainWindow& window, int microbatches) {
        TrainingSetup setup = window.workspace().problem().setup;
        setup.microbatches = microbatches;
        window.workspace().setSetup(setup);
    }
    static int microbatchesIn(const QString& path) {
        return openProject(path.toStdString()).problem.setup.microbatches;
    }
    static QString rows(MainWindow& window) {
        QStringList texts;
        for (int row = 0; row < window.problems().rowCount(); ++row) texts << window.problems().row(row).text;
        return texts.join('\n');
    }
    static QString wordsOfBar(const MainWindow& window) {
        for (const auto* bar : window.findChildren<QWidget*>(QStringLiteral("diskBar")))
            if (bar->isVisible())
                for (const auto* label : bar->findChildren<QLabel*>())
                    if (!label->text().isEmpty()) return label->text();
        return {};
    }
    /// Recovery files of projects that have none beside them.
    static QStringList keptElsewhere() {
        const QDir folder(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) +
                          QStringLiteral("/recovery"));
        QStringList files;
        for (const QString& name : folder.entryList({QStringLiteral("*.recovery")}, QDir::Files))
            files << folder.filePath(name);
        return files;
    }
    void saysAndKeepsElsewhere(MainWindow& window, const QString& path, const QString& reason);

private slots:
    void init() {
        for (const RecoverableWork& work : Recovery::find({})) Recovery::discard(work);
    }
    void aFullDisk();
    void aDiskThatIsFullEverywhere();
    void aReadOnlyFolder();
    void aVanishedFolder();
    void anotherProgramsChange();
    void twoWindowsOnOneProject();
};

/// Saving fails in words with `reason`; what was edited is kept in the data folder, and that is said.
void DiskConditionsTest::saysAndKeepsElsewhere(MainWindow& window, const QString& path,
                                               const QString& reason) {
    QVERIFY(!window.saveTo(path));
    QVERIFY2(rows(window).contains(path + QStringLiteral(": cannot be written: ") + reason),
             qPrintable(rows(window)));
    QVERIFY(window.workspace().isDirty());
    QTRY_VERIFY_WITH_TIMEOUT(keptElsewhere().size() == 1, 8000);
    QTRY_VERIFY2(
        rows(window).contains(QStringLiteral("; unsaved work is kept in %1 instead").arg(keptElsewhere()[0])),
        qPrintable(rows(window)));
    QTRY_VERIFY(openProject(keptElsewhere()[0].toStdString()) == window.workspace().project());
}

void DiskConditionsTest::aFullDisk() {
    SmallDisk disk(home_.file(QStringLiteral("small")));
    if (!disk.isThere()) QSKIP("only root can make a small disk");
    const QString path = savedIn(QStringLiteral("small"));
    MainWindow window;
    window.show();
    openAndWait(window, path);
    QFile filler(home_.file(QStringLiteral("small/filler")));
    QVERIFY(filler.open(QIODevice::WriteOnly | QIODevice::Unbuffered));
    while (filler.write(QByteArray(512, 'x')) > 0) {
    }
    filler.close();
    const int before = microbatchesIn(path);
    setMicrobatches(window, before + 3);
    saysAndKeepsElsewhere(window, path, QStringLiteral("No space left on device"));
    if (QTest::currentTestFailed()) return;
    QCOMPARE(microbatchesIn(path), before);
    // Whatever else was tried is gone again.
    QCOMPARE(QDir(home_.file(QStringLiteral("small")))
                 .entryList({QStringLiteral(".stagecraft-*")}, QDir::Files | QDir::Hidden),
             QStringList());
    QVERIFY(filler.remove());
    QVERIFY(window.saveTo(path));
    QCOMPARE(microbatchesIn(path), before + 3);
    QCOMPARE(keptElsewhere(), QStringList());
}

void DiskConditionsTest::aDiskThatIsFullEverywhere() {
    const QString path = savedIn(QStringLiteral("full"));
    MainWindow window;
    window.show();
    openAndWait(window, path);
    const int before = microbatchesIn(path);
    {
        const NothingCanBeWritten full;
        setMicrobatches(window, before + 3);
        QVERIFY(!window.saveTo(path));
        QTRY_VERIFY2_WITH_TIMEOUT(rows(window).contains(QStringLiteral(
                                      "until it can be, what is edited in this window is on no disk")),
                                  qPrintable(rows(window)), 8000);
        QCOMPARE(microbatchesIn(path), before);
    }
    const int said = window.problems().rowCount();
    QTRY_VERIFY_WITH_TIMEOUT(keptElsewhere().size() == 1, 8000);  // without another edit
    QCOMPARE(window.problems().rowCount(), said);
    QVERIFY(window.saveTo(path));
    QCOMPARE(keptElsewhere(), QStringList());
}

void DiskConditionsTest::aReadOnlyFolder() {
    const QString folder = home_.file(QStringLiteral("read-only"));
    SmallDisk disk(folder);  // root writes into any folder that is not on a read-only disk
    const QString path = savedIn(QStringLiteral("read-only"));
    MainWindow window;
    window.show();
    openAndWait(window, path);
    const QFile::Permissions own = QFile::permissions(folder);
    if (disk.isThere())
        QVERIFY(disk.setReadOnly(true));
    else
        QVERIFY(QFile::setPermissions(folder, QFile::ReadOwner | QFile::ExeOwner));
    const int before = microbatchesIn(path);
    setMicrobatches(window, before + 3);
    saysAndKeepsElsewhere(
        window, path,
        disk.isThere() ? QStringLiteral("Read-only file system") : QStringLiteral("Permission denied"));
    QFile::setPermissions(folder, own);
    if (QTest::currentTestFailed()) return;
    // Elsewhere it can be saved, and then it is kept nowhere else.
    const QString other = home_.file(QStringLiteral("other.stagecraft.json"));
    QVERIFY(window.saveTo(other));
    QCOMPARE(microbatchesIn(other), before + 3);
    QCOMPARE(microbatchesIn(path), before);
    QCOMPARE(keptElsewhere(), QStringList());
}

void DiskConditionsTest::aVanishedFolder() {
    const QString path = savedIn(QStringLiteral("there"));
    const QString folder = home_.file(QStringLiteral("there")), away = home_.file(QStringLiteral("away"));
    MainWindow window;
    window.show();
    openAndWait(window, path);
    const int before = microbatchesIn(path);
    QVERIFY(QDir().rename(folder, away));
    setMicrobatches(window, before + 3);
    QTRY_COMPARE_WITH_TIMEOUT(wordsOfBar(window),
                              QStringLiteral("p.stagecraft.json was removed by another program."), 5000);
    saysAndKeepsElsewhere(window, path, QStringLiteral("No such file or directory"));
    if (QTest::currentTestFailed()) return;
    QVERIFY2(!QFile::exists(folder), "a folder that somebody took away is not made again");
    QVERIFY(QDir().rename(away, folder));
    QVERIFY(window.saveTo(path));
    QCOMPARE(microbatchesIn(path), before + 3);
    QCOMPARE(keptElsewhere(), QStringList());
}

void DiskConditionsTest::anotherProgramsChange() {
    const QString path = savedIn(QStringLiteral("shared"));
    MainWindow window;
    window.show();
    openAndWait(window, path);
    setMicrobatches(window, 9);
    Project other = openProject(path.toStdString());
    other.problem.setup.microbatches = 31;
    writeFileAtomically(path.toStdString(), writeProject(other));
    window.actionRegister().action(QStringLiteral("file.save"))->trigger();
    QCOMPARE(microbatchesIn(path), 31);
    QTRY_COMPARE(
        wordsOfBar(window),
        QStringLiteral("Not saved: p.stagecraft.json was changed by another program, and saving would "
                       "replace what that wrote."));
    window.workspace().undoStack()->setClean();
}

void DiskConditionsTest::twoWindowsOnOneProject() {
    const QString path = savedIn(QStringLiteral("both"));
    MainWindow first, second;
    for (MainWindow* window : {&first, &second}) {
        window->show();
        openAndWait(*window, path);
    }
    // Each keeps its own unsaved work, and neither offers the other's.
    setMicrobatches(first, 9);
    setMicrobatches(second, 13);
    const QDir folder(home_.file(QStringLiteral("both")));
    const auto kept = [&] {
        QList<int> found;
        for (const QString& name :
             folder.entryList({QStringLiteral(".p*.recovery")}, QDir::Files | QDir::Hidden))
            found << microbatchesIn(folder.filePath(name));
        std::sort(found.begin(), found.end());
        return found;
    };
    QTRY_COMPARE_WITH_TIMEOUT(kept(), (QList<int>{9, 13}), 8000);
    QVERIFY(Recovery::find(path).isEmpty());
    QVERIFY(first.saveTo(path));
    QCOMPARE(kept(), QList<int>{13});
    QTRY_COMPARE_WITH_TIMEOUT(wordsOfBar(second),
                              QStringLiteral("p.stagecraft.json was changed by another program."), 5000);
    second.actionRegister().action(QStringLiteral("file.save"))->trigger();
    QVERIFY(!second.isSaving());
    QCOMPARE(microbatchesIn(path), 9);
    QSignalSpy saved(&second, &MainWindow::savingDone);
    const QString question = QStringLiteral("Not saved: p.stagecraft.json was changed by another program");
    QTRY_VERIFY(wordsOfBar(second).startsWith(question));
    for (auto* bar : second.findChildren<QWidget*>(QStringLiteral("diskBar")))
        if (bar->isVisible()) click(*bar, QStringLiteral("Save over it"));
    QVERIFY(saved.wait(5000));
    QCOMPARE(microbatchesIn(path), 13);
    QTRY_COMPARE_WITH_TIMEOUT(wordsOfBar(first),
                              QStringLiteral("p.stagecraft.json was changed by another program."), 5000);
}

STAGECRAFT_TEST(DiskConditionsTest)
#include "disk_conditions_test.moc"
