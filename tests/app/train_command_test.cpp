// stagecraft train.
#include "core/formats/text_file.h"
#include "tests/support/window_rooms.h"
#include "core/training/training_settings.h"
#include "tests/app/command_call.h"
#include "tests/app/sample_files.h"
#include "tests/support/qt_program.h"

#include <QtTest>

#include <algorithm>
#include <filesystem>
#include <set>

namespace fs = std::filesystem;
using namespace stagecraft;
using testing::mentions, testing::Outcome;
using testing::samplePath;
using testing::toyFile;

namespace {

const std::string fourGpusFile = samplePath("training/four-gpus.stagecraft.json");
const std::string withoutPlan = samplePath("testbed-v100-vgg-19.stagecraft.json");

Outcome train(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "train");
    return testing::call(arguments);
}

long linesIn(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

}  // namespace

class TrainCommandTest : public QObject {
    Q_OBJECT

private slots:
    void init() { QVERIFY(folder_.isValid()); }
    void cleanup() { fs::remove(target()); }
    void writesTheCurvesAndPrintsASummary();
    void isTheSameForAnyNumberOfJobs();
    void leavesOutOfAllWhatThePlanCannotDo();
    void trainsOnAPlannersStages();
    void saysThatAPlanIsOutOfDate();
    void optionsChangeWhatIsTrained();
    void drawsTheCurvesAsAFigure();
    void helpNamesEveryParameterWithItsDefault();
    void badUsageExitsWithTwoAndWritesNothing_data();
    void badUsageExitsWithTwoAndWritesNothing();

private:
    std::string target() const { return folder_.filePath("curves.csv").toStdString(); }

    QTemporaryDir folder_;
};

void TrainCommandTest::writesTheCurvesAndPrintsASummary() {
    const Outcome outcome = train({fourGpusFile, "--policies", "synchronous,stashing,xpipe", "--epochs", "2",
                                   "--seeds", "3", "--out", target()});
    QCOMPARE(outcome.status, 0);
    const std::string csv = readTextFile(target());
    QCOMPARE(linesIn(csv), 1L + 3 * 3 * 2);
    QVERIFY(
        csv.starts_with("policy,seed,epochs_done,training_loss,training_accuracy,validation_loss,"
                        "validation_accuracy\nsynchronous,0,1,"));
    QVERIFY(mentions(csv, "\nxpipe,2,2,"));
    QVERIFY(mentions(outcome.out, "A perceptron of 4 layers"));
    QVERIFY(mentions(outcome.out, "best against synchronous"));
    for (const char* policy : {"\nsynchronous ", "\nstashing ", "\nxpipe "})
        QVERIFY(mentions(outcome.out, policy));
    QCOMPARE(linesIn(outcome.err), 9L);
    QVERIFY(mentions(outcome.err, "(9 of 9)"));
}

void TrainCommandTest::isTheSameForAnyNumberOfJobs() {
    const auto csv = [&](const std::string& jobs) {
        train({toyFile, "--policies", "all", "--epochs", "1", "--seeds", "2", "--jobs", jobs, "--out",
               target()});
        return readTextFile(target());
    };
    const std::string alone = csv("1");
    QVERIFY(linesIn(alone) > 10);
    QVERIFY(csv("3") == alone);
}

void TrainCommandTest::leavesOutOfAllWhatThePlanCannotDo() {
    // Double buffering needs more than the one microbatch.
    const Outcome outcome = train({fourGpusFile, "--policies", "all", "--epochs", "1", "--out", target()});
    QCOMPARE(outcome.status, 0);
    QVERIFY(mentions(outcome.err, "2bw left out"));
    QCOMPARE(linesIn(readTextFile(target())), 1L + 6);
    QCOMPARE(
        train({fourGpusFile, "--policies", "all", "--microbatches", "4", "--epochs", "1", "--out", target()})
            .status,
        0);
    QCOMPARE(linesIn(readTextFile(target())), 1L + 7);
}

