#include "views/figures/schedule_weights.h"

#include "core/base/units.h"
#include "core/runs/iteration_text.h"
#include "core/simulation/steady_state.h"
#include "views/common/theme.h"
#include "views/figures/figure_fills.h"

#include <QRegularExpression>

#include <algorithm>
#include <map>

namespace stagecraft::views::figures {
namespace {

const QColor ink(0x22, 0x22, 0x22), paper(0xFF, 0xFF, 0xFF), red(0xC4, 0x15, 0x3F);
constexpr double markMm = 0.25;
constexpr double flagMm = 1.1;  // width of the flag at an update
constexpr double bellwetherMm = 1.0;
constexpr double arrowMm = 0.22;
constexpr std::size_t mostPredictions = 400;  // more would be a red field
constexpr double lowestTrackMm = 1.6, betweenTracksMm = 0.8, aboveTracksMm = 0.3;

void addUpdateMark(Figure& figure, double x, double top, double bottom) {
    const std::string role = "update mark";
    figure.add(FigureLine{{x, top}, {x, bottom}, {paper, 3 * markMm, {}}, false, role + " halo"});
    figure.add(FigureLine{{x, top}, {x, bottom}, {ink, markMm, {}}, false, role});
    figure.add(FigurePolygon{{{x - flagMm / 2, top}, {x + flagMm / 2, top}, {x, top + 0.7 * flagMm}},
                             true,
                             {ink},
                             {},
                             role + " flag"});
}

void addBellwether(Figure& figure, QPointF corner, const QColor& colour) {
    figure.add(FigurePolygon{{corner, corner + QPointF(bellwetherMm, 0), corner + QPointF(0, bellwetherMm)},
                             true,
                             {colour},
                             {},
                             "bellwether"});
}

void addPrediction(Figure& figure, QPointF from, QPointF to) {
    figure.add(FigureLine{from, to, {red, arrowMm, {}}, true, "prediction"});
}

}  // namespace

WeightDrawing::WeightDrawing(const PlanRun& run, const FigureScale& time)
    : run_(run),
      timeline_(run.evaluation->timeline),
      time_(time),
      trace_(run.result.plan, run.evaluation->timeline) {
    layTracks();
}

/// Two that meet, be it at one instant, have different levels.
void WeightDrawing::layTracks() {
    std::map<std::uint32_t, std::size_t> place;  // by update
    for (const PredictionArrow& arrow : trace_.predictions()) {
        const int lane = timeline_.laneOf(arrow.from);
        if (arrow.ahead <= 0 || lane != timeline_.laneOf(arrow.toUpdate)) continue;
        const double fromS = timeline_.startS[arrow.from], toS = timeline_.startS[arrow.toUpdate];
        if (fromS > time_.to || toS < time_.from) continue;
        const auto [at, isNew] = place.try_emplace(arrow.toUpdate, tracks_.size());
        if (isNew) tracks_.push_back({lane, arrow.toUpdate, fromS, toS, {}, 0});
        Track& track = tracks_[at->second];
        track.fromS = std::min(track.fromS, fromS);
        track.startsS.push_back(fromS);
    }
    std::stable_sort(tracks_.begin(), tracks_.end(),
                     [](const Track& a, const Track& b) { return a.fromS < b.fromS; });
    std::map<int, std::vector<double>> ends;  // by lane, of each level
    for (Track& track : tracks_) {
        std::vector<double>& own = ends[track.lane];
        const auto free =
            std::find_if(own.begin(), own.end(), [&](double endS) { return endS < track.fromS; });
        track.level = static_cast<int>(free - own.begin());
        if (free == own.end())
            own.push_back(track.toS);
        else
            *free = track.toS;
    }
}

double WeightDrawing::trackMm(const Track& track) const {
    return lowestTrackMm + track.level * betweenTracksMm;
}

double WeightDrawing::predictionRoomMm(int lane) const {
    double room = 0;
    for (const Track& track : tracks_)
        if (track.lane == lane) room = std::max(room, trackMm(track) + aboveTracksMm);
    return room;
}

void WeightDrawing::drawTrack(Figure& figure, const Track& track, const QRectF& row) const {
    const Stroke stroke{red, arrowMm, {}};
    const double y = row.top() - trackMm(track), end = time_.at(track.toS);
    figure.add(FigureLine{{time_.at(track.fromS), y}, {end, y}, stroke, false, "prediction"});
    for (const double startS : track.startsS)
        figure.add(
            FigureLine{{time_.at(startS), row.top()}, {time_.at(startS), y}, stroke, false, "prediction"});
    addPrediction(figure, {end, y}, {end, row.top()});
}

bool WeightDrawing::inRange(std::uint32_t block) const {
    return timeline_.startS[block] >= time_.from && timeline_.startS[block] <= time_.to;
}

void WeightDrawing::drawMarks(Figure& figure, const std::vector<WeightRow>& rows,
                              const BlockClasses& classes) {
    for (const WeightRow& row : rows) {
        const Lane& lane = timeline_.lanes[static_cast<std::size_t>(row.lane)];
        for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block) {
            if (!inRange(block)) continue;
            const double x = time_.at(timeline_.startS[block]);
            const double width = time_.at(timeline_.endS[block]) - x;
            if (isOutOfTurn(timeline_.kind[block]) && timeline_.durationS(block) <= 0) {
                addUpdateMark(figure, x, row.rect.top(), row.rect.bottom());
                updates_ = true;
            } else if (trace_.of(block).bellwether && width > bellwetherMm) {
                addBellwether(figure, {x, row.rect.top()},
                              readableOn(classes.colour(classes.column(timeline_)[block])));
                bellwethers_ = true;
            }
        }
    }
}

