#include "app/profile/dialog_parts.h"

#include "core/base/units.h"

#include <QCoreApplication>

namespace stagecraft::app::profile {

QString totalsText(const LayerProfile& profile) {
    Layer sum;
    for (const Layer& layer : profile.layers) {
        sum.forwardS += layer.forwardS;
        sum.backwardS += layer.backwardS;
        sum.parameterBytes += layer.parameterBytes;
        sum.storedActivationBytes += layer.storedActivationBytes;
    }
    const auto row = [](const QString& name, const QString& value) {
        return QStringLiteral("<tr><td>%1&nbsp;&nbsp;&nbsp;</td><td align=right>%2</td></tr>")
            .arg(name, value);
    };
    const auto text = [](const std::string& value) { return QString::fromStdString(value); };
    QString layers = QString::number(profile.layerCount());
    if (!profile.operators.nodes.empty())
        layers +=
            QCoreApplication::translate("ProfileTotals", " of %1 nodes").arg(profile.operators.nodes.size());
    return QStringLiteral("<table cellspacing=0 cellpadding=2>") +
           row(QCoreApplication::translate("ProfileTotals", "layers"), layers) +
           row(QCoreApplication::translate("ProfileTotals", "forward"), text(formatSeconds(sum.forwardS))) +
           row(QCoreApplication::translate("ProfileTotals", "backward"), text(formatSeconds(sum.backwardS))) +
           row(QCoreApplication::translate("ProfileTotals", "parameters"),
               text(formatBytes(sum.parameterBytes))) +
           row(QCoreApplication::translate("ProfileTotals", "stored activations"),
               text(formatBytes(sum.storedActivationBytes))) +
           row(QCoreApplication::translate("ProfileTotals", "samples in a microbatch"),
               QString::number(profile.microbatchSize)) +
           QStringLiteral("</table>");
}

}  // namespace stagecraft::app::profile
