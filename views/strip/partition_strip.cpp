#include "views/strip/partition_strip.h"

#include "core/base/units.h"
#include "core/editing/recompute_modes.h"
#include "core/model/indivisible.h"
#include "views/common/text.h"
#include "views/strip/strip_painter.h"

#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace stagecraft::views::strip {

namespace {

constexpr int outlineRoom = 1;  // pixels around everything, for outlines

/// "\nRecomputed fully"; empty where all of the layers is kept.
QString memoryLine(const Plan& plan, int firstLayer, int lastLayer) {
    QString text = qtText(layerMemoryText(plan, firstLayer, lastLayer));
    if (text.isEmpty()) return text;
    text[0] = text[0].toUpper();
    return '\n' + text;
}

}  // namespace

PartitionStrip::PartitionStrip(QWidget* parent) : Canvas(tr("Partition"), CanvasMotion::none, parent) {
    setObjectName(QStringLiteral("partitionStrip"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

QSize PartitionStrip::sizeHint() const { return {600, static_cast<int>(stripHeight()) + 2 * outlineRoom}; }

void PartitionStrip::setPlan(std::shared_ptr<const Problem> problem, const Plan& plan) {
    problem_ = std::move(problem);
    plan_ = plan;
    drag_ = {};
    pipeline_ = std::clamp(pipeline_, 0, std::max(0, plan.pipelineCount() - 1));
    if (chosen_ >= plan.stageCount()) chosen_ = -1;
    showPlan(plan);
}

void PartitionStrip::putBack() {
    drag_ = {};
    showPlan(plan_);
}

void PartitionStrip::setPipeline(int pipeline) {
    pipeline_ = pipeline;
    chosen_ = -1;
    layOut();
}

void PartitionStrip::showPlan(const Plan& plan) {
    shown_ = plan;
    layOut();
}

void PartitionStrip::layOut() {
    layout_ = {};
    if (problem_) {
        const QFontMetricsF metrics(chipFont(font()));
        const auto chipWidth = [&](int device) {
            return metrics.horizontalAdvance(QString::fromStdString(
                       problem_->cluster.devices[static_cast<std::size_t>(device)].id)) +
                   10;
        };
        layout_ = layOutStrip(*problem_, shown_, pipeline_,
                              QRectF(rect()).adjusted(outlineRoom, outlineRoom, -outlineRoom, -outlineRoom),
                              chipWidth, zoom_);
    }
    update();
}

/// As far as layers that take no time can be told apart by hand.
void PartitionStrip::zoomTo(double scale, double offset) {
    constexpr double mostScale = 64;
    zoom_.scale = std::clamp(scale, 1.0, mostScale);
    zoom_.offset = std::clamp(offset, 0.0, (zoom_.scale - 1) * layout_.ribbon.width());
    layOut();
}

void PartitionStrip::wheelEvent(QWheelEvent* event) {
    constexpr double notch = 120, perNotch = 1.25, panPart = 0.1;
    const QPoint turned = event->angleDelta();
    const bool sideways = turned.x() != 0 || event->modifiers() & Qt::ShiftModifier;
    if (!problem_ || isDragging() || layout_.stages.empty()) return event->ignore();
    if (sideways) {
        const double notches = (turned.x() != 0 ? turned.x() : turned.y()) / notch;
        zoomTo(zoom_.scale, zoom_.offset - notches * panPart * layout_.ribbon.width());
    } else {
        const double before = zoom_.scale, at = event->position().x() - layout_.ribbon.left();
        const double scale = std::max(1.0, before * std::pow(perNotch, turned.y() / notch));
        zoomTo(scale, (zoom_.offset + at) * scale / before - at);
    }
    hover(event->position());
    event->accept();
}

void PartitionStrip::resizeEvent(QResizeEvent*) { layOut(); }

void PartitionStrip::paintEvent(QPaintEvent*) {
    if (!problem_) return;
    QPainter painter(this);
    StripMarks marks;
    marks.chosen = chosen_;
    marks.focused = hasFocus();
    marks.boundary = drag_.kind == Drag::boundary ? drag_.stage : hoveredBoundary_;
    marks.grabbed = drag_.kind == Drag::boundary;
    marks.chip = drag_.begun ? drag_.device : hoveredChip_;
    marks.target = drag_.begun ? drag_.target : -1;
    if (drag_.begun) marks.carried = drag_.at;
    paintStrip(painter, *problem_, shown_, layout_, marks, font());
}

bool PartitionStrip::tryOut(const PlanEdit& edit) {
    try {
        showPlan(editedPlan(plan_, edit));
        return true;
    } catch (const std::invalid_argument& error) {
        showPlan(plan_);
        emit refused(QString::fromStdString(error.what()));
        return false;
    }
}

void PartitionStrip::request(const PlanEdit& edit) {
    if (tryOut(edit)) emit requested(edit);
}

void PartitionStrip::mousePressEvent(QMouseEvent* event) {
    const QPointF at = event->position();
    if (event->button() != Qt::LeftButton) return event->ignore();
    const StripLayout::StageBox* box = layout_.stageAt(at);
    if (box && box->plus.contains(at)) return addReplica(box->stage);
    if (box && box->minus.contains(at)) return removeReplica(box->stage);
    drag_ = {};
    drag_.from = drag_.at = at;
    if (const auto boundary = layout_.boundaryAt(at)) {
        drag_.kind = Drag::boundary;
        drag_.stage = *boundary;
    } else if (const StripLayout::Chip* chip = layout_.chipAt(at)) {
        drag_.kind = Drag::chip;
        drag_.stage = chip->stage;
        drag_.device = chip->device;
        drag_.target = chip->stage;
    }
    if (box && drag_.kind != Drag::boundary) choose(box->stage);
    update();
}

void PartitionStrip::mouseMoveEvent(QMouseEvent* event) {
    if (drag_.kind == Drag::boundary)
        dragBoundary(event->position().x());
    else if (drag_.kind == Drag::chip)
        dragChip(event->position());
    else
        hover(event->position());
}

void PartitionStrip::dragBoundary(double x) {
    const auto stage = static_cast<std::size_t>(drag_.stage);
    const Stage &below = plan_.stages[stage], &above = plan_.stages[stage + 1];
    // Each keeps a layer. What was grabbed beside the boundary moves by as much as the pointer.
    const double grabbed = layout_.edges[static_cast<std::size_t>(above.firstLayer)];
    const int first =
        std::clamp(layout_.edgeNear(grabbed + x - drag_.from.x()), below.firstLayer + 1, above.lastLayer);
    const int layers = first - above.firstLayer;
    if (layers == drag_.layers) return;
    drag_.layers = layers;
    if (layers == 0) {
        showPlan(plan_);
        emit withdrawn();
    } else if (const MoveBoundary edit{drag_.stage, layers}; tryOut(edit)) {
        emit proposed(edit);
    }
}

std::optional<PlanEdit> PartitionStrip::chipEdit() const {
    if (drag_.target == drag_.stage) return std::nullopt;
    if (drag_.target < 0) return RemoveReplica{drag_.stage, drag_.device};
    if (drag_.stage < 0) return AddReplica{drag_.target, drag_.device};
    return MoveDevice{drag_.device, drag_.stage, drag_.target};
}

void PartitionStrip::dragChip(QPointF at) {
    drag_.at = at;
    if (!drag_.begun && (at - drag_.from).manhattanLength() < QApplication::startDragDistance()) return;
    if (!drag_.begun) setCursor(Qt::ClosedHandCursor);
    drag_.begun = true;
    // Above and below the strip still counts, so that the pointer need not keep to it.
    int target = drag_.stage;
    for (const StripLayout::StageBox& box : layout_.stages)
        if (at.x() >= box.layers.left() && at.x() < box.layers.right()) target = box.stage;
    const bool onFree = !layout_.freeTitle.isEmpty() && at.x() >= layout_.freeTitle.left();
    if (onFree) target = -1;
    update();
    if (target == drag_.target) return;
    drag_.target = target;
    const auto edit = chipEdit();
    if (!edit) {
        showPlan(plan_);
        emit withdrawn();
    } else if (tryOut(*edit)) {
        emit proposed(*edit);
    }
}

void PartitionStrip::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || drag_.kind == Drag::none) return;
    const Drag ended = drag_;
    const std::optional<PlanEdit> edit =
        ended.kind == Drag::chip ? (ended.begun ? chipEdit() : std::nullopt)
        : ended.layers != 0      ? std::optional<PlanEdit>(MoveBoundary{ended.stage, ended.layers})
                                 : std::nullopt;
    endDrag();
    if (edit)
        request(*edit);
    else if (ended.begun || ended.kind == Drag::boundary)
        emit withdrawn();
    hover(event->position());
}

void PartitionStrip::endDrag() {
    drag_ = {};
    unsetCursor();
    update();
}

void PartitionStrip::mouseDoubleClickEvent(QMouseEvent* event) {
    const StripLayout::StageBox* box = layout_.stageAt(event->position());
    if (event->button() != Qt::LeftButton || !box || layout_.chipAt(event->position())) return;
    if (box->plus.contains(event->position()) || box->minus.contains(event->position()))
        return mousePressEvent(event);
    split(box->stage, layout_.edgeNear(event->position().x()));
}

void PartitionStrip::split(int stage, int layer) {
    try {
        request(splitBefore(*problem_, plan_, stage, layer));
    } catch (const std::invalid_argument& error) {
        emit refused(QString::fromStdString(error.what()));
    }
}

void PartitionStrip::addReplica(int stage) {
    const int device = deviceToAdd(problem_->cluster, plan_, stage);
    if (device < 0) return emit refused(tr("every GPU is in use; drag one here from another stage"));
    request(AddReplica{stage, device});
}

void PartitionStrip::removeReplica(int stage) {
    request(RemoveReplica{stage, plan_.stages[static_cast<std::size_t>(stage)].devices.back()});
}

void PartitionStrip::moveLastDevice(int stage, int step) {
    const int target = step > 0 ? stageAfter(plan_, stage) : stage - 1;
    if (!layout_.boxOf(target)) return emit refused(tr("no stage on that side"));
    const std::vector<int>& devices = plan_.stages[static_cast<std::size_t>(stage)].devices;
    request(MoveDevice{step > 0 ? devices.back() : devices.front(), stage, target});
}

void PartitionStrip::moveBoundary(int stage, int layers) {
    // The last stage has the boundary before it.
    request(MoveBoundary{stageAfter(plan_, stage) < 0 ? stage - 1 : stage, layers});
}

void PartitionStrip::recompute(int firstLayer, int lastLayer, LayerMemory memory) {
    if (commonRecomputation(plan_, firstLayer, lastLayer) == memory) return;  // it is so already
    try {
        request(memoryOfLayers(*problem_, firstLayer, lastLayer, memory));
    } catch (const std::invalid_argument& error) {
        emit refused(QString::fromStdString(error.what()));
    }
}

void PartitionStrip::choose(int stage) {
    chosen_ = stage;
    update();
}

void PartitionStrip::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape && isDragging()) {
        endDrag();
        showPlan(plan_);
        return emit withdrawn();
    }
    const bool sideways = event->key() == Qt::Key_Left || event->key() == Qt::Key_Right;
    if (isDragging() || layout_.stages.empty()) return Canvas::keyPressEvent(event);
    if (!layout_.boxOf(chosen_)) {
        if (!sideways) return Canvas::keyPressEvent(event);
        return choose(layout_.stages.front().stage);
    }
    const int step = event->key() == Qt::Key_Right ? 1 : -1;
    if (sideways && event->modifiers() & Qt::ControlModifier) return moveBoundary(chosen_, step);
    if (sideways && event->modifiers() & Qt::ShiftModifier) return moveLastDevice(chosen_, step);
    if (sideways) {
        if (layout_.boxOf(chosen_ + step)) choose(chosen_ + step);
        return;
    }
    switch (event->key()) {
        case Qt::Key_Plus:
            return addReplica(chosen_);
        case Qt::Key_Minus:
            return removeReplica(chosen_);
        case Qt::Key_S:
            return split(chosen_, layout_.edgeNear(layout_.boxOf(chosen_)->layers.center().x()));
        case Qt::Key_M:
            return request(MergeStages{chosen_});
        default:
            Canvas::keyPressEvent(event);
    }
}

