"""Writes the table of standard input into workbooks in a folder, with openpyxl, pandas and XlsxWriter."""

import datetime
import json
import sys

import openpyxl
import pandas
import xlsxwriter
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.utils.datetime import CALENDAR_MAC_1904

out = sys.argv[1]
table = json.load(sys.stdin)
plain = {
    "text": str,
    "number": float,
    "truth": bool,
    "error": str,
    "day": datetime.date.fromisoformat,
    "moment": datetime.datetime.fromisoformat,
    "hour": datetime.time.fromisoformat,
    "rich": "".join,
    "formula": lambda pair: pair[1],
}


def value(cell):
    return next(plain[kind](content) for kind, content in cell.items()) if cell else None


def with_openpyxl(name, epoch=None, iso=False):
    book = openpyxl.Workbook(iso_dates=iso)
    if epoch:
        book.epoch = epoch
    book.active.title = "Read me"
    book.active.append(["About this workbook"])
    sheet, hidden = book.create_sheet("Data"), book.create_sheet("Old")
    hidden.sheet_state = "hidden"
    hidden.append(["smiles"])
    for y, row in enumerate(table, 1):
        for x, cell in enumerate(row, 1):
            if "rich" in cell:
                bold, rest = cell["rich"]
                sheet.cell(y, x).value = CellRichText(TextBlock(InlineFont(b=True), bold), rest)
            elif cell:
                sheet.cell(y, x).value = value(cell)  # a formula would have no result
                if cell.get("text") is not None:
                    sheet.cell(y, x).data_type = "s"
    book.save(f"{out}/{name}.xlsx")


def with_pandas(name):
    frame = pandas.DataFrame([[value(cell) for cell in row] for row in table[1:]], columns=[value(cell) for cell in table[0]], dtype=object)
    with pandas.ExcelWriter(f"{out}/{name}.xlsx", engine="openpyxl") as writer:
        frame.to_excel(writer, sheet_name="Data", index=False)


def with_xlsxwriter(name, **options):
    book = xlsxwriter.Workbook(f"{out}/{name}.xlsx", options)
    looks = {kind: book.add_format({"num_format": code}) for kind, code in {"day": "d.m.yyyy", "moment": "[$-409]d mmm yy h:mm AM/PM", "hour": "h:mm"}.items()}
    bold = book.add_format({"bold": True})
    sheet = book.add_worksheet("Data")
    for y, row in enumerate(table):
        for x, cell in enumerate(row):
            for kind, content in cell.items():
                if kind == "text":
                    sheet.write_string(y, x, content)
                elif kind == "rich":
                    sheet.write_rich_string(y, x, bold, *content)
                elif kind == "formula":
                    sheet.write_formula(y, x, content[0], None, content[1])
                elif kind == "error":
                    sheet.write_formula(y, x, "=NA()", None, content)
                elif kind in looks:
                    sheet.write_datetime(y, x, value(cell), looks[kind])
                else:
                    sheet.write(y, x, value(cell))
    book.close()


with_openpyxl("openpyxl")
with_openpyxl("openpyxl-1904", epoch=CALENDAR_MAC_1904)
with_openpyxl("openpyxl-iso", iso=True)
with_pandas("pandas")
with_xlsxwriter("xlsxwriter")
with_xlsxwriter("xlsxwriter-1904", date_1904=True)
with_xlsxwriter("xlsxwriter-inline", constant_memory=True)
