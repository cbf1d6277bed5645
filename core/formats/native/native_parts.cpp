#include "core/formats/native/native_parts.h"

#include "core/base/number_range.h"
#include "core/formats/json_writer.h"

namespace stagecraft::formats {

double amountFromJson(const JsonValue& value) {
    const double number = value.nonNegative();
    if (!isAmount(number))
        value.fail("the number is too large", "0 to " + formatJsonInline(nlohmann::json(largestAmount)));
    return number;
}

nlohmann::ordered_json header(const char* format) { return {{"format", format}, {"version", 1}}; }

}  // namespace stagecraft::formats
