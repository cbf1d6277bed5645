#include "views/pattern/pattern_view.h"

#include "core/base/units.h"
#include "views/common/text.h"
#include "views/common/theme.h"
#include "views/common/widgets.h"
#include "views/figures/figure_formats.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QToolButton>

namespace stagecraft::views::pattern {

namespace {

constexpr double laneMm = 8;
constexpr int margin = 16;

QString row(QString name, QString value) {
    const QString space = QStringLiteral("&nbsp;");
    return QStringLiteral("<tr><td>%1&nbsp;&nbsp;</td><td align=right>%2</td></tr>")
        .arg(name.replace(' ', space), value.replace(' ', space));
}

QString kindText(BlockKind kind) {
    QString text = QString::fromLatin1(blockKindName(kind));
    text[0] = text[0].toUpper();
    return text;
}

}  // namespace

PatternPicture::PatternPicture(QWidget* parent)
    : FigureCanvas(QStringLiteral("Pattern of one period"), CanvasMotion::none, {margin, margin}, parent) {}

void PatternPicture::setRun(std::shared_ptr<const PlanRun> run) {
    run_ = std::move(run);
    chart_ = run_ ? patternChart(*run_) : PatternChart();
    setCurrent(-1);
    redraw();
    updateGeometry();
}

void PatternPicture::redraw() {
    if (chart_.blocks.empty()) {
        drawing_ = {};
        return update();
    }
    const Theme& theme = Theme::current();
    PatternFigureOptions options;
    options.widthMm = room({60, 0}).width();
    options.fontPt = fontPt;
    options.laneMm = laneMm;
    options.hatches = false;
    drawing_ = drawPattern(chart_, options, {theme.text, theme.mutedText, theme.line, theme.window});
    update();
}

QSize PatternPicture::sizeHint() const { return minimumSizeHint().expandedTo({640, 0}); }

QSize PatternPicture::minimumSizeHint() const {
    return {360, static_cast<int>(drawing_.figure.heightMm * pixelsPerMm) + 2 * margin};
}

QRectF PatternPicture::blockRect(int block) const {
    if (block < 0 || block >= static_cast<int>(drawing_.blocks.size())) return {};
    return toPixels(drawing_.blocks[static_cast<std::size_t>(block)]);
}

QString PatternPicture::describe(int index) const {
    const PatternBlock& block = chart_.blocks[static_cast<std::size_t>(index)];
    const Plan& plan = run_->result.plan;
    const Stage& stage = plan.stages[static_cast<std::size_t>(block.stage)];
    const bool transfer =
        block.kind == BlockKind::transferForward || block.kind == BlockKind::transferBackward;
    QString text =
        QStringLiteral("<b>%1, %2</b>")
            .arg(kindText(block.kind),
                 transfer ? QStringLiteral("stages %1 and %2").arg(block.stage).arg(block.stage + 1)
                          : QStringLiteral("stage %1").arg(block.stage));
    QString rows = row(QStringLiteral("Index shift"), QString::number(block.shift));
    rows += row(QStringLiteral("In period k works on"),
                block.shift == 0 ? QStringLiteral("batch k")
                                 : QStringLiteral("batch k %1 %2").arg(QChar(0x2212)).arg(block.shift));
    rows += row(QStringLiteral("Starts at"), htmlText(formatSeconds(block.startS)));
    rows += row(QStringLiteral("Takes"), htmlText(formatSeconds(block.durationS)));
    if (block.startS + block.durationS > chart_.periodS * (1 + 1e-9))
        rows += row(QStringLiteral("Ends"), QStringLiteral("in the next period"));
    if (!transfer) {
        const int batches = chart_.batches[static_cast<std::size_t>(block.stage)];
        const double bytes =
            run_->costs->storedActivationBytes(stage.firstLayer, stage.lastLayer, stage.group);
        rows += row(QStringLiteral("Layers"),
                    QStringLiteral("%1%2%3").arg(stage.firstLayer).arg(QChar(0x2013)).arg(stage.lastLayer));
        rows += row(QStringLiteral("Stores up to"),
                    QStringLiteral("%1 %2 %3 %4")
                        .arg(batches)
                        .arg(batches == 1 ? QStringLiteral("batch of") : QStringLiteral("batches of"),
                             htmlText(formatBytes(bytes)),
                             batches == 1 ? QString() : "= " + htmlText(formatBytes(batches * bytes))));
    }
    return text + QStringLiteral("<table cellspacing=0>%1</table>").arg(rows);
}

void PatternPicture::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    if (chart_.blocks.empty()) return painter.fillRect(rect(), Theme::current().surface);
    paintWhole(painter, drawing_.figure);
    if (current_ < 0) return;
    // Forward and backward of a stage belong together, and all parts of one operation.
    const PatternBlock& chosen = chart_.blocks[static_cast<std::size_t>(current_)];
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    for (std::size_t i = 0; i < chart_.blocks.size(); ++i) {
        const PatternBlock& block = chart_.blocks[i];
        if (block.stage != chosen.stage || block.lane != chosen.lane) continue;
        painter.setPen(QPen(Theme::current().accent, block.kind == chosen.kind ? 2.5 : 1.5));
        painter.drawRect(blockRect(static_cast<int>(i)));
    }
}

