#!/bin/sh
# Guess: pandas reads from a workbook the texts that pandas wrote into it.
# Versions: pandas 2.3.3 with openpyxl 3.1.5 and XlsxWriter 3.2.9.
# Behaviour: to_excel uses XlsxWriter wherever it is installed, which escapes a carriage return as _x000D_, as the
# format asks (ST_Xstring). read_excel uses openpyxl, which undoes only the escape of the escape, so that the text
# "_x000D_" and a carriage return are the same afterwards. A SMILES with a Windows line end behind it, "CCO\r", comes back as
# CCO_x000D_, which no longer parses. Without XlsxWriter installed the same two calls give "CCO\n".
# Output seen:
#   xlsxwriter: 'CCO\r' is read as 'CCO_x000D_', '_x000D_' as '_x000D_'
#   openpyxl: 'CCO\r' is read as 'CCO\n', '_x000D_' as '_x000D_'
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv python
python/bin/pip install --quiet --disable-pip-version-check pandas==2.3.3 openpyxl==3.1.5 xlsxwriter==3.2.9
python/bin/python - <<'END' | tee seen
import pandas

frame = pandas.DataFrame({"smiles": ["CCO\r", "_x000D_"]})
frame.to_excel("default.xlsx")
for engine in "xlsxwriter", "openpyxl":
    frame.to_excel("a.xlsx", engine=engine)
    first, second = pandas.read_excel("a.xlsx").smiles
    print(f"{engine}: {frame.smiles[0]!r} is read as {first!r}, {frame.smiles[1]!r} as {second!r}")
    if engine == "xlsxwriter":
        assert pandas.read_excel("default.xlsx").smiles[0] == first
END
cat > want <<'END'
xlsxwriter: 'CCO\r' is read as 'CCO_x000D_', '_x000D_' as '_x000D_'
openpyxl: 'CCO\r' is read as 'CCO\n', '_x000D_' as '_x000D_'
END
cmp seen want
