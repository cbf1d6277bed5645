#include "core/base/text_parts.h"
#include "core/training/data_set.h"
#include "core/training/digits_csv.h"

#include <stdexcept>

namespace stagecraft::training {

namespace {

constexpr int side = 8;
constexpr int pixels = side * side;
constexpr int whitest = 16;
constexpr int validationEvery = 5;

/// All numbers of the file, row after row.
std::vector<int> numbersOf(std::string_view csv) {
    std::vector<int> numbers;
    for (const std::string_view line : linesOf(csv)) {
        if (line.empty()) continue;
        for (const std::string_view cell : cellsOf(line, ',')) {
            const std::optional<int> number = wholeInteger(cell);
            if (!number) throw std::logic_error("the digits are not whole");
            numbers.push_back(*number);
        }
    }
    return numbers;
}

void append(Samples& samples, const int* row) {
    const Eigen::Index column = samples.count();
    for (int pixel = 0; pixel < pixels; ++pixel)
        samples.values(pixel, column) = static_cast<double>(row[pixel]) / whitest;
    samples.labels.push_back(row[pixels]);
}

DataSet read() {
    const std::vector<int> numbers = numbersOf(digitsCsv());
    const auto rows = static_cast<int>(numbers.size()) / (pixels + 1);
    const int validation = (rows + validationEvery - 1) / validationEvery;
    DataSet data{{Matrix(pixels, rows - validation), {}}, {Matrix(pixels, validation), {}}, 10, side};
    for (int row = 0; row < rows; ++row)
        append(row % validationEvery == 0 ? data.validation : data.training,
               numbers.data() + static_cast<std::ptrdiff_t>(row) * (pixels + 1));
    return data;
}

}  // namespace

const DataSet& digits() {
    static const DataSet data = read();
    return data;
}

}  // namespace stagecraft::training
