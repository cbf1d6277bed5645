#include "app/figures/figure_label_rows.h"

#include "app/figures/figure_fields.h"

#include <QComboBox>
#include <QFormLayout>
#include <QLineEdit>

namespace stagecraft::app::figures {

FigureLabelRows::FigureLabelRows(QFormLayout& form)
    : QObject(&form),
      form_(form),
      unit_(choiceBox("timeUnit", {tr("As it reads best"), tr("s"), tr("ms"), tr("µs")})),
      blocks_(choiceBox("blockText", {tr("Microbatch"), tr("Stage"), tr("Chunk"), tr("Nothing")})),
      counting_(choiceBox("countFrom", {QStringLiteral("0"), QStringLiteral("1")})) {
    const QString math = tr("$T_f$ is set as a formula.");
    QLineEdit* title = words(tr("The plan's name"), tr("{plan} is the plan's name. %1").arg(math),
                             "titleText", &FigureStyle::titleText);
    connect(title, &QLineEdit::textEdited, this, [this](const QString& text) {
        if (!text.isEmpty()) emit titleWritten();
    });
    lanes_ = words(tr("GPU {n}"),
                   tr("{n} is the lane's number from 1, {i} from 0, {gpu} its devices, {stages} its stages; "
                      "or the names themselves: P1|P2|P3. %1")
                       .arg(math),
                   "laneNames", &FigureStyle::laneNames);
    time_ = words(tr("time ({unit})"), tr("{unit} is the unit. %1").arg(math), "timeTitle",
                  &FigureStyle::timeTitle);
    legend_ = words(tr("forward=F|backward=B"),
                    tr("Other words in the legend; without any the entry is left out. %1").arg(math),
                    "legendNames", &FigureStyle::legendNames);
    panels_ = words(tr("GPipe|1F1B"), tr("What the panels are called, in turn. %1").arg(math), "panelNames",
                    &FigureStyle::panelNames);
    form_.addRow(tr("Title"), title);
    form_.addRow(tr("Lanes"), lanes_);
    form_.addRow(tr("Panels"), panels_);
    form_.addRow(tr("Legend"), legend_);
    form_.addRow(tr("In blocks"), blocks_);
    form_.addRow(tr("Count from"), counting_);
    form_.addRow(tr("Time axis"), time_);
    form_.addRow(tr("Unit"), unit_);
    counting_->setToolTip(tr("Microbatches, stages and chunks"));
    for (QComboBox* box : {unit_, blocks_, counting_})
        connect(box, &QComboBox::currentIndexChanged, this, &FigureLabelRows::changed);
}

QLineEdit* FigureLabelRows::words(const QString& hint, const QString& tip, const char* name,
                                  std::string FigureStyle::*member) {
    auto* line = new QLineEdit;
    line->setObjectName(QLatin1String(name));
    line->setPlaceholderText(hint);
    line->setToolTip(tip);
    words_.push_back({line, member});
    connect(line, &QLineEdit::textChanged, this, &FigureLabelRows::changed);
    return line;
}

void FigureLabelRows::setFigureStyle(const FigureStyle& style) {
    for (const Words& each : words_) each.line->setText(QString::fromStdString(style.*each.member));
    unit_->setCurrentIndex(static_cast<int>(style.timeUnit));
    blocks_->setCurrentIndex(static_cast<int>(style.blockText));
    counting_->setCurrentIndex(style.firstNumber());
}

void FigureLabelRows::applyTo(FigureStyle& style) const {
    for (const Words& each : words_) style.*each.member = each.line->text().trimmed().toStdString();
    style.timeUnit = static_cast<TimeUnit>(unit_->currentIndex());
    style.blockText = static_cast<BlockText>(blocks_->currentIndex());
    style.countFromOne = counting_->currentIndex() == 1;
}

void FigureLabelRows::setSubject(const FigureSource& source) {
    const bool pattern = source.id == QLatin1String("pattern");
    const bool named = source.has.schedule || pattern || source.id == QLatin1String("memory");
    form_.setRowVisible(lanes_, named);
    form_.setRowVisible(
        legend_, named || source.id == QLatin1String("links") || source.id == QLatin1String("partition"));
    form_.setRowVisible(panels_, !source.plans.isEmpty());
    form_.setRowVisible(counting_, source.has.schedule || pattern || source.id == QLatin1String("partition"));
    form_.setRowVisible(blocks_, source.has.schedule);
    form_.setRowVisible(time_, source.has.time);
    form_.setRowVisible(unit_, source.has.time);
}

}  // namespace stagecraft::app::figures
