#pragma once

#include "app/rooms.h"
#include "tests/support/every_room.h"

/// Tests of views and app look into every room of core, of views and, by the topmost, of app.
namespace stagecraft {
using namespace app::commands;
}
