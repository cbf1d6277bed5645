#include "core/formats/configurations/megatron_model.h"

#include "core/base/counted.h"
#include "core/base/text_parts.h"
#include "core/formats/profiles/described_model.h"

#include <algorithm>

namespace stagecraft::formats {

namespace {

/// Python's lists of numbers as --moe-layer-freq has them: "[0]*3+([1]+[0])*2".
class LayerPattern {
public:
    explicit LayerPattern(std::string_view text) : rest_(text) {}

    std::optional<std::vector<int>> read() {
        std::optional<std::vector<int>> list = sum(0);
        return rest_.empty() ? list : std::nullopt;
    }

private:
    static constexpr int deepest = 16;

    bool take(char sign) {
        while (rest_.starts_with(' ')) rest_.remove_prefix(1);
        if (!rest_.starts_with(sign)) return false;
        rest_.remove_prefix(1);
        while (rest_.starts_with(' ')) rest_.remove_prefix(1);
        return true;
    }

    std::optional<int> number() {
        std::size_t length = 0;
        while (length < rest_.size() && rest_[length] >= '0' && rest_[length] <= '9') ++length;
        const std::optional<int> value = wholeInteger(rest_.substr(0, length));
        rest_.remove_prefix(length);
        return value;
    }

    std::optional<std::vector<int>> sum(int depth) {
        std::optional<std::vector<int>> list = product(depth);
        while (list && take('+')) {
            const std::optional<std::vector<int>> next = product(depth);
            if (!next || list->size() + next->size() > static_cast<std::size_t>(mostBlocks))
                return std::nullopt;
            list->insert(list->end(), next->begin(), next->end());
        }
        return list;
    }

    std::optional<std::vector<int>> product(int depth) {
        std::optional<std::vector<int>> list = single(depth);
        while (list && take('*')) {
            const std::optional<int> times = number();
            if (!times || *times < 0 || list->size() * static_cast<std::size_t>(*times) > mostBlocks)
                return std::nullopt;
            std::vector<int> repeated;
            for (int i = 0; i < *times; ++i) repeated.insert(repeated.end(), list->begin(), list->end());
            list = std::move(repeated);
        }
        return list;
    }

    std::optional<std::vector<int>> single(int depth) {
        if (depth > deepest) return std::nullopt;
        if (take('(')) {
            std::optional<std::vector<int>> list = sum(depth + 1);
            return take(')') ? list : std::nullopt;
        }
        if (!take('[')) return std::nullopt;
        std::vector<int> list;
        do {
            const std::optional<int> value = number();
            if (!value || list.size() > static_cast<std::size_t>(mostBlocks)) return std::nullopt;
            list.push_back(*value);
        } while (take(','));
        return take(']') ? std::optional(list) : std::nullopt;
    }

    std::string_view rest_;
};

constexpr const char* modelArguments[] = {
    "--num-layers",
    "--encoder-num-layers",
    "--hidden-size",
    "--num-attention-heads",
    "--group-query-attention",
    "--num-query-groups",
    "--kv-channels",
    "--multi-latent-attention",
    "--q-lora-rank",
    "--kv-lora-rank",
    "--qk-head-dim",
    "--qk-pos-emb-head-dim",
    "--v-head-dim",
    "--qk-layernorm",
    "--swiglu",
    "--quick-geglu",
    "--squared-relu",
    "--ffn-hidden-size",
    "--normalization",
    "--disable-bias-linear",
    "--add-qkv-bias",
    "--attention-dropout",
    "--hidden-dropout",
    "--untie-embeddings-and-output-weights",
    "--position-embedding-type",
    "--use-rotary-position-embeddings",
    "--max-position-embeddings",
    "--num-experts",
    "--moe-router-topk",
    "--moe-ffn-hidden-size",
    "--moe-shared-expert-intermediate-size",
    "--moe-shared-expert-gate",
    "--moe-router-enable-expert-bias",
    "--moe-layer-freq",
    "--make-vocab-size-divisible-by",
    "--padded-vocab-size",
    "--vocab-size",
    "--mtp-num-layers",
};

class MegatronModel {
public:
    MegatronModel(SaidArguments& arguments, int tensor, bool isYaml, Configuration& configuration)
        : arguments_(arguments), tensor_(tensor), isYaml_(isYaml), configuration_(configuration) {}

