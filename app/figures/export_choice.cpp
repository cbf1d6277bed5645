#include "app/figures/export_choice.h"

#include "core/formats/input_error.h"
#include "core/formats/text_file.h"
#include "views/figures/figure_style_json.h"

#include <QSettings>

#include <algorithm>

namespace stagecraft::app::figures {
namespace {

const QString group = QStringLiteral("export");
const QString stylesKey = QStringLiteral("figureStyles");
const QString textKey = QStringLiteral("style");

/// Settings that cannot be read count as absent.
std::optional<FigureStyle> styleFrom(const QVariant& value) {
    const QByteArray text = value.toString().toUtf8();
    if (text.isEmpty()) return std::nullopt;
    try {
        return readFigureStyle({text.constData(), static_cast<std::size_t>(text.size())}, "settings");
    } catch (const InputError&) {
        return std::nullopt;
    }
}

QString textOf(const FigureStyle& style) { return QString::fromStdString(writeFigureStyle(style)); }

void writeKept(const std::vector<FigureStyle>& styles) {
    QSettings settings;
    settings.remove(stylesKey);
    settings.beginWriteArray(stylesKey, static_cast<int>(styles.size()));
    for (int i = 0; i < static_cast<int>(styles.size()); ++i) {
        settings.setArrayIndex(i);
        settings.setValue(textKey, textOf(styles[static_cast<std::size_t>(i)]));
    }
    settings.endArray();
}

}  // namespace

ExportChoice ExportChoice::load() {
    QSettings settings;
    settings.beginGroup(group);
    ExportChoice choice;
    choice.format = settings.value(QStringLiteral("format"), choice.format).toString();
    choice.style = styleFrom(settings.value(textKey)).value_or(shippedFigureStyles().front());
    choice.folder = settings.value(QStringLiteral("folder")).toString();
    return choice;
}

void ExportChoice::save() const {
    QSettings settings;
    settings.beginGroup(group);
    settings.setValue(QStringLiteral("format"), format);
    settings.setValue(textKey, textOf(style));
    settings.setValue(QStringLiteral("folder"), folder);
}

std::vector<FigureStyle> keptFigureStyles() {
    QSettings settings;
    std::vector<FigureStyle> styles;
    const int count = settings.beginReadArray(stylesKey);
    for (int i = 0; i < count; ++i) {
        settings.setArrayIndex(i);
        if (auto style = styleFrom(settings.value(textKey))) styles.push_back(std::move(*style));
    }
    settings.endArray();
    return styles;
}

void keepFigureStyle(const FigureStyle& style) {
    if (style.name.empty()) return;
    std::vector<FigureStyle> styles = keptFigureStyles();
    const auto same = std::find_if(styles.begin(), styles.end(),
                                   [&](const FigureStyle& each) { return each.name == style.name; });
    if (same != styles.end())
        *same = style;
    else
        styles.push_back(style);
    writeKept(styles);
}

void forgetFigureStyle(const std::string& name) {
    std::vector<FigureStyle> styles = keptFigureStyles();
    std::erase_if(styles, [&](const FigureStyle& style) { return style.name == name; });
    writeKept(styles);
}

FigureStyle openFigureStyle(const std::filesystem::path& path) {
    return readFigureStyle(readTextFile(path), path.string());
}

void saveFigureStyle(const FigureStyle& style, const std::filesystem::path& path) {
    writeFileAtomically(path, writeFigureStyle(style));
}

}  // namespace stagecraft::app::figures