void WeightDrawing::drawPredictions(Figure& figure, const std::vector<WeightRow>& rows) {
    const auto rowOf = [&](std::uint32_t block) -> const WeightRow* {
        const int lane = timeline_.laneOf(block);
        const auto found =
            std::find_if(rows.begin(), rows.end(), [lane](const WeightRow& row) { return row.lane == lane; });
        return found == rows.end() ? nullptr : &*found;
    };
    std::size_t drawn = 0;
    for (const Track& track : tracks_)
        for (const WeightRow& row : rows) {
            if (row.lane != track.lane || drawn >= mostPredictions) continue;
            drawTrack(figure, track, row.rect);
            drawn += track.startsS.size();
        }
    for (const PredictionArrow& arrow : trace_.predictions()) {
        if (arrow.ahead <= 0 || drawn >= mostPredictions) continue;
        const double fromS = timeline_.startS[arrow.from], toS = timeline_.startS[arrow.toUpdate];
        const WeightRow *from = rowOf(arrow.from), *to = rowOf(arrow.toUpdate);
        if (!from || !to || from == to || fromS > time_.to || toS < time_.from) continue;
        const bool up = to->rect.top() < from->rect.top();
        addPrediction(figure, {time_.at(fromS), up ? from->rect.top() : from->rect.bottom()},
                      {time_.at(toS), up ? to->rect.bottom() : to->rect.top()});
        ++drawn;
    }
    predictions_ = drawn > 0;
}

double WeightDrawing::drawPeriod(Figure& figure, double topMm, double fontPt) const {
    const auto steady = steadyState(timeline_);
    if (!steady || !steady->repeats) return 0;
    const double left = std::max(time_.at(steady->fromS), time_.startMm);
    const double right = std::min(time_.at(steady->toS), time_.endMm);
    const double em = mmOfPoints(fontPt);
    if (right - left < em) return 0;
    const Stroke stroke{ink, 0.2, {}};
    const double y = topMm + 0.8;
    const std::string role = "steady state";
    figure.add(FigureLine{{left, y}, {right, y}, stroke, false, role});
    for (const auto& [x, atS] : {std::pair(left, steady->fromS), std::pair(right, steady->toS)})
        if (atS >= time_.from && atS <= time_.to)
            figure.add(FigureLine{{x, y}, {x, y - 0.8}, stroke, false, role});
    const QString each = QString::fromStdString(formatSeconds(steady->miniBatchS()));
    const QString measured = QString::fromStdString(miniBatchesText(run_, steady->miniBatches)) +
                             (steady->miniBatches == 1 ? " in " : " of ") + each;
    const QString text = fittingWording({"steady state: " + measured, measured, "steady state"},
                                        time_.endMm - time_.startMm, fontPt);
    // Within the axis, though the bracket may be shorter than what it says.
    const double half = textWidthMm(text, fontPt) / 2;
    const double middle = std::clamp((left + right) / 2, std::min(time_.startMm + half, time_.endMm - half),
                                     time_.endMm - half);
    figure.add(FigureText{{middle, y + 0.6}, text, fontPt, TextAnchor::middle, TextRise::top});
    return 0.8 + 0.6 + 1.2 * em;
}

