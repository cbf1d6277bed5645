#include "core/formats/files/import.h"

#include "core/base/text_parts.h"
#include "core/formats/measurements/measured_texts.h"
#include "core/formats/native/native_parts.h"
#include "core/formats/orders/order_table.h"
#include "core/formats/orders/pipelining_csv.h"
#include "core/formats/profiles/csv_profile.h"
#include "core/formats/profiles/profile_format.h"
#include "core/formats/recordings/import.h"
#include "core/formats/text_encoding.h"
#include "core/formats/topology/described_text.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

namespace stagecraft::formats {

using nlohmann::json;

namespace {

/// Reads as far as a field of the outermost object that is a string, and no further.
class FieldFinder : public nlohmann::json_sax<json> {
public:
    explicit FieldFinder(std::string_view field) : field_(field) {}
    const std::string& found() const { return found_; }

    bool null() override { return scalar(); }
    bool boolean(bool) override { return scalar(); }
    bool number_integer(number_integer_t) override { return scalar(); }
    bool number_unsigned(number_unsigned_t) override { return scalar(); }
    bool number_float(number_float_t, const string_t&) override { return scalar(); }
    bool binary(binary_t&) override { return scalar(); }
    bool string(string_t& text) override {
        if (!atField_) return scalar();
        found_ = text;
        return false;
    }
    bool start_object(std::size_t) override { return enter(true); }
    bool end_object() override { return leave(); }
    bool start_array(std::size_t) override { return enter(false); }
    bool end_array() override { return leave(); }
    bool key(string_t& field) override {
        atField_ = depth_ == 1 && field == field_;
        return true;
    }
    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
        return false;
    }

private:
    bool scalar() {
        atField_ = false;
        return depth_ > 0;
    }
    bool enter(bool isObject) {
        atField_ = false;
        return ++depth_ > 1 || isObject;
    }
    bool leave() { return --depth_ > 0; }

    std::string_view field_;
    std::string found_;
    int depth_ = 0;
    bool atField_ = false;
};

std::string fieldOf(std::string_view text, std::string_view field) {
    FieldFinder finder(field);
    json::sax_parse(text.begin(), text.end(), &finder);
    return finder.found();
}

constexpr std::size_t headSize = std::size_t{1} << 16;

/// What a file begins with, 64 KiB at most; empty for one that cannot be read.
std::string headOf(const std::filesystem::path& path) {
    std::string head(headSize, '\0');
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    const ssize_t count = file < 0 ? -1 : ::read(file, head.data(), head.size());
    if (file >= 0) ::close(file);
    head.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    return plainText(std::move(head));
}

}  // namespace

FileKind detectKind(std::string_view text) {
    const std::string format = fieldOf(text, "format");
    if (format == profileFormat) return FileKind::profile;
    if (format == clusterFormat) return FileKind::cluster;
    if (format == projectFormat) return FileKind::project;
    if (format == planFormat) return FileKind::plan;
    if (format == "stagecraft/experiment") return FileKind::experiment;
    if (format == "stagecraft/results") return FileKind::results;
    if (areMeasurementsAlone(text)) return FileKind::measurements;
    if (isPipeliningCsv(text) || isOrderTable(text)) return FileKind::order;
    if (const FileKind kind = detectRecording(text.substr(0, headSize)); kind != FileKind::unknown)
        return kind;
    if (const FileKind kind = detectProfile(text); kind != FileKind::unknown) return kind;
    return detectTopology(text);
}

std::string nameOfProject(const std::filesystem::path& path) {
    const std::string head = headOf(path);
    return fieldOf(head, "format") == projectFormat ? fieldOf(head, "name") : std::string();
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

std::string namesOfAllFormats() {
    std::string names;
    for (const FileKind kind : foreignKinds) {
        const ProfileFormat* profile = profileFormatOf(kind);
        if (profile && profile->ids.empty()) continue;
        names += (names.empty() ? "" : ", ") + (profile ? profile->name : topologyKindName(kind));
    }
    return names;
}

bool isOfNoKnownFormat(std::string_view text, FileKind kind) {
    if (kind != FileKind::unknown || firstLine(text).empty()) return false;
    const char first = firstLine(text).front();
    // What is wrong with JSON that is not well spelled, or with a table, its reader says better.
    return first == '{' || first == '[' ? isForeignJson(text) : !looksLikeTable(text);
}

void refuseUnknown(std::string_view text, const std::string& file) {
    throw InputError(file, "", describedText(text) + ", which is no known format",
                     "a file of Stagecraft, an order of passes, measurements of nccl-tests or OSU, or one of "
                     "these: " +
                         namesOfAllFormats());
}

ImportedProfile importProfile(std::string_view text, const std::string& file,
                              const ProfileImportOptions& options, FileKind kind) {
    if (kind == FileKind::unknown) {
        const std::string plain = plainText(std::string(text));
        const FileKind found = detectKind(plain);
        if (isOfNoKnownFormat(plain, found)) refuseUnknown(plain, file);
        if (isTopology(found))
            throw InputError(file, "", "this is a cluster: " + topologyKindName(found), "a layer profile");
        return readProfileAs(found, plain, file, options);
    }
    return readProfileAs(kind, text, file, options);
}

ImportedCluster importCluster(std::string_view text, const std::string& file, const ImportOptions& options) {
    return importClusters({{file, std::string(text)}}, options);
}

ImportedCluster importClusters(const std::vector<TopologyText>& texts, const ImportOptions& options,
                               FileKind kind) {
    return readClusters(texts, options, [kind](std::string_view text) {
        return kind == FileKind::unknown ? detectKind(text) : kind;
    });
}

std::vector<Parameter> importQuestions(std::string_view text, const std::string& file) {
    if (!isTopology(detectTopology(text))) return {};
    const TopologyText whole{file, std::string(text)};
    return importQuestions({whole}, importClusters({whole}));
}

TopologyText readTopologyFile(const std::filesystem::path& path) {
    // A native cluster may be larger than a topology; which it is shows in the beginning.
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    if (!error && size > mostTopologyBytes) {
        const std::string head = headOf(path);
        const FileKind kind = detectKind(head);
        if (!head.empty() && (isTopology(kind) || kind == FileKind::unknown))
            throw InputError(path.string(), "", "the file is too large", topologyTooLarge);
    }
    return {path.string(), readTextFile(path)};
}

}  // namespace stagecraft::formats
