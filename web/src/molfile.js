// molfile writes a layout in the format that says just what is drawn.
export function molfile({ atoms, bonds }, name = "") {
  const pad = (x, n) => String(x).padStart(n);
  const lines = [name.replace(/[\u0000-\u001f]/g, " ").slice(0, 80), "", "", `${pad(atoms.length, 3)}${pad(bonds.length, 3)}  0  0  1  0  0  0  0  0999 V2000`];
  atoms.forEach((a) => {
    const valence = a.valence < 0 ? 0 : a.valence || 15;
    lines.push(`${pad(a.x.toFixed(4), 10)}${pad((-a.y).toFixed(4), 10)}    0.0000 ${a.symbol.padEnd(3)} 0  0  0  0  0${pad(valence, 3)}  0  0  0  0  0  0`);
  });
  const stereo = { wedge: 1, hash: 6, cross: 3 };
  for (const b of bonds) {
    const order = b.kind === "dative" ? 9 : Math.min(b.order, 3);
    lines.push(`${pad(b.from + 1, 3)}${pad(b.to + 1, 3)}${pad(order, 3)}${pad(stereo[b.kind] || 0, 3)}`);
  }
  const property = (name, value) =>
    atoms.forEach((a, i) => {
      if (value(a)) lines.push(`M  ${name}  1${pad(i + 1, 4)}${pad(value(a), 4)}`);
    });
  property("CHG", (a) => a.charge);
  property("ISO", (a) => a.isotope);
  property("RAD", (a) => (a.radicals === 1 ? 2 : a.radicals === 2 ? 3 : 0));
  lines.push("M  END", "");
  return lines.join("\n");
}
