#include "app/help/help_topic.h"

#include <QMetaObject>
#include <QVariant>
#include <QWidget>

namespace stagecraft::app::help {

namespace {

QString topicOfClass(const QMetaObject* type) {
    for (; type; type = type->superClass()) {
        const QString name = QString::fromLatin1(type->className()).section(QStringLiteral("::"), -1);
        for (const auto& [known, topic] : helpTopics())
            if (name == QLatin1String(known)) return QString::fromLatin1(topic);
    }
    return {};
}

}  // namespace

const std::vector<std::pair<const char*, const char*>>& helpTopics() {
    static const std::vector<std::pair<const char*, const char*>> all = {
        {"BubbleMemoryChart", "SCHEDULES"},
        {"ClusterSide", "CLUSTERS"},
        {"CompareView", "PLANNING#comparing-plans"},
        {"CsvDialog", "FORMATS#other-profiles"},
        {"DetailsPane", "ASKING"},
        {"DetailsWindow", "FORMATS#what-a-planner-looked-through"},
        {"EditBar", "EDITING"},
        {"ExperimentsWindow", "EXPERIMENTS"},
        {"FigureDialog", "FIGURES"},
        {"FrontierPage", "AUTO#the-frontier"},
        {"GanttChart", "CHART"},
        {"GenerateDialog", "FORMATS#generated-profiles"},
        {"HitList", "CHART#search"},
        {"LessonPanel", "LESSONS"},
        {"LinkChart", "RESOURCES#links"},
        {"MemoryChart", "RESOURCES#memory"},
        {"MigrationView", "VPIPE"},
        {"MovieDialog", "PLAYING#as-a-movie"},
        {"NewPlanDialog", "PLANNING#from-nothing-to-a-plan"},
        {"NoteList", "CHART#notes"},
        {"ModelDialog", "FORMATS#other-profiles"},
        {"ParetoPage", "MADPIPE#throughput-versus-memory"},
        {"PartitionStrip", "EDITING"},
        {"PatternView", "MADPIPE"},
        {"PlannerPanel", "PLANNING"},
        {"PlanView", "CHART"},
        {"PlayWindow", "PLAYING#playing"},
        {"PreferencesDialog", "PREFERENCES"},
        {"ProblemsPanel", "PLANNING#problems"},
        {"ProfileView", "PROFILES"},
        {"PuzzleWindow", "PUZZLES"},
        {"RangeSection", "ASKING#a-range-of-time"},
        {"RecordingPage", "RECORDINGS#in-the-window"},
        {"ReportPanel", "RECORDINGS#what-a-recording-says"},
        {"ResourceCharts", "RESOURCES"},
        {"RoundsView", "VPIPE"},
        {"SchedulePanel", "SCHEDULES"},
        {"SearchBar", "CHART#search"},
        {"SetupPanel", "PLANNING#the-setup"},
        {"StackView", "PLAYING#plans-one-above-the-other"},
        {"TemplateDialog", "FORMATS#generated-clusters"},
        {"TopologyView", "CLUSTERS"},
        {"TrainingPage", "TRAINING"},
        {"VpipeWindow", "VPIPE"},
        {"WhatIfPanel", "EDITING#what-if"},
    };
    return all;
}

QString helpTopicOf(const QWidget* widget) {
    for (; widget; widget = widget->parentWidget()) {
        if (const QString own = widget->property(helpTopicProperty).toString(); !own.isEmpty()) return own;
        if (const QString topic = topicOfClass(widget->metaObject()); !topic.isEmpty()) return topic;
    }
    return QStringLiteral("CONTENTS");
}

}  // namespace stagecraft::app::help
