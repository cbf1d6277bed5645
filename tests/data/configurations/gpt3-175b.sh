#!/bin/bash
# Numbers of Megatron-LM's examples/gpt3/train_gpt3_175b_distributed.sh (2025).
GPUS_PER_NODE=8
NUM_NODES=1
WORLD_SIZE=$(($GPUS_PER_NODE*$NUM_NODES))
DATA=$1 # a prefix
LAUNCH=(
    --nproc_per_node $GPUS_PER_NODE
    --nnodes $NUM_NODES
    --master_addr localhost
)
MODEL=(
    --num-layers 96
    --hidden-size 12288
    --num-attention-heads 96
    --seq-length 2048
    --max-position-embeddings 2048
    --attention-backend auto # or flash, fused, unfused, local
)
TRAINING=(
    --micro-batch-size 1
    --global-batch-size 1536
    --rampup-batch-size 16 16 5859375
    --adam-beta1 0.9
    --fp16
    --lr 6.0e-5
)
PARALLEL=(
	--tensor-model-parallel-size 8
	--pipeline-model-parallel-size 16
)
DATA_ARGS=(
    --data-path $DATA
    --vocab-file $3
    --merge-file $4
    --split 949,50,1
)
torchrun ${LAUNCH[@]} pretrain_gpt.py \
    ${MODEL[@]} \
    ${TRAINING[@]} \
    ${PARALLEL[@]} \
    ${DATA_ARGS[@]}
