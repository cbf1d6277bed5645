#!/bin/bash
# Numbers of Megatron-LM's examples/llama/train_llama3_8b_h100_fp8.sh (2025).
CHECKPOINTS=${1:-"checkpoints/llama3 8b"}
mkdir -p "$(dirname "$CHECKPOINTS")"
TP=1
CP=1
MBS=1
DTYPE="fp8"
TOKENIZER=${3:-"MOCK"}
MODEL=(
    --use-mcore-models
    --num-layers 32
    --hidden-size 4096
    --ffn-hidden-size 14336
    --num-attention-heads 32
    --group-query-attention
    --num-query-groups 8
    --kv-channels 128
    --seq-length 8192
    --max-position-embeddings 8192
    --position-embedding-type rope
    --attention-dropout 0.0
    --hidden-dropout 0.0
    --swiglu
    --attention-backend fused
    --untie-embeddings-and-output-weights
    --disable-bias-linear
)
TRAINING=(
    --micro-batch-size $MBS
    --global-batch-size 128
    --bf16
    --grad-reduce-in-bf16
)
FP8=()
if [[ "$DTYPE" == "fp8" ]]; then
    FP8+=(
        "--fp8-format hybrid"
        "--fp8-amax-history-len 1024"
        "--fp8-param-gather"
    )
fi
PARALLEL=(
    --tensor-model-parallel-size $TP
    --context-parallel-size $CP
    # --pipeline-model-parallel-size 4
    --sequence-parallel
)
SHARDING=(
    --use-distributed-optimizer
    --overlap-grad-reduce
    --overlap-param-gather
)
TRAINING+=("${SHARDING[@]}")
WORDS=()
if [[ "$TOKENIZER" == "MOCK" ]] || [[ -z "$TOKENIZER" ]]; then
    WORDS+=("--mock-data" "--tokenizer-type NullTokenizer" "--vocab-size 128256" "--split '99,1,0'")
else
    WORDS+=("--tokenizer-type HuggingFaceTokenizer" "--tokenizer-model $TOKENIZER" "--vocab-size 99")
fi
if [ ! -f "pretrain_gpt.py" ]; then
    echo "--hidden-size is not read from here" --hidden-size 7
    exit 1
fi
torchrun --nproc_per_node 8 --nnodes 1 \
    pretrain_gpt.py \
    ${MODEL[@]} \
    ${TRAINING[@]} \
    ${FP8[@]} \
    ${PARALLEL[@]} \
    ${WORDS[@]} \
    --save "$CHECKPOINTS"
