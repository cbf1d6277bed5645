#include "core/base/indices.h"
#include "core/formats/input_error.h"
#include "core/formats/recordings/annotated_pass.h"
#include "core/formats/recordings/rank_trace.h"
#include "core/formats/recordings/recording_format.h"

#include <sqlite3.h>

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <utility>

namespace stagecraft::formats {

// Nsight Systems' SQLite export (`nsys export -t sqlite`): kernels and copies with device, stream and the
// correlation of the call that launched them, calls with their thread, NVTX ranges as annotations. Times are
// nanoseconds. A thread's globalTid has its process in bits 24 to 47.

namespace {

constexpr std::string_view sqliteMagic{"SQLite format 3\0", 16};
constexpr std::int64_t mostRows = 100'000'000;

class NsightDatabase {
public:
    NsightDatabase(const RecordingFile& file, const WorkContext& context) : file_(file), context_(context) {
        refuseCutOff();
        sqlite3* opened = nullptr;
        const int status = file.path.empty()
                               ? sqlite3_open(":memory:", &opened)
                               : sqlite3_open_v2(file.path.c_str(), &opened,
                                                 SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nullptr);
        database_.reset(opened);
        if (status != SQLITE_OK) fail(opened ? sqlite3_errmsg(opened) : "no memory");
        if (!file.path.empty()) return;
        auto* bytes = const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(file.content.data()));
        const auto size = static_cast<sqlite3_int64>(file.content.size());
        if (sqlite3_deserialize(opened, "main", bytes, size, size, SQLITE_DESERIALIZE_READONLY) != SQLITE_OK)
            fail(sqlite3_errmsg(opened));
    }

    TraceEvents read() {
        if (has("StringIds"))
            forEach("SELECT id, value FROM StringIds", [this](sqlite3_stmt* row) {
                strings_[sqlite3_column_int64(row, 0)] = nameNumber(textAt(row, 1));
            });
        const std::string name = hasColumn("CUPTI_ACTIVITY_KIND_KERNEL", "shortName") ? "shortName" : "NULL";
        readWork("CUPTI_ACTIVITY_KIND_KERNEL", name, TraceEventKind::kernel, "kernel");
        readWork("CUPTI_ACTIVITY_KIND_MEMCPY", "NULL", TraceEventKind::copy, "copy");
        readWork("CUPTI_ACTIVITY_KIND_MEMSET", "NULL", TraceEventKind::copy, "set memory");
        if (has("CUPTI_ACTIVITY_KIND_RUNTIME"))
            forEach("SELECT start, end, correlationId, globalTid FROM CUPTI_ACTIVITY_KIND_RUNTIME",
                    [this](sqlite3_stmt* row) {
                        const std::int64_t thread = sqlite3_column_int64(row, 3);
                        add(row, {0, 0, sqlite3_column_int64(row, 2), 0, processOf(thread), threadOf(thread),
                                  -1, TraceEventKind::launch});
                    });
        readRanges();
        result_.tellCollectives();
        return std::move(result_);
    }

private:
    struct Closing {
        void operator()(sqlite3* database) const { sqlite3_close(database); }
        void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
    };

    /// Its header says how many pages it has (SQLite's file format, Sec. 1.3).
    void refuseCutOff() const {
        const std::string head = file_.head();
        if (head.size() < 100) fail("it is cut off");
        const auto byte = [&](std::size_t place) {
            return static_cast<std::uint64_t>(static_cast<unsigned char>(head[place]));
        };
        const std::uint64_t stated = byte(16) << 8 | byte(17), pageBytes = stated == 1 ? 65536 : stated;
        const std::uint64_t pages = byte(28) << 24 | byte(29) << 16 | byte(30) << 8 | byte(31);
        std::error_code error;
        const std::uint64_t bytes =
            file_.path.empty() ? file_.content.size() : std::filesystem::file_size(file_.path, error);
        if (!error && pages * pageBytes > bytes) fail("it is cut off");
    }

    [[noreturn]] void fail(const std::string& problem) const {
        throw InputError(file_.shown(), "", "the database cannot be read: " + problem,
                         "what 'nsys export -t sqlite' writes");
    }
    bool has(const std::string& table) const {
        return sqlite3_table_column_metadata(database_.get(), nullptr, table.c_str(), nullptr, nullptr,
                                             nullptr, nullptr, nullptr, nullptr) == SQLITE_OK;
    }
    bool hasColumn(const std::string& table, const char* column) const {
        return sqlite3_table_column_metadata(database_.get(), nullptr, table.c_str(), column, nullptr,
                                             nullptr, nullptr, nullptr, nullptr) == SQLITE_OK;
    }
    template <typename Visit>
    void forEach(const std::string& query, Visit visit) {
        sqlite3_stmt* prepared = nullptr;
        if (sqlite3_prepare_v2(database_.get(), query.c_str(), -1, &prepared, nullptr) != SQLITE_OK)
            fail(sqlite3_errmsg(database_.get()));
        const std::unique_ptr<sqlite3_stmt, Closing> statement(prepared);
        int status = SQLITE_ROW;
        for (std::int64_t row = 0; (status = sqlite3_step(prepared)) == SQLITE_ROW; ++row) {
            if (row % 16384 == 0) context_.throwIfStopped();
            if (row > mostRows) fail("a table has more than 100,000,000 rows");
            visit(prepared);
        }
        if (status != SQLITE_DONE) fail(sqlite3_errmsg(database_.get()));
    }

