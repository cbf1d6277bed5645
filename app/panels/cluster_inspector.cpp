#include "app/panels/cluster_inspector.h"

#include "app/panels/cluster_fields.h"
#include "app/panels/field_behaviour.h"
#include "core/base/units.h"
#include "core/generation/gpu_catalogue.h"
#include "core/generation/link_rates.h"
#include "views/common/text.h"
#include "views/common/widgets.h"

#include <QComboBox>
#include <QFormLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QShortcut>
#include <QStyle>
#include <QVBoxLayout>

#include <set>

namespace stagecraft::app::panels {
namespace {

constexpr int labelWidth = 72;  // the same in every section

QLabel* narrowLabel(const char* role) {
    auto* label = new QLabel;
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->setProperty("role", role);
    // A long word (an id, a path) must not widen the panel.
    label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    return label;
}

/// What the selection is called: "s0g1", "Link s0g0 – s0pcie0", "8 GPUs, 1 switch".
QString headingOf(const Cluster& cluster, const ClusterPart& part) {
    if (part.isEmpty()) return QObject::tr("Cluster");
    if (part.size() == 1) {
        if (!part.devices.empty())
            return qtText(cluster.devices[static_cast<std::size_t>(part.devices[0])].id);
        if (!part.switches.empty())
            return qtText(cluster.switches[static_cast<std::size_t>(part.switches[0])].id);
        const Link& link = cluster.links[static_cast<std::size_t>(part.links[0])];
        return qtText(link.a) + QString::fromUtf8(" – ") + qtText(link.b);
    }
    QStringList kinds;
    if (!part.devices.empty()) kinds << countedText(static_cast<long long>(part.devices.size()), "GPU");
    if (!part.switches.empty())
        kinds << countedText(static_cast<long long>(part.switches.size()), "switch", "switches");
    if (!part.links.empty()) kinds << countedText(static_cast<long long>(part.links.size()), "link");
    return kinds.join(QStringLiteral(", "));
}

/// What a single GPU's type is said to be by the catalogue.
QString catalogueText(const Gpu& gpu) {
    QString text = QObject::tr("%1: %2, %3 of memory at %4")
                       .arg(qtText(gpu.name), qtText(gpu.architecture), qtText(formatBytes(gpu.memoryBytes)),
                            qtText(formatBandwidth(gpu.memoryBandwidthBps)));
    if (gpu.nvlinks)
        text += QObject::tr(", %1 %2 of %3 one way on the data sheet, of which transfers reach %4")
                    .arg(gpu.nvlinks)
                    .arg(isNvidia(gpu) ? QObject::tr("NVLinks") : QObject::tr("xGMI links"),
                         qtText(formatBandwidth(gpu.nvlinkBps / gpu.nvlinks)),
                         qtText(formatBandwidth(reachedLinkBps(gpu))));
    text += ". " + qtText(gpu.source);
    if (!gpu.unsure.empty()) text += QObject::tr("; unsure: %1").arg(qtText(gpu.unsure));
    return text;
}

/// Which numbers of a GPU are not the catalogue's.
QString setByHandText(const Device& device, const Gpu& gpu) {
    QStringList set;
    if (device.memoryBytes != gpu.memoryBytes) set << QObject::tr("memory");
    if (device.hostBandwidthBps != pcieBps(gpu, LinkRates::reached) &&
        device.hostBandwidthBps != pcieBps(gpu, LinkRates::dataSheet))
        set << QObject::tr("host link");
    if (set.isEmpty()) return {};
    return QObject::tr(". Not the catalogue's: %1").arg(set.join(QStringLiteral(", ")));
}

}  // namespace

ClusterInspector::ClusterInspector(Workspace& workspace, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      heading_(new QLabel),
      detail_(narrowLabel("muted")),
      reason_(narrowLabel("")) {
    setObjectName(QStringLiteral("clusterInspector"));
    heading_->setProperty("role", "heading");
    heading_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->setSpacing(8);
    layout->addWidget(heading_);
    layout->addWidget(detail_);
    layout->addWidget(reason_);
    reason_->setObjectName(QStringLiteral("pairReason"));
    reason_->setTextInteractionFlags(Qt::TextBrowserInteraction);
    reason_->hide();
    connect(reason_, &QLabel::linkActivated, this, &ClusterInspector::changeWanted);
    const QString titles[] = {tr("GPUs"), tr("Switches"), tr("Links")};
    for (int of = 0; of < 3; ++of) {
        auto* section = new QWidget;
        auto* column = new QVBoxLayout(section);
        column->setContentsMargins(0, 0, 0, 0);
        column->setSpacing(4);
        titles_[of] = new QLabel(titles[of]);
        titles_[of]->setProperty("role", "heading");
        column->addWidget(titles_[of]);
        column->addWidget(makeFields(of));
        sections_[of] = section;
        layout->addWidget(section);
    }
    overview_ = makeOverview();
    layout->addWidget(overview_);
    layout->addStretch(1);
    connect(&workspace_, &Workspace::projectReplaced, this, [this] { setSelection({}); });
    connect(&workspace_, &Workspace::problemChanged, this, [this](unsigned parts) {
        if (parts & (clusterPart | drawingPart)) show();
    });
    show();
}

ClusterInspector::~ClusterInspector() { stopListeningToChildren(*this); }

QWidget* ClusterInspector::makeFields(int of) {
    auto* content = new QWidget;
    auto* form = new QFormLayout(content);
    form->setContentsMargins(0, 0, 0, 0);
    form->setHorizontalSpacing(8);
    form->setVerticalSpacing(4);
    form->setLabelAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    auto* behaviour = new FieldBehaviour(this);
    for (const ClusterField& field : clusterFields()) {
        if (static_cast<int>(field.of) != of) continue;
        Row& row = rows_[field.id];
        row.field = &field;
        QWidget* editor = fieldFor(row);
        editor->setToolTip(QString::fromUtf8(field.help));
        behaviour->applyTo(*editor);
        row.error = narrowLabel("error");
        row.error->setObjectName(QLatin1String(field.id) + QStringLiteral("Error"));
        row.error->hide();
        auto* stack = new QVBoxLayout;
        stack->setSpacing(2);
        stack->addWidget(editor);
        stack->addWidget(row.error);
        auto* label = new QLabel(tr(field.label));
        label->setMinimumWidth(labelWidth);
        form->addRow(label, stack);
    }
    if (of == static_cast<int>(ClusterField::Of::links)) {
        sources_ = narrowLabel("muted");
        sources_->setObjectName(QStringLiteral("sources"));
        form->addRow(sources_);
        useDerived_ = new QPushButton(tr("Use the derived rate"));
        useDerived_->setObjectName(QStringLiteral("useDerived"));
        useDerived_->setToolTip(tr("Takes back what was measured of these links; latencies stay"));
        connect(useDerived_, &QPushButton::clicked, this, &ClusterInspector::useDerivedRate);
        form->addRow(useDerived_);
    }
    return content;
}

QWidget* ClusterInspector::fieldFor(Row& row) {
    const std::string id = row.field->id;
    const bool suggests = id == "gpu" || id == "server" || id == "switchServer" || id == "kind";
    if (suggests) {
        row.box = new QComboBox;
        row.box->setEditable(true);
        row.box->setInsertPolicy(QComboBox::NoInsert);
        row.line = row.box->lineEdit();
        connect(row.box, &QComboBox::activated, this, [this, &row] { apply(row); });
    } else {
        row.line = new QLineEdit;
        row.line->setAlignment(row.field->oneAtATime ? Qt::AlignLeft : Qt::AlignRight);
    }
    row.line->setObjectName(QString::fromLatin1(row.field->id));
    connect(row.line, &QLineEdit::editingFinished, this, [this, &row] { apply(row); });
    connect(row.line, &QLineEdit::textEdited, this, [this, &row] { showError(row, {}); });
    auto* escape =
        new QShortcut(QKeySequence(Qt::Key_Escape), row.line, nullptr, nullptr, Qt::WidgetShortcut);
    connect(escape, &QShortcut::activated, this, [this, &row] {
        showRow(row);
        row.line->selectAll();
    });
    return row.box ? static_cast<QWidget*>(row.box) : row.line;
}

QWidget* ClusterInspector::makeOverview() {
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(8);
    name_ = new QLineEdit;
    name_->setObjectName(QStringLiteral("clusterName"));
    name_->setPlaceholderText(tr("Name of the cluster"));
    (new FieldBehaviour(this))->applyTo(*name_);
    connect(name_, &QLineEdit::editingFinished, this, &ClusterInspector::applyName);
    totals_ = narrowLabel("");
    totals_->setObjectName(QStringLiteral("totals"));
    totals_->setWordWrap(false);  // its rows are short, and wrapping lays a table out again and again
    assumptions_ = narrowLabel("");
    assumptions_->setObjectName(QStringLiteral("assumptions"));
    column->addWidget(name_);
    column->addWidget(totals_);
    column->addWidget(assumptions_);
    return content;
}

void ClusterInspector::setSelection(const ClusterPart& selection) {
    // What is typed belongs to what was chosen: it is applied before the fields show something else.
    if (QWidget* focused = focusWidget(); focused && isAncestorOf(focused))
        for (auto& [id, row] : rows_)
            if (row.line == focused) apply(row);
    selection_ = selection;
    show();
}

void ClusterInspector::setReason(const QString& html) {
    reason_->setText(html);
    reason_->setVisible(!html.isEmpty());
}

void ClusterInspector::focusFirst() {
    for (const char* id : {"bandwidth", "gpu", "switchId"}) {
        Row& row = rows_.at(id);
        if (!row.line->isVisible()) continue;
        row.line->setFocus(Qt::OtherFocusReason);
        row.line->selectAll();
        return;
    }
}

ClusterPart ClusterInspector::known() const {
    const Cluster& cluster = workspace_.problem().cluster;
    ClusterPart part = selection_;
    const auto keep = [](std::vector<int>& indices, std::size_t count) {
        std::erase_if(indices, [count](int index) { return static_cast<std::size_t>(index) >= count; });
    };
    keep(part.devices, cluster.devices.size());
    keep(part.switches, cluster.switches.size());
    keep(part.links, cluster.links.size());
    return part;
}

void ClusterInspector::show() {
    selection_ = known();
    const std::size_t counts[] = {selection_.devices.size(), selection_.switches.size(),
                                  selection_.links.size()};
    const int kinds = static_cast<int>(
        std::count_if(std::begin(counts), std::end(counts), [](std::size_t count) { return count > 0; }));
    heading_->setText(headingOf(workspace_.problem().cluster, selection_));
    heading_->setToolTip(heading_->text());
    for (int of = 0; of < 3; ++of) {
        sections_[of]->setVisible(counts[of] > 0);
        titles_[of]->setVisible(kinds > 1);
    }
    suggest();
    for (auto& [id, row] : rows_) showRow(row);
    showSources();
    overview_->setVisible(selection_.isEmpty());
    showOverview();
}

void ClusterInspector::showRow(Row& row) {
    const std::vector<int>& indices = indicesOf(*row.field, selection_);
    if (indices.empty()) return;
    const FieldSummary summary = summarise(*row.field, workspace_.problem().cluster, indices);
    row.shown = qtText(summary.text);
    row.line->setText(row.shown);
    row.line->setPlaceholderText(qtText(summary.hint));
    row.line->setCursorPosition(0);
    row.line->setEnabled(!row.field->oneAtATime || indices.size() == 1);
    showError(row, {});
}

/// The lists that fields offer: the catalogue, servers and kinds that the cluster has.
void ClusterInspector::suggest() {
    const Cluster& cluster = workspace_.problem().cluster;
    std::set<std::string> kinds = {"pcie", "nvlink", "ethernet", "infiniband", "rdma", "socket"};
    for (const Link& link : cluster.links)
        if (!link.kind.empty()) kinds.insert(link.kind);
    QStringList gpus, servers, kindNames;
    for (const Gpu& gpu : gpuCatalogue()) gpus << qtText(gpu.name);
    for (const std::string& server : serverNames(cluster)) servers << qtText(server);
    for (const std::string& kind : kinds) kindNames << qtText(kind);
    const std::pair<const char*, const QStringList*> lists[] = {
        {"gpu", &gpus}, {"server", &servers}, {"switchServer", &servers}, {"kind", &kindNames}};
    for (const auto& [id, list] : lists) {
        QComboBox* box = rows_.at(id).box;
        if (box->count() == list->size() &&
            (list->isEmpty() || box->itemText(box->count() - 1) == list->back()))
            continue;
        const QSignalBlocker quiet(box);
        box->clear();
        box->addItems(*list);
    }
}

void ClusterInspector::showSources() {
    const Cluster& cluster = workspace_.problem().cluster;
    std::set<std::string> sources;
    std::size_t overridden = 0, byHand = 0;
    bool isMeasured = false;
    for (const int index : selection_.links) {
        const Link& link = cluster.links[static_cast<std::size_t>(index)];
        overridden += isOverridden(link);
        isMeasured = isMeasured || link.isMeasured();
        byHand += link.source.empty();
        if (!link.source.empty()) sources.insert(sourceText(link));
    }
    QStringList lines;
    constexpr std::size_t mostShown = 4;
    for (const std::string& source : sources) {
        if (static_cast<std::size_t>(lines.size()) == mostShown) {
            lines << tr("and %1 more").arg(sources.size() - mostShown);
            break;
        }
        lines << qtText(source).toHtmlEscaped().replace(QLatin1Char('\n'), QStringLiteral("<br>"));
    }
    if (byHand && !sources.empty()) lines << tr("%1 of these bandwidths were written by hand").arg(byHand);
    QString text = sources.empty()
                       ? tr("Where this bandwidth comes from is not noted: it was written by hand.")
                       : lines.join(QStringLiteral("<br>"));
    if (overridden) {
        const QString of = overridden == selection_.links.size()
                               ? QString()
                               : tr(": %1 of %2").arg(overridden).arg(selection_.links.size());
        text = "<b>" + tr("Overridden") + of + "</b><br>" + text;
    }
    sources_->setText(text);
    useDerived_->setVisible(isMeasured);

    detail_->clear();
    if (selection_.devices.size() == 1 && selection_.size() == 1) {
        const Device& device = cluster.devices[static_cast<std::size_t>(selection_.devices[0])];
        if (const Gpu* gpu = findGpu(device.gpu))
            detail_->setText(catalogueText(*gpu) + setByHandText(device, *gpu));
    }
    detail_->setVisible(!detail_->text().isEmpty());
}

void ClusterInspector::showOverview() {
    if (!selection_.isEmpty()) return;
    const Cluster& cluster = workspace_.problem().cluster;
    name_->setText(qtText(cluster.name));
    name_->setToolTip(qtText(cluster.name));
    name_->setCursorPosition(0);
    double memory = 0, least = 0, most = 0;
    std::map<std::string, std::size_t> types;
    for (const Device& device : cluster.devices) {
        memory += device.memoryBytes;
        ++types[device.gpu];
    }
    for (const Link& link : cluster.links) {
        least = most > 0 ? std::min(least, link.bandwidthBps) : link.bandwidthBps;
        most = std::max(most, link.bandwidthBps);
    }
    QString rows;
    const auto row = [&rows](const QString& name, const QString& value) {
        rows +=
            "<tr><td style='padding-right:12px'>" + name + "</td><td>" + value.toHtmlEscaped() + "</td></tr>";
    };
    row(tr("Servers"), QString::number(serverNames(cluster).size()));
    row(tr("GPUs"), QString::number(cluster.devices.size()));
    for (const auto& [type, count] : types)
        if (!type.empty() && types.size() <= 6)
            row(QString(), QString::fromUtf8("%1 × %2").arg(count).arg(qtText(type)));
    row(tr("Memory"), qtText(formatBytes(memory)));
    row(tr("Switches"), QString::number(cluster.switches.size()));
    row(tr("Links"), QString::number(cluster.links.size()));
    if (most > 0)
        row(tr("Bandwidth"),
            qtText(formatBandwidth(least)) +
                (most > least ? QString::fromUtf8(" … ") + qtText(formatBandwidth(most)) : QString()));
    totals_->setText("<table cellspacing=0 cellpadding=1>" + rows + "</table>");
    const auto paragraph = [](const std::string& text) {
        return "<p style='margin:4px 0'>" + qtText(text).toHtmlEscaped() + "</p>";
    };
    QString assumed;
    if (!cluster.source.empty()) assumed += "<b>" + tr("From") + "</b>" + paragraph(cluster.source);
    if (!cluster.assumptions.empty()) assumed += "<b>" + tr("Assumed") + "</b>";
    for (const std::string& each : cluster.assumptions) assumed += paragraph(each);
    assumptions_->setText(assumed);
    assumptions_->setVisible(!assumed.isEmpty());
}

void ClusterInspector::apply(Row& row) {
    const QString typed = row.line->text();
    if (showing_ || typed == row.shown || !row.line->isEnabled()) return;
    const std::vector<int>& indices = indicesOf(*row.field, selection_);
    // Several values with nothing typed stay as they are.
    if (indices.empty() || (row.shown.isEmpty() && typed.trimmed().isEmpty())) return;
    try {
        Cluster after = withField(*row.field, workspace_.problem().cluster, indices, typed.toStdString());
        showing_ = true;
        // Of the same things: a name that is as short for a million of them.
        const std::size_t chosen = qHashRange(indices.begin(), indices.end());
        workspace_.editCluster(
            std::move(after), tr("Change %1").arg(tr(row.field->label).toLower()),
            QStringLiteral("inspector/%1/%2").arg(QLatin1String(row.field->id), QString::number(chosen)));
        showing_ = false;
        showRow(row);
    } catch (const std::invalid_argument& error) {
        showing_ = false;
        showError(row, QString::fromUtf8(error.what()));
    }
}

void ClusterInspector::useDerivedRate() {
    Cluster after = workspace_.problem().cluster;
    takeDerivedRates(after, selection_.links);
    workspace_.editCluster(std::move(after), tr("Use derived rate"));
}

void ClusterInspector::applyName() {
    Cluster after = workspace_.problem().cluster;
    const std::string wanted = name_->text().trimmed().toStdString();
    if (after.name == wanted) return;
    after.name = wanted;
    workspace_.editCluster(std::move(after), tr("Rename cluster"), QStringLiteral("inspector/name"));
}

void ClusterInspector::showError(Row& row, const QString& message) {
    row.error->setText(message);
    row.error->setVisible(!message.isEmpty());
    const bool invalid = !message.isEmpty();
    QWidget* field = row.box ? static_cast<QWidget*>(row.box) : row.line;
    if (field->property("invalid").toBool() == invalid) return;
    field->setProperty("invalid", invalid);
    field->style()->unpolish(field);
    field->style()->polish(field);
}

}  // namespace stagecraft::app::panels
