#!/bin/sh
# Guess: what pyarrow and parquet-rs write with BYTE_STREAM_SPLIT, an encoding since 2020, DuckDB reads.
# Version: pyarrow 26.0.1, polars 2.1.0, duckdb 2.0.1 (PyPI).
# Behaviour: the format extended the encoding to whole numbers and fixed arrays in 2.11 (2024). pyarrow writes it for half floats, UUIDs
# and decimals; DuckDB reads it for whole numbers but not for fixed arrays, polars not for decimals. The schema is shown, and other
# columns are read: only a query of the column fails.
# Output seen: int32: duckdb reads, polars reads; float16: duckdb refuses, polars reads; decimal: duckdb refuses, polars refuses
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip install --quiet pyarrow==26.0.1 duckdb==2.0.1 polars==2.1.0 numpy==2.4.6
cat > try.py <<'PY'
import decimal
import sys

import duckdb
import numpy
import polars
import pyarrow
import pyarrow.parquet

columns = {
    "int32": pyarrow.array([1, 2, 3], pyarrow.int32()), "float16": pyarrow.array(numpy.array([1, 2, 3], numpy.float16)),
    "decimal": pyarrow.array([decimal.Decimal(x) for x in [1, 2, 3]], pyarrow.decimal128(20, 2)),
}


def tried(read):
    try:
        return "reads" if [float(x) for x in read()] == [1, 2, 3] else "reads something else"
    except Exception:
        return "refuses"


seen = []
for name, column in columns.items():
    pyarrow.parquet.write_table(pyarrow.table({"x": column}), name, use_dictionary=False, column_encoding={"x": "BYTE_STREAM_SPLIT"})
    by_duckdb = tried(lambda: [row[0] for row in duckdb.sql(f"SELECT x FROM read_parquet('{name}')").fetchall()])
    seen.append(f"{name}: duckdb {by_duckdb}, polars {tried(lambda: polars.read_parquet(name)['x'].to_list())}")
print("; ".join(seen))
sys.exit("; ".join(seen) != "int32: duckdb reads, polars reads; float16: duckdb refuses, polars reads; decimal: duckdb refuses, polars refuses")
PY
venv/bin/python try.py
