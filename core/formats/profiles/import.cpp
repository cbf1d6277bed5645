#include "core/formats/profiles/import.h"

#include "core/base/text_parts.h"
#include "core/formats/profiles/csv_profile.h"
#include "core/formats/profiles/profile_format.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace stagecraft::formats {

using nlohmann::json;

#define STAGECRAFT_DECLARATION(name) ProfileFormat name##Format();
STAGECRAFT_PROFILE_FORMATS(STAGECRAFT_DECLARATION)
#undef STAGECRAFT_DECLARATION

namespace {

const std::vector<std::pair<FileKind, ProfileFormat>>& profileFormats() {
#define STAGECRAFT_ROW(name) {FileKind::name, name##Format()},
    static const std::vector<std::pair<FileKind, ProfileFormat>> all = {
        STAGECRAFT_PROFILE_FORMATS(STAGECRAFT_ROW)};
#undef STAGECRAFT_ROW
    return all;
}

bool contains(const std::vector<std::string>& fields, const std::string& field) {
    return std::find(fields.begin(), fields.end(), field) != fields.end();
}

/// "ONNX model, Piper profile, …"
std::string namesOfProfileFormats() {
    std::string names;
    for (const auto& [kind, format] : profileFormats())
        if (!format.ids.empty()) names += (names.empty() ? "" : ", ") + format.name;
    return names;
}

/// Looks at the fields of the outermost object until one shows the kind.
class KindFinder : public nlohmann::json_sax<json> {
public:
    FileKind kind() const { return kind_; }

    bool null() override { return depth_ > 0; }
    bool boolean(bool) override { return depth_ > 0; }
    bool number_integer(number_integer_t) override { return depth_ > 0; }
    bool number_unsigned(number_unsigned_t) override { return depth_ > 0; }
    bool number_float(number_float_t, const string_t&) override { return depth_ > 0; }
    bool binary(binary_t&) override { return depth_ > 0; }
    bool string(string_t&) override { return depth_ > 0; }
    bool start_object(std::size_t) override { return ++depth_ <= deepest; }
    bool end_object() override { return --depth_ > 0; }
    bool start_array(std::size_t) override { return ++depth_ > 1 && depth_ <= deepest; }
    bool end_array() override { return --depth_ > 0; }
    bool key(string_t& field) override {
        for (const auto& [kind, format] : profileFormats())
            if ((depth_ == 1 && contains(format.outermostFields, field)) || contains(format.fields, field) ||
                std::ranges::any_of(format.fieldBeginnings,
                                    [&field](const std::string& own) { return field.starts_with(own); }))
                kind_ = kind;
        return kind_ == FileKind::unknown;
    }
    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
        return false;
    }

private:
    static constexpr int deepest = 64;
    FileKind kind_ = FileKind::unknown;
    int depth_ = 0;
};

}  // namespace

const ProfileFormat* profileFormatOf(FileKind kind) {
    for (const auto& [each, format] : profileFormats())
        if (each == kind) return &format;
    return nullptr;
}

std::vector<std::string> profileSuffixes() {
    std::vector<std::string> all = {"json"};
    for (const auto& [kind, format] : profileFormats())
        for (const std::string& suffix : format.suffixes)
            if (!contains(all, suffix)) all.push_back(suffix);
    return all;
}

bool isForeignProfile(FileKind kind) {
    const ProfileFormat* format = profileFormatOf(kind);
    return format && format->read;
}

FileKind detectProfile(std::string_view text) {
    if (firstLine(text).starts_with('{')) {
        KindFinder finder;
        json::sax_parse(text.begin(), text.end(), &finder);
        if (finder.kind() != FileKind::unknown) return finder.kind();
        for (const auto& [kind, format] : profileFormats())
            if (format.recognisesJson && format.recognisesJson(text)) return kind;
        return FileKind::unknown;
    }
    for (const auto& [kind, format] : profileFormats())
        if (format.recognises && format.recognises(text)) return kind;
    return FileKind::unknown;
}

ImportedProfile readProfileAs(FileKind kind, std::string_view text, const std::string& file,
                              const ProfileImportOptions& options) {
    const ProfileFormat* format = profileFormatOf(kind);
    if (!options.splitText.empty() && !(format && format->takesSplit))
        throw InputError(options.splitFile, "", "a split does not go with what " + file + " is",
                         "a split for a PipeDream or a dnn-partitioning graph");
    if (!options.more.empty() && !(format && format->takesMore))
        throw InputError(options.more.front().file, "", "a second file does not go with what " + file + " is",
                         "one profile at a time");
    if (kind == FileKind::profile) return {readProfile(text, file), {}, {}};
    if (format && format->read) return format->read(text, file, options);
    if (format) throw InputError(file, "", format->refusal, format->expected);
    if (firstLine(text).empty() || firstLine(text).starts_with('{') || firstLine(text).starts_with('['))
        return {readProfile(text, file), {}, {}};                              // says what is wrong with it
    if (looksLikeTable(text)) return readProfileCsv(text, file, {}, options);  // likewise
    throw InputError(file, "line 1", "not a layer profile in any known format",
                     "a stagecraft/profile, or one of these: " + namesOfProfileFormats());
}

int ImportedSplit::deviceCount() const {
    int devices = 0;
    for (const Part& part : parts) devices += part.replicas;
    return devices;
}

std::optional<Plan> planOfSplit(const ImportedSplit& split, const Cluster& cluster) {
    if (split.deviceCount() > cluster.deviceCount()) return std::nullopt;
    Plan plan;
    plan.planner = "imported";
    plan.name = split.name;
    plan.schedule.order = FamilySchedule{"1f1b", {}};
    int device = 0;
    for (const ImportedSplit::Part& part : split.parts) {
        Stage stage{part.firstLayer, part.lastLayer, {}};
        for (int replica = 0; replica < part.replicas; ++replica) stage.devices.push_back(device++);
        plan.stages.push_back(std::move(stage));
    }
    return plan;
}

}  // namespace stagecraft::formats
