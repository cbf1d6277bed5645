#include "views/profile/graph/graphviz.h"

#include "core/base/indices.h"
#include "core/base/process.h"

#include <QList>

#include <chrono>
#include <map>
#include <stdexcept>

namespace stagecraft::views::profile {

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

namespace {

NetworkLayout askDot(const std::string& program, std::chrono::milliseconds limit,
                     const NetworkOutline& outline, const JobContext& context) {
    const std::string text = dotText(outline).toStdString();
    std::optional<ChildProcess> dot;
    try {
        dot.emplace(std::vector<std::string>{program, "-Tplain", "-q"}, std::filesystem::path(), text);
    } catch (const std::exception&) {
        throw std::runtime_error("Graphviz (the program " + program + ") is not installed");
    }
    const std::optional<std::string> answer = dot->output(limit, context.stop);
    context.throwIfStopped();
    if (!answer)
        throw std::runtime_error("Graphviz took longer than " + std::to_string(limit.count() / 1000) + " s");
    const auto layout =
        dot->endedWell() ? readPlain(QByteArray::fromStdString(*answer), outline) : std::nullopt;
    if (!layout) throw std::runtime_error("Graphviz could not lay this graph out");
    return *layout;
}

}  // namespace

Graphviz::Graphviz(QObject* parent) : QObject(parent) {
    connect(&job_, &Job::ended, this, [this](bool, const QString& failure) {
        if (!failure.isEmpty()) emit failed(failure);
    });
}

void Graphviz::start(const NetworkOutline& outline) {
    job_.start([program = program_.toStdString(), limit = std::chrono::milliseconds(limitMs_),
                outline](const JobContext& context) { return askDot(program, limit, outline, context); },
               [this](const NetworkLayout& layout) { emit laidOut(layout); });
}

}  // namespace stagecraft::views::profile
