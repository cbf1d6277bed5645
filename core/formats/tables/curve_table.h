#pragma once

#include "core/formats/file_stream.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stagecraft::formats {

/// A quantity of several parts over time, as steps: values[part][i] holds from timeS[i] to timeS[i+1], the
/// last one to the end of what is written. What it points to must outlive the call.
struct TableCurve {
    std::vector<std::string> names;  ///< what it is the curve of, a cell each
    const std::vector<double>* timeS = nullptr;
    std::vector<const std::vector<double>*> values;
};

/// Curves as a table: the headers of the names, from_s, to_s, the headers of the parts, then a row for each
/// step that shows from `fromS` to `toS`, cut at both, curve after curve. Numbers read back exactly. A table
/// may be written in parts: without `headers` the rows follow those of a part before.
void streamCurveCsv(const std::vector<std::string>& nameHeaders, const std::vector<std::string>& partHeaders,
                    const std::vector<TableCurve>& curves, double fromS, double toS, const WriteBytes& write,
                    bool headers = true);

}  // namespace stagecraft::formats
