package molfile_test

import (
	"fmt"
	"strings"

	"baca/algo/molecule/molfile"
)

// A record that is refused does not end the reading of a file.
func ExampleSDF() {
	const file = `methanol
  by hand           2D

  2  1  0  0  0  0  0  0  0  0999 V2000
    0.0000    0.0000    0.0000 C   0  0
    1.4000    0.0000    0.0000 O   0  0
  1  2  1  0
M  END
> <CAS>
67-56-1

$$$$
mistake
  by hand           2D

  1  0  0  0  0  0  0  0  0  0999 V2000
    0.0000    0.0000    0.0000 Y0  0  0
M  END
$$$$
`
	for record, err := range molfile.SDF(strings.NewReader(file)) {
		if err != nil {
			fmt.Println("cannot go on:", err)
			break
		}
		m, err := molfile.Parse(record.Text)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(m.Name, "has", len(m.Atoms), "atoms")
		for name, value := range record.Fields() {
			fmt.Println(name, value)
		}
	}
	// Output:
	// methanol has 2 atoms
	// CAS 67-56-1
	// line 5, column 32: "Y0" is no element: want a symbol such as C or Cl
}
