#include "views/topology/cluster_clipboard.h"

#include "core/formats/files/import.h"
#include "core/formats/native/formats.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QMimeData>

namespace stagecraft::views::topology {

void copyToClipboard(const Cluster& cluster) {
    const QByteArray file = QByteArray::fromStdString(writeCluster(cluster));
    auto* data = new QMimeData;
    data->setData(QLatin1String(clusterMimeType), file);
    data->setText(QString::fromUtf8(file));
    QGuiApplication::clipboard()->setMimeData(data);
}

ClipboardCluster clusterOnClipboard() {
    const QMimeData* data = QGuiApplication::clipboard()->mimeData();
    if (!data) return {};
    const bool isOwn = data->hasFormat(QLatin1String(clusterMimeType));
    const QString text = isOwn ? QString::fromUtf8(data->data(QLatin1String(clusterMimeType))) : data->text();
    const std::string file = text.toStdString();
    const QString other = text.trimmed().isEmpty() ? QString() : text;
    if (detectKind(file) != FileKind::cluster) return {std::nullopt, other};
    try {
        return {readCluster(file, "clipboard", DrawingMistakes::keep), {}};
    } catch (const InputError&) {
        return {std::nullopt, other};
    }
}

}  // namespace stagecraft::views::topology
