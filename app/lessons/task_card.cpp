#include "app/lessons/task_card.h"

#include "app/help/help_library.h"
#include "app/lessons/lesson_player.h"
#include "views/common/flow_layout.h"
#include "views/common/widgets.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QRadioButton>
#include <QVBoxLayout>

#include <cmath>

namespace stagecraft::app::lessons {

namespace {

constexpr int cardSpacing = 8;

QString wordsOf(const LessonTask& task) {
    if (const auto* deed = std::get_if<Deed>(&task)) return QString::fromStdString(deed->text);
    if (const auto* question = std::get_if<Question>(&task)) return QString::fromStdString(question->text);
    if (const auto* exercise = std::get_if<Exercise>(&task)) return QString::fromStdString(exercise->text);
    return {};
}

/// The text of a choice, which radio buttons would not break into lines. A click on it chooses too.
class ChoiceLabel : public QLabel {
public:
    ChoiceLabel(const QString& text, QAbstractButton& button) : QLabel(text), button_(button) {
        setTextFormat(Qt::PlainText);
        setWordWrap(true);
    }

protected:
    void mouseReleaseEvent(QMouseEvent*) override { button_.click(); }

private:
    QAbstractButton& button_;
};

}  // namespace

TaskCard::TaskCard(LessonPlayer& player, QWidget* parent) : QFrame(parent), player_(player) {
    setObjectName(QStringLiteral("taskCard"));
    setProperty("card", true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    connect(&player_, &LessonPlayer::stepShown, this, &TaskCard::rebuild);
    connect(&player_, &LessonPlayer::resultChanged, this, &TaskCard::showResult);
    connect(&player_, &LessonPlayer::stopped, this, &QWidget::hide);
}

void TaskCard::rebuild() {
    delete parts_;
    choices_ = nullptr;
    number_ = nullptr;
    score_ = nullptr;
    parts_ = new QWidget;
    layout()->addWidget(parts_);
    const LessonTask& task = player_.current().task;
    setVisible(!std::holds_alternative<std::monostate>(task));
    auto* column = new QVBoxLayout(parts_);
    column->setContentsMargins(2 * cardSpacing, cardSpacing, 2 * cardSpacing, cardSpacing);
    column->setSpacing(cardSpacing);
    auto* words = newParagraph(withoutMarks(wordsOf(task)), "heading");
    words->setObjectName(QStringLiteral("taskText"));
    column->addWidget(words);
    if (const auto* question = std::get_if<Question>(&task))
        question->choices.empty() ? addNumber() : addChoices();
    if (std::holds_alternative<Exercise>(task)) {
        score_ = new QProgressBar;
        score_->setObjectName(QStringLiteral("taskScore"));
        score_->setRange(0, 100);
        score_->setTextVisible(false);  // the bar is lower than a line
        scoreText_ = newLine({}, "muted");
        scoreText_->setObjectName(QStringLiteral("taskScoreText"));
        auto* row = new QHBoxLayout;
        row->setSpacing(cardSpacing);
        row->addWidget(score_, 1);
        row->addWidget(scoreText_);
        column->addLayout(row);
    }
    feedback_ = newParagraph({}, "muted");
    feedback_->setObjectName(QStringLiteral("taskFeedback"));
    column->addWidget(feedback_);
    addButtons();
    showResult();
    if (number_) number_->setFocus();
    if (choices_) choices_->button(0)->setFocus();
}

void TaskCard::addChoices() {
    choices_ = new QButtonGroup(parts_);
    const auto& choices = std::get<Question>(player_.current().task).choices;
    for (int i = 0; i < static_cast<int>(choices.size()); ++i) {
        auto* row = new QHBoxLayout;
        auto* button = new QRadioButton;
        button->setObjectName(QStringLiteral("choice:%1").arg(i));
        const QString text = QString::fromStdString(choices[static_cast<std::size_t>(i)].text);
        button->setAccessibleName(text);
        auto* label = new ChoiceLabel(text, *button);
        label->setObjectName(QStringLiteral("choiceText:%1").arg(i));
        choices_->addButton(button, i);
        row->addWidget(button, 0, Qt::AlignTop);
        row->addWidget(label, 1);
        static_cast<QVBoxLayout*>(parts_->layout())->addLayout(row);
    }
    connect(choices_, &QButtonGroup::idClicked, this, [this] { check_->setEnabled(!player_.result().done); });
}

void TaskCard::addNumber() {
    number_ = new QLineEdit;
    number_->setObjectName(QStringLiteral("taskNumber"));
    const Question& question = std::get<Question>(player_.current().task);
    number_->setPlaceholderText(question.unit == "s"   ? tr("such as 12 ms")
                                : question.unit == "B" ? tr("such as 2 GiB")
                                                       : QString::fromStdString(question.unit));
    connect(number_, &QLineEdit::returnPressed, this, &TaskCard::check);
    connect(number_, &QLineEdit::textChanged, this, [this](const QString& text) {
        check_->setEnabled(!text.trimmed().isEmpty() && !player_.result().done);
    });
    parts_->layout()->addWidget(number_);
}

void TaskCard::addButtons() {
    // They wrap: the dock may be narrower than all of them.
    auto* row = new FlowLayout(cardSpacing);
    check_ = new QPushButton(tr("Check"));
    check_->setObjectName(QStringLiteral("taskCheck"));
    check_->setEnabled(false);
    connect(check_, &QPushButton::clicked, this, &TaskCard::check);
    hint_ = new QPushButton(tr("Hint"));
    hint_->setObjectName(QStringLiteral("taskHint"));
    connect(hint_, &QPushButton::clicked, &player_, &LessonPlayer::giveHint);
    reveal_ = new QPushButton(score_ ? tr("Show the best known") : tr("Show the answer"));
    reveal_->setObjectName(QStringLiteral("taskReveal"));
    connect(reveal_, &QPushButton::clicked, &player_, &LessonPlayer::reveal);
    row->addWidget(check_);
    row->addWidget(hint_);
    row->addWidget(reveal_);
    if (score_) {
        auto* again = new QPushButton(tr("Start again"));
        again->setObjectName(QStringLiteral("taskAgain"));
        again->setToolTip(tr("Opens the exercise as it was at first"));
        connect(again, &QPushButton::clicked, &player_, &LessonPlayer::resetWindow);
        row->addWidget(again);
    }
    static_cast<QVBoxLayout*>(parts_->layout())->addLayout(row);
    check_->setVisible(choices_ || number_);
}

void TaskCard::showResult() {
    if (!player_.isRunning() || !parts_) return;
    const LessonPlayer::Result& result = player_.result();
    feedback_->setText(withoutMarks(result.feedback));
    feedback_->setVisible(!result.feedback.isEmpty());
    setRole(*feedback_, result.done ? "ok" : "muted");
    const int hints = static_cast<int>(hintsOf(player_.current().task).size());
    hint_->setVisible(hints > 0 && !result.done);
    hint_->setEnabled(result.hints < hints);
    reveal_->setVisible(player_.mayReveal());
    if (score_) {
        score_->setValue(static_cast<int>(std::lround(100 * result.credit)));
        scoreText_->setText(tr("%1 %").arg(score_->value()));
    }
    if (number_) number_->setReadOnly(result.done);
    if (result.done) check_->setEnabled(false);
}

void TaskCard::check() {
    if (player_.result().done) return;
    if (choices_)
        player_.choose(choices_->checkedId());
    else if (number_ && !number_->text().trimmed().isEmpty())
        player_.enter(number_->text());
}

}  // namespace stagecraft::app::lessons
