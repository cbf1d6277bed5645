#include "app/figures/figure_settings.h"

#include "app/figures/figure_fields.h"
#include "app/figures/figure_label_rows.h"
#include "app/figures/figure_part_rows.h"
#include "app/panels/field_behaviour.h"
#include "app/panels/section.h"
#include "views/common/widgets.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFontDatabase>
#include <QFormLayout>
#include <QGridLayout>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>

namespace stagecraft::app::figures {
namespace {

QFormLayout* form() {
    auto* layout = new QFormLayout;
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setHorizontalSpacing(8);
    layout->setVerticalSpacing(6);
    layout->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    return layout;
}

/// Fields of all sections begin at one place.
QWidget* aligned(QFormLayout* layout) {
    for (int row = 0; row < layout->rowCount(); ++row)
        if (const QLayoutItem* item = layout->itemAt(row, QFormLayout::LabelRole); item && item->widget())
            item->widget()->setMinimumWidth(FigureSettings::labelWidth);
    return holding(layout);
}

/// A length that 0 leaves open.
QDoubleSpinBox* openLength(const char* name) {
    auto* box = new PlainNumberBox;
    box->setObjectName(QLatin1String(name));
    box->setRange(0, highestLaneMm);
    box->setSuffix(QObject::tr(" mm"));
    box->setSpecialValueText(QObject::tr("as needed"));
    return box;
}

/// A size of type that 0 leaves as the rest.
QDoubleSpinBox* openSize() {
    auto* box = new PlainNumberBox;
    box->setObjectName(QStringLiteral("numberSize"));
    box->setRange(0, largestPt);
    box->setSingleStep(0.5);
    box->setSuffix(QObject::tr(" pt"));
    box->setSpecialValueText(QObject::tr("as the rest"));
    box->setToolTip(QObject::tr("Size of numbers in blocks and cells; all other text has the size above"));
    return box;
}

QStringList colouringChoices() {
    QStringList names;
    for (const ColouringDescription& each : blockColourings) {
        names << QString::fromUtf8(each.name);
        names.back()[0] = names.back()[0].toUpper();
    }
    names.front() = QObject::tr("Kind of block");
    return names;
}

/// Families that figures can be set in: those of the machine whose letters are outlines.
QComboBox* families() {
    auto* box = new QComboBox;
    box->setObjectName(QStringLiteral("family"));
    box->setEditable(true);
    box->setInsertPolicy(QComboBox::NoInsert);
    box->addItem(QString(figureFontFamily));
    for (const QString& family : QFontDatabase::families(QFontDatabase::Latin))
        if (family != QLatin1String(figureFontFamily) && QFontDatabase::isSmoothlyScalable(family) &&
            !QFontDatabase::isPrivateFamily(family))
            box->addItem(family);
    box->setMinimumContentsLength(10);
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    return box;
}

}  // namespace

FigureSettings::FigureSettings(std::optional<FigurePart> shown, QWidget* parent)
    : QWidget(parent),
      venue_(new QComboBox),
      width_(new PlainNumberBox),
      lane_(openLength("laneHeight")),
      height_(openLength("height")),
      family_(families()),
      size_(new PlainNumberBox),
      numberSize_(openSize()),
      colours_(choiceBox("colours", {tr("Colours"), tr("Shades of grey")})),
      colouring_(choiceBox("colouring", colouringChoices())),
      palette_(choiceBox("palette",
                         {tr("Standard"), tr("Okabe–Ito"), tr("Viridis"), tr("Shades of grey"), tr("Own")})),
      ownColours_(new QLineEdit),
      axis_(choiceBox("axis", {tr("Seconds"), tr("Forward passes"), tr("None")})),
      panelTime_(choiceBox("panelTime", {tr("One for all"), tr("One each, same scale"), tr("One each")})),
      panelColumns_(new QSpinBox),
      order_(choiceBox("stageOrder", {tr("First stage above"), tr("First stage below")})),
      dpi_(new QSpinBox),
      tikz_(choiceBox("tikz", {tr("tikzpicture"), tr("Standalone document")})) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(12);
    layout->addWidget(new Section(tr("Size"), sizePart()));
    layout->addWidget(new Section(tr("Type"), typePart()));
    layout->addWidget(new Section(tr("Look"), lookPart()));
    content_ = new Section(tr("Schedule"), contentPart(std::move(shown)));
    layout->addWidget(content_);
    layout->addWidget(new Section(tr("Labels"), labelPart()));
    layout->addStretch();
    auto* behaviour = new FieldBehaviour(this);
    behaviour->applyTo(*this);
    watch(this);
    connect(venue_, &QComboBox::activated, this, [this] {
        if (const double chosen = venue_->currentData().toDouble(); chosen > 0) width_->setValue(chosen);
    });
    const auto showVenue = [this] {
        const QSignalBlocker blocker(venue_);
        const int venue = venue_->findData(width_->value());
        venue_->setCurrentIndex(venue < 0 ? venue_->count() - 1 : venue);
    };
    connect(width_, &QDoubleSpinBox::valueChanged, this, showVenue);
    showVenue();
    setPart({});
}

