#include "core/formats/profiles/import.h"

#include "core/formats/profiles/csv_profile.h"

#include <nlohmann/json.hpp>

namespace stagecraft {

using nlohmann::json;

namespace {

std::string_view firstLine(std::string_view text) {
    const std::size_t start = text.find_first_not_of(" \t\r\n");
    if (start == std::string_view::npos) return {};
    text.remove_prefix(start);
    return text.substr(0, text.find('\n'));
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
        if (depth_ == 1) {
            if (field == "maxFPGAs" || field == "maxSizePerFPGA") kind_ = FileKind::dnnPartitioningGraph;
            if (field == "fpgas") kind_ = FileKind::dnnPartitioningSplit;
            if (field == "mbsInBatch" || field == "maxMemoryPerDevice" || field == "maxBatchSize")
                kind_ = FileKind::piperProfile;
            if (field == "stage_to_rank_map" || field == "module_to_stage_map")
                kind_ = FileKind::pipeDreamConf;
        }
        if (field == "fpgaLatency") kind_ = FileKind::dnnPartitioningGraph;
        if (field == "TMPCs") kind_ = FileKind::piperProfile;
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

/// An ONNX file is a protobuf message: its first field is the version of the format, a small number, and the
/// name of the tool that wrote it, a domain or the graph follow.
bool looksLikeOnnx(std::string_view text) {
    return text.size() > 4 && text[0] == '\x08' && text[1] > 0 && text[1] < 32 &&
           (text[2] == '\x12' || text[2] == '\x1a' || text[2] == '\x22' || text[2] == '\x2a' ||
            text[2] == '\x3a' || text[2] == '\x42' || text[2] == '\x28');
}

}  // namespace

bool isForeignProfile(FileKind kind) {
    return kind == FileKind::pipeDreamGraph || kind == FileKind::dnnPartitioningGraph ||
           kind == FileKind::piperProfile || kind == FileKind::profileCsv;
}

std::string profileKindName(FileKind kind) {
    switch (kind) {
        case FileKind::pipeDreamGraph:
            return "PipeDream or DAPPLE graph";
        case FileKind::dnnPartitioningGraph:
            return "dnn-partitioning graph";
        case FileKind::piperProfile:
            return "Piper profile";
        case FileKind::profileCsv:
            return "CSV table of layers";
        case FileKind::dnnPartitioningSplit:
            return "dnn-partitioning split";
        case FileKind::pipeDreamConf:
            return "PipeDream runtime plan";
        case FileKind::onnxModel:
            return "ONNX model";
        default:
            return {};
    }
}

FileKind detectProfile(std::string_view text) {
    if (looksLikeOnnx(text)) return FileKind::onnxModel;
    const std::string_view line = firstLine(text);
    if (line.starts_with('{')) {
        KindFinder finder;
        json::sax_parse(text.begin(), text.end(), &finder);
        return finder.kind();
    }
    if (line.find(" -- ") != std::string_view::npos && !line.starts_with('['))
        return FileKind::pipeDreamGraph;
    return looksLikeProfileCsv(text) ? FileKind::profileCsv : FileKind::unknown;
}

ImportedProfile importProfile(std::string_view text, const std::string& file,
                              const ProfileImportOptions& options, FileKind kind) {
    if (kind == FileKind::unknown) kind = detectKind(text);
    const bool takesSplit = kind == FileKind::pipeDreamGraph || kind == FileKind::dnnPartitioningGraph;
    if (!options.splitText.empty() && !takesSplit)
        throw InputError(options.splitFile, "", "a split does not go with what " + file + " is",
                         "a split for a PipeDream or a dnn-partitioning graph");
    switch (kind) {
        case FileKind::profile:
            return {readProfile(text, file), {}, {}};
        case FileKind::pipeDreamGraph:
            return readGraphText(text, file, options);
        case FileKind::dnnPartitioningGraph:
            return readDnnPartitioning(text, file, options);
        case FileKind::piperProfile:
            return readPiper(text, file, options);
        case FileKind::profileCsv:
            return readProfileCsv(text, file, {}, options);
        case FileKind::dnnPartitioningSplit:
        case FileKind::pipeDreamConf:
            throw InputError(file, "", "this is a division into stages alone", "the profile that it divides");
        case FileKind::onnxModel:
            throw InputError(file, "", "an ONNX model has no times", "a GPU to work them out for");
        default:
            break;
    }
    if (firstLine(text).empty() || firstLine(text).starts_with('{') || firstLine(text).starts_with('['))
        return {readProfile(text, file), {}, {}};  // says what is wrong with it
    if (looksLikeTable(text)) return readProfileCsv(text, file, {}, options);  // likewise
    throw InputError(
        file, "line 1", "this is not a layer profile in any format that is known",
        "a stagecraft/profile, a graph of PipeDream, DAPPLE, dnn-partitioning or Piper, a CSV table, "
        "or an ONNX model");
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
    plan.schedule.order = PolicySchedule{"1f1b", {}};
    int device = 0;
    for (const ImportedSplit::Part& part : split.parts) {
        Stage stage{part.firstLayer, part.lastLayer, {}};
        for (int replica = 0; replica < part.replicas; ++replica) stage.devices.push_back(device++);
        plan.stages.push_back(std::move(stage));
    }
    return plan;
}

}  // namespace stagecraft