    static std::string textAt(sqlite3_stmt* row, int column) {
        const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(row, column));
        return text ? std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(row, column)))
                    : std::string();
    }
    std::int32_t numbered(std::unordered_map<std::string, std::int32_t>& known, std::vector<std::string>& all,
                          const std::string& text) {
        const auto [found, isNew] = known.try_emplace(text, static_cast<std::int32_t>(all.size()));
        if (isNew) all.push_back(text);
        return found->second;
    }
    std::int32_t nameNumber(const std::string& text) { return numbered(names_, result_.names, text); }
    std::int32_t placeOf(std::int64_t number) {
        return numbered(places_, result_.places, std::to_string(number));
    }
    std::int32_t processOf(std::int64_t thread) { return placeOf(thread >> 24 & 0xFFFFFF); }
    std::int32_t threadOf(std::int64_t thread) { return placeOf(thread & 0xFFFFFF); }

    /// The first two columns are start and end.
    void add(sqlite3_stmt* row, TraceEvent event) {
        event.startNs = sqlite3_column_int64(row, 0);
        const std::int64_t endNs = sqlite3_column_int64(row, 1);
        constexpr std::int64_t limit = std::int64_t{1} << 62;
        if (event.startNs < 0 || endNs < event.startNs || endNs > limit ||
            sqlite3_column_type(row, 1) == SQLITE_NULL) {
            ++result_.leftOut;
            return;
        }
        event.lengthNs = endNs - event.startNs;
        result_.events.push_back(event);
    }

    void readWork(const std::string& table, const std::string& name, TraceEventKind kind, const char* word) {
        if (!has(table)) return;
        const std::int32_t otherwise = nameNumber(word);
        forEach("SELECT start, end, correlationId, deviceId, streamId, " + name + " FROM " + table,
                [&](sqlite3_stmt* row) {
                    const auto known = strings_.find(sqlite3_column_int64(row, 5));
                    const bool named = sqlite3_column_type(row, 5) != SQLITE_NULL && known != strings_.end();
                    add(row, {0, 0, sqlite3_column_int64(row, 2), named ? known->second : otherwise,
                              placeOf(sqlite3_column_int64(row, 3)), placeOf(sqlite3_column_int64(row, 4)),
                              -1, kind});
                });
    }

    /// NVTX's push and pop ranges, which have a text or the number of one.
    void readRanges() {
        if (!has("NVTX_EVENTS")) return;
        const std::string number = hasColumn("NVTX_EVENTS", "textId") ? "textId" : "NULL";
        std::int64_t id = 0;
        forEach("SELECT start, end, text, " + number + ", globalTid FROM NVTX_EVENTS",
                [&](sqlite3_stmt* row) {
                    const auto known = strings_.find(sqlite3_column_int64(row, 3));
                    std::string text = textAt(row, 2);
                    if (text.empty() && sqlite3_column_type(row, 3) != SQLITE_NULL && known != strings_.end())
                        text = result_.names[at(known->second)];
                    const std::int64_t thread = sqlite3_column_int64(row, 4);
                    add(row, {0, 0, id++, nameNumber(text), processOf(thread), threadOf(thread), -1,
                              TraceEventKind::annotation});
                });
    }

    const RecordingFile& file_;
    const WorkContext& context_;
    std::unique_ptr<sqlite3, Closing> database_;
    TraceEvents result_;
    std::unordered_map<std::string, std::int32_t> names_, places_;
    std::unordered_map<std::int64_t, std::int32_t> strings_;  ///< names by StringIds.id
};

Recording readNsight(const std::vector<RecordingFile>& files, const WorkContext& context) {
    std::vector<RankTrace> ranks;
    for (std::size_t i = 0; i < files.size(); ++i) {
        ranks.push_back({files[i].shown(), files[i].name, NsightDatabase(files[i], context).read()});
        context.report(double(i + 1) / double(files.size()));
    }
    numberRanks(ranks);
    return recordingOfRanks(ranks, context);
}

}  // namespace

RecordingFormat nsightDatabaseFormat() {
    return {"nsight",
            "Nsight Systems' SQLite export",
            {"sqlite"},
            [](std::string_view head) { return head.starts_with(sqliteMagic); },
            &readNsight};
}

}  // namespace stagecraft::formats