    void read() {
        const std::optional<int> length =
            firstNumber({"--seq-length", "--encoder-seq-length"}, "tokens of a sample", mostTokens);
        if (length) configuration_.run["sequence_length"] = *length;
        readAttention();
        arguments_.markModel(modelArguments);
        const bool isDescribed = arguments_.has("--hidden-size") || arguments_.has("--num-attention-heads");
        if (!isDescribed) {
            for (const char* name : modelArguments)
                arguments_.note(name, ItemKind::notModelled, modelBesideDecides);
            return;
        }
        readShape();
        readHeads();
        readForm();
        readExperts();
        readVocabulary();
        finish(length);
    }

private:
    std::optional<int> firstNumber(std::initializer_list<const char*> names, const char* meaning, int most) {
        for (const char* name : names)
            if (arguments_.has(name)) return arguments_.number(name, meaning, 1, most);
        return arguments_.number(*names.begin(), meaning, 1, most);
    }

    int required(std::initializer_list<const char*> names, const char* meaning, int most) {
        const std::optional<int> value = firstNumber(names, meaning, most);
        if (!value)
            arguments_.failWithout(
                std::string(*names.begin()) + " is missing, though others describe a model",
                std::string(*names.begin()) + " N, or a model that is named beside");
        return *value;
    }

    void readAttention() {
        bool isFused = true;
        const auto backend =
            arguments_.choice("--attention-backend", {"auto", "flash", "fused", "unfused", "local"},
                              "how attention is computed");
        const auto implementation = arguments_.choice("--transformer-impl", {"local", "transformer_engine"},
                                                      "how attention is computed");
        const bool usesFlash = arguments_.flag("--use-flash-attn", "fused attention");
        if (implementation == "local" || backend == "unfused" || backend == "local") isFused = usesFlash;
        configuration_.run["attention"] = std::string(
            nameOf(attentionKernelNames, isFused ? AttentionKernel::fused : AttentionKernel::stored));
    }

    void readShape() {
        model_.layers = required({"--num-layers", "--encoder-num-layers"}, "blocks", mostBlocks);
        model_.hidden = required({"--hidden-size"}, "numbers of a token", mostHiddenSize);
        model_.heads = required({"--num-attention-heads"}, "heads", mostHeads);
        const bool isGrouped = arguments_.flag("--group-query-attention", "heads share keys and values");
        const std::optional<int> groups =
            arguments_.number("--num-query-groups", "heads of keys and values", 1, mostHeads);
        model_.keyValueHeads = model_.heads;
        if (isGrouped || (isYaml_ && groups)) model_.keyValueHeads = groups.value_or(1);
        if (!isGrouped && !isYaml_)
            arguments_.note("--num-query-groups", ItemKind::withoutMeaning,
                            "it has an effect only with --group-query-attention");
        if (model_.heads % model_.keyValueHeads != 0)
            arguments_.fail("--num-query-groups",
                            counted(model_.keyValueHeads, "query group") + " do not divide " +
                                counted(model_.heads, "head"),
                            "a number that divides the heads");
    }

    void readHeads() {
        const std::optional<int> width =
            arguments_.number("--kv-channels", "numbers of a token in a head", 1, mostHiddenSize);
        model_.headWidth = width
                               ? *width
                               : headWidthOf(model_.hidden, model_.heads,
                                             [&](const std::string& problem, const std::string& expected) {
                                                 arguments_.fail("--num-attention-heads", problem, expected);
                                             });
        if (arguments_.flag("--multi-latent-attention", "latent attention")) {
            LatentAttention latent;
            latent.queryRank = arguments_.numberOr("--q-lora-rank", 0, "rank of queries", 1, mostHiddenSize);
            latent.keyValueRank =
                arguments_.numberOr("--kv-lora-rank", 32, "rank of keys and values", 1, mostHiddenSize);
            latent.plainWidth =
                arguments_.numberOr("--qk-head-dim", 128, "of a head, without position", 1, mostHiddenSize);
            latent.rotaryWidth = arguments_.numberOr("--qk-pos-emb-head-dim", 64, "of a head, with position",
                                                     1, mostHiddenSize);
            latent.valueWidth =
                arguments_.numberOr("--v-head-dim", 128, "of a head's values", 1, mostHiddenSize);
            model_.latent = latent;
        }
        model_.queryKeyNorm = arguments_.flag("--qk-layernorm", "norms of queries and keys");
    }

