#include "app/export_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QPushButton>
#include <QRadioButton>
#include <QSpinBox>

namespace stagecraft {
namespace {

struct Venue {
    const char* name;
    double widthMm;
};
// Text widths of the usual venues, and a slide of 16:9.
constexpr Venue venues[] = {
    {"IEEE, one column", 88.9}, {"IEEE, full width", 181.9}, {"ACM, one column", 84.7},
    {"ACM, full width", 178},   {"NeurIPS", 139.7},          {"Slide, 16:9", 320},
};

}  // namespace

ExportDialog::ExportDialog(const ExportChoice& choice, Figure figure, QWidget* parent)
    : QDialog(parent),
      before_(choice),
      figure_(figure),
      shown_(new QRadioButton(tr("What is shown"))),
      everything_(new QRadioButton(tr("Everything"))),
      format_(new QComboBox),
      venue_(new QComboBox),
      width_(new QDoubleSpinBox),
      dpi_(new QSpinBox),
      legend_(new QCheckBox(tr("Legend"))),
      memory_(new QCheckBox(tr("Memory curve"))),
      grey_(new QCheckBox(tr("Shades of grey"))) {
    setWindowTitle(figure == Figure::plan         ? tr("Export plan")
                   : figure == Figure::comparison ? tr("Export comparison")
                   : figure == Figure::training   ? tr("Export training curves")
                   : figure == Figure::pareto     ? tr("Export memory against speed")
                   : figure == Figure::pattern    ? tr("Export pattern")
                                                  : tr("Export cluster"));
    setObjectName(QStringLiteral("exportDialog"));
    shown_->setToolTip(tr("The stretch of time and the lanes that the chart shows now"));
    (choice.everything ? everything_ : shown_)->setChecked(true);
    const std::pair<QString, const char*> formats[] = {{tr("PDF"), "pdf"},
                                                       {tr("SVG"), "svg"},
                                                       {tr("PNG"), "png"},
                                                       {tr("TikZ"), "tikz"},
                                                       {tr("CSV (the blocks as a table)"), "csv"}};
    for (const auto& [name, id] : formats)
        if (figure == Figure::plan || id != QLatin1String("csv")) format_->addItem(name, QLatin1String(id));
    if (figure == Figure::training || figure == Figure::pareto)
        format_->addItem(tr("CSV (the curves as a table)"), QStringLiteral("csv"));
    if (figure == Figure::cluster) {
        format_->addItem(tr("CSV (the bandwidths as a table)"), QStringLiteral("csv"));
        format_->addItem(tr("Graphviz DOT"), QStringLiteral("dot"));
        format_->addItem(tr("Cluster file"), QStringLiteral("json"));
    }
    format_->setObjectName(QStringLiteral("format"));
    format_->setCurrentIndex(std::max(0, format_->findData(choice.format)));
    for (const Venue& venue : venues)
        venue_->addItem(QStringLiteral("%1: %2 mm").arg(QLatin1String(venue.name)).arg(venue.widthMm),
                        venue.widthMm);
    venue_->addItem(tr("Another width"), 0.0);
    width_->setObjectName(QStringLiteral("width"));
    width_->setRange(30, 1000);
    width_->setDecimals(1);
    width_->setSuffix(tr(" mm"));
    width_->setValue(choice.widthMm);
    dpi_->setRange(30, 1200);
    dpi_->setSuffix(tr(" dpi"));
    dpi_->setValue(choice.dpi);
    legend_->setChecked(choice.legend);
    memory_->setChecked(choice.memory);
    grey_->setChecked(choice.grey);

    auto* layout = new QFormLayout(this);
    layout->setContentsMargins(24, 24, 24, 24);
    layout->setSpacing(8);
    layout->addRow(tr("Export"), shown_);
    layout->addRow(QString(), everything_);
    layout->addRow(tr("Format"), format_);
    layout->addRow(tr("Venue"), venue_);
    layout->addRow(tr("Width"), width_);
    layout->addRow(tr("Resolution"), dpi_);
    layout->addRow(tr("With"), legend_);
    layout->addRow(QString(), memory_);
    layout->addRow(QString(), grey_);
    if (figure != Figure::plan && figure != Figure::comparison) {
        layout->setRowVisible(shown_, false);
        layout->setRowVisible(everything_, false);
        layout->setRowVisible(memory_, false);
    }
    if (figure == Figure::comparison) {
        // A chart of bars is always whole and has neither a legend nor memory.
        for (QWidget* field : {static_cast<QWidget*>(shown_), static_cast<QWidget*>(everything_),
                               static_cast<QWidget*>(legend_), static_cast<QWidget*>(memory_)})
            layout->setRowVisible(field, false);
    }
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
    buttons->button(QDialogButtonBox::Ok)->setText(tr("Export…"));
    buttons->button(QDialogButtonBox::Ok)->setProperty("primary", true);
    layout->addRow(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(format_, &QComboBox::currentIndexChanged, this, &ExportDialog::showFormat);
    connect(width_, &QDoubleSpinBox::valueChanged, this, &ExportDialog::showWidth);
    connect(venue_, &QComboBox::activated, this, [this] {
        if (const double chosen = venue_->currentData().toDouble(); chosen > 0) width_->setValue(chosen);
    });
    showFormat();
    showWidth();
}

void ExportDialog::showFormat() {
    const QString format = format_->currentData().toString();
    const QStringList texts = {QStringLiteral("csv"), QStringLiteral("dot"), QStringLiteral("json")};
    const bool figure = !texts.contains(format);
    for (QWidget* field :
         {static_cast<QWidget*>(venue_), static_cast<QWidget*>(width_), static_cast<QWidget*>(legend_),
          static_cast<QWidget*>(memory_), static_cast<QWidget*>(grey_)})
        field->setEnabled(figure);
    dpi_->setEnabled(format == QLatin1String("png"));
}

void ExportDialog::showWidth() {
    const int venue = venue_->findData(width_->value());
    venue_->setCurrentIndex(venue < 0 ? venue_->count() - 1 : venue);
}

ExportChoice ExportDialog::choice() const {
    ExportChoice choice = before_;
    choice.format = format_->currentData().toString();
    choice.everything = everything_->isChecked();
    choice.widthMm = width_->value();
    choice.dpi = dpi_->value();
    choice.legend = legend_->isChecked();
    choice.memory = memory_->isChecked();
    choice.grey = grey_->isChecked();
    return choice;
}

QString ExportDialog::suffixOf(const QString& format) {
    if (format == QLatin1String("json")) return QStringLiteral("cluster.json");
    return format == QLatin1String("tikz") ? QStringLiteral("tex") : format;
}

QString ExportDialog::filterOf(const QString& format) {
    return QStringLiteral("%1 (*.%2)").arg(format.toUpper(), suffixOf(format));
}

}  // namespace stagecraft
