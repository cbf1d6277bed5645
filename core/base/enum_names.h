#pragma once

#include "core/base/rooms.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::base {

/// What an enumerator is called in files, on the command line or on the screen. An enum that has names has a
/// table of them, `constexpr EnumName<E> eNames[]`, beside it or beside the format that spells them so.
template <class Enum>
struct EnumName {
    Enum value;
    const char* name;
};

/// The first of its names; empty if the table does not have the value.
template <class Enum, std::size_t count>
constexpr const char* nameOf(const EnumName<Enum> (&names)[count], Enum value) {
    for (const EnumName<Enum>& entry : names)
        if (entry.value == value) return entry.name;
    return "";
}

/// In the order of the table, for choices and for messages.
template <class Enum, std::size_t count>
std::vector<std::string> allNames(const EnumName<Enum> (&names)[count]) {
    std::vector<std::string> all;
    for (const EnumName<Enum>& entry : names) all.emplace_back(entry.name);
    return all;
}

/// Null if no value has that name.
template <class Enum, std::size_t count>
constexpr const Enum* findByName(const EnumName<Enum> (&names)[count], std::string_view name) {
    for (const EnumName<Enum>& entry : names)
        if (name == entry.name) return &entry.value;
    return nullptr;
}

}  // namespace stagecraft::base
