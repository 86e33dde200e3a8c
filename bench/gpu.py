#!/usr/bin/env python3
"""Whet on one GPU against PyTorch and the vendor's library, in one session.

Runs the given whet (of a bundle, say): doctor, devices, calibrate, a search for
each task, then bench/torch_times.py, and prints one table of ratios. Everything
is kept in OUT (ledgers, JSON, logs), so steps may be run apart: a later call
reads what earlier ones left there.

    bench/gpu.py WHET OUT [STEP...]
        steps: look calibrate torch JOB... sanitize judging table
"""
import glob
import json
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
DEVICE = os.environ.get("WHET_DEVICE", "cuda")

# Name: task, workload, baseline file in the task's folder, other options.
JOBS = {
    "rmsnorm": ("rmsnorm", "large", None, ["--calls", "120"]),
    "softmax": ("softmax", "large", None, ["--calls", "120"]),
    "reduce_sum": ("reduce_sum", "huge", None, ["--calls", "60"]),
    "transpose": ("transpose", "huge", None, ["--calls", "60"]),
    "gemm-1024-report1": ("gemm", "square-1024", "report1.cu", []),
    "gemm-1024": ("gemm", "square-1024", None, []),
    "gemm-4096": ("gemm", "square-4096", None, ["--calls", "120"]),
}
BUDGET = ["--evaluations", os.environ.get("EVALUATIONS", "12"), "--time", "3m"]


def data_dir(whet):
    shared = os.path.join(os.path.dirname(whet), "..", "share", "whet")
    return shared if os.path.isdir(shared) else os.path.dirname(HERE)


def command(out, name, argv, may_fail=False):
    begin = time.time()
    with open(os.path.join(out, name + ".log"), "w") as log:
        done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=log,
                              text=True, check=False)
    with open(os.path.join(out, name + ".txt"), "w") as f:
        f.write(done.stdout)
    print(f"{name}: exit status {done.returncode}, "
          f"{time.time() - begin:.1f} s", flush=True)
    if done.returncode != 0:
        with open(os.path.join(out, name + ".log")) as log:
            print(log.read()[-1500:])
        if not may_fail:
            return None
    return done.stdout


def run_job(whet, out, name):
    task, workload, baseline, more = JOBS[name]
    ledger = os.path.join(out, name + ".ledger")
    for end in ("", "-wal", "-shm", ".lock"):
        if os.path.exists(ledger + end):
            os.remove(ledger + end)
    argv = [whet, "run", task, "--device", DEVICE, "--workload", workload,
            "--ledger", ledger, "--json"] + BUDGET + more
    if baseline:
        argv += ["--baseline", os.path.join(data_dir(whet), "tasks", task,
                                            "baselines", baseline)]
    text = command(out, name, argv)
    if text:
        with open(os.path.join(out, name + ".json"), "w") as f:
            f.write(text)


def sanitize(whet, out):
    """The workers of each champion under a memory checker."""
    for name in JOBS:
        champion = load(out, name).get("champion")
        if not champion:
            continue
        log = os.path.join(out, f"sanitizer-{name}-%p.log")
        command(out, "sanitize-" + name, [
            whet, "judge", "--from", os.path.join(out, name + ".ledger"),
            champion["candidate"], "--calls", "2", "--hidden", "2", "--json",
            "--under", f"compute-sanitizer --error-exitcode 9 --log-file {log}"], may_fail=True)
        logs = glob.glob(log.replace("%p", "*"))
        texts = [open(path, errors="replace").read() for path in logs]
        clean = sum("ERROR SUMMARY: 0 errors" in text for text in texts)
        print(f"{name}: {len(texts)} workers under compute-sanitizer, "
              f"{clean} without an error", flush=True)
        for text in texts:
            if "ERROR SUMMARY: 0 errors" not in text:
                print(text[:1500])
                break


def judging(whet, out):
    """How long a full judgement of a champion takes, and of what."""
    for name in ("rmsnorm", "gemm-4096"):
        champion = load(out, name).get("champion")
        if not champion:
            continue
        text = command(out, "judging-" + name, [
            whet, "judge", "--from", os.path.join(out, name + ".ledger"),
            champion["candidate"], "--calls", "300", "--json"], may_fail=True)
        verdict = json.loads(text or "{}")
        spend = verdict.get("spend")
        if not spend:
            continue
        print(f"{name}: {verdict['verified_calls']} verified calls of the "
              f"candidate in {spend['wall_ns'] / 1e9:.1f} s: " +
              ", ".join(f"{part} {spend[part + '_ns'] / 1e9:.1f} s"
                        for part in ("device", "verify", "start")),
              flush=True)


