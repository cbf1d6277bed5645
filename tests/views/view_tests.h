#pragma once

#include "core/generation/template_catalogue.h"
#include "tests/support/window_rooms.h"
#include "core/model/cluster.h"
#include "views/figures/figure.h"

#include <QWidget>
#include <QAbstractItemModel>
#include <QApplication>
#include <QWheelEvent>

#include <string>
#include <vector>

namespace stagecraft {

/// What tests of several views need.

inline QString cell(const QAbstractItemModel& model, int row, int column, int role = Qt::DisplayRole) {
    return model.index(row, column).data(role).toString();
}

inline void wheel(QWidget& widget, QPointF at, int notches) {
    QWheelEvent event(at, widget.mapToGlobal(at), {}, {0, 120 * notches}, Qt::NoButton, Qt::NoModifier,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(&widget, &event);
}

/// Of a template, with parameters as the command line takes them: "servers=4".
inline Cluster clusterFrom(const char* id, const std::vector<std::string>& assignments = {}) {
    const ClusterTemplate& chosen = *findClusterTemplate(id);
    ParameterValues values = defaultValues(chosen.parameters);
    for (const std::string& assignment : assignments) setParameter(chosen.parameters, values, assignment);
    return chosen.make(values);
}

/// In the order of drawing.
inline std::vector<QString> textsOf(const Figure& figure) {
    std::vector<QString> texts;
    for (const FigureItem& item : figure.items)
        if (const auto* text = std::get_if<FigureText>(&item)) texts.push_back(text->text);
    return texts;
}

}  // namespace stagecraft
