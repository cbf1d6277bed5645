// The program's check of itself: that it looks at all that the registries have, and that what fails is named.
#include "app/commands/pictures.h"
#include "app/commands/self_test.h"
#include "app/figures/plan_tables.h"
#include "core/base/table_formats.h"
#include "core/planners/applicability.h"
#include "tests/app/command_call.h"
#include "tests/app/sample_files.h"
#include "tests/support/qt_program.h"
#include "views/figures/figure_formats.h"
#include "views/play/movie.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <map>

using namespace stagecraft;
using namespace stagecraft::testing;

class SelfTestTest : public QObject {
    Q_OBJECT

    static Sample toyWith(const std::function<void(Project&)>& change) {
        Sample sample = *findSample(QStringLiteral("fig2-toy"));
        Project project = *sample.project;
        change(project);
        sample.id = QStringLiteral("changed");
        sample.project = std::make_shared<const Project>(std::move(project));
        return sample;
    }

    /// What fails, by name.
    static std::map<std::string, std::string> failures(const Sample& sample, const QString& folder) {
        ensureApplication();
        std::map<std::string, std::string> found;
        SelfTest test({sample}, folder.toStdString());
        const auto [made, failed] = test.run(false, [&](const SelfCheck& check) {
            if (!check.ok()) found[check.name] = check.failure;
        });
        Q_ASSERT(failed == static_cast<int>(found.size()) && made > failed);
        return found;
    }

private slots:
    void everythingThatTheRegistriesHaveIsChecked() {
        const Outcome outcome = call({"self-test", "gpipe-1f1b"});
        QVERIFY2(outcome.err.empty(), outcome.err.c_str());
        QCOMPARE(outcome.status, 0);
        std::vector<std::string> expected = {"help pages", "lessons", "sample gpipe-1f1b"};
        for (const FigureFormat& format : figureFormats())
            expected.push_back("figure format " + format.id.toStdString());
        for (const std::string& id : planTableIds()) expected.push_back("table schedule-" + id);
        for (const TableFormat& format : tableFormats())
            expected.push_back("table format " + std::string(format.id));
        for (const std::string& id : movieFormatIds()) expected.push_back("movie format " + id);
        for (const std::unique_ptr<Planner>& planner : allPlanners())
            if (!needsAsynchronousMode(*planner)) expected.push_back("planner " + planner->description().id);
        for (const std::string& name : expected)
            QVERIFY2(mentions(outcome.out, "ok      " + name + ": "), (name + "\n" + outcome.out).c_str());
        QVERIFY(mentions(outcome.out, " checks passed in "));
    }

    void whatItWritesIsKeptIfThatIsAskedFor() {
        QTemporaryDir folder;
        const std::string target = folder.filePath(QStringLiteral("kept")).toStdString();
        const Outcome outcome = call({"self-test", "fig2-toy", "--quiet", "--out", target});
        QCOMPARE(outcome.status, 0);
        QCOMPARE(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 1);
        for (const char* file : {"schedule.pdf", "movie-gif.gif", "memory-csv.csv"})
            QVERIFY2(std::filesystem::exists(target + "/" + file), file);
        const Outcome again = call({"self-test", "fig2-toy", "--out", target});
        QCOMPARE(again.status, 2);
        QVERIFY2(mentions(again.err, "is not empty"), again.err.c_str());
    }

    void aPlanThatCannotBeSimulatedFailsItsSampleByName() {
        QTemporaryDir folder;
        const auto found = failures(
            toyWith([](Project& project) { project.plans.front().stages.pop_back(); }), folder.path());
        QVERIFY(found.contains("sample changed"));
        QVERIFY2(mentions(found.at("sample changed"), "plan 'The plan of Fig. 2'"),
                 found.at("sample changed").c_str());
    }

    void aProblemWithoutAPlanFailsItsSampleByName() {
        QTemporaryDir folder;
        const auto found = failures(toyWith([](Project& project) {
                                        project.plans.clear();
                                        project.origins.clear();
                                        project.problem.cluster.links.clear();
                                    }),
                                    folder.path());
        QVERIFY(found.contains("sample changed"));
        QVERIFY2(mentions(found.at("sample changed"), "no planner has a plan: spp: "),
                 found.at("sample changed").c_str());
    }

    void aFigureThatCannotBeWrittenFailsByName() {
        QTemporaryDir folder;
        const auto found = failures(toyWith([](Project&) {}), folder.filePath(QStringLiteral("not there")));
        for (const char* name : {"figure format pdf", "figure format png"})
            QVERIFY2(found.contains(name), name);
        QVERIFY(!found.contains("sample changed"));
    }

    void anUnknownSampleIsBadUsage() {
        const Outcome outcome = call({"self-test", "fig2-toi"});
        QCOMPARE(outcome.status, 2);
        QVERIFY2(mentions(outcome.err, "did you mean 'fig2-toy'"), outcome.err.c_str());
    }

    void theProgramWithoutFontsSaysSoAndEndsWithOne() {
        QTemporaryDir folder;
        QFile configuration(folder.filePath(QStringLiteral("fonts.conf")));
        QVERIFY(configuration.open(QIODevice::WriteOnly));
        configuration.write("<fontconfig></fontconfig>");
        configuration.close();
        QProcess program;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("FONTCONFIG_FILE"), configuration.fileName());
        environment.remove(QStringLiteral("DISPLAY"));
        program.setProcessEnvironment(environment);
        program.setWorkingDirectory(folder.path());
        program.start(QStringLiteral(STAGECRAFT_PROGRAM),
                      {QStringLiteral("self-test"), QStringLiteral("fig2-toy")});
        QVERIFY(program.waitForFinished(60'000));
        const QByteArray complaint = program.readAllStandardError();
        QVERIFY2(complaint.contains("FAILED  font of figures: 'DejaVu Sans' is not installed"),
                 complaint.constData());
        QCOMPARE(program.exitCode(), 1);
    }
};

STAGECRAFT_TEST(SelfTestTest)
#include "self_test_test.moc"
