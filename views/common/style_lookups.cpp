#include "views/common/style_lookups.h"

#include <QStyle>

#include <chrono>

namespace stagecraft::views::common {

StyleLookups::StyleLookups(QApplication& application)
    : QObject(&application), application_(application), timer_(this) {
    connect(&timer_, &QTimer::timeout, this, &StyleLookups::forget);
    timer_.start(std::chrono::minutes(5));
}

/// For an application that is what QStyleSheetStyle::unpolish does, and nothing else; the sheet stays.
void StyleLookups::forget() { application_.style()->unpolish(&application_); }

}  // namespace stagecraft::views::common
