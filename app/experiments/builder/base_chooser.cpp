#include "app/experiments/builder/base_chooser.h"

#include "app/document/samples.h"
#include "core/experiments/experiment_draft.h"
#include "core/experiments/schedule_experiment.h"
#include "core/formats/files/import.h"
#include "core/formats/files/project_file.h"
#include "core/formats/files/problem_json.h"
#include "core/generation/network.h"
#include "core/generation/template_catalogue.h"

#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include <nlohmann/json.hpp>

namespace stagecraft::app::experiments {

using nlohmann::json;

namespace {

constexpr char drawnCluster[] = "random groups";  // an entry beside the templates

QComboBox* chooser(const char* name) {
    auto* box = new QComboBox;
    box->setObjectName(QLatin1String(name));
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(10);
    return box;
}

}  // namespace

BaseChooser::BaseChooser(OpenProject openProject, QWidget* parent)
    : QWidget(parent), openProject_(std::move(openProject)) {
    from_ = chooser("baseFrom");
    from_->setToolTip(tr("The problem that the experiment varies"));
    model_ = chooser("baseModel");
    model_->setToolTip(tr("A model of the zoo"));
    for (const std::string& model : modelNames()) model_->addItem(QString::fromStdString(model));
    cluster_ = chooser("baseCluster");
    cluster_->setToolTip(tr("The cluster that it trains on"));
    cluster_->addItem(tr("Groups of servers, drawn at random"), QLatin1String(drawnCluster));
    for (const ClusterTemplate& one : clusterTemplates())
        cluster_->addItem(QString::fromStdString(one.title), QString::fromStdString(one.id));
    recipe_ = new QWidget;
    auto* row = new QHBoxLayout(recipe_);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    row->addWidget(model_, 1);
    row->addWidget(new QLabel(tr("on")));
    row->addWidget(cluster_, 1);
    error_ = new QLabel;
    error_->setObjectName(QStringLiteral("baseError"));
    error_->setProperty("role", "error");
    error_->setWordWrap(true);
    error_->setTextFormat(Qt::PlainText);
    error_->hide();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(8);
    column->addWidget(from_);
    column->addWidget(recipe_);
    column->addWidget(error_);
    connect(from_, &QComboBox::activated, this, &BaseChooser::take);
    connect(model_, &QComboBox::activated, this, &BaseChooser::takeRecipe);
    connect(cluster_, &QComboBox::activated, this, &BaseChooser::takeRecipe);
}

void BaseChooser::fill() {
    from_->clear();
    if (const auto open = openProject_ ? openProject_() : std::nullopt)
        from_->addItem(tr("Open project: %1").arg(open->name), QStringLiteral("open"));
    from_->addItem(tr("A model of the zoo on a cluster"), QStringLiteral("recipe"));
    for (const Sample& sample : samples())
        from_->addItem(tr("Sample: %1").arg(sample.title), QStringLiteral("sample:") + sample.id);
    from_->addItem(tr("From a file…"), QStringLiteral("file"));
}

void BaseChooser::setBase(const std::string& base, const QString& name) {
    showing_ = true;
    base_ = base;
    fill();
    const json parsed = json::parse(base, nullptr, false);
    const auto text = [&](const char* pointer) {
        const json::json_pointer at(pointer);
        return parsed.contains(at) && parsed.at(at).is_string()
                   ? QString::fromStdString(parsed.at(at).get<std::string>())
                   : QString();
    };
    const QString model = text("/profile/generate");
    const bool drawn = parsed.contains(json::json_pointer("/cluster/random"));
    const QString cluster = drawn ? QLatin1String(drawnCluster) : text("/cluster/template");
    const bool made = !model.isEmpty() && !cluster.isEmpty();
    recipe_->setVisible(made);
    int index = made ? from_->findData(QStringLiteral("recipe")) : -1;
    if (!name.isEmpty() && !made) index = from_->findText(name);
    if (index < 0) {
        from_->insertItem(0, name.isEmpty() ? tr("As the experiment has it") : name, QStringLiteral("kept"));
        index = 0;
    }
    from_->setCurrentIndex(index);
    model_->setCurrentIndex(model_->findText(model));
    cluster_->setCurrentIndex(cluster_->findData(cluster));
    showing_ = false;
}

void BaseChooser::showError(const QString& sentence) {
    error_->setText(sentence);
    error_->setVisible(!sentence.isEmpty());
}

std::optional<std::string> BaseChooser::openBase() const {
    if (const auto open = openProject_ ? openProject_() : std::nullopt) return baseOf(open->problem);
    return std::nullopt;
}

void BaseChooser::take(int index) {
    const QString what = from_->itemData(index).toString(), name = from_->itemText(index);
    if (what == QLatin1String("open")) {
        if (const auto base = openBase()) emit chosen(*base, name);
    } else if (what == QLatin1String("recipe")) {
        emit chosen(freshExperiment().base, {});
    } else if (what.startsWith(QLatin1String("sample:"))) {
        if (const Sample* sample = findSample(what.section(u':', 1)))
            emit chosen(baseOf(sample->project->problem), name);
    } else if (what == QLatin1String("file")) {
        const QString path = QFileDialog::getOpenFileName(this, tr("Problem to vary"), QString(),
                                                          tr("Projects, plans and experiments (*.json)"));
        from_->setCurrentIndex(0);
        if (!path.isEmpty()) openFile(path);
    }
}

void BaseChooser::openFile(const QString& path) {
    try {
        const std::filesystem::path file = path.toStdString();
        const std::string text = readTextFile(file);
        std::string base;
        switch (detectKind(text)) {
            case FileKind::experiment: {
                Experiment experiment = readExperiment(text, file.string(), file.parent_path());
                base = movedTo(std::move(experiment), {}).base;
                break;
            }
            case FileKind::plan:
                base = baseOf(readPlan(text, file.string(), file.parent_path()).problem);
                break;
            default:
                base = baseOf(readProject(text, file.string(), file.parent_path()).problem);
        }
        showError({});
        emit chosen(base, QFileInfo(path).fileName());
    } catch (const std::exception& error) {
        showError(QString::fromUtf8(error.what()));
    }
}

void BaseChooser::takeRecipe() {
    if (showing_) return;
    json base = json::parse(base_), fresh = json::parse(freshExperiment().base);
    const std::string model = model_->currentText().toStdString();
    const QString cluster = cluster_->currentData().toString();
    if (base["profile"].value("generate", std::string()) != model) {
        json made = {{"generate", model}, {"parameters", json::object()}};
        // What every model has stays as it was chosen.
        for (const char* kept : {"microbatch_size", "gpu"})
            if (base["profile"].contains("parameters") && base["profile"]["parameters"].contains(kept))
                made["parameters"][kept] = base["profile"]["parameters"][kept];
        base["profile"] = made;
    }
    const bool drawn = cluster == QLatin1String(drawnCluster);
    if (drawn && !base["cluster"].contains("random")) base["cluster"] = fresh["cluster"];
    if (!drawn && base["cluster"].value("template", std::string()) != cluster.toStdString())
        base["cluster"] = {{"template", cluster.toStdString()}, {"parameters", json::object()}};
    emit chosen(base.dump(), {});
}

}  // namespace stagecraft::app::experiments
