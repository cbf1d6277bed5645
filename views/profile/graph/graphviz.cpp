#include "views/profile/graph/graphviz.h"

#include "core/base/indices.h"

#include <QList>
#include <QProcess>
#include <QTimer>

namespace stagecraft {

namespace {

constexpr double pixelsPerInch = 72;

/// Nodes are called n0, n1, …. @returns -1 for anything else
int nodeNamed(const QByteArray& name, int nodes) {
    bool isNumber = false;
    const int node = name.mid(1).toInt(&isNumber);
    return name.startsWith('n') && isNumber && node >= 0 && node < nodes ? node : -1;
}

/// The B-spline of an edge: a point and then three for each piece.
QPainterPath splineOf(const QList<QByteArray>& fields, int points) {
    const auto point = [&](int i) {
        return QPointF(fields[4 + 2 * i].toDouble() * pixelsPerInch,
                       -fields[5 + 2 * i].toDouble() * pixelsPerInch);
    };
    QPainterPath path(point(0));
    for (int i = 1; i + 2 < points; i += 3) path.cubicTo(point(i), point(i + 1), point(i + 2));
    return path;
}

}  // namespace

QByteArray dotText(const NetworkOutline& outline) {
    QByteArray text =
        "digraph {\nrankdir=LR; nodesep=0.25; ranksep=0.4;\nnode [shape=box, fixedsize=true, label=\"\", ";
    text += "width=" + QByteArray::number(nodeWidth / pixelsPerInch) +
            ", height=" + QByteArray::number(nodeHeight / pixelsPerInch) + "];\n";
    std::vector<QByteArray> members(at(outline.groups));
    for (int node = 0; node < outline.nodes; ++node) {
        const QByteArray name = "n" + QByteArray::number(node) + ";";
        const int group = outline.groupOf.empty() ? -1 : outline.groupOf[at(node)];
        (group < 0 ? text : members[at(group)]) += name;
    }
    for (std::size_t group = 0; group < members.size(); ++group)
        text += "subgraph cluster_" + QByteArray::number(qulonglong(group)) + " {" + members[group] + "}\n";
    for (const LayerEdge& edge : outline.edges)
        text += "n" + QByteArray::number(edge.from) + "->n" + QByteArray::number(edge.to) + ";\n";
    return text + "}\n";
}

std::optional<NetworkLayout> readPlain(const QByteArray& text, const NetworkOutline& outline) {
    NetworkLayout layout;
    layout.nodes.resize(at(outline.nodes));
    layout.edges.resize(outline.edges.size());
    std::map<std::pair<int, int>, std::size_t> edgeIndex;
    for (std::size_t i = 0; i < outline.edges.size(); ++i)
        edgeIndex[{outline.edges[i].from, outline.edges[i].to}] = i;
    int nodesRead = 0;
    bool stopped = false;
    for (const QByteArray& line : text.split('\n')) {
        const QList<QByteArray> fields = line.split(' ');
        stopped = stopped || fields[0] == "stop";
        if (fields[0] == "node" && fields.size() >= 4) {
            const int node = nodeNamed(fields[1], outline.nodes);
            if (node < 0) return std::nullopt;
            const QPointF centre(fields[2].toDouble() * pixelsPerInch, -fields[3].toDouble() * pixelsPerInch);
            layout.nodes[at(node)] =
                QRectF(centre - QPointF(nodeWidth, nodeHeight) / 2, QSizeF(nodeWidth, nodeHeight));
            ++nodesRead;
        } else if (fields[0] == "edge" && fields.size() >= 4) {
            const int points = fields[3].toInt();
            const auto found =
                edgeIndex.find({nodeNamed(fields[1], outline.nodes), nodeNamed(fields[2], outline.nodes)});
            if (found == edgeIndex.end() || points < 4 || fields.size() < 4 + 2 * points) return std::nullopt;
            layout.edges[found->second] = splineOf(fields, points);
        }
    }
    if (!stopped || nodesRead != outline.nodes) return std::nullopt;
    encloseGroups(layout, outline);
    return layout;
}

Graphviz::Graphviz(QObject* parent) : QObject(parent), limit_(new QTimer(this)) {
    limit_->setSingleShot(true);
    connect(limit_, &QTimer::timeout, this, [this] {
        cancel();
        emit failed(QString("Graphviz took longer than %1 s").arg(limitMs_ / 1000));
    });
}

Graphviz::~Graphviz() { cancel(); }

void Graphviz::start(const NetworkOutline& outline) {
    cancel();
    outline_ = outline;
    process_ = new QProcess(this);
    connect(process_, &QProcess::finished, this, [this](int code, QProcess::ExitStatus status) {
        finish(status == QProcess::NormalExit && code == 0);
    });
    connect(process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            fail(QString("Graphviz (the program %1) is not installed").arg(program_));
    });
    connect(process_, &QProcess::started, process_, [process = process_, text = dotText(outline)] {
        process->write(text);
        process->closeWriteChannel();
    });
    limit_->start(limitMs_);
    process_->start(program_, {QStringLiteral("-Tplain")});
}

void Graphviz::cancel() {
    limit_->stop();
    if (!process_) return;
    process_->disconnect(this);
    process_->kill();
    // It ends on its own; waiting for that would hold the window up.
    connect(process_, &QProcess::finished, process_, &QObject::deleteLater);
    process_->setParent(nullptr);
    process_ = nullptr;
}

void Graphviz::finish(bool well) {
    const QByteArray text = process_->readAllStandardOutput();
    const auto layout = well ? readPlain(text, outline_) : std::nullopt;
    if (!layout) return fail("Graphviz could not lay this graph out");
    limit_->stop();
    process_->deleteLater();
    process_ = nullptr;
    emit laidOut(*layout);
}

void Graphviz::fail(const QString& reason) {
    limit_->stop();
    process_->disconnect(this);
    process_->deleteLater();
    process_ = nullptr;
    emit failed(reason);
}

}  // namespace stagecraft