void TrainCommandTest::trainsOnAPlannersStages() {
    const std::vector<std::string> common = {withoutPlan,      "--policies", "stashing", "--epochs", "1",
                                             "--microbatches", "8",          "--out",    target()};
    const Outcome outcome = train(common);
    QCOMPARE(outcome.status, 0);
    QVERIFY(mentions(outcome.err, "trained on GPipe's stages"));
    std::vector<std::string> named = common;
    const Outcome several = train(
        {samplePath("xpipe-fig1.stagecraft.json"), "--policies", "all", "--epochs", "1", "--out", target()});
    QCOMPARE(several.status, 0);
    QVERIFY2(mentions(several.err, "trained on the first"), several.err.c_str());
    named.insert(named.end(), {"--planner", "data-parallel"});
    QVERIFY(mentions(train(named).out, "on 1 stage."));
    const Outcome many = train(
        {fourGpusFile, "--policies", "stashing", "--epochs", "1", "--microbatches", "40", "--out", target()});
    QVERIFY(mentions(many.out, "mini-batches of 40 samples in 40 microbatches"));
}

void TrainCommandTest::saysThatAPlanIsOutOfDate() {
    const std::string planned = folder_.filePath("planned.json").toStdString();
    const auto trained = [&] {
        return train({planned, "--policies", "synchronous", "--epochs", "1", "--out", target()});
    };
    QCOMPARE(testing::call({"plan", toyFile, "--planner", "gpipe", "--out", planned}).status, 0);
    QVERIFY(!mentions(trained().err, "ut of date"));
    std::string text = readTextFile(planned);
    const std::string asked = "\"microbatches\": 3";
    const std::size_t at = text.find(asked);
    QVERIFY(at != std::string::npos && text.find(asked, at + 1) == std::string::npos);
    writeFileAtomically(planned, text.replace(at, asked.size(), "\"microbatches\": 4"));
    const Outcome outcome = trained();
    QCOMPARE(outcome.status, 0);
    QVERIFY2(mentions(outcome.err, "Out of date: it was planned for another setup."), outcome.err.c_str());
}

void TrainCommandTest::optionsChangeWhatIsTrained() {
    const auto csv = [&](const std::vector<std::string>& options) {
        std::vector<std::string> arguments = {fourGpusFile, "--policies", "xpipe", "--epochs",
                                              "2",          "--out",      target()};
        arguments.insert(arguments.end(), options.begin(), options.end());
        const Outcome outcome = train(arguments);
        return outcome.status == 0 ? readTextFile(target()) : outcome.err;
    };
    std::set<std::string> different;
    const std::vector<std::vector<std::string>> choices = {{},
                                                           {"--model", "cnn"},
                                                           {"--data", "spirals"},
                                                           {"--layers", "5"},
                                                           {"--width", "32"},
                                                           {"--optimizer", "rmsprop"},
                                                           {"--optimizer", "adam"},
                                                           {"--learning-rate", "0.02"},
                                                           {"--momentum", "0.5"},
                                                           {"--weight-decay", "0.01"},
                                                           {"--drop-every", "1"},
                                                           {"--batch-size", "64"},
                                                           {"--microbatches", "2"},
                                                           {"--version-difference", "printed"},
                                                           {"--prediction", "printed"},
                                                           {"--recompute"}};
    for (const auto& options : choices) {
        const std::string text = csv(options);
        QVERIFY2(text.starts_with("policy,"), text.c_str());
        QVERIFY2(different.insert(text).second, options.empty() ? "" : options.front().c_str());
    }
}

