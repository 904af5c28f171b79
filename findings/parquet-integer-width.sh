#!/bin/sh
# Guess: a Parquet file that hyparquet-writer writes is one that Arrow and DuckDB open, whatever types its columns have.
# Version: hyparquet-writer 0.17.0 with hyparquet 1.33.0 (npm); pyarrow 26.0.1, duckdb 2.0.1, polars 2.1.0 (PyPI).
# Behaviour: the logical type INTEGER holds its width as a byte (i8) in parquet.thrift; hyparquet-writer writes an i32. Readers whose Thrift
# code checks types refuse the file, not only the column: pyarrow and DuckDB say "Invalid data"; hyparquet and polars read it. The older
# converted type UINT_16 says the same and works everywhere.
# Output seen:
# logical INTEGER: hyparquet reads, pyarrow refuses, duckdb refuses, polars reads
# converted UINT_16: hyparquet reads, pyarrow reads, duckdb reads, polars reads
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip install --quiet pyarrow==26.0.1 duckdb==2.0.1 polars==2.1.0
npm install --silent --no-save --prefix "$dir" hyparquet-writer@0.17.0 hyparquet@1.33.0
cat > write.mjs <<'JS'
import { readFileSync, writeFileSync } from 'node:fs'
import { parquetReadObjects } from 'hyparquet'
import { parquetWriteBuffer } from 'hyparquet-writer'

const types = { logical: { logical_type: { type: 'INTEGER', bitWidth: 16, isSigned: false } }, converted: { converted_type: 'UINT_16' } }
for (const [name, type] of Object.entries(types)) {
  const schema = [{ name: 'root', num_children: 1 }, { name: 'n', type: 'INT32', repetition_type: 'REQUIRED', ...type }]
  writeFileSync(name, new Uint8Array(parquetWriteBuffer({ schema, columnData: [{ name: 'n', data: [1, 2, 65535] }] })))
  const data = readFileSync(name)
  const rows = await parquetReadObjects({ file: data.buffer.slice(data.byteOffset, data.byteOffset + data.length) })
  if (rows[2].n !== 65535) throw new Error('hyparquet reads something else')
}
JS
node write.mjs
cat > read.py <<'PY'
import sys

import duckdb
import polars
import pyarrow.parquet


def tried(read):
    try:
        read()
        return "reads"
    except Exception:
        return "refuses"


def readings(file):
    readers = {"pyarrow": lambda: pyarrow.parquet.read_table(file), "duckdb": lambda: duckdb.sql(f"FROM read_parquet('{file}')").fetchall(),
               "polars": lambda: polars.read_parquet(file)}
    return ["hyparquet reads"] + [f"{name} {tried(read)}" for name, read in readers.items()]


logical, converted = readings("logical"), readings("converted")
print("logical INTEGER:", ", ".join(logical))
print("converted UINT_16:", ", ".join(converted))
sys.exit(not ("pyarrow refuses" in logical and "duckdb refuses" in logical and converted == ["hyparquet reads", "pyarrow reads", "duckdb reads", "polars reads"]))
PY
venv/bin/python read.py
