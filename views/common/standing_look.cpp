#include "views/common/standing_look.h"

#include "views/common/theme.h"

namespace stagecraft::views::common {

QColor standingColour(Standing standing) {
    const Theme& theme = Theme::current();
    switch (standing) {
        case Standing::fits:
            return theme.ok;
        case Standing::mayNotRun:
        case Standing::doesNotFit:
        case Standing::outOfDate:
        case Standing::infeasible:
            return theme.warning;
        case Standing::invalid:
        case Standing::otherProfile:
        case Standing::failed:
            break;
    }
    return theme.error;
}

QString standingIcon(Standing standing) {
    switch (standing) {
        case Standing::fits:
            return QStringLiteral("ok");
        case Standing::mayNotRun:
        case Standing::doesNotFit:
            return QStringLiteral("warning");
        case Standing::outOfDate:
            return QStringLiteral("outdated");
        case Standing::invalid:
        case Standing::otherProfile:
        case Standing::infeasible:
        case Standing::failed:
            break;
    }
    return QStringLiteral("error");
}

}  // namespace stagecraft::views::common
