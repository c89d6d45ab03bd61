// Package demo is a sample catalogue: a few hundred products of outdoor
// clothing and gear in English and Swedish, generated deterministically, with a
// matching definition and search settings.
//
// make demo and the console of an empty node load it.
package demo

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

// Index is the name of the index for the catalogue.
const Index = "catalogue"

// Definition declares the fields of the catalogue, as JSON.
//
//go:embed definition.json
var Definition []byte

// Settings are the search settings of the catalogue, as JSON.
//
//go:embed settings.json
var Settings []byte

// Product is one document of the catalogue.
type Product struct {
	ID          string            `json:"id"`
	Name        map[string]string `json:"name"`
	Description map[string]string `json:"description"`
	Category    string            `json:"category"`
	Brand       string            `json:"brand"`
	Price       float64           `json:"price"`
	Weight      int               `json:"weight"`
	Rating      float64           `json:"rating"`
	Sold        int               `json:"sold"`
	Added       string            `json:"added"`
	Variants    []Variant         `json:"variants"`
}

// Variant is one colour and size of a product.
type Variant struct {
	SKU    string  `json:"sku"`
	Colour string  `json:"colour"`
	Size   string  `json:"size"`
	Price  float64 `json:"price"`
	Stock  int     `json:"stock"`
}

// thing is a kind of product in both languages.
type thing struct {
	en, sv, category string
	price            float64 // typical price
	weight           int     // grams
	sizes            []string
	use, useSv       string
}

var (
	clothes = []string{"XS", "S", "M", "L", "XL"}
	shoes   = []string{"38", "39", "40", "41", "42", "43", "44"}
	litres  = []string{"20 l", "35 l", "50 l", "65 l"}
	single  = []string{"one size"}
)

var things = []thing{
	{"rain jacket", "regnjacka", "Clothing/Jackets/Rain", 149, 420, clothes, "keeps the rain out on long days", "håller regnet ute under långa dagar"},
	{"down jacket", "dunjacka", "Clothing/Jackets/Down", 249, 510, clothes, "keeps you warm when you stand still", "håller värmen när du står stilla"},
	{"fleece sweater", "fleecetröja", "Clothing/Sweaters", 79, 330, clothes, "goes under a shell or alone by the fire", "bärs under ett skal eller ensam vid elden"},
	{"wool sweater", "ylletröja", "Clothing/Sweaters", 119, 460, clothes, "stays warm when it gets wet", "värmer även när den blir våt"},
	{"hiking trousers", "vandringsbyxor", "Clothing/Trousers", 99, 390, clothes, "stretch where the trail climbs", "är elastiska där stigen klättrar"},
	{"running shorts", "löparshorts", "Clothing/Trousers", 39, 120, clothes, "weigh next to nothing", "väger nästan ingenting"},
	{"merino base layer", "underställ i merino", "Clothing/Base layers", 69, 180, clothes, "does not smell after a week", "luktar inte efter en vecka"},
	{"wool socks", "yllestrumpor", "Clothing/Accessories", 19, 80, []string{"S", "M", "L"}, "cushion heel and toe", "dämpar häl och tå"},
	{"knitted hat", "stickad mössa", "Clothing/Accessories", 25, 70, single, "covers the ears", "täcker öronen"},
	{"winter gloves", "vinterhandskar", "Clothing/Accessories", 49, 160, []string{"S", "M", "L"}, "grip a ski pole and a phone", "greppar både stav och telefon"},
	{"hiking boots", "vandringskängor", "Footwear/Boots", 189, 1250, shoes, "carry heavy loads over rock", "bär tungt över sten"},
	{"rubber boots", "gummistövlar", "Footwear/Boots", 89, 1600, shoes, "stand in the stream all day", "står i bäcken hela dagen"},
	{"trail running shoes", "terränglöparskor", "Footwear/Shoes", 129, 590, shoes, "hold on mud and wet roots", "fäster på lera och våta rötter"},
	{"sandals", "sandaler", "Footwear/Shoes", 69, 480, shoes, "dry within the hour", "torkar på en timme"},
	{"backpack", "ryggsäck", "Gear/Packs", 159, 1400, litres, "puts the weight on the hips", "lägger vikten på höfterna"},
	{"day pack", "dagsryggsäck", "Gear/Packs", 69, 620, single, "holds lunch and a spare layer", "rymmer lunch och en extra tröja"},
	{"tent", "tält", "Gear/Shelter", 399, 2300, []string{"1 person", "2 persons", "3 persons"}, "stands in a gale", "står i storm"},
	{"sleeping bag", "sovsäck", "Gear/Sleeping", 219, 980, []string{"S", "M", "L"}, "is rated for frost", "klarar frost"},
	{"sleeping pad", "liggunderlag", "Gear/Sleeping", 99, 560, single, "packs to the size of a bottle", "packas till en flaskas storlek"},
	{"stove", "stormkök", "Gear/Cooking", 89, 740, single, "boils a litre in four minutes", "kokar en liter på fyra minuter"},
	{"headlamp", "pannlampa", "Gear/Light", 59, 95, single, "lights the trail for thirty hours", "lyser upp stigen i trettio timmar"},
}

