#pragma once

#include <QString>

namespace stagecraft::app {

// What dialogues offer when files are opened, by the formats that are known: "Layer profiles (*.json …);;All
// files (*)". A format that is added is offered without a change here.

QString profileFilter();
QString clusterFilter();
/// Of everything that can be opened.
QString anyFilter();

}  // namespace stagecraft::app
