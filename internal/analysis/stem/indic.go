package stem

import "strings"

// The stemmers of the languages of India remove case, number, gender and tense
// endings: the longest one that leaves enough of the word.

// hindi is the lightweight stemmer of Ramanathan and Rao (2003). Its endings
// are listed both as written and as the Hindi normalizer writes them.
func hindi(w *letters) { w.first(hindiEndings) }

var hindiEndings = withShortVowels(join(
	endings(6, "ाएंगी ाएंगे ाऊंगी ाऊंगा ाइयाँ ाइयों ाइयां"),
	endings(5, "ाएगी ाएगा ाओगी ाओगे एंगी ेंगी एंगे ेंगे ूंगी ूंगा ातीं नाओं नाएं ताओं ताएं ियाँ ियों ियां"),
	endings(4, "ाकर ाइए ाईं ाया ेगी ेगा ोगी ोगे ाने ाना ाते ाती ाता तीं ाओं ाएं ुओं ुएं ुआं"),
	endings(3, "कर ाओ िए ाई ाए ने नी ना ते ीं ती ता ाँ ां ों ें"),
	endings(2, "ो े ू ु ी ि ा")))

// withShortVowels adds a copy of every rule with vowels shortened as in the
// normalizer.
func withShortVowels(rules []ending) []ending {
	shorten := strings.NewReplacer("ी", "ि", "ू", "ु", "ई", "इ", "ऊ", "उ", "ँ", "ं", "आ", "अ")
	var out []ending
	for _, r := range rules {
		out = append(out, r)
		if short := shorten.Replace(r.suffix); short != r.suffix {
			out = append(out, ending{over: r.over, suffix: short})
		}
	}
	return out
}

// bengali removes the endings of verbs and nouns from words normalized by the
// Bengali normalizer (য় is য, long vowels are short).
func bengali(w *letters) { w.first(bengaliEndings) }

var bengaliEndings = join(
	endings(9, "িযাছিলাম িতেছিলাম িতেছিলেন ইতেছিলেন ইযাছিলেন ইযাছিলাম"),
	endings(8, "িতেছিলি িতেছিলে িযাছিলা িযাছিলে িতেছিলা িযাছিলি যেদেরকে"),
	endings(7, "িতেছিস িতেছেন িযাছিস িযাছেন েছিলাম েছিলেন েদেরকে"),
	endings(6, "িতেছি িতেছা িতেছে ছিলাম ছিলেন িযাছি িযাছা িযাছে েছিলে েছিলা যেদের দেরকে"),
	endings(5, "িলাম িলেন িতাম িতেন িবেন ছিলি ছিলে ছিলা তেছে িতেছ খানা খানি গুলো গুলি যেরা েদের"),
	endings(4, "লাম িলি ইলি িলে ইলে লেন িলা ইলা তেন িতি ইতি িতে ইতে বেন িবে ইবে িবা ইবা ছেন যোন যের েরা দের"),
	endings(3, "িস েন লি লে লা তি তে তা বি বে বা ছি ছা ছে ুন ুক টা টি নি ের রা কে"),
	endings(2, "ি া ো ে ব ত"))

// telugu removes plural and case endings from words normalized by the Telugu
// normalizer (long vowels are short). A doubled ల belongs to the word: పిల్ల is
// the singular of పిల్లలు.
func telugu(w *letters) {
	w.first(teluguCases)
	if !w.ends(0, "్ల") {
		w.first(teluguPlurals)
	}
}

var (
	teluguCases = join(
		endings(7, "యొక్క వలన నుండి నుంచి కొసం గురించి"),
		endings(5, "లకు లను లలొ లతొ లని చెత"),
		endings(4, "కు కి ను ని లొ తొ పై దు వు"))
	teluguPlurals = join(endings(6, "ళ్ళు ళ్లు డ్లు ండ్లు"), endings(5, "ాలు ాల"), endings(4, "లు ల"), endings(3, "ం ు ి ా ె"))
)

func gujarati(w *letters) { w.first(gujaratiEndings) }

var gujaratiEndings = join(
	endings(6, "વાળું વાળા વાળો વાળી ીઓને ીઓનો ીઓની ીઓનું ીઓમાં ાઓમાં"),
	endings(5, "ઓનાં ઓનું ઓમાં ઓથી ઓને ઓનો ઓની ઓના શો શે વાના વાની વાનું"),
	endings(4, "માં નું નાં ીઓ ાઓ વું તાં તું યાં યું ીને ીશ"),
	endings(3, "ને નો ની ના થી એ ઓ તો તી તા યો યા વા વી"),
	endings(2, "ો ી ા ે ું"))

