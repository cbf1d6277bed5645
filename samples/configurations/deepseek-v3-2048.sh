# DeepSeek-AI, DeepSeek-V3 Technical Report, 2024, Secs. 3.2 and 4.2: 2,048 H800, 16 stages, experts on 64, batches of 15,360;
# stages as Megatron-LM's page on custom layouts has them.
# Machines: 256x dgx-h100 (an H800 computes as fast, and has less than half of its NVLink)
--num-layers 61 --hidden-size 7168 --num-attention-heads 128 --ffn-hidden-size 18432
--multi-latent-attention --q-lora-rank 1536 --kv-lora-rank 512 --qk-head-dim 128 --qk-pos-emb-head-dim 64 --v-head-dim 128
--num-experts 256 --moe-router-topk 8 --moe-ffn-hidden-size 2048 --moe-shared-expert-intermediate-size 2048
--moe-layer-freq "([0]*3+[1]*58)" --moe-router-enable-expert-bias --mtp-num-layers 1
--seq-length 4096 --max-position-embeddings 4096 --position-embedding-type rope --normalization RMSNorm
--swiglu --disable-bias-linear --untie-embeddings-and-output-weights --qk-layernorm
--attention-dropout 0 --hidden-dropout 0 --vocab-size 129280 --make-vocab-size-divisible-by 1
--micro-batch-size 1 --global-batch-size 15360 --bf16 --use-distributed-optimizer
--pipeline-model-parallel-size 16 --expert-model-parallel-size 64
--pipeline-model-parallel-layout "Et*3|(tt|)*29,m|L"
--overlap-moe-expert-parallel-comm --recompute-granularity full --recompute-method uniform --recompute-num-layers 1
