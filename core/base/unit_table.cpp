#include "core/base/unit_table.h"

#include "core/base/number_style.h"

#include <cmath>

namespace stagecraft::base {

namespace {

constexpr double neverShown = -1;
constexpr double kibi = 1024, mebi = 1024 * kibi, gibi = 1024 * mebi, tebi = 1024 * gibi;

constexpr Unit plainUnits[] = {{"", 0, 1, 1, 0}};
constexpr Unit timeUnits[] = {{"ns", -9, 1, 1e-9, 0}, {"µs", -6, 1, 1e-6, 1e-6}, {"ms", -3, 1, 1e-3, 1e-3},
                              {"s", 0, 1, 1, 1},      {"min", 0, 60, 60, 600},   {"h", 0, 3600, 3600, 7200}};
constexpr Unit byteUnits[] = {{"B", 0, 1, 1, 0},
                              {"kB", 3, 1, 1e3, neverShown},
                              {"KiB", 0, kibi, kibi, kibi},
                              {"MB", 6, 1, 1e6, neverShown},
                              {"MiB", 0, mebi, mebi, mebi},
                              {"GB", 9, 1, 1e9, neverShown},
                              {"GiB", 0, gibi, gibi, gibi},
                              {"TB", 12, 1, 1e12, neverShown},
                              {"TiB", 0, tebi, tebi, tebi}};
constexpr Unit bandwidthUnits[] = {{"B/s", 0, 1, 1, 0},
                                   {"kB/s", 3, 1, 1e3, 1e3},
                                   {"MB/s", 6, 1, 1e6, 1e6},
                                   {"GB/s", 9, 1, 1e9, 1e9},
                                   {"TB/s", 12, 1, 1e12, 1e12}};

}  // namespace

std::span<const Unit> unitsOf(Quantity quantity) {
    switch (quantity) {
        case Quantity::bandwidth:
            return bandwidthUnits;
        case Quantity::seconds:
            return timeUnits;
        case Quantity::bytes:
            return byteUnits;
        case Quantity::plain:
            break;
    }
    return plainUnits;
}

const Unit& shownUnit(Quantity quantity, double value) {
    constexpr double roundsUp = 0.9995;
    const std::span<const Unit> units = unitsOf(quantity);
    const bool isDecimal = quantity == Quantity::bytes && numberStyle().decimalBytes;
    const Unit* chosen = &units.front();
    for (const Unit& unit : units) {
        // Decimal units of bytes are those without a factor.
        const double from = !isDecimal ? unit.shownFrom : unit.factor == 1 ? unit.size : neverShown;
        if (from >= 0 && std::fabs(value) >= from * roundsUp) chosen = &unit;
    }
    return *chosen;
}

}  // namespace stagecraft::base
