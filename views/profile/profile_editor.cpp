#include "views/profile/profile_editor.h"

#include "core/editing/granularity.h"
#include "core/editing/profile_edit.h"
#include "core/graph/grouping.h"
#include "views/common/text.h"
#include "views/profile/layer_pane.h"
#include "views/profile/layer_table.h"
#include "views/profile/layer_text.h"
#include "views/profile/operation_bar.h"

#include <QClipboard>
#include <QGuiApplication>

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace stagecraft::views::profile {

namespace {

std::vector<int> upTo(int first, int count) {
    std::vector<int> layers(static_cast<std::size_t>(std::max(0, count)));
    std::iota(layers.begin(), layers.end(), first);
    return layers;
}

QString countText(std::size_t layers) { return countedText(static_cast<long long>(layers), "layer"); }

}  // namespace

ProfileEditor::ProfileEditor(LayerPane& pane, OperationBar& operations, QObject* parent)
    : QObject(parent), pane_(pane), operations_(operations) {
    connect(pane_.model(), &LayerTable::valueEntered, this, &ProfileEditor::enterValue);
    connect(&operations_, &OperationBar::scaleRequested, this, &ProfileEditor::scale);
    connect(&operations_, &OperationBar::repeatRequested, this, &ProfileEditor::repeat);
}

void ProfileEditor::setProfile(const LayerProfile& profile) { profile_ = profile; }

void ProfileEditor::setShownSize(int microbatchSize) { shownSize_ = microbatchSize; }

bool ProfileEditor::canEdit() const {
    return !profile_.layers.empty() && shownSize_ == profile_.microbatchSize;
}

bool ProfileEditor::canMerge() const {
    const std::vector<int> layers = pane_.chosenLayers();
    return canEdit() && layers.size() > 1 && !asRun(layers).empty();
}

bool ProfileEditor::hasNodes() const { return operatorsDescribeLayers(profile_); }

bool ProfileEditor::canMakeFinest() const { return canEdit() && hasNodes() && !isFinest(profile_); }

bool ProfileEditor::canSplit() const {
    if (!canEdit() || !hasNodes()) return false;
    const int column = pane_.model()->sectionOf(LayerTable::nodes);
    const std::vector<int> layers = pane_.chosenLayers();
    return std::any_of(layers.begin(), layers.end(), [&](int layer) {
        return pane_.model()->index(layer, column).data(LayerTable::sortRole).toInt() > 1;
    });
}

QString ProfileEditor::chosenText() const {
    const std::vector<int> layers = pane_.chosenLayers();
    if (layers.empty())
        return profile_.layerCount() == 1 ? QString("the only layer")
                                          : "all " + countedText(profile_.layerCount(), "layer");
    return layers.size() == 1 ? QString("layer %1").arg(layers.front()) : countText(layers.size());
}

void ProfileEditor::edit(const QString& text, const std::function<LayerProfile()>& made,
                         std::vector<int> choose) {
    emit complained({});
    try {
        if (!canEdit())
            return emit complained(
                shownSize_ == 0
                    ? QString("Only the numbers on one GPU can be changed.")
                    : QString("Only the numbers at the profile's own microbatch size, %1, can be changed.")
                          .arg(profile_.microbatchSize));
        const LayerProfile after = made();
        if (after == profile_) return;
        chooseNext_ = std::move(choose);
        emit edited(after, text);
        chooseNext_.clear();
    } catch (const std::invalid_argument& error) {
        emit complained(QString::fromUtf8(error.what()));
    }
}

void ProfileEditor::enterValue(int layer, int column, const QString& text) {
    std::vector<int> layers = pane_.chosenLayers();
    if (std::find(layers.begin(), layers.end(), layer) == layers.end()) layers = {layer};
    const QString what =
        pane_.model()->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString().toLower();
    if (column == LayerTable::name) {
        edit("Rename " + countText(layers.size()),
             [&] { return renameLayers(profile_, layers, text.trimmed().toStdString()); });
        return;
    }
    edit(QString("Set %1 of %2").arg(what, countText(layers.size())), [&] {
        if (column == LayerTable::weightGradientBytes)
            return setWeightGradientBytes(
                profile_, layers,
                text.trimmed().isEmpty()
                    ? std::nullopt
                    : std::optional(parseQuantity(LayerTable::quantity(column), text.toStdString())));
        return setLayerNumber(profile_, layers, LayerTable::field(column),
                              parseQuantity(LayerTable::quantity(column), text.toStdString()));
    });
}

void ProfileEditor::askFactor() { operations_.askFactor(); }
void ProfileEditor::askCopies() {
    const std::vector<int> layers = pane_.chosenLayers();
    if (layers.empty()) return emit complained("Select the layers to repeat.");
    if (asRun(layers).empty())
        return emit complained("Select neighbouring layers: a run is repeated as a whole.");
    emit complained({});
    operations_.askCopies();
}

void ProfileEditor::scale(ProfileNumbers numbers, double factor) {
    std::vector<int> layers = pane_.chosenLayers();
    if (layers.empty()) layers = upTo(0, profile_.layerCount());
    const char* what = numbers == ProfileNumbers::times         ? "times"
                       : numbers == ProfileNumbers::activations ? "activations"
                                                                : "parameters";
    edit(QString("Scale %1 of %2").arg(what, countText(layers.size())),
         [&] { return scaleLayers(profile_, layers, numbers, factor); });
}

void ProfileEditor::repeat(int copies) {
    const std::vector<int> run = asRun(pane_.chosenLayers());
    if (run.empty()) return emit complained("Select neighbouring layers: a run is repeated as a whole.");
    const int length = static_cast<int>(run.size());
    edit(
        "Repeat " + countText(run.size()),
        [&] { return repeatLayers(profile_, run.front(), run.back(), copies); },
        upTo(run.front(), length * copies));
}

void ProfileEditor::insertLayer() {
    const std::vector<int> layers = pane_.chosenLayers();
    const int at = layers.empty() ? profile_.layerCount() : layers.back() + 1;
    Layer layer;
    layer.name = "new layer";
    // It passes on what it is handed until somebody says otherwise.
    if (at > 0) {
        const Layer& before = profile_.layers[static_cast<std::size_t>(at - 1)];
        layer.outputBytes = before.outputBytes;
        layer.outputGradientBytes = before.outputGradientBytes;
        layer.storedActivationBytes = before.outputBytes;
    }
    edit("Insert layer", [&] { return insertLayers(profile_, at, {layer}); }, {at});
}

void ProfileEditor::deleteChosen() {
    const std::vector<int> layers = pane_.chosenLayers();
    if (layers.empty()) return;
    const int left = profile_.layerCount() - static_cast<int>(layers.size());
    edit("Delete " + countText(layers.size()), [&] { return deleteLayers(profile_, layers); },
         {std::clamp(layers.front(), 0, std::max(0, left - 1))});
}

void ProfileEditor::mergeChosen() {
    const std::vector<int> layers = pane_.chosenLayers();
    edit(
        "Merge " + countText(layers.size()), [&] { return mergeLayers(profile_, layers); },
        layers.empty() ? std::vector<int>{} : std::vector<int>{layers.front()});
}

void ProfileEditor::splitChosen() {
    const std::vector<int> layers = pane_.chosenLayers();
    edit(
        "Split " + countText(layers.size()), [&] { return splitLayers(profile_, layers); },
        layers.empty() ? std::vector<int>{} : std::vector<int>{layers.front()});
}

void ProfileEditor::splitLayer(int layer) {
    edit("Split layer", [this, layer] { return splitLayers(profile_, {layer}); });
}

void ProfileEditor::toggleCutAfter(int node) {
    edit("Change grouping", [this, node] { return toggleCut(profile_, node); });
}

void ProfileEditor::regroup() {
    edit("Regroup nodes", [&] { return regroupAfresh(profile_); });
}

void ProfileEditor::makeFinest() {
    edit("Finest layers", [&] { return atGranularity(profile_, Granularity::finest); });
}

void ProfileEditor::copyChosen() {
    std::vector<int> layers = pane_.chosenLayers();
    if (layers.empty()) layers = upTo(0, profile_.layerCount());
    QGuiApplication::clipboard()->setText(textOfLayers(pane_.model()->profile(), layers));
}

void ProfileEditor::paste() {
    const auto [layer, column] = pane_.focusedCell();
    if (layer < 0) return emit complained("Select the cell to paste into.");
    edit("Paste", [this, first = layer, from = column] {
        return pastedOver(profile_, QGuiApplication::clipboard()->text(), first, from);
    });
}

void ProfileEditor::pasteAsNew() {
    const std::vector<int> layers = pane_.chosenLayers();
    const int at = layers.empty() ? profile_.layerCount() : layers.back() + 1;
    try {
        const std::vector<Layer> pasted = layersOfText(QGuiApplication::clipboard()->text());
        edit(
            "Paste " + countText(pasted.size()), [&] { return insertLayers(profile_, at, pasted); },
            upTo(at, static_cast<int>(pasted.size())));
    } catch (const std::invalid_argument& error) {
        emit complained(QString::fromUtf8(error.what()));
    }
}

}  // namespace stagecraft::views::profile