void TrainCommandTest::drawsTheCurvesAsAFigure() {
    const auto figure = [&](const std::string& name, const std::vector<std::string>& options) {
        const std::string path = folder_.filePath(QString::fromStdString(name)).toStdString();
        std::vector<std::string> arguments = {fourGpusFile, "--policies", "synchronous,xpipe",
                                              "--epochs",   "3",          "--out",
                                              target(),     "--figure",   path};
        arguments.insert(arguments.end(), options.begin(), options.end());
        const Outcome outcome = train(arguments);
        return outcome.status == 0 ? readTextFile(path) : outcome.err;
    };
    const std::string svg = figure("curves.svg", {});
    QVERIFY2(svg.starts_with("<"), svg.c_str());
    QVERIFY(mentions(svg, "Validation loss (nats)"));
    QVERIFY(mentions(svg, ">XPipe<"));
    QVERIFY(figure("linear.svg", {"--loss-axis", "linear"}) != svg);
    QVERIFY(figure("grey.svg", {"--grey"}) != svg);
    QVERIFY(mentions(figure("wide.svg", {"--width-mm", "181.9"}), "181.9"));
    QVERIFY(mentions(figure("curves.tex", {}), "tikzpicture"));
}

void TrainCommandTest::helpNamesEveryParameterWithItsDefault() {
    const std::string help = QString::fromStdString(train({"--help"}).out).simplified().toStdString();
    for (const Parameter& parameter : stagecraft::training::trainingParameters()) {
        std::string option = "--" + parameter.name;
        std::replace(option.begin(), option.end(), '_', '-');
        QVERIFY2(mentions(help, option), option.c_str());
        if (!std::holds_alternative<bool>(parameter.defaultValue))
            QVERIFY2(mentions(help, "; default " + toText(parameter.defaultValue)), option.c_str());
    }
}

void TrainCommandTest::badUsageExitsWithTwoAndWritesNothing_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("expected");
    const QString project = QString::fromStdString(fourGpusFile);
    QTest::newRow("no policies") << QStringList{project} << "--policies is missing";
    QTest::newRow("unknown policy") << QStringList{project, "--policies", "stash"}
                                    << "did you mean 'stashing'?";
    QTest::newRow("policy twice") << QStringList{project, "--policies", "2bw,2bw"} << "twice";
    QTest::newRow("a named policy that cannot run")
        << QStringList{project, "--policies", "stashing,2bw"} << "more microbatches";
    QTest::newRow("too few samples") << QStringList{project, "--policies",     "all", "--batch-size",
                                                    "2",     "--microbatches", "3"}
                                     << "at least a sample for each";
    QTest::newRow("no images") << QStringList{project,   "--policies", "all", "--data",
                                              "spirals", "--model",    "cnn"}
                               << "expected digits";
    QTest::newRow("too few layers") << QStringList{project, "--policies", "all", "--layers", "3"}
                                    << "4 layers or more";
    QTest::newRow("plan and planner")
        << QStringList{project, "--policies", "all", "--plan", "0", "--planner", "spp"} << "expected one";
    QTest::newRow("unknown planner") << QStringList{project, "--policies", "all", "--planner", "sp"} << "spp";
    QTest::newRow("no epochs") << QStringList{project, "--policies", "all", "--epochs", "0"}
                               << "--epochs cannot be '0'; expected a whole number between 1 and";
    QTest::newRow("unknown network") << QStringList{project, "--policies", "all", "--model", "cn"}
                                     << "did you mean 'cnn'?";
    QTest::newRow("figure of no known format")
        << QStringList{project, "--policies", "all", "--figure", "curves.gif"} << "ends in .svg";
    QTest::newRow("width without a figure")
        << QStringList{project, "--policies", "all", "--width-mm", "80"} << "expected --figure as well";
}

void TrainCommandTest::badUsageExitsWithTwoAndWritesNothing() {
    QFETCH(QStringList, arguments);
    QFETCH(QString, expected);
    std::vector<std::string> words = {"--out", target()};
    for (const QString& argument : arguments) words.push_back(argument.toStdString());
    const Outcome outcome = train(words);
    QCOMPARE(outcome.status, 2);
    QVERIFY2(mentions(outcome.err, expected.toStdString()), outcome.err.c_str());
    QVERIFY(outcome.out.empty());
    QVERIFY(!fs::exists(target()));
}

STAGECRAFT_TEST(TrainCommandTest)
#include "train_command_test.moc"