func kannada(w *letters) { w.first(kannadaEndings) }

var kannadaEndings = join(
	endings(7, "ಗಳಿಂದ ಗಳಲ್ಲಿ ಗಳಿಗೆ ಗಳಾದ ಯಲ್ಲಿ"),
	endings(5, "ಗಳನ್ನು ಗಳು ಗಳ"),
	endings(6, "ದಲ್ಲಿ ಯನ್ನು ವನ್ನು ನನ್ನು ರನ್ನು ತ್ತಾರೆ ತ್ತದೆ ತ್ತಾನೆ ತ್ತಾಳೆ ತ್ತೇನೆ"),
	endings(5, "ಿಂದ ನಿಗೆ ರಿಗೆ ಕ್ಕೆ ಲ್ಲಿ ಅನ್ನು ನ್ನು ಗಾಗಿ"),
	endings(4, "ದಿಂದ ಯಿಂದ ವರು ಗೆ ನು ಳು ರು ದ ಯ ವ ನ"),
	endings(3, "ು ಿ ೆ ಾ"))

func malayalam(w *letters) { w.first(malayalamEndings) }

var malayalamEndings = join(
	endings(9, "ങ്ങളുടെ ങ്ങളിൽ ങ്ങൾക്ക് ങ്ങളിലെ ങ്ങളെ"),
	endings(7, "ത്തിന്റെ ത്തിൽ ത്തിലെ ങ്ങൾ ങ്ങള ത്തിന് ത്തെ യിലെ യുടെ ിന്റെ കളുടെ കളിൽ കൾക്ക് കളെ ുടെ"),
	endings(5, "ിലെ ിൽ ക്ക് കൾ മാർ ോട് ാൽ ുന്നു ിച്ച ിയ ന്റെ ിന് ും"),
	endings(4, "യെ നെ ളെ െ ം ് ു ി ാ"))

func marathi(w *letters) { w.first(marathiEndings) }

var marathiEndings = join(
	endings(7, "ांमध्ये ांच्या ांसाठी ांपासून ांवरून"),
	endings(6, "ामध्ये ाच्या ीच्या ांचा ांची ांचे ांना ांनी ांवर ांत साठी पासून वरून मध्ये"),
	endings(5, "च्या ाला ीला ाने ीने ाचा ाची ाचे ीचा ीची ीचे ाहून णारा णारी णारे तात तील"),
	endings(4, "ांनी ला ने चा ची चे हून वर त्या ण्या तो ते ती ली ले ला"),
	endings(3, "ात ां ीं ें ून ल न त"),
	endings(2, "ा ी े ो ू ि ु"))

func odia(w *letters) { w.first(odiaEndings) }

var odiaEndings = join(
	endings(7, "ମାନଙ୍କର ମାନଙ୍କୁ ମାନଙ୍କରେ ଗୁଡ଼ିକର ଗୁଡ଼ିକୁ ଗୁଡ଼ିକରେ"),
	endings(5, "ମାନେ ଙ୍କର ଙ୍କୁ ଙ୍କଠାରୁ ଗୁଡ଼ିକ ଗୁଡିକ ଠାରୁ ଦ୍ୱାରା ଇଛି ଉଛି ଉଛନ୍ତି ଇଛନ୍ତି"),
	endings(4, "ଟିଏ ଟିର ଟିକୁ ଙ୍କ ଇବା ଇଲା ଇବ"),
	endings(3, "ରୁ ଟି ଟା ରେ କୁ ର"),
	endings(3, "ା ି ୀ ୁ ୂ େ ୋ"),
	endings(2, "େ"))

func punjabi(w *letters) { w.first(punjabiEndings) }

var punjabiEndings = join(
	endings(5, "ੀਆਂਵਾਂ ਾਂਗੇ ੀਆਂ ਿਆਂ ੇਗਾ ੇਗੀ ਣਗੇ ਣਗੀਆਂ"),
	endings(4, "ਿਓਂ ਿਆ ੀਏ ਾਉਣ ਦੀਆਂ ਦਿਆਂ ਵਾਂ"),
	endings(3, "ਾਂ ੋਂ"),
	endings(4, "ੀਂ ਣਾ ਣੀ ਣੇ ਦਾ ਦੀ ਦੇ ਕੇ ਨੇ ਈਏ"),
	endings(3, "ਾ ੀ ੇ ੋ ਿ ੁ ੂ ਂ"))
