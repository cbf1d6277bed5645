#include "views/figures/schedule_figure.h"

#include "core/model/stage_chunks.h"
#include "views/common/block_numbers.h"
#include "views/common/colour_mixing.h"
#include "views/common/theme.h"
#include "views/figures/axis.h"
#include "views/figures/busy_share.h"
#include "views/figures/figure_fills.h"
#include "views/figures/inside_marks.h"
#include "views/figures/legend.h"
#include "views/figures/memory_panel.h"
#include "views/figures/note_flags.h"
#include "views/figures/note_marks.h"
#include "views/figures/schedule_lanes.h"
#include "views/figures/schedule_weights.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>

namespace stagecraft::views::figures {
namespace {

constexpr double columnMm = 0.1;         // of a lane that shows busy shares
constexpr double shareSteps = 24;        // to which they are rounded, so that equal neighbours merge
constexpr double laneLabelShare = 0.30;  // of the width, at most, for the names of the lanes
constexpr double numberPadMm = 0.15;
// What nobody can see has no place in the legend: one block, or all of a class in a lane.
constexpr double leastBlockMm = 0.1, leastOfLaneMm = 0.5;

struct Row {
    PrintedLane lane;
    QRectF rect;
};

/// The area between two outlines of steps, one polygon for each stretch in which they differ.
void addSteps(Figure& figure, const std::vector<double>& lower, const std::vector<double>& upper,
              const QRectF& row, double widthMm, const Fill& fill, const std::string& role) {
    const auto height = [&](double share) { return row.bottom() - share * row.height(); };
    const auto shown = [&](std::size_t c) { return c < upper.size() && upper[c] > lower[c]; };
    for (std::size_t c = 0; c < upper.size(); ++c) {
        if (!shown(c)) continue;
        std::vector<QPointF> above, below;
        for (; shown(c); ++c) {
            const double from = row.left() + double(c) * widthMm, to = row.left() + double(c + 1) * widthMm;
            for (auto [edge, y] :
                 {std::pair(&above, height(upper[c])), std::pair(&below, height(lower[c]))}) {
                if (!edge->empty() && edge->back().y() == y)
                    edge->back().setX(to);
                else
                    edge->insert(edge->end(), {{from, y}, {to, y}});
            }
        }
        above.insert(above.end(), below.rbegin(), below.rend());
        figure.add(FigurePolygon{above, true, fill, {}, role});
    }
}

QRectF upperHalf(const QRectF& rect) { return rect.adjusted(0, 0, 0, -rect.height() / 2); }
QRectF lowerHalf(const QRectF& rect) { return rect.adjusted(0, rect.height() / 2, 0, 0); }

constexpr double leastInsideMm = 4;  // of a pass that shows what is sent in it
constexpr double insideMm = 0.7, insideColumnMm = 0.15;
constexpr double insideLevels = 6;        // of a column that sends part of its time
constexpr double insideWordShare = 0.75;  // of the size of numbers
QColor insideFill() { return blockColour(BlockKind::allReduce); }

class ScheduleDrawing {
public:
    ScheduleDrawing(const ShownRun& run, const ScheduleFigureOptions& options)
        : run_(run),
          options_(options),
          timeline_(run.timeline()),
          em_(mmOfPoints(options.fontPt)),
          palette_(options.palette, options.ownColours) {
        time_.from = timeline_.firstStartS();
        time_.to = timeline_.lastEndS();
        if (options.timeRangeS) std::tie(time_.from, time_.to) = *options.timeRangeS;
        if (!(time_.to > time_.from)) throw std::invalid_argument("the figure's time range is empty");
        numbers_ = BlockNumbers(timeline_, options.firstNumber);
        if (options.insides && run.run()) insides_ = InsideMarks(*run.run());
        if (options.blockText == BlockText::chunk) chunks_ = chunksOf(run.plan().stages);
        const bool noBarrier =
            run.run() && run.run()->costs->problem().setup.mode == TrainingMode::asynchronous;
        const bool overlap = noBarrier && numbers_.severalMiniBatches();
        if (overlap) weights_.emplace(*run.run(), time_);
        if (overlap || !describe(options.colouring).needsOverlap)
            classes_ = BlockClasses(options.colouring, timeline_, run.plan().stages,
                                    overlap ? &weights_->trace() : nullptr,
                                    palette_.stepsFor(numbersOf(options.colouring, run)));
        colourSteps();
    }

