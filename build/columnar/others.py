"""Writes one table with DuckDB, pyarrow, polars and pandas: each type, codec, version of pages and encoding that they
write. Beside each FILE.parquet stands FILE.csv: what DuckDB's COPY TO csv writes of it, or of the same table where DuckDB
reads less than the file holds.

Usage: others.py DIRECTORY ROWS [csv]. With csv, it only writes the CSV of the Parquet files that are there."""

import datetime
import decimal
import glob
import os
import sys
import uuid

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

directory, n = sys.argv[1], int(sys.argv[2])
decimal.getcontext().prec = 76
db = duckdb.connect()
db.execute("SET TimeZone = 'UTC'")
molecules = ["CCO", "c1ccccc1", "CC(=O)Oc1ccccc1C(=O)O", r"F/C=C\F", "C[N+](C)(C)C", "OCC", "CN1C=NC2=C1C(=O)N(C(=O)N2C)C"]


def path(name, suffix="parquet"):
    return os.path.join(directory, f"{name}.{suffix}")


def csv(name, source=None):
    """writes the CSV of a query, or of the file of that name"""
    db.execute(f"COPY ({source or 'FROM ' + repr(path(name))}) TO '{path(name, 'csv')}' (HEADER)")


def write_duckdb():
    columns = {
        "smiles": f"{molecules}[1 + i % 7]", "id": "md5(i::VARCHAR)::UUID",
        "tiny": "(i % 200 - 100)::TINYINT", "small": "(i * 7 - 1000)::SMALLINT", "whole": "(i * i * 79 - 5)::INTEGER", "wide": "(i - 500) * 8589934592",
        "utiny": "(i % 256)::UTINYINT", "usmall": "(65535 - i)::USMALLINT", "uwhole": "(4294967295 - i)::UINTEGER",
        "uwide": "(18446744073709551615 - i)::UBIGINT", "huge": "i::HUGEINT", "uhuge": "i::UHUGEINT",
        "float": "(i / 7)::FLOAT", "double": "i / 7", "truth": "i % 3 = 0",
        "dec4": "((i % 100 - 50) / 100)::DECIMAL(4, 2)", "dec44": "((i % 100 - 50) / 1000)::DECIMAL(4, 4)", "dec9": "(i / 7)::DECIMAL(9, 0)",
        "dec18": "(i - 0.125)::DECIMAL(18, 3)", "dec38": "((i - 5)::DECIMAL(38, 10) * 1234567890123456)::DECIMAL(38, 10)",
        "date": "DATE '1969-12-20' + (i * i * i % 4000000)::INT", "bc": "DATE '0044-03-15 (BC)' + i::INT", "end": "CASE i % 2 WHEN 0 THEN DATE 'infinity' ELSE DATE '-infinity' END",
        "time": "TIME '00:00:01' + to_microseconds(i * 86399)", "time_ns": "make_timestamp_ns(i * 1234567)::TIME_NS", "timetz": "(TIME '12:00:00' + to_microseconds(i * 86399))::TIMETZ",
        "stamp": "TIMESTAMP '1969-12-31 23:59:59' + to_microseconds(i * 500001)", "stamp_s": "(TIMESTAMP '2020-01-01' + to_seconds(i))::TIMESTAMP_S",
        "stamp_ms": "(TIMESTAMP '2020-01-01' + to_milliseconds(i * 5))::TIMESTAMP_MS", "stamp_ns": "make_timestamp_ns(i * 1234567891234)",
        "forever": "CASE i % 2 WHEN 0 THEN TIMESTAMP 'infinity' ELSE TIMESTAMP '-infinity' END", "stamptz": "TIMESTAMPTZ '2020-01-01 00:00:00+02' + to_milliseconds(i * 500)",
        "interval": "to_months(i % 30) + to_days((i % 4)::INT) + to_milliseconds((i % 3) * 1250)", "blob": "('\\xAA' || chr((97 + i % 26)::INT))::BLOB",
        "enum": "['low', 'high'][1 + i % 2]::ENUM('low', 'high')", "json": "('{\"i\": ' || i || '}')::JSON", "bit": "(i % 8)::INT::BIT", "bignum": "(i * 1099511627776)::BIGNUM",
        "none": "NULL", "list": "[i]", "array": "[i, i]::BIGINT[2]", "struct": "{'a': i}", "map": "MAP {'a': i}", "union": "union_value(a := i)", "variant": "i::VARIANT",
    }
    fields = ", ".join(f"{sql} AS {name}" if name == "smiles" else f"CASE WHEN i % 7 <> {k % 7} OR {k} = 1 THEN {sql} END AS {name}" for k, (name, sql) in enumerate(columns.items()))
    db.execute(f"CREATE TABLE t AS SELECT {fields} FROM range({n}) r(i)")
    for version in ["V1", "V2"]:
        for codec in ["uncompressed", "snappy", "gzip", "zstd", "brotli", "lz4_raw"]:
            name = f"duckdb-{version}-{codec}"
            db.execute(f"COPY t TO '{path(name)}' (PARQUET_VERSION {version}, COMPRESSION {codec}, ROW_GROUP_SIZE 2048)")
            # HUGEINT is a double in the file, and TIMETZ has lost its zone: the file is what is read.
            csv(name)


