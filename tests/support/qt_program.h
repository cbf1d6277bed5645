#pragma once

#include "tests/support/every_room.h"

#include <QObject>

#include <memory>

namespace stagecraft {

/// What a test class needs to run: a window system, an event loop alone, or neither.
enum class TestNeeds { widgets, events, nothing };

/// Puts a QTest class among those that its program can run by the name of their file:
/// `views_tests strip_test [QTest's arguments]`. Several classes make one program, so that libraries are
/// linked and scanned once; each still runs in a process of its own.
class TestRegistration {
public:
    using Make = std::unique_ptr<QObject> (*)();
    TestRegistration(const char* sourceFile, TestNeeds needs, Make make);
};

}  // namespace stagecraft

#define STAGECRAFT_TEST_NEEDING(needs, Class)                        \
    static const stagecraft::TestRegistration registrationOf##Class( \
        __FILE__, stagecraft::TestNeeds::needs,                      \
        []() -> std::unique_ptr<QObject> { return std::make_unique<Class>(); });
#define STAGECRAFT_TEST(Class) STAGECRAFT_TEST_NEEDING(widgets, Class)