    TimeDrawing draw() {
        figure_.widthMm = options_.widthMm;
        figure_.title = QString::fromStdString(run_.title());
        double bottom = placeRows();
        const std::size_t grid = figure_.items.size();
        figure_.add(ClipBegin{QRectF(time_.startMm, 0, time_.endMm - time_.startMm, bottom)});
        const bool aggregate = visibleShapes() > options_.maxShapes;
        if (!aggregate && options_.blockText != BlockText::none) numbered_ = roomsForNumbers();
        if (aggregate) figure_.omissions.summed = static_cast<int>(visibleShapes());
        for (const Row& row : rows_) drawRow(row, aggregate);
        if (options_.criticalPath) drawCriticalPath();
        if (weights_) drawWeights(aggregate);
        figure_.add(ClipEnd{});
        drawNotes();
        if (weights_ && options_.marks) bottom += weights_->drawPeriod(figure_, bottom, options_.fontPt);
        std::vector<LegendEntry> memoryEntries;  // rows of their own: blocks and memory share colours
        if (options_.memory) bottom = drawMemory(bottom, memoryEntries);
        bottom =
            addTimeAxis(figure_, time_, timeAxisOf(run_, options_), bottom, rows_.front().rect.top(), grid) +
            0.5 * em_;
        figure_.heightMm = bottom;
        std::vector<LegendEntry> entries = legendEntries();
        renameEntries(entries, options_.legendNames);
        renameEntries(memoryEntries, options_.legendNames);
        return {std::move(figure_),
                time_,
                memoryTopBytes_,
                static_cast<int>(steps_.size()),
                {std::move(entries), std::move(memoryEntries)}};
    }

private:
    /// How many numbers a colouring has to tell apart.
    static int numbersOf(BlockColouring by, const ShownRun& run) {
        const Timeline& timeline = run.timeline();
        const auto most = [](const auto& column) {
            return column.empty() ? 0 : 1 + static_cast<int>(*std::max_element(column.begin(), column.end()));
        };
        if (by == BlockColouring::microbatch) return most(timeline.microbatch);
        if (by == BlockColouring::miniBatch || by == BlockColouring::weightVersion)
            return 1 + most(timeline.iteration);
        return run.plan().stageCount();
    }

    double placeRows() {
        const double labelMm = laneLabelShare * options_.widthMm - 1.2;
        // Room for arrows from row to row.
        const double gap = (weights_ && options_.predictions ? 0.7 : 0.18) * em_;
        double widest = 0, y = 0.3;
        const double computeMm = options_.laneMm > 0 ? options_.laneMm : 1.45 * em_;
        for (PrintedLane& lane : wantedRows(labelMm)) {
            const double height = lane.compute ? computeMm : 0.95 / 1.45 * computeMm;
            if (lane.compute && !rows_.empty() && options_.communication) y += 0.2 * em_;
            if (weights_ && options_.predictions) y += weights_->predictionRoomMm(lane.lane);
            widest = std::max(widest, textWidthMm(lane.label, options_.fontPt));
            rows_.push_back({std::move(lane), QRectF(0, y, 0, height)});
            y += height + gap;
        }
        if (options_.memory) widest = std::max(widest, memoryLabelMm(memoryDeviceName(), options_.fontPt));
        time_.startMm = std::max(std::min(widest, labelMm) + 1.6, options_.leastStartMm);
        time_.endMm = timeEndMm(time_, timeAxisOf(run_, options_), options_.widthMm);
        placeNotes();
        notes_.emplace(placedNotes_, time_, options_.fontPt);
        y += notes_->heightMm();
        for (Row& row : rows_) {
            row.rect.translate(0, notes_->heightMm());
            row.rect.setLeft(time_.startMm);
            row.rect.setRight(time_.endMm);
            const Lane& lane = timeline_.lanes[static_cast<std::size_t>(row.lane.lane)];
            if (row.lane.compute)
                figure_.lanes.push_back({row.rect, time_.from, time_.to, idOf(lane.devices.front())});
            figure_.add(FigureText{{time_.startMm - 1, row.rect.center().y()},
                                   row.lane.label,
                                   options_.fontPt,
                                   TextAnchor::end,
                                   TextRise::middle});
        }
        return y;
    }

    std::vector<PrintedLane> wantedRows(double labelMm) const {
        return chosenLanes(printedLanes(run_, options_.communication, labelMm, options_.fontPt,
                                        LaneNaming(options_.laneNames, options_.firstNumber)),
                           options_.lanes, options_.firstStageBelow);
    }

    std::vector<int> lanesOn(const Row& row) const {
        std::vector<int> lanes;
        if (row.lane.compute && !options_.communication) {
            const std::vector<int>& own = timeline_.lanes[static_cast<std::size_t>(row.lane.lane)].devices;
            for (int i = 0; i < static_cast<int>(timeline_.lanes.size()); ++i) {
                const Lane& lane = timeline_.lanes[static_cast<std::size_t>(i)];
                const auto isOwn = [&](int d) { return std::find(own.begin(), own.end(), d) != own.end(); };
                // What a vocabulary's shares send runs beside passes all the time, and not after them.
                const bool reduces =
                    lane.kind == LaneKind::allReduce &&
                    (lane.blockCount() == 0 || !isOfVocabulary(timeline_.kind[lane.firstBlock]));
                if (reduces && std::any_of(lane.devices.begin(), lane.devices.end(), isOwn))
                    lanes.push_back(i);
            }
        }
        lanes.push_back(row.lane.lane);  // on top of what runs beside it
        return lanes;
    }

