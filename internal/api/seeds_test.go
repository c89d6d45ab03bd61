package api

import "net/http"

var (
	asJSON  = http.Header{"Content-Type": {mediaJSON}}
	asLines = http.Header{"Content-Type": {ndjsonType}}
)

// everything is a definition with every type, usage and option.
const everything = `{"locales":{"defaultLocale":"en","supported":["fr","es"]},"localeFallback":{"chain":["en","fr"]},"metadata":{"owner":"x"},"source":"full",
	"fields":{"id":{"type":"string","role":"id"},"name":{"type":"string","role":"title"},"text":{"type":"string","locales":{"only":["en","fr"]},
	"matching":{"weight":2,"analyzer":{"preset":"full_text"},"typoTolerance":{"minLengthOneTypo":4,"minLengthTwoTypos":8,"prefixLength":1,"numbers":{}},"highlight":{},"exact":{"boost":2},"lengthNormalization":"moderate"}},
	"plain":{"type":"string","filter":{},"facet":{},"keyword":{"caseFolding":false},"multiple":true},"word":{"type":"string","sort":{"collation":"binary","missing":"first"},"stored":true},
	"path":{"type":"string","role":"path"},"code":{"type":"string","role":"code"},"tag":{"type":"string","role":"tag","multiple":true},
	"own":{"type":"string","matching":{"analyzer":{"custom":{"charFilters":[{"htmlStrip":{}},{"patternReplace":{"pattern":"a+","replacement":"a"}}],"tokenizer":{"whitespace":{}},"filters":[{"normalize":{}},{"synonyms":{"named":"jams"}},{"stopwords":{"named":"few"}},{"stemming":{}}]}}},"autocomplete":{"analyzer":{"named":"grams"}}},
	"yes":{"type":"boolean","filter":{},"facet":{}},"n":{"type":"int32","filter":{},"sort":{},"facet":{},"validation":{"min":-1000,"max":1000}},"big":{"type":"int64","filter":{},"sort":{}},
	"f":{"type":"float","filter":{}},"price":{"type":"double","filter":{},"sort":{},"facet":{},"unit":"EUR"},"at":{"type":"timestamp","role":"timestamp"},
	"where":{"type":"geo_point","role":"geo"},"v":{"type":"vector","dimensions":3,"similarity":"cosine","hnsw":{"m":8,"efConstruction":50},"quantization":"int8"},"pop":{"type":"double","signal":{}},"sold":{"type":"int32","signal":{}},
	"attr_*":{"type":"string","filter":{}},"one":{"type":"object","fields":{"a":{"type":"string","filter":{}},"b":{"type":"int32"}}},
	"flat":{"type":"object","multiple":true,"mode":"flattened","fields":{"a":{"type":"string","filter":{}}}},
	"variants":{"type":"object","multiple":true,"mode":"nested","key":"sku","fields":{"sku":{"type":"string","required":true,"filter":{}},"price":{"type":"double","filter":{},"sort":{}},"name":{"type":"string","matching":{}}}}},
	"ranking":{"tieBreakers":[{"field":"n","direction":"ascending"}],"signals":[{"field":"pop","saturation":{"pivot":2},"weight":0.5},{"field":"at","decay":{"halfLife":3600}}]},
	"resources":{"analyzers":{"grams":{"custom":{"filters":[{"normalize":{}},{"edgeNgram":{"minGram":1,"maxGram":10}}]}}},"stopwords":{"few":["the"]},"synonyms":{"jams":{"rules":[{"equivalent":["jam","jelly"]},{"mapping":{"from":["tv"],"to":["television"]}}]}}}}`

const wholeDocument = `{"id":"1","name":"raspberry jam","text":{"en":"sweet","fr":"sucré"},"plain":["a","B"],"word":"w","path":"food/jam","code":"JAM-1","tag":["red","sweet"],"own":"running jams",
	"yes":true,"n":-5,"big":9007199254740993,"f":1.5,"price":12.5,"at":"2024-05-06T07:08:09.123+02:00","where":{"lat":52.5,"lon":13.4},"v":[0.1,0.2,0.3],"pop":0.5,"sold":3,
	"attr_color":"red","one":{"a":"x","b":1},"flat":[{"a":"x"},{"a":"y"}],"variants":[{"sku":"a","price":1,"name":"small jar"},{"sku":"b","price":2.5}]}`

