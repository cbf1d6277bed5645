#include "app/experiments/results_source.h"

#include "core/experiments/experiment_draft.h"
#include "core/experiments/experiment_json.h"
#include "core/formats/input_error.h"
#include "core/formats/text_file.h"
#include "views/experiments/results_figure.h"

#include <QCryptographicHash>
#include <QSettings>

namespace stagecraft::app::experiments {

namespace {

QString settingOf(const QString& key) {
    return QStringLiteral("experimentCharts/") +
           QString::fromLatin1(QCryptographicHash::hash(key.toUtf8(), QCryptographicHash::Sha1).toHex());
}

}  // namespace

FigureSource resultsSource(std::shared_ptr<const ExperimentResults> results, const ChartChoice& choice) {
    FigureSource source{QStringLiteral("experiment"),
                        QString::fromStdString(results->experiment.name),
                        QStringLiteral("results"),
                        {},
                        {},
                        {}};
    source.has.height = true;
    source.draw = [results, choice](const FigureStyle& style, const FigurePart&) {
        return drawnInStyle(style, [&](const FigureStyle& own) {
            ResultsFigureOptions options;
            options.widthMm = own.widthMm;
            options.heightMm = own.heightMm;
            options.fontPt = own.fontPt;
            options.legend = own.legend;
            return resultsFigure(Grid(results->experiment), results->cells, choice, options);
        });
    };
    source.tables = {
        {QStringLiteral("csv"), QObject::tr("CSV (all results as a table, the experiment beside it)"),
         QStringLiteral("csv"),
         [results](const FigurePart&, const std::filesystem::path& path) {
             writeFileAtomically(path, resultsCsv(*results));
             // A table does not say what it is of.
             std::filesystem::path beside = path;
             writeFileAtomically(beside.replace_extension(".experiment.json"),
                                 writeExperiment(movedTo(results->experiment, path.parent_path())));
         }},
        {QStringLiteral("json"), QObject::tr("JSON (results with the experiment)"), QStringLiteral("json"),
         [results](const FigurePart&, const std::filesystem::path& path) {
             writeFileAtomically(
                 path, writeResults({movedTo(results->experiment, path.parent_path()), results->cells}));
         }}};
    return source;
}

ChartChoice rememberedChart(const QString& key, const Experiment& experiment) {
    const std::string text = QSettings().value(settingOf(key)).toString().toStdString();
    if (!text.empty()) try {
            const nlohmann::json chart = parseJson(text, "chart");
            return choiceOf(chartFromJson(JsonValue(chart, "chart"), experiment), experiment);
        } catch (const InputError&) {  // of an earlier state of the experiment
        }
    return firstChoice(experiment);
}

void rememberChart(const QString& key, const ChartChoice& choice, const Experiment& experiment) {
    QSettings settings;
    if (choice == firstChoice(experiment)) return settings.remove(settingOf(key));
    settings.setValue(settingOf(key),
                      QString::fromStdString(chartToJson(chartOf(choice, experiment)).dump()));
}

}  // namespace stagecraft::app::experiments