QImage PatternPicture::picture(double scale) {
    QImage image(size() * scale, QImage::Format_RGB32);
    QPainter painter(&image);
    painter.scale(scale, scale);
    paintWhole(painter, drawing_.figure);
    return image;
}

void PatternPicture::setCurrent(int block) {
    if (block != current_) update();
    current_ = block;
    if (block < 0) return showTip({}, {});
    const QRectF at = blockRect(block);
    showTip(describe(block), mapToGlobal(QPointF(at.center().x(), at.bottom() + 4).toPoint()));
}

void PatternPicture::hoverAt(QPointF at, QPoint) {
    int found = -1;
    for (std::size_t i = 0; i < drawing_.blocks.size(); ++i)
        if (blockRect(static_cast<int>(i)).contains(at)) found = static_cast<int>(i);
    setCurrent(found);
}

bool PatternPicture::step(QPoint by) {
    const int last = static_cast<int>(chart_.blocks.size()) - 1;
    if (by.x() == 0 || last < 0) return false;
    setCurrent(current_ < 0 ? (by.x() > 0 ? 0 : last) : std::clamp(current_ + by.x(), 0, last));
    return true;
}

bool PatternPicture::letGo() {
    if (current_ < 0) return false;
    setCurrent(-1);
    return true;
}

PatternView::PatternView(QWidget* parent)
    : QWidget(parent), picture_(new PatternPicture), numbers_(new QLabel), notes_(new QLabel) {
    setObjectName(QStringLiteral("patternView"));
    setFocusProxy(picture_);
    auto* exportButton = new QToolButton;
    exportButton->setObjectName(QStringLiteral("exportPattern"));
    exportButton->setIcon(lineIcon(QStringLiteral("export")));
    exportButton->setToolTip(QStringLiteral("Save the pattern as SVG, PDF, PNG or TikZ"));
    setActionOfTip(*exportButton, "file.export");
    exportButton->setAutoRaise(true);
    exportButton->setFocusPolicy(Qt::TabFocus);
    connect(exportButton, &QToolButton::clicked, this, &PatternView::exportRequested);
    numbers_->setObjectName(QStringLiteral("patternNumbers"));
    notes_->setObjectName(QStringLiteral("patternNotes"));
    for (QLabel* label : {numbers_, notes_}) {
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    }
    notes_->setProperty("role", "muted");
    auto* top = new QHBoxLayout;
    top->setContentsMargins(margin, 8, 8, 0);
    top->addWidget(numbers_, 1);
    top->addWidget(exportButton, 0, Qt::AlignTop);
    auto* page = new QWidget;
    page->setBackgroundRole(QPalette::Base);
    page->setAutoFillBackground(true);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, margin);
    column->setSpacing(0);
    column->addLayout(top);
    column->addWidget(picture_);
    auto* below = new QHBoxLayout;
    below->setContentsMargins(margin, 0, margin, 0);
    below->addWidget(notes_);
    column->addLayout(below);
    column->addStretch(1);
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(page);
    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->addWidget(scroll);
}

void PatternView::setRun(std::shared_ptr<const PlanRun> run) {
    run_ = std::move(run);
    picture_->setRun(run_);
    showFacts();
}

QString PatternView::facts() const { return numbers_->text() + notes_->text(); }

void PatternView::showFacts() {
    numbers_->clear();
    notes_->clear();
    if (!run_) return;
    const Problem& problem = run_->costs->problem();
    const double period = picture_->chart().periodS;
    QString text = QStringLiteral("<b>Period %1</b> &nbsp; %2 samples/s")
                       .arg(htmlText(formatSeconds(period)),
                            htmlText(formatNumber(problem.profile.microbatchSize / period)));
    if (run_->result.predictedS)
        text += QStringLiteral(" &nbsp; the first phase expected %1")
                    .arg(htmlText(formatSeconds(*run_->result.predictedS / problem.setup.microbatches)));
    numbers_->setText(text);
    QString notes;
    for (const std::string& note : run_->result.notes)
        notes += QStringLiteral("<p style='margin:0 0 4px 0'>%1</p>").arg(htmlText(note));
    notes_->setText(notes);
}

void PatternView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() != QEvent::PaletteChange) return;
    if (auto* button = findChild<QToolButton*>(QStringLiteral("exportPattern")))
        button->setIcon(lineIcon(QStringLiteral("export")));
}

}  // namespace stagecraft::views::pattern
