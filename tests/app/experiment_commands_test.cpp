// stagecraft sweep, merge and reproduce, as a person calls them.

#include "app/commands/commands.h"
#include "tests/support/window_rooms.h"
#include "app/experiments/paper_experiments.h"
#include "app/experiments/sweep_files.h"
#include "core/experiments/claims.h"
#include "core/experiments/grid.h"
#include "core/experiments/printed.h"
#include "core/experiments/results.h"
#include "core/experiments/runner.h"
#include "tests/support/qt_program.h"
#include "tests/support/test_extent.h"

#include <QFile>
#include <QFloat16>  // QTest declares it, and JSON asks what it converts to
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <sstream>

using namespace stagecraft;

class ExperimentCommandsTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void shardsMergeToTheBytesOfTheWholeRun();
    void aSecondRunTakesEverythingFromTheCache();
    void aTableHasARowACell();
    void aSweepDrawsTheChartThatItsFileNames();
    void mistakesAreNamed_data();
    void mistakesAreNamed();
    void theScriptOfGnuParallelIsOneThatAShellReads();
    void everyPaperExperimentReadsAndEveryPointIsAProblem();
    void claimsThatFailSayWhy();
    void whatSaysMoreDoesNotHoldWhereAllAreEqual();
    void thePapersOwnNumbersMakeTheirClaimsHold();
    void levelsAreCountedPerPaperAndInAll();
    void resultsAreAsShipped_data();
    void resultsAreAsShipped();
    void aShardIsAsShipped_data();
    void aShardIsAsShipped();
    void verdictsArePrintedAsJson();
    void resultsGoIntoAFolderThatIsMadeBeforeTheWork();
    void noiseLeavesClaimsOnTrainingsUndecided();
    void measuredRunsStandBesideWhatIsPredicted();
    void aMeasuredRowIsWrittenAsAProject();

