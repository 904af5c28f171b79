"""Times what others offer for the work of build/tools/bench and prints lines as Go's
benchmarks do. Usage:

    anchors.py gemm
    anchors.py popcount|rdkit NAME BANK QUERIES

BANK and QUERIES hold fingerprints of 1 024 bits, one after the other.
"""

import sys
import time

WIDTH = 128  # bytes of a fingerprint


def fastest(run, least=3, seconds=0.2):
    """The shortest time of a run, of as many as fit."""
    begin, best, count = time.perf_counter(), float("inf"), 0
    while count < least or time.perf_counter() - begin < seconds:
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
        count += 1
    return best


def line(name, seconds, more=""):
    print(f"Benchmark{name}\t1\t{seconds * 1e9:.0f} ns/op{more}")


def gemm():
    import numpy

    def product(m, n, k, transposed):
        a = numpy.random.rand(m, k).astype(numpy.float32)
        b = numpy.random.rand(*((n, k) if transposed else (k, n))).astype(numpy.float32)
        c = numpy.empty((m, n), numpy.float32)
        return lambda: numpy.matmul(a, b.T if transposed else b, out=c)

    product(16, 16, 16, False)()
    with open("/proc/self/maps") as maps:
        if "openblas" not in maps.read().lower():
            sys.exit("numpy multiplies without OpenBLAS")
    for kind in ("NN", "NT"):
        for m, n, k in ((384, 16, 16), (384, 64, 64), (384, 80, 80)):
            seconds = fastest(product(m, n, k, kind == "NT"), 100, 0.02)
            line(f"Gemm/{kind}/{m}x{n}x{k}/OpenBLAS", seconds, f"\t{2 * m * n * k / seconds / 1e9:.4g} GFLOP/s")


def popcount(name, bank, queries):
    import numpy

    if hasattr(numpy, "bitwise_count"):
        word, count = numpy.uint64, numpy.bitwise_count
    else:  # before numpy 2
        word = numpy.uint16
        table = numpy.array([bin(i).count("1") for i in range(1 << 16)], numpy.uint8)
        count = table.__getitem__
    read = lambda path: numpy.fromfile(path, word).reshape(-1, WIDTH // word().itemsize)
    bank, queries = read(bank), read(queries)
    sizes = count(bank).sum(axis=1, dtype=numpy.int32)
    places = iter(range(1 << 30))

    def nearest():
        query = queries[next(places) % len(queries)]
        common = count(bank & query).sum(axis=1, dtype=numpy.int32)
        return (common / (sizes + count(query).sum(dtype=numpy.int32) - common)).max()

    line(name, fastest(nearest))


def rdkit(name, bank, queries):
    from rdkit import DataStructs

    def read(path):
        with open(path, "rb") as f:
            data = f.read()
        return [DataStructs.CreateFromFPSText(data[i : i + WIDTH].hex()) for i in range(0, len(data), WIDTH)]

    bank, queries = read(bank), read(queries)
    places = iter(range(1 << 30))
    line(name, fastest(lambda: max(DataStructs.BulkTanimotoSimilarity(queries[next(places) % len(queries)], bank))))


{"gemm": gemm, "popcount": popcount, "rdkit": rdkit}[sys.argv[1]](*sys.argv[2:])
