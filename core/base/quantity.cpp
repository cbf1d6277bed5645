#include "core/base/quantity.h"

#include "core/base/unit_table.h"
#include "core/base/units.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace stagecraft::base {

namespace {

const char* expectedOf(Quantity quantity) {
    switch (quantity) {
        case Quantity::bandwidth:
            return "a bandwidth with its unit, as in 100 Gbit/s or 12 GB/s";
        case Quantity::seconds:
            return "a time with its unit, as in 5 us or 1.5 ms";
        case Quantity::bytes:
            return "a size with its unit, as in 16 GiB or 512 MB";
        case Quantity::plain:
            break;
    }
    return "a number, as in 1.5";
}

[[noreturn]] void refuse(Quantity quantity, const std::string& text, const std::string& why) {
    throw std::invalid_argument("'" + text + "' " + why + "; expected " + expectedOf(quantity));
}

/// Without spaces, the no-break ones included, and with one spelling for the two letters that write micro.
std::string squeezed(std::string_view text) {
    constexpr std::pair<std::string_view, std::string_view> exchanges[] = {
        {"\u00A0", ""}, {"\u202F", ""}, {"\u2009", ""}, {"\u00B5", "u"}, {"\u03BC", "u"}};
    std::string result;
    while (!text.empty()) {
        const auto found = std::find_if(std::begin(exchanges), std::end(exchanges),
                                        [&](const auto& each) { return text.starts_with(each.first); });
        if (found != std::end(exchanges)) {
            result += found->second;
            text.remove_prefix(found->first.size());
            continue;
        }
        if (text.front() != ' ' && text.front() != '\t') result += text.front();
        text.remove_prefix(1);
    }
    return result;
}

char lower(char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter; }

bool equalsIgnoringCase(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return lower(x) == lower(y); });
}

/// Takes one of the endings off the unit. @returns whether there was one
bool takeEnd(std::string_view& unit, std::initializer_list<std::string_view> endings) {
    for (const std::string_view ending : endings)
        if (unit.size() >= ending.size() &&
            equalsIgnoringCase(unit.substr(unit.size() - ending.size()), ending)) {
            unit.remove_suffix(ending.size());
            return true;
        }
    return false;
}

/// What a written unit is of the base unit: 10^exponent * factor.
struct Scale {
    int exponent;
    double factor;
};

/// "", "k", "M", "Gi", …
std::optional<Scale> prefixOf(std::string_view prefix) {
    if (prefix.empty()) return Scale{0, 1};
    constexpr std::string_view letters = "kmgt";
    const std::size_t step = letters.find(lower(prefix.front()));
    if (step == std::string_view::npos || prefix.size() > 2) return std::nullopt;
    const int power = static_cast<int>(step) + 1;
    if (prefix.size() == 1) return Scale{3 * power, 1};
    if (lower(prefix[1]) != 'i') return std::nullopt;
    return Scale{0, std::pow(kib, power)};
}

std::optional<Scale> bytesOrBits(std::string_view unit, bool bitsAllowed) {
    bool bits = takeEnd(unit, {"bits", "bit"});
    if (!bits && !takeEnd(unit, {"bytes", "byte"})) {
        if (unit.empty() || lower(unit.back()) != 'b') return std::nullopt;
        bits = unit.back() == 'b' && bitsAllowed;
        unit.remove_suffix(1);
    }
    if (bits && !bitsAllowed) return std::nullopt;
    std::optional<Scale> found = prefixOf(unit);
    if (found && bits) found->factor /= 8;
    return found;
}

std::optional<Scale> scaleNamed(Quantity quantity, std::string_view name) {
    switch (quantity) {
        case Quantity::plain:
            return name.empty() ? std::optional(Scale{0, 1}) : std::nullopt;
        case Quantity::bytes:
            return bytesOrBits(name, false);
        case Quantity::bandwidth:
            return takeEnd(name, {"/sec", "/s", "ps"}) ? bytesOrBits(name, true) : std::nullopt;
        case Quantity::seconds:
            break;
    }
    if (equalsIgnoringCase(name, "us")) name = "µs";  // as squeezed() leaves both letters
    for (const Unit& unit : unitsOf(Quantity::seconds))
        if (equalsIgnoringCase(name, unit.symbol)) return Scale{unit.exponent, unit.factor};
    return std::nullopt;
}

