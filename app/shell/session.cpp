#include "app/shell/session.h"

#include "app/document/workspace.h"
#include "views/common/text_size.h"

#include <QCoreApplication>
#include <QCryptographicHash>
#include <QFileInfo>
#include <QSettings>
#include <QStandardPaths>

#include <algorithm>

namespace stagecraft::app::shell {
namespace {

constexpr int mostRecent = 12;
const QString themeKey = QStringLiteral("view/theme");
const QString recentKey = QStringLiteral("files/recent");
const QString programsKey = QStringLiteral("planners/folder");
const QString lessonsKey = QStringLiteral("lessons/folder");
const QString textKey = QStringLiteral("view/textPercent");
const QString decimalKey = QStringLiteral("numbers/decimalBytes");
const QString figuresKey = QStringLiteral("numbers/figures");
const QString plannerKey = QStringLiteral("planners/first");
const QString geometryKey = QStringLiteral("window/geometry");

QString sessionFile() {
    return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) +
           QStringLiteral("/sessions.ini");
}

QString groupOf(const QString& projectPath) {
    const QByteArray path = QFileInfo(projectPath).absoluteFilePath().toUtf8();
    return QString::fromLatin1(QCryptographicHash::hash(path, QCryptographicHash::Sha1).toHex());
}

QString keyOf(const SetupField& field) {
    return QStringLiteral("newSetup/") + QString::fromStdString(field.value.name);
}

/// Of the group that the settings are in.
PlanViewState viewStateFrom(const QSettings& settings) {
    PlanViewState plan;
    plan.t0 = settings.value(QStringLiteral("t0"), plan.t0).toDouble();
    plan.t1 = settings.value(QStringLiteral("t1"), plan.t1).toDouble();
    plan.criticalPath = settings.value(QStringLiteral("criticalPath"), plan.criticalPath).toBool();
    plan.bubbles = settings.value(QStringLiteral("bubbles"), plan.bubbles).toBool();
    plan.communication = settings.value(QStringLiteral("communication"), plan.communication).toBool();
    plan.legend = settings.value(QStringLiteral("legend"), plan.legend).toBool();
    plan.colouring = static_cast<BlockColouring>(
        std::clamp(settings.value(QStringLiteral("colouring"), 0).toInt(), 0, blockColouringCount - 1));
    plan.predictions = settings.value(QStringLiteral("predictions"), plan.predictions).toBool();
    plan.details = settings.value(QStringLiteral("details"), plan.details).toBool();
    plan.selected = settings.value(QStringLiteral("selected"), plan.selected).toUInt();
    plan.memoryDevice = settings.value(QStringLiteral("memoryDevice"), plan.memoryDevice).toInt();
    plan.lanes.order = static_cast<LaneOrder>(
        std::clamp(settings.value(QStringLiteral("laneOrder"), 0).toInt(), 0, laneOrderCount - 1));
    plan.lanes.pinned = settings.value(QStringLiteral("pinnedLanes")).toStringList();
    plan.lanes.collapsed = settings.value(QStringLiteral("collapsedServers")).toStringList();
    plan.links = settings.value(QStringLiteral("links"), plan.links).toBool();
    plan.link = settings.value(QStringLiteral("link"), plan.link).toInt();
    plan.pattern = settings.value(QStringLiteral("pattern"), plan.pattern).toBool();
    return plan;
}

void writeViewState(QSettings& settings, const PlanViewState& plan) {
    settings.setValue(QStringLiteral("t0"), plan.t0);
    settings.setValue(QStringLiteral("t1"), plan.t1);
    settings.setValue(QStringLiteral("criticalPath"), plan.criticalPath);
    settings.setValue(QStringLiteral("bubbles"), plan.bubbles);
    settings.setValue(QStringLiteral("communication"), plan.communication);
    settings.setValue(QStringLiteral("legend"), plan.legend);
    settings.setValue(QStringLiteral("colouring"), static_cast<int>(plan.colouring));
    settings.setValue(QStringLiteral("predictions"), plan.predictions);
    settings.setValue(QStringLiteral("details"), plan.details);
    settings.setValue(QStringLiteral("selected"), plan.selected);
    settings.setValue(QStringLiteral("memoryDevice"), plan.memoryDevice);
    settings.setValue(QStringLiteral("laneOrder"), static_cast<int>(plan.lanes.order));
    settings.setValue(QStringLiteral("pinnedLanes"), plan.lanes.pinned);
    settings.setValue(QStringLiteral("collapsedServers"), plan.lanes.collapsed);
    settings.setValue(QStringLiteral("links"), plan.links);
    settings.setValue(QStringLiteral("link"), plan.link);
    settings.setValue(QStringLiteral("pattern"), plan.pattern);
}

std::vector<PlanViewState> viewStatesFrom(QSettings& settings, const QString& array) {
    std::vector<PlanViewState> states;
    const int count = settings.beginReadArray(array);
    for (int i = 0; i < count; ++i) {
        settings.setArrayIndex(i);
        states.push_back(viewStateFrom(settings));
    }
    settings.endArray();
    return states;
}

void writeViewStates(QSettings& settings, const QString& array, const std::vector<PlanViewState>& states) {
    settings.beginWriteArray(array, static_cast<int>(states.size()));
    for (std::size_t i = 0; i < states.size(); ++i) {
        settings.setArrayIndex(static_cast<int>(i));
        writeViewState(settings, states[i]);
    }
    settings.endArray();
}

}  // namespace

