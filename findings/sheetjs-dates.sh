#!/bin/sh
# Guess: a Date that SheetJS writes is the same date for whoever reads the workbook.
# Versions: SheetJS (xlsx) 0.18.5, the last one on npm, writes; openpyxl 3.1.5 reads.
# Behaviour: (1) in a workbook that counts days from 1904 (date1904, as files of old Macs do) it still writes days from
# 1900, so that each date is four years and a day later. (2) It takes the time zone's offset of 1899, in whole minutes:
# where that had seconds (local mean time), midnight becomes 00:00:43 in Shanghai and 00:00:10 in Kolkata, so a column
# of days turns into one of times. SheetJS itself reads the day before there, at 23:59:59.
# Output seen:
#   UTC: 2026-01-31 00:00:00, counted from 1904: 2030-02-01 00:00:00
#   Asia/Shanghai: 2026-01-31 00:00:43, counted from 1904: 2030-02-01 00:00:43
#   Asia/Kolkata: 2026-01-31 00:00:10, counted from 1904: 2030-02-01 00:00:10
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv python
python/bin/pip install --quiet --disable-pip-version-check openpyxl==3.1.5
npm install --silent --no-audit --no-fund xlsx@0.18.5
cat > write.js <<'END'
const SheetJS = require("xlsx");
for (const date1904 of [false, true]) {
  const book = SheetJS.utils.book_new();
  SheetJS.utils.book_append_sheet(book, SheetJS.utils.aoa_to_sheet([[new Date(2026, 0, 31)]]), "a"); // midnight
  book.Workbook = { WBProps: { date1904 } };
  SheetJS.writeFile(book, `${date1904}.xlsx`);
}
END
cat > read.py <<'END'
import os
import openpyxl

days = [openpyxl.load_workbook(name).active["A1"].value for name in ("false.xlsx", "true.xlsx")]
print(f"{os.environ['TZ']}: {days[0]}, counted from 1904: {days[1]}")
END
for zone in UTC Asia/Shanghai Asia/Kolkata; do
  TZ=$zone node write.js
  TZ=$zone python/bin/python read.py
done | tee seen
cat > want <<'END'
UTC: 2026-01-31 00:00:00, counted from 1904: 2030-02-01 00:00:00
Asia/Shanghai: 2026-01-31 00:00:43, counted from 1904: 2030-02-01 00:00:43
Asia/Kolkata: 2026-01-31 00:00:10, counted from 1904: 2030-02-01 00:00:10
END
cmp seen want
