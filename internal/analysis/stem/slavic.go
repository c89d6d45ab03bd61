package stem

// czech is the light stemmer of Dolamic and Savoy ("Indexing and stemming
// approaches for the Czech language", 2009): it removes case endings and
// possessives, then reverses palatalization.
func czech(w *letters) {
	w.first(czechCases)
	w.first(czechPossessives)
	czechPlain(w)
}

var (
	czechCases = join(
		endings(7, "atech"), endings(6, "ětem etem atům"),
		endings(5, "ech ich ích ého ěmi emi ému ěte ete ěti eti ího iho ími ímu imu ách ata aty ých ama ami ové ovi ými"),
		endings(4, "em es ém ím ům at ám os us ým mi ou"), endings(3, "a e i o u ů y á é í ý ě"))
	czechPossessives = endings(5, "ov in ův")
)

func czechPlain(w *letters) {
	switch {
	case w.replace(0, "čt", "ck"), w.replace(0, "št", "sk"):
		return
	case w.replace(0, "c", "k"), w.replace(0, "č", "k"), w.replace(0, "z", "h"), w.replace(0, "ž", "h"):
		return
	case w.n > 1 && w.last(2) == 'e':
		last := string(w.last(1))
		w.drop(2)
		w.put(last)
	case w.n > 2 && w.last(2) == 'ů':
		last := string(w.last(1))
		w.drop(2)
		w.put("o" + last)
	}
}

// slovak removes case, number and possessive endings.
func slovak(w *letters) {
	if !w.first(slovakCases) {
		return
	}
	w.first(slovakPossessives)
}

var (
	slovakCases = join(
		endings(7, "encami atami"),
		endings(6, "encom iami atám atách ovia enia ejšia ejšie ejšej ejším ejších"),
		endings(5, "iach iách iami ením ami ata ati ové ovi ách och ach iam iou ými ého ému ích ými ieho iemu ých ový ová ové oví ega"),
		endings(4, "iam ami ách om em ím ým ám ou ov mi ia ie iu ej ho mu ý ét at es os us"),
		endings(3, "a á e é i í o ó u ú y ý"))
	slovakPossessives = endings(5, "ov in ový")
)

// slovene removes case, number and verb endings.
func slovene(w *letters) { w.first(sloveneCases) }

var sloveneCases = join(
	endings(8, "ovskega ovskemu nostjo nostih nostim"),
	endings(7, "ostjo ostih ostim ejšega ejšemu ovega ovemu ovima"),
	endings(6, "osti nost ejši ejša ejše anje enje anja enja anju enju evati ovati ovih ovim ovoma"),
	endings(5, "ega emu ima ami ama oma ema ski ska ske sko ost ala alo ali ale ela eli ela ilo ila ili ati iti eti"),
	endings(5, "mo te"), endings(4, "ih im em om am ah eh oj ov ev al el il jo"),
	endings(3, "a e i o u"))

// bulgarian is the light stemmer of Savoy ("Searching strategies for the
// Bulgarian language", 2007): it removes definite articles and plurals, then
// reverses the changes they cause in the stem.
func bulgarian(w *letters) {
	if w.n < 4 || w.replace(5, "ища", "") {
		return
	}
	w.first(bulgarianArticles)
	bulgarianPlural(w)
	if w.n > 3 {
		w.replace(0, "я", "")
		_ = w.replace(0, "а", "") || w.replace(0, "о", "") || w.replace(0, "е", "")
	}
	w.replace(4, "ен", "н")
	if w.n > 5 && w.last(2) == 'ъ' {
		last := string(w.last(1))
		w.drop(2)
		w.put(last)
	}
}

var (
	bulgarianArticles = join(endings(6, "ият"), endings(5, "ът то те та ия"), endings(4, "ят"))
	bulgarianPlurals  = []ending{
		{6, "овци", "о"}, {6, "ове", ""}, {6, "еве", "й"}, {5, "ища", ""}, {5, "та", ""}, {5, "ци", "к"}, {5, "зи", "г"},
	}
)

func bulgarianPlural(w *letters) {
	if w.first(bulgarianPlurals) {
		return
	}
	if w.n > 5 && w.last(3) == 'е' && w.last(1) == 'и' {
		middle := string(w.last(2))
		w.drop(3)
		w.put("я" + middle)
		return
	}
	_ = w.replace(4, "си", "х") || w.replace(4, "и", "")
}
