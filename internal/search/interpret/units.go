package interpret

import "strings"

// Units knows how people spell units and currencies.
type Units interface {
	// IsCurrency reports whether a declared unit is an ISO 4217 code.
	IsCurrency(unit string) bool
	// Spellings returns how a declared unit may be typed in a locale and in
	// English, single words only, beside the unit itself.
	Spellings(unit, locale string) []string
}

// BuiltinUnits returns the common currencies and units by code, symbol and
// English name, with the short names of the languages that have comparatives.
func BuiltinUnits() Units { return builtinUnits{} }

type builtinUnits struct{}

func (builtinUnits) IsCurrency(unit string) bool {
	_, ok := currencies[unit]
	return ok
}

func (builtinUnits) Spellings(unit, locale string) []string {
	if spellings, ok := currencies[unit]; ok {
		return append(strings.Fields(spellings), unit)
	}
	return strings.Fields(measures[strings.ToLower(unit)])
}

// currencies are symbol, narrow symbol and names by code.
var currencies = map[string]string{
	"AED": "dirham dirhams د.إ", "ARS": "$ peso pesos", "AUD": "$ a$ au$ dollar dollars", "BGN": "лв lev leva leva.",
	"BRL": "r$ real reais reals", "CAD": "$ ca$ c$ dollar dollars", "CHF": "fr. sfr franc francs franken", "CLP": "$ peso pesos",
	"CNY": "¥ cn¥ 元 yuan renminbi rmb", "COP": "$ peso pesos", "CZK": "kč koruna korunas koruny", "DKK": "kr kr. krone kroner",
	"EGP": "e£ £ pound pounds", "EUR": "€ euro euros eur.", "GBP": "£ pound pounds quid", "HKD": "$ hk$ dollar dollars",
	"HUF": "ft forint forints", "IDR": "rp rupiah rupiahs", "ILS": "₪ shekel shekels", "INR": "₹ rs rs. rupee rupees",
	"ISK": "kr kr. króna krónur krona kronur", "JPY": "¥ jp¥ 円 yen", "KRW": "₩ 원 won", "MXN": "$ mx$ peso pesos",
	"MYR": "rm ringgit ringgits", "NOK": "kr kr. krone kroner", "NZD": "$ nz$ dollar dollars", "PHP": "₱ peso pesos",
	"PLN": "zł zl zloty zlotys złoty złotych", "RON": "lei leu", "RUB": "₽ руб руб. ruble rubles rouble roubles рублей рубль",
	"SAR": "riyal riyals ﷼", "SEK": "kr kr. krona kronor :-", "SGD": "$ s$ dollar dollars", "THB": "฿ baht", "TRY": "₺ tl lira liras",
	"TWD": "$ nt$ dollar dollars", "UAH": "₴ hryvnia hryvnias грн", "USD": "$ us$ dollar dollars buck bucks", "VND": "₫ dong", "ZAR": "r rand",
}

// measures are narrow, short and long forms by unit identifier.
var measures = map[string]string{
	"bit": "bit bits", "byte": "byte bytes b", "kilobyte": "kb kilobyte kilobytes", "megabyte": "mb megabyte megabytes",
	"gigabyte": "gb gigabyte gigabytes gigabyt", "terabyte": "tb terabyte terabytes terabyt", "petabyte": "pb petabyte petabytes",
	"kilobit": "kbit kilobit kilobits", "megabit": "mbit megabit megabits", "gigabit": "gbit gigabit gigabits",
	"milligram": "mg milligram milligrams milligramm", "gram": "g gram grams gramm gramme grammes grammi gramos",
	"kilogram": "kg kilogram kilograms kilogramm kilo kilos kilogramme kilogrammes chilogrammi kilogramos",
	"tonne":    "t tonne tonnes ton", "ton": "tn ton tons", "ounce": "oz ounce ounces", "pound": "lb lbs # pound pounds", "stone": "st stone stones",
	"millimeter": "mm millimeter millimeters millimetre millimetres", "centimeter": "cm centimeter centimeters centimetre centimetres",
	"decimeter": "dm decimeter decimeters", "meter": "m meter meters metre metres mètre mètres metri metros",
	"kilometer": "km kilometer kilometers kilometre kilometres", "inch": "in inch inches ″ \" tum zoll pouces tommer",
	"foot": "ft foot feet ′ ' fot fuß", "yard": "yd yard yards", "mile": "mi mile miles",
	"milliliter": "ml milliliter milliliters millilitre millilitres", "centiliter": "cl centiliter centiliters centilitre centilitres",
	"deciliter": "dl deciliter deciliters decilitre", "liter": "l liter liters litre litres litri litros",
	"gallon": "gal gallon gallons", "pint": "pt pint pints", "fluid-ounce": "floz", "cup": "c cup cups",
	"second": "s sec secs second seconds sekund sekunder", "minute": "min mins minute minutes minuter minuten", "hour": "h hr hrs hour hours timmar stunden",
	"day": "d day days dag dagar tage", "week": "w wk wks week weeks", "month": "mo mth mths month months", "year": "y yr yrs year years år jahre ans",
	"watt": "w watt watts", "kilowatt": "kw kilowatt kilowatts", "megawatt": "mw megawatt megawatts", "kilowatt-hour": "kwh", "volt": "v volt volts",
	"ampere": "a amp amps ampere amperes", "milliampere": "ma milliamp milliamps", "hertz": "hz hertz", "kilohertz": "khz kilohertz", "megahertz": "mhz megahertz", "gigahertz": "ghz gigahertz",
	"celsius": "°c ℃ celsius", "fahrenheit": "°f ℉ fahrenheit", "degree": "° deg degree degrees", "percent": "% percent pct prozent procent",
	"pixel": "px pixel pixels", "megapixel": "mp megapixel megapixels", "lumen": "lm lumen lumens", "lux": "lx lux",
	"bar": "bar bars", "pascal": "pa pascal pascals", "newton-meter": "nm", "joule": "j joule joules", "calorie": "cal calorie calories", "kilocalorie": "kcal kilocalories",
	"horsepower": "hp horsepower ps", "decibel": "db decibel decibels", "carat": "ct carat carats", "karat": "kt karat karats",
	"square-meter": "m² m2 sqm", "square-foot": "ft² sqft", "hectare": "ha hectare hectares", "acre": "ac acre acres", "cubic-meter": "m³ m3",
	"kilometer-per-hour": "km/h kmh kph", "mile-per-hour": "mph mi/h", "meter-per-second": "m/s",
}
