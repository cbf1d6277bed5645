#pragma once

#include "app/rooms.h"

#include <QString>

#include <utility>
#include <vector>

class QWidget;

namespace stagecraft::app::help {

/// What F1 opens, by the class of the widget that has the focus or of the nearest that holds it.
const std::vector<std::pair<const char*, const char*>>& helpTopics();
/// A widget whose help depends on what it shows has its topic in this property, which comes before its class.
inline constexpr const char* helpTopicProperty = "helpTopic";

/// A topic for findHelpPlace(); that of the contents where nothing says more.
QString helpTopicOf(const QWidget* widget);

}  // namespace stagecraft::app::help
