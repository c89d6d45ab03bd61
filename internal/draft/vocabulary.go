package draft

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Telling names of members, best first, in the languages most common in headers
// of data files. Spellings are ignored: Título is titulo.
var (
	keyNames = vocabulary(`id key uuid guid identifier primarykey sku artikelnummer bestellnummer isbn ean gtin asin slug handle code nr number
		nummer numero tunnus numer cislo номер артикул codigo codice kennung referenz reference referencia riferimento identifiant
		identificador identificativo kimlik tunniste 商品番号 番号 编号 編號 번호 index`)
	// Of the names of keys, those of numbers that are printed on things and typed by people.
	numberNames = vocabulary(`sku artikelnummer bestellnummer isbn ean gtin upc asin mpn code nr number nummer numero numer cislo номер
		artikul артикул codigo codice referenz reference referencia riferimento kennung 商品番号 番号 编号 編號 번호`)
	titleNames = vocabulary(`title headline titel titre titulo titolo tytul titulek otsikko rubrik tittel overskrift cim baslik заголовок
		タイトル 标题 標題 제목 name nom nombre nome naam namn navn nimi nazwa nazev nev ad isim название наименование имя назва
		名前 名称 名稱 品名 商品名 이름 상품명 bezeichnung produktname productname subject betreff objet asunto oggetto assunto onderwerp
		emne amne label libelle caption heading designation benamning betegnelse product produkt produit producto prodotto produto artikel`)
	aliasNames = vocabulary(`names titles aliases synonyms`)
	proseNames = vocabulary(`description body text content summary abstract beschreibung produktbeschreibung inhalt zusammenfassung
		contenu resume descripcion contenido resumen descrizione contenuto riassunto descricao conteudo resumo beschrijving omschrijving
		inhoud samenvatting beskrivning innehall sammanfattning beskrivelse indhold innhold kuvaus sisalto opis tresc popis obsah
		leiras tartalom aciklama icerik описание текст содержание опис зміст 説明 内容 描述 简介 說明 설명 내용
		comment comments kommentar commentaire comentario commento notes notiz review overview bio plot message nachricht details`)
	tagNames = vocabulary(`tags tag keywords categories category genres genre labels colors colours languages ingredients topics features
		schlagworte schlagworter stichworter kategorie kategorien marke farbe etiketten motscles categorie categories etiquettes marque couleur
		etiquetas palabrasclave categoria categorias marca color parolechiave etichette categorie colore palavraschave trefwoorden
		categorieen merk kleur nyckelord taggar kategorier varemarke marke farg farve farge stikord emneord nokkelord avainsanat
		tunnisteet luokka merkki vari tagi slowakluczowe kategoria kategorie marka kolor stitky klicovaslova znacka barva cimkek kategoriak
		szin etiketler kategori renk теги метки категория категории бренд цвет мітки категорія タグ カテゴリ ブランド 标签 標籤 类别 類別 品牌
		태그 카테고리 브랜드 sizes countries authors actors brand brands`)
	codeNames = vocabulary(`zip zipcode postcode postal plz postleitzahl codepostal codigopostal cep phone telephone telefon telefono telefone
		puhelin tel fax mobile ean isbn gtin upc sku asin iban code vat ssn barcode strichcode hash sha sha1 sha256 md5 email mail
		version serial mpn ip uuid guid id`)
	timeNames = vocabulary(`date time timestamp ts at created updated modified published on epoch datum zeit zeitpunkt erstellt geandert
		heure fecha datetime tijd dato pvm paivamaara aika czas tarih zaman дата время час
		日付 日時 日期 时间 時間 날짜 시간 released since until expires birthday start end
		placed ordered shipped delivered sent received sold bought joined registered seen visited login`)
	priceNames = vocabulary(`price preis prix precio prezzo preco prijs pris hinta cena ar fiyat цена ціна 価格 价格 價格 가격 cost kosten
		cout costo custo`)
	countedNames = vocabulary(`price preis prix precio prezzo preco prijs pris hinta cena ar fiyat цена ціна 価格 价格 價格 가격
		year jahr annee ano anno jaar vuosi rok ev yil год рік 年 연도 rating bewertung note valoracion voto avaliacao beoordeling betyg`)
	pathNames = vocabulary(`path pfad chemin ruta percorso caminho category categories taxonomy breadcrumb breadcrumbs hierarchy kategorie
		categorie categoria kategori kategoria категория folder directory ordner`)
	// Norway is NO, and Japanese is ja.
	regionNames = vocabulary(`country countries land pays pais paese kraj maa zeme orszag ulke страна країна 国 国家 國家 국가 nation region state
		language languages lang langue idioma lingua taal sprache sprak sprog kieli jezyk jazyk nyelv dil язык мова 言語 语言 語言 언어 locale`)
	flagNames = vocabulary(`is has can flag enabled active available aktiv visible instock lieferbar verfugbar disponible disponibile
		disponivel leverbaar tillganglig`)
)

// suffixLetters is the minimum length of the end of a compound to count: datum
// in Erscheinungsdatum counts, date in update does not. In Chinese, Japanese
// and Korean two letters are enough.
const suffixLetters = 5

// vocabulary returns the words of a list in the form used to compare names.
func vocabulary(list string) []string {
	var out []string
	for _, word := range strings.Fields(list) {
		if word = plain(word); !slices.Contains(out, word) {
			out = append(out, word)
		}
	}
	return out
}

// plain removes the diacritics of a word.
func plain(word string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsMark(r) {
			return -1
		}
		return r
	}, norm.NFD.String(spelled.Replace(word)))
}

// rank returns how early the member's name occurs in a list, 0 for the first
// entry, and unranked if it does not. A match of the whole name ranks before
// one of its last word, and that before one of the end of a compound.
func rank(name string, list []string) int {
	all := words(plain(name))
	if len(all) == 0 {
		return unranked
	}
	last := all[len(all)-1]
	if at := slices.Index(list, strings.Join(all, "")); at >= 0 {
		return at
	}
	if at := slices.Index(list, last); at >= 0 {
		return len(list) + at
	}
	if at := slices.IndexFunc(list, func(word string) bool { return endsWith(last, word) }); at >= 0 {
		return 2*len(list) + at
	}
	return unranked
}

// unranked is the rank of a name that is not in a list.
const unranked = 1000

func isNamed(name string, list []string) bool { return rank(name, list) < unranked }

// hasWord reports whether any word of the name is in the list.
func hasWord(name string, list []string) bool {
	return slices.ContainsFunc(words(plain(name)), func(word string) bool {
		return slices.ContainsFunc(list, func(one string) bool { return word == one || endsWith(word, one) })
	})
}

// endsWith reports whether a word is a compound that ends with another.
func endsWith(word, end string) bool {
	letters := utf8.RuneCountInString(end)
	isLong := letters >= suffixLetters || letters >= 2 && strings.IndexFunc(end, func(r rune) bool { return r < '\u1100' }) < 0
	return isLong && strings.HasSuffix(word, end)
}
