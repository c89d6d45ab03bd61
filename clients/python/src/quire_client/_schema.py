"""Written by `make generate-clients` from the OpenAPI description."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Required, TypeAlias, TypedDict

Changes: TypeAlias = "Mapping[str, Any]"
Document: TypeAlias = "Mapping[str, Any]"


class Access(TypedDict, total=False):
    expiresAt: Required[str | None]
    grants: Required[Sequence[Grant]]
    key: Required[str | None]
    principal: Required[Literal["key", "anonymous", "root", "unchecked"]]
    storageMode: Required[Literal["local", "object"]]


class AddResult(TypedDict, total=False):
    failed: Required[Sequence[FailedEntry]]
    freshness: Required[str]
    indexed: Required[int]


class Analyzer(TypedDict, total=False):
    custom: AnalyzerCustom
    named: str
    preset: Literal["preserve_terms", "full_text"]


class AnalyzerCustom(TypedDict, total=False):
    charFilters: Sequence[CharFilter]
    filters: Sequence[TokenFilter]
    tokenizer: Tokenizer


class ChangeBatch(TypedDict, total=False):
    documents: Required[Sequence[Changes]]


class CharFilter(TypedDict, total=False):
    htmlStrip: Mapping[str, Any]
    mapping: CharFilterMapping
    patternReplace: CharFilterPatternReplace


class CharFilterMapping(TypedDict, total=False):
    mappings: Required[Mapping[str, str]]


class CharFilterPatternReplace(TypedDict, total=False):
    pattern: Required[str]
    replacement: str


class Clause(TypedDict, total=False):
    clauses: Sequence[Clause]
    combine: Literal["term", "field"]
    depth: int
    field: str
    fields: Mapping[str, float | None]
    filter: Sequence[Clause]
    interpret: Literal["auto", "off"] | ClauseInterpret2
    join: Literal["all", "any"]
    k: int
    match: Matcher | Literal["all", "any", "phrase", "user"]
    path: str
    prefix: Literal["last_token", "off"]
    rankConstant: float
    rankings: Sequence[ClauseRankingsItem]
    relax: Literal["unmatched", "words", "off"]
    score: Literal["max", "min", "avg", "total"]
    slop: int
    text: str
    type: Literal["field", "text", "knn", "nested", "and", "or", "not", "boost", "fuse"]
    typos: Literal["auto", "off"]
    vector: Sequence[float]
    weight: float


class ClauseInterpret2(TypedDict, total=False):
    fields: Required[Sequence[InterpretTarget]]


class ClauseRankingsItem(TypedDict, total=False):
    clauses: Sequence[Clause]
    weight: float


class Definition(TypedDict, total=False):
    fields: Mapping[str, Field]
    localeFallback: DefinitionLocaleFallback
    locales: DefinitionLocales
    metadata: Mapping[str, str]
    ranking: Ranking
    resources: DefinitionResources
    source: Literal["full", "none"]


class DefinitionLocaleFallback(TypedDict, total=False):
    chain: Sequence[str]


class DefinitionLocales(TypedDict, total=False):
    defaultLocale: Required[str]
    supported: Sequence[str]


class DefinitionPreview(TypedDict, total=False):
    definition: Required[Definition]
    differences: Required[Sequence[ErrorDetail]]
    generation: Required[str]
    name: Required[str]
    outcome: Required[Literal["create", "unchanged", "replace", "reindex"]]
    version: str


class DefinitionResources(TypedDict, total=False):
    analyzers: Mapping[str, Analyzer]
    stopwords: Mapping[str, Sequence[str]]
    synonyms: Mapping[str, DefinitionResourcesSynonymsValue]


class DefinitionResourcesSynonymsValue(TypedDict, total=False):
    rules: Sequence[SynonymRule]


class DeleteRequest(TypedDict, total=False):
    all: bool | None
    keys: Sequence[str | int] | None
    locale: str | None
    query: Sequence[Clause] | None


class DeleteResult(TypedDict, total=False):
    deleted: Required[int]
    freshness: Required[str]


class DocumentAnswer(TypedDict, total=False):
    document: Required[Document]
    freshness: Required[str]


class DocumentBatch(TypedDict, total=False):
    documents: Required[Sequence[Document]]


class DocumentList(TypedDict, total=False):
    documents: Required[Sequence[Document]]
    freshness: Required[str]
    next: str


class Draft(TypedDict, total=False):
    definition: Required[Definition]
    reasons: Required[Sequence[DraftReasonsItem]]


class DraftReasonsItem(TypedDict, total=False):
    field: Required[str]
    name: str
    reason: Required[str]


class DraftRequest(TypedDict, total=False):
    convert: bool | None
    documents: Required[Sequence[Document]]


class Error(TypedDict, total=False):
    code: Required[str]
    errors: Required[Sequence[ErrorDetail]]
    help: Required[str]
    message: Required[str]
    path: str


class ErrorDetail(TypedDict, total=False):
    arguments: Mapping[str, str]
    code: Required[str]
    help: Required[str]
    message: Required[str]
    path: str


class EvaluatedQuery(TypedDict, total=False):
    against: Mapping[str, Any]
    error: str
    expected: int
    hits: Sequence[str]
    id: str
    judged: float
    ndcg: float
    outcome: Literal["win", "loss", "tie"]
    precision: float
    ranks: Required[Mapping[str, int]]
    recall: float
    reciprocalRank: float
    search: SearchRequest
    text: str
    tookMs: Required[float]
    total: Required[int]
    unmet: Sequence[str]
    weight: Required[float]


class Evaluation(TypedDict, total=False):
    against: EvaluationAgainst
    bounds: EvaluationBounds
    comparison: EvaluationComparison
    error: Required[str | None]
    finishedAt: Required[str | None]
    generation: Required[str]
    id: Required[str]
    index: Required[str]
    judgements: Required[str]
    judgementsVersion: str
    k: int
    measures: EvaluationMeasures
    queries: Sequence[EvaluatedQuery]
    recallK: int
    searches: Required[int]
    searchesDone: Required[int]
    startedAt: Required[str]
    startedBy: Required[str | None]
    state: Required[Literal["running", "done", "failed", "cancelled"]]


class EvaluationAgainst(TypedDict, total=False):
    generation: Required[str]
    measures: Required[EvaluationMeasures]


class EvaluationBounds(TypedDict, total=False):
    failures: Sequence[str]
    held: Required[bool]


class EvaluationComparison(TypedDict, total=False):
    losses: Required[int]
    mrr: Required[EvaluationDifference]
    ndcg: Required[EvaluationDifference]
    ties: Required[int]
    wins: Required[int]


class EvaluationDifference(TypedDict, total=False):
    difference: Required[float]
    p: Required[float]
    significant: Required[bool]


class EvaluationList(TypedDict, total=False):
    evaluations: Required[Sequence[Evaluation]]


class EvaluationMeasures(TypedDict, total=False):
    expectations: Required[int]
    expectationsMet: Required[int]
    failed: Required[int]
    graded: Required[int]
    judged: float
    mrr: float
    ndcg: float
    p50Ms: Required[float]
    p99Ms: Required[float]
    precision: float
    queries: Required[int]
    recall: float
    zeroResults: Required[float]


class EvaluationRequest(TypedDict, total=False):
    against: EvaluationRequestAgainst | None
    background: bool | None
    hits: bool | None
    judgements: Required[str]
    k: int | None
    settings: SearchSettings | None


class EvaluationRequestAgainst(TypedDict, total=False):
    generation: str | None
    settings: SearchSettings | None


class ExplainResult(TypedDict, total=False):
    detail: Required[ScoreStep]
    freshness: Required[str]
    generation: Required[str]
    interpreted: Interpreted
    judgements: Sequence[JudgedDocument]
    matched: Required[bool]
    relaxed: Relaxed
    rescored: ScoreStep
    score: Required[float]
    tookMs: Required[float]


class FacetRequest(TypedDict, total=False):
    depth: int
    excludeFilters: Sequence[str]
    fallback: Sequence[InterpretTarget]
    field: Required[str]
    limit: int
    name: str
    order: Literal["count", "value", "declared"]
    path: str
    ranges: Sequence[FacetRequestRangesItem]
    when: Sequence[Clause]


FacetRequestRangesItem = TypedDict("FacetRequestRangesItem", {"from": 'Any', "to": 'Any'}, total=False)


class FacetResult(TypedDict, total=False):
    buckets: Sequence[FacetResultBucketsItem]
    totalValues: int
    values: Sequence[FacetValue]


FacetResultBucketsItem = TypedDict("FacetResultBucketsItem", {"count": 'int', "from": 'Any', "to": 'Any'}, total=False)


class FacetValue(TypedDict, total=False):
    count: Required[int]
    label: str
    path: str
    totalValues: int
    value: Required[Any]
    values: Sequence[FacetValue]


class FacetValuesRequest(TypedDict, total=False):
    filters: Sequence[Clause] | None
    freshness: FreshnessRequest | None
    limit: int | None
    locale: str | None
    order: Literal["count", "value", "declared", None]
    prefix: str | None
    query: Sequence[Clause] | None


class FacetValuesResult(TypedDict, total=False):
    freshness: Required[str]
    generation: Required[str]
    tookMs: Required[float]
    totalValues: Required[int]
    values: Required[Sequence[FacetValue]]


class FailedEntry(TypedDict, total=False):
    errors: Required[Sequence[ErrorDetail]]
    line: int
    position: Required[int]


class Field(TypedDict, total=False):
    autocomplete: TextUsage
    dimensions: int
    facet: Mapping[str, Any]
    fields: Mapping[str, Field]
    filter: Mapping[str, Any]
    hierarchy: FieldHierarchy
    hnsw: FieldHnsw
    key: str
    keyword: FieldKeyword
    locales: FieldLocales
    matching: TextUsage
    mode: Literal["flattened", "nested"]
    multiple: bool
    primaryKey: bool
    quantization: Literal["none", "int8", "int4"]
    required: bool
    role: Literal["id", "title", "description", "tag", "path", "code", "timestamp", "geo"]
    signal: Mapping[str, Any]
    similarity: Literal["cosine", "dot_product", "euclidean"]
    sort: FieldSort
    stored: bool
    type: Required[Literal["string", "boolean", "int32", "int64", "float", "double", "timestamp", "geo_point", "vector", "object"]]
    unit: str
    validation: FieldValidation


class FieldHierarchy(TypedDict, total=False):
    separator: str


class FieldHnsw(TypedDict, total=False):
    efConstruction: int
    m: int


class FieldKeyword(TypedDict, total=False):
    caseFolding: bool


class FieldLocales(TypedDict, total=False):
    defaultLocale: str
    fallback: Literal["enabled", "disabled"]
    locales: Sequence[str]
    only: Sequence[str]


class FieldSort(TypedDict, total=False):
    collation: Literal["locale", "binary"]
    missing: Literal["last", "first"]


class FieldValidation(TypedDict, total=False):
    max: float
    min: float


class FreshnessRequest(TypedDict, total=False):
    atLeast: str


class GenerationEntry(TypedDict, total=False):
    createdAt: str
    live: Required[bool]
    name: Required[str]


class Grant(TypedDict, total=False):
    indexes: Sequence[str]
    permissions: Sequence[str]


class Hit(TypedDict, total=False):
    document: Document
    highlights: Mapping[str, Sequence[str]]
    id: str
    index: int
    key: Any
    matched: Mapping[str, MatchedValues]
    missing: Sequence[str]
    score: float
    value: Mapping[str, Any]


class Index(TypedDict, total=False):
    definition: Required[Definition]
    freshness: str
    generation: Required[str]
    generations: Required[Sequence[GenerationEntry]]
    live: Required[bool]
    name: Required[str]
    status: Required[IndexStatus]
    version: Required[str]


class IndexList(TypedDict, total=False):
    indexes: Required[Sequence[IndexListIndexesItem]]
    next: str


class IndexListIndexesItem(TypedDict, total=False):
    generations: Required[Sequence[GenerationEntry]]
    liveGeneration: str
    name: Required[str]


class IndexStatus(TypedDict, total=False):
    engineCompatibility: Literal["current", "ending", "unreadable", "unknown"]
    engineCreatedMajor: int
    indexer: IndexStatusIndexer
    readOnly: Required[bool]
    settingsUnsupportedFeatures: Sequence[str]
    state: Required[Literal["needs_pull", "pulling", "usable", "modified", "pushing", "unsupported", "incompatible", "closed"]]


class IndexStatusIndexer(TypedDict, total=False):
    address: str
    node: str


class Indexers(TypedDict, total=False):
    candidates: Required[Sequence[IndexersCandidatesItem]]
    claims: Required[Sequence[IndexersClaimsItem]]


class IndexersCandidatesItem(TypedDict, total=False):
    address: str
    expiresAt: str
    node: str


class IndexersClaimsItem(TypedDict, total=False):
    address: str
    expiresAt: str
    index: str
    node: str


class InterpretTarget(TypedDict, total=False):
    fallback: Sequence[InterpretTarget]
    field: Required[str]
    when: Sequence[Clause]


class Interpreted(TypedDict, total=False):
    filters: Required[Sequence[InterpretedFiltersItem]]
    text: Required[str]


class InterpretedFiltersItem(TypedDict, total=False):
    fallback: Sequence[InterpretTarget]
    field: Required[str]
    match: Required[Matcher]
    when: Sequence[Clause]
    words: Required[Sequence[str]]


class JudgedDocument(TypedDict, total=False):
    expect: Sequence[str]
    grade: float
    id: str
    known: str
    ndcg: float
    position: Required[int]
    rank: int
    set: Required[str]
    text: str
    unmet: Sequence[str]


class JudgedQuery(TypedDict, total=False):
    expect: JudgedQueryExpect
    grades: Mapping[str, float]
    id: str
    known: str
    locale: str
    search: SearchRequest
    text: str
    weight: float


class JudgedQueryExpect(TypedDict, total=False):
    above: Sequence[Sequence[str]]
    atLeast: int
    mustHit: Sequence[str]
    mustNotHit: Sequence[str]


class JudgementList(TypedDict, total=False):
    judgements: Required[Sequence[JudgementListJudgementsItem]]


class JudgementListJudgementsItem(TypedDict, total=False):
    name: Required[str]


class Judgements(TypedDict, total=False):
    bounds: JudgementsBounds
    queries: Required[Sequence[JudgedQuery]]
    version: str


class JudgementsBounds(TypedDict, total=False):
    expectations: bool
    maxLoss: float
    minNdcg: float


class Key(TypedDict, total=False):
    createdAt: Required[str]
    description: Required[str]
    expiresAt: Required[str | None]
    grants: Required[Sequence[Grant]]
    id: Required[str]


class KeyList(TypedDict, total=False):
    anonymousKey: Required[str | None]
    keys: Required[Sequence[Key]]
    next: str
    rootKeyConfigured: Required[bool]


class KeyRequest(TypedDict, total=False):
    description: str | None
    expiresAt: str | None
    grants: Required[Sequence[KeyRequestGrantsItem]]


class KeyRequestGrantsItem(TypedDict, total=False):
    indexes: Sequence[str] | None
    permissions: Sequence[str] | None
    role: Literal["reader", "writer", "admin", None]


class KeyWithCredential(TypedDict, total=False):
    credential: Required[str]
    key: Required[Key]


class MatchedValues(TypedDict, total=False):
    totalValues: Required[int]
    values: Sequence[Mapping[str, Any]]


class Matcher(TypedDict, total=False):
    gt: Any
    gte: Any
    join: Literal["all", "any"]
    lat: float
    lon: float
    lt: Any
    lte: Any
    match: Literal["all", "any", "phrase", "user"]
    path: str
    prefix: Literal["last_token", "off"]
    radius: float
    relax: Literal["unmatched", "words", "off"]
    slop: int
    text: str
    type: Literal["equals", "in", "any", "prefix", "under", "range", "ranges", "text", "distance"]
    typos: Literal["auto", "off"]
    value: Any
    values: Sequence[Any]


class PageLink(TypedDict, total=False):
    current: bool
    cursor: Required[str]
    number: Required[int]


class PageList(TypedDict, total=False):
    count: Required[int]
    end: Sequence[PageLink]
    middle: Required[Sequence[PageLink]]
    next: PageLink
    previous: PageLink
    start: Required[Sequence[PageLink]]


class PreviewRequest(TypedDict, total=False):
    search: SearchRequest | None
    settings: SearchSettings | None


class Ranking(TypedDict, total=False):
    signals: Sequence[Signal]
    tieBreakers: Sequence[RankingTieBreakersItem]


class RankingTieBreakersItem(TypedDict, total=False):
    direction: Literal["ascending", "descending"]
    field: Required[str]


class RegistryAudit(TypedDict, total=False):
    indexes: Required[Sequence[RegistryAuditIndexesItem]]
    keptCopies: Sequence[str]
    registry: Required[Literal["present", "absent", "corrupt"]]
    unusable: Required[Sequence[str]]


class RegistryAuditIndexesItem(TypedDict, total=False):
    generations: Sequence[RegistryAuditIndexesItemGenerationsItem]
    live: str
    name: str
    proposedLive: str
    registered: bool
    removedAt: str


class RegistryAuditIndexesItemGenerationsItem(TypedDict, total=False):
    lacking: int
    name: str
    registered: bool
    removedAt: str
    stored: Literal["synced", "damaged", "incomplete", "missing"]


class RegistryRepair(TypedDict, total=False):
    addedGenerations: Required[Sequence[str]]
    createdIndexes: Required[Sequence[str]]
    kept: Sequence[str]
    lost: Sequence[str]
    promoted: Required[Sequence[str]]
    restored: Required[Sequence[str]]
    uploaded: Sequence[str]


class RegistryRepairRequest(TypedDict, total=False):
    promoteNewest: bool | None
    restore: Sequence[str] | None
    restoreFromNodes: bool | None


class ReindexJob(TypedDict, total=False):
    backlog: Required[int]
    documentsCopied: Required[int]
    error: Required[str | None]
    finishedAt: Required[str | None]
    freshness: Required[str | None]
    id: Required[str | None]
    index: Required[str]
    node: Required[str | None]
    phase: Required[Literal["pending", "copying", "replaying", "ready", "promoting", "done", "failed", "cancelled"]]
    promote: Required[Literal["auto", "manual"]]
    source: Required[str]
    sourceDocuments: Required[int]
    startedAt: Required[str]
    startedBy: Required[str | None]
    target: Required[str]
    updatedAt: Required[str]
    verification: ReindexJobVerification
    verify: str


class ReindexJobVerification(TypedDict, total=False):
    failures: Sequence[str]
    held: Required[bool]
    judgements: Required[str]
    liveNdcg: float
    ndcg: float
    p: float
    verifiedAt: Required[str]
    worst: Sequence[str]


class ReindexList(TypedDict, total=False):
    next: str
    reindexes: Required[Sequence[ReindexJob]]


ReindexRequest = TypedDict("ReindexRequest", {"from": 'str | None', "promote": 'Literal["auto", "manual", None]', "verify": 'str | None'}, total=False)


class Relaxed(TypedDict, total=False):
    dropped: Required[Sequence[RelaxedDroppedItem]]
    text: Required[str]


class RelaxedDroppedItem(TypedDict, total=False):
    reason: Required[Literal["unmatched", "common"]]
    word: Required[str]


class ScoreStep(TypedDict, total=False):
    children: Required[Sequence[ScoreStep]]
    clause: str
    clauseType: str
    description: Required[str]
    field: str
    locale: str
    matched: Required[bool]
    score: Required[float]
    usage: str


class SearchList(TypedDict, total=False):
    counted: Required[bool]
    searches: Required[Sequence[SearchListSearchesItem]]


class SearchListSearchesItem(TypedDict, total=False):
    count: Required[int]
    maxError: Required[int]
    meanMs: Required[float]
    text: Required[str]
    zeroResults: Required[int]


class SearchRequest(TypedDict, total=False):
    after: str
    before: str
    facets: Sequence[FacetRequest]
    fields: Sequence[str]
    filters: Sequence[Clause]
    freshness: FreshnessRequest
    highlight: SearchRequestHighlight
    hits: SearchRequestHits
    limit: int
    locale: str
    matched: SearchRequestMatched
    offset: int
    pages: SearchRequestPages
    query: Sequence[Clause]
    rescore: SearchRequestRescore
    signals: Sequence[Signal]
    signalsMode: Literal["add", "replace"]
    sort: Sequence[SearchRequestSortItem]
    total: Literal["estimate", "exact"]


class SearchRequestHighlight(TypedDict, total=False):
    fields: Mapping[str, SearchRequestHighlightFieldsValue | None]


class SearchRequestHighlightFieldsValue(TypedDict, total=False):
    fragments: int
    length: int
    post: str
    pre: str


class SearchRequestHits(TypedDict, total=False):
    fields: Sequence[str]
    path: Required[str]
    when: Sequence[Clause]


class SearchRequestMatched(TypedDict, total=False):
    fields: Mapping[str, SearchRequestMatchedFieldsValue | None]


class SearchRequestMatchedFieldsValue(TypedDict, total=False):
    fields: Sequence[str]
    limit: int


class SearchRequestPages(TypedDict, total=False):
    max: int


class SearchRequestRescore(TypedDict, total=False):
    boost: Sequence[Clause]
    signals: Sequence[Signal]
    weight: float
    window: Required[int]


class SearchRequestSortItem(TypedDict, total=False):
    fallback: Sequence[InterpretTarget]
    field: str
    lat: float
    lon: float
    order: Literal["asc", "desc"]
    type: Literal["field", "score", "distance"]
    when: Sequence[Clause]


class SearchResult(TypedDict, total=False):
    documents: Total
    facets: Mapping[str, FacetResult]
    freshness: Required[str]
    generation: Required[str]
    hits: Required[Sequence[Hit]]
    interpreted: Interpreted
    page: Required[SearchResultPage]
    relaxed: Relaxed
    tookMs: Required[float]
    total: Required[Total]


class SearchResultPage(TypedDict, total=False):
    limit: Required[int]
    next: str
    offset: int
    pages: PageList
    previous: str


class SearchSettings(TypedDict, total=False):
    countSearches: bool
    fields: Mapping[str, SearchSettingsFieldsValue]
    freshness: str
    ranking: Ranking
    synonyms: Mapping[str, SearchSettingsSynonymsValue]
    typoExclusions: Mapping[str, SearchSettingsTypoExclusionsValue]
    unsupportedFeatures: Sequence[str]
    version: str


class SearchSettingsFieldsValue(TypedDict, total=False):
    interpret: Mapping[str, Any]
    suggest: Mapping[str, Any]
    values: Sequence[SearchSettingsFieldsValueValuesItem]


class SearchSettingsFieldsValueValuesItem(TypedDict, total=False):
    labels: Mapping[str, str]
    order: int
    value: Required[str]


class SearchSettingsSynonymsValue(TypedDict, total=False):
    boost: float
    fields: Sequence[str]
    rules: Sequence[SynonymRule]


class SearchSettingsTypoExclusionsValue(TypedDict, total=False):
    fields: Sequence[str]
    words: Sequence[str]


class Signal(TypedDict, total=False):
    decay: SignalDecay
    field: Required[str]
    linear: SignalLinear
    saturation: SignalSaturation
    weight: float


class SignalDecay(TypedDict, total=False):
    halfLife: Required[int]


class SignalLinear(TypedDict, total=False):
    ceiling: Required[float]


class SignalSaturation(TypedDict, total=False):
    pivot: Required[float]


class SuggestRequest(TypedDict, total=False):
    filters: Sequence[Clause] | None
    freshness: FreshnessRequest | None
    limit: int | None
    locale: str | None
    text: str | None
    typos: Literal["auto", "off", None]


class SuggestResult(TypedDict, total=False):
    freshness: Required[str]
    generation: Required[str]
    suggestions: Required[Sequence[SuggestResultSuggestionsItem]]
    tookMs: Required[float]


class SuggestResultSuggestionsItem(TypedDict, total=False):
    corrected: bool
    count: Required[int]
    field: Required[str]
    label: str
    text: Required[str]
    typed: Required[int]
    value: Required[str]


class SynonymRule(TypedDict, total=False):
    equivalent: Sequence[str]
    mapping: SynonymRuleMapping


SynonymRuleMapping = TypedDict("SynonymRuleMapping", {"from": 'Required[Sequence[str]]', "to": 'Required[Sequence[str]]'}, total=False)


class TextUsage(TypedDict, total=False):
    analyzer: Analyzer
    decompound: str
    exact: TextUsageExact
    highlight: Mapping[str, Any]
    lengthNormalization: Literal["none", "moderate", "strong"]
    typoTolerance: TextUsageTypoTolerance
    weight: float


class TextUsageExact(TypedDict, total=False):
    boost: float


class TextUsageTypoTolerance(TypedDict, total=False):
    minLengthOneTypo: int
    minLengthTwoTypos: int
    numbers: Mapping[str, Any]
    prefixLength: int


class TokenFilter(TypedDict, total=False):
    asciiFolding: TokenFilterAsciiFolding
    decompound: TokenFilterDecompound
    edgeNgram: TokenFilterEdgeNgram
    ngram: TokenFilterNgram
    normalize: TokenFilterNormalize
    stemming: TokenFilterStemming
    stopwords: TokenFilterStopwords
    synonyms: TokenFilterSynonyms


class TokenFilterAsciiFolding(TypedDict, total=False):
    preserveOriginal: bool


class TokenFilterDecompound(TypedDict, total=False):
    locale: str


class TokenFilterEdgeNgram(TypedDict, total=False):
    maxGram: int
    minGram: int


class TokenFilterNgram(TypedDict, total=False):
    maxGram: int
    minGram: int


class TokenFilterNormalize(TypedDict, total=False):
    caseFolding: bool


class TokenFilterStemming(TypedDict, total=False):
    locale: str


class TokenFilterStopwords(TypedDict, total=False):
    locale: str
    named: str
    words: Sequence[str]


class TokenFilterSynonyms(TypedDict, total=False):
    named: Required[str]


class Tokenizer(TypedDict, total=False):
    icu: Mapping[str, Any]
    keyword: Mapping[str, Any]
    letter: Mapping[str, Any]
    whitespace: Mapping[str, Any]


class Total(TypedDict, total=False):
    count: Required[int]
    exact: Required[bool]


class UpdateResult(TypedDict, total=False):
    failed: Required[Sequence[FailedEntry]]
    freshness: Required[str]
    missing: Required[Sequence[str]]
    updated: Required[int]
