package stem

// galician follows the steps of RSLP (Orengo and Huyck, 2001) in its Galician
// variant: it removes plural, adverb, augmentative and diminutive, then a noun
// suffix or else a verb ending or else the last vowel, and finally accents.
func galician(w *letters) {
	w.first(galicianPlurals)
	w.first(galicianAdverbs)
	w.first(galicianDegrees)
	if !w.first(galicianNouns) && !w.first(galicianVerbs) {
		w.first(galicianVowels)
	}
	w.swap(portugueseMarks)
}

var (
	galicianPlurals = []ending{
		{4, "ns", "n"}, {5, "ións", "ión"}, {4, "óns", "ón"}, {4, "áns", "án"}, {4, "eis", "el"}, {4, "éis", "el"}, {4, "ais", "al"},
		{4, "áis", "al"}, {4, "óis", "ol"}, {4, "ois", "ol"}, {4, "ús", "ul"}, {4, "ces", "z"}, {4, "les", "l"}, {4, "res", "r"},
		{5, "ses", "s"}, {3, "s", ""},
	}
	galicianAdverbs = endings(7, "amente mente")
	galicianDegrees = []ending{
		{8, "dísimo", ""}, {8, "dísima", ""}, {7, "ísimo", ""}, {7, "ísima", ""}, {7, "bilísimo", "bl"}, {7, "érrimo", ""}, {6, "ciño", ""},
		{6, "ciña", ""}, {6, "iño", ""}, {6, "iña", ""}, {6, "azo", ""}, {6, "aza", ""}, {6, "uxo", ""}, {6, "ito", ""}, {6, "ita", ""},
		{6, "allo", ""}, {6, "alla", ""},
	}
	galicianNouns = join(
		endings(9, "ización alidade abilidade ibilidade"),
		endings(8, "amento imento idade adora edora idora encia ancia mento eiría"),
		endings(7, "ador edor idor ación ición ario aria ista ismo ería eiro eira ante ente inte abel ibel ábel íbel axe icia icio"),
		endings(6, "oso osa ivo iva ico ica ado ada ido ida eza ura ano ana dade ción sión eiro"),
		endings(6, "al el"))
	galicianVerbs = join(
		endings(8, "aríamos eríamos iríamos ásemos ésemos ísemos aremos eremos iremos ábamos"),
		endings(7, "aríades eríades iríades ábades astedes estedes istedes arían erían irían aron eron iron arán erán irán"),
		endings(6, "aría ería iría aban asen esen isen ando endo indo amos emos imos aches eches iches arei erei irei ades edes ides"),
		endings(5, "aba ase ese ise ara era ira ará erá irá ían íar ou eu iu ade ede ide"),
		endings(4, "ar er ir an en ía ei"))
	galicianVowels = endings(3, "a e o á é ó i u")
)
