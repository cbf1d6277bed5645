// Curves and notes of a plan from the command line.
#include "app/commands/commands.h"
#include "tests/support/window_rooms.h"
#include "core/formats/files/project_file.h"
#include "tests/support/qt_program.h"

#include <QtTest>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

namespace fs = std::filesystem;
using nlohmann::json;
using namespace stagecraft;

class ExportCurvesTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void aLinksTableHoldsTheBytesThatItsJsonTells();
    void memoryIsATableToo();
    void oneLinkIsDrawnWhenItIsAskedFor();
    void notesAreDrawnWhenTheyAreAskedFor();
    void whatAViewDoesNotHaveIsToldWithWhatItHas();

private:
    std::string file(const char* name) const { return folder_.filePath(name).toStdString(); }
    int exported(std::vector<std::string> arguments, const char* name) {
        arguments.insert(arguments.begin(), "export");
        arguments.insert(arguments.end(), {"--out", file(name)});
        std::ostringstream out;
        error_.str({});
        return runCommand(arguments, out, error_);
    }
    std::string textOf(const char* name) const { return readTextFile(file(name)); }
    std::vector<QStringList> rowsOf(const char* name) const {
        std::vector<QStringList> rows;
        for (const QString& line : QString::fromStdString(textOf(name)).split('\n', Qt::SkipEmptyParts))
            rows.push_back(line.split(','));
        return rows;
    }

    QTemporaryDir folder_;
    std::string project_ = std::string(STAGECRAFT_SOURCE_DIR) + "/samples/fig2-toy.stagecraft.json";
    std::ostringstream error_;
};

void ExportCurvesTest::initTestCase() {
    QVERIFY(folder_.isValid());
    QVERIFY(fs::exists(project_));
}

void ExportCurvesTest::aLinksTableHoldsTheBytesThatItsJsonTells() {
    QCOMPARE(exported({project_, "--plan", "0", "--view", "links", "--format", "csv"}, "links.csv"), 0);
    QCOMPARE(exported({project_, "--plan", "0", "--view", "links", "--format", "json"}, "links.json"), 0);
    const auto rows = rowsOf("links.csv");
    QCOMPARE(rows[0].join(','),
             QString("from,to,bandwidth_Bps,from_s,to_s,transfer_forward_Bps,transfer_backward_Bps,"
                     "AllReduce_Bps,swap_out_Bps,swap_in_Bps"));
    std::map<std::pair<QString, QString>, double> bytes;
    for (std::size_t row = 1; row < rows.size(); ++row) {
        double& sum = bytes[{rows[row][0], rows[row][1]}];
        for (int kind = 5; kind < 10; ++kind)
            sum += rows[row][kind].toDouble() * (rows[row][4].toDouble() - rows[row][3].toDouble());
    }
    const json document = json::parse(textOf("links.json"));
    QCOMPARE(document["format"], "stagecraft/link-load");
    std::size_t ways = 0;
    for (const json& link : document["links"])
        for (const json& way : link["ways"]) {
            ++ways;
            const double own =
                bytes.at({QString::fromStdString(way["from"]), QString::fromStdString(way["to"])});
            const double told = link["bytes"];
            QVERIFY(told > 0 && std::abs(own - told) < 1e-6 * told);
            for (const auto& [kind, load] : link["load_Bps"].items())
                QCOMPARE(load.size(), link["time_s"].size());
        }
    QVERIFY(ways > 1);
    QCOMPARE(ways, bytes.size());
}

void ExportCurvesTest::memoryIsATableToo() {
    QCOMPARE(exported({project_, "--plan", "0", "--view", "memory", "--format", "csv", "--memory-device",
                       "s0g1", "--from-s", "0.02"},
                      "memory.csv"),
             0);
    const auto rows = rowsOf("memory.csv");
    QVERIFY(rows.size() > 2);
    QCOMPARE(rows[0].size(), 9);
    for (std::size_t row = 1; row < rows.size(); ++row) {
        QCOMPARE(rows[row][0], QString("s0g1"));
        QVERIFY(rows[row][1].toDouble() >= 0.02 && rows[row][2].toDouble() > rows[row][1].toDouble());
        if (row > 1) QCOMPARE(rows[row][1], rows[row - 1][2]);
    }
}

void ExportCurvesTest::oneLinkIsDrawnWhenItIsAskedFor() {
    QCOMPARE(exported({project_, "--plan", "0", "--view", "links", "--format", "csv"}, "links.csv"), 0);
    const QStringList first = rowsOf("links.csv")[1];
    const std::string link = (first[0] + ',' + first[1]).toStdString();
    QCOMPARE(exported({project_, "--plan", "0", "--view", "links", "--format", "svg"}, "all.svg"), 0);
    QCOMPARE(
        exported({project_, "--plan", "0", "--view", "links", "--format", "svg", "--link", link}, "one.svg"),
        0);
    const auto panels = [this](const char* name) {
        return QString::fromStdString(textOf(name)).count(QStringLiteral("→"));
    };
    QVERIFY(panels("all.svg") > panels("one.svg"));
    QCOMPARE(panels("one.svg"), 1);
    QCOMPARE(
        exported({project_, "--plan", "0", "--view", "links", "--format", "svg", "--link", "a,b"}, "no.svg"),
        2);
    QVERIFY(error_.str().find("--link cannot be 'a,b'") != std::string::npos);
}

void ExportCurvesTest::notesAreDrawnWhenTheyAreAskedFor() {
    Project project = readProject(readTextFile(project_), project_, fs::path(project_).parent_path());
    project.notes.resize(project.plans.size());
    project.notes[0] = {{0.01, {}, "", "look here"}};
    const std::string noted = file("noted.stagecraft.json");
    writeFileAtomically(noted, writeProject(project));
    QCOMPARE(exported({noted, "--plan", "0", "--format", "svg"}, "plain.svg"), 0);
    QVERIFY(textOf("plain.svg").find("look here") == std::string::npos);
    QCOMPARE(exported({noted, "--plan", "0", "--format", "svg", "--notes"}, "noted.svg"), 0);
    QVERIFY(textOf("noted.svg").find("look here") != std::string::npos);
}

void ExportCurvesTest::whatAViewDoesNotHaveIsToldWithWhatItHas() {
    QCOMPARE(exported({project_, "--plan", "0", "--view", "partition", "--format", "csv"}, "x"), 2);
    QVERIFY(error_.str().find("no --format csv of --view partition; expected svg | pdf | png | tikz") !=
            std::string::npos);
    QCOMPARE(exported({project_, "--plan", "0", "--view", "memory", "--format", "apng"}, "x"), 2);
    QVERIFY(error_.str().find("plays the schedule") != std::string::npos);
    QVERIFY(!fs::exists(file("x")));
}

STAGECRAFT_TEST(ExportCurvesTest)
#include "export_curves_test.moc"
