#include "app/document/edited_document.h"

#include "core/planners/planned_run.h"

#include <algorithm>

namespace stagecraft::app::document {

QString PlanItem::title() const { return QString::fromStdString(run ? run->title() : titleOf(plan)); }

int EditedDocument::planIndex(int id) const {
    const auto found = std::find_if(state_.plans.begin(), state_.plans.end(),
                                    [id](const PlanItem& p) { return p.id == id; });
    return found == state_.plans.end() ? -1 : static_cast<int>(found - state_.plans.begin());
}

}  // namespace stagecraft::app::document
