// Writes the table of standard input into workbooks in a folder, with the ExcelJS and SheetJS installed there.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const out = process.argv[2];
const require = createRequire(`${out}/`);
const ExcelJS = require("exceljs"), SheetJS = require("xlsx");
const table = JSON.parse(readFileSync(0));
const day = 24 * 60 * 60 * 1000;
const date = (text) => new Date(text + (text.includes("T") ? "Z" : "T00:00:00Z"));
const hour = (text) => (date(`1970-01-01T${text}`) - 0) / day;
const looks = { day: "yyyy-mm-dd", moment: "yyyy-mm-dd hh:mm:ss", hour: "hh:mm:ss" };

async function withExcelJS(name, date1904) {
  const book = new ExcelJS.Workbook();
  book.properties.date1904 = date1904;
  book.addWorksheet("Read me").addRow(["About this workbook"]);
  book.addWorksheet("Old", { state: "veryHidden" }).addRow(["smiles"]);
  const sheet = book.addWorksheet("Data");
  const values = {
    text: (v) => v, number: (v) => v, truth: (v) => v, error: (error) => ({ error }), day: date, moment: date, hour,
    rich: ([bold, rest]) => ({ richText: [{ font: { bold: true }, text: bold }, { text: rest }] }),
    formula: ([formula, result]) => ({ formula: formula.slice(1), result }),
  };
  table.forEach((row, y) => row.forEach((cell, x) => {
    for (const [kind, content] of Object.entries(cell)) {
      const at = sheet.getCell(y + 1, x + 1);
      at.value = values[kind](content);
      if (looks[kind]) at.numFmt = looks[kind];
    }
  }));
  await book.xlsx.writeFile(`${out}/${name}.xlsx`);
}

function withSheetJS(name, options, date1904 = false) {
  const first = Date.UTC(1899, 11, 30) / day + (date1904 ? 1462 : 0);
  const serial = (t) => (v) => ({ t, v: date(v) / day - first });
  const values = {
    text: (v) => ({ t: "s", v }), number: (v) => ({ t: "n", v }), truth: (v) => ({ t: "b", v }), error: () => ({ t: "e", v: 42 }),
    day: options.cellDates ? (v) => ({ t: "d", v: date(v) }) : serial("n"), moment: options.cellDates ? (v) => ({ t: "d", v: date(v) }) : serial("n"),
    hour: (v) => ({ t: "n", v: hour(v) }), rich: (v) => ({ t: "s", v: v.join("") }), formula: ([f, v]) => ({ t: "s", f: f.slice(1), v }),
  };
  const sheet = { "!ref": SheetJS.utils.encode_range({ s: { r: 0, c: 0 }, e: { r: table.length, c: table[0].length } }) };
  table.forEach((row, r) => row.forEach((cell, c) => {
    for (const [kind, content] of Object.entries(cell)) {
      sheet[SheetJS.utils.encode_cell({ r, c })] = { ...values[kind](content), ...(looks[kind] ? { z: looks[kind] } : {}) };
    }
  }));
  const book = SheetJS.utils.book_new();
  SheetJS.utils.book_append_sheet(book, sheet, "Data");
  book.Workbook = { WBProps: { date1904 } };
  SheetJS.writeFile(book, `${out}/${name}.xlsx`, { compression: true, ...options });
}

await withExcelJS("exceljs", false);
await withExcelJS("exceljs-1904", true);
withSheetJS("sheetjs", {});
withSheetJS("sheetjs-1904", {}, true);
withSheetJS("sheetjs-dates", { cellDates: true });
withSheetJS("sheetjs-shared", { bookSST: true });
