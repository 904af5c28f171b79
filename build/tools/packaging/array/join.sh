#!/bin/sh
# Puts the rows of all parts into scores.csv, with one header.
set -eu
set -- part-*.csv
head -n 1 "$1" >scores.csv
for part; do tail -n +2 "$part" >>scores.csv; done
