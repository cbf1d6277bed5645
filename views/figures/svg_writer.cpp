#include "views/figures/figure_writers.h"

#include "views/figures/figure_formats.h"
#include "views/figures/figure_sink.h"

namespace stagecraft::views::figures {
namespace {

std::string xmlEscaped(const QString& text) { return text.toHtmlEscaped().toStdString(); }

std::string attribute(const char* name, const std::string& value) {
    return std::string(" ") + name + "=\"" + value + '"';
}
std::string attribute(const char* name, double value) { return attribute(name, figureNumber(value)); }

std::string boxAttributes(const QRectF& rect) {
    return attribute("x", rect.x()) + attribute("y", rect.y()) + attribute("width", rect.width()) +
           attribute("height", rect.height());
}

std::string svgPoint(const QPointF& at) { return figureNumber(at.x()) + ' ' + figureNumber(at.y()); }

std::string path(const std::vector<QPointF>& points, bool closed) {
    std::string data;
    for (std::size_t i = 0; i < points.size(); ++i) data += (i == 0 ? "M" : "L") + svgPoint(points[i]);
    return "<path" + attribute("d", closed ? data + "Z" : data) + "/>\n";
}

/// Neighbours of one style share a group, which keeps the file small and easy to edit.
class SvgSink : public FigureSink {
public:
    void rectangle(const QRectF& rect, const QColor& fill, const Stroke& stroke,
                   const std::string&) override {
        add(style(fill, stroke), "<rect" + boxAttributes(rect) + "/>\n");
    }
    void polygon(const std::vector<QPointF>& points, const QColor& fill, const Stroke& stroke,
                 const std::string&) override {
        add(style(fill, stroke), path(points, true));
    }
    void polyline(const std::vector<QPointF>& points, const Stroke& stroke, const std::string&) override {
        add(style(QColor(), stroke), path(points, false));
    }
    void segments(const std::vector<QLineF>& lines, const Stroke& stroke, const std::string&) override {
        std::string data;
        for (const QLineF& line : lines) data += "M" + svgPoint(line.p1()) + "L" + svgPoint(line.p2());
        add(style(QColor(), stroke), "<path" + attribute("d", data) + "/>\n");
    }

    void text(const FigureText& text, const QPointF& baseline) override {
        static constexpr const char* anchors[] = {"start", "middle", "end"};
        const std::string shared = attribute("font-size", mmOfPoints(text.sizePt)) +
                                   attribute("text-anchor", anchors[static_cast<int>(text.anchor)]) +
                                   attribute("fill", text.colour.name().toStdString()) +
                                   (text.bold ? attribute("font-weight", "bold") : "") +
                                   (text.italic ? attribute("font-style", "italic") : "");
        const std::string turn = text.rotationDeg == 0
                                     ? ""
                                     : attribute("transform", "rotate(" + figureNumber(text.rotationDeg) +
                                                                  ' ' + svgPoint(baseline) + ')');
        add(shared, "<text" + attribute("x", baseline.x()) + attribute("y", baseline.y()) + turn + '>' +
                        xmlEscaped(text.text) + "</text>\n");
    }

    void outline(const QPainterPath& path, const QColor& fill) override {
        std::string data;
        for (int i = 0; i < path.elementCount(); ++i) {
            const QPainterPath::Element element = path.elementAt(i);
            static constexpr const char* commands[] = {"M", "L", "C", " "};
            data += commands[element.type] + svgPoint(element);
        }
        if (!data.empty()) add(style(fill, {}), "<path" + attribute("d", data) + "/>\n");
    }

    void beginClip(const QRectF& rect) override {
        closeGroup();
        const std::string id = "clip" + std::to_string(clips_++);
        body_ += "<clipPath" + attribute("id", id) + "><rect" + boxAttributes(rect) + "/></clipPath>\n<g" +
                 attribute("clip-path", "url(#" + id + ")") + ">\n";
    }
    void endClip() override {
        closeGroup();
        body_ += "</g>\n";
    }

    std::string finish() {
        closeGroup();
        return body_;
    }

private:
    static std::string style(const QColor& fill, const Stroke& stroke) {
        std::string text = attribute("fill", fill.isValid() ? fill.name().toStdString() : "none");
        if (!stroke.visible()) return text;
        text += attribute("stroke", stroke.colour.name().toStdString()) +
                attribute("stroke-width", stroke.widthMm);
        std::string dashes;
        for (const double length : stroke.dashMm)
            dashes += (dashes.empty() ? "" : " ") + figureNumber(length);
        return dashes.empty() ? text : text + attribute("stroke-dasharray", dashes);
    }

    void add(const std::string& shared, const std::string& element) {
        if (shared != group_) {
            closeGroup();
            body_ += "<g" + shared + ">\n";
            group_ = shared;
        }
        body_ += element;
    }

    void closeGroup() {
        if (!group_.empty()) body_ += "</g>\n";
        group_.clear();
    }

    std::string body_, group_;
    int clips_ = 0;
};

}  // namespace

QByteArray writeSvg(const Figure& figure) {
    SvgSink sink;
    draw(figure, sink);
    const std::string width = figureNumber(figure.widthMm), height = figureNumber(figure.heightMm);
    const std::string text =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"" +
        attribute("width", width + "mm") + attribute("height", height + "mm") +
        attribute("viewBox", "0 0 " + width + ' ' + height) +
        attribute("font-family", "'" +
                                     (figure.fontFamily.isEmpty() ? std::string(figureFontFamily)
                                                                  : xmlEscaped(figure.fontFamily)) +
                                     "', sans-serif") +
        ">\n" + (figure.title.isEmpty() ? "" : "<title>" + xmlEscaped(figure.title) + "</title>\n") +
        sink.finish() + "</svg>\n";
    return QByteArray::fromStdString(text);
}

FigureFormat svgFormat() {
    FigureFormat format{QStringLiteral("svg"), QStringLiteral("SVG"), {QStringLiteral("svg")}};
    format.mimeType = QStringLiteral("image/svg+xml");
    format.isText = true;
    format.write = [](const Figure& figure, const FigureStyle&) { return writeSvg(figure); };
    return format;
}

}  // namespace stagecraft::views::figures
