package command

import "baca/algo/table"

// scoreHelp is the long help of `baca score`.
func scoreHelp() string {
	return helpRecords + table.Help(table.Fields(table.Usual)) +
		helpAnswers + table.Help(table.Fields(table.OfBatch)) +
		helpRate + table.Help(table.Fields(table.OfRate)) +
		helpBounds + table.Help(table.Fields(table.OfReasons)) +
		helpNeighbors + table.Help(table.Fields(table.OfNeighbors|table.OfValues)) +
		helpTrust + table.Help(table.Fields(table.OfTrust)) +
		helpOrigin + table.Help((&table.Run{FDR: 1}).Fields()) +
		helpRuns + helpShards
}

// The parts of scoreHelp between the lists of columns.
const (
	helpRecords = `Score reads molecules from .smi, .csv, .tsv, .jsonl, .sdf or .parquet files (or .gz, .bz2
or .zst) or from standard input, or plain graphs from node-link .jsonl and .graphml
files, a TUDataset folder, zip archive or one of the set's files, and writes one row for
each, in input order:

`

	helpAnswers = `
There are two answers. The first is about each graph by itself, and decides unless
--by says otherwise: it is the same whatever stands beside the graph, in any order.
The second is about the list as a whole: does it differ from the training set, and
which graphs make the difference? It takes a batch of 20 graphs or more, and is
calibrated where it is asked for:

  --by batch      decides by the graph and its batch together: a graph is outside only
                  if its p-value by itself is at most 0.1, too, which bounds false alarms
                  in the worst company
  --by attention  decides by the paper's score; its p-value is never below that of the
                  graph by itself
  --columns all   decides as --by says, and adds both answers in columns of their own

The columns of a batch, of which --by adds the first three and --columns all every one, are

`

	helpRate = `
Standard error then says whether the list as a whole differs, and in what. Files up to 4096 graphs are calibrated as one batch.
From longer files an even sample of 4096 forms the batch, and all other graphs are
scored by what was learned from it; from standard input, which can be read only once,
the first 4096 graphs form the batch.

--fdr F adds, and decides by,

`

	helpBounds = `
The verdict is then outside where q_value is at most F, borderline where only p_value is
at most alpha, or inside. Rows are written when all are scored. --fdr rests on the
p-values of graphs by themselves, so it does not go with --by batch or attention.

False alarms are at most alpha on average over the graphs that could have been held
out. Those of one model may be an unlucky draw, and then there are more. With
--confidence 0.95 false alarms are at most alpha for 95 of 100 such draws. Verdicts
then use a lower rate in the place of alpha, which standard error names, and all are
undecided where too few graphs are held out.

With --fdr or --confidence standard error also bounds how many of those called outside
may be inside, as far as graphs from inside are like those held out. The bound holds at
every threshold at once, so one may look at many and take the best.

--explain adds

`

	helpNeighbors = `
and, as --neighbors N alone does,

`

	helpTrust = `
The last two are there where the model has values of its training molecules.

--predicted COLUMN says what error to expect of your prediction for each molecule, from the
held-out errors that the model knows, see baca train --residuals. It adds

`

	helpOrigin = `
--errors-by says which held-out molecules these errors are of, those that are alike in
  score      the score of the graph by itself, whatever --by says
  neighbors  one less the mean similarity to the five nearest training graphs, as
             --neighbors 5 shows them
  margin     of classes: how near the predicted probability is to the nearer class, 0 or 1
Without it that is margin for classes, where it finds wrong ones far better than the
others, and score for numbers. Of numbers neighbors is better on some sets and worse on
others; baca trust says what it is on yours.

With several models, --model A,B, the columns of a score are there once for each, with
the name of the model in front, and covered_by has the models that call it inside.

Behind these is what the row came from:

`

	helpRuns = `
In the end stand the columns of the input, but for those of the SMILES and the id, as they
are: of tables and Parquet those of the header, of JSONL the keys of the first objects, of
SDF the data of the first record. One with a name as above begins with input_ here.
--drop-columns leaves them out, and so do several inputs at once.

Lists of numbers are separated by blanks in CSV, and those of texts by semicolons.
Control characters other than tabs are written as \u001b, so that each record is one
line.

With --out, a run that was killed goes on with --resume, to the same bytes, if the
input still holds the bytes that gave the rows so far. --resume takes one input, a file,
and one model. It is refused with Parquet, several inputs, several models, --fdr and
--shard, and where --out or --rejects is a pipe or a device, which get all rows, but a
killed run starts again. Two runs do not write to one file at once, and an input that
changes while it is read ends the run with an error, behind the rows that are written.

Warnings and counts go to standard error. The exit status is 0 also when records were
refused, 2 after a mistake in the command line, 3 if --fail-on outside is given and a
graph is outside, and 1 after any other failure, also if there was nothing to read or
all of it was refused. --fail-on takes several words: outside, borderline, undecided, and
refused for records that could not be read. All rows are written before.

`

	helpShards = `With --shard, many processes divide the work on files of molecules, and give the
rows that one gives. Shards are counted from 0, and FOLDER is one that all see:

  score --shard I/N …   once for each I, in any order, on any machine: writes a
                        part of the rows
  merge FOLDER          once: joins the parts and sums up

What is in the folder is not done again, so whatever failed or was killed is just
started again. Several files are as if they were one after the other, and their rows
are numbered through. They must stay as they are, byte for byte: a shard that finds one
changed names it and writes no rows. A batch needs all graphs in one place, so shards
score each graph by itself only.

--device moves the encoder and S_Pre to a GPU, in a program that was built for that.
A GPU rounds otherwise than the processor, so auto is the processor for shards:
which device is faster could differ from one to the next.`
)