    std::int64_t visibleShapes() const {
        std::int64_t shapes = 0;
        for (const Row& row : rows_)
            for (const int lane : lanesOn(row)) {
                const auto [first, end] = visibleBlocks(timeline_, lane, time_.from, time_.to);
                shapes += end - first;
            }
        return shapes;
    }

    void drawRow(const Row& row, bool aggregate) {
        if (row.lane.compute && options_.bubbles) {
            const double from = std::max(row.rect.left(), time_.at(timeline_.firstStartS()));
            const double to = std::min(row.rect.right(), time_.at(timeline_.lastEndS()));
            if (to > from) {
                figure_.add(FigureRectangle{
                    QRectF(from, row.rect.top(), to - from, row.rect.height()), bubbleFill(), {}, "bubble"});
                bubbleSeen_ = bubbleSeen_ || widestGapMm(row, from, to) >= leastBlockMm;
            }
        }
        shownMm_.clear();
        for (const int lane : lanesOn(row)) {
            if (aggregate)
                drawShares(row, lane);
            else
                drawBlocks(row, lane);
        }
    }

    /// Where the lane of a row is busy, in millimetres and in order, and what runs under it.
    std::vector<std::pair<double, double>> busyOn(const std::vector<int>& lanes) const {
        std::vector<std::pair<double, double>> busy;
        for (const int lane : lanes) {
            const auto [first, end] = visibleBlocks(timeline_, lane, time_.from, time_.to);
            for (std::uint32_t block = first; block < end; ++block)
                if (timeline_.durationS(block) > 0)
                    busy.emplace_back(time_.at(timeline_.startS[block]), time_.at(timeline_.endS[block]));
        }
        std::sort(busy.begin(), busy.end());
        return busy;
    }

    double widestGapMm(const Row& row, double from, double to) const {
        double widest = 0, at = from;
        for (const auto& [start, end] : busyOn(lanesOn(row))) {
            widest = std::max(widest, std::min(start, to) - at);
            at = std::max(at, end);
        }
        return std::max(widest, to - at);
    }

    /// How much of a stretch nothing of `over` covers, which is in order.
    static double uncoveredMm(double from, double to, const std::vector<std::pair<double, double>>& over) {
        double open = 0, at = from;
        auto next = std::partition_point(over.begin(), over.end(),
                                         [from](const auto& each) { return each.second <= from; });
        for (; next != over.end() && next->first < to; ++next) {
            open += std::max(0.0, next->first - at);
            at = std::max(at, next->second);
        }
        return open + std::max(0.0, to - at);
    }

    void drawBlocks(const Row& row, int lane) {
        const auto [first, end] = visibleBlocks(timeline_, lane, time_.from, time_.to);
        const std::vector<std::pair<double, double>> over =
            lane == row.lane.lane ? std::vector<std::pair<double, double>>() : busyOn({row.lane.lane});
        for (std::uint32_t block = first; block < end; ++block) {
            const BlockKind kind = timeline_.kind[block];
            if (timeline_.durationS(block) <= 0) continue;
            const int blockClass = classes_.column(timeline_)[block];
            const double from = std::max(time_.at(timeline_.startS[block]), row.rect.left() - 1);
            const double to = std::min(time_.at(timeline_.endS[block]), row.rect.right() + 1);
            const QRectF rect(from, row.rect.top(), to - from, row.rect.height());
            const QRectF seen = rect.intersected(row.rect);
            const double seenMm = uncoveredMm(seen.left(), seen.right(), over);
            if (seenMm > 0) drawn_.push_back(block);
            if (seenMm > 0 && rect.width() < leastSeenMm) figure_.omissions.add({0, 1, rect.width(), 0});
            const Fill fill = fillOf(blockClass);
            // Narrow blocks get a thin edge or none, so that the edge does not become the block.
            const double edgeMm = std::min(0.1, rect.width() / 6);
            const Stroke edge = rect.width() > 0.25 ? Stroke{fill.colour.darker(170), edgeMm, {}} : Stroke{};
            if (classes_.kindOf(blockClass) == BlockKind::pair) {
                drawPair(rect, edge, blockClass, seenMm);
            } else {
                show(blockClass, seenMm);
                figure_.add(FigureRectangle{rect, fill, edge, roleOf(blockClass)});
                if (options_.insides) drawInside(rect, row.rect, block);
            }
            if (passKind(kind).role == PassRole::other)
                drawName(rect.intersected(row.rect), blockClass, block);
            else if (numbered_.contains({lane, kind}))
                drawNumbers(rect.intersected(row.rect), blockClass, block);
            else if (options_.blockText != BlockText::none && seenMm > 0)
                ++figure_.omissions.numbers;
        }
    }

