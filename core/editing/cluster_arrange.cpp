#include "core/editing/cluster_arrange.h"

#include <algorithm>
#include <numeric>

namespace stagecraft::editing {

std::vector<Point> alignment(const std::vector<DrawnBox>& boxes, Alignment wanted) {
    std::vector<Point> moves(boxes.size());
    if (boxes.empty()) return moves;
    const bool across =
        wanted == Alignment::left || wanted == Alignment::centre || wanted == Alignment::right;
    const auto begin = [across](const DrawnBox& box) { return across ? box.left : box.top; };
    const auto size = [across](const DrawnBox& box) { return across ? box.width : box.height; };
    double least = begin(boxes.front()), most = least;
    for (const DrawnBox& box : boxes) {
        least = std::min(least, begin(box));
        most = std::max(most, begin(box) + size(box));
    }
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        double to = least;
        if (wanted == Alignment::right || wanted == Alignment::bottom) to = most - size(boxes[i]);
        if (wanted == Alignment::centre || wanted == Alignment::middle)
            to = (least + most - size(boxes[i])) / 2;
        (across ? moves[i].x : moves[i].y) = to - begin(boxes[i]);
    }
    return moves;
}

std::vector<Point> distribution(const std::vector<DrawnBox>& boxes, ArrangeAxis axis) {
    std::vector<Point> moves(boxes.size());
    if (boxes.size() < 3) return moves;
    const bool across = axis == ArrangeAxis::horizontal;
    const auto begin = [&](std::size_t i) { return across ? boxes[i].left : boxes[i].top; };
    const auto size = [&](std::size_t i) { return across ? boxes[i].width : boxes[i].height; };
    std::vector<std::size_t> order(boxes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return begin(a) + size(a) / 2 < begin(b) + size(b) / 2;
    });
    double filled = 0;
    for (const std::size_t i : order) filled += size(i);
    const double span = begin(order.back()) + size(order.back()) - begin(order.front());
    const double gap = (span - filled) / static_cast<double>(order.size() - 1);
    double to = begin(order.front());
    for (const std::size_t i : order) {
        (across ? moves[i].x : moves[i].y) = to - begin(i);
        to += size(i) + gap;
    }
    return moves;
}

namespace {

bool anyOverlap(const std::vector<DrawnBox>& boxes) {
    for (std::size_t i = 0; i < boxes.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (boxes[i].left < boxes[j].left + boxes[j].width &&
                boxes[j].left < boxes[i].left + boxes[i].width &&
                boxes[i].top < boxes[j].top + boxes[j].height &&
                boxes[j].top < boxes[i].top + boxes[i].height)
                return true;
    return false;
}

}  // namespace

std::vector<Point> quarterTurn(const std::vector<DrawnBox>& boxes) {
    std::vector<Point> moves(boxes.size());
    if (boxes.empty()) return moves;
    double left = boxes[0].left, right = left, top = boxes[0].top, bottom = top;
    for (const DrawnBox& box : boxes) {
        left = std::min(left, box.left);
        right = std::max(right, box.left + box.width);
        top = std::min(top, box.top);
        bottom = std::max(bottom, box.top + box.height);
    }
    const Point middle{(left + right) / 2, (top + bottom) / 2};
    constexpr std::size_t mostCompared = 500;  // beyond that all pairs take too long
    const bool apart = boxes.size() <= mostCompared && !anyOverlap(boxes);
    constexpr double step = 1.1, most = 8;
    for (double wider = 1; wider <= most; wider *= step) {
        std::vector<DrawnBox> turned = boxes;
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            const double x = boxes[i].left + boxes[i].width / 2 - middle.x;
            const double y = boxes[i].top + boxes[i].height / 2 - middle.y;
            moves[i] = {-wider * y - x, wider * x - y};
            turned[i].left += moves[i].x;
            turned[i].top += moves[i].y;
        }
        if (!apart || !anyOverlap(turned)) break;
    }
    return moves;
}

}  // namespace stagecraft::editing
