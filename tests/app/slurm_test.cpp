// An experiment on a real Slurm, started on the loopback address for this test and stopped after it. Skipped
// where Slurm is not installed ('./dev test --slurm' installs it).

#include "app/commands/commands.h"
#include "tests/support/window_rooms.h"
#include "core/formats/native/formats.h"
#include "tests/app/file_bytes.h"
#include "tests/support/qt_program.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QRandomGenerator>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <memory>
#include <sstream>

using namespace stagecraft;

namespace {

QString programPath(const QString& name) {
    const QString found = QStandardPaths::findExecutable(name);
    return found.isEmpty() ? QStandardPaths::findExecutable(name, {"/usr/sbin", "/sbin"}) : found;
}

/// Two ports that no other run of this test takes at the same time.
int portNumber(int which) {
    return 20000 + 2 * static_cast<int>(QCoreApplication::applicationPid() % 10000) + which;
}

}  // namespace

class SlurmTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void cleanupTestCase();
    void fourShardsOneOfThemKilledAndRunAgainGiveTheBytesOfOneRun();

private:
    void start(const QString& program, const QStringList& arguments);
    /// Runs a command of Slurm to its end. @return what it printed
    QString slurm(const QString& command, const QStringList& arguments, int limitMs = 120000);
    QString path(const QString& name) const { return folder_.filePath(name); }

    QTemporaryDir folder_;
    std::vector<std::unique_ptr<QProcess>> daemons_;
    QProcessEnvironment environment_ = QProcessEnvironment::systemEnvironment();
};

void SlurmTest::start(const QString& program, const QStringList& arguments) {
    daemons_.push_back(std::make_unique<QProcess>());
    QProcess& daemon = *daemons_.back();
    daemon.setProcessEnvironment(environment_);
    daemon.setProcessChannelMode(QProcess::MergedChannels);
    daemon.setStandardOutputFile(path(QFileInfo(program).fileName() + ".log"));
    daemon.start(programPath(program), arguments);
    QVERIFY2(daemon.waitForStarted(), qPrintable(program));
}

QString SlurmTest::slurm(const QString& command, const QStringList& arguments, int limitMs) {
    QProcess process;
    process.setProcessEnvironment(environment_);
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.setWorkingDirectory(folder_.path());
    process.start(programPath(command), arguments);
    process.waitForFinished(limitMs);
    return QString::fromUtf8(process.readAll()).trimmed();
}

void SlurmTest::initTestCase() {
    for (const char* program : {"munged", "slurmctld", "slurmd", "sbatch"})
        if (programPath(program).isEmpty())
            QSKIP("Slurm is not installed; './dev test --slurm' installs it and runs this test");
    QVERIFY(folder_.isValid());
    QByteArray key(1024, 0);
    for (char& byte : key) byte = static_cast<char>(QRandomGenerator::system()->generate());
    writeText(path("munge.key"), key);
    QFile::setPermissions(path("munge.key"), QFile::ReadOwner | QFile::WriteOwner);
    const QString host = QSysInfo::machineHostName().section('.', 0, 0);
    const QString user = qEnvironmentVariable("USER", QStringLiteral("root"));
    writeText(
        path("slurm.conf"),
        QStringLiteral("ClusterName=test\nSlurmctldHost=%1(127.0.0.1)\nSlurmctldPort=%2\nSlurmdPort=%3\n"
                       "AuthType=auth/munge\nAuthInfo=socket=%4/munge.socket\nCredType=cred/munge\n"
                       "SlurmUser=%5\nSlurmdUser=%5\nStateSaveLocation=%4/state\nSlurmdSpoolDir=%4/spool\n"
                       "SlurmctldPidFile=%4/ctld.pid\nSlurmdPidFile=%4/d.pid\n"
                       "ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\n"
                       "SchedulerType=sched/builtin\nSelectType=select/cons_tres\n"
                       "SelectTypeParameters=CR_CPU\nJobAcctGatherType=jobacct_gather/none\n"
                       "AccountingStorageType=accounting_storage/none\nMailProg=/bin/true\n"
                       "KillWait=1\nNodeName=%1 NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN\n"
                       "PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n")
            .arg(host)
            .arg(portNumber(0))
            .arg(portNumber(1))
            .arg(folder_.path(), user)
            .toUtf8());
    environment_.insert("SLURM_CONF", path("slurm.conf"));
    start("munged", {"--foreground", "--force", "--key-file=" + path("munge.key"),
                     "--socket=" + path("munge.socket"), "--pid-file=" + path("munged.pid"),
                     "--log-file=" + path("munge.log"), "--seed-file=" + path("munge.seed")});
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(path("munge.socket")), 20000);
    start("slurmctld", {"-D", "-f", path("slurm.conf")});
    start("slurmd", {"-D", "-f", path("slurm.conf"), "-N", host});
    QElapsedTimer waited;
    waited.start();
    while (!slurm("sinfo", {"-h", "-o", "%t"}).contains("idle")) {
        if (waited.elapsed() > 60000)
            QSKIP(
                qPrintable("Slurm does not start here: " + QString::fromUtf8(bytesOf(path("slurmctld.log"))) +
                           QString::fromUtf8(bytesOf(path("slurmd.log")))));
        QTest::qWait(200);
    }
}