// seeds are good requests to every operation that reads something.
var seeds = []sample{
	{method: "PUT", path: "/v1alpha1/admin/indexes/shop", body: catalogue, header: asJSON},
	{method: "PUT", path: "/v1alpha1/admin/indexes/all", body: everything, header: asJSON},
	{method: "PUT", path: "/v1alpha1/admin/indexes/bare", body: `{"source":"none","fields":{"id":{"type":"int64","primaryKey":true,"stored":true},"pop":{"type":"int32","signal":{}},"m":{"type":"string","stored":true,"filter":{}}}}`, header: asJSON},
	{method: "PUT", path: "/v1alpha1/admin/indexes/loose", body: `{"fields":{"m":{"type":"string","filter":{}}}}`, header: asJSON},
	{method: "POST", path: "/v1alpha1/indexes/all/documents", body: `{"documents":[` + wholeDocument + `]}`, header: asJSON},
	{method: "POST", path: "/v1alpha1/indexes/all/documents?onError=skip", body: wholeDocument[:len(wholeDocument)-1] + "}\n{\"id\":\"2\",\"name\":\"jam\"}\n\n{\"id\":\n\"3\",\"n\":7}", header: asLines},
	{method: "PUT", path: "/v1alpha1/indexes/all/documents/k%20%2F1", body: `{"name":"x","n":1,"variants":[{"sku":"z"}]}`, header: asJSON},
	{method: "PATCH", path: "/v1alpha1/indexes/all/documents/1", body: `{"name":"y","pop":null,"text[fr]":"é","variants[a].price":3,"variants[]":{"sku":"new"},"flat":null,"one.a":"z","tag[]":"blue"}`, header: asJSON},
	{method: "POST", path: "/v1alpha1/indexes/all/documents/actions/update?missing=skip&onError=skip", body: `{"documents":[{"id":"1","variants[a].price":2,"text[en]":null,"n":3,"plain[]":"c"},{"id":"none","n":1}]}`, header: asJSON},
	{method: "POST", path: "/v1alpha1/indexes/all/documents/actions/update", body: "{\"id\":\"1\",\"pop\":1}\n{\"id\":\"1\",\"sold\":2,\"pop\":null}\n{\"id\":\"2\",\"name\":\"z\"}", header: asLines},
	{method: "POST", path: "/v1alpha1/indexes/bare/documents", body: "{\"id\":1,\"pop\":3,\"m\":\"x\"}\n{\"id\":-9007199254740993}", header: asLines},
	{method: "PUT", path: "/v1alpha1/indexes/bare/documents/7", body: `{"pop":1}`, header: asJSON},
	{method: "PATCH", path: "/v1alpha1/indexes/bare/documents/1", body: `{"pop":9}`, header: asJSON},
	{method: "POST", path: "/v1alpha1/indexes/loose/documents", body: `{"documents":[{"m":"a"},{"m":"b"}]}`, header: asJSON},
	{method: "POST", path: "/v1alpha1/admin/indexes/all/actions/commit"},
	{method: "POST", path: "/v1alpha1/admin/indexes/bare/actions/commit"},
	{method: "POST", path: "/v1alpha1/indexes/all/documents/actions/delete", body: `{"keys":["8","9"]}`, header: asJSON},
	{method: "POST", path: "/v1alpha1/indexes/all/documents/actions/delete", body: `{"query":[{"field":"plain","match":{"value":"nothing"}}],"locale":"en"}`, header: asJSON},
	{method: "POST", path: "/v1alpha1/indexes/bare/documents/actions/delete", body: `{"keys":[8,-9]}`, header: asJSON},
	{method: "DELETE", path: "/v1alpha1/indexes/all/documents/none"},
	{method: "GET", path: "/v1alpha1/indexes/all/documents?limit=2&after=1"},
	{method: "GET", path: "/v1alpha1/indexes/all/documents/1"},
	{method: "GET", path: "/v1alpha1/admin/indexes?limit=2&prefix=a"},
	{method: "GET", path: "/v1alpha1/admin/indexes/all"},
	{method: "PUT", path: "/v1alpha1/admin/indexes/all/settings", body: `{"ranking":{"tieBreakers":[{"field":"price"}],"signals":[{"field":"sold","linear":{"ceiling":5},"weight":2}]},"synonyms":{"genres":{"rules":[{"equivalent":["novel","book"]},{"mapping":{"from":["tv"],"to":["television"]}}],"boost":0.5,"fields":["own"]}},"typoExclusions":{"brands":{"words":["jam"],"fields":["name"]}},"fields":{"plain":{"suggest":{},"interpret":{},"values":[{"value":"a","order":1,"labels":{"en":"An A","fr":"Un A"}},{"value":"B"}]}}}`, header: asJSON},
	{method: "PUT", path: "/v1alpha1/admin/indexes/all/settings", body: `{"synonyms":{"genres":{"rules":[{"equivalent":["novel","book"]}]}}}`, header: asJSON},
	{method: "PATCH", path: "/v1alpha1/admin/indexes/all/settings", body: `{"synonyms.genres.boost":0.5,"synonyms.genres.rules[]":{"equivalent":["a","b"]},"synonyms.other":null}`, header: asJSON},
	{method: "POST", path: "/v1alpha1/admin/keys", body: `{"description":"shop","grants":[{"role":"reader","indexes":["sh*"]},{"permissions":["documents.write"],"indexes":["shop"]}],"expiresAt":"2099-01-01T00:00:00Z"}`, header: asJSON},
	{method: "GET", path: "/v1alpha1/admin/keys?limit=1"},
	{method: "POST", path: "/v1alpha1/indexes/all/search", header: asJSON, body: `{"query":[{"type":"text","text":"raspberry jam","fields":{"name":2,"text":null},"match":"all","prefix":"last_token","typos":"auto","relax":"words","combine":"field"},
		{"type":"boost","clauses":[{"field":"tag","match":{"value":"red"}}],"weight":2}],"filters":[{"field":"n","match":{"type":"range","gte":-10,"lt":5}},{"field":"plain","match":{"type":"in","values":["a","b"]}}],
		"facets":[{"field":"plain","limit":3},{"name":"p","field":"price","ranges":[{"from":1,"to":5},{"from":5}]}],"sort":[{"field":"price","order":"desc"},{"field":"name"}],"limit":3,"offset":1,
		"highlight":{"fields":{"name":{}}},"fields":["name","one.a"],"locale":"en","total":"exact","pages":{}}`},
	{method: "POST", path: "/v1alpha1/indexes/all/search", header: asJSON, body: `{"query":[{"type":"nested","path":"variants","clauses":[{"type":"text","text":"jar","match":"user"},{"field":"variants.price","match":{"type":"range","lte":3}}]}],"hits":{"path":"variants","fields":["variants.sku"]},"limit":2}`},
	{method: "POST", path: "/v1alpha1/indexes/all/search", header: asJSON, body: `{"query":[{"type":"fuse","depth":10,"rankings":[{"clauses":[{"type":"text","text":"jam"}],"weight":2},{"clauses":[{"type":"knn","field":"v","vector":[1,0,0],"k":3,"filter":[{"field":"yes","match":{"value":true}}]}]}]}],"signals":[{"field":"pop","saturation":{"pivot":1},"weight":2}],"signalsMode":"replace","rescore":{"window":10,"boost":[{"field":"yes","match":{"value":true}}],"weight":1}}`},
	{method: "POST", path: "/v1alpha1/indexes/all/search", header: asJSON, body: `{"query":[{"type":"or","clauses":[{"type":"not","clauses":[{"field":"path","match":{"type":"under","path":"food"}}]},{"type":"and","clauses":[{"field":"where","match":{"type":"distance","lat":52,"lon":13,"radius":1000}},{"field":"at","match":{"type":"range","gte":"2024-01-01T00:00:00Z"}},{"field":"code","match":{"type":"prefix","value":"JA"}}]}]}],"sort":[{"type":"distance","field":"where","lat":1,"lon":2}],"matched":{"fields":{"variants":{"limit":2,"fields":["variants.sku"]}}}}`},
	{method: "POST", path: "/v1alpha1/indexes/all/search", header: asJSON, body: `{"query":[{"type":"text","text":"\"raspberry jam\" -sour under 20 eur","match":"user","join":"any","interpret":{"fields":[{"field":"price","when":[{"field":"yes","match":{"value":true}}]}]}}],"limit":1}`},
	{method: "POST", path: "/v1alpha1/indexes/all/search/actions/explain?key=1", header: asJSON, body: `{"query":[{"type":"text","text":"jam"}],"filters":[{"field":"n","match":{"value":-5}}]}`},
	{method: "POST", path: "/v1alpha1/indexes/all/suggest", header: asJSON, body: `{"text":"a","limit":3,"locale":"fr","typos":"off","filters":[{"field":"yes","match":{"value":true}}]}`},
	{method: "POST", path: "/v1alpha1/indexes/all/facets/plain/values", header: asJSON, body: `{"prefix":"a","limit":5,"query":[{"type":"text","text":"jam"}],"filters":[]}`},
}
