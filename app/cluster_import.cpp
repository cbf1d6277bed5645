#include "app/cluster_import.h"

#include "app/panels/import_report.h"

#include <QFileInfo>
#include <QFutureWatcher>
#include <QtConcurrentRun>

namespace stagecraft {

ClusterImport::ClusterImport(Workspace& workspace, ImportReport& report, QObject* parent)
    : QObject(parent), workspace_(workspace), report_(report) {
    connect(&report_, &ImportReport::answersChanged, this, &ClusterImport::readAgain);
}

void ClusterImport::begin(const OpenedTopology& opened) {
    texts_ = opened.texts;
    ++run_;
    const QString first = QFileInfo(QString::fromStdString(texts_->front().file)).fileName();
    const QString name =
        texts_->size() == 1 ? first : tr("%1 and %n more", nullptr, int(texts_->size()) - 1).arg(first);
    step_ = tr("Import %1").arg(name);
    mergeKey_ = QStringLiteral("import %1").arg(++imports_);
    report_.setQuestions(tr("%1: %2").arg(name, QString::fromStdString(
                                                    topologyKindName(detectTopology(texts_->front().text)))),
                         opened.questions);
    report_.setResult(opened.imported);
    apply(opened.imported.cluster);
}

void ClusterImport::apply(const Cluster& cluster) { workspace_.editCluster(cluster, step_, mergeKey_); }

void ClusterImport::readAgain() {
    const int run = ++run_;
    auto* watcher = new QFutureWatcher<ReadTopology>(this);
    connect(watcher, &QFutureWatcherBase::finished, this, [this, watcher, run] {
        watcher->deleteLater();
        finish(run, watcher->result());
    });
    watcher->setFuture(QtConcurrent::run([texts = texts_, answers = report_.answers()]() -> ReadTopology {
        try {
            return importClusters(*texts, importOptions(answers));
        } catch (const std::exception& error) {
            return QString::fromUtf8(error.what());
        }
    }));
}

void ClusterImport::finish(int run, const ReadTopology& read) {
    if (run != run_) return;
    if (const auto* imported = std::get_if<ImportedCluster>(&read)) {
        report_.setError({});
        report_.setResult(*imported);
        apply(imported->cluster);
    } else {
        report_.setError(std::get<QString>(read));
    }
    emit updated();
}

}  // namespace stagecraft
