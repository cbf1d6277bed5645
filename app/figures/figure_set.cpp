#include "app/figures/figure_set.h"

#include "app/document/file_name.h"

#include <QSet>

namespace stagecraft::app {
namespace {

/// A title that is longer is cut: with an ending it must be a file's name on every file system.
constexpr int longestStem = 80;

/// Files of plans with one title differ by a number. In lower case, as some file systems take names.
QString unusedStem(const QString& title, QSet<QString>& used) {
    const QString stem = fileNameOf(title).left(longestStem);
    QString name = stem;
    for (int number = 2; used.contains(name.toLower()); ++number)
        name = QStringLiteral("%1-%2").arg(stem).arg(number);
    used.insert(name.toLower());
    return name;
}

/// The bandwidths are the same for every plan: the project's own figure shows them.
void addPlan(std::vector<FiledFigure>& figures, const NotedPlan& plan, const QString& stem) {
    for (FigureSource& source : planSources(plan.run, plan.notes)) {
        if (source.id == QLatin1String("bandwidth")) continue;
        const QString part = source.fileName.isEmpty() ? source.id : source.fileName;
        figures.push_back({stem + '-' + part, std::move(source)});
    }
}

}  // namespace

std::vector<FiledFigure> projectFigures(const std::vector<NotedPlan>& plans,
                                        const std::shared_ptr<const Cluster>& cluster) {
    std::vector<FiledFigure> figures;
    std::vector<std::shared_ptr<const PlanRun>> runs;
    QSet<QString> stems;
    for (const NotedPlan& plan : plans) {
        runs.push_back(plan.run);
        if (plan.run->ok())
            addPlan(figures, plan, unusedStem(QString::fromStdString(plan.run->title()), stems));
    }
    std::vector<FigureSource> shared;
    if (runs.size() > 1) shared.push_back(comparisonSource(std::move(runs)));
    if (!cluster->devices.empty()) shared.push_back(clusterSource(cluster, nullptr));
    if (cluster->deviceCount() > 1) shared.push_back(bandwidthSource(cluster));
    for (FigureSource& source : shared) {
        const QString name = source.fileName;
        figures.push_back({name, std::move(source)});
    }
    return figures;
}

std::vector<std::filesystem::path> filesOf(const std::vector<FiledFigure>& figures,
                                           const FigureFormat& format, const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    for (const FiledFigure& figure : figures)
        files.push_back(folder / QString(figure.name + '.' + format.suffixes.front()).toStdString());
    return files;
}

void writeFigures(const std::vector<FiledFigure>& figures, const FigureFormat& format,
                  const FigureStyle& style, const std::filesystem::path& folder, const WorkContext& context,
                  const std::function<void(const FiledOutcome&)>& tell) {
    const std::vector<std::filesystem::path> files = filesOf(figures, format, folder);
    for (std::size_t i = 0; i < figures.size(); ++i) {
        context.throwIfStopped();
        FiledOutcome outcome{files[i], {}};
        try {
            writeSource(figures[i].source, format.id, style, {}, files[i]);
        } catch (const std::exception& failure) {
            outcome.failure = failure.what();
        }
        tell(outcome);
        context.report(static_cast<double>(i + 1) / static_cast<double>(figures.size()));
    }
}

}  // namespace stagecraft::app
