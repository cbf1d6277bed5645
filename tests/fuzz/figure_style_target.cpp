// Figure styles are beside the views that draw them, so that their reader has a program of its own.
#include "core/formats/input_error.h"
#include "tests/support/every_room.h"
#include "views/figures/figure_style_json.h"

#include <cstdlib>
#include <iostream>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace stagecraft;
    using namespace views::figures;
    try {
        const FigureStyle style = readFigureStyle({reinterpret_cast<const char*>(data), size}, "F");
        if (readFigureStyle(writeFigureStyle(style), "") == style) return 0;
        std::cerr << "does not hold: the style reads back" << std::endl;
        std::abort();
    } catch (const InputError&) {
    }
    return 0;
}
