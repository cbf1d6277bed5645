#include "core/formats/native/formats.h"

#include "core/formats/native/native_parts.h"
#include "core/formats/profiles/import.h"
#include "core/formats/topology/import.h"

namespace stagecraft::formats {

using nlohmann::json;

namespace {

/// Reads as far as the "format" field of the outermost object and no further.
class FormatFinder : public nlohmann::json_sax<json> {
public:
    const std::string& format() const { return format_; }

    bool null() override { return scalar(); }
    bool boolean(bool) override { return scalar(); }
    bool number_integer(number_integer_t) override { return scalar(); }
    bool number_unsigned(number_unsigned_t) override { return scalar(); }
    bool number_float(number_float_t, const string_t&) override { return scalar(); }
    bool binary(binary_t&) override { return scalar(); }
    bool string(string_t& text) override {
        if (!atFormat_) return scalar();
        format_ = text;
        return false;
    }
    bool start_object(std::size_t) override { return enter(true); }
    bool end_object() override { return leave(); }
    bool start_array(std::size_t) override { return enter(false); }
    bool end_array() override { return leave(); }
    bool key(string_t& field) override {
        atFormat_ = depth_ == 1 && field == "format";
        return true;
    }
    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
        return false;
    }

private:
    bool scalar() {
        atFormat_ = false;
        return depth_ > 0;
    }
    bool enter(bool isObject) {
        atFormat_ = false;
        return ++depth_ > 1 || isObject;
    }
    bool leave() { return --depth_ > 0; }

    std::string format_;
    int depth_ = 0;
    bool atFormat_ = false;
};

}  // namespace

FileKind detectKind(std::string_view text) {
    FormatFinder finder;
    json::sax_parse(text.begin(), text.end(), &finder);
    if (finder.format() == profileFormat) return FileKind::profile;
    if (finder.format() == clusterFormat) return FileKind::cluster;
    if (finder.format() == projectFormat) return FileKind::project;
    if (finder.format() == planFormat) return FileKind::plan;
    if (finder.format() == "stagecraft/experiment") return FileKind::experiment;
    if (finder.format() == "stagecraft/results") return FileKind::results;
    if (const FileKind kind = detectProfile(text); kind != FileKind::unknown) return kind;
    return detectTopology(text);
}

FileKind kindOfFileName(std::string_view fileName) {
    constexpr std::pair<std::string_view, FileKind> endings[] = {
        {".profile.json", FileKind::profile}, {".cluster.json", FileKind::cluster},
        {".plan.json", FileKind::plan},       {".experiment.json", FileKind::experiment},
        {".results.json", FileKind::results}, {".txt", FileKind::pipeDreamGraph}};
    for (const auto& [ending, kind] : endings)
        if (fileName.ends_with(ending)) return kind;
    return FileKind::project;
}

ImportedProfile openProfile(const std::filesystem::path& path) {
    return importProfile(readTextFile(path), path.string());
}

Cluster openCluster(const std::filesystem::path& path) {
    return importClusters({readTopologyFile(path)}).cluster;
}

Project openProject(const std::filesystem::path& path, DrawingMistakes mistakes) {
    return readProject(readTextFile(path), path.string(), path.parent_path(), mistakes);
}

PlanFile openPlan(const std::filesystem::path& path) {
    return readPlan(readTextFile(path), path.string(), path.parent_path());
}

}  // namespace stagecraft::formats
