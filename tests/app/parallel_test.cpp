// An experiment through GNU parallel, with a shard that is killed. Skipped where it is not installed ('./dev
// test --slurm' installs it).

#include "app/commands/commands.h"
#include "tests/support/window_rooms.h"
#include "tests/app/file_bytes.h"
#include "tests/support/qt_program.h"

#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <sstream>

using namespace stagecraft;

namespace {

/// Stagecraft, of which the run of shard 2 is killed, the first time, as soon as a cell of it is done.
const char killedOnce[] = R"sh(#!/bin/bash
if [[ "$*" != *"--shard 2/4"* || -e killed ]]; then exec 'PROGRAM' "$@"; fi
touch killed
'PROGRAM' "$@" &
until [ "$(cat *.shard-2-of-4.cache 2>/dev/null | wc -c)" -gt 2 ] || ! kill -0 $!; do :; done
kill -KILL $!
wait $!
)sh";

}  // namespace

class ParallelTest : public QObject {
    Q_OBJECT

private slots:
    void init();
    void fourShardsOneOfThemKilledAndRunAgainGiveTheBytesOfOneRun_data();
    void fourShardsOneOfThemKilledAndRunAgainGiveTheBytesOfOneRun();

private:
    int command(const QStringList& words);
    /// @return its exit status
    int bash(const QString& script);
    QString path(const QString& name) const { return folder_->filePath(name); }

    std::unique_ptr<QTemporaryDir> folder_;
    QByteArray said_;  ///< by the last script
};

int ParallelTest::command(const QStringList& words) {
    std::vector<std::string> arguments;
    for (const QString& word : words) arguments.push_back(word.toStdString());
    std::ostringstream out, err;
    return runCommand(arguments, out, err);
}

int ParallelTest::bash(const QString& script) {
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("HOME", folder_->path());  // where GNU parallel keeps notes of its own
    process.setProcessEnvironment(environment);
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.setWorkingDirectory(folder_->path());
    process.start("bash", {script});
    process.waitForFinished(120000);
    said_ = process.readAll();
    return process.exitCode();
}

void ParallelTest::init() {
    if (QStandardPaths::findExecutable("parallel").isEmpty())
        QSKIP("GNU parallel is not installed; './dev test --slurm' installs it and runs this test");
    folder_ = std::make_unique<QTemporaryDir>();
    QVERIFY(folder_->isValid());
    writeText(path("an experiment.experiment.json"), R"({
        "format": "stagecraft/experiment", "version": 1, "name": "shards",
        "base": {"profile": {"generate": "bert-72"}, "cluster": {"template": "spp"},
                 "setup": {"microbatches": 8, "channel": "half_duplex"}},
        "axes": [{"name": "microbatches", "pointer": "/setup/microbatches",
                  "range": {"from": 4, "to": 48, "step": 2}}],
        "planners": ["spp"]})");
    writeText(path("killed-once"), QByteArray(killedOnce).replace("PROGRAM", STAGECRAFT_PROGRAM));
    QFile::setPermissions(path("killed-once"), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
}

void ParallelTest::fourShardsOneOfThemKilledAndRunAgainGiveTheBytesOfOneRun_data() {
    QTest::addColumn<QStringList>("options");
    QTest::newRow("here") << QStringList();
    QTest::newRow("on a list of hosts") << QStringList{"--hosts", ":"};  // this one, without ssh
    QTest::newRow("with threads") << QStringList{"--jobs", "2"};
}

void ParallelTest::fourShardsOneOfThemKilledAndRunAgainGiveTheBytesOfOneRun() {
    QFETCH(QStringList, options);
    const QString experiment = path("an experiment.experiment.json"), merged = path("merged.json");
    QCOMPARE(command(QStringList{"sweep", experiment, "--parallel", "4", "--program", path("killed-once"),
                                 "--out", merged} +
                     options),
             0);
    const QString script = merged + ".parallel.sh";
    QVERIFY2(bash(script) != 0, "a shard that was killed goes unnoticed");
    QVERIFY2(QFile::exists(path("killed")), said_);
    QVERIFY2(!QFile::exists(merged + ".shard-2-of-4.json"), "the shard ended before it could be killed");
    QVERIFY(!QFile::exists(merged));
    QVERIFY2(bash(script) == 0, said_);
    const QString whole = path("whole.json");
    QCOMPARE(command({"sweep", experiment, "--no-cache", "--out", whole}), 0);
    QVERIFY(!bytesOf(merged).isEmpty());
    QCOMPARE(bytesOf(merged), bytesOf(whole));
}

STAGECRAFT_TEST_NEEDING(events, ParallelTest)
#include "parallel_test.moc"
