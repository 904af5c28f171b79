package dataset

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What people give in the place of a SMILES gets a sentence that says what it is.
var (
	errNoSMILES = errors.New("no SMILES: want a molecule")
	errSecond   = errors.New("a second SMILES behind the first: want one molecule in a cell")
	errName     = errors.New("a name, not a structure; BaCa looks nothing up")
	errInChI    = errors.New("these are InChI, which BaCa does not read: write them as SMILES, for example with RDKit or `obabel -iinchi in.txt -osmi`")
	errInChIKey = errors.New("these are InChIKeys, which name a structure and do not hold it: look up its SMILES, for example in PubChem")
	errSELFIES  = errors.New("this is SELFIES, which BaCa does not read: write it as SMILES, for example by selfies.decoder")
	errSMARTS   = errors.New("this is SMARTS, a pattern of many molecules: want one molecule as SMILES")
)

// spaceAt returns the size of the blank at text[i], 0 for none. A no-break space is one, and so is
// what has no width.
func spaceAt[T string | []byte](text T, i int) int {
	if c := text[i]; c < utf8.RuneSelf {
		if c == ' ' || c-'\t' < 5 {
			return 1
		}
		return 0
	}
	if r, size := utf8.DecodeRuneInString(string(text[i:min(len(text), i+utf8.UTFMax)])); isSpace(r) {
		return size
	}
	return 0
}

func isSpace(r rune) bool {
	return unicode.IsSpace(r) || r == '\u200b' || r == '\u2060' || r == '\ufeff'
}

// isAround tells what may stand around a SMILES: blanks, and quotes that word processors curl.
func isAround(r rune) bool {
	return isSpace(r) || strings.ContainsRune("“”„‟‘’‚‛«»", r)
}

// take returns the SMILES in a text that begins where r says, which is set to where the SMILES
// begins. A name may follow it, but not another SMILES.
func (r *Record) take(text []byte) []byte {
	inside := bytes.TrimLeftFunc(text, isAround)
	r.column += len(text) - len(inside)
	inside = withoutExtension(bytes.TrimRightFunc(inside, isAround))
	if r.Err = r.checkLength(len(inside)); r.Err != nil {
		return inside
	}
	switch {
	case isSELFIES(inside):
		r.Err = r.Fail(errSELFIES)
	case hasNumber(inside):
		r.Err = r.Fail(errSMARTS)
	}
	word, rest := firstWord(inside)
	if len(rest) == 0 {
		return inside
	}
	if rest = behindExtension(rest); bytes.ContainsFunc(inside[len(word):], endsLine) || slices.ContainsFunc(bytes.FieldsFunc(rest, isSpace), isMolecule) {
		r.Err = r.Fail(errSecond)
		return inside
	}
	return word
}

// hasNumber tells an atom by its number, as [#6]. RDKit reads it in SMILES, too, as an atom without
// hydrogens, which is not what patterns mean by it.
func hasNumber(text []byte) bool {
	for at := 0; ; at++ {
		i := bytes.Index(text[at:], []byte("[#"))
		if at += i + 2; i < 0 || at == len(text) {
			return false
		}
		if text[at] >= '0' && text[at] <= '9' {
			return true
		}
	}
}

// endsLine tells the ends of lines that [Text] leaves in a text.
func endsLine(r rune) bool {
	return r != '\t' && r < ' ' || r == '\u0085' || r == '\u2028' || r == '\u2029'
}

func isMolecule(word []byte) bool { return atoms(word) > 0 }

// isSELFIES tells texts of tokens in brackets of which one is no atom of SMILES, such as [=O] or
// [Branch1], or a bare [C], which SMILES hardly has.
func isSELFIES[T string | []byte](text T) bool {
	if len(text) == 0 || text[0] != '[' {
		return false
	}
	tokens, foreign := 0, false
	for rest := string(text); rest != ""; tokens++ {
		end := strings.IndexByte(rest, ']')
		if end < 2 || rest[0] != '[' {
			return false
		}
		token := rest[1:end]
		foreign = foreign || token == "C" || strings.HasPrefix(token, "Ring") || strings.HasPrefix(token, "Branch") ||
			strings.IndexByte("=#/\\", token[0]) >= 0 && len(token) > 1 && (token[1] < '0' || token[1] > '9')
		rest = rest[end+1:]
	}
	return tokens > 1 && foreign
}

// otherwise says what a text is that is no SMILES for the reason err: missing, a name, or a
// structure in another notation. If none of these, that is err.
func otherwise(text string, err error) error {
	switch {
	case isMissing(text):
		return errNoSMILES
	case strings.HasPrefix(text, "InChI="):
		return errInChI
	case isInChIKey(text):
		return errInChIKey
	case isSELFIES(text):
		return errSELFIES
	case isName(text):
		return errName
	case isSMARTS(text):
		return errSMARTS
	}
	return err
}

// isMissing tells what tables have where there is no value.
func isMissing(text string) bool {
	switch strings.ToLower(strings.Trim(text, "#<>")) {
	case "na", "n/a", "n.a.", "nan", "none", "null", "nil", "-", "--", "?", ".":
		return true
	}
	return false
}

// isName tells a CAS number, and a text with a word, four letters of which two or more are no
// atoms outside of brackets. Hydrogen is not one of these: it is a frequent mistake in SMILES.
func isName(text string) bool {
	if parts := strings.Split(text, "-"); len(parts) == 3 && len(parts[0]) > 1 && len(parts[1]) == 2 && len(parts[2]) == 1 &&
		strings.Trim(text, "0123456789-") == "" {
		return true
	}
	depth, letters, others := 0, 0, 0
	for i := range len(text) {
		switch c := text[i]; {
		case c == '[':
			depth++
		case c == ']':
			depth--
		}
		if c := text[i] | 0x20; depth != 0 || c < 'a' || c > 'z' {
			letters, others = 0, 0
			continue
		}
		letters++
		if !organicLetters[text[i]] {
			others++
		}
		if letters >= 4 && others >= 2 {
			return true
		}
	}
	return false
}

// organicLetters are those of atoms outside of brackets, and that of hydrogen.
var organicLetters = func() (is [256]bool) {
	for _, c := range []byte("BCNOPSFIHbcnopslr") {
		is[c] = true
	}
	return is
}()

// isSMARTS tells texts with what only patterns have: atomic numbers, logic, and the number of
// neighbours, of rings or of valences, in brackets.
func isSMARTS(text string) bool {
	inside := false
	for i := range len(text) {
		switch c := text[i]; c {
		case '[':
			inside = true
			if next := text[i+1:]; len(next) > 1 && strings.IndexByte("RDXxvrAa#", next[0]) >= 0 && (next[1] == ']' || next[1] >= '0' && next[1] <= '9') {
				return true
			}
		case ']':
			inside = false
		case ',', ';', '&', '!', '$':
			if inside || c == '!' {
				return true
			}
		}
	}
	return false
}

// isInChIKey tells a hash like BSYNRYMUTXBXSQ-UHFFFAOYSA-N.
func isInChIKey(text string) bool {
	if len(text) != 27 || text[14] != '-' || text[25] != '-' {
		return false
	}
	return strings.Trim(text[:14]+text[15:25]+text[26:], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}