ThemeChoice Preferences::theme() {
    return static_cast<ThemeChoice>(
        QSettings().value(themeKey, static_cast<int>(ThemeChoice::system)).toInt());
}

void Preferences::setTheme(ThemeChoice choice) { QSettings().setValue(themeKey, static_cast<int>(choice)); }

QStringList Preferences::recentFiles() {
    QStringList files = QSettings().value(recentKey).toStringList();
    files.removeIf([](const QString& file) { return !QFileInfo::exists(file); });
    return files;
}

void Preferences::addRecentFile(const QString& path) {
    QStringList files = recentFiles();
    const QString absolute = QFileInfo(path).absoluteFilePath();
    files.removeAll(absolute);
    files.prepend(absolute);
    QSettings().setValue(recentKey, QStringList(files.mid(0, mostRecent)));
}

bool Preferences::plansAgain() { return QSettings().value(QStringLiteral("plansAgain"), false).toBool(); }

void Preferences::setPlansAgain(bool on) { QSettings().setValue(QStringLiteral("plansAgain"), on); }

QString Preferences::programsFolder() {
    // A command has no application that says whose settings are meant.
    if (QCoreApplication::applicationName().isEmpty())
        return QSettings(QStringLiteral("Stagecraft"), QStringLiteral("Stagecraft"))
            .value(programsKey)
            .toString();
    return QSettings().value(programsKey).toString();
}

void Preferences::setProgramsFolder(const QString& folder) { QSettings().setValue(programsKey, folder); }

QString Preferences::lessonsFolder() { return QSettings().value(lessonsKey).toString(); }

void Preferences::setLessonsFolder(const QString& folder) { QSettings().setValue(lessonsKey, folder); }

int Preferences::textPercent() {
    return std::clamp(QSettings().value(textKey, 100).toInt(), leastTextPercent, mostTextPercent);
}

void Preferences::setTextPercent(int percent) { QSettings().setValue(textKey, percent); }

NumberStyle Preferences::numbers() {
    const QSettings settings;
    const NumberStyle usual;
    return {settings.value(decimalKey, usual.decimalBytes).toBool(),
            std::clamp(settings.value(figuresKey, usual.figures).toInt(), leastFigures, mostFigures)};
}

void Preferences::setNumbers(const NumberStyle& style) {
    QSettings settings;
    settings.setValue(decimalKey, style.decimalBytes);
    settings.setValue(figuresKey, style.figures);
}

QString Preferences::planner() { return QSettings().value(plannerKey).toString(); }

void Preferences::setPlanner(const QString& id) { QSettings().setValue(plannerKey, id); }

TrainingSetup Preferences::setupOfNew(TrainingSetup setup) {
    for (const SetupField& field : setupFields())
        if (const auto value = newField(field)) field.set(setup, *value);
    return setup;
}

Problem Preferences::startingProblem() {
    Problem problem = newProblem();
    problem.setup = setupOfNew(problem.setup);
    return problem;
}

std::optional<ParameterValue> Preferences::newField(const SetupField& field) {
    const QVariant kept = QSettings().value(keyOf(field));
    if (!kept.isValid()) return std::nullopt;
    try {
        return readParameter(field.value, kept.toString().toStdString());
    } catch (const std::invalid_argument&) {
        return std::nullopt;  // of another version, which had other values
    }
}

void Preferences::setNewField(const SetupField& field, const std::optional<ParameterValue>& value) {
    if (value)
        QSettings().setValue(keyOf(field), QString::fromStdString(toText(field.value, *value)));
    else
        QSettings().remove(keyOf(field));
}

bool Preferences::canvasHabit(const QString& name) {
    return QSettings().value(QStringLiteral("canvas/") + name, true).toBool();
}

void Preferences::setCanvasHabit(const QString& name, bool on) {
    QSettings().setValue(QStringLiteral("canvas/") + name, on);
}

QByteArray Preferences::windowGeometry() { return QSettings().value(geometryKey).toByteArray(); }

void Preferences::setWindowGeometry(const QByteArray& geometry) {
    QSettings().setValue(geometryKey, geometry);
}

SessionState SessionState::load(const QString& projectPath) {
    QSettings settings(sessionFile(), QSettings::IniFormat);
    settings.beginGroup(groupOf(projectPath));
    SessionState state;
    state.tab = settings.value(QStringLiteral("tab")).toString();
    state.windowState = settings.value(QStringLiteral("window")).toByteArray();
    state.training = settings.value(QStringLiteral("training")).toMap();
    state.compare = settings.value(QStringLiteral("compare")).toMap();
    state.plans = viewStatesFrom(settings, QStringLiteral("plans"));
    state.recordings = viewStatesFrom(settings, QStringLiteral("recordings"));
    state.recording = settings.value(QStringLiteral("recording"), 0).toInt();
    return state;
}

void SessionState::save(const QString& projectPath) const {
    QSettings settings(sessionFile(), QSettings::IniFormat);
    settings.beginGroup(groupOf(projectPath));
    settings.setValue(QStringLiteral("tab"), tab);
    settings.setValue(QStringLiteral("window"), windowState);
    settings.setValue(QStringLiteral("training"), training);
    settings.setValue(QStringLiteral("compare"), compare);
    writeViewStates(settings, QStringLiteral("plans"), plans);
    writeViewStates(settings, QStringLiteral("recordings"), recordings);
    settings.setValue(QStringLiteral("recording"), recording);
}

}  // namespace stagecraft::app::shell