// style is an adjective in both languages, with its effect on price and weight.
type style struct {
	en, sv        string
	price, weight float64
}

var styles = []style{
	{"light", "lätt", 1.2, 0.7}, {"waterproof", "vattentät", 1.3, 1.1}, {"warm", "varm", 1.1, 1.2}, {"simple", "enkel", 0.7, 1},
	{"sturdy", "stadig", 1.05, 1.3}, {"packable", "packbar", 1.15, 0.85}, {"breathable", "andande", 1.1, 0.95},
	{"recycled", "återvunnen", 1, 1}, {"classic", "klassisk", 0.9, 1.05}, {"alpine", "alpin", 1.5, 0.9},
	{"children's", "barn", 0.6, 0.6}, {"winter", "vinter", 1.25, 1.25}, {"summer", "sommar", 0.85, 0.75},
	{"two-layer", "tvålagers", 1.1, 1.1}, {"three-layer", "trelagers", 1.4, 1.15}, {"everyday", "vardags", 0.8, 1},
}

var (
	brands  = []string{"Fjordline", "Northpeak", "Lumi", "Granit & Co", "Stillwater", "Skogsro", "Harrow", "Tarn"}
	colours = []string{"black", "blue", "red", "green", "grey", "yellow", "orange", "white"}
)

// Catalogue returns the same few hundred products on every call.
func Catalogue() []Product {
	random := rand.New(rand.NewPCG(7, 11))
	begin := time.Date(2024, 1, 8, 9, 0, 0, 0, time.UTC)
	var all []Product
	for _, s := range styles {
		for _, t := range things {
			number := len(all) + 1
			price := round(t.price*s.price*(0.9+0.2*random.Float64()), 1)
			p := Product{
				ID:   fmt.Sprintf("p%03d", number),
				Name: map[string]string{"en": title(s.en + " " + t.en), "sv": title(s.sv + " " + t.sv)},
				Description: map[string]string{
					"en": fmt.Sprintf("This %s %s %s.", s.en, t.en, t.use),
					"sv": fmt.Sprintf("%s %s som %s.", title(s.sv), t.sv, t.useSv),
				},
				Category: t.category,
				Brand:    brands[random.IntN(len(brands))],
				Price:    price,
				Weight:   int(float64(t.weight) * s.weight),
				Rating:   round(2.5+2.5*random.Float64(), 1),
				Sold:     int(math.Pow(10, 3.2*random.Float64())),
				Added:    begin.Add(time.Duration(number) * 53 * time.Hour).Format(time.RFC3339),
			}
			for _, c := range random.Perm(len(colours))[:2+random.IntN(3)] {
				for _, size := range t.sizes {
					if random.IntN(4) == 0 && len(t.sizes) > 1 {
						continue
					}
					p.Variants = append(p.Variants, Variant{
						SKU:    fmt.Sprintf("%s-%s-%d", p.ID, colours[c][:2], len(p.Variants)+1),
						Colour: colours[c], Size: size, Price: price, Stock: random.IntN(30),
					})
				}
			}
			all = append(all, p)
		}
	}
	return all
}

// Lines returns the products as NDJSON.
func Lines() ([]byte, error) {
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	for _, p := range Catalogue() {
		if err := encoder.Encode(p); err != nil {
			return nil, fmt.Errorf("encode the catalogue: %w", err)
		}
	}
	return lines.Bytes(), nil
}

func round(value float64, digits int) float64 {
	scale := math.Pow(10, float64(digits))
	return math.Round(value*scale) / scale
}

func title(text string) string {
	runes := []rune(text)
	if len(runes) > 0 && runes[0] == 'å' {
		return "Å" + string(runes[1:])
	}
	if len(runes) > 0 && runes[0] >= 'a' && runes[0] <= 'z' {
		runes[0] -= 'a' - 'A'
	}
	return string(runes)
}
