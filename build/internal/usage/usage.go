// Package usage has errors about the command line, which end a program with a status of their own.
package usage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// An Error is a mistake in the command line.
type Error struct{ Err error }

func (e Error) Error() string { return e.Err.Error() }
func (e Error) Unwrap() error { return e.Err }

// Errorf returns an Error with a formatted message.
func Errorf(format string, args ...any) error { return Error{fmt.Errorf(format, args...)} }

// OneOf returns an Error unless value is one of the choices.
func OneOf(flag, value string, choices ...string) error {
	if slices.Contains(choices, value) {
		return nil
	}
	return Errorf("--%s %s: want one of %s", flag, value, strings.Join(choices, ", "))
}

// NoArgs is like [cobra.NoArgs], but returns an Error.
func NoArgs(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return Errorf("%q: `%s` takes no argument", args[0], c.CommandPath())
	}
	return nil
}

// Args allows least to most arguments. message is the error for another number, which stands for %d.
func Args(least, most int, message string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return Errorf(message, len(args))
		}
		return nil
	}
}
