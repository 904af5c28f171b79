// The editor in which molecules are drawn. Loaded when somebody asks for it.
import { CanvasEditor, Molecule } from "openchemlib";

let editor = null;

globalThis.bacaEditor = {
  open(element, smiles) {
    this.close();
    element.replaceChildren();
    editor = new CanvasEditor(element, { initialMode: "molecule" });
    if (smiles) {
      try {
        editor.setMolecule(Molecule.fromSmiles(smiles));
      } catch {
        // what cannot be drawn is not: the editor begins empty
      }
    }
  },
  smiles() {
    return editor ? editor.getMolecule().toIsomericSmiles() : "";
  },
  close() {
    if (editor) editor.destroy();
    editor = null;
  },
};