def every(k, values):
    """leaves some values out"""
    return [None if i % 7 == k % 7 else v for i, v in enumerate(values)]


def arrow_table():
    D, r = decimal.Decimal, range(n)
    columns = {
        "smiles": pa.array([molecules[i % 7] for i in r]), "id": pa.array([uuid.uuid5(uuid.NAMESPACE_DNS, str(i)).bytes for i in r], pa.uuid()),
        "i8": (pa.int8(), [i % 200 - 100 for i in r]), "u8": (pa.uint8(), [255 - i % 256 for i in r]), "i16": (pa.int16(), [-i for i in r]), "u16": (pa.uint16(), [65535 - i for i in r]),
        "i32": (pa.int32(), [i * i * 79 - 2**31 for i in r]), "u32": (pa.uint32(), [2**32 - 1 - i for i in r]), "i64": (pa.int64(), [(-1) ** i * (2**62 + i) for i in r]), "u64": (pa.uint64(), [2**64 - 1 - i for i in r]),
        "half": (pa.float16(), [np.float16(i / 7) for i in r]), "single": (pa.float32(), [np.float32(i / 7) for i in r]), "double": (pa.float64(), [i / 7 for i in r]), "truth": (pa.bool_(), [i % 3 == 0 for i in r]),
        "dec5": (pa.decimal128(5, 2), [D(i % 500 - 250) / 100 for i in r]), "dec15": (pa.decimal128(15, 15), [D(i - 5).scaleb(-15) for i in r]), "dec38": (pa.decimal128(38, 4), [D(i - 5).scaleb(30).quantize(D("0.0001")) for i in r]),
        "date": (pa.date32(), [i * i - 9 for i in r]), "date64": (pa.date64(), [86400000 * i for i in r]),
        "time_s": (pa.time32("s"), [i for i in r]), "time_ms": (pa.time32("ms"), [i * 86 for i in r]), "time_us": (pa.time64("us"), [i * 86399 for i in r]), "time_ns": (pa.time64("ns"), [i * 86399 for i in r]),
        "stamp_s": (pa.timestamp("s"), [i * 86400 - 9 for i in r]), "stamp_ms": (pa.timestamp("ms"), [i * 500 - 9 for i in r]), "stamp_us": (pa.timestamp("us"), [i * 500 - 9 for i in r]), "stamp_ns": (pa.timestamp("ns"), [i * 500 - 9 for i in r]),
        "zone_ms": (pa.timestamp("ms", "Europe/Berlin"), [i * 500 - 9 for i in r]), "zone_ns": (pa.timestamp("ns", "UTC"), [i * 500 - 9 for i in r]), "duration": (pa.duration("us"), [i for i in r]),
        "binary": (pa.binary(), [bytes([128 + i % 128, 92, 65]) for i in r]), "fixed": (pa.binary(3), [bytes([200 + i % 50, 92, 65]) for i in r]), "large": (pa.large_string(), [f"text {i}" for i in r]), "view": (pa.string_view(), [f"text {i}" for i in r]),
        "category": (pa.dictionary(pa.int8(), pa.string()), [["low", "high"][i % 2] for i in r]), "json": (pa.json_(), ['{"i": %d}' % i for i in r]), "none": (pa.null(), [None for i in r]),
        "list": (pa.list_(pa.int64()), [[i] for i in r]), "struct": (pa.struct([("a", pa.int64())]), [{"a": i} for i in r]), "map": (pa.map_(pa.string(), pa.int64()), [[("a", i)] for i in r]),
    }
    return pa.table({name: v if isinstance(v, pa.Array) else pa.array(every(k, v[1]), v[0]) for k, (name, v) in enumerate(columns.items())})