QWidget* FigureSettings::sizePart() {
    for (const FigureVenue& venue : figureVenues())
        venue_->addItem(QStringLiteral("%1: %2 mm").arg(QLatin1String(venue.name)).arg(venue.widthMm),
                        venue.widthMm);
    venue_->addItem(tr("Another width"), 0.0);
    venue_->setObjectName(QStringLiteral("venue"));
    width_->setObjectName(QStringLiteral("width"));
    width_->setRange(narrowestMm, widestMm);
    width_->setSuffix(tr(" mm"));
    height_->setRange(0, widestMm);
    lane_->setToolTip(tr("Of a lane, a bar, a memory curve or a ribbon"));
    dpi_->setObjectName(QStringLiteral("dpi"));
    dpi_->setRange(coarsestDpi, finestDpi);
    dpi_->setSuffix(tr(" dpi"));
    sizes_ = form();
    sizes_->addRow(tr("Venue"), venue_);
    sizes_->addRow(tr("Width"), width_);
    sizes_->addRow(tr("Height"), height_);
    sizes_->addRow(tr("Lane height"), lane_);
    sizes_->addRow(tr("Resolution"), dpi_);
    sizes_->addRow(tr("TikZ"), tikz_);
    return aligned(sizes_);
}

QWidget* FigureSettings::typePart() {
    size_->setObjectName(QStringLiteral("fontSize"));
    size_->setRange(smallestPt, largestPt);
    size_->setSingleStep(0.5);
    size_->setSuffix(tr(" pt"));
    auto* layout = form();
    layout->addRow(tr("Font"), family_);
    layout->addRow(tr("Size"), size_);
    layout->addRow(tr("In blocks"), numberSize_);
    layout->addRow(QString(), flag(tr("Letters as outlines"),
                                   tr("For printers and programs that lack the font; text can no longer be "
                                      "searched or edited"),
                                   "textAsPaths", &FigureStyle::textAsPaths));
    return aligned(layout);
}

QWidget* FigureSettings::lookPart() {
    looks_ = form();
    looks_->addRow(tr("Colours"), colours_);
    looks_->addRow(tr("Coloured by"), colouring_);
    looks_->addRow(tr("Palette"), palette_);
    ownColours_->setObjectName(QStringLiteral("ownColours"));
    ownColours_->setPlaceholderText(QStringLiteral("#88CCEE, #CC6677"));
    ownColours_->setToolTip(
        tr("Of forward, backward and so on, or of the steps of a colouring, in turn; update=#000000 of one "
           "kind"));
    looks_->addRow(QString(), ownColours_);
    connect(palette_, &QComboBox::currentIndexChanged, this, &FigureSettings::showPalette);
    auto* boxes = new QGridLayout;
    boxes->setContentsMargins(0, 0, 0, 0);
    boxes->setVerticalSpacing(6);
    boxes->addWidget(
        flag(tr("Hatches"), tr("Distinguish kinds without colour"), "hatches", &FigureStyle::hatches), 0, 0);
    boxes->addWidget(flag(tr("Legend"), {}, "legend", &FigureStyle::legend), 0, 1);
    boxes->addWidget(flag(tr("Title"), tr("Papers say it in the caption"), "title", &FigureStyle::title), 1,
                     0);
    boxes->addWidget(flag(tr("Numbers"), tr("Microbatches in the blocks, bandwidths in the cells"), "numbers",
                          &FigureStyle::numbers),
                     1, 1);
    looks_->addRow(holding(boxes));
    return aligned(looks_);
}

QWidget* FigureSettings::labelPart() {
    auto* rows = form();
    labels_ = new FigureLabelRows(*rows);
    connect(labels_, &FigureLabelRows::titleWritten, this, [this] {
        for (const Flag& each : flags_)
            if (each.member == &FigureStyle::title) each.box->setChecked(true);
    });
    return aligned(rows);
}

