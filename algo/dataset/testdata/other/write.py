"""Writes the files of this folder with other programs: pandas, networkx, zip, tar and xz."""
import json
import subprocess

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
subprocess.run("yes C | head -c 67108864 | xz > bomb.smi.xz", shell=True, check=True)
subprocess.run("yes CCO | head -c 8192 > s.smi; truncate -s 8G s.smi; tar --format=posix -cSf - s.smi | gzip -9 > sparse.tar.gz; rm s.smi", shell=True, check=True)
with open("lines.smi", "w") as f:
    f.write("CCO one\nCCN two\n")
subprocess.run("""for how in "--check=crc32 --block-size=7" --check=sha256 "--check=crc64 --block-size=9"; do
    xz -c $how lines.smi; head -c 4 /dev/zero; done > several.smi.xz; rm lines.smi""", shell=True, check=True)
