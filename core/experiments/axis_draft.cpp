#include "core/experiments/axis_draft.h"

#include "core/base/counted.h"
#include "core/base/text_parts.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <set>

namespace stagecraft::experiments {

namespace {

using Form = AxisDraft::Form;
using Part = AxisMistake::Part;

/// "10 Gbit/s" as 10 and "Gbit/s".
struct Measured {
    double number = 0;
    std::string unit;
};

Measured measured(Part part, const std::string& text) {
    std::string_view rest = trimmed(text);
    const std::optional<double> number = takeNumber(rest);
    if (!number)
        throw AxisMistake(part, text.empty() ? "A number is missing" : "'" + text + "' is not a number");
    return {*number, std::string(trimmed(rest))};
}

std::string twelveDigits(double number) {
    char text[32];
    std::snprintf(text, sizeof text, "%.12g", number);
    return text;
}

std::string joined(const std::vector<std::string>& texts, const char* between) {
    std::string all;
    for (const std::string& text : texts) all += (all.empty() ? "" : between) + text;
    return all;
}

/// Divides at semicolons, at line ends, or where there is neither at commas.
std::vector<std::string> listed(const std::string& text, bool commas) {
    const bool others = text.find_first_of(";\n") != std::string::npos;
    const char* at = others || !commas ? ";\n" : ",";
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find_first_of(at, begin), text.size());
        const std::string_view part = trimmed(std::string_view(text).substr(begin, end - begin));
        if (!part.empty()) parts.emplace_back(part);
        begin = end + 1;
    }
    return parts;
}

std::vector<std::string> rangeTexts(const AxisDraft& draft) {
    const Measured from = measured(Part::from, draft.from), to = measured(Part::to, draft.to);
    const Measured by = measured(Part::by, draft.by);
    const bool doubling = draft.form == Form::doubling;
    const std::string unit = to.unit.empty() ? from.unit : to.unit;
    if (!from.unit.empty() && from.unit != unit) throw AxisMistake(Part::to, "Both ends need the same unit");
    if (to.number < from.number) throw AxisMistake(Part::to, "The end must not be below the start");
    if (doubling && !(by.number > 1)) throw AxisMistake(Part::by, "The factor has to be above 1");
    if (doubling && !(from.number > 0)) throw AxisMistake(Part::from, "This has to be above 0");
    if (!doubling && !(by.number > 0)) throw AxisMistake(Part::by, "The step has to be above 0");
    if (!by.unit.empty() && (doubling || by.unit != unit))
        throw AxisMistake(Part::by, doubling ? "A factor has no unit" : "The step needs the same unit");
    std::vector<std::string> texts;
    const double slack = 1e-9 * std::max(std::abs(to.number), std::abs(from.number));
    for (std::size_t i = 0; i < mostAxisValues; ++i) {
        const double at = doubling ? from.number * std::pow(by.number, static_cast<double>(i))
                                   : from.number + by.number * static_cast<double>(i);
        if (at > to.number + slack) return texts;
        texts.push_back(twelveDigits(at) + (unit.empty() ? "" : " " + unit));
    }
    throw AxisMistake(Part::by, "These are more than " + counted(mostAxisValues, "value"));
}

std::vector<std::string> seedTexts(const AxisDraft& draft) {
    std::vector<std::string> texts = listed(draft.list, true);
    if (texts.size() != 1) return texts;
    const Measured count = measured(Part::list, texts.front());
    if (count.number != std::floor(count.number) || count.number < 1 || count.number > 10000 ||
        !count.unit.empty())
        throw AxisMistake(Part::list, "How many seeds: a whole number from 1, or several seeds with commas");
    texts.clear();
    for (int seed = 1; seed <= static_cast<int>(count.number); ++seed) texts.push_back(std::to_string(seed));
    return texts;
}

std::vector<AxisValue> chosenCases(const AxisDraft& draft) {
    std::vector<AxisValue> values;
    for (const std::string& label : listed(draft.list, false)) {
        const auto found = std::find_if(draft.cases.begin(), draft.cases.end(),
                                        [&](const AxisValue& one) { return one.label == label; });
        if (found == draft.cases.end())
            throw AxisMistake(Part::list, "'" + label + "' is not one of the cases of this axis");
        values.push_back(*found);
    }
    return values;
}

std::string quantityUnit(Quantity quantity) {
    return quantity == Quantity::bandwidth ? "B/s"
           : quantity == Quantity::bytes   ? "B"
           : quantity == Quantity::seconds ? "s"
                                           : "";
}

bool isNumber(const VariableField& field) {
    return field.kind != VariableField::Kind::serverMix && field.kind != VariableField::Kind::file &&
           field.kind != VariableField::Kind::drawnBandwidth &&
           !std::holds_alternative<bool>(field.value.defaultValue) &&
           !std::holds_alternative<std::string>(field.value.defaultValue);
}

