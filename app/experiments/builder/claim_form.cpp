#include "app/experiments/builder/claim_form.h"

#include "core/experiments/cell_result.h"
#include "core/experiments/noise.h"
#include "core/planners/planner.h"

#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStyle>

#include <nlohmann/json.hpp>

#include <algorithm>

namespace stagecraft::app::experiments {

namespace {

enum Kind { leastEverywhere, ratioInMean, ratioEverywhere, changeAlong, valueItself };
enum Side { atMost, atLeast };

/// Whether the base keeps a barrier, so that planners which cannot have no plan at any point.
bool keepsBarrier(const Experiment& experiment) {
    const nlohmann::json base = nlohmann::json::parse(experiment.base, nullptr, false);
    const nlohmann::json::json_pointer mode("/setup/mode");
    if (base.contains(mode) && base.at(mode) == "asynchronous") return false;
    return std::none_of(experiment.axes.begin(), experiment.axes.end(), [](const Axis& axis) {
        const std::vector<Change>& changes = axis.values.front().changes;
        return std::any_of(changes.begin(), changes.end(),
                           [](const Change& change) { return change.pointer == "/setup/mode"; });
    });
}

void fill(QComboBox& box, const QStringList& items) {
    const QString before = box.currentText();
    const QSignalBlocker blocker(box);
    box.clear();
    box.addItems(items);
    if (const int at = box.findText(before); at >= 0) box.setCurrentIndex(at);
}

}  // namespace

ClaimForm::ClaimForm(QWidget* parent) : QFrame(parent) {
    setObjectName(QStringLiteral("claimForm"));
    setFrameShape(QFrame::StyledPanel);
    form_ = new QFormLayout(this);
    form_->setContentsMargins(8, 8, 8, 8);
    form_->setSpacing(8);
    form_->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    kind_ = choice("claimKind", tr("Statement"));
    kind_->addItems({tr("is least (or best) at every point"), tr("ratio to another, in geometric mean"),
                     tr("ratio to another, at every point"), tr("changes along an axis by at most"),
                     tr("value at every point")});
    planner_ = choice("claimPlanner", tr("Planner"));
    metric_ = choice("claimMetric", tr("Of"));
    for (const MetricDescription& metric : metricDescriptions())
        metric_->addItem(QString::fromStdString(metric.title), QString::fromStdString(metric.name));
    against_ = choice("claimAgainst", tr("Against"));
    axis_ = choice("claimAxis", tr("Along"));
    from_ = choice("claimFrom", tr("From"));
    to_ = choice("claimTo", tr("To"));
    side_ = choice("claimSide", tr("Is"));
    side_->addItems({tr("at most"), tr("at least")});
    bound_ = new QLineEdit(QStringLiteral("1"));
    bound_->setObjectName(QStringLiteral("claimBound"));
    form_->addRow(tr("Bound"), bound_);
    text_ = new QLineEdit;
    text_->setObjectName(QStringLiteral("claimText"));
    text_->setToolTip(tr("Its wording in the list of claims; empty: as proposed"));
    form_->addRow(tr("In words"), text_);
    source_ = new QLineEdit;
    source_->setObjectName(QStringLiteral("claimSource"));
    source_->setPlaceholderText(tr("Who claims it: Sec. 5.2, Fig. 6"));
    form_->addRow(tr("Source"), source_);
    noise_ = new QLabel;
    noise_->setObjectName(QStringLiteral("claimNoise"));
    noise_->setProperty("role", "muted");
    noise_->setWordWrap(true);
    form_->addRow(noise_);
    error_ = new QLabel;
    error_->setObjectName(QStringLiteral("claimError"));
    error_->setProperty("role", "error");
    error_->setWordWrap(true);
    auto* add = new QPushButton(tr("Add"));
    add->setObjectName(QStringLiteral("takeClaim"));
    auto* close = new QPushButton(tr("Close"));
    auto* row = new QHBoxLayout;
    row->addWidget(error_, 1);
    row->addWidget(close);
    row->addWidget(add);
    form_->addRow(row);
    connect(add, &QPushButton::clicked, this, &ClaimForm::take);
    connect(close, &QPushButton::clicked, this, &ClaimForm::closed);
    connect(kind_, &QComboBox::currentIndexChanged, this, &ClaimForm::showKind);
    connect(axis_, &QComboBox::currentIndexChanged, this, &ClaimForm::showAxis);
    for (QComboBox* box : {planner_, metric_, against_, from_, to_, side_})
        connect(box, &QComboBox::currentIndexChanged, this, &ClaimForm::showText);
    connect(bound_, &QLineEdit::textEdited, this, &ClaimForm::showText);
    showKind();
}

QComboBox* ClaimForm::choice(const char* name, const QString& label) {
    auto* box = new QComboBox;
    box->setObjectName(QLatin1String(name));
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(12);
    form_->addRow(label, box);
    return box;
}

void ClaimForm::setExperiment(const Experiment& experiment) {
    experiment_ = experiment;
    filling_ = true;
    QStringList labels, others = {tr("each of the others")}, axes;
    for (const AskedPlanner& planner : experiment.planners) labels << QString::fromStdString(planner.label);
    for (const Axis& axis : experiment.axes) axes << QString::fromStdString(axis.name);
    fill(*planner_, labels);
    fill(*against_, others + labels);
    fill(*axis_, axes);
    filling_ = false;
    showAxis();
}

void ClaimForm::setRow(QWidget* field, bool shown) {
    field->setVisible(shown);
    if (QWidget* label = form_->labelForField(field)) label->setVisible(shown);
}

void ClaimForm::showKind() {
    const int kind = kind_->currentIndex();
    const bool along = kind == changeAlong, bounded = kind != leastEverywhere;
    setRow(against_, kind <= ratioEverywhere);
    for (QWidget* field : {axis_, from_, to_}) setRow(field, along);
    setRow(side_, bounded && !along);
    setRow(bound_, bounded);
    bound_->setText(along ? QStringLiteral("5 %") : QStringLiteral("1"));
    showText();
}

void ClaimForm::showAxis() {
    QStringList values;
    if (const Axis* axis = experiment_.axis(axis_->currentText().toStdString()))
        for (const AxisValue& value : axis->values) values << QString::fromStdString(value.label);
    fill(*from_, values);
    fill(*to_, values);
    if (to_->currentIndex() == 0 && values.size() > 1) {
        const QSignalBlocker blocker(*to_);
        to_->setCurrentIndex(static_cast<int>(values.size()) - 1);
    }
    showText();
}

QString ClaimForm::text() const {
    const QString planner = planner_->currentText(), metric = metric_->currentText();
    const QString side = side_->currentText(), bound = bound_->text().trimmed(),
                  against = against_->currentText();
    const MetricDescription* about = findMetric(metric_->currentData().toString().toStdString());
    switch (kind_->currentIndex()) {
        case leastEverywhere:
            return (about && !about->lessIsBetter ? tr("%1 of %2 is no less than that of %3, at every point")
                                                  : tr("%1 of %2 is no more than that of %3, at every point"))
                .arg(metric, planner, against);
        case ratioInMean:
            return tr("%1 of %2 over that of %3 is %4 %5 in geometric mean")
                .arg(metric, planner, against, side, bound);
        case ratioEverywhere:
            return tr("%1 of %2 over that of %3 is %4 %5 at every point")
                .arg(metric, planner, against, side, bound);
        case changeAlong:
            return tr("%1 of %2 at %3 %5 is within %6 of that at %3 %4")
                .arg(metric, planner, axis_->currentText(), from_->currentText(), to_->currentText(), bound);
        default:
            return tr("%1 of %2 is %3 %4 at every point").arg(metric, planner, side, bound);
    }
}

/// How a claim on trainings is judged; nothing for others.
void ClaimForm::showNoise() {
    std::size_t seeds = 1;
    for (const Axis& axis : experiment_.axes)
        if (isOfSeeds(axis)) seeds *= axis.values.size();
    noise_->setVisible(isOfTraining(metric_->currentData().toString().toStdString()));
    noise_->setText(seeds < 2
                        ? tr("Undecided without an axis of two seeds or more: one training says nothing "
                             "about noise.")
                        : tr("Judged over %1 seeds: undecided where the bound is nearer than two standard "
                             "errors.")
                              .arg(seeds));
}

void ClaimForm::showText() {
    if (filling_) return;
    showNoise();
    text_->setPlaceholderText(text());
    error_->clear();
    bound_->setProperty("invalid", false);
    bound_->style()->unpolish(bound_);
    bound_->style()->polish(bound_);
}

Claim ClaimForm::claim(double bound) const {
    const std::string planner = planner_->currentText().toStdString();
    const bool barrier = keepsBarrier(experiment_);
    const auto canPlan = [&](const AskedPlanner& other) {
        const Planner* asked = findPlanner(other.planner);  // null: a program that has not run yet
        return !barrier || !asked || asked->description().plansWithBarrier;
    };
    Claim claim;
    claim.text = (text_->text().trimmed().isEmpty() ? text() : text_->text().trimmed()).toStdString();
    claim.source = experiment_.source;
    claim.source.place = source_->text().trimmed().toStdString();
    claim.metric = metric_->currentData().toString().toStdString();
    claim.planner = planner;
    const int kind = kind_->currentIndex();
    const MetricDescription* about = findMetric(claim.metric);
    const bool low =
        kind == leastEverywhere ? about && !about->lessIsBetter : side_->currentIndex() == atLeast;
    (low ? claim.atLeast : claim.atMost) = bound;
    if (kind == changeAlong) {
        claim.kind = ClaimKind::change;
        claim.along = axis_->currentText().toStdString();
        claim.from = from_->currentText().toStdString();
        claim.to = to_->currentText().toStdString();
        claim.atLeast = 1 - bound;
        claim.atMost = 1 + bound;
    } else if (kind == valueItself) {
        claim.kind = ClaimKind::value;
    } else {
        claim.kind = ClaimKind::ratio;
        claim.aggregate = kind == ratioInMean ? ClaimAggregate::geometricMean : ClaimAggregate::every;
        if (against_->currentIndex() > 0)
            claim.against = {against_->currentText().toStdString()};
        else
            for (const AskedPlanner& other : experiment_.planners)
                if (other.label != planner && canPlan(other)) claim.against.push_back(other.label);
    }
    return claim;
}

void ClaimForm::take() {
    const int kind = kind_->currentIndex();
    QString written = bound_->text().trimmed();
    const bool percent = written.endsWith(u'%');
    if (percent) written.chop(1);
    bool read = true;
    double bound = kind == leastEverywhere ? 1 : written.trimmed().toDouble(&read);
    if (kind != leastEverywhere && percent) bound /= 100;
    QString error;
    if (!read || (kind == changeAlong && bound <= 0))
        error = tr("The bound is a number, or a percentage above 0");
    bound_->setProperty("invalid", !error.isEmpty());
    bound_->style()->unpolish(bound_);
    bound_->style()->polish(bound_);
    if (planner_->count() == 0) error = tr("Tick a planner first");
    if (kind == changeAlong && axis_->count() == 0) error = tr("Add an axis first");
    const Claim made = error.isEmpty() ? claim(bound) : Claim();
    if (error.isEmpty() && made.kind == ClaimKind::ratio && made.against.empty())
        error = tr("There is no other planner to compare with");
    error_->setText(error);
    if (!error.isEmpty()) return;
    text_->clear();
    // Against several counts the least of theirs, which says something of each where less is better alone.
    const MetricDescription* about = findMetric(made.metric);
    if (made.against.size() < 2 || (kind == leastEverywhere && about && about->lessIsBetter))
        return emit added(made);
    for (const std::string& other : made.against) {
        Claim one = made;
        one.against = {other};
        one.text = QString::fromStdString(made.text)
                       .replace(against_->currentText(), QString::fromStdString(other))
                       .toStdString();
        emit added(one);
    }
}

}  // namespace stagecraft::app::experiments
