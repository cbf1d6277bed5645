#include "core/planners/spp/partition_kernel.h"

#include "core/planners/clones.h"

#include <limits>

namespace stagecraft::planners {

STAGECRAFT_CLONES
void relaxOverSenders(const double* rows, std::size_t stride, int count, const double* bytes,
                      const double* perByte, const double* fixed, double* out) {
    for (std::size_t block = 0; block < stride; block += partitionLanes) {
        double least[partitionLanes], size[partitionLanes];
        for (std::size_t k = 0; k < partitionLanes; ++k) {
            least[k] = std::numeric_limits<double>::infinity();
            size[k] = bytes[block + k];
        }
        const double* values = rows + block;
        for (int sender = 0; sender < count; ++sender, values += stride)
            for (std::size_t k = 0; k < partitionLanes; ++k) {
                const double product = size[k] * perByte[sender];
                const double transfer = product + fixed[sender];
                const double worst = transfer > values[k] ? transfer : values[k];
                least[k] = worst < least[k] ? worst : least[k];
            }
        for (std::size_t k = 0; k < partitionLanes; ++k) out[block + k] = least[k];
    }
}

}  // namespace stagecraft::planners