    void readForm() {
        const bool isSwiglu = arguments_.flag("--swiglu", "a gated feed-forward network");
        const bool isGeglu = arguments_.flag("--quick-geglu", "a gated feed-forward network");
        const bool isRelu = arguments_.flag("--squared-relu", "activation");
        model_.gated = isSwiglu || isGeglu;
        model_.activation = isSwiglu ? Activation::silu : isRelu ? Activation::relu : Activation::gelu;
        const std::optional<int> inner = arguments_.number(
            "--ffn-hidden-size", "inner width of the feed-forward network", 1, mostInnerWidth);
        model_.ffn = inner ? *inner : isSwiglu ? model_.hidden * 8 / 3 / 64 * 64 : 4 * model_.hidden;
        model_.norm = arguments_.choice("--normalization", {"LayerNorm", "RMSNorm"}, "norms") == "RMSNorm"
                          ? NormKind::rms
                          : NormKind::layer;
        const bool hasNone = arguments_.flag("--disable-bias-linear", "no biases");
        const bool inQueries = arguments_.flag("--add-qkv-bias", "biases of queries, keys and values");
        model_.biases = {!hasNone || inQueries, !hasNone, !hasNone};
        const double dropout =
            std::max(arguments_.real("--attention-dropout", "whether masks are kept").value_or(0.1),
                     arguments_.real("--hidden-dropout", "whether masks are kept").value_or(0.1));
        model_.dropout = dropout > 0;
        model_.tied =
            !arguments_.flag("--untie-embeddings-and-output-weights", "a head with weights of its own");
        readPositions();
    }

    void readPositions() {
        const auto kind =
            arguments_.choice("--position-embedding-type",
                              {"learned_absolute", "rope", "mrope", "yarn", "relative", "none"}, "positions");
        const bool isRotary = arguments_.flag("--use-rotary-position-embeddings", "positions") ||
                              kind == "rope" || kind == "mrope" || kind == "yarn";
        const std::optional<int> most =
            arguments_.number("--max-position-embeddings", "rows of the table of positions", 1, mostTokens);
        model_.rotary = isRotary;
        if (isRotary || kind == "none" || kind == "relative") {
            if (kind == "relative")
                arguments_.note("--position-embedding-type", ItemKind::notModelled,
                                "relative positions are left out");
            arguments_.note("--max-position-embeddings", ItemKind::withoutMeaning,
                            "there is no table of positions");
            return;
        }
        model_.embedding.positions = most.value_or(0);
        if (!most)
            arguments_.failWithout("--max-position-embeddings is missing",
                                   "it, for a table of positions, or --position-embedding-type rope");
    }

    void readExperts() {
        const std::optional<int> count = arguments_.number("--num-experts", "experts", 0, mostExperts);
        if (!count || *count == 0) return;
        Experts& experts = model_.experts;
        experts.count = *count;
        experts.active = arguments_.numberOr("--moe-router-topk", 2, "experts of a token", 1, mostExperts);
        if (experts.active > experts.count)
            arguments_.fail("--moe-router-topk", "a token takes " + counted(experts.active, "expert"),
                            "at most as many as there are, " + std::to_string(experts.count));
        experts.width = arguments_.numberOr("--moe-ffn-hidden-size", model_.ffn, "inner width of an expert",
                                            1, mostInnerWidth);
        experts.sharedWidth = arguments_.numberOr("--moe-shared-expert-intermediate-size", 0,
                                                  "inner width of shared experts", 0, mostInnerWidth);
        experts.sharedGate = arguments_.flag("--moe-shared-expert-gate", "a gate of shared experts");
        experts.routerBias = arguments_.flag("--moe-router-enable-expert-bias", "a bias of each expert");
        readDenseLayers();
    }

