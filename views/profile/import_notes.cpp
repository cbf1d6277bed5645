#include "views/profile/import_notes.h"

#include "views/common/theme.h"

#include <QGridLayout>
#include <QLabel>
#include <QScrollArea>
#include <QToolButton>

#include <array>

namespace stagecraft::views::profile {

namespace {

using Kind = ImportNote::Kind;

struct KindHeading {
    Kind kind;
    const char* count;  ///< "12 grouped"
    const char* title;
};

constexpr std::array kindHeadings = {
    KindHeading{Kind::took, "taken", "Taken from the file"},
    KindHeading{Kind::derived, "derived", "Converted or derived"},
    KindHeading{Kind::assumed, "assumed", "Assumed, since the file does not say it"},
    KindHeading{Kind::ignored, "left out", "Left out"},
    KindHeading{Kind::grouped, "grouped", "Grouped into layers"}};

constexpr int mostHeight = 128;

}  // namespace

ImportNotes::ImportNotes(QWidget* parent)
    : QWidget(parent),
      summary_(new QLabel),
      list_(new QLabel),
      scroll_(new QScrollArea),
      more_(new QToolButton) {
    setObjectName(QStringLiteral("importNotes"));
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::AlternateBase);
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(16, 4, 8, 4);
    auto* close = new QToolButton;
    close->setObjectName(QStringLiteral("closeNotes"));
    close->setIcon(lineIcon(QStringLiteral("close")));
    close->setToolTip("Close the import report");
    more_->setObjectName(QStringLiteral("moreNotes"));
    more_->setCheckable(true);
    grid->addWidget(summary_, 0, 0);
    grid->addWidget(more_, 0, 1);
    grid->addWidget(close, 0, 2);
    grid->addWidget(scroll_, 1, 0, 1, 3);
    grid->setColumnStretch(0, 1);
    summary_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    list_->setWordWrap(true);
    list_->setTextFormat(Qt::RichText);
    list_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    list_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    scroll_->setWidget(list_);
    scroll_->setWidgetResizable(true);
    scroll_->setFrameShape(QFrame::NoFrame);
    scroll_->setFixedHeight(mostHeight);
    connect(more_, &QToolButton::toggled, this, &ImportNotes::expand);
    connect(close, &QToolButton::clicked, this, &QWidget::hide);
    hide();
}

void ImportNotes::setNotes(const QString& file, const std::vector<ImportNote>& notes) {
    QStringList counts;
    QString html;
    for (const KindHeading& heading : kindHeadings) {
        QString lines;
        int count = 0;
        for (const ImportNote& note : notes) {
            if (note.kind != heading.kind) continue;
            ++count;
            lines += "<li>" + QString::fromStdString(note.text).toHtmlEscaped() + "</li>";
        }
        if (count == 0) continue;
        counts << QString("%1 %2").arg(count).arg(heading.count);
        html += QString("<p style='margin:4px 0 0 0'><b>%1</b></p><ul style='margin:0 0 4px -24px'>%2</ul>")
                    .arg(heading.title, lines);
    }
    summary_->setText(QString("Import report of %1: %2").arg(file, counts.join(", ")));
    list_->setText(html);
    expand(false);
    setVisible(!notes.empty());
}

void ImportNotes::expand(bool expanded) {
    more_->setChecked(expanded);
    more_->setText(expanded ? "Less" : "More");
    scroll_->setVisible(expanded);
}

QString ImportNotes::summary() const { return summary_->text(); }
QString ImportNotes::text() const { return list_->text(); }

}  // namespace stagecraft::views::profile
