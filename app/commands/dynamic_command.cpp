#include "app/commands/command.h"
#include "app/commands/inputs.h"
#include "app/commands/text_table.h"
#include "app/vpipe/vpipe_files.h"
#include "core/base/units.h"
#include "core/formats/input_error.h"
#include "core/formats/profiles/network_script.h"
#include "core/planners/vpipe/changing_network.h"
#include "core/planners/vpipe/vpipe_planner.h"

namespace stagecraft::app::commands {

namespace {

using planners::vpipe::ThroughputPoint;

int runDynamic(const Arguments& arguments, std::ostream& out, std::ostream&) {
    arguments.refuseMoreThan(1);
    const std::string& path = arguments.positionalAt(0, "PROJECT");
    const std::string scriptPath = arguments.required("script");
    const std::string target = arguments.required("out");
    const NetworkScript script = readNetworkScript(readTextFile(scriptPath), scriptPath);
    const PlansInput input = plansFrom(path);
    const std::vector<Parameter>& parameters = findPlanner("vpipe")->description().parameters;
    ParameterValues values = defaultValues(parameters);
    try {
        for (const std::string& assignment : arguments.all("set"))
            setParameter(parameters, values, assignment);
    } catch (const std::invalid_argument& error) {
        throw UsageError(std::string("--set: ") + error.what());
    }
    const Problem& problem = input.costs->problem();
    std::vector<ThroughputPoint> points;
    try {
        points = planners::vpipe::changingNetwork(problem, script,
                                                  planners::vpipe::settingsOf(values, problem.setup.mode));
    } catch (const std::invalid_argument& error) {
        throw InputError(scriptPath, "/events", error.what(), "events that the network allows");
    }
    writeFileAtomically(target, throughputCsv(points));
    TextTable table({"time", "static", "swap+recompute", "vPipe", "ideal", "event"});
    for (const ThroughputPoint& point : points)
        table.add({formatSeconds(point.atS), formatNumber(point.staticSystem),
                   formatNumber(point.swapRecompute), formatNumber(point.full), formatNumber(point.ideal),
                   point.what});
    table.print(out);
    out << "samples per second\n";
    return exitDone;
}

}  // namespace

Command dynamicCommand() {
    return {"dynamic",
            {"PROJECT --script F.json --out F.csv [--set NAME=VALUE …]"},
            "The throughput over time of a network that changes while it trains, with and without vPipe.",
            {{"script", "F.json", "what happens when: layers added to or removed from a stage, or scaled"},
             {"out", "F.csv", "the throughput over time as CSV, one row per change"},
             {"set", "NAME=VALUE", "a parameter of vPipe, as of 'plan'", true}},
            &runDynamic};
}

}  // namespace stagecraft::app::commands