    /// A kernel has a name and no number: where there is room, as there is for few.
    void drawName(const QRectF& rect, int blockClass, std::uint32_t block) {
        if (options_.blockText == BlockText::none || rect.height() < 1.2 * capHeightMm(options_.numberPt))
            return;
        const QString name = briefLabel(QString::fromUtf8(timeline_.wordOf(block)));
        if (rect.width() >= textWidthMm(name, options_.numberPt) + 2 * numberPadMm)
            drawNumber(rect, blockClass, name);
    }

    /// A strip along the lower edge, dark while something is sent within the stage's group.
    void drawInside(const QRectF& rect, const QRectF& lane, std::uint32_t block) {
        const std::vector<InsideStep> steps = insides_.of(timeline_, block);
        if (steps.empty() || rect.width() < leastInsideMm) return;
        const double high = std::min(insideMm, rect.height() / 5);
        // The figure may cut the pass off at either end.
        const double startMm = time_.at(timeline_.startS[block]);
        const double wholeMm = time_.at(timeline_.endS[block]) - startMm;
        const int columns = static_cast<int>(rect.width() / insideColumnMm);
        const std::vector<double> shares =
            sentShares(steps, (rect.left() - startMm) / wholeMm, (rect.right() - startMm) / wholeMm, columns);
        const double each = rect.width() / columns;
        const auto level = [&](std::size_t column) { return std::round(shares[column] * insideLevels); };
        for (std::size_t from = 0; from < shares.size();) {
            std::size_t to = from + 1;
            while (to < shares.size() && level(to) == level(from)) ++to;
            const QRectF run(rect.left() + static_cast<double>(from) * each, rect.bottom() - high,
                             static_cast<double>(to - from) * each, high);
            if (!(run & lane).isEmpty())
                figure_.add(FigureRectangle{
                    run & lane,
                    Fill{laidOver(insideFill(), QColor(Qt::white), level(from) / insideLevels)},
                    {},
                    "inside"});
            from = to;
        }
        if (options_.blockText != BlockText::none) drawInsideWords(steps, rect, lane, startMm, wholeMm, high);
        insideSeen_ = true;
    }

    /// How it is sent, above the stretches of the strip that have room for the word.
    void drawInsideWords(const std::vector<InsideStep>& steps, const QRectF& rect, const QRectF& lane,
                         double startMm, double wholeMm, double stripMm) {
        const double wordPt = insideWordShare * options_.numberPt, capMm = capHeightMm(wordPt);
        const double middleMm = rect.bottom() - stripMm - capMm;
        if (rect.height() < stripMm + 5 * capMm || middleMm + capMm > lane.bottom()) return;
        for (const InsideStep& step : steps) {
            if (step.kind == InsideKind::computing) continue;
            const double left = std::max(rect.left(), startMm + step.from * wholeMm),
                         right = std::min(rect.right(), startMm + step.to * wholeMm);
            const QString word = QLatin1String(algorithmWord(step.by));
            if (right - left >= textWidthMm(word, wordPt) + 2 * numberPadMm)
                figure_.add(FigureText{{(left + right) / 2, middleMm},
                                       word,
                                       wordPt,
                                       TextAnchor::middle,
                                       TextRise::middle,
                                       0,
                                       QColor(0, 0, 0)});
        }
    }

    void show(int blockClass, double widthMm) {
        if ((shownMm_[blockClass] += widthMm) >= leastOfLaneMm || widthMm >= leastBlockMm)
            occurring_.insert(blockClass);
    }

    /// The forward above, the backward below.
    void drawPair(const QRectF& rect, const Stroke& edge, int blockClass, double seenMm) {
        const bool byKind = classes_.colouring() == BlockColouring::kind;
        const auto [forward, backward] = classes_.passClasses(blockClass);
        const auto draw = [&](const QRectF& half, int passClass) {
            const int shown = byKind ? blockClass : passClass;
            show(shown, seenMm);
            figure_.add(FigureRectangle{half, fillOf(passClass), edge, roleOf(shown)});
        };
        draw(upperHalf(rect), forward);
        draw(lowerHalf(rect), backward);
    }

