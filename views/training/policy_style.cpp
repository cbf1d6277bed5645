#include "views/training/policy_style.h"

#include "views/common/painted_icon.h"
#include "views/common/theme.h"
#include "views/figures/painter_writer.h"

#include <QPainter>

namespace stagecraft::views::training {

using stagecraft::training::Policy;

namespace {

QColor colourOf(Policy policy, const QColor& ink) {
    switch (policy) {
        case Policy::synchronous:
            return ink;
        case Policy::stashing:
            return QColor(0xE6, 0x9F, 0x00);
        case Policy::noStashing:
            return QColor(0xD5, 0x5E, 0x00);
        case Policy::verticalSync:
            return QColor(0xCC, 0x79, 0xA7);
        case Policy::doubleBuffer:
            return QColor(0x00, 0x9E, 0x73);
        case Policy::specTrain:
            return ink.lightnessF() > 0.5f ? QColor(0xBB, 0xCC, 0x33) : QColor(0x77, 0x77, 0x11);
        case Policy::xpipe:
            // The palette's blue is hard to see on a dark surface, where ink is light.
            return ink.lightnessF() > 0.5f ? QColor(0x3D, 0x9E, 0xE0) : QColor(0x00, 0x72, 0xB2);
    }
    return ink;
}

/// In widths of the line.
std::vector<double> dashOf(Policy policy) {
    switch (policy) {
        case Policy::synchronous:
            return {};
        case Policy::stashing:
            return {4, 1.5};
        case Policy::noStashing:
            return {1, 1};
        case Policy::verticalSync:
            return {4, 1.2, 1, 1.2};
        case Policy::doubleBuffer:
            return {4, 1.2, 1, 1.2, 1, 1.2};
        case Policy::specTrain:
            return {2, 1};
        case Policy::xpipe:
            return {7, 1};
    }
    return {};
}

}  // namespace

Stroke policyStroke(Policy policy, const QColor& ink, double widthMm) {
    Stroke stroke{colourOf(policy, ink), widthMm, dashOf(policy)};
    for (double& length : stroke.dashMm) length *= widthMm;
    return stroke;
}

QIcon policySample(Policy policy) {
    return paintedIcon(
        [policy](QPainter& painter, const QRect& rect, QIcon::Mode) {
            constexpr double line = 2;
            Figure figure{double(rect.width()), double(rect.height()), {}, {}};
            const double middle = rect.height() / 2.0;
            figure.add(FigureLine{{0, middle},
                                  {double(rect.width()), middle},
                                  policyStroke(policy, Theme::current().text, line),
                                  false,
                                  {}});
            painter.translate(rect.topLeft());
            paintFigure(painter, figure, 1);
        },
        policySampleSize);
}

}  // namespace stagecraft::views::training
