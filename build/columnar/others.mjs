// Writes one table with parquet-wasm (parquet-rs) and hyparquet-writer, as others.py does with other programs.
// Usage: node others.mjs DIRECTORY ROWS
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import zlib from 'node:zlib'
import * as arrow from 'apache-arrow'
import * as wasm from 'parquet-wasm'
import { parquetWriteBuffer } from 'hyparquet-writer'

const [directory, count] = [process.argv[2], Number(process.argv[3])]
const molecules = ['CCO', 'c1ccccc1', 'CC(=O)Oc1ccccc1C(=O)O', 'F/C=C\\F', 'C[N+](C)(C)C', 'OCC', 'CN1C=NC2=C1C(=O)N(C(=O)N2C)C']
const write = (name, data) => writeFileSync(join(directory, `${name}.parquet`), new Uint8Array(data))
const series = value => Array.from({ length: count }, (_, i) => value(i))
// every leaves some values out.
const every = (k, value) => series(i => i % 7 === k % 7 ? null : value(i))
const bytes = i => new Uint8Array([128 + i % 128, 92, 65])
const uuid = i => `6ba7b810-9dad-11d1-80b4-${String(i).padStart(12, '0')}`

function writeWasm() {
  const columns = {
    i8: [new arrow.Int8(), i => i % 100 - 50], i16: [new arrow.Int16(), i => -i], i32: [new arrow.Int32(), i => i * 7919 - 5], i64: [new arrow.Int64(), i => BigInt(i) << 40n],
    u8: [new arrow.Uint8(), i => 255 - i % 256], u16: [new arrow.Uint16(), i => 65535 - i], u32: [new arrow.Uint32(), i => 4294967295 - i], u64: [new arrow.Uint64(), i => 2n ** 64n - 1n - BigInt(i)],
    half: [new arrow.Float16(), i => i / 8], single: [new arrow.Float32(), i => i / 8], double: [new arrow.Float64(), i => i / 7], truth: [new arrow.Bool(), i => i % 3 === 0],
    dec: [new arrow.Decimal(2, 20, 128), i => new Uint32Array([i * 100 + 5, 0, 0, 0])], date: [new arrow.DateDay(), i => new Date(86400000 * i)],
    time_s: [new arrow.TimeSecond(), i => i], time_ms: [new arrow.TimeMillisecond(), i => i * 77], time_us: [new arrow.TimeMicrosecond(), i => BigInt(i * 77)], time_ns: [new arrow.TimeNanosecond(), i => BigInt(i * 77)],
    stamp_ms: [new arrow.TimestampMillisecond(), i => i * 500], stamp_us: [new arrow.TimestampMicrosecond(), i => i * 500], zone: [new arrow.TimestampMillisecond('UTC'), i => i * 500],
    binary: [new arrow.Binary(), bytes], fixed: [new arrow.FixedSizeBinary(3), bytes], large: [new arrow.LargeUtf8(), i => `text ${i}`],
    category: [new arrow.Dictionary(new arrow.Utf8(), new arrow.Int32()), i => ['low', 'high'][i % 2]],
    list: [new arrow.List(new arrow.Field('item', new arrow.Int32())), i => [i]], struct: [new arrow.Struct([new arrow.Field('a', new arrow.Int32())]), i => ({ a: i })],
  }
  const vectors = { smiles: arrow.vectorFromArray(series(i => molecules[i % 7]), new arrow.Utf8()), id: arrow.vectorFromArray(series(i => `m${i}`), new arrow.Utf8()) }
  Object.entries(columns).forEach(([name, [type, value]], k) => { vectors[name] = arrow.vectorFromArray(every(k, value), type) })
  const table = new arrow.Table(vectors)
  const { Compression, Encoding, WriterVersion } = wasm
  const builder = () => new wasm.WriterPropertiesBuilder()
  const save = (name, properties) => write(`wasm-${name}`, wasm.writeParquet(wasm.Table.fromIPCStream(arrow.tableToIPC(table, 'stream')), properties.build()))
  for (const [version, v] of [['V1', WriterVersion.V1], ['V2', WriterVersion.V2]]) {
    for (const codec of ['UNCOMPRESSED', 'SNAPPY', 'GZIP', 'BROTLI', 'ZSTD', 'LZ4_RAW']) {
      save(`${version}-${codec.toLowerCase()}`, builder().setWriterVersion(v).setCompression(Compression[codec]).setMaxRowGroupSize(700).setDataPageSizeLimit(2000))
    }
    let delta = builder().setWriterVersion(v).setCompression(Compression.UNCOMPRESSED).setDictionaryEnabled(false)
    for (const name of ['smiles', 'id', 'large', 'binary']) delta = delta.setColumnEncoding(name, Encoding.DELTA_BYTE_ARRAY)
    for (const name of ['i8', 'i16', 'i32', 'i64', 'u8', 'u16', 'u32', 'u64', 'date', 'time_ms', 'time_us', 'stamp_ms']) delta = delta.setColumnEncoding(name, Encoding.DELTA_BINARY_PACKED)
    for (const name of ['single', 'double', 'half', 'dec', 'fixed']) delta = delta.setColumnEncoding(name, Encoding.BYTE_STREAM_SPLIT)
    save(`${version}-delta`, delta.setColumnEncoding('truth', Encoding.RLE))
  }
}

