#pragma once

#include "views/rooms.h"

#include <QString>

namespace stagecraft::views::common {

/// Takes the application's style sheet off for as long as it lives. With a sheet in force a widget is styled
/// again, with all that it holds, whenever it gets a parent, which is most of the time that it takes to put a
/// window together; a sheet that is set at the end styles each widget once.
class StyleSheetPause {
public:
    StyleSheetPause();
    ~StyleSheetPause();
    StyleSheetPause(const StyleSheetPause&) = delete;
    StyleSheetPause& operator=(const StyleSheetPause&) = delete;

private:
    QString sheet_;
};

}  // namespace stagecraft::views::common
