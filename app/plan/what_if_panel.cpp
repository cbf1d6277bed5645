#include "app/plan/what_if_panel.h"

#include "core/base/units.h"
#include "views/common/text.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QSlider>

#include <algorithm>
#include <cmath>
#include <memory>

namespace stagecraft::app::plan {

namespace {

constexpr int factorSteps = 100;      // on either side of 1
constexpr double mostBandwidth = 10;  // times what it is, or a part of it
constexpr double mostLayerTime = 4;
constexpr int leastMicrobatches = 64;  // that the slider reaches

double factorAt(int position, double most) { return std::pow(most, double(position) / factorSteps); }

/// The least of the devices' memories; 0: they do not say.
double ownMemory(const Cluster& cluster) {
    double least = 0;
    for (const Device& device : cluster.devices)
        if (device.memoryBytes > 0 && (least == 0 || device.memoryBytes < least)) least = device.memoryBytes;
    return least;
}

/// Of the slider for a limit of that many bytes.
int positionOf(double limitBytes) { return static_cast<int>(std::lround(limitBytes / mib / 64)); }

}  // namespace

WhatIfPanel::WhatIfPanel(QWidget* parent)
    : QWidget(parent),
      effect_(new QLabel),
      changes_(new QLabel),
      apply_(new QPushButton(tr("Apply"))),
      reset_(new QPushButton(tr("Reset"))) {
    using Kind = WhatIf::Kind;
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(2);
    addRow(*grid, Kind::microbatches, tr("Microbatches"), "Microbatches", false);
    addRow(*grid, Kind::bandwidth, tr("Bandwidth"), "Bandwidth", true);
    addRow(*grid, Kind::layerTime, tr("Layer time"), "LayerTime", true);
    addRow(*grid, Kind::memoryLimit, tr("Memory limit"), "MemoryLimit", false);
    for (QLabel* words : {effect_, changes_}) {
        words->setWordWrap(true);
        words->setProperty("role", "muted");
        grid->addWidget(words, grid->rowCount(), 0, 1, 2);
    }
    effect_->setObjectName(QStringLiteral("whatIfEffect"));
    changes_->setObjectName(QStringLiteral("whatIfChanges"));
    apply_->setObjectName(QStringLiteral("whatIfApply"));
    apply_->setToolTip(tr("Applies the trial to the project; Undo reverts it"));
    reset_->setObjectName(QStringLiteral("whatIfReset"));
    reset_->setToolTip(tr("Resets all sliders"));
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(4);
    buttons->addWidget(apply_);
    buttons->addWidget(reset_);
    buttons->addStretch(1);
    grid->addLayout(buttons, grid->rowCount(), 0, 1, 2);
    connect(apply_, &QPushButton::clicked, this, [this] { emit applyRequested(tries()); });
    connect(reset_, &QPushButton::clicked, this, [this] {
        showPositions();
        emit discarded();
    });
    setEffect({});
    showTries();
}

void WhatIfPanel::addRow(QGridLayout& grid, WhatIf::Kind kind, const QString& name, const char* id,
                         bool targets) {
    Row& made = row(kind);
    auto* label = new QLabel(name);
    made.value = new QLabel;
    made.value->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    made.slider = new QSlider(Qt::Horizontal);
    made.slider->setObjectName(QStringLiteral("whatIf") + QLatin1String(id));
    made.slider->setAccessibleName(name);
    made.slider->installEventFilter(this);
    label->setBuddy(made.slider);
    const int top = grid.rowCount();
    grid.addWidget(label, top, 0);
    grid.addWidget(made.value, top, 1);
    if (targets) {
        made.target = new QComboBox;
        made.target->setObjectName(QStringLiteral("whatIf") + QLatin1String(id) + QStringLiteral("Of"));
        made.target->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
        grid.addWidget(made.target, top + 1, 0, 1, 2);
        made.target->view()->setTextElideMode(Qt::ElideMiddle);
        connect(made.target, &QComboBox::currentIndexChanged, this, [this, kind] {
            if (showing_) return;
            row(kind).value->setText(valueText(changeOf(kind)));
            moved(kind);
            if (isTried(kind)) report();
        });
    }
    grid.addWidget(made.slider, top + 2, 0, 1, 2);
    grid.setRowMinimumHeight(top + 3, 6);
    connect(made.slider, &QSlider::valueChanged, this, [this, kind] { onSlider(kind); });
}

void WhatIfPanel::setProblem(std::shared_ptr<const Problem> problem) {
    const bool sameTargets = problem_ && problem_->profile.layers.size() == problem->profile.layers.size() &&
                             problem_->cluster.links.size() == problem->cluster.links.size();
    problem_ = std::move(problem);
    if (!sameTargets) fillTargets();
    showPositions();
}

void WhatIfPanel::fillTargets() {
    showing_ = true;
    QComboBox* links = row(WhatIf::Kind::bandwidth).target;
    links->clear();
    if (!linksBetweenServers(problem_->cluster).empty()) links->addItem(tr("All links between servers"), -1);
    const model::LinkList& all = problem_->cluster.links;
    for (std::size_t link = 0; link < all.size(); ++link)
        links->addItem(qtText(all[link].a + " – " + all[link].b), static_cast<int>(link));
    QComboBox* layers = row(WhatIf::Kind::layerTime).target;
    layers->clear();
    for (int layer = 0; layer < problem_->profile.layerCount(); ++layer)
        layers->addItem(QStringLiteral("%1 · %2").arg(
                            QString::number(layer),
                            qtText(problem_->profile.layers[static_cast<std::size_t>(layer)].name)),
                        layer);
    for (const WhatIf::Kind kind : {WhatIf::Kind::bandwidth, WhatIf::Kind::layerTime})
        for (QWidget* part :
             {static_cast<QWidget*>(row(kind).target), static_cast<QWidget*>(row(kind).slider)})
            part->setEnabled(row(kind).target->count() > 0);
    showing_ = false;
}

void WhatIfPanel::showPositions() {
    using Kind = WhatIf::Kind;
    for (const Kind kind : {Kind::microbatches, Kind::bandwidth, Kind::layerTime, Kind::memoryLimit})
        showPosition(kind);
    undo_.clear();
    redo_.clear();
    latest_ = positions();
    showTries();
}

WhatIfPanel::Positions WhatIfPanel::positions() const {
    Positions now;
    for (std::size_t i = 0; i < rows_.size(); ++i)
        now[i] = {rows_[i].slider->value(), rows_[i].target ? rows_[i].target->currentIndex() : 0};
    return now;
}

void WhatIfPanel::restore(const Positions& positions) {
    using Kind = WhatIf::Kind;
    showing_ = true;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        rows_[i].slider->setSliderDown(false);
        rows_[i].slider->setValue(positions[i].first);
        if (rows_[i].target) rows_[i].target->setCurrentIndex(positions[i].second);
    }
    showing_ = false;
    // What is where the problem has it is shown as exactly as the problem says it.
    for (const Kind kind : {Kind::microbatches, Kind::bandwidth, Kind::layerTime, Kind::memoryLimit})
        isTried(kind) ? row(kind).value->setText(valueText(changeOf(kind))) : showPosition(kind);
    latest_ = positions;
    report();
}