void SlurmTest::cleanupTestCase() {
    for (auto daemon = daemons_.rbegin(); daemon != daemons_.rend(); ++daemon) {
        (*daemon)->terminate();
        if (!(*daemon)->waitForFinished(10000)) (*daemon)->kill();
        (*daemon)->waitForFinished(2000);
    }
}

void SlurmTest::fourShardsOneOfThemKilledAndRunAgainGiveTheBytesOfOneRun() {
    writeText(path("e.experiment.json"), R"({
        "format": "stagecraft/experiment", "version": 1, "name": "shards",
        "base": {"profile": {"generate": "bert-72"}, "cluster": {"template": "spp"},
                 "setup": {"microbatches": 8, "channel": "half_duplex"}},
        "axes": [{"name": "microbatches", "pointer": "/setup/microbatches",
                  "range": {"from": 4, "to": 98, "step": 2}}],
        "planners": ["spp"]})");
    std::ostringstream out, err;
    const auto command = [&](const QStringList& words) {
        std::vector<std::string> arguments;
        for (const QString& word : words) arguments.push_back(word.toStdString());
        return runCommand(arguments, out, err);
    };
    const QString merged = path("merged.json"), experiment = path("e.experiment.json");
    QCOMPARE(command({"sweep", experiment, "--slurm", "4", "--program", STAGECRAFT_PROGRAM, "--out", merged}),
             0);
    const QString job = slurm("sbatch", {"--parsable", merged + ".array.sh"});
    QVERIFY2(job.toInt() > 0, qPrintable(job));
    const QString killed = merged + ".shard-2-of-4";
    QTRY_VERIFY_WITH_TIMEOUT(QFileInfo(killed + ".cache").size() > 2, 60000);  // its first cell is done
    slurm("scancel", {"--signal=KILL", "--full", job + "_2"});
    QTRY_VERIFY_WITH_TIMEOUT(slurm("squeue", {"-h"}).isEmpty(), 120000);
    for (const int shard : {1, 3, 4})
        QVERIFY(QFile::exists(merged + QStringLiteral(".shard-%1-of-4.json").arg(shard)));
    QVERIFY2(!QFile::exists(killed + ".json"), "the shard ended before it could be killed");

    slurm("sbatch", {"--wait", "--array=2", merged + ".array.sh"});
    QVERIFY(QFile::exists(killed + ".json"));
    slurm("sbatch", {"--wait", merged + ".merge.sh"});
    const QString whole = path("whole.json");
    QCOMPARE(command({"sweep", experiment, "--no-cache", "--out", whole}), 0);
    QVERIFY(!bytesOf(merged).isEmpty());
    QCOMPARE(bytesOf(merged), bytesOf(whole));
}

STAGECRAFT_TEST_NEEDING(events, SlurmTest)
#include "slurm_test.moc"