    void readDenseLayers() {
        const auto frequency = arguments_.choice("--moe-layer-freq", {}, "which blocks have experts");
        if (!frequency) return;
        std::vector<int>& dense = model_.experts.denseLayers;
        if (const std::optional<int> every = wholeInteger(*frequency); every && *every > 0) {
            for (int block = 0; block < model_.layers; ++block)
                if (block % *every != 0) dense.push_back(block);
            return;
        }
        const std::optional<std::vector<int>> pattern = LayerPattern(*frequency).read();
        if (!pattern || static_cast<int>(pattern->size()) != model_.layers)
            arguments_.fail(
                "--moe-layer-freq",
                "the pattern " + inQuotes(*frequency) +
                    (pattern ? " is of " + counted(std::ssize(*pattern), "block") : " cannot be read"),
                "a number, or a list of 0 and 1 of " + counted(model_.layers, "block") +
                    ", such as ([0]*3+[1]*58)");
        for (int block = 0; block < model_.layers; ++block)
            if ((*pattern)[static_cast<std::size_t>(block)] == 0) dense.push_back(block);
    }

    /// As it is, or padded as Megatron-LM pads what the tokenizer has.
    void readVocabulary() {
        const int divisor = arguments_.numberOr("--make-vocab-size-divisible-by", 128,
                                                "to what words are padded", 1, 1 << 20);
        const std::optional<int> padded =
            arguments_.number("--padded-vocab-size", "words, padded", 1, mostWords);
        std::optional<int> words = arguments_.number("--vocab-size", "words", 1, mostWords);
        const auto tokenizer = arguments_.choice("--tokenizer-type", {}, "words");
        const bool isGpt = tokenizer == "GPT2BPETokenizer" ||
                           (!tokenizer && arguments_.has("--vocab-file") && arguments_.has("--merge-file"));
        constexpr int gptWords = 50257, llama2Words = 32000;
        if (padded || words)
            arguments_.note("--tokenizer-type", ItemKind::withoutMeaning, "the number of words is said");
        else if (isGpt)
            words = gptWords;
        else if (tokenizer == "Llama2Tokenizer")
            words = llama2Words;
        if (tokenizer == "NullTokenizer" && words && !padded && *words < mostWords) {
            ++*words;
            arguments_.note("--tokenizer-type", ItemKind::understood, "a word more, for the end of a text");
        }
        constexpr const char* merges[] = {"--merge-file"};
        if (isGpt && words == gptWords) arguments_.markModel(merges);
        if (isGpt && words == gptWords)
            arguments_.note("--merge-file", ItemKind::understood, "GPT-2's vocabulary of 50,257 words");
        if (!padded && !words)
            arguments_.failWithout("the number of words is not said",
                                   "--vocab-size N, which the tokenizer's file would say");
        const long long multiple = 1LL * divisor * tensor_;
        const long long all = padded ? *padded : (*words + multiple - 1) / multiple * multiple;
        if (all > mostWords)
            arguments_.failWithout("the padded vocabulary has " + grouped(all) + " words",
                                   "at most " + grouped(mostWords));
        model_.vocabulary = static_cast<int>(all);
    }

    void finish(std::optional<int> length) {
        model_.predictionLayers =
            arguments_.numberOr("--mtp-num-layers", 0, "layers of multi-token prediction", 0, 64);
        if (model_.predictionLayers > 0) configuration_.run["prediction_layers"] = true;
        if (!length)
            arguments_.failWithout("--seq-length is missing, though others describe a model",
                                   "--seq-length N");
        if (model_.embedding.positions > 0 && *length > model_.embedding.positions)
            arguments_.fail("--seq-length",
                            counted(*length, "token") + " of a sample are more than the " +
                                counted(model_.embedding.positions, "position"),
                            "at most --max-position-embeddings");
        if (const auto why = whyNoTransformer(model_)) {
            const std::size_t at = why->find("; expected ");
            arguments_.failWithout(why->substr(0, at),
                                   at == std::string::npos ? "sizes that go together" : why->substr(at + 11));
        }
        model_.title = titleOf(model_.experts.count > 0 ? "Mixture of experts" : "Transformer", model_);
        configuration_.model = DescribedModel{model_, *length};
    }

    SaidArguments& arguments_;
    int tensor_;
    bool isYaml_;
    Configuration& configuration_;
    TransformerModel model_;
};

}  // namespace

void readMegatronModel(SaidArguments& arguments, int tensor, bool isYaml, Configuration& configuration) {
    MegatronModel(arguments, tensor, isYaml, configuration).read();
}

}  // namespace stagecraft::formats
