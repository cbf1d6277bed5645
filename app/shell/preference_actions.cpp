#include "app/shell/preference_actions.h"

#include "app/panels/planner_panel.h"
#include "app/preferences/preferences_dialog.h"
#include "app/shell/planner_actions.h"
#include "app/shell/session.h"
#include "app/shell/window_panels.h"
#include "app/shell/window_parts.h"
#include "core/planners/planner.h"
#include "views/common/text_size.h"

#include <QApplication>
#include <QMainWindow>

namespace stagecraft::app::shell {
namespace {

/// What people set differently from each other, of the setup; the rest belongs to a project.
const std::vector<std::string>& offeredFields() {
    static const std::vector<std::string> names = {"microbatches", "mode", "optimizer", "state_precision",
                                                   "channel"};
    return names;
}

const SetupField& fieldNamed(const std::string& name) {
    for (const SetupField& field : setupFields())
        if (field.value.name == name) return field;
    throw std::logic_error("no field of the setup is called " + name);
}

QString labelOf(const SetupField& field) { return QString::fromStdString(field.value.label); }

/// For the next start: at once it would leave the window with both, as what is written already stays.
template <typename Change>
void keepNumbers(Change change) {
    NumberStyle style = Preferences::numbers();
    change(style);
    Preferences::setNumbers(style);
}

}  // namespace

PreferenceActions::PreferenceActions(ActionRegister& actions, PlannerActions& planners, WindowPanels& panels,
                                     QMainWindow& window)
    : QObject(&window), actions_(actions), planners_(planners), panels_(panels), window_(window) {
    actions.add(
        {"edit.preferences", editMenu, tr("Pre&ferences…"), QKeySequence(tr("Ctrl+,")), "setup", true},
        [this] { open(); });
    // Another version may have had others.
    const QString first = Preferences::planner();
    if (findPlanner(first.toStdString())) panels_.planner().choose(first);
}

void PreferenceActions::open() {
    auto* dialog = new PreferencesDialog(preferences(), &window_);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

std::vector<Preference> PreferenceActions::preferences() const {
    std::vector<Preference> all = {theme(), textSize(), byteUnit(), figures(), planner(), planningAgain()};
    for (const std::string& name : offeredFields()) all.push_back(newSetupField(name));
    all.push_back(customFolder());
    all.push_back(lessonsFolder());
    return all;
}

Preference PreferenceActions::theme() const {
    Preference row;
    row.id = QStringLiteral("theme");
    row.group = tr("Appearance");
    row.label = tr("Colours");
    row.help = tr("Those of the system, light or dark. Figures for print have colours of their own.");
    row.choices = {{tr("As the system"), static_cast<int>(ThemeChoice::system)},
                   {tr("Light"), static_cast<int>(ThemeChoice::light)},
                   {tr("Dark"), static_cast<int>(ThemeChoice::dark)}};
    row.standard = static_cast<int>(ThemeChoice::system);
    row.value = [] { return QVariant(static_cast<int>(Preferences::theme())); };
    row.apply = [this](const QVariant& value) {
        constexpr const char* actionOf[] = {"view.themeSystem", "view.themeLight", "view.themeDark"};
        // At once for whoever asks; the action follows when its menu would be off the screen.
        Preferences::setTheme(static_cast<ThemeChoice>(value.toInt()));
        actions_.action(QLatin1String(actionOf[value.toInt()]))->trigger();
    };
    return row;
}

Preference PreferenceActions::textSize() const {
    Preference row;
    row.id = QStringLiteral("textSize");
    row.group = tr("Appearance");
    row.label = tr("Text size");
    row.help = tr(
        "Of all text in the window, in percent of the system's size. Panels that are open keep their width "
        "until the next start.");
    row.least = leastTextPercent;
    row.most = mostTextPercent;
    row.step = 10;
    row.suffix = tr(" %");
    row.standard = 100;
    row.value = [] { return QVariant(Preferences::textPercent()); };
    row.apply = [](const QVariant& value) {
        Preferences::setTextPercent(value.toInt());
        applyTextSize(*qApp, value.toInt());
    };
    return row;
}

Preference PreferenceActions::byteUnit() const {
    Preference row;
    row.id = QStringLiteral("byteUnit");
    row.group = tr("Numbers");
    row.label = tr("Sizes of memory");
    row.help =
        tr("In GiB of 2³⁰ bytes, or in GB of 10⁹, from the next start on. Files, commands and figures stay "
           "as they are.");
    row.choices = {{tr("GiB, MiB, KiB"), false}, {tr("GB, MB, kB"), true}};
    row.standard = NumberStyle{}.decimalBytes;
    row.value = [] { return QVariant(Preferences::numbers().decimalBytes); };
    row.apply = [](const QVariant& value) {
        keepNumbers([&](NumberStyle& style) { style.decimalBytes = value.toBool(); });
    };
    return row;
}

Preference PreferenceActions::figures() const {
    Preference row;
    row.id = QStringLiteral("figures");
    row.group = tr("Numbers");
    row.label = tr("Figures of a number");
    row.help =
        tr("How many digits times, sizes, rates and shares have, from the next start on. Files, commands and "
           "figures stay as they are.");
    row.least = leastFigures;
    row.most = mostFigures;
    row.standard = NumberStyle{}.figures;
    row.value = [] { return QVariant(Preferences::numbers().figures); };
    row.apply = [](const QVariant& value) {
        keepNumbers([&](NumberStyle& style) { style.figures = value.toInt(); });
    };
    return row;
}

Preference PreferenceActions::planner() const {
    Preference row;
    row.id = QStringLiteral("planner");
    row.group = tr("Planning");
    row.label = tr("Planner");
    row.help = tr("The one that Run starts until another is chosen.");
    row.choices = {{tr("All planners"), QString()}};
    for (const std::unique_ptr<Planner>& each : allPlanners())
        row.choices.push_back({QString::fromStdString(each->description().title),
                               QString::fromStdString(each->description().id)});
    row.standard = QString();
    row.value = [] { return QVariant(Preferences::planner()); };
    row.apply = [this](const QVariant& value) {
        Preferences::setPlanner(value.toString());
        panels_.planner().choose(value.toString());
    };
    return row;
}

Preference PreferenceActions::planningAgain() const {
    Preference row;
    row.id = QStringLiteral("planningAgain");
    row.group = tr("Planning");
    row.label = tr("Plans that an edit makes out of date");
    row.help =
        tr("Are planned again at once, after each edit, or when Plan out-of-date plans again is chosen.");
    row.choices = {{tr("When asked"), false}, {tr("At once"), true}};
    row.standard = false;
    row.value = [] { return QVariant(Preferences::plansAgain()); };
    row.apply = [this](const QVariant& value) {
        QAction* action = actions_.action(QStringLiteral("plan.alwaysAgain"));
        if (action->isChecked() != value.toBool()) action->trigger();
    };
    return row;
}

Preference PreferenceActions::newSetupField(const std::string& name) const {
    const SetupField& field = fieldNamed(name);
    Preference row;
    row.id = QStringLiteral("newSetup.") + QString::fromStdString(name);
    row.group = tr("Setup of new projects");
    row.label = labelOf(field);
    row.help = QString::fromStdString(field.value.description);
    const auto usual = [&field] {
        return QVariant(QString::fromStdString(toText(field.value, field.get(newProblem().setup))));
    };
    if (std::holds_alternative<std::string>(field.value.defaultValue)) {
        // As it is where models are planned: some follow from the profile.
        row.choices = {{tr("As usual"), QString()}};
        for (std::size_t i = 0; i < field.value.choices.size(); ++i)
            row.choices.push_back({QString::fromStdString(field.choiceLabels[i]),
                                   QString::fromStdString(field.value.choices[i])});
        row.standard = QString();
        row.value = [&field] {
            const auto kept = Preferences::newField(field);
            return QVariant(kept ? QString::fromStdString(std::get<std::string>(*kept)) : QString());
        };
        row.apply = [&field](const QVariant& value) {
            const std::string text = value.toString().toStdString();
            Preferences::setNewField(field,
                                     text.empty() ? std::nullopt : std::optional<ParameterValue>(text));
        };
        return row;
    }
    constexpr int mostOffered = 4096;
    row.least = static_cast<int>(field.value.minimum);
    row.most = mostOffered;
    row.standard = usual().toInt();
    row.value = [&field, usual] {
        const auto kept = Preferences::newField(field);
        return kept ? QVariant(std::get<int>(*kept)) : QVariant(usual().toInt());
    };
    row.apply = [&field, usual](const QVariant& value) {
        const bool isUsual = value.toInt() == usual().toInt();
        Preferences::setNewField(field,
                                 isUsual ? std::nullopt : std::optional<ParameterValue>(value.toInt()));
    };
    return row;
}

Preference PreferenceActions::customFolder() const {
    Preference row;
    row.id = QStringLiteral("customFolder");
    row.group = tr("Folders");
    row.label = tr("Planners of your own");
    row.help = tr("Programs in this folder are planners and schedule families beside the built-in ones.");
    row.standard = QString();
    row.value = [] { return QVariant(Preferences::programsFolder()); };
    row.apply = [this](const QVariant& value) { planners_.setFolder(value.toString()); };
    return row;
}

Preference PreferenceActions::lessonsFolder() const {
    Preference row;
    row.id = QStringLiteral("lessonsFolder");
    row.group = tr("Folders");
    row.label = tr("Lessons of your own");
    row.help = tr("Lessons in this folder are listed below the others, and Open lesson looks there first.");
    row.standard = QString();
    row.value = [] { return QVariant(Preferences::lessonsFolder()); };
    row.apply = [](const QVariant& value) { Preferences::setLessonsFolder(value.toString()); };
    return row;
}

}  // namespace stagecraft::app::shell
