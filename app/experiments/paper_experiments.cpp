#include "app/experiments/paper_experiments.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>

#include <algorithm>

namespace stagecraft::app::experiments {

namespace {

constexpr std::pair<const char*, const char*> papers[] = {{"spp", "SPP"},
                                                          {"pipedream", "PipeDream"},
                                                          {"xpipe", "XPipe"},
                                                          {"vpipe", "vPipe"},
                                                          {"madpipe", "MadPipe"}};
const char folder[] = ":/stagecraft/experiments";
const char experimentEnd[] = ".experiment.json", resultsEnd[] = ".results.json";

std::string textOf(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return {};
    return file.readAll().toStdString();
}

QString resourceOf(const QString& id, const char* end) {
    return QLatin1String(folder) + u'/' + id + QLatin1String(end);
}

std::ptrdiff_t paperOrder(const QString& file) {
    const auto* found = std::find_if(std::begin(papers), std::end(papers), [&](const auto& paper) {
        return file.startsWith(QLatin1String(paper.first) + u'-');
    });
    return found - std::begin(papers);
}

/// Sorts as people count: figure 5 before figure 10.
QString byNumber(const QString& file) {
    static const QRegularExpression digits(QStringLiteral("\\d+"));
    QString text;
    qsizetype end = 0;
    for (auto found = digits.globalMatch(file); found.hasNext();) {
        const QRegularExpressionMatch match = found.next();
        text += file.mid(end, match.capturedStart() - end) + match.captured().rightJustified(8, u'0');
        end = match.capturedEnd();
    }
    return text + file.mid(end);
}

std::vector<PaperExperiment> load() {
    QStringList files =
        QDir(QLatin1String(folder)).entryList({QLatin1Char('*') + QLatin1String(experimentEnd)});
    std::sort(files.begin(), files.end(), [&](const QString& a, const QString& b) {
        return std::pair(paperOrder(a), byNumber(a)) < std::pair(paperOrder(b), byNumber(b));
    });
    std::vector<PaperExperiment> all;
    for (const QString& file : files) {
        const QString name = file.chopped(static_cast<int>(sizeof experimentEnd) - 1);
        const std::string id = name.toStdString();
        all.push_back({id, readExperiment(textOf(resourceOf(name, experimentEnd)), id, {})});
    }
    return all;
}

}  // namespace

std::string PaperExperiment::results() const {
    return textOf(resourceOf(QString::fromStdString(id), resultsEnd));
}

const std::vector<PaperExperiment>& paperExperiments() {
    static const std::vector<PaperExperiment> all = load();
    return all;
}

const PaperExperiment* findPaperExperiment(const std::string& id) {
    const auto& all = paperExperiments();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const PaperExperiment& one) { return one.id == id; });
    return found == all.end() ? nullptr : &*found;
}

ExperimentResults shippedResults(const PaperExperiment& paper) {
    const std::string results = paper.results();
    return results.empty() ? emptyResults(paper.experiment()) : readResults(results, paper.id, {});
}

std::string paperTitle(const std::string& paper) {
    for (const auto& [id, title] : papers)
        if (paper == id) return title;
    return paper;
}

}  // namespace stagecraft::app::experiments
