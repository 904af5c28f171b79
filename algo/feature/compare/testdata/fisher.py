"""Writes fisher.txt: a of n against b of m, the p-value of Fisher's exact test by SciPy, and the odds ratio with
its interval by Haldane, Anscombe and Woolf."""

from math import exp, log, sqrt
from random import Random

from scipy.stats import fisher_exact

tables = [
    (8, 10, 1, 6), (3, 200, 17, 180), (0, 50, 0, 60), (50, 50, 0, 60), (1000, 100000, 1200, 90000), (4000, 4200, 960, 1100),
    (5, 10, 5, 10), (900, 2039, 100, 1513), (1, 40000, 30, 1000),
]
draw = Random(1)
for _ in range(200):
    n, m = draw.randint(1, 30), draw.randint(1, 30)
    tables.append((draw.randint(0, n), n, draw.randint(0, m), m))
for a, n, b, m in tables:
    p = fisher_exact([[a, n - a], [b, m - b]])[1]
    w, x, y, z = b + 0.5, m - b + 0.5, a + 0.5, n - a + 0.5
    odds, half = log(w * z / x / y), 1.959964 * sqrt(1 / w + 1 / x + 1 / y + 1 / z)
    print(a, n, b, m, f"{min(1, p):.5e} {exp(odds):.5e} {exp(odds - half):.5e} {exp(odds + half):.5e}", sep="\t")
