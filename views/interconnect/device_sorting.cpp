#include "views/interconnect/device_sorting.h"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace stagecraft::views::interconnect {

namespace {

bool isDigit(char letter) { return letter >= '0' && letter <= '9'; }

/// The digits from `at` on, without leading zeros.
std::string_view numberAt(std::string_view text, std::size_t at) {
    std::size_t end = at;
    while (end < text.size() && isDigit(text[end])) ++end;
    while (at + 1 < end && text[at] == '0') ++at;
    return text.substr(at, end - at);
}

}  // namespace

bool comesBefore(const std::string& a, const std::string& b) {
    std::size_t i = 0, j = 0;
    while (i < a.size() && j < b.size()) {
        if (isDigit(a[i]) && isDigit(b[j])) {
            const std::string_view x = numberAt(a, i), y = numberAt(b, j);
            if (x.size() != y.size()) return x.size() < y.size();
            if (x != y) return x < y;
            while (i < a.size() && isDigit(a[i])) ++i;
            while (j < b.size() && isDigit(b[j])) ++j;
        } else if (a[i] != b[j]) {
            return a[i] < b[j];
        } else {
            ++i;
            ++j;
        }
    }
    return a.size() - i < b.size() - j;
}

std::vector<int> listedOrder(const Cluster& cluster) {
    std::vector<int> order(cluster.devices.size());
    std::iota(order.begin(), order.end(), 0);
    return order;
}

std::vector<int> orderById(const Cluster& cluster) {
    std::vector<int> order = listedOrder(cluster);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        const Device& x = cluster.devices[static_cast<std::size_t>(a)];
        const Device& y = cluster.devices[static_cast<std::size_t>(b)];
        return x.server != y.server ? comesBefore(x.server, y.server) : comesBefore(x.id, y.id);
    });
    return order;
}

}  // namespace stagecraft::views::interconnect
