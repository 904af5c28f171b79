# Makes the inputs, which lines find in the folder in: once for both programs, by baca of the other commit. TOOL is the folder of this script.
root=$TOOL/../../..
data=$root/algo/dataset/testdata/other

# Molecules: a training set with values of every kind, a list to score, and the same in every format.
grep -v '"' "$root/web/examples/solubility-train.csv" | head -241 | awk -F, -v OFS=, 'NR == 1 { print $0, "sd", "fresh", "soluble", "probability", "date", "eur", "measured"; next }
	{ print $0, (NR % 7) / 10, $4 + (NR % 5 - 2) / 4, ($3 > -2), NR % 9 ? ($4 > -2 ? 0.8 : 0.1) : 0.5, 2000 + NR % 20 "-0" 1 + NR % 9, NR % 11 ? NR % 50 : "", NR % 6 ? "" : "yes" }' > train.csv
head -41 train.csv | tail -40 | awk -F, -v OFS=, '{ print $2 }' > forty.smi
cp "$root/web/examples/molecules.csv" examples.csv
cp "$root/web/examples/solubility-new.csv" new.csv
awk -F, -v OFS=, 'NR == 1 { print $0, "sd" } NR > 1 && !/"/ { print $0, (NR % 7) / 10 }' new.csv | head -100 > unsure.csv
awk -F, -v OFS=, 'NR == 1 { print "name,smiles,probability" } NR > 1 && !/"/ { print $1, $2, NR % 4 ? 0.9 : 0.3 }' new.csv | head -60 > classes.csv
head -31 examples.csv > few.csv
cat > odd.csv <<END
id;structure;note
salt;[Na+].CC(=O)[O-];a "quoted" note
isomer;C[C@H](N)C(=O)O;=1+1
isotope;[13CH4];@sum
open;C1CC;
name;aspirin;-2
none;;
element;[Xx];
valence;C(C)(C)(C)(C)C;
two;CCO CCN;
END
printf 'smiles,structure,smiles\nCCO,CCN,CCC\n' > twice.csv
printf '# a comment\nCCO ethanol\n\nC1CC broken\nc1ccccc1 benzene\n' > odd.smi
printf '\377\376C\0C\0O\0\n\0' > utf16.smi
printf 'CC\303(\n' > latin.smi
printf '{"smiles": "CCO", "n": 1, "list": [1, 2]}\n{"smiles": 3}\n{"smiles": "CCN", "smiles": "C"}\n{"smiles": \n{"id": "last", "smiles": "C"}\n' > odd.jsonl
: > empty.csv
echo smiles > header.csv
for form in tsv jsonl sdf parquet; do baca score --drop-columns --out few.$form few.csv 2>/dev/null; done
awk -F, 'NR > 1 { print $3, $1 }' few.csv > few.smi
awk '{ print $1 " |$a$| " $2 }' few.smi > few.cxsmiles
gzip -nc few.csv > few.csv.gz
head -c 300 few.csv.gz > cut.csv.gz
head -c 2000 few.parquet > cut.parquet
head -c 1500 few.sdf > cut.sdf
cp "$data"/* .
for name in exceljs table-pandas; do cp "$root/algo/xlsx/testdata/$name.xlsx" .; done
head -c 3000 exceljs.xlsx > cut.xlsx
cp "$root/algo/parquet/testdata/pyarrow-delta.parquet" "$root/algo/parquet/testdata/zstd-v2-words.parquet" .
mkdir parts && cp few.parquet parts/a.parquet && cp few.parquet parts/b.parquet
mkdir lists && head -3 few.smi > lists/a.smi && head -5 few.smi | tail -2 > lists/b.smi

# Plain graphs: trees and rings of 3 to 12 nodes, as a TUDataset set, node-link JSON and GraphML.
mkdir TREES
awk 'BEGIN { for (g = 1; g <= 60; g++) { n = 3 + g % 10
	for (i = 1; i <= n; i++) print g > "TREES/TREES_graph_indicator.txt"
	for (i = 2; i <= n; i++) { to = base + (g % 3 ? int(i / 2) : i - 1); print base + i ", " to > "TREES/TREES_A.txt"; print to ", " base + i > "TREES/TREES_A.txt" }
	print g % 2 > "TREES/TREES_graph_labels.txt"; base += n } }'
(cd TREES && python3 -m zipfile -c ../TREES.zip TREES_A.txt TREES_graph_indicator.txt) || true
mkdir gap && printf '1, 2\n2, x\n' > gap/gap_A.txt && printf '1\n1\n' > gap/gap_graph_indicator.txt
awk 'BEGIN { for (g = 3; g < 28; g++) { printf "{\"graph\": {\"name\": \"ring %d\"}, \"nodes\": [{\"id\": 0}", g
	for (i = 1; i < g; i++) printf ", {\"id\": %d}", i
	printf "], \"links\": [{\"source\": %d, \"target\": 0}", g - 1
	for (i = 1; i < g; i++) printf ", {\"source\": %d, \"target\": %d}", i - 1, i
	print "]}" } }' > rings.jsonl
echo '{"nodes": [{"id": 0}], "links": [{"source": 0, "target": 9}]}' >> rings.jsonl
cat > ring.graphml <<END
<?xml version="1.0"?>
<graphml><graph id="ring" edgedefault="undirected"><node id="a"/><node id="b"/><node id="c"/>
<edge source="a" target="b"/><edge source="b" target="c"/><edge source="c" target="a"/></graph></graphml>
END

# Models.
mkdir models
own="--observed logS --held-out logS_pred"
baca train train.csv --out models/own.msgpack --keep-structures $own 2>/dev/null
baca train train.csv --out unsure.msgpack $own --uncertainty sd --new-scaffold fresh 2>/dev/null
baca train train.csv --out classes.msgpack --observed soluble --held-out probability 2>/dev/null
baca train forty.smi --out attention.msgpack --epochs 5 2>/dev/null
baca train TREES --out models/trees.msgpack --epochs 5 2>/dev/null
ln -s models/own.msgpack own.msgpack && ln -s models/trees.msgpack trees.msgpack
baca model share own.msgpack --out shared.msgpack 2>/dev/null
head -c 20000 own.msgpack > cut.msgpack
{ head -c 9000 own.msgpack; printf x; tail -c +9002 own.msgpack; } > damaged.msgpack

# Questions of other programs: a token, messages of MCP, frames of the Python package.
echo 0123456789abcdef0123 > token
call() { printf '{"jsonrpc": "2.0", "id": %s, "method": "tools/call", "params": {"name": "%s", "arguments": %s}}\n' "$@"; }
{
	echo '{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "same", "version": "1"}}}'
	echo '{"jsonrpc": "2.0", "method": "notifications/initialized"}'
	echo '{"jsonrpc": "2.0", "id": 2, "method": "tools/list"}'
	echo '{"jsonrpc": "2.0", "id": 3, "method": "ping"}'
	call 4 models '{}'
	call 5 score '{"smiles": ["CCO", "[Na+].[Cl-]", "C("]}'
	call 6 score "{\"by\": \"batch\", \"alpha\": 0.1, \"model\": \"bbbp\", \"smiles\": [$(sed 's/.*/"&"/' forty.smi | paste -sd, -)]}"
	call 7 explain '{"smiles": ["Clc1ccccc1", "C("], "model": "own"}'
	call 8 explain '{"smiles": ["O=C(N)N"]}'
	call 9 score '{"smiles": []}'
	call 10 score '{"smiles": ["C"], "model": "none"}'
	call 11 score '{"smiles": ["C"], "by": "luck"}'
	call 12 score '{"smiles": ["C"], "alpha": 2}'
	call 13 score '{"smiles": ["C"], "model": "trees"}'
	call 14 score '{"smiles": "C"}'
	call 15 none '{}'
	call 16 models null
	echo '{"jsonrpc": "2.0", "id": 17, "method": "none"}'
	echo '{"jsonrpc": "2.0", "id": 18.5, "method": "ping"}'
	echo '{"jsonrpc": "2.0", "id": 19, "id": 20, "method": "ping"}'
	echo 'no JSON'
} > questions.jsonl
frame() { printf "\\$(printf %03o ${#1})\\0\\0\\0\\$(printf %03o "${3:-0}")\\0\\0\\0%s$2" "$1"; } # header, body in octal, its length
{
	frame '{"id": 1, "op": "models"}'
	frame '{"id": 2, "op": "about", "model": "drugs", "alpha": 0.05}'
	frame '{"id": 3, "op": "score", "model": "drugs", "alpha": 0.05, "kind": "molecules", "rows": 2}' '\3\0\0\0\2\0\0\0CCOC(' 13
	frame '{"id": 4, "op": "explain", "model": "drugs", "alpha": 0.05, "kind": "molecules", "rows": 2}' '\3\0\0\0\2\0\0\0CCOC(' 13
	frame '{"id": 5, "op": "fingerprints", "kind": "molecules", "rows": 2}' '\3\0\0\0\2\0\0\0CCOC(' 13
	frame '{"id": 6, "op": "q_values"}' '\0\0\0\0\0\0\340\77\0\0\0\0\0\0\320\77' 16
	frame '{"id": 7, "op": "foreign", "outside": 30, "inside": 2}'
	frame '{"id": 8, "op": "score", "model": "ptc_mr", "alpha": 0.05, "kind": "graphs", "rows": 1}' '\2\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0' 16
	frame '{"id": 9, "op": "score", "model": "drugs", "alpha": 0.05, "by": "batch", "kind": "molecules", "rows": 1}' '\3\0\0\0CCO' 7
	frame '{"id": 10, "op": "trust", "model": "drugs", "alpha": 0.05, "kind": "molecules", "rows": 0}'
	frame '{"id": 11, "op": "score", "model": "none", "alpha": 0.05}'
	frame '{"id": 12, "op": "score", "model": "drugs", "alpha": 7, "kind": "molecules", "rows": 1}' '\1\0\0\0C' 5
	frame '{"id": 13, "op": "dance", "model": "drugs"}'
	frame '{"id": 14, "op": "train", "kind": "molecules", "rows": 1}' '\3\0\0\0CCO' 7
	frame '{"id": 15, "op": "file", "model": "ptc_mr"}'
} > frames
