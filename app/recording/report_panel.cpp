#include "app/recording/report_panel.h"

#include "core/base/units.h"
#include "views/common/text.h"
#include "views/common/theme.h"

#include <QLabel>
#include <QRegularExpression>
#include <QTextDocumentFragment>
#include <QVBoxLayout>

namespace stagecraft::app::recording {

namespace {

constexpr std::size_t mostSentences = 12;

/// May be broken within long names.
QString breakable(const std::string& text) {
    static const QRegularExpression after(QStringLiteral("([._/-])(?=\\S)"));
    return htmlText(text).replace(after, QStringLiteral("\\1\u200B"));
}

QString sentences(const std::vector<std::string>& all) {
    QString html;
    for (std::size_t i = 0; i < all.size() && i < mostSentences; ++i)
        html += "<div style='margin-bottom:4px'>" + breakable(all[i]) + "</div>";
    if (all.size() > mostSentences)
        html += ReportPanel::tr("<div>and %1 more</div>").arg(all.size() - mostSentences);
    return html;
}

QString filesText(const std::vector<std::string>& files) {
    if (files.size() == 1) return breakable(files.front());
    return ReportPanel::tr("%1 files, %2 … %3")
        .arg(files.size())
        .arg(breakable(files.front()), breakable(files.back()));
}

}  // namespace

QString reportTable(const std::vector<std::pair<QString, QString>>& rows) {
    QString html = QStringLiteral("<table cellspacing='0' cellpadding='1' width='100%'>");
    for (const auto& [name, value] : rows)
        html += QStringLiteral(
                    "<tr><td style='color:%1; padding-right:10px'>%2</td><td align='right'>%3</td></tr>")
                    .arg(Theme::current().mutedText.name(), name, value);
    return html + "</table>";
}

std::vector<ReportPart> readerParts(const Recording& recording) {
    const RecordingReport& report = recording.report;
    std::vector<ReportPart> parts;
    std::vector<std::pair<QString, QString>> read{{ReportPanel::tr("format"), breakable(report.format)},
                                                  {ReportPanel::tr("read from"), filesText(report.files)}};
    if (report.clockResidualS)
        read.emplace_back(ReportPanel::tr("clocks differ by"), secondsText(*report.clockResidualS));
    if (report.guessed)
        read.emplace_back(ReportPanel::tr("passes"), ReportPanel::tr("guessed, %1 of the time explained")
                                                         .arg(qtText(formatPercent(report.explainedShare))));
    const auto add = [&parts](const QString& title, const std::vector<std::string>& all) {
        if (!all.empty()) parts.push_back({title, sentences(all)});
    };
    add(ReportPanel::tr("Recognised"), report.recognised);
    add(ReportPanel::tr("Assumed"), report.assumed);
    add(ReportPanel::tr("Ignored"), report.ignored);
    parts.push_back({ReportPanel::tr("Files"), reportTable(read)});
    return parts;
}

ReportPanel::ReportPanel(QWidget* parent) : QScrollArea(parent) {
    setObjectName(QStringLiteral("recordingReport"));
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setMinimumWidth(220);
    auto* content = new QWidget;
    column_ = new QVBoxLayout(content);
    column_->setContentsMargins(12, 8, 12, 8);
    column_->setSpacing(4);
    setWidget(content);
}

void ReportPanel::setParts(const std::vector<ReportPart>& parts) {
    while (QLayoutItem* item = column_->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    for (const ReportPart& part : parts) {
        auto* title = new QLabel(part.title);
        title->setProperty("role", "heading");
        title->setWordWrap(true);
        QFont bold = title->font();
        bold.setBold(true);
        title->setFont(bold);
        auto* text = new QLabel(part.html);
        text->setTextFormat(Qt::RichText);
        text->setWordWrap(true);
        text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::LinksAccessibleByMouse |
                                      (part.html.contains(QLatin1String("<a href"))
                                           ? Qt::LinksAccessibleByKeyboard
                                           : Qt::NoTextInteraction));
        connect(text, &QLabel::linkActivated, this, &ReportPanel::linkActivated);
        column_->addWidget(title);
        column_->addWidget(text);
        column_->addSpacing(8);
    }
    column_->addStretch();
}

QString ReportPanel::text() const {
    QStringList lines;
    for (const QLabel* label : widget()->findChildren<QLabel*>())
        lines << QTextDocumentFragment::fromHtml(label->text()).toPlainText().remove(QChar(0x200B));
    return lines.join('\n');
}

}  // namespace stagecraft::app::recording
