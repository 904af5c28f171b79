#!/bin/sh
# Guess: DuckDB keeps a table that goes through a Parquet file, or says which column it cannot keep.
# Version: duckdb 2.0.1, pyarrow 26.0.1 (PyPI).
# Behaviour: HUGEINT is written as DOUBLE, so that ids above 2^53 become equal: two distinct ones come back as one. Of what pyarrow writes,
# decimals of more than 38 digits are read as DOUBLE, and INT96 loses its nanoseconds. Nothing is said in any case; COPY TO csv of the same
# HUGEINT column keeps all digits.
# Output seen: HUGEINT: 2 ids in the table, 1 from Parquet, 2 from CSV; DECIMAL(60,2): DOUBLE 1.2345678901234567e+42;
# INT96: 2024-02-29 12:34:56.123456 of .123456789
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip install --quiet pyarrow==26.0.1 duckdb==2.0.1
cat > try.py <<'PY'
import decimal
import sys

import duckdb
import pyarrow
import pyarrow.parquet

db = duckdb.connect()
one = lambda sql: db.execute(sql).fetchall()[0]
db.execute("CREATE TABLE t AS SELECT 9007199254740993::HUGEINT - i::HUGEINT AS id FROM range(2) r(i)")
db.execute("COPY t TO 'huge.parquet'")
db.execute("COPY t TO 'huge.csv'")
ids = [one(f"SELECT count(DISTINCT id) FROM {source}")[0] for source in ["t", "'huge.parquet'", "'huge.csv'"]]
amount = pyarrow.array([decimal.Decimal("1234567890123456789012345678901234567890123.45")], pyarrow.decimal256(60, 2))
pyarrow.parquet.write_table(pyarrow.table({"amount": amount}), "decimal.parquet")
moment = pyarrow.array([1709210096123456789], pyarrow.timestamp("ns"))
pyarrow.parquet.write_table(pyarrow.table({"moment": moment}), "int96.parquet", use_deprecated_int96_timestamps=True)
kind, text = one("SELECT typeof(amount), amount::VARCHAR FROM 'decimal.parquet'")
at = one("SELECT moment::VARCHAR FROM 'int96.parquet'")[0]
print(f"HUGEINT: {ids[0]} ids in the table, {ids[1]} from Parquet, {ids[2]} from CSV; DECIMAL(60,2): {kind} {text}; INT96: {at} of .123456789")
sys.exit(not (ids == [2, 1, 2] and kind == "DOUBLE" and at.endswith(".123456")))
PY
venv/bin/python try.py
