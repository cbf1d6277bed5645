# Korthikanti et al., MLSys 2023, Tables 3 and 5: 1 T on 512 A100, 71.49 s an iteration.
# Machines: 64x dgx-a100
--num-layers 128 --hidden-size 25600 --num-attention-heads 160
--seq-length 2048 --max-position-embeddings 2048 --vocab-size 51200 --bf16
--tensor-model-parallel-size 8 --pipeline-model-parallel-size 64
--micro-batch-size 1 --global-batch-size 512 --sequence-parallel --recompute-granularity selective --attention-backend unfused
