#include "core/experiments/claim_json.h"

#include "core/experiments/cell_result.h"
#include "core/experiments/experiment_names.h"
#include "core/experiments/named_parts.h"
#include "core/experiments/parameters_json.h"

#include <cmath>

namespace stagecraft::experiments {

using nlohmann::ordered_json;

namespace {

AxisFilter filterFromJson(const JsonValue& value, const Axis& axis) {
    AxisFilter filter;
    filter.axis = axis.name;
    if (value.isArray()) {
        for (const JsonValue& entry : value.elements()) filter.labels.push_back(valueLabel(entry, axis));
        if (filter.labels.empty()) value.fail("no value is taken", "at least one");
        return filter;
    }
    if (!value.isObject()) {
        filter.labels = {valueLabel(value, axis)};
        return filter;
    }
    const JsonObject object(value, {"at_least", "at_most", "above", "below"});
    const auto above = object.optional("above"), below = object.optional("below");
    const auto atLeast = object.optional("at_least"), atMost = object.optional("at_most");
    if ((above || below) && (atLeast || atMost))
        value.fail("bounds that include and that exclude are mixed",
                   "above and below, or at_least and at_most");
    filter.strict = above || below;
    if (const auto& low = filter.strict ? above : atLeast) filter.atLeast = low->number();
    if (const auto& high = filter.strict ? below : atMost) filter.atMost = high->number();
    if (!axis.numeric())
        value.fail("the values of axis '" + axis.name + "' are not numbers", "a list of them");
    return filter;
}

void readBounds(const JsonValue& value, const JsonObject& object, Claim& claim) {
    const auto above = object.optional("above"), below = object.optional("below");
    const auto atLeast = object.optional("at_least"), atMost = object.optional("at_most");
    const auto within = object.optional("within");
    if (!above && !below && !atLeast && !atMost && !within)
        value.fail("the claim has no bound", "at_most, at_least, below, above or within");
    if ((above || below) && (atLeast || atMost || within))
        value.fail("bounds that include and that exclude are mixed",
                   "above and below, or at_least and at_most");
    claim.strict = above || below;
    if (const auto& low = claim.strict ? above : atLeast) claim.atLeast = low->number();
    if (const auto& high = claim.strict ? below : atMost) claim.atMost = high->number();
    if (within) {
        claim.atLeast = 1 - within->positive();
        claim.atMost = 1 + within->number();
    }
}

constexpr char ofBounds[] = "bounds";

PrintedRange boundsOf(const Claim& claim) {
    return {std::isfinite(claim.atLeast) ? claim.atLeast : claim.atMost,
            std::isfinite(claim.atMost) ? claim.atMost : claim.atLeast};
}

/// A number, the two of a range, or "bounds" where the claim's own are what the source states.
PrintedRange printedFromJson(const JsonValue& value, const Claim& claim) {
    if (value.raw() == ofBounds) return boundsOf(claim);
    if (value.isNumber()) return {value.number(), value.number()};
    if (!value.isArray() || value.elements().size() != 2)
        value.fail("it is not what a source states", "a number, a range [least, most], or \"bounds\"");
    const PrintedRange range{value.elements()[0].number(), value.elements()[1].number()};
    if (!(range.least < range.most)) value.fail("the range does not grow", "[least, most]");
    return range;
}

ordered_json printedToJson(const Claim& claim) {
    if (*claim.printed == boundsOf(claim)) return ofBounds;
    if (claim.printed->least == claim.printed->most) return claim.printed->least;
    return ordered_json::array({claim.printed->least, claim.printed->most});
}

ordered_json filterToJson(const AxisFilter& filter) {
    if (!filter.labels.empty()) return filter.labels;
    ordered_json out = ordered_json::object();
    if (std::isfinite(filter.atLeast)) out[filter.strict ? "above" : "at_least"] = filter.atLeast;
    if (std::isfinite(filter.atMost)) out[filter.strict ? "below" : "at_most"] = filter.atMost;
    return out;
}

}  // namespace

Claim claimFromJson(const JsonValue& value, const Experiment& experiment) {
    const JsonObject object(
        value, {"text",    "source", "remark", "kind",   "metric",    "over_metric",   "planner",
                "against", "along",  "from",   "to",     "aggregate", "share_at_most", "at_least",
                "at_most", "above",  "below",  "within", "where",     "printed"});
    Claim claim;
    claim.text = object.required("text").text();
    claim.remark = object.textOr("remark", "");
    claim.source = experiment.source;
    if (const auto source = object.optional("source")) claim.source.place = source->text();
    claim.kind = object.required("kind").choice(claimKindNames);
    if (const auto metric = object.optional("metric")) {
        if (!findMetric(metric->text())) failMetric(*metric);
        claim.metric = metric->text();
    }
    if (const auto metric = object.optional("over_metric")) {
        if (!findMetric(metric->text())) failMetric(*metric);
        claim.overMetric = metric->text();
    }
    claim.planner = plannerLabel(object.required("planner"), experiment);
    const bool compares = claim.kind == ClaimKind::ratio || claim.kind == ClaimKind::difference;
    if (compares && !claim.overMetric.empty() && !object.optional("against")) {
        claim.against = {claim.planner};
    } else if (compares) {
        const JsonValue against = object.required("against");
        if (against.isArray())
            for (const JsonValue& entry : against.elements())
                claim.against.push_back(plannerLabel(entry, experiment));
        else
            claim.against = {plannerLabel(against, experiment)};
        if (claim.against.empty()) against.fail("nothing is compared with", "at least one planner");
    }
    if (claim.kind == ClaimKind::change || claim.kind == ClaimKind::spread || claim.kind == ClaimKind::step) {
        const JsonValue along = object.required("along");
        const Axis& axis = namedAxis(along, along.text(), experiment);
        claim.along = axis.name;
        if (claim.kind == ClaimKind::change) {
            if (const auto against = object.optional("against"))
                claim.against = {plannerLabel(*against, experiment)};
            claim.from = valueLabel(object.required("from"), axis);
            claim.to = valueLabel(object.required("to"), axis);
        }
    }
    if (const auto aggregate = object.optional("aggregate"))
        claim.aggregate = aggregate->choice(claimAggregateNames);
    if (const auto share = object.optional("share_at_most")) claim.shareAtMost = share->number();
    readBounds(value, object, claim);
    if (const auto where = object.optional("where"))
        for (const std::string& name : where->fieldNames())
            claim.where.push_back(
                filterFromJson(where->member(name), namedAxis(where->member(name), name, experiment)));
    if (const auto printed = object.optional("printed")) claim.printed = printedFromJson(*printed, claim);
    return claim;
}

ordered_json claimToJson(const Claim& claim) {
    ordered_json out = {{"text", claim.text}};
    if (!claim.source.place.empty()) out["source"] = claim.source.place;
    if (!claim.remark.empty()) out["remark"] = claim.remark;
    out["kind"] = nameOf(claimKindNames, claim.kind);
    out["metric"] = claim.metric;
    if (!claim.overMetric.empty()) out["over_metric"] = claim.overMetric;
    out["planner"] = claim.planner;
    if (claim.kind == ClaimKind::change && !claim.against.empty())
        out["against"] = claim.against.front();
    else if (!claim.against.empty())
        out["against"] = claim.against;
    if (!claim.along.empty()) out["along"] = claim.along;
    if (!claim.from.empty()) out["from"] = claim.from;
    if (!claim.to.empty()) out["to"] = claim.to;
    out["aggregate"] = nameOf(claimAggregateNames, claim.aggregate);
    if (claim.aggregate == ClaimAggregate::share) out["share_at_most"] = claim.shareAtMost;
    if (std::isfinite(claim.atLeast)) out[claim.strict ? "above" : "at_least"] = claim.atLeast;
    if (std::isfinite(claim.atMost)) out[claim.strict ? "below" : "at_most"] = claim.atMost;
    if (claim.printed) out["printed"] = printedToJson(claim);
    if (!claim.where.empty()) {
        out["where"] = ordered_json::object();
        for (const AxisFilter& filter : claim.where) out["where"][filter.axis] = filterToJson(filter);
    }
    return out;
}

}  // namespace stagecraft::experiments
