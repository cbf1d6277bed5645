#include "app/figures/figure_marker.h"

#include "views/figures/figure_preview.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QToolButton>

#include <algorithm>
#include <cmath>

namespace stagecraft::app {
namespace {

constexpr double reachMm = 2;         // of the mouse, about a mark
constexpr double leastDragMm = 1;     // less is a click
constexpr double clickedShare = 0.1;  // of the time shown, that a bracket takes which was only clicked

double distanceToSegment(const QPointF& at, const QPointF& from, const QPointF& to) {
    const QPointF along = to - from;
    const double length = QPointF::dotProduct(along, along);
    const double share =
        length > 0 ? std::clamp(QPointF::dotProduct(at - from, along) / length, 0.0, 1.0) : 0;
    const QPointF nearest = from + share * along;
    return std::hypot(at.x() - nearest.x(), at.y() - nearest.y());
}

}  // namespace

FigureMarker::FigureMarker(FigurePreview& preview, QWidget* parent)
    : QWidget(parent), preview_(preview), words_(new QLineEdit), remove_(new QToolButton) {
    layOut();
    connect(&preview_, &FigurePreview::pagePressed, this, &FigureMarker::press);
    connect(&preview_, &FigurePreview::pageDragged, this, &FigureMarker::drag);
    connect(&preview_, &FigurePreview::pageReleased, this, &FigureMarker::release);
    connect(words_, &QLineEdit::textEdited, this, [this](const QString& text) {
        if (selected_ < 0) return;
        notes_[static_cast<std::size_t>(selected_)].text = text.toStdString();
        emit edited();
    });
    connect(words_, &QLineEdit::returnPressed, &preview_, qOverload<>(&QWidget::setFocus));
    connect(remove_, &QToolButton::clicked, this, &FigureMarker::remove);
    select(-1);
}

void FigureMarker::layOut() {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(16, 0, 16, 8);
    row->setSpacing(4);
    tools_ = {toolButton(tr("Text"), tr("Click in a lane to write there"), "markText", NoteShape::text),
              toolButton(tr("Bracket"), tr("Drag over a stretch of a lane, or above all lanes"),
                         "markBracket", NoteShape::bracket),
              toolButton(tr("Arrow"), tr("Drag from one place in a lane to another"), "markArrow",
                         NoteShape::arrow)};
    for (QToolButton* tool : tools_) row->addWidget(tool);
    words_->setObjectName(QStringLiteral("markWords"));
    words_->setPlaceholderText(tr("Words; $T_f$ is set as a formula"));
    row->addSpacing(8);
    row->addWidget(words_, 1);
    remove_->setText(tr("Remove"));
    remove_->setObjectName(QStringLiteral("markRemove"));
    row->addWidget(remove_);
    row->addStretch();
}

QToolButton* FigureMarker::toolButton(const QString& text, const QString& tip, const char* name,
                                      NoteShape shape) {
    auto* button = new QToolButton;
    button->setText(text);
    button->setToolTip(tip);
    button->setObjectName(QLatin1String(name));
    button->setCheckable(true);
    connect(button, &QToolButton::toggled, this, [this, button, shape](bool on) {
        if (on) {
            for (QToolButton* other : tools_)
                if (other != button) other->setChecked(false);
            tool_ = shape;
            select(-1);
        } else if (tool_ == shape) {
            tool_.reset();
        }
        preview_.setPlacing(tool_.has_value());
    });
    return button;
}

void FigureMarker::setNotes(std::vector<ChartNote> notes) {
    notes_ = std::move(notes);
    select(-1);
}

std::optional<FigureMarker::Place> FigureMarker::placeAt(const QPointF& mm) const {
    if (!preview_.figure() || preview_.figure()->lanes.empty()) return std::nullopt;
    const std::vector<FigureLane>& lanes = preview_.figure()->lanes;
    const FigureLane& first = lanes.front();
    const double x = std::clamp(mm.x(), first.rect.left(), first.rect.right());
    if (mm.y() < first.rect.top()) return Place{nullptr, first.timeAt(x)};
    const auto away = [&](const FigureLane& lane) { return std::abs(lane.rect.center().y() - mm.y()); };
    const auto nearest =
        std::min_element(lanes.begin(), lanes.end(),
                         [&](const FigureLane& a, const FigureLane& b) { return away(a) < away(b); });
    return Place{&*nearest, nearest->timeAt(x)};
}

std::optional<QPointF> FigureMarker::pointOf(double timeS, const std::string& device) const {
    if (!preview_.figure()) return std::nullopt;
    for (const FigureLane& lane : preview_.figure()->lanes) {
        if (!device.empty() && lane.device != device) continue;
        const double x =
            lane.rect.left() + (timeS - lane.fromS) / (lane.toS - lane.fromS) * lane.rect.width();
        return QPointF(x, device.empty() ? lane.rect.top() : lane.rect.center().y());
    }
    return std::nullopt;
}

int FigureMarker::hit(const QPointF& mm) const {
    int found = -1;
    double nearest = reachMm;
    for (std::size_t i = 0; i < notes_.size(); ++i) {
        const ChartNote& note = notes_[i];
        if (note.shape == NoteShape::flag) continue;  // flags are the chart's
        const auto from = pointOf(note.atS, note.device);
        const auto to = note.end      ? pointOf(note.end->atS, note.end->device)
                        : note.untilS ? pointOf(*note.untilS, note.device)
                                      : from;
        if (!from || !to) continue;
        const double away = distanceToSegment(mm, *from, *to);
        if (away > nearest) continue;
        nearest = away;
        found = static_cast<int>(i);
    }
    return found;
}

void FigureMarker::press(const QPointF& mm) {
    pressed_ = mm;
    if (!tool_) select(hit(mm));
}

void FigureMarker::drag(const QPointF& mm) {
    const bool drawn = tool_ && *tool_ != NoteShape::text;
    if (pressed_ && (drawn || selected_ >= 0)) preview_.setRubber(QLineF(*pressed_, mm));
}

void FigureMarker::release(const QPointF& mm) {
    preview_.setRubber(std::nullopt);
    if (!pressed_) return;
    const QPointF from = *std::exchange(pressed_, std::nullopt);
    if (tool_)
        add(from, mm);
    else if (selected_ >= 0 && QLineF(from, mm).length() >= leastDragMm)
        moveSelected(from, mm);
}

void FigureMarker::add(const QPointF& from, const QPointF& to) {
    const auto begin = placeAt(from), end = placeAt(to);
    if (!begin || !end) return;
    ChartNote note;
    note.shape = *tool_;
    note.device = begin->lane ? begin->lane->device : std::string();
    note.atS = begin->timeS;
    note.text = tr("text").toStdString();
    if (note.shape == NoteShape::bracket) {
        const FigureLane& scale = preview_.figure()->lanes.front();
        const auto [first, last] = std::minmax(begin->timeS, end->timeS);
        note.atS = first;
        note.untilS = last > first ? last : first + clickedShare * (scale.toS - scale.fromS);
    } else if (note.shape == NoteShape::arrow) {
        if (QLineF(from, to).length() < leastDragMm || !begin->lane || !end->lane) return;
        note.end = NoteEnd{end->timeS, end->lane->device};
        note.text.clear();
    } else if (!begin->lane) {
        note.shape = NoteShape::flag;  // above the lanes it points down to its time
    }
    notes_.push_back(std::move(note));
    for (QToolButton* tool : tools_) tool->setChecked(false);
    emit edited();
    select(static_cast<int>(notes_.size()) - 1);
    words_->setFocus();
    words_->selectAll();
}

void FigureMarker::moveSelected(const QPointF& from, const QPointF& to) {
    const auto begin = placeAt(from), end = placeAt(to);
    if (!begin || !end) return;
    ChartNote& note = notes_[static_cast<std::size_t>(selected_)];
    const double later = std::max(end->timeS - begin->timeS, -note.atS);
    note.atS += later;
    if (note.untilS) *note.untilS += later;
    if (note.end) note.end->atS = std::max(0.0, note.end->atS + later);
    const bool stays = note.shape == NoteShape::arrow || begin->lane == end->lane;
    if (!stays) note.device = end->lane ? end->lane->device : std::string();
    note.block.reset();
    emit edited();
}

void FigureMarker::select(int note) {
    selected_ = note;
    words_->setVisible(note >= 0);
    remove_->setVisible(note >= 0);
    if (note < 0) return;
    const QSignalBlocker quiet(words_);
    words_->setText(QString::fromStdString(notes_[static_cast<std::size_t>(note)].text));
}

void FigureMarker::remove() {
    if (selected_ < 0) return;
    notes_.erase(notes_.begin() + selected_);
    select(-1);
    emit edited();
}

}  // namespace stagecraft::app
