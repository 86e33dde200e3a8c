#!/usr/bin/env python3
"""What PyTorch reaches on this card, for comparison with Whet's champions.

Times by events, each call behind a memset larger than the last cache, median of
REPEATS; random data. Prints JSON: times in ms, rates in op/s and byte/s.

    bench/torch_times.py [REPEATS]
"""
import json
import statistics
import sys

import torch
import torch.nn.functional as F

REPEATS = int(sys.argv[1]) if len(sys.argv) > 1 else 30
FLUSH = torch.empty(64 << 20, dtype=torch.float32, device="cuda")


def median_ms(call):
    for _ in range(3):
        call()
    times = []
    for _ in range(REPEATS):
        FLUSH.fill_(1.0)
        begin = torch.cuda.Event(enable_timing=True)
        end = torch.cuda.Event(enable_timing=True)
        begin.record()
        call()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end))
    return statistics.median(times)


def product(size, dtype, tf32=False):
    torch.backends.cuda.matmul.allow_tf32 = tf32
    a = torch.randn(size, size, device="cuda", dtype=dtype)
    b = torch.randn(size, size, device="cuda", dtype=dtype)
    c = torch.empty(size, size, device="cuda", dtype=dtype)
    return median_ms(lambda: torch.mm(a, b, out=c))


def rmsnorm(x, w):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * w


def memory_bound(out):
    x = torch.randn(32768, 4096, device="cuda")
    y = torch.empty_like(x)
    w = torch.randn(4096, device="cuda")
    out["copy_ms"] = median_ms(lambda: y.copy_(x))
    out["copy_bytes_per_s"] = 2 * x.numel() * 4 / out["copy_ms"] * 1e3
    del y
    out["rmsnorm_eager_ms"] = median_ms(lambda: rmsnorm(x, w))
    out["rmsnorm_function_ms"] = median_ms(
        lambda: F.rms_norm(x, (4096,), w, 1e-5))
    compiled = torch.compile(rmsnorm)
    out["rmsnorm_compiled_ms"] = median_ms(lambda: compiled(x, w))
    out["softmax_eager_ms"] = median_ms(lambda: torch.softmax(x, -1))
    soft = torch.compile(lambda v: torch.softmax(v, -1))
    out["softmax_compiled_ms"] = median_ms(lambda: soft(x))
    del x
    v = torch.rand(1 << 28, device="cuda")
    out["reduce_sum_eager_ms"] = median_ms(lambda: torch.sum(v))
    del v
    m = torch.randn(16384, 16384, device="cuda")
    out["transpose_eager_ms"] = median_ms(lambda: m.t().contiguous())


def main():
    out = {"torch": torch.__version__, "device": torch.cuda.get_device_name(0)}
    memory_bound(out)
    for size in (1024, 4096):
        out[f"gemm_{size}_f32_ms"] = product(size, torch.float32)
    large = 8192
    for name, dtype, tf32 in (("f32", torch.float32, False),
                              ("tf32", torch.float32, True),
                              ("bf16", torch.bfloat16, False)):
        out[f"{name}_ops_per_s"] = \
            2 * large**3 / product(large, dtype, tf32) * 1e3
    print(json.dumps(out, indent=1))


main()