def write_pyarrow():
    t = arrow_table()
    plain = {"compression": "none", "use_dictionary": False, "write_page_checksum": True}
    whole = ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "date", "time_ms", "time_ns", "stamp_ms", "stamp_ns", "duration"]
    texts = ["smiles", "binary", "large", "view", "json"]
    fixed = ["half", "single", "double", "dec5", "dec38", "fixed", "id", "i32", "u64"]
    options = {
        **{f"{codec}-{v}": {"compression": codec, "data_page_version": v, "data_page_size": 2000, "write_page_checksum": True} for codec in ["none", "snappy", "gzip", "zstd", "brotli", "lz4"] for v in ["1.0", "2.0"]},
        "plain": plain, "plain-2.0": plain | {"data_page_version": "2.0"},
        "delta": plain | {"column_encoding": {c: "DELTA_BINARY_PACKED" for c in whole} | {c: "DELTA_LENGTH_BYTE_ARRAY" for c in texts} | {"truth": "RLE"}},
        "delta-2.0": plain | {"data_page_version": "2.0", "column_encoding": {c: "DELTA_BYTE_ARRAY" for c in texts + ["fixed", "dec38", "id"]} | {"truth": "RLE"}},
        "split": plain | {"column_encoding": {c: "BYTE_STREAM_SPLIT" for c in fixed}}, "integers": plain | {"store_decimal_as_integer": True}, "old": plain | {"version": "1.0", "allow_truncated_timestamps": True, "coerce_timestamps": "us"},
    }
    for name, option in options.items():
        pq.write_table(t, path("pyarrow-" + name), row_group_size=700, **option)
        # DuckDB does not read BYTE_STREAM_SPLIT of fixed arrays, but the same table.
        csv("pyarrow-" + name, f"FROM '{path('pyarrow-plain')}'" if name == "split" else None)
    # DuckDB drops nanoseconds of INT96, and reads decimals of more than 38 digits as doubles: pyarrow says what these are.
    days = pa.array([i * 86_400_000_000_007 - 1 for i in range(n)], pa.timestamp("ns"))
    more = pa.array([decimal.Decimal(i - 5).scaleb(50).quantize(decimal.Decimal("0.1")) for i in range(n)], pa.decimal256(60, 1))
    pq.write_table(pa.table({"smiles": t["smiles"], "int96": days, "dec60": more}), path("pyarrow-int96"), use_deprecated_int96_timestamps=True)
    pq.write_table(pa.table({"smiles": t["smiles"], "int96": days, "dec60": pa.array([str(x) for x in more.to_pylist()])}), path("same", "tmp"))
    csv("pyarrow-int96", f"FROM read_parquet('{path('same', 'tmp')}')")


def write_polars():
    r = range(n)
    D, day = decimal.Decimal, datetime.timedelta(days=1)
    series = [
        pl.Series("smiles", [molecules[i % 7] for i in r]), pl.Series("id", [f"m{i}" for i in r]),
        *[pl.Series(str(t), every(k, [i % 100 for i in r]), t) for k, t in enumerate([pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64])],
        *[pl.Series(str(t), every(k, [i / 8 for i in r]), t) for k, t in enumerate([pl.Float32, pl.Float64])], pl.Series("truth", every(1, [i % 3 == 0 for i in r])),
        pl.Series("dec", every(2, [D(i - 5) / 100 for i in r]), pl.Decimal(10, 2)), pl.Series("dec38", every(3, [D(i - 5) * 10**20 for i in r]), pl.Decimal(38, 2)),
        pl.Series("date", every(4, [datetime.date(1969, 12, 1) + i * day for i in r])), pl.Series("time", every(5, [datetime.time(i % 24, 2, 3, 40 * i) for i in r])),
        *[pl.Series("stamp_" + u, every(k, [datetime.datetime(1969, 12, 31, 23, 59, 58, 123000) + i * day for i in r]), pl.Datetime(u)) for k, u in enumerate(["ms", "us", "ns"])],
        pl.Series("zone", every(6, [datetime.datetime(2020, 1, 1) + i * day for i in r]), pl.Datetime("us", "Asia/Tokyo")), pl.Series("duration", every(0, [i * day for i in r])),
        pl.Series("binary", every(1, [bytes([255, i % 256]) for i in r])), pl.Series("category", every(2, [["low", "high"][i % 2] for i in r]), pl.Categorical),
        pl.Series("enum", every(3, [["low", "high"][i % 2] for i in r]), pl.Enum(["low", "high"])), pl.Series("none", [None] * n),
        pl.Series("list", every(4, [[i] for i in r])), pl.Series("array", [[i, i] for i in r], pl.Array(pl.Int64, 2)), pl.Series("struct", every(5, [{"a": i} for i in r])),
    ]
    t = pl.DataFrame(series)
    for codec in ["uncompressed", "snappy", "gzip", "zstd", "brotli", "lz4"]:
        t.write_parquet(path("polars-" + codec), compression=codec, row_group_size=700)
        csv("polars-" + codec)


def write_pandas():
    r = range(n)
    t = pd.DataFrame({
        "smiles": [molecules[i % 7] for i in r], "id": pd.array(every(1, [i for i in r]), "Int64"), "y": every(2, [i / 8 for i in r]), "when": pd.date_range("2020-01-01", periods=n, freq="7min", tz="UTC"),
        "took": pd.to_timedelta(list(r), unit="s"), "class": pd.Categorical([["low", "high"][i % 2] for i in r]), "amount": [decimal.Decimal(i) / 100 for i in r], "yes": pd.array(every(3, [i % 2 == 0 for i in r]), "boolean"),
    })
    t.to_parquet(path("pandas"))
    csv("pandas")


if sys.argv[3:] == ["csv"]:
    for file in glob.glob(path("*")):
        name = os.path.basename(file).removesuffix(".parquet")
        if not os.path.exists(path(name, "csv")):
            # DuckDB reads no BYTE_STREAM_SPLIT of fixed arrays: the same table is also written otherwise.
            same = name.replace("hyparquet-delta", "hyparquet-plain").replace("-delta", "-uncompressed")
            csv(name, f"FROM '{path(same)}'")
else:
    write_duckdb()
    write_pyarrow()
    write_polars()
    write_pandas()
