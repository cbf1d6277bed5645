// Whether the program works where it is installed.
#include "app/commands/command.h"
#include "app/commands/out_folder.h"
#include "app/commands/pictures.h"
#include "app/commands/self_test.h"
#include "core/base/counted.h"
#include "core/base/units.h"

#include <QDir>
#include <QElapsedTimer>
#include <QTemporaryDir>

namespace stagecraft::app::commands {

namespace {

/// Those that are named; all without any. @throws UsageError
std::vector<Sample> samplesNamed(const std::vector<std::string>& names) {
    if (names.empty()) return samples();
    std::vector<std::string> known;
    for (const Sample& sample : samples()) known.push_back(sample.id.toStdString());
    std::vector<Sample> chosen;
    for (const std::string& name : names) {
        const Sample* sample = findSample(QString::fromStdString(name));
        if (!sample)
            throw UsageError("no sample '" + name + "'" + spellingHint(name, known) + "; expected one of " +
                             joinNames(known));
        chosen.push_back(*sample);
    }
    return chosen;
}

/// One that is gone afterwards, unless it is asked for.
std::string folderFor(const Arguments& arguments, const QTemporaryDir& own) {
    const auto asked = arguments.text("out");
    if (!asked) {
        if (!own.isValid())
            throw InputError(own.path().toStdString(), "", own.errorString().toStdString(),
                             "a folder for temporary files that can be written to, or --out");
        return own.path().toStdString();
    }
    makeFolder(*asked, "a folder for what the self-test writes");
    if (!QDir(QString::fromStdString(*asked)).isEmpty())
        throw UsageError("--out '" + *asked + "' is not empty; expected a new or empty folder");
    return *asked;
}

int runSelfTest(const Arguments& arguments, std::ostream& out, std::ostream& err) {
    QElapsedTimer clock;
    clock.start();
    ensureApplication();
    const QTemporaryDir own;
    const std::string folder = folderFor(arguments, own);
    SelfTest test(samplesNamed(arguments.positional()), folder);
    const bool quiet = arguments.has("quiet");
    const auto [made, failed] = test.run(arguments.positional().empty(), [&](const SelfCheck& check) {
        if (!check.ok())
            err << "FAILED  " << check.name << ": " << check.failure << std::endl;
        else if (!quiet)
            out << "ok      " << check.name << ": " << check.found << std::endl;
    });
    const std::string took = formatSeconds(static_cast<double>(clock.elapsed()) / 1000);
    if (failed == 0)
        out << counted(made, "check") << " passed in " << took << "\n";
    else
        out << failed << " of " << counted(made, "check") << " failed, in " << took << "\n";
    return failed == 0 ? exitDone : exitFailed;
}

}  // namespace

Command selfTestCommand() {
    return {"self-test",
            {"[SAMPLE…] [--out FOLDER] [--quiet]"},
            "Checks the installed program: samples planned, simulated and validated, every figure and table "
            "format written; names what fails.",
            {{"out", "FOLDER", "keep what is written in this folder, which must be empty"},
             {"quiet", "", "print what fails, and the result"}},
            &runSelfTest};
}

}  // namespace stagecraft::app::commands
