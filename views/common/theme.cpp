#include "views/common/theme.h"

#include "views/common/arrow_style.h"
#include "views/common/block_looks.h"
#include "views/common/colour_mixing.h"
#include "views/common/restyling.h"
#include "views/common/style_lookups.h"

#include <QApplication>
#include <QFile>
#include <QPalette>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

static void loadThemeResources() { Q_INIT_RESOURCE(theme); }

namespace stagecraft::views::common {

QColor blockColour(BlockKind kind) { return QColor(lookOf(kind).colour); }

QColor shownBlockColour(BlockKind kind) {
    if (!Theme::current().dark || !isOutOfTurn(kind)) return blockColour(kind);
    return kind == BlockKind::update ? QColor(0xE6, 0xEA, 0xF0) : QColor(0xA3, 0xAB, 0xB6);
}

namespace {

double linear(double channel) {
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double luminance(const QColor& colour) {
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) +
           0.0722 * linear(colour.blueF());
}

/// As WCAG 2 defines it, from 1 to 21.
double contrast(const QColor& a, const QColor& b) {
    const double one = luminance(a), other = luminance(b);
    return (std::max(one, other) + 0.05) / (std::min(one, other) + 0.05);
}

}  // namespace

QColor readableOn(const QColor& background) {
    const QColor black(0, 0, 0), white(0xFF, 0xFF, 0xFF);
    // Charts ask for each of some thousand labels in a frame, on a few colours.
    constexpr std::size_t mostKept = 1024;
    static thread_local std::unordered_map<quint64, bool> isLight;
    if (isLight.size() >= mostKept) isLight.clear();
    const auto [found, isNew] = isLight.try_emplace(background.rgba64());
    if (isNew) found->second = contrast(black, background) >= contrast(white, background);
    return found->second ? black : white;
}

namespace {

/// CIE L*, 0 to 100.
double lightness(const QColor& colour) {
    const double y = luminance(colour);
    return y > 0.008856 ? 116 * std::cbrt(y) - 16 : 903.3 * y;
}

/// The colour of that hue which looks as light as is asked for.
QColor withLightness(double hue, double wanted) {
    constexpr double saturation = 0.52;
    double below = 0, above = 1;
    for (int halving = 0; halving < 24; ++halving) {
        const double middle = (below + above) / 2;
        (lightness(QColor::fromHslF(hue, saturation, middle)) < wanted ? below : above) = middle;
    }
    return QColor::fromHslF(hue, saturation, below);
}

}  // namespace

QColor stageColour(int stage, int stages) {
    Q_UNUSED(stages);
    // Golden-angle steps keep hues of neighbours far apart whatever the number of stages; five shades in turn
    // tell them apart for those who do not see hues.
    constexpr double goldenPart = 0.381966;
    static constexpr std::array shades = {38.0, 60.0, 82.0, 49.0, 71.0};
    constexpr int known = 256;
    static const std::vector<QColor> colours = [] {
        std::vector<QColor> made;
        for (std::size_t i = 0; i < known; ++i)
            made.push_back(withLightness(std::fmod(0.58 + static_cast<double>(i) * goldenPart, 1.0),
                                         shades[i % shades.size()]));
        return made;
    }();
    return colours[static_cast<std::size_t>(std::max(stage, 0) % known)];
}

QColor memoryColour(MemoryKind kind) {
    switch (kind) {
        case MemoryKind::parameters:
            return QColor(0x00, 0x72, 0xB2);
        case MemoryKind::gradients:
            return QColor(0x56, 0xB4, 0xE9);
        case MemoryKind::optimizerState:
            return QColor(0x00, 0x9E, 0x73);
        case MemoryKind::weightVersions:
            return QColor(0xCC, 0x79, 0xA7);
        case MemoryKind::activations:
            return QColor(0xE6, 0x9F, 0x00);
        case MemoryKind::buffers:
            return QColor(0xF0, 0xE4, 0x42);
        case MemoryKind::masterWeights:
            return QColor(0x00, 0x4D, 0x40);
        case MemoryKind::reserved:
            return QColor(0x99, 0x99, 0x99);
    }
    return Qt::gray;
}

namespace {

bool nightInForce = false;

QColor mix(const QColor& a, const QColor& b, double share) {
    return QColor::fromRgbF(a.redF() + (b.redF() - a.redF()) * share,
                            a.greenF() + (b.greenF() - a.greenF()) * share,
                            a.blueF() + (b.blueF() - a.blueF()) * share);
}

/// The style sheet with the colours of `theme` instead of the names between @.
QString styleSheet(const Theme& theme) {
    QFile file(QStringLiteral(":/stagecraft/themes/stagecraft.qss"));
    if (!file.open(QIODevice::ReadOnly)) return {};
    QString sheet = QString::fromUtf8(file.readAll());
    const std::pair<const char*, QColor> colours[] = {{"window", theme.window},
                                                      {"surface", theme.surface},
                                                      {"raised", theme.raised},
                                                      {"text", theme.text},
                                                      {"mutedText", theme.mutedText},
                                                      {"line", theme.line},
                                                      {"accent", theme.accent},
                                                      {"onAccent", readableOn(theme.accent)},
                                                      {"error", theme.error},
                                                      {"ok", theme.ok},
                                                      {"accentHover", mix(theme.accent, theme.text, 0.15)},
                                                      {"hover", mix(theme.raised, theme.text, 0.08)},
                                                      {"selected", mix(theme.surface, theme.accent, 0.25)},
                                                      {"disabled", mix(theme.window, theme.mutedText, 0.6)}};
    for (const auto& [name, colour] : colours)
        sheet.replace(QStringLiteral("@%1@").arg(QLatin1String(name)), colour.name());
    return sheet.replace(QStringLiteral("@mode@"), QLatin1String(theme.dark ? "dark" : "light"));
}

QPalette paletteOf(const Theme& theme) {
    QPalette palette;
    palette.setColor(QPalette::Window, theme.window);
    palette.setColor(QPalette::WindowText, theme.text);
    palette.setColor(QPalette::Base, theme.surface);
    palette.setColor(QPalette::AlternateBase, theme.raised);
    palette.setColor(QPalette::Text, theme.text);
    palette.setColor(QPalette::Button, theme.raised);
    palette.setColor(QPalette::ButtonText, theme.text);
    palette.setColor(QPalette::ToolTipBase, theme.raised);
    palette.setColor(QPalette::ToolTipText, theme.text);
    palette.setColor(QPalette::PlaceholderText, theme.mutedText);
    palette.setColor(QPalette::Highlight, theme.accent);
    palette.setColor(QPalette::HighlightedText, readableOn(theme.accent));
    palette.setColor(QPalette::Link, theme.accent);
    palette.setColor(QPalette::Mid, theme.line);
    for (const QPalette::ColorRole role : {QPalette::Text, QPalette::WindowText, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, theme.mutedText);
    return palette;
}

}  // namespace

const Theme& Theme::light() {
    static const Theme theme{false,
                             QColor(0xF4, 0xF5, 0xF7),
                             QColor(0xFF, 0xFF, 0xFF),
                             QColor(0xFA, 0xFB, 0xFC),
                             QColor(0x1C, 0x22, 0x2B),
                             QColor(0x5B, 0x66, 0x73),
                             QColor(0xD8, 0xDD, 0xE3),
                             QColor(0x1F, 0x6F, 0xEB),
                             QColor(0xB4, 0x23, 0x18),
                             QColor(0x9A, 0x67, 0x00),
                             QColor(0x1A, 0x7F, 0x37)};
    return theme;
}

const Theme& Theme::night() {
    static const Theme theme{true,
                             QColor(0x16, 0x1A, 0x20),
                             QColor(0x1D, 0x22, 0x2A),
                             QColor(0x26, 0x2C, 0x36),
                             QColor(0xE6, 0xEA, 0xF0),
                             QColor(0x9A, 0xA5, 0xB4),
                             QColor(0x37, 0x3F, 0x4B),
                             QColor(0x58, 0xA6, 0xFF),
                             QColor(0xFF, 0x7B, 0x72),
                             QColor(0xE3, 0xB3, 0x41),
                             QColor(0x56, 0xD3, 0x64)};
    return theme;
}

const Theme& Theme::current() { return nightInForce ? night() : light(); }

void applyTheme(QApplication& application, ThemeChoice choice) {
    loadThemeResources();
    // What the system asks for is known only before the first palette of our own.
    static const bool systemIsDark = application.palette().color(QPalette::Window).lightnessF() < 0.4;
    nightInForce = choice == ThemeChoice::dark || (choice == ThemeChoice::system && systemIsDark);
    const Theme& theme = Theme::current();
    const QString sheet = styleSheet(theme);
    if (application.styleSheet() == sheet) return;  // styling every widget anew takes its time
    if (application.styleSheet().isEmpty()) {
        application.setStyle(new ArrowStyle);
        new StyleLookups(application);
        application.setPalette(paletteOf(theme));
        return application.setStyleSheet(sheet);
    }
    // A sheet that replaces another is matched against each widget once for every widget that contains it;
    // one that is taken off and set anew only once. The style itself stays.
    Restyling::of(application).change([&] {
        application.setStyleSheet({});
        application.setPalette(paletteOf(theme));
        application.setStyleSheet(sheet);
    });
}

QColor stageLineColour(int stage, int stages) {
    constexpr double ownPart = 0.6;
    const Theme& theme = Theme::current();
    if (stage < 0) return theme.mutedText;
    const QColor colour = stageColour(stage, stages);
    return theme.dark ? laidOver(colour, QColor(Qt::white), ownPart) : colour;
}

}  // namespace stagecraft::views::common
