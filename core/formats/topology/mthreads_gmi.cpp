#include "core/formats/topology/smi_dialect.h"
#include "core/formats/topology/smi_text.h"
#include "core/formats/topology/topology_format.h"

namespace stagecraft::formats {

TopologyFormat mthreadsGmiFormat() {
    return {.id = "mthreads-gmi",
            .name = "mthreads-gmi text",
            .suffix = "txt",
            .recognises = [](std::string_view text) { return looksLikeSmi(text, mthreadsDialect()); },
            .readServer =
                [](std::string_view text, const std::string& file, const ImportOptions& options) {
                    return readSmi(text, file, options, mthreadsDialect());
                }};
}

}  // namespace stagecraft::formats
