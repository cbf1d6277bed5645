#!/bin/bash
# Numbers of Megatron-LM's examples/mixtral/README.md (2025): Mixtral 8x7B on 64 GPUs.
OPTIONS="--use-mcore-models --disable-bias-linear \
    --seq-length 4096 --max-position-embeddings 32768 \
    --num-layers 32 --hidden-size 4096 --ffn-hidden-size 14336 --num-attention-heads 32 \
    --attention-dropout 0.0 --hidden-dropout 0.0 --normalization RMSNorm \
    --position-embedding-type rope --swiglu --untie-embeddings-and-output-weights \
    --group-query-attention --num-query-groups 8"
EXPERTS="
    --num-experts 8
    --moe-router-topk 2
    --moe-router-load-balancing-type aux_loss
    --moe-grouped-gemm
    --moe-token-dispatcher-type alltoall"
cmd="python pretrain_gpt.py ${OPTIONS} ${EXPERTS} \
    --tokenizer-type Llama2Tokenizer --micro-batch-size 1 --global-batch-size 256 --bf16 \
    --tensor-model-parallel-size 1 --pipeline-model-parallel-size 4 --expert-model-parallel-size 8 \
    --num-layers-per-virtual-pipeline-stage 2 --use-distributed-optimizer"
srun --ntasks-per-node 8 sh -c "${cmd}"