QWidget* FigureSettings::contentPart(std::optional<FigurePart> shown) {
    contents_ = form();
    contents_->addRow(tr("Axis"), axis_);
    contents_->addRow(tr("Panels' axes"), panelTime_);
    panelColumns_->setObjectName(QStringLiteral("panelColumns"));
    panelColumns_->setRange(fewestColumns, mostPanelColumns);
    panelColumns_->setToolTip(tr("Panels side by side, row by row"));
    contents_->addRow(tr("Columns"), panelColumns_);
    part_ = new FigurePartRows(std::move(shown), *contents_);
    contents_->addRow(tr("Order"), order_);
    auto* boxes = new QGridLayout;
    boxes->setContentsMargins(0, 0, 0, 0);
    boxes->setVerticalSpacing(6);
    boxes->addWidget(flag(tr("Bubbles"), tr("Hatch what is idle"), "bubbles", &FigureStyle::bubbles), 0, 0);
    boxes->addWidget(flag(tr("Transfers"), tr("Lanes for transfers, AllReduce and host links"),
                          "communication", &FigureStyle::communication),
                     0, 1);
    boxes->addWidget(flag(tr("Critical path"), {}, "criticalPath", &FigureStyle::criticalPath), 1, 0);
    boxes->addWidget(
        flag(tr("Memory curve"), tr("Of one device, below the lanes"), "memory", &FigureStyle::memory), 1, 1);
    boxes->addWidget(
        flag(tr("Updates"), tr("Updates, bellwethers and the steady state"), "marks", &FigureStyle::marks), 2,
        0);
    boxes->addWidget(flag(tr("Predictions"), tr("Arrows to the updates that weights anticipate"),
                          "predictions", &FigureStyle::predictions),
                     2, 1);
    boxes->addWidget(flag(tr("Notes"), tr("Notes and bookmarks of the chart; M adds one there"), "notes",
                          &FigureStyle::notes),
                     3, 0);
    boxes->addWidget(flag(tr("Letters"), tr("(a), (b), … at the panels"), "letters", &FigureStyle::letters),
                     3, 1);
    boxes->addWidget(flag(tr("Memory in one frame"), tr("A line for each GPU instead of a panel"),
                          "memoryLines", &FigureStyle::memoryLines),
                     4, 0, 1, 2);
    boxes->addWidget(
        flag(tr("Line for a name"), tr("Above the empty lanes"), "nameLine", &FigureStyle::nameLine), 5, 0, 1,
        2);
    boxes->addWidget(
        flag(tr("Sent within stages"), tr("A strip in passes, dark while GPUs that divide layers send"),
             "insides", &FigureStyle::insides),
        6, 0, 1, 2);
    contents_->addRow(holding(boxes));
    return aligned(contents_);
}

QCheckBox* FigureSettings::flag(const QString& text, const QString& tip, const char* name,
                                bool FigureStyle::*member) {
    auto* box = new QCheckBox(text);
    box->setToolTip(tip);
    box->setObjectName(QLatin1String(name));
    flags_.push_back({box, member});
    return box;
}

void FigureSettings::watch(QWidget* parent) {
    const auto tell = [this] {
        if (!filling_) emit changed();
    };
    for (auto* box : parent->findChildren<QCheckBox*>()) connect(box, &QCheckBox::toggled, this, tell);
    for (auto* box : parent->findChildren<QDoubleSpinBox*>())
        connect(box, &QDoubleSpinBox::valueChanged, this, tell);
    for (QSpinBox* box : {dpi_, panelColumns_}) connect(box, &QSpinBox::valueChanged, this, tell);
    for (auto* box : parent->findChildren<QComboBox*>())
        if (box != venue_ && box != family_) connect(box, &QComboBox::currentIndexChanged, this, tell);
    connect(labels_, &FigureLabelRows::changed, this, tell);
    connect(family_, &QComboBox::currentTextChanged, this, tell);
    connect(ownColours_, &QLineEdit::textChanged, this, tell);
    connect(part_, &FigurePartRows::panelsChanged, this, tell);
}

void FigureSettings::showPalette() {
    looks_->setRowVisible(ownColours_, looks_->isRowVisible(palette_) &&
                                           palette_->currentIndex() == static_cast<int>(PaletteKind::own));
}

void FigureSettings::setFigureStyle(const FigureStyle& style) {
    filling_ = true;
    width_->setValue(style.widthMm);
    height_->setValue(style.heightMm);
    lane_->setValue(style.laneMm);
    const QString family = QString::fromStdString(style.fontFamily);
    family_->setCurrentIndex(family_->findText(family));  // where its list opens
    family_->setEditText(family);
    size_->setValue(style.fontPt);
    numberSize_->setValue(style.numberPt);
    colours_->setCurrentIndex(style.grey ? 1 : 0);
    colouring_->setCurrentIndex(static_cast<int>(style.colouring));
    palette_->setCurrentIndex(static_cast<int>(style.palette));
    ownColours_->setText(QString::fromStdString(style.ownColours));
    axis_->setCurrentIndex(static_cast<int>(style.axis));
    labels_->setFigureStyle(style);
    panelTime_->setCurrentIndex(static_cast<int>(style.panelTime));
    panelColumns_->setValue(style.panelColumns);
    order_->setCurrentIndex(style.firstStageBelow ? 1 : 0);
    dpi_->setValue(style.dpi);
    tikz_->setCurrentIndex(style.standalone ? 1 : 0);
    for (const Flag& each : flags_) each.box->setChecked(style.*each.member);
    filling_ = false;
    emit changed();
}

