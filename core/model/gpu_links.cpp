#include "core/model/gpu_links.h"

#include "core/base/units.h"

#include <cmath>

namespace stagecraft::model {

namespace {

bool isMi300(const std::string& gfx) { return gfx.rfind("94", 0) == 0; }
bool isMi350(const std::string& gfx) { return gfx.rfind("95", 0) == 0; }

}  // namespace

double reachedNvlinkBps(int computeCapability) {
    const double perLink = computeCapability >= 100  ? 40.1
                           : computeCapability >= 90 ? 20.6
                           : computeCapability >= 87 ? 20
                           : computeCapability >= 86 ? 12
                           : computeCapability >= 70 ? 20
                                                     : 18;
    return std::round(perLink * gigabyte);
}

double dataSheetNvlinkBps(int computeCapability) {
    // GA102 (8.6): 112.5 GB/s both ways over four links.
    const double perLink = computeCapability >= 100  ? 50
                           : computeCapability >= 87 ? 25
                           : computeCapability >= 86 ? 14.0625
                           : computeCapability >= 70 ? 25
                                                     : 20;
    return perLink * gigabyte;
}

double reachedXgmiBps(const std::string& gfx) {
    if (gfx == "90a" || gfx == "910") return 36 * gigabyte;
    if (isMi300(gfx) || isMi350(gfx)) return 48 * gigabyte;
    if (gfx == "1250") return 64 * gigabyte;
    return 24 * gigabyte;
}

double dataSheetXgmiBps(const std::string& gfx) {
    if (gfx == "90a" || gfx == "910") return 50 * gigabyte;
    if (isMi300(gfx)) return 64 * gigabyte;
    if (isMi350(gfx)) return 76.5 * gigabyte;
    if (gfx == "908") return 46 * gigabyte;
    return 0;
}

}  // namespace stagecraft::model
