// Times what libraries of JavaScript offer for the work of build/tools/bench, in WebAssembly and on one
// thread, and prints lines as Go's benchmarks do. Usage, in the folder where npm has installed them:
//
//     node -e "$(cat anchors.cjs)" -- gemm
//     node -e "$(cat anchors.cjs)" -- rdkit NAME BANK QUERIES
//
// BANK and QUERIES are tables of SMILES, one in a line below the head.

'use strict'

const fs = require('node:fs')
const { createRequire } = require('node:module')
const path = require('node:path')

const load = createRequire(path.join(process.cwd(), 'index.js'))

const line = (name, milliseconds, more = '') => console.log(`Benchmark${name}\t1\t${(milliseconds * 1e6).toFixed(0)} ns/op${more}`)

// rdkit finds for each query the most similar molecule of the bank: it reads the SMILES, makes Morgan
// fingerprints of radius 2 with 1 024 bits, and compares them.
async function rdkit(name, bankFile, queriesFile) {
	const RDKit = await load('@rdkit/rdkit')()
	const words = 32
	const counts = new Uint8Array(1 << 16).map((_, i) => {
		let n = 0
		for (; i; i &= i - 1) n++
		return n
	})
	const lines = file => fs.readFileSync(file, 'utf8').split('\n').slice(1).filter(Boolean)
	const print = smiles => {
		const molecule = RDKit.get_mol(smiles)
		if (!molecule) return null
		const bytes = molecule.get_morgan_fp_as_uint8array('{"radius":2,"nBits":1024}')
		molecule.delete()
		return new Uint32Array(bytes.slice().buffer)
	}
	const bits = (a, b, at) => {
		let n = 0
		for (let w = 0; w < words; w++) {
			const x = a[w] & b[at + w]
			n += counts[x & 0xffff] + counts[x >>> 16]
		}
		return n
	}
	const prints = lines(bankFile).map(print).filter(Boolean)
	const bank = new Uint32Array(prints.length * words)
	prints.forEach((p, i) => bank.set(p, i * words))
	const sizes = prints.map(p => bits(p, p, 0))
	const queries = lines(queriesFile)
	const begin = performance.now()
	let read = 0
	for (const smiles of queries) {
		const q = print(smiles)
		if (!q) continue
		read++
		const size = bits(q, q, 0)
		let best = 0
		for (let i = 0; i < sizes.length; i++) {
			const common = bits(q, bank, i * words)
			best = Math.max(best, common / (size + sizes[i] - common))
		}
	}
	const took = performance.now() - begin
	if (read < queries.length / 2) throw new Error(`RDKit read ${read} of ${queries.length} molecules`)
	line(name, took)
}

// Of the format of ONNX (onnx.proto3), as much as a chain of products needs.
const varint = n => {
	const bytes = []
	for (; n > 127; n = Math.floor(n / 128)) bytes.push(n % 128 | 128)
	return Buffer.from([...bytes, n])
}
const whole = (field, n) => Buffer.concat([varint(field << 3), varint(n)])
const part = (field, ...data) => {
	const bytes = Buffer.concat(data.map(d => Buffer.from(d)))
	return Buffer.concat([varint(field << 3 | 2), varint(bytes.length), bytes])
}

// chain is a model that multiplies an m×k matrix by the same k×k one so many times.
function chain(m, k, times) {
	const float = 1
	const shape = (...sizes) => part(2, ...sizes.map(n => part(1, whole(1, n))))
	const value = (field, name) => part(field, part(1, name), part(2, part(1, whole(1, float), shape(m, k))))
	// The identity, since numbers that shrink from product to product become slow.
	const weights = Float32Array.from({ length: k * k }, (_, i) => i % (k + 1) === 0 ? 1 : 0)
	const nodes = []
	for (let t = 0; t < times; t++) nodes.push(part(1, part(1, 'y' + t), part(1, 'w'), part(2, 'y' + (t + 1)), part(4, 'MatMul')))
	const tensor = part(5, whole(1, k), whole(1, k), whole(2, float), part(8, 'w'), part(9, Buffer.from(weights.buffer)))
	const graph = part(7, ...nodes, part(2, 'chain'), tensor, value(11, 'y0'), value(12, 'y' + times))
	return Buffer.concat([whole(1, 8), graph, part(8, whole(2, 13))])
}

async function gemm() {
	const ort = load('onnxruntime-web')
	ort.env.wasm.numThreads = 1
	ort.env.logLevel = 'error'
	// More products at a time would no longer fit in a cache.
	const [m, times] = [384, 4]
	for (const k of [16, 64, 80]) {
		const session = await ort.InferenceSession.create(chain(m, k, times), { executionProviders: ['wasm'] })
		const feeds = { y0: new ort.Tensor('float32', new Float32Array(m * k).fill(1), [m, k]) }
		let best = Infinity
		for (const end = performance.now() + 250; performance.now() < end;) {
			const begin = performance.now()
			await session.run(feeds)
			best = Math.min(best, (performance.now() - begin) / times)
		}
		line(`Gemm/NN/${m}x${k}x${k}/onnxruntime-web`, best, `\t${(2 * m * k * k / best / 1e6).toFixed(4)} GFLOP/s`)
	}
}

const [way, ...rest] = process.argv.slice(1)
;({ rdkit, gemm })[way](...rest).then(() => process.exit(0), err => {
	console.error(err)
	process.exit(1)
})