FigureStyle FigureSettings::figureStyle() const {
    FigureStyle style;
    style.widthMm = width_->value();
    style.heightMm = height_->value();
    style.laneMm = lane_->value() > 0 ? std::max(lane_->value(), lowestLaneMm) : 0;
    const QString family = family_->currentText().trimmed();
    style.fontFamily = family.isEmpty() ? figureFontFamily : family.toStdString();
    style.fontPt = size_->value();
    style.numberPt = numberSize_->value() > 0 ? std::max(numberSize_->value(), smallestPt) : 0;
    style.grey = colours_->currentIndex() == 1;
    style.palette = static_cast<PaletteKind>(palette_->currentIndex());
    style.ownColours = ownColours_->text().trimmed().toStdString();
    style.colouring = static_cast<BlockColouring>(colouring_->currentIndex());
    style.axis = static_cast<FigureAxis>(axis_->currentIndex());
    labels_->applyTo(style);
    style.panelTime = static_cast<PanelTime>(panelTime_->currentIndex());
    style.panelColumns = panelColumns_->value();
    style.firstStageBelow = order_->currentIndex() == 1;
    style.dpi = dpi_->value();
    style.standalone = tikz_->currentIndex() == 1;
    for (const Flag& each : flags_) style.*each.member = each.box->isChecked();
    return style;
}

void FigureSettings::setPart(const FigurePart& part) {
    filling_ = true;
    part_->setPart(part);
    filling_ = false;
}

FigurePart FigureSettings::part() const { return part_->part(); }

void FigureSettings::showNotes() {
    for (const Flag& each : flags_)
        if (each.member == &FigureStyle::notes) {
            each.box->setEnabled(true);
            each.box->setChecked(true);
        }
}

void FigureSettings::setSubject(const FigureSource& source, const QString& format) {
    const auto& has = source.has;
    sizes_->setRowVisible(height_, has.height);
    sizes_->setRowVisible(lane_, has.laneHeight);
    const FigureFormat* figure = figureFormatNamed(format);
    sizes_->setRowVisible(dpi_, figure && figure->isRaster);
    sizes_->setRowVisible(tikz_, figure && figure->isDocument);
    looks_->setRowVisible(colouring_, has.schedule);
    looks_->setRowVisible(palette_, has.schedule);
    showPalette();
    for (int i = 0; i < blockColouringCount; ++i)
        enableItem(*colouring_, i, has.weights || !blockColourings[i].needsOverlap);
    content_->setVisible(has.time || !source.references.isEmpty());
    contents_->setRowVisible(axis_, has.time);
    part_->setSubject(source);
    contents_->setRowVisible(order_, has.schedule);
    for (QWidget* field : {static_cast<QWidget*>(panelTime_), static_cast<QWidget*>(panelColumns_)})
        contents_->setRowVisible(field, !source.plans.isEmpty());
    for (const Flag& each : flags_) {
        const bool ofWeights = each.member == &FigureStyle::marks || each.member == &FigureStyle::predictions;
        const bool ofSchedule = each.member == &FigureStyle::bubbles ||
                                each.member == &FigureStyle::communication ||
                                each.member == &FigureStyle::criticalPath ||
                                each.member == &FigureStyle::memory || each.member == &FigureStyle::notes;
        if (ofWeights) each.box->setVisible(has.weights);
        if (ofSchedule) each.box->setVisible(has.schedule);
        if (each.member == &FigureStyle::notes) each.box->setEnabled(has.notes || each.box->isChecked());
        if (each.member == &FigureStyle::memoryLines)
            each.box->setVisible(!source.plans.isEmpty() || source.id == QLatin1String("memory"));
        if (each.member == &FigureStyle::insides) each.box->setVisible(has.groups);
        if (each.member == &FigureStyle::nameLine) each.box->setVisible(source.id == QLatin1String("lanes"));
        if (each.member == &FigureStyle::letters) each.box->setVisible(!source.plans.isEmpty());
        if (each.member == &FigureStyle::numbers) each.box->setVisible(has.numbers);
        if (each.member == &FigureStyle::legend) each.box->setVisible(has.legend);
    }
    labels_->setSubject(source);
    for (const QFormLayout* each : {sizes_, looks_}) each->parentWidget()->setEnabled(figure);
    size_->parentWidget()->setEnabled(figure);
}

}  // namespace stagecraft::app::figures
