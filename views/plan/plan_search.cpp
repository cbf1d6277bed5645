#include "views/plan/plan_search.h"

#include "core/analysis/block_query.h"
#include "views/plan/details_pane.h"
#include "views/plan/hit_list.h"
#include "views/plan/search_bar.h"
#include "views/timeline/gantt_chart.h"

#include <algorithm>

namespace stagecraft::views::plan {

namespace {
/// Fewer blocks are searched before a frame is lost.
constexpr std::uint32_t searchedAtOnce = 30'000;
}  // namespace

PlanSearch::PlanSearch(GanttChart& chart, DetailsPane& details, QWidget* parent)
    : QObject(parent),
      chart_(chart),
      details_(details),
      bar_(new SearchBar(parent)),
      list_(details_.addSection<HitList>(QStringLiteral("Found"))) {
    bar_->hide();
    connect(bar_, &SearchBar::edited, this, &PlanSearch::search);
    connect(bar_, &SearchBar::stepRequested, this, &PlanSearch::step);
    connect(bar_, &SearchBar::listRequested, this, [this] {
        emit listRequested();
        details_.showSection(list_);
    });
    connect(bar_, &SearchBar::hidesRestChanged, this, [this] {
        if (!hits_) return;
        mark();
        bar_->setCount(at_, hits_->blocks().size());
    });
    connect(bar_, &SearchBar::closed, this, &PlanSearch::close);
    connect(list_, &HitList::chosen, this, &PlanSearch::jumpTo);
}

void PlanSearch::setData(std::shared_ptr<const ChartData> data) {
    data_ = std::move(data);
    if (isOpen()) search();
}

bool PlanSearch::isOpen() const { return !bar_->isHidden(); }

void PlanSearch::open() {
    bar_->show();
    bar_->field().setFocus();
    bar_->field().selectAll();
    if (!hits_) search();
}

void PlanSearch::find(const QString& text) {
    bar_->field().setText(text);
    show(nullptr);
    open();
}

void PlanSearch::close() {
    emit closed();  // first: a field that is hidden would hand the focus on to anybody
    bar_->hide();
    bar_->setHidesRest(false);
    show(nullptr);
}

void PlanSearch::toggleHidesRest() {
    if (!isOpen()) open();
    bar_->setHidesRest(!bar_->hidesRest());
}

void PlanSearch::search() {
    const QString asked = bar_->field().text();
    wanted_ = 0;
    show(nullptr);
    if (!data_) return;
    auto query = std::make_shared<const BlockQuery>("", data_->cluster(), data_->plan(), data_->timeline());
    try {
        query = std::make_shared<const BlockQuery>(asked.toStdString(), data_->cluster(), data_->plan(),
                                                   data_->timeline());
    } catch (const QueryMistake& mistake) {
        // Places are bytes, the field has characters.
        const QByteArray bytes = asked.toUtf8();
        const auto from = QString::fromUtf8(bytes.left(static_cast<qsizetype>(mistake.from))).size();
        const auto to =
            QString::fromUtf8(bytes.left(static_cast<qsizetype>(mistake.from + mistake.length))).size();
        bar_->setMistake(QString::fromUtf8(mistake.what()), static_cast<int>(from),
                         static_cast<int>(to - from));
        return;
    }
    if (query->isEmpty()) return bar_->setNothingAsked();
    const auto find = [query, data = data_] {
        return std::make_shared<const BlockHits>(data->timeline(),
                                                 query->find(data->timeline(), data->criticalPath()));
    };
    if (data_->timeline().blockCount() <= searchedAtOnce) return show(find());
    bar_->setSearching();
    searching_.start(find, [this](std::shared_ptr<const BlockHits> found) {
        const int steps = wanted_;
        show(std::move(found));
        if (steps) step(steps);
    });
}

void PlanSearch::mark() {
    chart_.setHits(hits_, bar_->hidesRest());
    emit filterChanged();
}

std::optional<std::set<int>> PlanSearch::shownDevices() const {
    if (!data_ || !chart_.scene().hidesRest()) return std::nullopt;
    std::set<int> devices;
    const std::vector<Lane>& lanes = data_->timeline().lanes;
    for (std::size_t lane = 0; lane < lanes.size(); ++lane)
        if (hits_->inLane(static_cast<int>(lane)))
            devices.insert(lanes[lane].devices.begin(), lanes[lane].devices.end());
    return devices;
}

void PlanSearch::show(std::shared_ptr<const BlockHits> hits) {
    searching_.abandon();
    at_ = -1;
    hits_ = std::move(hits);
    mark();
    details_.setSectionShown(list_, hits_ && !hits_->blocks().empty());
    if (!hits_) return;
    list_->setHits(data_.get(), hits_->blocks());
    bar_->setCount(-1, hits_->blocks().size());
}

/// Where a search from what is in view continues: the first block found that starts there.
int PlanSearch::firstHitInView() const {
    const auto& blocks = hits_->blocks();
    const double from = chart_.plot().axis().t0;
    const auto first = std::partition_point(blocks.begin(), blocks.end(), [&](std::uint32_t block) {
        return data_->timeline().startS[block] < from;
    });
    return first == blocks.end() ? 0 : static_cast<int>(first - blocks.begin());
}

void PlanSearch::step(int step) {
    if (!isOpen()) return open();
    if (isSearching()) wanted_ = step;
    if (!hits_ || hits_->blocks().empty()) return;
    const auto count = static_cast<int>(hits_->blocks().size());
    const int from = at_ >= 0 ? at_ + step : step > 0 ? firstHitInView() : firstHitInView() - 1;
    jumpTo((from + count) % count);
}

void PlanSearch::jumpTo(int hit) {
    if (!hits_ || hit < 0 || hit >= static_cast<int>(hits_->blocks().size())) return;
    at_ = hit;
    bar_->setCount(hit, hits_->blocks().size());
    list_->setCurrent(hit);
    emit jumpRequested(hits_->blocks()[static_cast<std::size_t>(hit)]);
}

}  // namespace stagecraft::views::plan
