#include "app/document/document_opener.h"

#include "core/formats/configurations/configuration_formats.h"
#include "core/experiments/results.h"
#include "core/formats/profiles/csv_profile.h"
#include "core/formats/profiles/import.h"
#include "core/formats/profiles/profile_format.h"
#include "core/formats/files/import.h"
#include "core/formats/measurements/measured_texts.h"
#include "core/formats/recordings/import.h"
#include "core/formats/text_encoding.h"
#include "core/recordings/recorded_passes.h"
#include "core/recordings/recorded_project.h"
#include "views/common/job.h"

#include <algorithm>

namespace stagecraft::app::document {
namespace {

/// @param kind what the text is by its content
OpenedDocument readAs(FileKind kind, std::string text, const std::filesystem::path& path) {
    const std::string file = path.string();
    switch (kind == FileKind::unknown ? kindOfFileName(file) : kind) {
        case FileKind::cluster:
            return importClusters({{file, std::move(text)}}, {}, kind).cluster;
        case FileKind::plan:
            return readPlan(text, file, path.parent_path());
        case FileKind::experiment:
        case FileKind::results:
            return OpenedExperiment{
                std::make_shared<const ExperimentResults>(readExperimentOrResults(text, file))};
        case FileKind::project:
            return readProject(text, file, path.parent_path(), DrawingMistakes::keep);
        default:
            return importProfile(text, file, {}, kind);
    }
}

OpenedConfiguration readConfigured(const std::string& text, const std::string& file) {
    return {std::make_shared<const Configuration>(readConfiguration(text, file))};
}

FileKind kindOfFile(const QString& path) {
    try {
        return detectKind(readTextFile(path.toStdString()));
    } catch (const std::exception&) {
        return FileKind::unknown;  // opening it says why
    }
}

/// What several files are together.
enum class Together { nothing, servers, profile, recording };

bool areRecording(const QStringList& paths) {
    return std::all_of(paths.begin(), paths.end(), [](const QString& path) {
        const std::filesystem::path file = path.toStdString();
        std::error_code error;  // of a folder nothing else can be read: reading it says what is missing
        return std::filesystem::is_directory(file, error) || isRecording(file);
    });
}

Together togetherOf(const QStringList& paths) {
    if (areRecording(paths)) return Together::recording;
    const FileKind kind = kindOfFile(paths.front());
    const ProfileFormat* format = profileFormatOf(kind);
    if (!isTopology(kind) && !(format && format->takesMore)) return Together::nothing;
    const bool all = std::all_of(paths.begin() + 1, paths.end(), [&](const QString& path) {
        const FileKind other = kindOfFile(path);
        return isTopology(kind) ? isTopology(other) : other == kind;
    });
    return !all ? Together::nothing : isTopology(kind) ? Together::servers : Together::profile;
}

/// Null where passes are not known or no iteration is whole.
std::shared_ptr<const Project> proposedBy(const Recording& recording) {
    try {
        return std::make_shared<const Project>(stagecraft::recordings::projectFrom(recording));
    } catch (const std::invalid_argument&) {
        return nullptr;
    }
}

OpenedDocument readServers(const QStringList& paths) {
    std::vector<TopologyText> texts;
    try {
        for (const QString& path : paths) texts.push_back(readTopologyFile(path.toStdString()));
    } catch (const std::exception&) {
        return failureOf(paths.front());
    }
    return readTopologies(std::move(texts));
}

OpenedDocument readProfileOf(const QStringList& paths) {
    try {
        ProfileImportOptions options;
        for (qsizetype file = 1; file < paths.size(); ++file)
            options.more.push_back({paths[file].toStdString(), readTextFile(paths[file].toStdString())});
        const std::string first = paths.front().toStdString();
        return importProfile(readTextFile(first), first, options);
    } catch (const std::exception&) {
        return failureOf(paths.front());
    }
}

}  // namespace

OpenFailure failureOf(const QString& path) {
    try {
        throw;
    } catch (const InputError& error) {
        return {QString::fromStdString(error.file()), QString::fromStdString(error.place()),
                QString::fromUtf8(error.what())};
    } catch (const std::exception& error) {
        return {path, {}, QStringLiteral("%1: %2").arg(path, QString::fromUtf8(error.what()))};
    }
}

OpenedDocument readDocument(const QString& path) {
    try {
        const std::filesystem::path file = path.toStdString();
        std::string text = readTextFile(file);
        const FileKind kind = detectKind(text);
        if (kind == FileKind::order) return OpenedOrder{std::move(text)};
        if (kind == FileKind::measurements) return OpenedMeasurements{std::move(text)};
        if (isTopology(kind)) return readTopologies({{file.string(), std::move(text)}});
        if (kind == FileKind::unknown && configurationFormatOf(text))
            return readConfigured(text, file.string());
        // Which of its columns are which can be said, whatever they are called.
        const bool isTable = kind == FileKind::unknown && looksLikeTable(text);
        if (kind == FileKind::profileCsv || isTable) {
            readCsvTable(text, path.toStdString());  // so that a faulty one is refused as such
            return OpenedTable{std::move(text)};
        }
        if (kind == FileKind::onnxModel) {
            auto bytes = std::make_shared<const std::string>(std::move(text));
            return OpenedOnnx{bytes, openDimensions(*bytes, path.toStdString())};
        }
        if (const ProfileFormat* format = profileFormatOf(kind); format && format->describe)
            return OpenedModel{std::make_shared<const ModelFile>(format->describe(text, path.toStdString()))};
        if (isOfNoKnownFormat(text, kind)) refuseUnknown(text, file.string());
        return readAs(kind, std::move(text), file);
    } catch (const std::exception&) {
        return failureOf(path);
    }
}

OpenedDocument readRecordingOf(const QStringList& paths, const WorkContext& context) {
    try {
        std::vector<std::filesystem::path> files;
        for (const QString& path : paths) files.emplace_back(path.toStdString());
        Recording read = readRecording(files, context);
        tellWaits(read);
        const auto recording = std::make_shared<const Recording>(std::move(read));
        OpenedRecording opened{paths, std::make_shared<const RecordedRun>(recording)};
        opened.proposed = proposedBy(*recording);
        return opened;
    } catch (const Cancelled&) {
        throw;
    } catch (const std::exception&) {
        return failureOf(paths.front());
    }
}

OpenedDocument readTopologies(std::vector<TopologyText> texts) {
    try {
        OpenedTopology opened;
        opened.imported = importClusters(texts);
        opened.questions = importQuestions(texts.front().text, texts.front().file);
        opened.texts = std::make_shared<const std::vector<TopologyText>>(std::move(texts));
        return opened;
    } catch (const std::exception&) {
        return failureOf(QString::fromStdString(texts.front().file));
    }
}

void DocumentOpener::open(const QStringList& paths) {
    if (paths.size() == 1)
        return read(paths.front(), [paths](const WorkContext& context) {
            return areRecording(paths) ? readRecordingOf(paths, context) : readDocument(paths.front());
        });
    const auto readAll = [this, paths](Together together) {
        if (together == Together::servers)
            read(paths.front(), [paths](const WorkContext&) { return readServers(paths); });
        else if (together == Together::profile)
            read(paths.front(), [paths](const WorkContext&) { return readProfileOf(paths); });
        else if (together == Together::recording)
            read(paths.front(),
                 [paths](const WorkContext& context) { return readRecordingOf(paths, context); });
        else
            for (const QString& path : paths)
                read(path, [path](const WorkContext&) { return readDocument(path); });
    };
    Job::once(this)->start([paths] { return togetherOf(paths); }, readAll);
}

void DocumentOpener::openText(const QString& text, const QString& name) {
    read(name, [text, name](const WorkContext&) -> OpenedDocument {
        std::string plain = plainText(text.toStdString());
        if (areMeasurementsAlone(plain)) return OpenedMeasurements{std::move(plain)};
        const ProfileFormat* format = profileFormatOf(detectProfile(plain));
        if (format && format->describe) {
            try {
                return OpenedModel{
                    std::make_shared<const ModelFile>(format->describe(plain, name.toStdString()))};
            } catch (const std::exception&) {
                return failureOf(name);
            }
        }
        if (detectKind(plain) == FileKind::unknown && configurationFormatOf(plain)) {
            try {
                return readConfigured(plain, name.toStdString());
            } catch (const std::exception&) {
                return failureOf(name);
            }
        }
        return readTopologies({{name.toStdString(), std::move(plain)}});
    });
}

void DocumentOpener::openMeasurements(const QString& path) {
    read(path, [path](const WorkContext&) -> OpenedDocument {
        try {
            return OpenedMeasurements{readTopologyFile(path.toStdString()).text};
        } catch (const std::exception&) {
            return failureOf(path);
        }
    });
}

void DocumentOpener::read(const QString& path, std::function<OpenedDocument(const WorkContext&)> reading) {
    Job* job = Job::once(this);
    job->setObjectName(QStringLiteral("reading"));
    connect(job, &Job::progressed, this, [this, path](double fraction) { emit progressed(path, fraction); });
    connect(job, &Job::ended, this, [this, path](bool stopped) {
        if (stopped) emit cancelled(path);
    });
    job->start(std::move(reading),
               [this, path](const OpenedDocument& document) { emit opened(path, document); });
}

void DocumentOpener::cancel() {
    for (Job* job : findChildren<Job*>(QStringLiteral("reading"))) job->stop();
}

}  // namespace stagecraft::app::document
