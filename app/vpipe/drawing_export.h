#pragma once

#include "app/figures/export_choice.h"
#include "views/vpipe/drawing_canvas.h"

#include <functional>

namespace stagecraft::app::vpipe {

/// What can be written of a drawing: itself, and its numbers as a table where there is one.
struct DrawingExport {
    QString name;  ///< of the file
    DrawingCanvas::Draw draw;
    std::function<std::string()> csv;  ///< may be empty
};

/// In the colours and the type of paper. Writes the file atomically.
/// @throws InputError, std::invalid_argument
void writeDrawing(const DrawingExport& what, const ExportChoice& choice, const QString& path);

/// Asks how and where to, and writes. @return what went wrong, or nothing
QString askAndWriteDrawing(const DrawingExport& what, QWidget* parent);

}  // namespace stagecraft::app::vpipe
