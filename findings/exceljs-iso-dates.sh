#!/bin/sh
# Guess: a date in a workbook is a date for every library that reads workbooks.
# Versions: openpyxl 3.1.5 writes, ExcelJS 4.4.0 and SheetJS (xlsx) 0.18.5 read.
# Behaviour: with iso_dates=True openpyxl writes cells of type "d", text such as 2026-01-31T18:30:00 (ECMA-376,
# 18.18.11). ExcelJS reads the text as a number, up to the first character that is none: the year counts days from
# 1899-12-30, so each date of 2026 is 1905-07-18. SheetJS reads dates, and a time of day as NaN. Nothing is reported.
# Output seen:
#   ExcelJS: 2026-01-31 is 1905-07-18, 2026-12-24T18:30:00 is 1905-07-18
#   SheetJS: 2026-01-31, 2026-12-24 18:30:00, NaN:NaN:Na
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv python
python/bin/pip install --quiet --disable-pip-version-check openpyxl==3.1.5
npm install --silent --no-audit --no-fund exceljs@4.4.0 xlsx@0.18.5
python/bin/python - <<'END'
import datetime
import openpyxl

book = openpyxl.Workbook(iso_dates=True)
book.active.append([datetime.date(2026, 1, 31), datetime.datetime(2026, 12, 24, 18, 30), datetime.time(18, 30)])
book.save("iso.xlsx")
END
cat > read.js <<'END'
const ExcelJS = require("exceljs"), SheetJS = require("xlsx");
const book = new ExcelJS.Workbook();
book.xlsx.readFile("iso.xlsx").then(() => {
  const day = (at) => book.worksheets[0].getCell(at).value.toISOString().slice(0, 10);
  console.log(`ExcelJS: 2026-01-31 is ${day("A1")}, 2026-12-24T18:30:00 is ${day("B1")}`);
  const sheet = SheetJS.readFile("iso.xlsx").Sheets.Sheet;
  console.log(`SheetJS: ${sheet.A1.w}, ${sheet.B1.w}, ${sheet.C1.w}`);
});
END
node read.js | tee seen
cat > want <<'END'
ExcelJS: 2026-01-31 is 1905-07-18, 2026-12-24T18:30:00 is 1905-07-18
SheetJS: 2026-01-31, 2026-12-24 18:30:00, NaN:NaN:Na
END
cmp seen want