def load(out, name):
    try:
        with open(os.path.join(out, name + ".json")) as f:
            return json.load(f)
    except (OSError, ValueError):
        return {}


def champion_ms(run):
    champion = run.get("champion") or {}
    return (champion.get("candidate_time") or {}).get("median_ns", 0) / 1e6


def show_runs(out, torch):
    print(f"{'job':18} {'baseline':>9} {'champion':>9} {'speed-up':>22} "
          f"{'of limit':>8}  compared with")
    names = {
        "rmsnorm": ["rmsnorm_eager_ms", "rmsnorm_function_ms",
                    "rmsnorm_compiled_ms", "copy_ms"],
        "softmax": ["softmax_eager_ms", "softmax_compiled_ms"],
        "reduce_sum": ["reduce_sum_eager_ms"],
        "transpose": ["transpose_eager_ms"],
        "gemm-1024-report1": ["gemm_1024_f32_ms"],
        "gemm-1024": ["gemm_1024_f32_ms"],
        "gemm-4096": ["gemm_4096_f32_ms"],
    }
    for name in JOBS:
        run = load(out, name)
        c = run.get("champion")
        if not c:
            print(f"{name:18} no champion")
            continue
        ms = champion_ms(run)
        base = c["reference_time"]["median_ns"] / 1e6
        limit = c.get("limit_ns") or 0
        r = c["ratio"]
        other = ", ".join(f"{k[:-3]} {torch[k]:.3f} ms ({torch[k] / ms:.2f}x)"
                          for k in names[name] if k in torch)
        for library in c.get("libraries") or []:
            t = library.get("median_ns", 0) / 1e6
            other += f", {library['name']} {t:.4f} ms ({t / ms:.2f}x)"
        share = f"{100 * limit / 1e6 / ms:.1f} %" if limit else "n/a"
        print(f"{name:18} {base:7.4f}ms {ms:7.4f}ms "
              f"{r['value']:7.2f} [{r['lo']:.2f}, {r['hi']:.2f}]"
              f" {share:>8}  {other}")


def show_rates(out, torch):
    calibration = load(out, "calibrate")
    rates = {r["name"]: r["ops_per_s"] for r in calibration.get("rates", [])}
    for ours, theirs in (("f32.vector", "f32"), ("tf32.matrix", "tf32"),
                         ("bf16.matrix", "bf16")):
        a, b = rates.get(ours), torch.get(theirs + "_ops_per_s")
        if a and b:
            print(f"{ours}: {a / 1e12:.1f} TFLOP/s calibrated, "
                  f"{b / 1e12:.1f} in PyTorch's 8192^3 product: {a / b:.2f}")
    for key in ("copy", "read", "write", "lds"):
        value = calibration.get(key + "_bytes_per_s")
        if value:
            print(f"{key}: {value / 1e12:.3f} TB/s")
    if torch.get("copy_bytes_per_s"):
        print(f"copy in PyTorch: {torch['copy_bytes_per_s'] / 1e12:.3f} TB/s")


def main():
    whet, out = os.path.abspath(sys.argv[1]), sys.argv[2]
    steps = sys.argv[3:] or ["look", "calibrate", "torch", *JOBS, "sanitize",
                             "judging", "table"]
    os.makedirs(out, exist_ok=True)
    for step in steps:
        if step == "look":
            for name in ("doctor", "devices"):
                print(command(out, name, [whet, name], may_fail=True))
        elif step == "calibrate":
            text = command(out, "calibrate", [whet, "calibrate", "--device",
                                              DEVICE, "--json"])
            if text:
                with open(os.path.join(out, "calibrate.json"), "w") as f:
                    f.write(text)
        elif step == "torch":
            text = command(out, "torch", [sys.executable, os.path.join(
                HERE, "torch_times.py")])
            if text:
                with open(os.path.join(out, "torch.json"), "w") as f:
                    f.write(text)
        elif step == "sanitize":
            sanitize(whet, out)
        elif step == "judging":
            judging(whet, out)
        elif step == "table":
            torch = load(out, "torch")
            show_rates(out, torch)
            show_runs(out, torch)
        elif step in JOBS:
            run_job(whet, out, step)
        else:
            sys.exit(f"step {step}: expected look, calibrate, torch, sanitize, "
                     f"judging, table or "
                     f"one of {', '.join(JOBS)}")


main()