function writeHyparquet() {
  const leaf = (type, more = {}) => ({ type, repetition_type: 'OPTIONAL', ...more })
  const logical = (type, kind, more = {}) => leaf(type, { logical_type: { type: kind, ...more } })
  const converted = (type, kind, more = {}) => leaf(type, { converted_type: kind, ...more })
  const fixed = (width, more = {}) => leaf('FIXED_LEN_BYTE_ARRAY', { type_length: width, ...more })
  const columns = {
    smiles: [converted('BYTE_ARRAY', 'UTF8'), i => molecules[i % 7]], id: [fixed(16, { logical_type: { type: 'UUID' } }), uuid],
    i8: [converted('INT32', 'INT_8'), i => i % 100 - 50], u32: [converted('INT32', 'UINT_32'), i => 4294967295 - i], i64: [leaf('INT64'), i => BigInt(i) << 40n], u16: [converted('INT32', 'UINT_16'), i => 65535 - i],
    half: [fixed(2, { logical_type: { type: 'FLOAT16' } }), i => i / 8], single: [leaf('FLOAT'), i => i / 8], double: [leaf('DOUBLE'), i => i / 7], truth: [leaf('BOOLEAN'), i => i % 3 === 0],
    dec4: [converted('INT32', 'DECIMAL', { scale: 2, precision: 9 }), i => BigInt(i - 5)], dec8: [converted('INT64', 'DECIMAL', { scale: 3, precision: 18 }), i => BigInt(i - 5) << 30n],
    decn: [converted('BYTE_ARRAY', 'DECIMAL', { scale: 2, precision: 30 }), i => BigInt(i - 5) << 40n], dec16: [fixed(16, { converted_type: 'DECIMAL', scale: 2, precision: 38 }), i => BigInt(i - 5) << 90n],
    date: [converted('INT32', 'DATE'), i => new Date(86400000 * (i - 5))], time_ms: [converted('INT32', 'TIME_MILLIS'), i => i * 77], time_us: [converted('INT64', 'TIME_MICROS'), i => BigInt(i * 77)],
    stamp_ms: [converted('INT64', 'TIMESTAMP_MILLIS'), i => new Date(i * 500)], stamp_us: [converted('INT64', 'TIMESTAMP_MICROS'), i => BigInt(i * 500)],
    zone_ns: [logical('INT64', 'TIMESTAMP', { isAdjustedToUTC: true, unit: 'NANOS' }), i => BigInt(i * 500)], time_ns: [logical('INT64', 'TIME', { isAdjustedToUTC: false, unit: 'NANOS' }), i => BigInt(i * 77)],
    interval: [fixed(12, { converted_type: 'INTERVAL' }), i => new Uint8Array(new Uint32Array([i % 30, i % 4, i % 3 * 1250]).buffer)],
    enum: [converted('BYTE_ARRAY', 'ENUM'), i => new TextEncoder().encode(['low', 'high'][i % 2])], json: [converted('BYTE_ARRAY', 'JSON'), i => ({ i })],
    binary: [leaf('BYTE_ARRAY'), bytes], fixed: [fixed(3), bytes],
  }
  const encodings = {
    plain: Object.fromEntries(Object.keys(columns).map(name => [name, 'PLAIN'])), words: {},
    delta: {
      ...Object.fromEntries(['i8', 'u32', 'i64', 'dec4', 'dec8', 'date', 'time_ms', 'time_us', 'stamp_ms', 'zone_ns'].map(name => [name, 'DELTA_BINARY_PACKED'])),
      smiles: 'DELTA_LENGTH_BYTE_ARRAY', json: 'DELTA_BYTE_ARRAY', binary: 'DELTA_BYTE_ARRAY', enum: 'DELTA_LENGTH_BYTE_ARRAY', truth: 'RLE',
      ...Object.fromEntries(['single', 'double', 'half', 'dec16', 'fixed'].map(name => [name, 'BYTE_STREAM_SPLIT'])),
    },
  }
  const compressors = { GZIP: zlib.gzipSync, BROTLI: zlib.brotliCompressSync, ...zlib.zstdCompressSync && { ZSTD: zlib.zstdCompressSync } }
  const save = (name, encoding, codec) => {
    const schema = [{ name: 'root', num_children: Object.keys(columns).length }, ...Object.entries(columns).map(([name, [element]]) => ({ name, ...element }))]
    const columnData = Object.entries(columns).map(([name, [, value]], k) => ({ name, data: k < 2 ? series(value) : every(k, value), encoding: encoding[name] }))
    write(`hyparquet-${name}`, parquetWriteBuffer({ columnData, schema, codec, compressors, rowGroupSize: 700, pageSize: 2000 }))
  }
  for (const [name, encoding] of Object.entries(encodings)) save(name, encoding, 'UNCOMPRESSED')
  for (const codec of ['SNAPPY', ...Object.keys(compressors)]) save(codec.toLowerCase(), {}, codec)
  // Types that are not read, and those that the writer chooses.
  const geometry = { type: 'Point', coordinates: [1, 2] }
  write('hyparquet-auto', parquetWriteBuffer({ columnData: [
    { name: 'smiles', data: series(i => molecules[i % 7]) }, { name: 'id', data: series(i => `m${i}`) }, { name: 'whole', data: series(i => i) }, { name: 'double', data: series(i => i + 0.5) },
    { name: 'wide', data: series(i => BigInt(i)) }, { name: 'truth', data: series(i => i % 2 === 0) }, { name: 'when', data: series(i => new Date(i * 1000)) }, { name: 'json', data: series(i => ({ i })) },
    { name: 'list', data: series(i => [i, i]) }, { name: 'geometry', data: series(() => geometry), type: 'GEOMETRY' }, { name: 'variant', data: series(i => ({ i })), type: 'VARIANT' },
  ] }))
}

writeWasm()
writeHyparquet()