    QString numberOf(std::uint32_t block) const {
        const bool isOfPass = timeline_.microbatch[block] >= 0;
        if (!isOfPass || passKind(timeline_.kind[block]).role == PassRole::reduces)
            return blockWord(timeline_.kind[block], true);
        if (options_.blockText == BlockText::microbatch) return numbers_.text(timeline_, block);
        const QString own = passText(block, timeline_.stage[block], 0);
        const PairedBackward* pair = timeline_.pairedWith(block);
        return pair ? own + '&' + passText(block, pair->stage, 0) : own;
    }

    QString passText(std::uint32_t block, int stage, int microbatch) const {
        if (options_.blockText == BlockText::microbatch)
            return numbers_.text(timeline_.iteration[block], microbatch);
        return QString::number(options_.firstNumber + (options_.blockText == BlockText::stage
                                                           ? stage
                                                           : chunks_[static_cast<std::size_t>(stage)]));
    }

    /// Of the blocks of one kind in a lane.
    struct NumberRoom {
        int lane;
        BlockKind kind;
        double shortestS;
        bool fits;
    };

    std::vector<NumberRoom> numberRooms(const Row& row, int lane) const {
        const double mmPerS = row.rect.width() / (time_.to - time_.from);
        const bool low = row.rect.height() < 1.2 * capHeightMm(options_.numberPt);
        std::map<BlockKind, NumberRoom> rooms;
        const auto [first, end] = visibleBlocks(timeline_, lane, time_.from, time_.to);
        for (std::uint32_t block = first; block < end; ++block) {
            const double lengthS = timeline_.durationS(block);
            if (lengthS <= 0) continue;
            const BlockKind kind = timeline_.kind[block];
            if (passKind(kind).role == PassRole::other) continue;
            NumberRoom& room = rooms.try_emplace(kind, NumberRoom{lane, kind, lengthS, !low}).first->second;
            room.shortestS = std::min(room.shortestS, lengthS);
            if (lengthS * mmPerS < numberWidthMm(block, row.rect.height()) + 2 * numberPadMm)
                room.fits = false;
        }
        std::vector<NumberRoom> all;
        for (const auto& [kind, room] : rooms) all.push_back(room);
        return all;
    }

    /// Either every block of a kind has its number or none has, in all lanes where they take alike long:
    /// that reads calmer than some.
    std::set<std::pair<int, BlockKind>> roomsForNumbers() const {
        constexpr double alike = 1.1;
        std::vector<NumberRoom> rooms;
        for (const Row& row : rows_)
            for (const int lane : lanesOn(row))
                for (const NumberRoom& room : numberRooms(row, lane)) rooms.push_back(room);
        std::set<std::pair<int, BlockKind>> numbered;
        for (const NumberRoom& room : rooms) {
            const bool all = std::all_of(rooms.begin(), rooms.end(), [&](const NumberRoom& other) {
                return other.fits || other.kind != room.kind || other.shortestS > alike * room.shortestS ||
                       room.shortestS > alike * other.shortestS;
            });
            if (all) numbered.emplace(room.lane, room.kind);
        }
        return numbered;
    }

    bool halvesHaveRoom(double rowMm) const { return rowMm / 2 >= 1.2 * capHeightMm(options_.numberPt); }

    double numberWidthMm(std::uint32_t block, double rowMm) const {
        const PairedBackward* pair = timeline_.pairedWith(block);
        if (!pair || !halvesHaveRoom(rowMm)) return textWidthMm(numberOf(block), options_.numberPt);
        const auto [forward, backward] = pairTexts(block, *pair);
        return std::max(textWidthMm(forward, options_.numberPt), textWidthMm(backward, options_.numberPt));
    }

    std::pair<QString, QString> pairTexts(std::uint32_t block, const PairedBackward& pair) const {
        return {passText(block, timeline_.stage[block], timeline_.microbatch[block]),
                passText(block, pair.stage, pair.microbatch)};
    }

    /// A pair has each of its numbers in its half, where there is room.
    void drawNumbers(const QRectF& rect, int blockClass, std::uint32_t block) {
        const PairedBackward* pair = timeline_.pairedWith(block);
        if (!pair || !halvesHaveRoom(rect.height())) return drawNumber(rect, blockClass, numberOf(block));
        const auto [forward, backward] = classes_.passClasses(blockClass);
        const auto [above, below] = pairTexts(block, *pair);
        drawNumber(upperHalf(rect), forward, above);
        drawNumber(lowerHalf(rect), backward, below);
    }