void WeightDrawing::addEntries(std::vector<LegendEntry>& entries) const {
    const auto add = [&](const char* text, std::function<void(Figure&, const QRectF&)> sign) {
        LegendEntry entry;
        entry.text = text;
        entry.place = weightsPlace;
        entry.sign = std::move(sign);
        entries.push_back(std::move(entry));
    };
    if (updates_)
        add("weight update", [](Figure& figure, const QRectF& box) {
            addUpdateMark(figure, box.center().x(), box.top(), box.bottom());
        });
    if (bellwethers_)
        add("bellwether", [](Figure& figure, const QRectF& box) {
            figure.add(FigureRectangle{box, {QColor(0xE4, 0xE6, 0xE9)}, {}, "plain block"});
            addBellwether(figure, box.topLeft(), ink);
        });
    if (predictions_)
        add("prediction", [](Figure& figure, const QRectF& box) {
            addPrediction(figure, {box.left(), box.center().y()}, {box.right(), box.center().y()});
        });
}

/// "0, 6, …" counted from 1 is "1, 7, …".
static QString countedFrom(const QString& numbers, int first) {
    static const QRegularExpression number(QStringLiteral("\\d+"));
    QString counted;
    qsizetype at = 0;
    for (auto found = number.globalMatch(numbers); found.hasNext();) {
        const auto match = found.next();
        counted +=
            numbers.mid(at, match.capturedStart() - at) + QString::number(match.captured().toInt() + first);
        at = match.capturedEnd();
    }
    return counted + numbers.mid(at);
}

std::vector<LegendEntry> stepEntries(const BlockClasses& classes, const std::vector<ColourStep>& steps,
                                     const std::set<int>& occurring, const std::function<Fill(int)>& fillOf,
                                     bool hatches, int firstNumber) {
    std::vector<LegendEntry> entries;
    const bool graded = classes.colouring() == BlockColouring::staleness;
    for (const ColourStep& step : steps) {
        LegendEntry entry;
        entry.place = classes.stepOf(step.forwardClass);
        const bool counted = !graded && classes.colouring() != BlockColouring::weightVersion;
        entry.text = (graded ? QString("staleness") : classes.title()) + ' ' +
                     (counted ? countedFrom(step.label, firstNumber) : step.label);
        const std::string forward = classes.name(step.forwardClass).toStdString();
        const std::string backward = classes.name(step.backwardClass).toStdString();
        entry.sign = [graded, forward, backward, plain = step.forward, fill = fillOf(step.forwardClass),
                      hatched = fillOf(step.backwardClass)](Figure& figure, const QRectF& box) {
            if (graded) return figure.add(FigureRectangle{box, {plain}, {}, forward});
            const QRectF left(box.left(), box.top(), box.width() / 2, box.height());
            figure.add(FigureRectangle{left, fill, {}, forward});
            figure.add(FigureRectangle{left.translated(left.width(), 0), hatched, {}, backward});
        };
        entries.push_back(std::move(entry));
    }
    const bool backward = std::any_of(occurring.begin(), occurring.end(), [&](int it) {
        return classes.stepOf(it) >= 0 && classes.kindOf(it) == BlockKind::backward;
    });
    if (!graded && backward && hatches)
        entries.push_back(
            {"hatched: backward", blockFill(BlockKind::backward, Qt::white), {}, false, "", {}, hatchPlace});
    for (const int it : occurring)
        if (classes.name(it) == "other")
            entries.push_back({"other",
                               blockFill(BlockKind::forward, classes.colour(it)),
                               {},
                               false,
                               "other",
                               {},
                               hatchPlace});
    return entries;
}

}  // namespace stagecraft::views::figures
