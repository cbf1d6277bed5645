#include "app/figures/figure_set.h"

#include "app/document/file_names.h"
#include "core/base/spelling.h"

#include <QSet>

#include <fstream>
#include <iterator>

namespace stagecraft::app::figures {
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

/// The bandwidths are the same for every plan: the project's own figure shows them. Empty lanes are for a
/// class, not for a paper.
void addPlan(std::vector<FiledFigure>& figures, const NotedPlan& plan, const QString& stem) {
    for (FigureSource& source : planSources(plan.run, plan.notes)) {
        if (source.id == QLatin1String("bandwidth") || source.id == QLatin1String("lanes")) continue;
        const QString part = source.fileName.isEmpty() ? source.id : source.fileName;
        figures.push_back({stem + '-' + part, std::move(source)});
    }
}

/// Null for a figure without one. @throws std::invalid_argument for one that there is not
const FigureFormat* customFormat(const QString& id) {
    const FigureFormat* format = figureFormatNamed(id);
    if (!format && !id.isEmpty())
        throw std::invalid_argument("its format is '" + id.toStdString() + "'; expected one of " +
                                    joinNames(figureFormatIds()));
    return format;
}

std::vector<FiledFigure> keptUnder(const std::vector<KeptFigure>& kept, const DrawnProject& project,
                                   QSet<QString>& stems) {
    std::vector<FiledFigure> figures;
    for (const KeptFigure& each : kept) {
        FiledFigure figure{unusedStem(QString::fromStdString(each.name), stems), {}};
        try {
            StyledFigure found = findKept(each, project);
            figure.source = std::move(found.source);
            figure.style = std::move(found.style);
            figure.part = std::move(found.part);
            figure.format = customFormat(found.format);
        } catch (const std::exception& reason) {
            figure.missing = reason.what();
        }
        figures.push_back(std::move(figure));
    }
    return figures;
}

std::string bytesOf(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Into the outcome's file. @throws as writeSource
void write(const FiledFigure& figure, const FigureFormat& format, const FigureStyle& style,
           FiledOutcome& outcome) {
    if (!figure.missing.empty()) throw std::invalid_argument(figure.missing);
    const bool there = std::filesystem::exists(outcome.path);
    const std::string before = there ? bytesOf(outcome.path) : std::string();
    outcome.omissions = writeSource(figure.source, (figure.format ? *figure.format : format).id,
                                    figure.style.value_or(style), figure.part, outcome.path);
    if (there) outcome.change = bytesOf(outcome.path) == before ? FileChange::same : FileChange::changed;
}

}  // namespace

std::vector<FiledFigure> keptFigures(const std::vector<KeptFigure>& kept, const DrawnProject& project) {
    QSet<QString> stems;
    return keptUnder(kept, project, stems);
}

std::vector<FiledFigure> projectFigures(const std::vector<KeptFigure>& kept, const DrawnProject& project) {
    QSet<QString> stems;
    std::vector<FiledFigure> figures = keptUnder(kept, project, stems);
    std::vector<std::shared_ptr<const PlanRun>> runs;
    for (const NotedPlan& plan : project.plans) {
        runs.push_back(plan.run);
        if (plan.run->ok())
            addPlan(figures, plan, unusedStem(QString::fromStdString(plan.run->title()), stems));
    }
    for (const NotedRecording& recording : project.recordings) {
        FigureSource source = recordingSource(recording.run, recording.notes);
        const QString stem = unusedStem(source.recording, stems);
        figures.push_back({stem + '-' + source.fileName, std::move(source)});
    }
    std::vector<FigureSource> shared;
    if (runs.size() > 1) shared.push_back(comparisonSource(std::move(runs)));
    if (!project.cluster->devices.empty()) shared.push_back(clusterSource(project.cluster, nullptr));
    if (project.cluster->deviceCount() > 1) shared.push_back(bandwidthSource(project.cluster));
    for (FigureSource& source : shared) {
        const QString name = unusedStem(source.fileName, stems);
        figures.push_back({name, std::move(source)});
    }
    return figures;
}

std::vector<std::filesystem::path> filesOf(const std::vector<FiledFigure>& figures,
                                           const FigureFormat& format, const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    for (const FiledFigure& figure : figures) {
        const FigureFormat& own = figure.format ? *figure.format : format;
        files.push_back(folder / QString(figure.name + '.' + own.suffixes.front()).toStdString());
    }
    return files;
}

void writeFigures(const std::vector<FiledFigure>& figures, const FigureFormat& format,
                  const FigureStyle& style, const std::filesystem::path& folder, const WorkContext& context,
                  const std::function<void(const FiledOutcome&)>& tell) {
    const std::vector<std::filesystem::path> files = filesOf(figures, format, folder);
    for (std::size_t i = 0; i < figures.size(); ++i) {
        context.throwIfStopped();
        FiledOutcome outcome{files[i], {}, {}};
        try {
            write(figures[i], format, style, outcome);
        } catch (const std::exception& failure) {
            outcome.failure = failure.what();
        }
        tell(outcome);
        context.report(static_cast<double>(i + 1) / static_cast<double>(figures.size()));
    }
}

std::string changesText(const std::vector<FiledOutcome>& outcomes) {
    std::string text;
    for (const auto& [change, word] : fileChangeNames) {
        std::string names;
        int count = 0;
        for (const FiledOutcome& outcome : outcomes) {
            if (!outcome.failure.empty() || outcome.change != change) continue;
            ++count;
            names += (names.empty() ? "" : ", ") + outcome.path.filename().string();
        }
        if (count == 0) continue;
        const std::string what = change == FileChange::same && count > 1 ? "as they were" : word;
        text += (text.empty() ? "" : ", ") + std::to_string(count) + ' ' + what;
        if (change == FileChange::changed) text += " (" + names + ")";
    }
    return text;
}

}  // namespace stagecraft::app::figures