private:
    int call(const QStringList& words);
    QString path(const QString& name) const { return folder_.filePath(name); }
    QByteArray bytes(const QString& name) const {
        QFile file(path(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    QTemporaryDir folder_;
    std::ostringstream out_, err_;
};

int ExperimentCommandsTest::call(const QStringList& words) {
    out_.str({});
    err_.str({});
    std::vector<std::string> arguments;
    for (const QString& word : words) arguments.push_back(word.toStdString());
    return runCommand(arguments, out_, err_);
}

void ExperimentCommandsTest::initTestCase() {
    QFile file(path("e.json"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(R"({"format": "stagecraft/experiment", "version": 1, "name": "it's small",
        "base": {"profile": {"generate": "vgg-16"}, "cluster": {"template": "pcie"}, "setup": {"microbatches": 4}},
        "axes": [{"name": "microbatches", "pointer": "/setup/microbatches", "values": [2, 4, 8]}],
        "planners": ["spp", "gpipe"],
        "claims": [{"text": "SPP is faster", "kind": "ratio", "planner": "SPP", "against": "GPipe", "at_most": 1}]})");
}

void ExperimentCommandsTest::shardsMergeToTheBytesOfTheWholeRun() {
    QCOMPARE(call({"sweep", path("e.json"), "--no-cache", "--out", path("whole.json")}), 0);
    QVERIFY2(out_.str().starts_with("holds: SPP is faster"), out_.str().c_str());
    QStringList merge = {"merge"};
    for (const char* shard : {"2/3", "1/3", "3/3"}) {
        merge << path(QString("part%1.json").arg(shard[0]));
        QCOMPARE(call({"sweep", path("e.json"), "--no-cache", "--shard", shard, "--out", merge.last()}), 0);
    }
    QCOMPARE(call(merge + QStringList{"--out", path("merged.json")}), 0);
    QVERIFY(!bytes("whole.json").isEmpty());
    QCOMPARE(bytes("merged.json"), bytes("whole.json"));
}

void ExperimentCommandsTest::aSecondRunTakesEverythingFromTheCache() {
    const QStringList words = {"sweep",       path("e.json"), "--cache",
                               path("cache"), "--out",        path("again.json")};
    QCOMPARE(call(words), 0);
    QVERIFY2(err_.str().find("known from before") == std::string::npos, err_.str().c_str());
    const QByteArray first = bytes("again.json");
    QCOMPARE(call(words), 0);
    QVERIFY2(err_.str().find("6 of them known from before") != std::string::npos, err_.str().c_str());
    QCOMPARE(bytes("again.json"), first);
}

void ExperimentCommandsTest::aTableHasARowACell() {
    QCOMPARE(call({"sweep", path("e.json"), "--no-cache", "--out", path("table.csv")}), 0);
    const QList<QByteArray> lines = bytes("table.csv").trimmed().split('\n');
    QCOMPARE(lines.size(), 7);
    QVERIFY(lines.first().startsWith("microbatches,planner,status,iteration_time_s,"));
    QVERIFY(lines[1].startsWith("2,SPP,ok,"));
    for (const QByteArray& line : lines) QCOMPARE(line.count(','), lines.first().count(','));
}

void ExperimentCommandsTest::aSweepDrawsTheChartThatItsFileNames() {
    QFile file(path("e.json"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QByteArray text = file.readAll();
    text.insert(text.lastIndexOf('}'), R"(, "chart": {"kind": "bars", "relative_to": "GPipe"})");
    QFile chosen(path("chosen.json"));
    QVERIFY(chosen.open(QIODevice::WriteOnly));
    chosen.write(text);
    chosen.close();
    QCOMPARE(call({"sweep", path("chosen.json"), "--no-cache", "--out", path("chosen.results.json"),
                   "--figure", path("chosen.svg")}),
             0);
    QFile figure(path("chosen.svg"));
    QVERIFY(figure.open(QIODevice::ReadOnly));
    const QByteArray svg = figure.readAll();
    QVERIFY2(svg.contains("over that of GPipe"), svg.left(400));
    QVERIFY(call({"sweep", path("chosen.json"), "--out", path("x"), "--shard", "1/2", "--figure",
                  path("x.svg")}) != 0);
}

void ExperimentCommandsTest::mistakesAreNamed_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QString>("says");
    QTest::newRow("no file") << QStringList{"sweep", path("none.json"), "--out", path("x")} << "none.json";
    QTest::newRow("no out") << QStringList{"sweep", path("e.json")} << "--out";
    QTest::newRow("shard") << QStringList{"sweep", path("e.json"), "--shard", "4/3", "--out", path("x")}
                           << "I from 1 to N";
    QTest::newRow("shard text") << QStringList{"sweep", path("e.json"), "--shard", "a", "--out", path("x")}
                                << "expected I/N";
    QTest::newRow("not results") << QStringList{"merge", path("e.json"), "--out", path("x")}
                                 << "stagecraft/results";
    QTest::newRow("paper") << QStringList{"reproduce", "--only", "sp"} << "spp";
    QTest::newRow("a set without the measured")
        << QStringList{"reproduce", "--set", "primus"} << "--measured";
    QTest::newRow("no such set") << QStringList{"reproduce", "--measured", "--set", "prim"} << "primus";
    QTest::newRow("no such row") << QStringList{"reproduce", "--measured", "--set", "two-stages",
                                                "--row",     "3",          "--out", path("x")}
                                 << "expected 0 to 2";
    QTest::newRow("a row of no set") << QStringList{"reproduce", "--measured", "--row",
                                                    "0",         "--out",      path("x")}
                                     << "expected --set";
    QTest::newRow("a folder of the measured")
        << QStringList{"reproduce", "--measured", "--out", path("x")} << "expected --row";
    QTest::newRow("submit") << QStringList{"sweep",    path("e.json"), "--parallel", "2",
                                           "--submit", "--out",        path("x")}
                            << "--slurm";
}

void ExperimentCommandsTest::mistakesAreNamed() {
    QFETCH(QStringList, words);
    QFETCH(QString, says);
    QCOMPARE(call(words), 2);
    QVERIFY2(QString::fromStdString(err_.str()).contains(says), err_.str().c_str());
    QVERIFY(!QFile::exists(path("x")));
}

void ExperimentCommandsTest::measuredRunsStandBesideWhatIsPredicted() {
    QCOMPARE(call({"reproduce", "--measured", "--set", "two-stages", "--json"}), 0);
    const nlohmann::json set = nlohmann::json::parse(out_.str()).at("sets").at(0);
    QCOMPARE(set.at("rows").size(), std::size_t(3));
    std::vector<double> sizes;
    for (const nlohmann::json& row : set.at("rows")) {
        const double error = row.at("predicted").get<double>() / row.at("measured").get<double>() - 1;
        QVERIFY(std::abs(error - row.at("error").get<double>()) < 1e-12);
        sizes.push_back(std::abs(error));
    }
    std::sort(sizes.begin(), sizes.end());
    QVERIFY(std::abs(set.at("summary").at("median_error").get<double>() - sizes[1]) < 1e-12);
    QVERIFY(std::abs(std::abs(set.at("summary").at("worst_error").get<double>()) - sizes[2]) < 1e-12);
    out_.str({});
    QCOMPARE(call({"reproduce", "--measured", "--set", "two-stages"}), 0);
    for (const char* said : {"Nothing is calibrated.", "1F1B, 8 of 15 layers first", "−3.0 %",
                             "3 rows: median error 3.0 %, worst +5.1 %", "all times and rates"})
        QVERIFY2(out_.str().find(said) != std::string::npos, (said + ("\n" + out_.str())).c_str());
    out_.str({});
    QCOMPARE(call({"reproduce", "--measured", "--set", "two-stages", "--csv"}), 0);
    QCOMPARE(std::ranges::count(out_.str(), '\n'), 4);
}

void ExperimentCommandsTest::aMeasuredRowIsWrittenAsAProject() {
    QCOMPARE(call({"reproduce", "--measured", "--set", "two-stages", "--row", "2", "--out",
                   path("row.stagecraft.json")}),
             0);
    QCOMPARE(call({"plan", path("row.stagecraft.json"), "--planner", "gpipe"}), 0);
    QVERIFY(bytes("row.stagecraft.json").contains("1F1B, 11 of 15 layers first"));
}

void ExperimentCommandsTest::theScriptOfGnuParallelIsOneThatAShellReads() {
    const std::string script =
        parallelScript({"stage craft", "it's.json", path("out dir/it's.json").toStdString(), 3, 2}, "a,b");
    QProcess shell;
    shell.start("bash", {"-n"});
    QVERIFY(shell.waitForStarted());
    shell.write(script.c_str());
    shell.closeWriteChannel();
    QVERIFY(shell.waitForFinished());
    QCOMPARE(shell.exitCode(), 0);
    QVERIFY(script.find("::: 1 2 3\n") != std::string::npos);
}

void ExperimentCommandsTest::everyPaperExperimentReadsAndEveryPointIsAProblem() {
    std::set<std::string> papers;
    for (const PaperExperiment& one : paperExperiments()) {
        const Grid grid(one.experiment());
        papers.insert(grid.experiment().source.paper);
        QVERIFY2(!grid.experiment().claims.empty(), one.id.c_str());
        QVERIFY2(!grid.experiment().about.empty() && !grid.experiment().differs.empty(), one.id.c_str());
        QVERIFY2(!one.results().empty(), one.id.c_str());
        for (std::size_t point = 0; point < grid.pointCount(); point += 7) {
            try {
                const auto why = whyUnplannable(grid.problem(point));
                QVERIFY2(!why, (one.id + ": " + why.value_or("")).c_str());
            } catch (const std::exception& error) {
                QFAIL(error.what());
            }
        }
    }
    const auto place = [](const char* id) { return findPaperExperiment(id) - paperExperiments().data(); };
    QVERIFY(place("spp-fig-5") < place("spp-fig-10"));
    QCOMPARE(papers, (std::set<std::string>{"spp", "pipedream", "xpipe", "vpipe", "madpipe"}));
}

void ExperimentCommandsTest::claimsThatFailSayWhy() {
    for (const PaperExperiment& one : paperExperiments()) {
        const ExperimentResults results = readResults(one.results(), one.id, {});
        QVERIFY2(results.complete(), one.id.c_str());
        QCOMPARE(writeResults({one.experiment(), results.cells}), one.results());
        const std::vector<Judgement> judgements = judgeAll(Grid(results.experiment), results.cells);
        for (std::size_t i = 0; i < judgements.size(); ++i) {
            const Claim& claim = results.experiment.claims[i];
            const std::string where = one.id + ": " + claim.text;
            QVERIFY2(!claim.source.paper.empty() && !claim.source.place.empty(), where.c_str());
            QVERIFY2(judgements[i].verdict != Verdict::undecided || judgements[i].standardError,
                     where.c_str());  // by noise, not for want of results
            QVERIFY2(judgements[i].verdict == Verdict::holds || !claim.remark.empty(), where.c_str());
        }
    }
}

/// Every planner does the same at every point, and everywhere the same: nobody is better, nothing grows.
std::vector<CellResult> allEqual(const ExperimentResults& results) {
    std::vector<CellResult> cells = results.cells;
    std::map<std::string, double> same;
    for (const CellResult& cell : cells)
        for (const auto& [metric, value] : cell.metrics) same.emplace(metric, value > 0 ? value : 1);
    for (CellResult& cell : cells) cell = {CellStatus::ok, "", same};
    return cells;
}

void ExperimentCommandsTest::whatSaysMoreDoesNotHoldWhereAllAreEqual() {
    static const QRegularExpression more(
        QStringLiteral("\\b(more|faster|slower|less|larger|greater|longer|sooner|above|below|gains?|loses|"
                       "grows?|falls|shrinks?|jumps)\\b"));
    // What allows for equality says so.
    static const QRegularExpression equal(
        QStringLiteral("\\b(no|never|not|about|at most|or less|or more|within|level|similar|stable|stays?|"
                       "matches|as fast|as many|at least|by more than)\\b|% more"));
    int strict = 0;
    for (const PaperExperiment& one : paperExperiments()) {
        const ExperimentResults results = shippedResults(one);
        const Grid grid(results.experiment);
        const std::vector<CellResult> cells = allEqual(results);
        for (const Claim& claim : results.experiment.claims) {
            const QString text = QString::fromStdString(claim.text).toLower();
            if (!text.contains(more) || text.contains(equal) || claim.kind == ClaimKind::value ||
                !claim.overMetric.empty())
                continue;
            ++strict;
            QVERIFY2(judge(grid, cells, claim).verdict != Verdict::holds,
                     (one.id + ": " + claim.text).c_str());
        }
    }
    QVERIFY(strict > 40);
}

void ExperimentCommandsTest::thePapersOwnNumbersMakeTheirClaimsHold() {
    int judged = 0;
    for (const PaperExperiment& one : paperExperiments()) {
        const Grid grid(one.experiment());
        const std::vector<CellResult> printed = printedCells(grid);
        for (const Claim& claim : grid.experiment().claims) {
            const Judgement judgement = judge(grid, printed, claim);
            const bool outOfMemory = judgement.because.find("is infeasible") != std::string::npos;
            if (judgement.printedNumbers.empty() || outOfMemory) continue;
            ++judged;
            QVERIFY2(judgement.verdict == Verdict::holds,
                     (one.id + ": " + claim.text + ": " + judgement.because).c_str());
        }
    }
    QVERIFY(judged > 20);
}

void ExperimentCommandsTest::levelsAreCountedPerPaperAndInAll() {
    QCOMPARE(call({"reproduce", "--only", "spp-table-3-v100", "--json"}), 0);
    const nlohmann::json printed = nlohmann::json::parse(out_.str());
    const nlohmann::json& entry = printed.at("experiments").at(0);
    // 28 times, the 21 speed-ups of SPP that they make, and one over two planners at once.
    QCOMPARE(entry.at("levels").at("printed").get<int>(), 28 + 21 + 1);
    const nlohmann::json& first = entry.at("printed").at(0);
    QCOMPARE(first.at("place").get<std::string>(), std::string("Table III, V100 × 4"));
    QCOMPARE(first.at("printed").get<double>(), 0.983);
    QVERIFY(std::abs(first.at("ratio").get<double>() - first.at("found").get<double>() / 0.983) < 1e-12);
    QCOMPARE(printed.at("papers").at(0).at("paper").get<std::string>(), std::string("spp"));
    QCOMPARE(printed.at("papers").at(0).at("levels"), entry.at("levels"));
    QCOMPARE(printed.at("all").at("claims").get<std::size_t>(), entry.at("claims").size());
    out_.str({});
    QCOMPARE(call({"reproduce", "--only", "spp-table-3-v100"}), 0);
    QVERIFY2(out_.str().find("shapes: ") != std::string::npos, out_.str().c_str());
    QVERIFY2(out_.str().find("of 50 printed numbers") != std::string::npos, out_.str().c_str());
}

/// Those that take seconds; training, MadPipe's whole grid and much of vPipe take minutes.
void ExperimentCommandsTest::resultsAreAsShipped_data() {
    QTest::addColumn<QString>("only");
    QTest::addColumn<QString>("fails");
    const auto whole = [](const char* title, const char* only, const char* fails) {
        QTest::newRow(title) << only << fails;
    };
    whole("vPipe, Table 4", "vpipe-table-4", "Algorithm 3 cuts as much");
    whole("XPipe, Fig. 6", "xpipe-fig-6", "With predictions that cost nothing XPipe is slightly slower");
    whole("XPipe, Fig. 7", "xpipe-fig-7", "On 2 GPUs XPipe gains");
    if (!testing::inFull()) return;
    whole("SPP", "spp", "PipeDream is stable");
    whole("PipeDream", "pipedream", "For image classification PipeDream is up to 5.3 times");
    whole("vPipe, Figs. 13 and 15", "vpipe-fig-13", "Layers move at 432 MB/s at most");
    whole("vPipe, Fig. 14", "vpipe-fig-14", "Moving layers live stalls PipeDream's pipeline");
    whole("vPipe, small networks", "vpipe-small-networks", "vPipe over PipeDream gives merely 5.2 %");
    whole("MadPipe, Fig. 6", "madpipe-fig-6", "With more memory the first phase of PipeDream");
}

void ExperimentCommandsTest::resultsAreAsShipped() {
    QFETCH(QString, only);
    QFETCH(QString, fails);
    QCOMPARE(call({"reproduce", "--only", only}), 0);
    QVERIFY2(out_.str().find("All results are as shipped") != std::string::npos, out_.str().c_str());
    QVERIFY(out_.str().find("fails: " + fails.toStdString()) != std::string::npos);
}

/// Of those that take a core a second or more: `reproduce` runs them whole, and so does `./dev test-all`.
void ExperimentCommandsTest::aShardIsAsShipped_data() {
    QTest::addColumn<QString>("id");
    QTest::addColumn<int>("shards");
    const std::map<std::string, int> others = {
        {"vpipe-fig-9", 16}, {"vpipe-fig-10", 8}, {"vpipe-fig-12", 32},        {"vpipe-table-3", 8},
        {"vpipe-fig-13", 4}, {"vpipe-fig-14", 4}, {"vpipe-small-networks", 4}, {"madpipe-fig-6", 8}};
    for (const PaperExperiment& paper : paperExperiments())
        if (const auto found = others.find(paper.id); found != others.end())
            QTest::newRow(paper.id.c_str()) << QString::fromStdString(paper.id) << found->second;
        else if (paper.id.starts_with("spp-") || paper.id.starts_with("pipedream-"))
            QTest::newRow(paper.id.c_str()) << QString::fromStdString(paper.id) << 6;
}

void ExperimentCommandsTest::aShardIsAsShipped() {
    QFETCH(QString, id);
    QFETCH(int, shards);
    if (testing::inFull()) shards = 1;
    const PaperExperiment* paper = findPaperExperiment(id.toStdString());
    QVERIFY(paper);
    const std::vector<CellResult> shipped = readResults(paper->results(), paper->id, {}).cells;
    const Grid grid(paper->experiment());
    const std::vector<std::size_t> cells = cellsOfShard(grid, estimatedCosts(grid), shards - 1, shards);
    QVERIFY(!cells.empty());
    const std::vector<CellResult> results = runCells(grid, cells);
    QCOMPARE(results.size(), shipped.size());
    for (const std::size_t cell : cells)
        QVERIFY2(results[cell] == shipped[cell], std::to_string(cell).c_str());
}

void ExperimentCommandsTest::verdictsArePrintedAsJson() {
    QCOMPARE(call({"reproduce", "--only", "xpipe-fig-7", "--json"}), 0);
    const nlohmann::json printed = nlohmann::json::parse(out_.str());
    const nlohmann::json& entry = printed.at("experiments").at(0);
    QCOMPARE(entry.at("id").get<std::string>(), std::string("xpipe-fig-7"));
    QVERIFY(entry.at("as_shipped").get<bool>() && entry.at("to_the_byte").get<bool>());
    QCOMPARE(entry.at("claims").size(), std::size_t{7});
    QCOMPARE(entry.at("claims").at(0).at("verdict").get<std::string>(), std::string("holds"));
    QCOMPARE(entry.at("claims").at(3).at("verdict").get<std::string>(), std::string("fails"));
    QVERIFY(!entry.at("claims").at(0).contains("standard_error"));  // what is simulated has no noise
}

void ExperimentCommandsTest::resultsGoIntoAFolderThatIsMadeBeforeTheWork() {
    const QString folder = path(QStringLiteral("new/results"));
    QCOMPARE(call({"reproduce", "--only", "xpipe-fig-7", "--out", folder}), 0);
    QVERIFY(QFile::exists(folder + QStringLiteral("/xpipe-fig-7.results.json")));
    out_.str({});
    QCOMPARE(call({"reproduce", "--only", "xpipe-fig-7", "--out", folder + "/xpipe-fig-7.results.json/x"}),
             2);
    QVERIFY2(out_.str().find("holds") == std::string::npos, "nothing was computed in vain");
}

/// From what was shipped: training it again takes minutes.
void ExperimentCommandsTest::noiseLeavesClaimsOnTrainingsUndecided() {
    const PaperExperiment* table = findPaperExperiment("xpipe-table-1");
    const ExperimentResults results = readResults(table->results(), table->id, {});
    const std::vector<Judgement> judgements = judgeAll(Grid(results.experiment), results.cells);
    const auto verdictOn = [&](const std::string& text) {
        for (std::size_t i = 0; i < judgements.size(); ++i)
            if (results.experiment.claims[i].text.starts_with(text)) return judgements[i];
        return Judgement();
    };
    const Judgement level = verdictOn("XPipe's best accuracy is above SpecTrain's");
    QCOMPARE(level.verdict, Verdict::undecided);
    QCOMPARE(level.seeds, 8);
    QVERIFY(std::abs(level.number) < 2 * level.standardError.value());
    const Judgement clear = verdictOn("PipeDream loses accuracy against the baseline");
    QCOMPARE(clear.verdict, Verdict::holds);
    QVERIFY(-clear.number > 2 * clear.standardError.value());
}

STAGECRAFT_TEST_NEEDING(events, ExperimentCommandsTest)
#include "experiment_commands_test.moc"