    void drawNumber(const QRectF& rect, int blockClass, const QString& text) {
        const Fill fill = fillOf(blockClass);
        const double width = textWidthMm(text, options_.numberPt);
        if (text.isEmpty()) return;
        if (rect.width() < width + 2 * numberPadMm) {  // cut off by the time range
            ++figure_.omissions.numbers;
            return;
        }
        Figure& on = underNumbers() ? numbersAbove_ : figure_;
        if (fill.hatch != Hatch::none || underNumbers()) {  // a gap, so that the number can be read
            const double height = capHeightMm(options_.numberPt) + 0.5;
            on.add(FigureRectangle{QRectF(rect.center().x() - width / 2 - 0.2, rect.center().y() - height / 2,
                                          width + 0.4, height),
                                   Fill{fill.colour},
                                   {},
                                   roleOf(blockClass) + " label"});
        }
        on.add(FigureText{rect.center(), text, options_.numberPt, TextAnchor::middle, TextRise::middle, 0,
                          readableOn(fill.colour)});
    }

    /// Arrows cross blocks, and numbers interrupt them.
    bool underNumbers() const { return weights_ && options_.predictions; }

    /// Half of a pair's time is its forward's, half its backward's.
    void sharePairs(BusyShare& share) const {
        for (int blockClass = 0; blockClass < mostBlockClasses; ++blockClass) {
            const auto [forward, backward] = classes_.passClasses(blockClass);
            if (forward == backward) continue;
            std::vector<double>& pairs = share[static_cast<std::size_t>(blockClass)];
            for (const int half : {forward, backward})
                for (std::size_t c = 0; c < pairs.size(); ++c)
                    share[static_cast<std::size_t>(half)][c] += pairs[c] / 2;
            pairs.assign(pairs.size(), 0);
        }
    }

    void drawShares(const Row& row, int lane) {
        const auto [first, end] = visibleBlocks(timeline_, lane, time_.from, time_.to);
        for (std::uint32_t block = first; block < end; ++block) drawn_.push_back(block);
        const int columns = std::max(1, static_cast<int>(row.rect.width() / columnMm));
        BusyShare share = busyShare(timeline_, lane, time_.from, time_.to, columns, classes_);
        if (classes_.colouring() != BlockColouring::kind) sharePairs(share);
        std::vector<double> lower(static_cast<std::size_t>(columns), 0), sum = lower;
        for (int blockClass = 0; blockClass < mostBlockClasses; ++blockClass) {
            const std::vector<double>& own = share[static_cast<std::size_t>(blockClass)];
            std::vector<double> upper = lower;
            for (std::size_t c = 0; c < upper.size(); ++c)
                upper[c] = std::round((sum[c] += own[c]) * shareSteps) / shareSteps;
            if (upper == lower) continue;
            occurring_.insert(blockClass);
            addSteps(figure_, lower, upper, row.rect, row.rect.width() / columns, fillOf(blockClass),
                     roleOf(blockClass));
            lower = std::move(upper);
        }
    }

    void drawCriticalPath() {
        const Fill black{QColor(0, 0, 0)};
        for (const Row& row : rows_) {
            const std::vector<int> lanes = lanesOn(row);
            double from = 0, to = -1;
            const auto flush = [&] {
                criticalSeen_ = criticalSeen_ || (to > row.rect.left() && from < row.rect.right());
                if (to > from)
                    figure_.add(FigureRectangle{
                        QRectF(from, row.rect.bottom() - 0.45, to - from, 0.6), black, {}, "critical path"});
            };
            for (const std::uint32_t block : run_.criticalPath()) {
                if (std::find(lanes.begin(), lanes.end(), timeline_.laneOf(block)) == lanes.end()) continue;
                const double start = time_.at(timeline_.startS[block]);
                if (start > to + columnMm) {
                    flush();
                    from = start;
                }
                to = time_.at(timeline_.endS[block]);
            }
            flush();
        }
    }

    /// Backwards of chunks and copies differ by their hatch too.
    Fill fillOf(int blockClass) const {
        constexpr std::array hatches = {Hatch::falling, Hatch::rising, Hatch::horizontal};
        const BlockKind kind = classes_.kindOf(blockClass);
        Fill fill = blockFill(kind, colourOf(blockClass));
        const int step = ofFewSteps() && kind == BlockKind::backward ? classes_.stepOf(blockClass) : 0;
        if (step > 0) fill.hatch = hatches[static_cast<std::size_t>(step) % hatches.size()];
        return fill;
    }

    bool ofFewSteps() const {
        return classes_.colouring() == BlockColouring::chunk || classes_.colouring() == BlockColouring::copy;
    }

    QColor colourOf(int blockClass) const {
        if (classes_.colouring() == BlockColouring::kind)
            return palette_.ofKind(classes_.kindOf(blockClass), classes_.colour(blockClass));
        const int step = classes_.stepOf(blockClass);
        if (step < 0) return classes_.colour(blockClass);
        const ColourStep& own = steps_[static_cast<std::size_t>(step)];
        return blockClass == own.forwardClass ? own.forward : own.backward;
    }

