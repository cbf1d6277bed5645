#include "app/figures/paper_numbers.h"

#include "core/planners/planned_run.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace stagecraft::app::figures {
namespace {

constexpr const char* digitNames[] = {"Zero", "One", "Two",   "Three", "Four",
                                      "Five", "Six", "Seven", "Eight", "Nine"};

/// The metric's id without its unit, which the number has: "iteration_time_s" is "IterationTime".
std::string macroName(const Metric& metric) {
    std::string id(metric.id);
    for (const std::string_view unit : {"_samples_per_s", "_bytes", "_s"})
        if (!metric.unit.empty() && id.ends_with(unit)) {
            id.resize(id.size() - unit.size());
            break;
        }
    return app::figures::macroName(id);
}

struct Sign {
    std::string_view letter;
    const char* tex;
};
constexpr Sign signs[] = {{"×", "$\\times$"}, {"−", "$-$"}, {"µ", "\\textmu{}"}};

/// As TeX sets it: "26.3 ms" keeps together, "9.1 %" and "0.5×" are its own.
std::string texText(const std::string& text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::string_view rest = std::string_view(text).substr(i);
        const auto* sign = std::find_if(std::begin(signs), std::end(signs),
                                        [rest](const Sign& each) { return rest.starts_with(each.letter); });
        if (sign != std::end(signs)) {
            out += sign->tex;
            i += sign->letter.size() - 1;
        } else if (text[i] == ' ') {
            out += "\\,";
        } else if (std::string_view("%#&_$").find(text[i]) != std::string_view::npos) {
            out += std::string("\\") + text[i];
        } else {
            out += text[i];
        }
    }
    return out;
}

class Macros {
public:
    void add(const std::string& name, const std::string& value, const std::string& meaning) {
        text_ += "\\newcommand{\\" + name + "}{" + value + "} % " + meaning + "\n";
    }
    void head(std::string comment) {
        std::replace(comment.begin(), comment.end(), '\n', ' ');
        text_ += "\n% " + comment + "\n";
    }
    const std::string& text() const { return text_; }

private:
    std::string text_ = "% Numbers of the plans in the project; \\input this file in the preamble.\n";
};

void addProject(Macros& macros, const Problem& problem) {
    const auto add = [&macros](const char* name, int value, const char* meaning) {
        macros.add(std::string("Project") + name, std::to_string(value), meaning);
    };
    macros.head("The project");
    add("GPUs", problem.cluster.deviceCount(), "GPUs of the cluster");
    add("Layers", problem.profile.layerCount(), "layers of the profile");
    add("Microbatches", problem.setup.microbatches, "microbatches of a mini-batch");
}

void addPlan(Macros& macros, const std::string& name, const PlanRun& run, const MeasuredPlan* reference) {
    macros.head(run.title());
    MeasuredPlan measured = run.measured();
    measured.reference = reference;
    if (reference) measured.referenceTitle = titleOf(reference->plan);
    for (const Metric& metric : metricCatalogue()) {
        if (metric.source == MetricSource::clock) continue;
        const std::optional<double> value = metric.of(measured);
        if (!value) continue;
        macros.add(name + macroName(metric), texText(metric.text(metric.printed, value, measured)),
                   std::string(metric.title) + ": " + std::string(metric.meaning));
    }
}

}  // namespace

std::string macroName(const std::string& title) {
    std::string name;
    bool begins = true;
    for (const unsigned char c : title) {
        if (std::isdigit(c)) name += digitNames[c - '0'];
        if (c < 0x80 && std::isalpha(c))
            name += begins ? static_cast<char>(std::toupper(c)) : static_cast<char>(c);
        begins = c >= 0x80 || !std::isalpha(c);
    }
    return name.empty() ? "Plan" : name;
}

std::string paperNumbers(const PlanRuns& runs, int chosen) {
    std::optional<MeasuredPlan> compared;
    if (const int reference = referencePlan(runs, chosen); reference >= 0)
        compared.emplace(runs[static_cast<std::size_t>(reference)]->measured());
    Macros macros;
    if (!runs.empty()) addProject(macros, runs.front()->costs->problem());
    std::set<std::string> used;
    for (const auto& run : runs) {
        if (!run->ok()) continue;
        const std::string stem = macroName(run->title());
        std::string name = stem;
        for (int number = 2; !used.insert(name).second; ++number)
            name = stem + macroName(std::to_string(number));
        addPlan(macros, name, *run, compared ? &*compared : nullptr);
    }
    return macros.text();
}

}  // namespace stagecraft::app::figures
