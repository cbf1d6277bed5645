#pragma once

#include "app/figures/figure_source.h"

#include <QWidget>

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QFormLayout;
class QLineEdit;
class QSpinBox;

namespace stagecraft::app::figures {

class FigureLabelRows;
class FigurePartRows;

/// The fields of a style and of the part of a plan that is drawn. Those that mean nothing to a source or a
/// format are not shown.
class FigureSettings : public QWidget {
    Q_OBJECT

public:
    static constexpr int labelWidth = 84;  ///< pixels, of what is before a field

    /// @param shown what the chart of the window shows; nothing where there is no chart
    explicit FigureSettings(std::optional<FigurePart> shown, QWidget* parent = nullptr);

    void setFigureStyle(const FigureStyle& style);
    /// Without a name.
    FigureStyle figureStyle() const;

    void setPart(const FigurePart& part);
    FigurePart part() const;

    /// Ticks that notes are drawn.
    void showNotes();
    void setSubject(const FigureSource& source, const QString& format);

signals:
    void changed();

private:
    struct Flag {
        QCheckBox* box;
        bool FigureStyle::*member;
    };

    QWidget* sizePart();
    QWidget* typePart();
    QWidget* lookPart();
    QWidget* labelPart();
    QWidget* contentPart(std::optional<FigurePart> shown);
    QCheckBox* flag(const QString& text, const QString& tip, const char* name, bool FigureStyle::*member);
    void watch(QWidget* parent);
    /// The line for own colours is there under that palette alone.
    void showPalette();

    std::vector<Flag> flags_;
    bool filling_ = false;

    QComboBox* venue_;
    QDoubleSpinBox* width_;
    QDoubleSpinBox* lane_;
    QDoubleSpinBox* height_;
    QComboBox* family_;
    QDoubleSpinBox* size_;
    QDoubleSpinBox* numberSize_;
    QComboBox* colours_;
    QComboBox* colouring_;
    QComboBox* palette_;
    QLineEdit* ownColours_;
    QComboBox* axis_;
    QComboBox* panelTime_;
    QSpinBox* panelColumns_;
    QComboBox* order_;
    QSpinBox* dpi_;
    QComboBox* tikz_;
    FigurePartRows* part_ = nullptr;
    FigureLabelRows* labels_ = nullptr;

    QFormLayout* sizes_ = nullptr;
    QFormLayout* looks_ = nullptr;
    QFormLayout* contents_ = nullptr;
    QWidget* content_ = nullptr;
};

}  // namespace stagecraft::app::figures
