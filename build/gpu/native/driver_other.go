//go:build !linux

package native

// driverOf returns nothing: elsewhere the driver is a part of the system.
func driverOf(string) string { return "" }