/// A slider where the problem has it.
void WhatIfPanel::showPosition(WhatIf::Kind kind) {
    using Kind = WhatIf::Kind;
    if (!problem_) return;
    showing_ = true;
    QSlider* slider = row(kind).slider;
    const double own = ownMemory(problem_->cluster);
    const double limit = problem_->setup.memoryLimitBytes.value_or(own);
    switch (kind) {
        case Kind::microbatches: {
            const int microbatches = problem_->setup.microbatches;
            // The handle stays where it was let go, unless that was the end.
            if (slider->minimum() < 1 || microbatches >= slider->maximum())
                slider->setRange(1, std::max(leastMicrobatches, 2 * microbatches));
            slider->setValue(microbatches);
            break;
        }
        case Kind::bandwidth:
        case Kind::layerTime:
            slider->setRange(-factorSteps, factorSteps);
            slider->setValue(0);
            break;
        case Kind::memoryLimit:
            slider->setRange(1, std::max(2, static_cast<int>(2 * std::max(own, limit) / mib / 64)));
            slider->setValue(positionOf(limit));
            slider->setEnabled(limit > 0);
    }
    slider->setPageStep(std::max(1, (slider->maximum() - slider->minimum()) / 20));
    // The position of the limit is rounded, what is shown of it is not.
    row(kind).value->setText(kind != Kind::memoryLimit ? valueText(changeOf(kind))
                             : limit > 0               ? qtText(formatBytes(limit))
                                                       : QString());
    showing_ = false;
}

bool WhatIfPanel::isTried(WhatIf::Kind kind) const {
    const QSlider* at = slider(kind);
    if (!problem_ || !at->isEnabled()) return false;
    switch (kind) {
        case WhatIf::Kind::microbatches:
            return at->value() != problem_->setup.microbatches;
        case WhatIf::Kind::memoryLimit:
            return at->value() !=
                   positionOf(problem_->setup.memoryLimitBytes.value_or(ownMemory(problem_->cluster)));
        default:
            return at->value() != 0;
    }
}

