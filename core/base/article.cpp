#include "core/base/article.h"

#include <cctype>
#include <string_view>

namespace stagecraft::base {

std::string withArticle(const std::string& name) {
    const auto letter = [&name](std::size_t i) {
        return static_cast<unsigned char>(i < name.size() ? name[i] : ' ');
    };
    const bool isSpelled = std::isupper(letter(0)) && !std::islower(letter(1));
    const std::string_view vowels = isSpelled ? "AEFHILMNORSX" : "AEIOUaeiou";
    return (vowels.find(name.empty() ? ' ' : name[0]) == std::string_view::npos ? "a " : "an ") + name;
}

}  // namespace stagecraft::base
