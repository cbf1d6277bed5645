#include "app/figures/figure_marker.h"

#include "views/figures/figure_preview.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QToolButton>

#include <algorithm>
#include <cmath>

namespace stagecraft::app::figures {
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
        if (!selected_) return;
        note(*selected_).text = text.toStdString();
        emit edited();
    });
    connect(words_, &QLineEdit::returnPressed, &preview_, qOverload<>(&QWidget::setFocus));
    connect(remove_, &QToolButton::clicked, this, &FigureMarker::remove);
    select(std::nullopt);
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
            select(std::nullopt);
        } else if (tool_ == shape) {
            tool_.reset();
        }
        preview_.setPlacing(tool_.has_value());
    });
    return button;
}

void FigureMarker::setNotes(std::vector<std::vector<ChartNote>> notes) {
    notes_ = std::move(notes);
    select(std::nullopt);
}

std::optional<FigureMarker::Place> FigureMarker::placeAt(const QPointF& mm) const {
    if (!preview_.figure() || preview_.figure()->lanes.empty()) return std::nullopt;
    const std::vector<FigureLane>& lanes = preview_.figure()->lanes;
    const auto away = [&](const FigureLane& lane) {
        const QPointF inside(std::clamp(mm.x(), lane.rect.left(), lane.rect.right()), lane.rect.center().y());
        return std::hypot(mm.x() - inside.x(), mm.y() - inside.y());
    };
    const FigureLane& nearest =
        *std::min_element(lanes.begin(), lanes.end(),
                          [&](const FigureLane& a, const FigureLane& b) { return away(a) < away(b); });
    const FigureLane& first = *std::find_if(
        lanes.begin(), lanes.end(), [&](const FigureLane& lane) { return lane.panel == nearest.panel; });
    return Place{&nearest, mm.y() < first.rect.top(),
                 nearest.timeAt(std::clamp(mm.x(), nearest.rect.left(), nearest.rect.right()))};
}

std::optional<QPointF> FigureMarker::pointOf(double timeS, const std::string& device, std::size_t plan,
                                             int panel) const {
    if (!preview_.figure()) return std::nullopt;
    for (const FigureLane& lane : preview_.figure()->lanes) {
        if (panel >= 0 ? lane.panel != panel : lane.plan != static_cast<int>(plan)) continue;
        if (!device.empty() && lane.device != device) continue;
        const double x =
            lane.rect.left() + (timeS - lane.fromS) / (lane.toS - lane.fromS) * lane.rect.width();
        return QPointF(x, device.empty() ? lane.rect.top() : lane.rect.center().y());
    }
    return std::nullopt;
}

std::optional<FigureMarker::Mark> FigureMarker::hit(const QPointF& mm) const {
    std::optional<Mark> found;
    double nearest = reachMm;
    for (std::size_t plan = 0; plan < notes_.size(); ++plan)
        for (std::size_t i = 0; i < notes_[plan].size(); ++i) {
            const ChartNote& note = notes_[plan][i];
            if (note.shape == NoteShape::flag) continue;  // flags are the chart's
            const auto from = pointOf(note.atS, note.device, plan);
            const auto to = note.end      ? pointOf(note.end->atS, note.end->device, plan, note.end->panel)
                            : note.untilS ? pointOf(*note.untilS, note.device, plan)
                                          : from;
            if (!from || !to) continue;
            const double away = distanceToSegment(mm, *from, *to);
            if (away > nearest) continue;
            nearest = away;
            found = Mark{plan, i};
        }
    return found;
}

void FigureMarker::press(const QPointF& mm) {
    pressed_ = mm;
    if (!tool_) select(hit(mm));
}

void FigureMarker::drag(const QPointF& mm) {
    const bool drawn = tool_ && *tool_ != NoteShape::text;
    if (pressed_ && (drawn || selected_)) preview_.setRubber(QLineF(*pressed_, mm));
}

void FigureMarker::release(const QPointF& mm) {
    preview_.setRubber(std::nullopt);
    if (!pressed_) return;
    const QPointF from = *std::exchange(pressed_, std::nullopt);
    if (tool_)
        add(from, mm);
    else if (selected_ && QLineF(from, mm).length() >= leastDragMm)
        moveSelected(from, mm);
}

void FigureMarker::add(const QPointF& from, const QPointF& to) {
    const auto begin = placeAt(from), end = placeAt(to);
    if (!begin || !end) return;
    ChartNote note;
    note.shape = *tool_;
    note.device = begin->device();
    note.atS = begin->timeS;
    note.text = tr("text").toStdString();
    if (note.shape == NoteShape::bracket) {
        const FigureLane& scale = *begin->lane;
        const auto [first, last] = std::minmax(begin->timeS, end->timeS);
        note.atS = first;
        note.untilS = last > first ? last : first + clickedShare * (scale.toS - scale.fromS);
    } else if (note.shape == NoteShape::arrow) {
        if (QLineF(from, to).length() < leastDragMm || begin->above || end->above) return;
        const bool elsewhere = end->lane->panel != begin->lane->panel;
        note.end = NoteEnd{end->timeS, end->lane->device, elsewhere ? end->lane->panel : -1};
        note.text.clear();
    } else if (begin->above) {
        note.shape = NoteShape::flag;  // above the lanes it points down to its time
    }
    const auto plan = static_cast<std::size_t>(begin->lane->plan);
    notes_.resize(std::max(notes_.size(), plan + 1));
    notes_[plan].push_back(std::move(note));
    for (QToolButton* tool : tools_) tool->setChecked(false);
    emit edited();
    select(Mark{plan, notes_[plan].size() - 1});
    words_->setFocus();
    words_->selectAll();
}

void FigureMarker::moveSelected(const QPointF& from, const QPointF& to) {
    const auto begin = placeAt(from), end = placeAt(to);
    if (!begin || !end) return;
    ChartNote& moved = note(*selected_);
    const double later = std::max(end->timeS - begin->timeS, -moved.atS);
    moved.atS += later;
    if (moved.untilS) *moved.untilS += later;
    if (moved.end) moved.end->atS = std::max(0.0, moved.end->atS + later);
    const bool stays =
        moved.shape == NoteShape::arrow || (begin->lane == end->lane && begin->above == end->above);
    if (!stays) moved.device = end->device();
    moved.block.reset();
    if (const auto plan = static_cast<std::size_t>(end->lane->plan); !stays && plan != selected_->plan) {
        ChartNote taken = std::move(moved);
        std::vector<ChartNote>& before = notes_[selected_->plan];
        before.erase(before.begin() + static_cast<std::ptrdiff_t>(selected_->index));
        notes_.resize(std::max(notes_.size(), plan + 1));
        notes_[plan].push_back(std::move(taken));
        selected_ = Mark{plan, notes_[plan].size() - 1};
    }
    emit edited();
}

void FigureMarker::select(std::optional<Mark> mark) {
    selected_ = mark;
    words_->setVisible(mark.has_value());
    remove_->setVisible(mark.has_value());
    if (!mark) return;
    const QSignalBlocker quiet(words_);
    words_->setText(QString::fromStdString(note(*mark).text));
}

void FigureMarker::remove() {
    if (!selected_) return;
    std::vector<ChartNote>& own = notes_[selected_->plan];
    own.erase(own.begin() + static_cast<std::ptrdiff_t>(selected_->index));
    select(std::nullopt);
    emit edited();
}

}  // namespace stagecraft::app::figures