    /// The scale of staleness is no palette's.
    void colourSteps() {
        steps_ = classes_.steps();
        if (classes_.colouring() == BlockColouring::staleness) return;
        const int own = static_cast<int>(steps_.size()), count = std::max(own, options_.leastSteps);
        for (int i = 0; i < own; ++i) {
            ColourStep& step = steps_[static_cast<std::size_t>(i)];
            std::tie(step.forward, step.backward) = palette_.ofStep(i, count, {step.forward, step.backward});
            if (ofFewSteps() && palette_.hasHues())
                std::tie(step.forward, step.backward) =
                    spreadInLightness(i, count, {step.forward, step.backward});
        }
    }

    std::string roleOf(int blockClass) const { return classes_.name(blockClass).toStdString(); }

    void drawWeights(bool aggregate) {
        std::vector<WeightRow> rows;
        for (const Row& row : rows_) rows.push_back({row.lane.lane, row.rect});
        if (options_.marks && !aggregate) weights_->drawMarks(figure_, rows, classes_);
        if (!options_.predictions) return;
        weights_->drawPredictions(figure_, rows);
        std::move(numbersAbove_.items.begin(), numbersAbove_.items.end(), std::back_inserter(figure_.items));
    }

    std::string idOf(int device) const { return run_.cluster().devices[static_cast<std::size_t>(device)].id; }

    /// A note whose block the plan no longer has has no place in a figure.
    void placeNotes() {
        PlacedNotes placed = stagecraft::model::placeNotes(options_.notes, timeline_, run_.cluster());
        for (std::size_t i = 0; i < placed.notes.size(); ++i)
            if (!placed.gone[i]) placedNotes_.push_back(std::move(placed.notes[i]));
    }

    void drawNotes() {
        const auto laneOf = [&](const ChartNote& note) -> std::optional<QRectF> {
            const int lane = laneOfNote(run_, note);
            for (const Row& row : rows_)
                if (row.lane.lane == lane) return row.rect;
            return std::nullopt;
        };
        notes_->draw(figure_, 0.3, rows_.back().rect.bottom(), laneOf);
        addNoteMarks(figure_, placedNotes_, options_.fontPt);
    }

    /// Of what the range and the lanes of the figure show, in its colours.
    std::vector<ColourStep> shownSteps() const {
        std::vector<ColourStep> shown =
            classes_.stepsOf(timeline_, weights_ ? &weights_->trace() : nullptr, drawn_);
        std::erase_if(shown, [&](ColourStep& step) {
            const int own = classes_.stepOf(step.forwardClass);
            step.forward = steps_[static_cast<std::size_t>(own)].forward;
            step.backward = steps_[static_cast<std::size_t>(own)].backward;
            return std::none_of(occurring_.begin(), occurring_.end(),
                                [&](int it) { return classes_.stepOf(it) == own; }) &&
                   classes_.colouring() != BlockColouring::staleness;
        });
        return shown;
    }

    std::vector<LegendEntry> legendEntries() const {
        std::vector<LegendEntry> entries;
        if (classes_.colouring() != BlockColouring::kind)
            entries = stepEntries(
                classes_, shownSteps(), occurring_, [this](int it) { return fillOf(it); }, options_.hatches,
                options_.firstNumber);
        else
            for (const int kind : occurring_) {
                entries.push_back({legendWord(classes_.kindOf(kind), run_.recorded() != nullptr),
                                   fillOf(kind),
                                   {},
                                   false,
                                   roleOf(kind),
                                   {},
                                   kind});
                if (classes_.kindOf(kind) == BlockKind::pair) entries.back().sign = pairSign(kind);
            }
        if (bubbleSeen_)
            entries.push_back({"bubble",
                               bubbleFill(),
                               {QColor(0xB8, 0xB8, 0xB8), 0.1, {}},
                               false,
                               "bubble",
                               {},
                               bubblePlace});
        if (criticalSeen_)
            entries.push_back({"critical path",
                               {},
                               {QColor(0, 0, 0), 0.6, {}},
                               true,
                               "critical path",
                               {},
                               criticalPathPlace});
        if (insideSeen_)
            entries.push_back({"sent within the stage", {}, {}, false, "inside", insideSign(), insidePlace});
        if (weights_) weights_->addEntries(entries);
        return entries;
    }

    /// A strip that is dark in part.
    static std::function<void(Figure&, const QRectF&)> insideSign() {
        return [](Figure& figure, const QRectF& box) {
            const QRectF strip = lowerHalf(box);
            figure.add(FigureRectangle{strip, Fill{QColor(Qt::white)}, {insideFill(), 0.1, {}}, "inside"});
            const QRectF part(strip.left(), strip.top(), strip.width() / 3, strip.height());
            for (const double at : {0.0, 0.5})
                figure.add(FigureRectangle{
                    part.translated(at * strip.width(), 0), Fill{insideFill()}, {}, "inside"});
        };
    }