void PartitionStrip::contextMenuEvent(QContextMenuEvent* event) {
    QMenu menu(this);
    const StripLayout::StageBox* chosen = layout_.boxOf(chosen_);
    const bool byKey = event->reason() == QContextMenuEvent::Keyboard && chosen;
    fillMenu(menu, byKey ? chosen->title.center() : QPointF(event->pos()));
    if (!menu.isEmpty()) menu.exec(event->globalPos());
}

void PartitionStrip::fillMenu(QMenu& menu, QPointF at) {
    const StripLayout::StageBox* box = layout_.stageAt(at);
    if (!box) return;
    const int stage = box->stage, layer = layout_.edgeNear(at.x());
    choose(stage);
    const auto add = [&](const QString& text, bool enabled, auto act) {
        QAction* action = menu.addAction(text);
        action->setEnabled(enabled);
        connect(action, &QAction::triggered, this, act);
    };
    const Stage& held = plan_.stages[static_cast<std::size_t>(stage)];
    add(tr("Split before layer %1").arg(layer), layer > held.firstLayer && layer <= held.lastLayer,
        [this, stage, layer] { split(stage, layer); });
    // Neighbours that there are, by their numbers.
    if (const int next = stageAfter(plan_, stage); next >= 0)
        add(tr("Merge with stage %1").arg(next), true, [this, stage] { request(MergeStages{stage}); });
    if (stage > 0 && stageAfter(plan_, stage - 1) == stage)
        add(tr("Merge with stage %1").arg(stage - 1), true,
            [this, stage] { request(MergeStages{stage - 1}); });
    menu.addSeparator();
    addRecomputeMenu(menu, tr("Recompute"), held.firstLayer, held.lastLayer);
    if (const int own = layout_.layerAt(at); own >= 0 && held.layerCount() > 1)
        addRecomputeMenu(menu, tr("Recompute layer %1").arg(own), own, own);
    addGroupMenu(menu, stage);
    menu.addSeparator();
    // One GPU more or less makes no whole group.
    const bool single = held.group.ranksOfCopy() == 1;
    add(tr("Add a replica"), single && deviceToAdd(problem_->cluster, plan_, stage) >= 0,
        [this, stage] { addReplica(stage); });
    const StripLayout::Chip* chip = layout_.chipAt(at);
    const int device = chip ? chip->device : held.devices.back();
    const QString id = QString::fromStdString(problem_->cluster.devices[static_cast<std::size_t>(device)].id);
    add(tr("Take %1 from the stage").arg(id), single && held.devices.size() > 1, [this, stage, device] {
        request(RemoveReplica{stage, device});
    });
}

