#include "views/common/style_sheet_pause.h"

#include <QApplication>

namespace stagecraft::views::common {

StyleSheetPause::StyleSheetPause() : sheet_(qApp->styleSheet()) { qApp->setStyleSheet({}); }

StyleSheetPause::~StyleSheetPause() { qApp->setStyleSheet(sheet_); }

}  // namespace stagecraft::views::common
