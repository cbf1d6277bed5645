#pragma once

#include "core/training/curves.h"
#include "views/figures/axis.h"

#include <set>

namespace stagecraft::views::training {

/// What a band around a curve spans.
enum class CurveBand { none, deviation, range };

struct CurvesOptions {
    std::vector<stagecraft::training::Measure> measures = {stagecraft::training::Measure::validationLoss,
                                                           stagecraft::training::Measure::validationAccuracy};
    CurveBand band = CurveBand::deviation;
    bool logarithmic = true;  ///< the axes of losses
    std::set<stagecraft::training::Policy> hidden;
    int epochs = 0;  ///< that the epochs' axes have at least
    double widthMm = 88.9;
    double heightMm = 0;  ///< 0: as high as looks well
    double fontPt = 7;
    bool legend = true;
    bool grey = false;
};

/// The curves of one measure, and what their axes span.
struct CurvesPanel {
    stagecraft::training::Measure measure = stagecraft::training::Measure::validationLoss;
    FigureScale x;  ///< places, in epochs or mini-batches
    FigureScale y;  ///< of logarithms to base 10 where `logarithmic`
    bool logarithmic = false;
    QRectF frameMm;  ///< where it is printed

    struct Curve {
        stagecraft::training::Policy policy = stagecraft::training::Policy::synchronous;
        std::vector<stagecraft::training::CurvePoint> points;
    };
    std::vector<Curve> curves;  ///< those that are shown

    /// Where a value is printed; not finite where it has no place on the axis.
    double yOf(double value) const;
    /// "epochs", or how many mini-batches each point is the mean of.
    QString placeTitle() const;
};

bool isLoss(stagecraft::training::Measure measure);
/// The lower and upper end of a band at a point.
std::pair<double, double> bandOf(const stagecraft::training::CurvePoint& point, CurveBand band);
/// A panel for each measure, without its place in print. Losses above 12, far worse than guessing, are cut
/// off.
std::vector<CurvesPanel> curvesPanels(const std::vector<stagecraft::training::PolicyRuns>& runs,
                                      const CurvesOptions& options);

/// Curves of all measures side by side, or below each other where the figure is narrow: the mean over the
/// seeds as a line and their spread as a band.
/// @throws std::invalid_argument if there is no measure or no epoch
Figure curvesFigure(const std::vector<stagecraft::training::PolicyRuns>& runs,
                    const CurvesOptions& options = {});

/// "Validation loss (nats)"
QString measureTitle(stagecraft::training::Measure measure);
/// What line and band are, for a caption: "Mean over 5 seeds; band: ± standard deviation".
QString spreadText(const std::vector<stagecraft::training::PolicyRuns>& runs, CurveBand band);

}  // namespace stagecraft::views::training