void PartitionStrip::addRecomputeMenu(QMenu& menu, const QString& title, int firstLayer, int lastLayer) {
    QMenu* ways = menu.addMenu(title);
    const std::optional<LayerMemory> now = commonRecomputation(plan_, firstLayer, lastLayer);
    for (const RecomputeMode& mode : recomputeModes) {
        QAction* action = ways->addAction(tr(mode.title));
        action->setCheckable(true);
        action->setChecked(now == mode.memory);
        connect(action, &QAction::triggered, this, [this, firstLayer, lastLayer, memory = mode.memory] {
            recompute(firstLayer, lastLayer, memory);
        });
    }
}

/// The tensor-parallel degrees that the stage's GPUs and layers allow, with what else it has; nothing where
/// there is no choice.
void PartitionStrip::addGroupMenu(QMenu& menu, int stage) {
    constexpr std::size_t most = 18;
    const Stage& held = plan_.stages[static_cast<std::size_t>(stage)];
    std::vector<Group> offered = {Group{}};
    if (held.group.context > 1 || held.group.expert > 1) offered.push_back(held.group);
    for (int degree = 2; degree <= static_cast<int>(held.devices.size()) && offered.size() < most; ++degree)
        for (const bool sequenceParallel : {false, true}) {
            Stage divided = held;
            divided.group.tensor = degree;
            divided.group.sequenceParallel = sequenceParallel;
            const bool isNew = std::ranges::find(offered, divided.group) == offered.end();
            if (isNew && !whyIndivisible(divided, problem_->profile)) offered.push_back(divided.group);
        }
    if (offered.size() == 1) return;
    QMenu* ways = menu.addMenu(tr("Divide its layers"));
    for (const Group& group : offered) {
        QAction* action =
            ways->addAction(group.dividesLayers() ? qtText(groupText(group)) : tr("not at all"));
        action->setCheckable(true);
        action->setChecked(held.group == group);
        connect(action, &QAction::triggered, this, [this, stage, group] { request(SetGroup{stage, group}); });
    }
}

