package app

import (
	"bytes"
	"encoding/csv"
	"strings"

	"baca/wasm/message"
)

// labelColumns are the names, in small letters, of a column that says which records
// the user knows to be outside.
var labelColumns = []string{"ood", "is_ood", "outside"}

// labels reads what the user knows of the records of a CSV file, for the AUC: 1 for
// outside, 0 for inside, −1 for unknown. It is nil where the file does not say so
// for each of its records.
func labels(data []byte, records int) message.Ints {
	head, _, _ := bytes.Cut(data, []byte("\n"))
	if len(data) == 0 || data[0] == 0x1f || !bytes.ContainsAny(head, ",\t") {
		return nil
	}
	r := csv.NewReader(bytes.NewReader(data))
	if !bytes.Contains(head, []byte(",")) {
		r.Comma = '\t'
	}
	r.FieldsPerRecord, r.LazyQuotes, r.ReuseRecord = -1, true, true
	names, err := r.Read()
	if err != nil {
		return nil
	}
	column := -1
	for i, name := range names {
		for _, want := range labelColumns {
			if strings.EqualFold(strings.TrimSpace(strings.TrimPrefix(name, "\ufeff")), want) {
				column = i
			}
		}
	}
	if column < 0 {
		return nil
	}
	list := make(message.Ints, 0, records)
	for {
		cells, err := r.Read()
		if err != nil || len(list) > records {
			break
		}
		label := int32(-1)
		if column < len(cells) {
			switch strings.ToLower(strings.TrimSpace(cells[column])) {
			case "1", "true", "yes", "ood", "outside":
				label = 1
			case "0", "false", "no", "id", "inside":
				label = 0
			}
		}
		list = append(list, label)
	}
	if len(list) != records {
		return nil
	}
	return list
}
