#include "core/formats/tables/curve_table.h"

#include "core/base/csv_text.h"

#include <algorithm>

namespace stagecraft::formats {

void streamCurveCsv(const std::vector<std::string>& nameHeaders, const std::vector<std::string>& partHeaders,
                    const std::vector<TableCurve>& curves, double fromS, double toS, const WriteBytes& write,
                    bool headers) {
    PartBuffer part(write);
    std::string& out = part.text();
    if (headers) {
        for (const std::string& header : nameHeaders) out += csvCell(header) + ',';
        out += "from_s,to_s";
        for (const std::string& header : partHeaders) out += ',' + csvCell(header);
        out += '\n';
    }
    for (const TableCurve& curve : curves) {
        std::string names;
        for (const std::string& name : curve.names) names += csvCell(name) + ',';
        const std::vector<double>& timeS = *curve.timeS;
        for (std::size_t step = 0; step < timeS.size(); ++step) {
            const double from = std::max(timeS[step], fromS);
            const double to = step + 1 < timeS.size() ? std::min(timeS[step + 1], toS) : toS;
            if (from >= to) continue;
            out += names;
            appendNumber(out, from);
            out += ',';
            appendNumber(out, to);
            for (const std::vector<double>* values : curve.values) {
                out += ',';
                appendNumber(out, (*values)[step]);
            }
            out += '\n';
            part.flushIfLarge();
        }
    }
    part.flush();
}

}  // namespace stagecraft::formats
