#include "views/plan/search_bar.h"

#include "core/analysis/block_query.h"
#include "views/common/theme.h"
#include "views/common/widgets.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPainter>
#include <QStyle>
#include <QToolButton>

namespace stagecraft::views::plan {

namespace {

constexpr int leastFieldWidth = 200;
constexpr int mostFieldWidth = 420;

QString helpText() {
    QString html = QStringLiteral("<p>All terms have to hold.</p><table cellpadding='2'>");
    for (const BlockQueryTerm& term : blockQueryTerms())
        html += QStringLiteral("<tr><td style='padding-right:12px'><b>%1</b></td><td>%2</td></tr>")
                    .arg(QString::fromUtf8(term.example).toHtmlEscaped(),
                         QString::fromUtf8(term.meaning).toHtmlEscaped());
    return html + QStringLiteral("</table>");
}

}  // namespace

SearchBar::SearchBar(QWidget* parent)
    : QFrame(parent), field_(new QLineEdit(this)), answer_(new QLabel(this)) {
    setObjectName(QStringLiteral("searchBar"));
    field_->setObjectName(QStringLiteral("blockSearch"));
    field_->setPlaceholderText(QStringLiteral("stage:2 kind:backward mb:3..5"));
    field_->setToolTip(helpText());
    field_->setClearButtonEnabled(true);
    field_->setMinimumWidth(leastFieldWidth);
    field_->setMaximumWidth(mostFieldWidth);
    answer_->setObjectName(QStringLiteral("searchAnswer"));
    answer_->setTextFormat(Qt::PlainText);
    answer_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 4, 8, 4);
    row->setSpacing(4);
    row->addWidget(field_, 2);
    const auto button = [&](const QString& tip, auto clicked) {
        auto* it = new QToolButton(this);
        it->setToolTip(tip);
        it->setAutoRaise(true);
        it->setFocusPolicy(Qt::TabFocus);
        connect(it, &QToolButton::clicked, this, clicked);
        row->addWidget(it);
        return it;
    };
    previous_ = button(QStringLiteral("Previous block found"), [this] { emit stepRequested(-1); });
    setActionOfTip(*previous_, "chart.previousHit");
    next_ = button(QStringLiteral("Next block found"), [this] { emit stepRequested(1); });
    setActionOfTip(*next_, "chart.nextHit");
    row->addSpacing(8);
    row->addWidget(answer_, 3);
    only_ = button(QStringLiteral("Hide all but what is found"), [] {});
    only_->setObjectName(QStringLiteral("onlyHits"));
    only_->setText(QStringLiteral("Only these"));
    only_->setCheckable(true);
    setActionOfTip(*only_, "chart.onlyHits");
    connect(only_, &QToolButton::toggled, this, &SearchBar::hidesRestChanged);
    list_ = button(QStringLiteral("List the matches beside the chart"), [this] { emit listRequested(); });
    list_->setText(QStringLiteral("List"));
    close_ = button(QStringLiteral("End the search (Esc)"), [this] { emit closed(); });
    connect(field_, &QLineEdit::textEdited, this, &SearchBar::edited);
    refreshIcons();
    setNothingAsked();
}

void SearchBar::setCount(int at, std::size_t count) {
    const QString rest = hidesRest() ? QStringLiteral(" · the rest is hidden") : QString();
    if (count == 0)
        answer(QStringLiteral("Nothing found"), false, false);
    else if (at < 0)
        answer(QStringLiteral("%L1 found").arg(count) + rest, false, true);
    else
        answer(QStringLiteral("%L1 of %L2").arg(at + 1).arg(count) + rest, false, true);
}

bool SearchBar::hidesRest() const { return only_->isChecked(); }
void SearchBar::setHidesRest(bool on) { only_->setChecked(on); }

void SearchBar::setSearching() { answer(QStringLiteral("Searching…"), false, false); }
void SearchBar::setNothingAsked() {
    answer(QStringLiteral("By stage, kind, mb, device, server, layer, time"), false, false);
}

void SearchBar::setMistake(const QString& message, int from, int length) {
    answer(message, true, false);
    // The text that is to blame, as one would point at it; nothing moves while one types at the end of it.
    const QString blamed = field_->text().mid(from, length);
    if (!message.contains('\'' + blamed) && !blamed.trimmed().isEmpty())
        answer_->setText(QStringLiteral("%1: %2").arg(blamed, message));
    answer_->setToolTip(answer_->text());
}

void SearchBar::answer(const QString& text, bool wrong, bool canStep) {
    answer_->setText(text);
    answer_->setToolTip({});
    for (QToolButton* button : {previous_, next_, list_}) button->setEnabled(canStep);
    const QString role = wrong ? QStringLiteral("error") : QStringLiteral("muted");
    if (answer_->property("role").toString() == role) return;
    answer_->setProperty("role", role);
    field_->setProperty("invalid", wrong);
    for (QWidget* widget : {static_cast<QWidget*>(answer_), static_cast<QWidget*>(field_)}) {
        widget->style()->unpolish(widget);
        widget->style()->polish(widget);
    }
}

void SearchBar::keyPressEvent(QKeyEvent* event) {
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (enter && event->modifiers() & Qt::ControlModifier)
        only_->toggle();
    else if (enter)
        emit stepRequested(event->modifiers() & Qt::ShiftModifier ? -1 : 1);
    else
        QFrame::keyPressEvent(event);
}

void SearchBar::refreshIcons() {
    previous_->setIcon(lineIcon(QStringLiteral("step-back")));
    next_->setIcon(lineIcon(QStringLiteral("step-forward")));
    close_->setIcon(lineIcon(QStringLiteral("close")));
}

void SearchBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), Theme::current().surface);
}

void SearchBar::changeEvent(QEvent* event) {
    QFrame::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) refreshIcons();
}

}  // namespace stagecraft::views::plan
