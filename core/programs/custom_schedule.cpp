#include "core/programs/custom_schedule.h"

#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/formats/json_reader.h"
#include "core/formats/json_writer.h"
#include "core/formats/native/native_parts.h"
#include "core/formats/pass_text.h"
#include "core/formats/text_file.h"
#include "core/programs/program_answer.h"
#include "core/runs/chosen_schedule.h"
#include "core/runs/server_order.h"
#include "core/schedules/families.h"

#include <algorithm>
#include <stdexcept>

namespace stagecraft::programs {

using nlohmann::ordered_json;

namespace {

constexpr const char* customFormat = "stagecraft-schedule";
constexpr const char* suffix = ".schedule.json";

std::string shapeText(const ScheduleShape& shape) {
    int copies = 1;
    for (const int copy : shape.pipelineOf) copies = std::max(copies, copy + 1);
    return counted(shape.stages(), "stage") + " on " + counted(shape.ranks, "device") +
           (copies > 1 ? " in " + counted(copies, "copy", "copies") + " of the network" : "") + " and " +
           counted(shape.microbatches, "microbatch", "microbatches");
}

bool sameShape(const ScheduleShape& a, const ScheduleShape& b) {
    return a.microbatches == b.microbatches && a.rankOf == b.rankOf && a.pipelineOf == b.pipelineOf;
}

[[noreturn]] void refuseShape(const CustomSchedule& schedule, const std::string& found) {
    throw std::invalid_argument("the schedule '" + schedule.name + "' does not apply: it is for " +
                                shapeText(schedule.shape) + ", and there are " + found);
}

ScheduleShape shapeFromJson(const JsonObject& object) {
    ScheduleShape shape;
    shape.microbatches = object.required("microbatches").integer(1);
    const JsonValue ranks = object.required("rank_of"), copies = object.required("pipeline_of");
    for (const JsonValue& each : ranks.elements()) {
        const int rank = each.integer(0);
        if (rank > shape.ranks)
            each.fail("rank " + std::to_string(rank) + " comes before rank " + std::to_string(shape.ranks),
                      "ranks numbered as their first stage comes");
        shape.rankOf.push_back(rank);
        shape.ranks = std::max(shape.ranks, rank + 1);
    }
    for (const JsonValue& each : copies.elements()) shape.pipelineOf.push_back(each.integer(0));
    if (shape.rankOf.empty()) ranks.fail("there is no stage", "the rank of each stage");
    if (shape.pipelineOf.size() != shape.rankOf.size())
        copies.fail("there are " + counted(copies.elements().size(), "entry", "entries"),
                    "one for each of " + counted(shape.stages(), "stage"));
    return shape;
}

}  // namespace

CustomSchedule customSchedule(const std::string& name, const Plan& plan, int microbatches) {
    const auto* spelled = std::get_if<ExplicitSchedule>(&plan.schedule.order);
    if (!spelled) throw std::invalid_argument("the plan does not spell out what each device runs");
    CustomSchedule schedule;
    schedule.name = name;
    schedule.shape = shapeOf(plan.stages, microbatches);
    schedule.pairShare = spelled->pairTimes.share;
    schedule.pairHidden = spelled->pairTimes.hidden;
    schedule.orders.resize(at(schedule.shape.ranks));
    for (int s = 0; s < plan.stageCount(); ++s)
        if (const auto own = spelled->orders.find(plan.stages[at(s)].devices.front());
            own != spelled->orders.end())
            schedule.orders[at(schedule.shape.rankOf[at(s)])] = own->second;
    return schedule;
}

Plan underCustomSchedule(Plan plan, int microbatches, const CustomSchedule& schedule) {
    const ScheduleShape shape = shapeOf(plan.stages, microbatches);
    if (!sameShape(shape, schedule.shape))
        refuseShape(
            schedule,
            shapeText(shape) + (shapeText(shape) == shapeText(schedule.shape) ? ", placed otherwise" : ""));
    ExplicitSchedule spelled;
    spelled.pairTimes.share = schedule.pairShare;
    spelled.pairTimes.hidden = schedule.pairHidden;
    for (const std::vector<Task>& order : schedule.orders)
        spelled.slices = std::max(spelled.slices, slicesNamed(order));
    for (int s = 0; s < plan.stageCount(); ++s)
        for (const int device : plan.stages[at(s)].devices)
            spelled.orders[device] = schedule.orders[at(shape.rankOf[at(s)])];
    spelled.vocabulary = vocabularyNamed(spelled);
    plan.schedule = {std::move(spelled)};
    return plan;
}

Plan equalLayersUnder(const CostModel& costs, const CustomSchedule& schedule) {
    const ScheduleShape& shape = schedule.shape;
    const int copies = *std::max_element(shape.pipelineOf.begin(), shape.pipelineOf.end()) + 1;
    const int microbatches = costs.problem().setup.microbatches;
    if (shape.stages() > costs.layerCount() * copies || shape.ranks > costs.deviceCount() ||
        shape.microbatches != microbatches)
        refuseShape(schedule, counted(costs.layerCount(), "layer") + ", " +
                                  counted(costs.deviceCount(), "device") + " and " +
                                  counted(microbatches, "microbatch", "microbatches"));
    const std::vector<int> byServer = runs::devicesByServer(costs.problem().cluster);
    Plan plan;
    plan.name = schedule.name;
    for (int copy = 0; copy < copies; ++copy) {
        const auto parts = std::count(shape.pipelineOf.begin(), shape.pipelineOf.end(), copy);
        for (Stage stage : equalLayers(costs.layerCount(), static_cast<int>(parts))) {
            stage.pipeline = copy;
            stage.devices = {byServer[at(shape.rankOf[plan.stages.size()])]};
            plan.stages.push_back(stage);
        }
    }
    return underCustomSchedule(std::move(plan), microbatches, schedule);
}

std::string customScheduleText(const CustomSchedule& schedule) {
    ordered_json out = header(customFormat);
    out["name"] = schedule.name;
    out["microbatches"] = schedule.shape.microbatches;
    out["rank_of"] = schedule.shape.rankOf;
    out["pipeline_of"] = schedule.shape.pipelineOf;
    if (schedule.pairShare != 1) out["pair_share"] = schedule.pairShare;
    if (schedule.pairHidden != 0) out["pair_hidden"] = schedule.pairHidden;
    out["orders"] = ordered_json::array();
    int slices = 1;
    for (const std::vector<Task>& order : schedule.orders) slices = std::max(slices, slicesNamed(order));
    for (int rank = 0; rank < schedule.shape.ranks; ++rank) {
        const auto held = std::count(schedule.shape.rankOf.begin(), schedule.shape.rankOf.end(), rank);
        out["orders"].push_back(orderTexts(schedule.orders[at(rank)], held > 1, slices));
    }
    return formatJson(out);
}

CustomSchedule readCustomSchedule(const std::string& text, const std::string& file) {
    const nlohmann::json document = parseJson(text, file);
    const JsonValue root(document, file);
    checkHeader(root, customFormat);
    const JsonObject object(root, {"format", "version", "name", "microbatches", "rank_of", "pipeline_of",
                                   "pair_share", "pair_hidden", "orders"});
    CustomSchedule schedule;
    schedule.name = object.required("name").text();
    if (schedule.name.empty()) object.required("name").fail("the name is empty", "a name");
    schedule.shape = shapeFromJson(object);
    if (const auto share = object.optional("pair_share")) schedule.pairShare = share->positive();
    if (const auto hidden = object.optional("pair_hidden")) schedule.pairHidden = hidden->share();
    schedule.orders = ordersFromJson(object.required("orders"), schedule.shape);
    return schedule;
}

std::vector<CustomSchedule> customSchedulesIn(const std::filesystem::path& folder,
                                              std::vector<std::string>* refused) {
    std::vector<CustomSchedule> found;
    std::error_code error;
    for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        const std::string file = entry->path().string();
        if (!file.ends_with(suffix)) continue;
        try {
            found.push_back(readCustomSchedule(readTextFile(file), file));
        } catch (const std::exception& mistake) {
            if (refused) refused->push_back(mistake.what());
        }
    }
    std::sort(found.begin(), found.end(),
              [](const CustomSchedule& a, const CustomSchedule& b) { return a.name < b.name; });
    return found;
}

std::filesystem::path customScheduleFile(const std::filesystem::path& folder, const std::string& name) {
    constexpr const char* hex = "0123456789abcdef";
    std::string file;
    for (const char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                           c == '-' || c == '_';
        if (plain)
            file += c;
        else
            (file += '%') += {hex[byte >> 4], hex[byte & 15]};
    }
    return folder / (file + suffix);
}

void keepCustomSchedule(const std::filesystem::path& folder, const CustomSchedule& schedule) {
    if (findScheduleFamily(schedule.name))
        throw std::invalid_argument("there is a schedule family '" + schedule.name +
                                    "'; expected another name");
    if (schedule.name.empty()) throw std::invalid_argument("the schedule has no name; expected one");
    std::filesystem::create_directories(folder);
    writeFileAtomically(customScheduleFile(folder, schedule.name), customScheduleText(schedule));
}

}  // namespace stagecraft::programs
