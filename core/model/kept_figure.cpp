#include "core/model/kept_figure.h"

namespace stagecraft::model {

std::vector<std::string*> KeptFigure::planTitles() {
    std::vector<std::string*> titles;
    if (!plan.empty()) titles.push_back(&plan);
    if (!reference.empty()) titles.push_back(&reference);
    for (KeptPanel& panel : panels) titles.push_back(&panel.plan);
    for (KeptTime& time : published) titles.push_back(&time.plan);
    return titles;
}

}  // namespace stagecraft::model
