#include "app/figures/figure_dialog.h"

#include "app/figures/figure_marker.h"
#include "app/figures/figure_settings.h"
#include "app/figures/style_picker.h"
#include "app/panels/field_behaviour.h"
#include "app/panels/section.h"
#include "views/common/canvas.h"
#include "views/common/on_screen.h"
#include "views/figures/figure_preview.h"
#include "views/figures/figure_sink.h"

#include <QClipboard>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

namespace stagecraft::app::figures {
namespace {

constexpr int sideWidth = 344;
constexpr QSize startSize(1160, 760);

/// "a picture, SVG and PDF"
QString clipboardFormats() {
    QStringList kinds{QObject::tr("a picture")};
    for (const FigureFormat& format : figureFormats())
        if (!format.isRaster && !format.mimeType.isEmpty()) kinds << format.title;
    const QString last = kinds.takeLast();
    return kinds.join(QStringLiteral(", ")) + QStringLiteral(" and ") + last;
}

}  // namespace

FigureDialog::FigureDialog(std::vector<FigureSource> sources, std::optional<FigurePart> shown,
                           const ExportChoice& choice, QWidget* parent)
    : QDialog(parent),
      sources_(std::move(sources)),
      before_(choice),
      figure_(new QComboBox),
      format_(new QComboBox),
      styles_(new StylePicker),
      settings_(new FigureSettings(shown)),
      preview_(new FigurePreview),
      marker_(new FigureMarker(*preview_)),
      size_(new QLabel),
      remark_(new QLabel),
      omissions_(new QLabel),
      zoom_(new QLabel),
      failure_(new QLabel),
      export_(nullptr),
      copy_(nullptr),
      keeping_(new QWidget),
      keptName_(new QLineEdit),
      keepButton_(new QPushButton(tr("Keep in project"))) {
    setWindowTitle(tr("Export figure"));
    setObjectName(QStringLiteral("figureDialog"));
    figure_->setObjectName(QStringLiteral("figure"));
    format_->setObjectName(QStringLiteral("format"));
    for (const FigureSource& source : sources_) figure_->addItem(source.title, source.id);
    figure_->setCurrentIndex(std::max(0, figure_->findData(choice.figure)));
    layOut();
    fillFormats();
    format_->setCurrentIndex(std::max(0, format_->findData(choice.format)));
    settings_->setFigureStyle(choice.style);
    FigurePart part = shown.value_or(FigurePart{});
    part.lanes.clear();  // what has been scrolled away is not missed until the figure is in print
    settings_->setPart(choice.part.value_or(part));
    styles_->setCurrent(choice.style);

    followParts();
    refresh();
    preview_->setFocus();  // its keys work at once
    placeOnScreen(*this, startSize);
}

void FigureDialog::followParts() {
    connect(figure_, &QComboBox::currentIndexChanged, this, [this] {
        fillFormats();
        refresh();
    });
    connect(format_, &QComboBox::currentIndexChanged, this, &FigureDialog::refresh);
    connect(settings_, &FigureSettings::changed, this, &FigureDialog::refresh);
    std::vector<std::vector<ChartNote>> notes;  // panels begin with the plan that the others show
    for (const FigureSource& each : sources_)
        if (each.has.marks && each.plans.isEmpty() && notes.empty()) notes = {each.notes};
    for (const FigureSource& each : sources_)
        if (each.planNotes.size() > notes.size()) notes = each.planNotes;
    marker_->setNotes(std::move(notes));
    connect(marker_, &FigureMarker::edited, this, [this] {
        notes_ = marker_->notes();
        settings_->showNotes();
        refresh();
    });
    connect(styles_, &StylePicker::chosen, settings_, &FigureSettings::setFigureStyle);
    connect(preview_, &FigurePreview::drawn, this, &FigureDialog::showSize);
    connect(preview_, &FigurePreview::failed, this, [this](const QString& reason) {
        failure_->setText(tr("This cannot be drawn: %1.").arg(reason));
        showSize();
    });
    connect(preview_, &FigurePreview::zoomChanged, this,
            [this](double zoom) { zoom_->setText(QStringLiteral("%1 %").arg(std::lround(zoom * 100))); });
}

void FigureDialog::setRemark(const QString& remark) {
    remark_->setText(remark);
    remark_->setVisible(!remark.isEmpty());
}

const FigureSource& FigureDialog::source() const {
    return sources_[static_cast<std::size_t>(std::max(0, figure_->currentIndex()))];
}

ExportChoice FigureDialog::choice() const {
    ExportChoice choice = before_;
    choice.figure = source().id;
    choice.format = format_->currentData().toString();
    choice.style = settings_->figureStyle();
    choice.style.name = styles_->name().toStdString();
    choice.part = settings_->part();
    choice.part->notes = editedNotes();
    choice.part->planNotes = notes_;
    return choice;
}

std::optional<std::vector<ChartNote>> FigureDialog::editedNotes() const {
    if (!notes_ || notes_->empty()) return std::nullopt;
    return notes_->front();
}

void FigureDialog::offerKeeping(const QString& name, Keep keep) {
    keep_ = std::move(keep);
    keptName_->setText(name);
    keeping_->show();
    refresh();
}

void FigureDialog::keep() {
    const QString name = keptName_->text().trimmed();
    const ExportChoice now = choice();
    const QString format = figureFormatNamed(now.format) ? now.format : QString();
    setRemark(keep_(name, {source(), now.style, *now.part, format}));
}

QString FigureDialog::suffix() const {
    const QString format = format_->currentData().toString();
    for (const FigureTable& table : source().tables)
        if (table.id == format) return table.suffix;
    return figureFormatNamed(format)->suffixes.first();
}

QString FigureDialog::filter() const {
    const FigureFormat* format = figureFormatNamed(format_->currentData().toString());
    return format ? format->filter() : QStringLiteral("%1 (*.%2)").arg(format_->currentText(), suffix());
}

QString FigureDialog::askForFile(const QString& otherFolder, const std::function<QString()>& name) {
    askWhere_ = [this, otherFolder, name] {
        const QString& last = before_.folder;
        const QString folder = !last.isEmpty() && QFileInfo(last).isDir() ? last : otherFolder;
        QString path = QFileDialog::getSaveFileName(this, windowTitle(),
                                                    folder + '/' + name() + '.' + suffix(), filter());
        if (!path.isEmpty() && QFileInfo(path).suffix().isEmpty()) path += '.' + suffix();
        return path;
    };
    const bool wanted = exec() == QDialog::Accepted;
    if (wanted) before_.folder = QFileInfo(file_).absolutePath();
    choice().save();
    return wanted ? file_ : QString();
}

void FigureDialog::accept() {
    if (askWhere_ && (file_ = askWhere_()).isEmpty()) return;
    QDialog::accept();
}

void FigureDialog::fillFormats() {
    const QSignalBlocker blocker(format_);
    const QString format = format_->currentData().toString();
    format_->clear();
    for (const FigureFormat& each : figureFormats()) {
        // The default comes first.
        const int row = each.id == ExportChoice().format ? 0 : format_->count();
        format_->insertItem(row, each.title, each.id);
    }
    for (const FigureTable& table : source().tables) format_->addItem(table.title, table.id);
    format_->setCurrentIndex(std::max(0, format_->findData(format)));
}

void FigureDialog::layOut() {
    auto* right = new QVBoxLayout;
    right->setContentsMargins(0, 0, 0, 0);
    right->setSpacing(0);
    right->addWidget(makeToolbar());
    right->addWidget(marker_);
    right->addWidget(remark_);
    remark_->setObjectName(QStringLiteral("remark"));
    remark_->setWordWrap(true);
    remark_->setContentsMargins(16, 0, 16, 8);
    remark_->hide();
    right->addWidget(omissions_);
    omissions_->setObjectName(QStringLiteral("omissions"));
    omissions_->setProperty("role", "muted");
    omissions_->setWordWrap(true);
    omissions_->setContentsMargins(16, 0, 16, 8);
    right->addWidget(preview_, 1);
    preview_->setObjectName(QStringLiteral("preview"));
    auto* body = new QHBoxLayout;
    body->setContentsMargins(0, 0, 0, 0);
    body->setSpacing(0);
    body->addWidget(makeSide());
    body->addLayout(right, 1);

    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
    export_ = buttons->button(QDialogButtonBox::Ok);
    export_->setText(tr("Export…"));
    export_->setProperty("primary", true);
    copy_ = buttons->addButton(tr("Copy"), QDialogButtonBox::ActionRole);
    copy_->setObjectName(QStringLiteral("copyFigure"));
    copy_->setToolTip(tr("To the clipboard, as %1").arg(clipboardFormats()));
    buttons->button(QDialogButtonBox::Cancel)->setText(tr("Close"));
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(copy_, &QPushButton::clicked, this, &FigureDialog::copy);
    failure_->setProperty("role", "error");
    failure_->setWordWrap(true);
    failure_->setObjectName(QStringLiteral("failure"));
    layOutKeeping();
    auto* bottom = new QHBoxLayout;
    bottom->setContentsMargins(16, 8, 16, 12);
    bottom->addWidget(keeping_);
    bottom->addWidget(failure_, 1);
    bottom->addWidget(buttons);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(body, 1);
    layout->addLayout(bottom);
}

void FigureDialog::layOutKeeping() {
    constexpr int nameWidth = 180;
    keptName_->setObjectName(QStringLiteral("keptName"));
    keptName_->setPlaceholderText(tr("Name of the figure"));
    keptName_->setToolTip(
        tr("Under this name the project keeps the figure, to draw it again when plans have changed"));
    keptName_->setFixedWidth(nameWidth);
    keepButton_->setObjectName(QStringLiteral("keepFigure"));
    keepButton_->setEnabled(false);
    auto* row = new QHBoxLayout(keeping_);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(keptName_);
    row->addWidget(keepButton_);
    keeping_->hide();
    connect(keptName_, &QLineEdit::textChanged, this, &FigureDialog::showSize);
    connect(keptName_, &QLineEdit::returnPressed, keepButton_, &QPushButton::click);
    connect(keepButton_, &QPushButton::clicked, this, &FigureDialog::keep);
}

QWidget* FigureDialog::makeSide() {
    auto* top = new QFormLayout;
    top->setContentsMargins(8, 0, 8, 0);
    top->setHorizontalSpacing(8);
    top->setVerticalSpacing(6);
    top->addRow(tr("Style"), styles_);
    top->addRow(tr("Figure"), figure_);
    top->addRow(tr("Format"), format_);
    top->setRowVisible(figure_, sources_.size() > 1);
    for (QWidget* field :
         {static_cast<QWidget*>(styles_), static_cast<QWidget*>(figure_), static_cast<QWidget*>(format_)})
        top->labelForField(field)->setMinimumWidth(FigureSettings::labelWidth);
    top->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    auto* behaviour = new FieldBehaviour(this);
    for (QWidget* field : {static_cast<QWidget*>(figure_), static_cast<QWidget*>(format_)})
        behaviour->applyTo(*field);
    for (auto* field : styles_->findChildren<QComboBox*>()) behaviour->applyTo(*field);
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(8, 16, 0, 8);
    column->setSpacing(12);
    column->addLayout(top);
    column->addWidget(settings_);
    column->addStretch(1);
    auto* side = new QScrollArea;
    side->setWidgetResizable(true);
    side->setFrameShape(QFrame::NoFrame);
    side->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    side->setFixedWidth(sideWidth);
    side->setWidget(content);
    return side;
}

QWidget* FigureDialog::makeToolbar() {
    auto* bar = new QWidget;
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(16, 8, 16, 8);
    row->setSpacing(4);
    size_->setProperty("role", "muted");
    size_->setObjectName(QStringLiteral("figureSize"));
    row->addWidget(size_);
    row->addStretch();
    row->addWidget(visionBox());
    row->addSpacing(8);
    const auto add = [&](const QString& text, const QString& tip, const char* name, auto act) {
        auto* button = new QToolButton;
        button->setText(text);
        button->setToolTip(tip);
        button->setObjectName(QLatin1String(name));
        connect(button, &QToolButton::clicked, this, act);
        row->addWidget(button);
    };
    add(QStringLiteral("−"), tr("Smaller (−)"), "zoomOut",
        [this] { preview_->setZoom(preview_->zoom() / zoomStep); });
    zoom_->setObjectName(QStringLiteral("zoom"));
    zoom_->setAlignment(Qt::AlignCenter);
    zoom_->setMinimumWidth(56);
    row->addWidget(zoom_);
    add(QStringLiteral("+"), tr("Larger (+)"), "zoomIn",
        [this] { preview_->setZoom(preview_->zoom() * zoomStep); });
    add(tr("As printed"), tr("The size on paper (1)"), "actualSize", [this] { preview_->setZoom(1); });
    add(tr("Fit"), tr("Fit to window (F)"), "fitFigure", [this] { preview_->fit(); });
    return bar;
}

QComboBox* FigureDialog::visionBox() {
    auto* box = new QComboBox;
    box->setObjectName(QStringLiteral("vision"));
    // In the order of Vision.
    box->addItems({tr("Seen in colour"), tr("Seen in grey"), tr("Seen without red (protanopia)"),
                   tr("Seen without green (deuteranopia)"), tr("Seen without blue (tritanopia)")});
    box->setToolTip(tr("How the preview is shown; the file keeps its colours"));
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(14);
    connect(box, &QComboBox::currentIndexChanged, this,
            [this](int index) { preview_->setVision(static_cast<Vision>(index)); });
    return box;
}

void FigureDialog::keyPressEvent(QKeyEvent* event) {
    const bool ends = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (ends && !qobject_cast<QPushButton*>(focusWidget())) return event->accept();
    QDialog::keyPressEvent(event);
}

void FigureDialog::refresh() {
    const ExportChoice now = choice();
    settings_->setSubject(source(), now.format);
    marker_->setVisible(source().has.marks);
    styles_->setCurrent(now.style);
    copy_->setEnabled(figureFormatNamed(now.format));
    preview_->setDrawing(
        [source = source(), now] { return source.draw(now.style, source.placed(*now.part)); });
}

void FigureDialog::showSize() {
    const auto& figure = preview_->figure();
    size_->setText(figure ? tr("%1 × %2 mm")
                                .arg(QString::fromStdString(figureNumber(figure->widthMm)),
                                     QString::fromStdString(figureNumber(figure->heightMm)))
                          : QString());
    if (figure) failure_->clear();
    const QString omitted = figure ? omissionsText(*figure) : QString();
    omissions_->setText((source().has.time
                             ? tr("No room for %1: more width, less time or fewer lanes makes some")
                             : tr("No room for %1"))
                            .arg(omitted));
    omissions_->setVisible(!omitted.isEmpty());
    const bool table = !figureFormatNamed(format_->currentData().toString());
    export_->setEnabled(figure || table);
    copy_->setEnabled(figure && !table);
    const bool kept = canBeKept(source());
    keepButton_->setEnabled(figure && kept && !keptName_->text().trimmed().isEmpty());
    keepButton_->setToolTip(kept ? tr("Listed under Figures in the project")
                                 : tr("A project keeps figures of its plans and its cluster alone"));
}

void FigureDialog::copy() {
    const std::shared_ptr<const Figure>& figure = preview_->figure();
    if (!figure) return;
    const ExportChoice now = choice();
    auto* mime = new QMimeData;
    for (const FigureFormat& each : figureFormats()) {
        const bool asText = each.isText && each.id == now.format;
        if (each.mimeType.isEmpty() && !asText) continue;
        const QByteArray bytes = each.write(*figure, now.style);
        if (each.isRaster)
            mime->setImageData(QImage::fromData(bytes));
        else if (!each.mimeType.isEmpty())
            mime->setData(each.mimeType, bytes);
        if (asText) mime->setText(QString::fromUtf8(bytes));
    }
    QGuiApplication::clipboard()->setMimeData(mime);
}

}  // namespace stagecraft::app::figures