void PartitionStrip::hover(QPointF at) {
    const auto boundary = layout_.boundaryAt(at);
    const StripLayout::Chip* chip = boundary ? nullptr : layout_.chipAt(at);
    const int device = chip ? chip->device : -1;
    if (boundary)
        setCursor(Qt::SplitHCursor);
    else if (chip)
        setCursor(Qt::OpenHandCursor);
    else
        unsetCursor();
    if (boundary.value_or(-1) == hoveredBoundary_ && device == hoveredChip_) return;
    if (device != hoveredChip_) emit deviceHovered(device);
    hoveredBoundary_ = boundary.value_or(-1);
    hoveredChip_ = device;
    update();
}

bool PartitionStrip::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip && problem_ && !isDragging()) {
        auto* help = static_cast<QHelpEvent*>(event);
        QToolTip::showText(help->globalPos(), toolTipAt(help->pos()), this);
        return true;
    }
    return Canvas::event(event);
}

QString PartitionStrip::layerText(int layer) const {
    const Layer& of = problem_->profile.layers[static_cast<std::size_t>(layer)];
    const auto text = [](const std::string& number) { return QString::fromStdString(number); };
    return tr("Layer %1: %2\nforward %3, backward %4\nparameters %5, passes on %6")
               .arg(QString::number(layer), text(of.name), text(formatSeconds(of.forwardS)),
                    text(formatSeconds(of.backwardS)), text(formatBytes(of.parameterBytes)),
                    text(formatBytes(of.outputBytes))) +
           memoryLine(shown_, layer, layer);
}

