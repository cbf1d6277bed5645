#pragma once

#include "core/formats/native/formats.h"
#include "core/formats/profiles/import_options.h"

#include <array>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::formats {

/// A table of text: what is between separators, quotes taken off.
struct CsvTable {
    char separator = ',';  ///< of comma, semicolon, tab, bar and blanks (as many as there are)
    bool decimalComma =
        false;  ///< 1,5 is one and a half, and points group thousands; else the other way round
    std::vector<std::string> header;
    std::vector<std::vector<std::string>> rows;  ///< each as long as the header
    std::vector<std::size_t> lines;              ///< of the rows, for messages; from 1
};
/// The first line that is not blank and does not start with # is the header, unless all of its cells but one
/// at most are numbers: then there is none, and columns are called "column 1", …. The separator that parts
/// all of the first rows into equally many cells separates. @throws InputError for a row of another length,
/// or an open quote, Cancelled once it is asked to stop
CsvTable readCsvTable(std::string_view text, const std::string& file, const std::stop_token& stop = {});

/// What a column can hold.
enum class CsvField {
    name,
    forward,
    backward,
    weightGradient,
    parameters,
    output,
    outputGradient,
    stored,
    inputGradient,  ///< time; with the weight gradient it makes the backward
};
inline constexpr std::size_t csvFieldCount = 9;
/// "forward time", …, for people.
std::string csvFieldName(CsvField field);
bool isTime(CsvField field);
/// A name of a unit and what it is in seconds or bytes.
struct CsvUnit {
    const char* name;
    double factor;
};
/// Seconds to nanoseconds; bytes to GiB, and numbers of 4 bytes ("values", and thousands to billions of
/// them).
const std::vector<CsvUnit>& csvUnits(CsvField field);

struct CsvColumn {
    int column = -1;  ///< of the table; -1: the table does not have it
    double unit = 1;  ///< in seconds or bytes
    bool operator==(const CsvColumn&) const = default;
};
/// Which column holds what, by CsvField.
struct CsvMapping {
    std::array<CsvColumn, csvFieldCount> columns;
    bool decimalComma = false;  ///< as CsvTable has it

    CsvColumn& of(CsvField field) { return columns[static_cast<std::size_t>(field)]; }
    const CsvColumn& of(CsvField field) const { return columns[static_cast<std::size_t>(field)]; }
    bool operator==(const CsvMapping&) const = default;
};
/// By the words of the headers: "fwd (ms)", "backward_s", "params [MB]", "output bytes", … A column of
/// parameters without a unit counts values, "Params (M)" millions of them; other columns without one are in
/// seconds and bytes.
CsvMapping guessCsvMapping(const CsvTable& table);
/// The unit that a column of that field is in by its header, in seconds or bytes: 1e-3 for "Zeit (ms)".
double guessCsvUnit(CsvField field, const std::string& header);
/// Whether the text is a table with a column of forward times.
bool looksLikeProfileCsv(std::string_view text);

/// Whether it is a table at all, whatever its columns are called: two columns at least, and a number below
/// the header.
bool looksLikeTable(std::string_view text);

/// A row is a layer of a chain; a last row called "total" is none. A cell may carry its unit itself ("4.73
/// ms"). Without a backward column the backward is the gradients that have one, or takes twice the forward;
/// other columns that are missing have the native format's defaults, parameters and outputs none.
/// @param mapping none: guessed
/// @throws InputError
ImportedProfile readProfileCsv(std::string_view text, const std::string& file,
                               const std::optional<CsvMapping>& mapping = {},
                               const ProfileImportOptions& options = {});

}  // namespace stagecraft::formats
