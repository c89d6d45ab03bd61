package snapshot

import "testing"

func TestOnlyTheTextFormOfANumberIsOne(t *testing.T) {
	for _, key := range []string{"0", "7", "-7", "10", "9223372036854775807", "-9223372036854775808"} {
		if _, ok := wholeNumber([]byte(key)); !ok {
			t.Errorf("%s is not taken for a number", key)
		}
	}
	for _, key := range []string{"", "-", "+7", "07", "-0", "-07", "00", "a", "7a", "1.0", "1e3", "9223372036854775808"} {
		if _, ok := wholeNumber([]byte(key)); ok {
			t.Errorf("%s is one", key)
		}
	}
}
