// One libFuzzer program a reader; STAGECRAFT_FUZZ_READER names it.
#include "tests/fuzz/readers.h"
#include "tests/support/every_room.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const stagecraft::fuzz::Reader& reader = stagecraft::fuzz::readers().at(STAGECRAFT_FUZZ_READER);
    reader({reinterpret_cast<const char*>(data), size});
    return 0;
}
