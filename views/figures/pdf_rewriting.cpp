#include "views/figures/pdf_rewriting.h"

#include <QByteArrayView>

#include <cstdio>
#include <stdexcept>
#include <vector>

namespace stagecraft {
namespace {

struct PdfObject {
    qsizetype number;
    QByteArray bytes;  ///< from "N 0 obj" to "endobj"
};

[[noreturn]] void unexpected(const char* what) {
    throw std::runtime_error(std::string("the PDF writer gave a file without ") + what);
}

qsizetype find(const QByteArray& bytes, const char* what, qsizetype from = 0) {
    const qsizetype at = bytes.indexOf(what, from);
    if (at < 0) unexpected(what);
    return at;
}

/// The objects in their order in the file, by the cross-reference table (streams may hold any bytes).
std::vector<PdfObject> objectsOf(const QByteArray& pdf, qsizetype table) {
    const qsizetype first = find(pdf, "0 ", table) + 2;
    const qsizetype lineEnd = find(pdf, "\n", first);
    const qsizetype count = pdf.mid(first, lineEnd - first).trimmed().toLongLong();
    std::vector<std::pair<qsizetype, qsizetype>> places;  // offset, number
    for (qsizetype i = 1; i < count; ++i) {
        const QByteArray entry = pdf.mid(lineEnd + 1 + 20 * i, 20);
        if (entry.size() == 20 && entry[17] == 'n') places.emplace_back(entry.left(10).toLongLong(), i);
    }
    std::sort(places.begin(), places.end());
    std::vector<PdfObject> objects;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const qsizetype end = i + 1 < places.size() ? places[i + 1].first : table;
        objects.push_back({places[i].second, pdf.mid(places[i].first, end - places[i].first)});
    }
    return objects;
}

/// Takes away `key` and its value, which ends at `close`.
void removeEntry(QByteArray& dictionary, const char* key, char close) {
    const qsizetype at = dictionary.indexOf(key);
    if (at < 0) return;
    qsizetype end = dictionary.indexOf(close, at);
    if (end < 0) unexpected("an end of an entry");
    dictionary.remove(at, end + 1 - at);
}

QByteArray decimal(double value) { return QByteArray::number(value, 'f', 4); }

}  // namespace

QByteArray withExactPage(const QByteArray& pdf, int pageHeightPt, double widthPt, double heightPt) {
    const qsizetype startMark = pdf.lastIndexOf("startxref");
    if (startMark < 0) unexpected("startxref");
    const qsizetype table = pdf.mid(startMark + 9).trimmed().split('\n').first().trimmed().toLongLong();
    std::vector<PdfObject> objects = objectsOf(pdf, table);
    if (objects.empty()) unexpected("objects");

    bool boxed = false;
    QByteArray result = pdf.left(pdf.indexOf("1 0 obj"));
    std::vector<qsizetype> offsets(objects.size() + 1, -1);
    for (PdfObject& object : objects) {
        if (object.bytes.contains("/Type /Page\n")) {
            const qsizetype at = find(object.bytes, "/MediaBox [");
            const qsizetype end = find(object.bytes, "]", at);
            object.bytes.replace(at, end - at,
                                 "/MediaBox [0 " + decimal(pageHeightPt - heightPt) + ' ' + decimal(widthPt) +
                                     ' ' + decimal(pageHeightPt));
            boxed = true;
        } else if (object.bytes.contains("/CreationDate")) {
            removeEntry(object.bytes, "/CreationDate", ')');
        } else if (object.bytes.contains("begincmap")) {
            // Qt names a space by the last character that has its glyph, a tabulator; searching needs the
            // space.
            object.bytes.replace("<0009>", "<0020>");
        }
        if (object.number >= static_cast<qsizetype>(offsets.size()))
            offsets.resize(static_cast<std::size_t>(object.number) + 1, -1);
        offsets[static_cast<std::size_t>(object.number)] = result.size();
        result += object.bytes;
    }
    if (!boxed) unexpected("a page");

    QByteArray trailer = pdf.mid(find(pdf, "trailer", table), startMark - find(pdf, "trailer", table));
    removeEntry(trailer, "/ID", ']');
    const qsizetype newTable = result.size();
    result +=
        "xref\n0 " + QByteArray::number(static_cast<qlonglong>(offsets.size())) + "\n0000000000 65535 f \n";
    for (std::size_t i = 1; i < offsets.size(); ++i) {
        char entry[24];
        std::snprintf(entry, sizeof entry, "%010lld %05d %c \n",
                      static_cast<long long>(std::max<qsizetype>(offsets[i], 0)), offsets[i] < 0 ? 65535 : 0,
                      offsets[i] < 0 ? 'f' : 'n');
        result += entry;
    }
    return result + trailer + "startxref\n" + QByteArray::number(newTable) + "\n%%EOF\n";
}

}  // namespace stagecraft
