"""Writes the files of this folder with other programs: pandas, networkx, zip, tar, xz and Python's modules."""
import io
import json
import os
import subprocess
import tarfile
import zipfile

import networkx
import pandas

molecules = pandas.DataFrame({
    "DrugBank ID": ["DB00945", "DB00201", "DB00898"],
    "smiles": ["CC(=O)Oc1ccccc1C(=O)O", "Cn1cnc2c1c(=O)n(C)c(=O)n2C", "CCO"],
    "note": ["a \"quoted\" text", None, "50/50, {x}"],
})
molecules.to_json("records.json", orient="records")
molecules.to_json("indented.json", orient="records", indent=2)
molecules.to_json("columns.json")
for orient in ["split", "index", "values", "table"]:
    molecules.to_json(orient + ".json", orient=orient)
labelled = molecules.set_index("DrugBank ID")
labelled.to_json("labelled-columns.json")
labelled.to_json("labelled-index.json", orient="index")
with open("graph.json", "w") as f:
    json.dump(networkx.node_link_data(networkx.path_graph(3)), f, indent=1)

molecules[:2].to_csv("a.csv", index=False)
molecules[2:].to_csv("b.csv", index=False)
with open("README.md", "w") as f:
    f.write("Notes.\n")
files = ["README.md", "a.csv", "b.csv"]
subprocess.run(["zip", "-q", "-X", "two.zip", *files], check=True)
subprocess.run("cat a.csv b.csv | zip -q - - > streamed.zip", shell=True, check=True)
subprocess.run(["tar", "-czf", "two.tar.gz", *files], check=True)
subprocess.run(["tar", "-cf", "two.tar", *files], check=True)
subprocess.run(["xz", "-k", "a.csv"], check=True)
subprocess.run(["rm", *files], check=True)

# What a folder holds, with a long name and what macOS adds.
csv, long = molecules.drop(columns="note"), "set/" + "b" * 120 + ".csv"
os.makedirs("folder/set")
csv[:2].to_csv("folder/a.csv", index=False)
csv[2:].to_csv("folder/" + long, index=False)
with open("folder/._a.csv", "wb") as f:
    f.write(b"\x00\x05\x16\x07\x00\x02\x00\x00Mac OS X        ")
subprocess.run("cd folder && tar --sort=name -czf ../dot.tgz . && zip -q -X -r -P secret ../password.zip .", shell=True, check=True)
with tarfile.open("python-pax.tar.bz2", "w:bz2", format=tarfile.PAX_FORMAT) as tar:
    for name in ("a.csv", long):
        tar.add("folder/" + name, name)


class Pipe(io.RawIOBase):
    """A file that cannot be sought: sizes and checksums follow the data."""

    def __init__(self, f):
        self.f = f

    def writable(self):
        return True

    def write(self, data):
        return self.f.write(data)


with open("python.zip", "wb") as f, zipfile.ZipFile(Pipe(f), "w", zipfile.ZIP_DEFLATED) as z:
    for name in ("a.csv", long):
        with z.open(name, "w", force_zip64=True) as w, open("folder/" + name, "rb") as r:
            w.write(r.read())
subprocess.run(["rm", "-r", "folder"], check=True)
subprocess.run("yes C | head -c 67108864 | xz > bomb.smi.xz", shell=True, check=True)
subprocess.run("yes CCO | head -c 8192 > s.smi; truncate -s 8G s.smi; tar --format=posix -cSf - s.smi | gzip -9 > sparse.tar.gz; rm s.smi", shell=True, check=True)
with open("lines.smi", "w") as f:
    f.write("CCO one\nCCN two\n")
subprocess.run("""for how in "--check=crc32 --block-size=7" --check=sha256 "--check=crc64 --block-size=9"; do
    xz -c $how lines.smi; head -c 4 /dev/zero; done > several.smi.xz; rm lines.smi""", shell=True, check=True)
