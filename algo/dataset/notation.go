package dataset

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Errors for what people give instead of a SMILES.
var (
	errNoSMILES = errors.New("no SMILES: want a molecule")
	errSecond   = errors.New("a second SMILES behind the first: want one molecule in a cell")
	errName     = errors.New("a name, not a structure; BaCa looks nothing up: want its SMILES")
	errCAS      = errors.New("a CAS number, which names a substance; BaCa looks nothing up: want its SMILES, for example from PubChem")
	errHELM     = errors.New("this is HELM, which BaCa does not read: write it as SMILES, for example with the HELM toolkit")
	errNucleic  = errors.New("this looks like a sequence of nucleic acids: want one molecule as SMILES")
	errProtein  = errors.New("this looks like a sequence of amino acids: want one molecule as SMILES, which RDKit " +
		"writes of short ones by MolFromSequence")
	errInChI = errors.New("these are InChI, which BaCa does not read: write them as SMILES, for example with " +
		"RDKit or `obabel -iinchi in.txt -osmi`")
	errInChIKey = errors.New("these are InChIKeys, which name a structure and do not hold it: look up its SMILES, for example in PubChem")
	errSELFIES  = errors.New("this is SELFIES, which BaCa does not read: write it as SMILES, for example by selfies.decoder")
	errSMARTS   = errors.New("this is SMARTS, a pattern of many molecules: want one molecule as SMILES")
)

// spaceAt returns the size of the blank at text[i], or 0. No-break and zero-width spaces are blanks.
func spaceAt[T string | []byte](text T, i int) int {
	if c := text[i]; c < utf8.RuneSelf {
		if c == ' ' || c-'\t' < 5 { // \t, \n, \v, \f and \r
			return 1
		}
		return 0
	}
	if r, size := utf8.DecodeRuneInString(string(text[i:min(len(text), i+utf8.UTFMax)])); isSpace(r) {
		return size
	}
	return 0
}

// isSpace reports white space, including characters of no width and byte order marks.
func isSpace(r rune) bool {
	return unicode.IsSpace(r) || r == '\u200b' || r == '\u2060' || r == '\ufeff'
}

// isAround reports whether r may surround a SMILES: blanks and curled quotes.
func isAround(r rune) bool {
	return isSpace(r) || strings.ContainsRune("“”„‟‘’‚‛«»", r)
}

// trim returns the SMILES in a text, without what surrounds it, and moves the position of r to it. A name may follow the
// SMILES. It sets r.Err, to nil or an error: for no or too long a SMILES, for a second one, for SELFIES and for SMARTS.
func (r *Record) trim(text []byte) []byte {
	inside := bytes.TrimLeftFunc(text, isAround)
	r.at.Column += len(text) - len(inside)
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
	if rest = behindExtension(rest); bytes.ContainsFunc(inside[len(word):], endsLine) ||
		slices.ContainsFunc(bytes.FieldsFunc(rest, isSpace), isMolecule) {
		r.Err = r.Fail(errSecond)
		return inside
	}
	return word
}

// hasNumber reports whether a text has an atom by number, such as [#6], as patterns have. RDKit reads that in SMILES, too,
// but as an atom without hydrogens, which patterns do not mean.
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

// endsLine reports whether r is one of the line ends that [Text] does not convert.
func endsLine(r rune) bool {
	return r != '\t' && r < ' ' || r == '\u0085' || r == '\u2028' || r == '\u2029'
}

func isMolecule(word []byte) bool { return atoms(word) > 0 }

// isSELFIES reports whether a text is a sequence of at least two tokens in brackets. At least one of them must be [C], or
// no atom of SMILES: [=O], [Ring1] or [Branch1], say.
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

// notations are what people give instead of a SMILES, in the order in which they are tried.
var notations = []struct {
	is   func(text string) bool
	says error
}{
	{isMissing, errNoSMILES},
	{func(text string) bool { return strings.HasPrefix(text, "InChI=") }, errInChI},
	{regexp.MustCompile(`^[A-Z]{14}-[A-Z]{10}-[A-Z]$`).MatchString, errInChIKey},
	{isSELFIES[string], errSELFIES},
	{regexp.MustCompile(`^[0-9]{2,7}-[0-9]{2}-[0-9]$`).MatchString, errCAS},
	{regexp.MustCompile(`^(PEPTIDE|RNA|CHEM|BLOB)[0-9]+\{`).MatchString, errHELM},
	{regexp.MustCompile(`^[ACGTUN]{10,}$`).MatchString, errNucleic},
	{regexp.MustCompile(`^[ACDEFGHIKLMNPQRSTVWY]{20,}\*?$`).MatchString, errProtein},
	{isName, errName},
	{isSMARTS, errSMARTS},
}

// otherwise returns the error that names the notation of a text that is not a SMILES, or err if it recognises none.
func otherwise(text string, err error) error {
	for _, n := range notations {
		if n.is(text) {
			return n.says
		}
	}
	return err
}

// isMissing recognises placeholders for missing values.
func isMissing(text string) bool {
	placeholders := []string{"na", "n/a", "n.a.", "nan", "none", "null", "nil", "-", "--", "?", "."}
	return slices.Contains(placeholders, strings.ToLower(strings.Trim(text, "#<>")))
}

// isName recognises a name: four letters in a row outside of brackets, of which two are not letters of atoms. H counts as
// one of atoms, because it is a frequent mistake in SMILES.
func isName(text string) bool {
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

// organicLetters are the letters of atoms outside of brackets, and H.
var organicLetters = func() (is [256]bool) {
	for _, c := range []byte("BCNOPSFIHbcnopslr") {
		is[c] = true
	}
	return is
}()

// isSMARTS reports whether text has what only patterns have:
//
//   - a bracket that begins with one of the letters RDXxvrAa or #, followed by a digit or the end of the bracket,
//   - one of , ; & $ in a bracket,
//   - an exclamation mark.
func isSMARTS(text string) bool {
	inside := false
	for i := range len(text) {
		switch c := text[i]; c {
		case '[':
			inside = true
			if next := text[i+1:]; len(next) > 1 && strings.IndexByte("RDXxvrAa#", next[0]) >= 0 &&
				(next[1] == ']' || next[1] >= '0' && next[1] <= '9') {
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
