#pragma once

#include "views/profile/graph/graphviz.h"
#include "views/profile/graph/network_canvas.h"

class QLabel;
class QPushButton;

namespace stagecraft::views::profile {

/// The canvas and a line that says who laid the graph out. A simple layout is there at once; Graphviz's takes
/// its place when it is ready, unless there are so many nodes that it would take minutes.
class NetworkView : public QWidget {
    Q_OBJECT
public:
    explicit NetworkView(QWidget* parent = nullptr);

    void setProfile(const LayerProfile& profile);
    void selectLayer(int layer);  ///< -1: none; no signal
    NetworkCanvas* canvas() const { return canvas_; }
    Graphviz& graphviz() { return graphviz_; }
    QString status() const;

    /// Graphviz is asked for networks of up to this many nodes.
    static constexpr int mostForGraphviz = 700;

protected:
    void showEvent(QShowEvent* event) override;

private:
    void layOut();
    void askGraphviz();
    void say(const QString& status, const QString& button);

    LayerProfile profile_;
    NetworkOutline outline_;
    int selected_ = -1;
    bool stale_ = false;  ///< the profile has not been laid out, since nobody sees it
    NetworkCanvas* canvas_;
    Graphviz graphviz_;
    QLabel* status_;
    QPushButton* button_;
};

}  // namespace stagecraft::views::profile