/// The number that `digits` times 10^shift is nearest to. @param digits as from_chars reads them
std::optional<double> shiftedNumber(std::string_view digits, int shift) {
    const std::size_t e = digits.find_first_of("eE");
    int exponent = 0;
    if (e != std::string_view::npos) {
        const char* from = digits.data() + e + 1;
        if (from < digits.data() + digits.size() && *from == '+') ++from;
        if (std::from_chars(from, digits.data() + digits.size(), exponent).ec != std::errc{} ||
            std::abs(exponent) > 400)
            return std::nullopt;
    }
    const std::string text = std::string(digits.substr(0, e)) + "e" + std::to_string(exponent + shift);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// The shortest digits of a number divided by 10^shift, without an exponent; nothing if they get long.
std::optional<std::string> shiftedDigits(double value, int shift) {
    std::array<char, 64> buffer{};
    const auto written =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific);
    const std::string_view text(buffer.data(), static_cast<std::size_t>(written.ptr - buffer.data()));
    const std::size_t e = text.find('e');
    std::string digits(1, text.front());
    if (e > 2) digits += text.substr(2, e - 2);
    const int point = std::stoi(std::string(text.substr(e + 1))) - shift + 1;  // digits before it
    if (point < -5 || point > 18) return std::nullopt;
    if (point <= 0) return "0." + std::string(static_cast<std::size_t>(-point), '0') + digits;
    const auto before = static_cast<std::size_t>(point);
    if (digits.size() <= before) return digits + std::string(before - digits.size(), '0');
    return digits.substr(0, before) + "." + digits.substr(before);
}

}  // namespace

double parseQuantity(Quantity quantity, const std::string& text) {
    const std::string all = squeezed(text);
    if (all.empty()) refuse(quantity, text, "is nothing");
    if (all.front() == '-') refuse(quantity, text, "is negative");
    double ignored = 0;
    const auto [end, error] = std::from_chars(all.data(), all.data() + all.size(), ignored);
    const std::string_view digits(all.data(), static_cast<std::size_t>(end - all.data()));
    const std::string_view name = std::string_view(all).substr(digits.size());
    if (digits.empty() || !(digits.front() == '.' || (digits.front() >= '0' && digits.front() <= '9')))
        refuse(quantity, text, "is not a number");
    if (name.starts_with(',')) refuse(quantity, text, "has a comma where a point belongs");
    if (name.empty() && error == std::errc{} && ignored == 0) return 0;
    const std::optional<Scale> unit = scaleNamed(quantity, name);
    if (!unit && name.empty()) refuse(quantity, text, "has no unit");
    if (!unit) refuse(quantity, text, "has an unknown unit '" + std::string(name) + "'");
    const std::optional<double> number = shiftedNumber(digits, unit->exponent);
    const double value = number.value_or(INFINITY) * unit->factor;
    if (!std::isfinite(value)) refuse(quantity, text, "is too large");
    return value;
}

std::string exactText(Quantity quantity, double value) {
    if (value == 0) return roundedText(quantity, value);
    std::string best;
    for (const Unit& unit : unitsOf(quantity)) {
        const std::optional<std::string> digits = shiftedDigits(value / unit.factor, unit.exponent);
        if (!digits || (!best.empty() && digits->starts_with("0."))) continue;
        const std::string text = *digits + (quantity == Quantity::plain ? "" : " ") + unit.symbol;
        const auto again = shiftedNumber(*digits, unit.exponent);
        if (!again || *again * unit.factor != value) continue;
        if (best.empty() || text.size() <= best.size()) best = text;
    }
    if (!best.empty()) return best;
    // Far beyond what is ever measured: digits with an exponent.
    std::array<char, 64> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
    const char* base = quantity == Quantity::bandwidth ? " B/s"
                       : quantity == Quantity::bytes   ? " B"
                       : quantity == Quantity::seconds ? " s"
                                                       : "";
    return std::string(buffer.data(), end) + base;
}

std::string roundedText(Quantity quantity, double value) {
    switch (quantity) {
        case Quantity::bandwidth:
            return formatBandwidth(value);
        case Quantity::seconds:
            return formatSeconds(value);
        case Quantity::bytes:
            return formatBytes(value);
        case Quantity::plain:
            break;
    }
    return formatNumber(value);
}

}  // namespace stagecraft::base
