#include "app/start/madpipe_grid.h"

#include "app/document/samples.h"
#include "core/base/units.h"
#include "core/generation/cluster_templates.h"

#include <QFile>
#include <QObject>

namespace stagecraft::app::start {
namespace {

std::vector<MadPipeCell> readCells() {
    samples();  // loads what they travel in
    QFile file(QStringLiteral(":/stagecraft/samples/madpipe-resnet-50.grid.csv"));
    file.open(QIODevice::ReadOnly);
    std::vector<MadPipeCell> cells;
    const QList<QByteArray> lines = file.readAll().split('\n');
    for (const QByteArray& line : lines.mid(1)) {
        const QList<QByteArray> fields = line.trimmed().split(',');
        if (fields.size() != 4) continue;
        MadPipeCell cell{fields[0].toInt(), fields[1].toDouble() * gigabyte, fields[2].toDouble() * gigabyte};
        if (!fields[3].isEmpty()) cell.samplesPerS = fields[3].toDouble();
        cells.push_back(cell);
    }
    return cells;
}

}  // namespace

const std::vector<MadPipeCell>& madPipeCells() {
    static const std::vector<MadPipeCell> cells = readCells();
    return cells;
}

Project madPipeProject(const MadPipeCell& cell) {
    const QString gpus = QString::number(cell.gpus);
    const QString rate = QString::number(cell.linkBps / gigabyte);
    Project project = *findSample(QStringLiteral("madpipe-resnet-50"))->project;
    project.plans.clear();
    project.origins.clear();
    project.name = QObject::tr("ResNet-50 at 1000×1000 on %1 GPUs of %2 GB at %3 GB/s (MadPipe, Sec. 5)")
                       .arg(gpus, QString::number(cell.memoryBytes / gigabyte), rate)
                       .toStdString();
    project.problem.cluster = switchedCluster(
        {.name = QObject::tr("%1 GPUs joined at %2 GB/s (MadPipe, Sec. 5)").arg(gpus, rate).toStdString(),
         .gpusPerServer = cell.gpus,
         .gpu = *findGpu("V100-SXM2-16GB"),
         .intraServerBps = cell.linkBps});
    project.problem.setup.memoryLimitBytes = cell.memoryBytes;
    return project;
}

}  // namespace stagecraft::app::start
