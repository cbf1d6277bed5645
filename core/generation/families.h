#pragma once

#include "core/generation/network.h"

namespace stagecraft {

// One file a family. Each leaves NetworkDescription::model to network().
NetworkDescription vgg19();
NetworkDescription resnet152();
NetworkDescription inceptionV3();
/// The base model of Vaswani et al., 2017.
NetworkDescription transformerBase(int sequenceLength);
/// BERT's large configuration with any number of transformer blocks.
NetworkDescription bert(int blocks, int sequenceLength);
/// XLNet's large configuration with any number of blocks.
NetworkDescription xlnet(int blocks, int sequenceLength);

}  // namespace stagecraft
