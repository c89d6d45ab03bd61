package draft

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quiresearch/quire/definition"
)

// headers are the names of the same columns in the languages most common in
// headers: key, title, description, price, date in seconds, tags.
var headers = []struct{ language, id, title, description, price, date, tags string }{
	{"English", "Product ID", "Product Name", "Description", "Price", "Created at", "Keywords"},
	{"German", "Artikelnummer", "Bezeichnung", "Beschreibung", "Preis", "Datum", "Schlagwörter"},
	{"German compounds", "Bestellnummer", "Artikelbezeichnung", "Produktbeschreibung", "Verkaufspreis", "Erscheinungsdatum", "Kategorien"},
	{"French", "Numéro", "Titre", "Description", "Prix", "Date", "Catégories"},
	{"Spanish", "Código", "Título", "Descripción", "Precio", "Fecha", "Categorías"},
	{"Italian", "Codice", "Titolo", "Descrizione", "Prezzo", "Timestamp", "Etichette"},
	{"Portuguese", "Código", "Título", "Descrição", "Preço", "Timestamp", "Etiquetas"},
	{"Dutch", "Artikelnummer", "Naam", "Omschrijving", "Prijs", "Datum", "Trefwoorden"},
	{"Swedish", "Artikelnummer", "Namn", "Beskrivning", "Pris", "Datum", "Nyckelord"},
	{"Danish", "Varenummer", "Navn", "Beskrivelse", "Pris", "Dato", "Stikord"},
	{"Norwegian", "Varenummer", "Tittel", "Beskrivelse", "Pris", "Dato", "Nøkkelord"},
	{"Finnish", "Tunnus", "Nimi", "Kuvaus", "Hinta", "Päivämäärä", "Avainsanat"},
	{"Polish", "Numer", "Nazwa", "Opis", "Cena", "Czas", "Tagi"},
	{"Czech", "Číslo", "Název", "Popis", "Cena", "Datum", "Štítky"},
	{"Hungarian", "ID", "Név", "Leírás", "Ár", "Timestamp", "Címkék"},
	{"Turkish", "Kimlik", "Başlık", "Açıklama", "Fiyat", "Tarih", "Etiketler"},
	{"Russian", "Артикул", "Название", "Описание", "Цена", "Дата", "Теги"},
	{"Ukrainian", "Артикул", "Назва", "Опис", "Ціна", "Дата", "Мітки"},
	{"Japanese", "商品番号", "商品名", "商品説明", "価格", "日付", "タグ"},
	{"Chinese", "编号", "商品名称", "描述", "价格", "日期", "标签"},
	{"Korean", "번호", "상품명", "설명", "가격", "날짜", "태그"},
}

// The values alone do not tell which of two texts is the title and whether a
// number is a date: the header decides.
func TestHeadersOfTheMainLanguagesAreUnderstood(t *testing.T) {
	for _, h := range headers {
		var rows strings.Builder
		for i, name := range []string{"Rot Blau", "Grün Gelb", "Gelb Rot", "Blau Weiß"} {
			fmt.Fprintf(&rows, `{"other":"Lang %s","%s":"K%d","%s":"%s","%s":"Vier Worte %s","%s":"%d.5","%s":"17%d4164645","%s":"a %d,b"}`+"\n",
				name, h.id, i, h.title, name, h.description, name, h.price, i, h.date, i, h.tags, i)
		}
		d := draftOf(t, Options{Convert: true}, rows.String())
		byName := make(map[string]*Field)
		for i, column := range d.Columns {
			byName[column.Name] = d.Fields.Get(d.Columns[i].Field)
		}
		for _, c := range []struct{ name, got, want string }{
			{h.id, byName[h.id].Role, "id"}, {h.title, byName[h.title].Role, "title"}, {h.description, byName[h.description].Role, "description"},
			{h.price, fmt.Sprint(byName[h.price].Type, byName[h.price].Facet != nil), fmt.Sprint(definition.Double, true)},
			{h.date, string(byName[h.date].Type), string(definition.Timestamp)},
			{h.tags, fmt.Sprint(byName[h.tags].Role, byName[h.tags].Multiple), "tagtrue"},
		} {
			if strings.ReplaceAll(c.got, " ", "") != strings.ReplaceAll(c.want, " ", "") {
				t.Errorf("%s: %s is %s, want %s", h.language, c.name, c.got, c.want)
			}
		}
	}
}

func TestEndsOfWordsThatAreNotCompoundsDoNotCount(t *testing.T) {
	for name, list := range map[string][]string{"update": timeNames, "username": titleNames, "context": proseNames, "market cap": codeNames, "выгод": countedNames} {
		if isNamed(name, list) {
			t.Errorf("%s is named by %v", name, list)
		}
	}
}
