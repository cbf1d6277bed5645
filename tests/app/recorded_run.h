#pragma once

#include "tests/views/gantt_fixture.h"

#include <QFile>
#include <QString>
#include <QStringList>

namespace stagecraft {

/// Tables of a made-up run, a file for each rank in `folder`: 1F1B on so many ranks, `iterations` times in a
/// row, in milliseconds and without transfers.
inline QStringList writeRecordedRun(const QString& folder, int ranks = 4, int microbatches = 8,
                                    int iterations = 4) {
    MadeUpPipeline wanted;
    wanted.stages = ranks;
    wanted.replicas = 1;
    wanted.microbatches = microbatches;
    wanted.linkBps = 1e15;
    const auto run = madeUpRun(wanted);
    const Timeline& timeline = run->evaluation->timeline;
    const double lengthS = timeline.lastEndS() + 0.001;
    QStringList files;
    for (int rank = 0; rank < ranks; ++rank) {
        QString text = QStringLiteral("rank,pass,stage,microbatch,start_ms,end_ms,iteration\n");
        const Lane& lane = timeline.lanes[static_cast<std::size_t>(timeline.computeLaneOf(rank))];
        for (int iteration = 0; iteration < iterations; ++iteration)
            for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block) {
                const bool forward = timeline.kind[block] == BlockKind::forward;
                if (!forward && timeline.kind[block] != BlockKind::backward) continue;
                const double shiftS = iteration * lengthS;
                text += QStringLiteral("%1,%2,%3,%4,%5,%6,%7\n")
                            .arg(rank)
                            .arg(forward ? QLatin1Char('F') : QLatin1Char('B'))
                            .arg(timeline.stage[block])
                            .arg(timeline.microbatch[block])
                            .arg(1e3 * (timeline.startS[block] + shiftS), 0, 'g', 12)
                            .arg(1e3 * (timeline.endS[block] + shiftS), 0, 'g', 12)
                            .arg(iteration);
            }
        files << QStringLiteral("%1/rank_%2.csv").arg(folder).arg(rank);
        QFile file(files.back());
        if (file.open(QIODevice::WriteOnly)) file.write(text.toUtf8());
    }
    return files;
}

/// A profiler's traces of two ranks, as PyTorch's pipelining annotates its passes on the GPU, with 40 kernels
/// in each pass: two stages, four microbatches, GPipe, three iterations.
inline QStringList writeProfiledRun(const QString& folder) {
    constexpr int ranks = 2, microbatches = 4, iterations = 3, kernels = 40;
    constexpr double passUs = 1000;
    QStringList files;
    for (int rank = 0; rank < ranks; ++rank) {
        QStringList events;
        const auto add = [&events](const char* category, const QString& name, double startUs,
                                   double lengthUs) {
            events << QStringLiteral(R"({"ph":"X","cat":"%1","name":"%2","pid":0,"tid":7,"ts":%3,"dur":%4})")
                          .arg(QLatin1String(category), name)
                          .arg(startUs, 0, 'f', 3)
                          .arg(lengthUs, 0, 'f', 3);
        };
        for (int iteration = 0; iteration < iterations; ++iteration)
            for (int pass = 0; pass < 2 * microbatches; ++pass) {
                const bool forward = pass < microbatches;
                const int place = forward ? pass + rank : pass + 1 + (1 - rank);
                const double startUs = (iteration * (2 * microbatches + 3) + place) * passUs + 1;
                add("gpu_user_annotation",
                    QStringLiteral("PP:%1%2%3")
                        .arg(rank)
                        .arg(QLatin1Char(forward ? 'F' : 'B'))
                        .arg(pass % microbatches),
                    startUs, passUs - 2);
                for (int kernel = 0; kernel < kernels; ++kernel)
                    add("kernel", kernel % 2 ? QStringLiteral("gemm_128x128") : QStringLiteral("elementwise"),
                        startUs + 1 + kernel * 24, 23);
            }
        files << QStringLiteral("%1/rank%2.pt.trace.json").arg(folder).arg(rank);
        QFile file(files.back());
        if (file.open(QIODevice::WriteOnly))
            file.write(
                QStringLiteral(
                    R"({"schemaVersion":1,"distributedInfo":{"backend":"nccl","rank":%1,"world_size":%2},"traceEvents":[%3]})")
                    .arg(rank)
                    .arg(ranks)
                    .arg(events.join(QStringLiteral(",\n")))
                    .toUtf8());
    }
    return files;
}

}  // namespace stagecraft