std::vector<WhatIf> WhatIfPanel::tries() const {
    using Kind = WhatIf::Kind;
    std::vector<WhatIf> changes;
    for (const Kind kind : {Kind::microbatches, Kind::bandwidth, Kind::layerTime, Kind::memoryLimit})
        if (isTried(kind)) changes.push_back(changeOf(kind));
    return changes;
}

WhatIf WhatIfPanel::changeOf(WhatIf::Kind kind) const {
    const Row& from = rows_[static_cast<std::size_t>(kind)];
    const int position = from.slider->value();
    const int target = from.target ? from.target->currentData().toInt() : -1;
    switch (kind) {
        case WhatIf::Kind::microbatches:
            return {kind, double(position), -1};
        case WhatIf::Kind::bandwidth:
            return {kind, factorAt(position, mostBandwidth), target};
        case WhatIf::Kind::layerTime:
            return {kind, factorAt(position, mostLayerTime), target};
        case WhatIf::Kind::memoryLimit:
            return {kind, position * 64 * mib, -1};
    }
    return {};
}

QString WhatIfPanel::valueText(const WhatIf& change) const {
    const QString times = QStringLiteral("×%1").arg(qtText(formatNumber(change.value)));
    const auto target = static_cast<std::size_t>(std::max(0, change.target));
    switch (change.kind) {
        case WhatIf::Kind::microbatches:
            return QString::number(static_cast<int>(change.value));
        case WhatIf::Kind::memoryLimit:
            return qtText(formatBytes(change.value));
        case WhatIf::Kind::layerTime: {
            if (target >= problem_->profile.layers.size()) return {};
            const Layer& layer = problem_->profile.layers[target];
            return times + QStringLiteral(" = ") +
                   qtText(formatSeconds((layer.forwardS + layer.backwardS) * change.value));
        }
        case WhatIf::Kind::bandwidth:
            break;
    }
    const std::vector<int> all = linksBetweenServers(problem_->cluster);
    std::size_t link = change.target >= 0 ? target : all.empty() ? 0 : static_cast<std::size_t>(all.front());
    const model::LinkList& links = problem_->cluster.links;
    if (link >= links.size()) return {};
    const bool alike =
        change.target >= 0 || std::all_of(all.begin(), all.end(), [&](int each) {
            return links[static_cast<std::size_t>(each)].bandwidthBps == links[link].bandwidthBps;
        });
    return alike ? times + QStringLiteral(" = ") +
                       qtText(formatBandwidth(links[link].bandwidthBps * change.value))
                 : times;
}

void WhatIfPanel::onSlider(WhatIf::Kind kind) {
    if (showing_ || !problem_) return;
    row(kind).value->setText(valueText(changeOf(kind)));
    moved(kind);
    report();
}

void WhatIfPanel::discard(WhatIf::Kind kind) {
    row(kind).slider->setSliderDown(false);
    showPosition(kind);
    moved(kind);
    report();
}

void WhatIfPanel::moved(WhatIf::Kind kind) {
    if (undo_.empty() || undo_.back().kind != kind) undo_.push_back({kind, latest_});
    redo_.clear();
    latest_ = positions();
}

void WhatIfPanel::undo() {
    const Move move = undo_.back();
    undo_.pop_back();
    redo_.push_back({move.kind, positions()});
    restore(move.before);
}

void WhatIfPanel::redo() {
    const Move move = redo_.back();
    redo_.pop_back();
    undo_.push_back({move.kind, positions()});
    restore(move.before);
}

void WhatIfPanel::report() {
    showTries();
    const std::vector<WhatIf> changes = tries();
    if (changes.empty())
        emit discarded();
    else
        emit tried(changes);
}

void WhatIfPanel::showTries() {
    QStringList parts;
    for (const WhatIf& change : tries()) parts << describe(*problem_, change);
    changes_->setText(tr("Apply sets: %1.").arg(parts.join(QStringLiteral("; "))));
    changes_->setHidden(parts.isEmpty());
    for (QPushButton* button : {apply_, reset_}) button->setEnabled(!parts.isEmpty());
}

bool WhatIfPanel::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Wheel) {
        event->ignore();  // the pane scrolls
        return true;
    }
    if (event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        for (std::size_t kind = 0; kind < rows_.size(); ++kind)
            if (rows_[kind].slider == watched && isTried(static_cast<WhatIf::Kind>(kind))) {
                discard(static_cast<WhatIf::Kind>(kind));
                return true;
            }
    }
    return QWidget::eventFilter(watched, event);
}

void WhatIfPanel::setEffect(const QString& text) {
    effect_->setText(text.isEmpty()
                         ? tr("Move a slider to see what this plan would do. The project stays as it "
                              "is until you press Apply.")
                         : text);
}

}  // namespace stagecraft::app::plan
