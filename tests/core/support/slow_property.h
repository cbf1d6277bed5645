#pragma once

#include "tests/support/test_extent.h"

#include <rapidcheck.h>

#include <cstdint>
#include <iostream>
#include <utility>

namespace stagecraft::testing {

/// What rapidcheck's usual hundred cases of a property show that takes long, or a third of that where a third
/// of the cases is tried.
inline int ofSlowCases(int count) { return inFull() ? count : count / 3; }

/// rc::check() of a property whose cases take long: `./dev test` tries a third of them, others each time.
/// @param round cases are others in each: rc::check() draws the same again when it is called again
template <typename Property>
bool checkSlowly(Property&& property, int round = 0) {
    rc::detail::TestParams params = rc::detail::configuration().testParams;
    params.seed += static_cast<std::uint64_t>(round);
    params.maxSuccess = ofSlowCases(params.maxSuccess);
    const rc::detail::TestResult result =
        rc::detail::checkTestable(std::forward<Property>(property), rc::detail::TestMetadata{}, params);
    rc::detail::printResultMessage(result, std::cerr);
    std::cerr << '\n';
    return result.template is<rc::detail::SuccessResult>();
}

}  // namespace stagecraft::testing

/// RC_GTEST_PROP() of a property whose cases take long.
#define STAGECRAFT_SLOW_PROPERTY(Suite, Name, Arguments)                                                 \
    void slowProperty_##Suite##_##Name Arguments;                                                        \
    TEST(Suite, Name) { EXPECT_TRUE(stagecraft::testing::checkSlowly(&slowProperty_##Suite##_##Name)); } \
    void slowProperty_##Suite##_##Name Arguments