QString PartitionStrip::stageText(int stage) const {
    const Stage& held = shown_.stages[static_cast<std::size_t>(stage)];
    double seconds = 0, bytes = 0;
    for (int layer = held.firstLayer; layer <= held.lastLayer; ++layer) {
        const Layer& of = problem_->profile.layers[static_cast<std::size_t>(layer)];
        seconds += of.forwardS + of.backwardS;
        bytes += of.parameterBytes;
    }
    return tr("Stage %1: layers %2 to %3 on %n GPU(s), %4\n%5 per microbatch on one GPU, %6 of parameters%7\n"
              "Double-click splits it; right-click for more",
              "", static_cast<int>(held.devices.size()))
        .arg(QString::number(stage), QString::number(held.firstLayer), QString::number(held.lastLayer),
             held.group.dividesLayers()                    ? qtText(groupText(held.group))
             : held.devices.size() == 1                    ? tr("alone")
             : held.replication == Replication::roundRobin ? tr("which take microbatches in turn")
                                                           : tr("which share each microbatch"),
             QString::fromStdString(formatSeconds(seconds)), QString::fromStdString(formatBytes(bytes)),
             memoryLine(shown_, held.firstLayer, held.lastLayer));
}

QString PartitionStrip::toolTipAt(QPointF at) const {
    if (const auto boundary = layout_.boundaryAt(at))
        return tr("Drag the boundary of stages %1 and %2; the wheel zooms to narrow layers")
            .arg(*boundary)
            .arg(*boundary + 1);
    const StripLayout::StageBox* box = layout_.stageAt(at);
    if (box && box->plus.contains(at)) return tr("Add a replica (+)");
    if (box && box->minus.contains(at)) return tr("Take a replica away (−)");
    if (const StripLayout::Chip* chip = layout_.chipAt(at)) {
        const Device& device = problem_->cluster.devices[static_cast<std::size_t>(chip->device)];
        const QString name =
            QString::fromStdString(device.id + (device.gpu.empty() ? "" : ", " + device.gpu));
        return chip->stage < 0 ? tr("%1, free: drag it to a stage").arg(name)
                               : tr("%1 of stage %2: drag it to another").arg(name).arg(chip->stage);
    }
    if (const int layer = layout_.layerAt(at); layer >= 0) return layerText(layer);
    return box ? stageText(box->stage) : QString();
}

}  // namespace stagecraft::views::strip