/// Writes numbers that grow evenly, by a step or a factor, as a range.
void recogniseRange(AxisDraft& draft, const std::vector<AxisValue>& values,
                    const std::vector<std::string>& texts) {
    if (values.size() < 3 || !isNumber(draft.field)) return;
    const double step = values[1].number - values[0].number, factor = values[1].number / values[0].number;
    bool steps = step > 0, factors = values[0].number > 0 && factor > 1;
    for (std::size_t i = 1; i < values.size(); ++i) {
        const double slack = 1e-9 * std::abs(values[i].number);
        steps = steps && std::abs(values[i].number - values[i - 1].number - step) <= slack;
        factors = factors && std::abs(values[i].number - values[i - 1].number * factor) <= slack;
    }
    if (!steps && !factors) return;
    AxisDraft range = draft;
    range.form = factors ? Form::doubling : Form::range;
    range.from = texts.front();
    range.to = texts.back();
    try {
        const double unitOf = measured(Part::from, texts[0]).number;
        range.by = twelveDigits(factors ? factor : measured(Part::from, texts[1]).number - unitOf);
        if (axisOf(range).values.size() == values.size()) draft = range;
    } catch (const std::exception&) {  // units that differ: the list says it
    }
}

}  // namespace

std::vector<Form> formsOf(const AxisDraft& draft) {
    if (draft.ofCases()) return {Form::list};
    if (draft.field.kind == VariableField::Kind::file) return {Form::files};
    std::vector<Form> forms = {Form::list};
    if (isNumber(draft.field)) forms.insert(forms.end(), {Form::range, Form::doubling});
    if (draft.field.seed) forms.push_back(Form::seeds);
    return forms;
}

AxisDraft axisOver(const VariableField& field) {
    AxisDraft draft;
    draft.field = field;
    draft.name = field.value.name;
    draft.unit =
        field.kind == VariableField::Kind::drawnBandwidth ? "B/s" : quantityUnit(field.value.quantity);
    draft.list = field.present.find(" to ") == std::string::npos ? field.present : "";
    draft.from = draft.to = draft.list;
    draft.by = "2";
    const bool whole = std::holds_alternative<int>(field.value.defaultValue);
    if (field.seed) {
        draft.form = Form::seeds;
        draft.list = "5";
    } else if (field.kind == VariableField::Kind::file) {
        draft.form = Form::files;
    } else if (whole && field.value.maximum >= 1e6 && field.value.minimum >= 1) {
        draft.form = Form::doubling;  // counts of microbatches and samples
        const int present = std::atoi(draft.from.c_str());
        if (present > 0 && present <= 1 << 20) draft.to = std::to_string(8 * present);
    } else if (!field.value.choices.empty() && !field.value.othersToo && field.value.choices.size() <= 8) {
        draft.list = joined(field.value.choices, ", ");
    } else if (std::holds_alternative<bool>(field.value.defaultValue)) {
        draft.list = "false, true";
    }
    return draft;
}

AxisDraft draftOf(const Axis& axis, const std::vector<VariableField>& fields) {
    AxisDraft draft;
    draft.name = axis.name;
    draft.unit = axis.unit;
    std::vector<std::string> texts;
    if (const VariableField* field = findField(fields, axis)) {
        draft.field = *field;
        for (const AxisValue& value : axis.values) texts.push_back(valueText(*field, value));
    } else {
        draft.cases = axis.values;
        draft.field.seed = axis.seeds;
        for (const AxisValue& value : axis.values) texts.push_back(value.label);
        draft.list = joined(texts, "; ");
        return draft;
    }
    const bool commas = std::any_of(texts.begin(), texts.end(), [](const std::string& text) {
        return text.find(',') != std::string::npos;
    });
    draft.list = joined(texts, draft.field.kind == VariableField::Kind::file ? "\n" : commas ? "; " : ", ");
    draft.field.seed = draft.field.seed || axis.seeds;
    draft.by = "2";
    if (draft.field.kind == VariableField::Kind::file) {
        draft.form = Form::files;
    } else if (axis.seeds) {
        draft.form = Form::seeds;
        AxisDraft counted = draft;
        counted.list = std::to_string(texts.size());
        if (seedTexts(counted) == texts) draft.list = counted.list;
    } else {
        recogniseRange(draft, axis.values, texts);
    }
    return draft;
}

Axis axisOf(const AxisDraft& draft) {
    Axis axis;
    axis.name = draft.name;
    axis.unit = draft.unit;
    if (axis.name.find_first_not_of(' ') == std::string::npos)
        throw AxisMistake(Part::name, "The axis has no name");
    axis.seeds = draft.form == Form::seeds || (draft.ofCases() && draft.field.seed);
    if (draft.ofCases()) {
        axis.values = chosenCases(draft);
    } else {
        const bool range = draft.form == Form::range || draft.form == Form::doubling;
        const std::vector<std::string> texts = range ? rangeTexts(draft)
                                               : draft.form == Form::seeds
                                                   ? seedTexts(draft)
                                                   : listed(draft.list, draft.form != Form::files);
        for (const std::string& text : texts) {
            try {
                axis.values.push_back(readValue(draft.field, text));
            } catch (const std::invalid_argument& error) {
                throw AxisMistake(range ? Part::from : Part::list, error.what());
            }
        }
    }
    if (axis.values.empty()) throw AxisMistake(Part::list, "No value yet");
    std::set<std::string> labels;
    for (const AxisValue& value : axis.values)
        if (!labels.insert(value.label).second)
            throw AxisMistake(Part::list, "'" + value.label + "' is listed twice");
    return axis;
}

}  // namespace stagecraft::experiments