    /// As the blocks are: the forward above, the backward below.
    std::function<void(Figure&, const QRectF&)> pairSign(int pairClass) const {
        const auto [forward, backward] = classes_.passClasses(pairClass);
        return [above = fillOf(forward), below = fillOf(backward), role = roleOf(pairClass)](
                   Figure& figure, const QRectF& box) {
            figure.add(FigureRectangle{upperHalf(box), above, {}, role});
            figure.add(FigureRectangle{lowerHalf(box), below, {}, role});
        };
    }

    int memoryDevice() const {
        const std::vector<MemoryCurve>& curves = run_.memory();
        const int device = options_.memoryDevice >= 0 ? options_.memoryDevice : peakDevice(curves);
        if (device < 0 || device >= static_cast<int>(curves.size()))
            throw std::invalid_argument(
                "the figure is to show the memory of a device that the cluster does not have");
        return device;
    }

    QString memoryDeviceName() const {
        const QString name =
            devicesName(run_, LaneNaming(options_.laneNames, options_.firstNumber), {memoryDevice()});
        return run_.run() ? markedMemoryName(*run_.run(), name) : name;
    }

    double drawMemory(double top, std::vector<LegendEntry>& entries) {
        const QRectF frame(time_.startMm, top + 0.6 * em_, time_.endMm - time_.startMm, 6 * em_);
        const std::vector<MemoryCurve>& curves = run_.memory();
        const auto device = static_cast<std::size_t>(memoryDevice());
        const PlanRun* run = run_.run();
        const SavedMemories saved = run ? savedMemory(*run->costs, run->result.plan,
                                                      run->evaluation->lowered().edges, timeline_, curves)
                                        : SavedMemories{};
        const SavedMemory* own = run ? saved[device].get() : nullptr;
        memoryTopBytes_ = std::max(options_.leastTopBytes, memoryTopBytes(curves[device], own));
        addMemoryPanel(figure_, curves[device], memoryDeviceName(), frame, time_, options_.fontPt, entries,
                       memoryTopBytes_, own);
        return frame.bottom();
    }

    const ShownRun run_;
    const ScheduleFigureOptions& options_;
    const Timeline& timeline_;
    const double em_;
    const Palette palette_;
    FigureScale time_;
    std::vector<Row> rows_;
    double memoryTopBytes_ = 0;
    BlockNumbers numbers_;
    std::vector<int> chunks_;  ///< by stage, where blocks say them
    BlockClasses classes_;
    std::vector<ColourStep> steps_;  ///< of the classes, in the colours of the palette
    std::vector<ChartNote> placedNotes_;
    std::optional<NoteFlags> notes_;
    std::optional<WeightDrawing> weights_;  ///< where mini-batches overlap
    std::map<int, double> shownMm_;         ///< by class, of the row where blocks are drawn one by one
    std::set<std::pair<int, BlockKind>> numbered_;  ///< by lane: kinds whose blocks have room for numbers
    bool bubbleSeen_ = false;
    std::set<int> occurring_;           ///< classes that can be seen
    std::vector<std::uint32_t> drawn_;  ///< blocks that can be
    bool criticalSeen_ = false;
    InsideMarks insides_;
    bool insideSeen_ = false;
    Figure figure_;
    Figure numbersAbove_;  ///< of blocks that arrows cross
};

}  // namespace

DrawnTimeAxis timeAxisOf(const ShownRun& run, const ScheduleFigureOptions& options) {
    const double blockS = options.axis != FigureAxis::blocks ? 0
                          : options.blockS > 0               ? options.blockS
                                                             : forwardBlockS(run.timeline());
    return {options.axis,
            blockS,
            options.fontPt,
            options.timeUnit,
            !options.axisBelow,
            run.timeline().lastEndS(),
            QString::fromStdString(options.timeTitle)};
}

void requireDrawable(const ShownRun& run, const ScheduleFigureOptions& options) {
    if (!run.ok()) throw std::invalid_argument("no timeline to draw: " + run.run()->result.reason);
    if (!(options.widthMm >= 30 && options.widthMm <= 5000))
        throw std::invalid_argument("figure width must be 30–5000 mm");
    if (!(options.fontPt >= 4 && options.fontPt <= 72))
        throw std::invalid_argument("font size must be 4–72 pt");
}

TimeDrawing drawSchedule(const ShownRun& run, const ScheduleFigureOptions& options) {
    requireDrawable(run, options);
    return ScheduleDrawing(run, options).draw();
}

Figure scheduleFigure(const ShownRun& run, const ScheduleFigureOptions& options) {
    Figure figure = finished(drawSchedule(run, options), options.legend, options.fontPt);
    return options.grey ? inGrey(std::move(figure)) : figure;
}

}  // namespace stagecraft::views::figures
