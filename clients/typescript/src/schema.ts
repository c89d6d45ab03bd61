// Written by `make generate-clients` from the OpenAPI description.

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Access: {
            /**
             * Format: date-time
             * @description When the key stops working; null for never.
             */
            expiresAt: string | null;
            /** @description What the caller may do: each permission on every index its patterns match. */
            grants: components["schemas"]["Grant"][];
            /** @description The id of the key; null for root and unchecked. */
            key: string | null;
            /**
             * @description What the credential is: a key, the anonymous key of this node, its root key, or nothing on a node that checks no credentials.
             * @enum {string}
             */
            principal: "key" | "anonymous" | "root" | "unchecked";
            /**
             * @description Where the data of the deployment lives. In local mode the registry cannot be audited or repaired, whatever the grants say.
             * @enum {string}
             */
            storageMode: "local" | "object";
        };
        AddResult: {
            failed: components["schemas"]["FailedEntry"][];
            freshness: string;
            /** Format: int32 */
            indexed: number;
        };
        /** @description Exactly one of preset, custom and named. */
        Analyzer: {
            custom?: {
                charFilters?: components["schemas"]["CharFilter"][] | null;
                filters?: components["schemas"]["TokenFilter"][] | null;
                /** @description By the language of the field when left out. */
                tokenizer?: components["schemas"]["Tokenizer"] | null;
            } | null;
            named?: string | null;
            /** @enum {string|null} */
            preset?: "preserve_terms" | "full_text" | null;
        };
        /** @description Exactly one of preset, custom and named. */
        AnalyzerOutput: {
            custom?: {
                charFilters?: components["schemas"]["CharFilterOutput"][];
                filters?: components["schemas"]["TokenFilterOutput"][];
                /** @description By the language of the field when left out. */
                tokenizer?: components["schemas"]["TokenizerOutput"];
            };
            named?: string;
            /** @enum {string} */
            preset?: "preserve_terms" | "full_text";
        };
        ChangeBatch: {
            documents: components["schemas"]["Changes"][];
        };
        /**
         * @description Change paths and what they are set to; null empties.
         * @example {
         *       "editions[]": {
         *         "format": "hardback",
         *         "pages": 352
         *       },
         *       "price": 8,
         *       "published": null
         *     }
         */
        Changes: {
            [key: string]: unknown;
        };
        /** @description Rewrites text before it is cut into words. Exactly one of them. */
        CharFilter: {
            htmlStrip?: Record<string, never> | null;
            mapping?: {
                mappings: {
                    [key: string]: string;
                };
            } | null;
            patternReplace?: {
                pattern: string;
                replacement?: string | null;
            } | null;
        };
        /** @description Rewrites text before it is cut into words. Exactly one of them. */
        CharFilterOutput: {
            htmlStrip?: Record<string, never>;
            mapping?: {
                mappings: {
                    [key: string]: string;
                };
            };
            patternReplace?: {
                pattern: string;
                replacement?: string;
            };
        };
        /**
         * @description A clause by its type; without one, a field clause.
         * @example {
         *       "field": "author",
         *       "match": {
         *         "value": "Ursula K. Le Guin"
         *       }
         *     }
         * @example {
         *       "match": "all",
         *       "text": "left hand",
         *       "type": "text"
         *     }
         * @example {
         *       "clauses": [
         *         {
         *           "field": "editions.format",
         *           "match": {
         *             "value": "paperback"
         *           }
         *         },
         *         {
         *           "field": "editions.pages",
         *           "match": {
         *             "lt": 300,
         *             "type": "range"
         *           }
         *         }
         *       ],
         *       "path": "editions",
         *       "type": "nested"
         *     }
         */
        Clause: {
            /** @description nested, and, or, not, boost: the clauses inside. */
            clauses?: components["schemas"]["Clause"][] | null;
            /**
             * @description text: whether words may match in different fields.
             * @default term
             * @enum {string|null}
             */
            combine?: "term" | "field" | null;
            /**
             * @description fuse: how many hits of each ranking count.
             * @default 100
             */
            depth?: number | null;
            /** @description field, knn: the field. */
            field?: string | null;
            /** @description text: the fields with their weights, null for their own; all searchable ones when left out. */
            fields?: {
                [key: string]: number | null;
            } | null;
            /** @description knn, fuse: clauses that candidates must match. */
            filter?: components["schemas"]["Clause"][] | null;
            /** @description text with match user: whether quantities and values are read out of the text, and on which fields. */
            interpret?: ("auto" | "off") | {
                fields: components["schemas"]["InterpretTarget"][];
            } | null;
            /**
             * @description text with match user: whether all words must match.
             * @default all
             * @enum {string|null}
             */
            join?: "all" | "any" | null;
            /** @description knn: how many neighbours. */
            k?: number | null;
            /** @description A matcher of a field clause, or how a text clause reads its words: all of them, any, a phrase, or what a person typed, with quotes and -exclusions. */
            match?: components["schemas"]["Matcher"] | ("all" | "any" | "phrase" | "user") | null;
            /** @description nested: the list of objects. */
            path?: string | null;
            /**
             * @description text: whether the last word may be the beginning of one.
             * @default last_token
             * @enum {string|null}
             */
            prefix?: "last_token" | "off" | null;
            /**
             * @description fuse: a hit counts weight / (rankConstant + rank).
             * @default 60
             */
            rankConstant?: number | null;
            /** @description fuse: searches whose ranks are added up. */
            rankings?: {
                clauses?: components["schemas"]["Clause"][] | null;
                /** @default 1 */
                weight?: number | null;
            }[] | null;
            /**
             * @description text: which words are given up when nothing matches.
             * @default unmatched
             * @enum {string|null}
             */
            relax?: "unmatched" | "words" | "off" | null;
            /**
             * @description nested: how the scores of several values become one.
             * @default max
             * @enum {string|null}
             */
            score?: "max" | "min" | "avg" | "total" | null;
            /**
             * @description phrase: how many other words may stand between.
             * @default 0
             */
            slop?: number | null;
            /** @description text: what to look for. */
            text?: string | null;
            /**
             * @default field
             * @enum {string|null}
             */
            type?: "field" | "text" | "knn" | "nested" | "and" | "or" | "not" | "boost" | "fuse" | null;
            /**
             * @description text: whether mistakes are accepted where the field does.
             * @default auto
             * @enum {string|null}
             */
            typos?: "auto" | "off" | null;
            /** @description knn: what to be near to. */
            vector?: number[] | null;
            /** @description boost: above 1 raises, below 1 lowers. */
            weight?: number | null;
        };
        /**
         * @description A clause by its type; without one, a field clause.
         * @example {
         *       "field": "author",
         *       "match": {
         *         "value": "Ursula K. Le Guin"
         *       }
         *     }
         * @example {
         *       "match": "all",
         *       "text": "left hand",
         *       "type": "text"
         *     }
         * @example {
         *       "clauses": [
         *         {
         *           "field": "editions.format",
         *           "match": {
         *             "value": "paperback"
         *           }
         *         },
         *         {
         *           "field": "editions.pages",
         *           "match": {
         *             "lt": 300,
         *             "type": "range"
         *           }
         *         }
         *       ],
         *       "path": "editions",
         *       "type": "nested"
         *     }
         */
        ClauseOutput: {
            /** @description nested, and, or, not, boost: the clauses inside. */
            clauses?: components["schemas"]["ClauseOutput"][];
            /**
             * @description text: whether words may match in different fields.
             * @default term
             * @enum {string}
             */
            combine?: "term" | "field";
            /**
             * @description fuse: how many hits of each ranking count.
             * @default 100
             */
            depth?: number;
            /** @description field, knn: the field. */
            field?: string;
            /** @description text: the fields with their weights, null for their own; all searchable ones when left out. */
            fields?: {
                [key: string]: number | null;
            };
            /** @description knn, fuse: clauses that candidates must match. */
            filter?: components["schemas"]["ClauseOutput"][];
            /** @description text with match user: whether quantities and values are read out of the text, and on which fields. */
            interpret?: ("auto" | "off") | {
                fields: components["schemas"]["InterpretTargetOutput"][];
            };
            /**
             * @description text with match user: whether all words must match.
             * @default all
             * @enum {string}
             */
            join?: "all" | "any";
            /** @description knn: how many neighbours. */
            k?: number;
            /** @description A matcher of a field clause, or how a text clause reads its words: all of them, any, a phrase, or what a person typed, with quotes and -exclusions. */
            match?: components["schemas"]["MatcherOutput"] | ("all" | "any" | "phrase" | "user");
            /** @description nested: the list of objects. */
            path?: string;
            /**
             * @description text: whether the last word may be the beginning of one.
             * @default last_token
             * @enum {string}
             */
            prefix?: "last_token" | "off";
            /**
             * @description fuse: a hit counts weight / (rankConstant + rank).
             * @default 60
             */
            rankConstant?: number;
            /** @description fuse: searches whose ranks are added up. */
            rankings?: {
                clauses?: components["schemas"]["ClauseOutput"][];
                /** @default 1 */
                weight?: number;
            }[];
            /**
             * @description text: which words are given up when nothing matches.
             * @default unmatched
             * @enum {string}
             */
            relax?: "unmatched" | "words" | "off";
            /**
             * @description nested: how the scores of several values become one.
             * @default max
             * @enum {string}
             */
            score?: "max" | "min" | "avg" | "total";
            /**
             * @description phrase: how many other words may stand between.
             * @default 0
             */
            slop?: number;
            /** @description text: what to look for. */
            text?: string;
            /**
             * @default field
             * @enum {string}
             */
            type?: "field" | "text" | "knn" | "nested" | "and" | "or" | "not" | "boost" | "fuse";
            /**
             * @description text: whether mistakes are accepted where the field does.
             * @default auto
             * @enum {string}
             */
            typos?: "auto" | "off";
            /** @description knn: what to be near to. */
            vector?: number[];
            /** @description boost: above 1 raises, below 1 lowers. */
            weight?: number;
        };
        /**
         * @description What an index holds and how it is searched.
         * @example {
         *       "fields": {
         *         "author": {
         *           "role": "tag",
         *           "type": "string"
         *         },
         *         "editions": {
         *           "fields": {
         *             "format": {
         *               "facet": {},
         *               "filter": {},
         *               "type": "string"
         *             },
         *             "pages": {
         *               "filter": {},
         *               "type": "int32"
         *             }
         *           },
         *           "mode": "nested",
         *           "multiple": true,
         *           "type": "object"
         *         },
         *         "id": {
         *           "role": "id",
         *           "type": "string"
         *         },
         *         "price": {
         *           "filter": {},
         *           "sort": {},
         *           "type": "double",
         *           "unit": "EUR"
         *         },
         *         "published": {
         *           "role": "timestamp",
         *           "type": "timestamp"
         *         },
         *         "title": {
         *           "role": "title",
         *           "type": "string"
         *         }
         *       }
         *     }
         */
        Definition: {
            /** @description Fields by name: letters, digits and _. A * stands for any part of a name. A document may hold only declared fields. */
            fields?: {
                [key: string]: components["schemas"]["Field"];
            } | null;
            /** @description Languages tried in order where a document lacks a value. */
            localeFallback?: {
                chain?: string[] | null;
            } | null;
            /** @description The languages that fields with locales hold. */
            locales?: {
                defaultLocale: string;
                supported?: string[] | null;
            } | null;
            /** @description Notes of your own; the service does not read them. */
            metadata?: {
                [key: string]: string;
            } | null;
            /** @description How hits are ordered beside their relevance. */
            ranking?: components["schemas"]["Ranking"] | null;
            /** @description Analyzers, stopwords and synonyms that fields refer to by name. */
            resources?: {
                analyzers?: {
                    [key: string]: components["schemas"]["Analyzer"];
                } | null;
                stopwords?: {
                    [key: string]: string[];
                } | null;
                synonyms?: {
                    [key: string]: {
                        rules?: components["schemas"]["SynonymRule"][] | null;
                    };
                } | null;
            } | null;
            /**
             * @description full keeps documents as they were sent; none keeps only stored fields.
             * @default full
             * @enum {string|null}
             */
            source?: "full" | "none" | null;
        };
        /**
         * @description What an index holds and how it is searched.
         * @example {
         *       "fields": {
         *         "author": {
         *           "role": "tag",
         *           "type": "string"
         *         },
         *         "editions": {
         *           "fields": {
         *             "format": {
         *               "facet": {},
         *               "filter": {},
         *               "type": "string"
         *             },
         *             "pages": {
         *               "filter": {},
         *               "type": "int32"
         *             }
         *           },
         *           "mode": "nested",
         *           "multiple": true,
         *           "type": "object"
         *         },
         *         "id": {
         *           "role": "id",
         *           "type": "string"
         *         },
         *         "price": {
         *           "filter": {},
         *           "sort": {},
         *           "type": "double",
         *           "unit": "EUR"
         *         },
         *         "published": {
         *           "role": "timestamp",
         *           "type": "timestamp"
         *         },
         *         "title": {
         *           "role": "title",
         *           "type": "string"
         *         }
         *       }
         *     }
         */
        DefinitionOutput: {
            /** @description Fields by name: letters, digits and _. A * stands for any part of a name. A document may hold only declared fields. */
            fields?: {
                [key: string]: components["schemas"]["FieldOutput"];
            };
            /** @description Languages tried in order where a document lacks a value. */
            localeFallback?: {
                chain?: string[];
            };
            /** @description The languages that fields with locales hold. */
            locales?: {
                defaultLocale: string;
                supported?: string[];
            };
            /** @description Notes of your own; the service does not read them. */
            metadata?: {
                [key: string]: string;
            };
            /** @description How hits are ordered beside their relevance. */
            ranking?: components["schemas"]["RankingOutput"];
            /** @description Analyzers, stopwords and synonyms that fields refer to by name. */
            resources?: {
                analyzers?: {
                    [key: string]: components["schemas"]["AnalyzerOutput"];
                };
                stopwords?: {
                    [key: string]: string[];
                };
                synonyms?: {
                    [key: string]: {
                        rules?: components["schemas"]["SynonymRuleOutput"][];
                    };
                };
            };
            /**
             * @description full keeps documents as they were sent; none keeps only stored fields.
             * @default full
             * @enum {string}
             */
            source?: "full" | "none";
        };
        DefinitionPreview: {
            /** @description As it would be stored, with what roles give. */
            definition: components["schemas"]["DefinitionOutput"];
            /** @description What the documents do not fit, each with its place; empty unless the outcome is reindex. */
            differences: components["schemas"]["ErrorDetail"][];
            /** @description The generation that would be created or changed. */
            generation: string;
            name: string;
            /**
             * @description create: there is nothing under the name yet. unchanged: this is the stored definition. replace: the documents fit it. reindex: they do not; PUT answers 409, and a new generation can take it.
             * @enum {string}
             */
            outcome: "create" | "unchanged" | "replace" | "reindex";
            /** @description Version of the stored definition, for If-Match; absent with create. */
            version?: string;
        };
        /**
         * @description Exactly one of keys, query and all.
         * @example {
         *       "keys": [
         *         "1",
         *         "2"
         *       ]
         *     }
         */
        DeleteRequest: {
            /** @description Empties the index. */
            all?: boolean | null;
            /** @description Primary keys. */
            keys?: (string | number)[] | null;
            /** @description The language of the query. */
            locale?: string | null;
            /** @description Deletes what matches all clauses. */
            query?: components["schemas"]["Clause"][] | null;
        };
        DeleteResult: {
            /** Format: int64 */
            deleted: number;
            freshness: string;
        };
        /** @description Values by field name, read as the definition declares. Lists stand for fields with multiple, objects for objects, and for fields with locales an object by language. */
        Document: {
            [key: string]: unknown;
        };
        DocumentAnswer: {
            document: components["schemas"]["Document"];
            freshness: string;
        };
        /**
         * @example {
         *       "documents": [
         *         {
         *           "author": "Ursula K. Le Guin",
         *           "editions": [
         *             {
         *               "format": "paperback",
         *               "pages": 341
         *             }
         *           ],
         *           "id": "1",
         *           "price": 9.5,
         *           "published": "1974-05-01T00:00:00Z",
         *           "title": "The Dispossessed"
         *         }
         *       ]
         *     }
         */
        DocumentBatch: {
            documents: components["schemas"]["Document"][];
        };
        DocumentList: {
            documents: components["schemas"]["Document"][];
            freshness: string;
            next?: string;
        };
        Draft: {
            definition: components["schemas"]["DefinitionOutput"];
            /** @description Why every field is drafted as it is. A reason that is not about one field has an empty name. */
            reasons: {
                /** @description Dotted path of the field. */
                field: string;
                /** @description The name in the documents, where the field needed another. */
                name?: string;
                reason: string;
            }[];
        };
        /**
         * @description Documents that a definition is drafted from, as they will be added.
         * @example {
         *       "documents": [
         *         {
         *           "id": "1",
         *           "title": "The Left Hand of Darkness",
         *           "year": 1969
         *         },
         *         {
         *           "id": "2",
         *           "title": "The Dispossessed",
         *           "year": 1974
         *         }
         *       ]
         *     }
         */
        DraftRequest: {
            /**
             * @description Strings that read as numbers, dates, truth values, places or lists are drafted as such. For rows of a CSV file, which are converted when they are added as CSV or by quire load; JSON is not.
             * @default false
             */
            convert?: boolean | null;
            /** @description The first 10,000 are looked at. */
            documents: components["schemas"]["Document"][];
        };
        Error: {
            /** @description The code of the one problem, or validation when there are several. */
            code: string;
            errors: components["schemas"]["ErrorDetail"][];
            /** @description What to do about the one problem. */
            help: string;
            /** @description For logs; clients match on the code. */
            message: string;
            /** @description Place of the one problem. */
            path?: string;
        };
        ErrorDetail: {
            arguments?: {
                [key: string]: string;
            };
            code: string;
            /** @description What to do about it, with the values of the request and the nearest known names. */
            help: string;
            message: string;
            /**
             * @description Place of the problem
             * @example documents[1].title
             */
            path?: string;
        };
        EvaluatedQuery: {
            /** @description The same of the second side. */
            against?: Record<string, never>;
            /** @description Code with which the search was refused. */
            error?: string;
            /** @description Number of expectations. */
            expected?: number;
            /** @description Keys, when they were asked for. */
            hits?: string[];
            id?: string;
            judged?: number;
            ndcg?: number;
            /** @enum {string} */
            outcome?: "win" | "loss" | "tie";
            precision?: number;
            /** @description Places of the keys that the query names, of those among the first 100 hits. */
            ranks: {
                [key: string]: number;
            };
            recall?: number;
            reciprocalRank?: number;
            search?: components["schemas"]["SearchRequestOutput"];
            text?: string;
            tookMs: number;
            /** Format: int64 */
            total: number;
            unmet?: string[];
            weight: number;
        };
        Evaluation: {
            against?: {
                generation: string;
                measures: components["schemas"]["EvaluationMeasures"];
            };
            bounds?: {
                failures?: string[];
                held: boolean;
            };
            comparison?: {
                losses: number;
                mrr: components["schemas"]["EvaluationDifference"];
                ndcg: components["schemas"]["EvaluationDifference"];
                ties: number;
                wins: number;
            };
            error: string | null;
            /** Format: date-time */
            finishedAt: string | null;
            generation: string;
            id: string;
            index: string;
            judgements: string;
            judgementsVersion?: string;
            k?: number;
            measures?: components["schemas"]["EvaluationMeasures"];
            queries?: components["schemas"]["EvaluatedQuery"][];
            recallK?: number;
            searches: number;
            searchesDone: number;
            /** Format: date-time */
            startedAt: string;
            startedBy: string | null;
            /** @enum {string} */
            state: "running" | "done" | "failed" | "cancelled";
        };
        EvaluationDifference: {
            /** @description The first side less the second. */
            difference: number;
            /** @description Two-sided, of the paired randomization test. */
            p: number;
            /** @description p is below .05. */
            significant: boolean;
        };
        EvaluationList: {
            evaluations: components["schemas"]["Evaluation"][];
        };
        /** @description Means by the weights of the queries. Those of rankings are absent when no query has grades. */
        EvaluationMeasures: {
            expectations: number;
            expectationsMet: number;
            /** @description Searches that were refused; they count as finding nothing. */
            failed: number;
            /** @description Queries with grades or a known key. */
            graded: number;
            /** @description Share of the first k hits with a grade. */
            judged?: number;
            /** @description At k. */
            mrr?: number;
            /** @description At k, with the gain 2^grade − 1. */
            ndcg?: number;
            p50Ms: number;
            p99Ms: number;
            /** @description At k. */
            precision?: number;
            queries: number;
            /** @description At recallK. */
            recall?: number;
            /** @description Share of the queries that find nothing. */
            zeroResults: number;
        };
        /**
         * @example {
         *       "against": {},
         *       "judgements": "base"
         *     }
         */
        EvaluationRequest: {
            /** @description A second side to compare with: the live generation with the stored settings unless it says otherwise. */
            against?: {
                generation?: string | null;
                settings?: components["schemas"]["SearchSettings"] | null;
            } | null;
            /**
             * @description Answer 202 at once, also for a small set.
             * @default false
             */
            background?: boolean | null;
            /**
             * @description List the keys of the first 100 hits of every query.
             * @default false
             */
            hits?: boolean | null;
            /** @description The judgement set. */
            judgements: string;
            /**
             * @description Hits that nDCG, reciprocal rank and precision look at.
             * @default 10
             */
            k?: number | null;
            /** @description Search with these instead of the stored ones. */
            settings?: components["schemas"]["SearchSettings"] | null;
        };
        ExplainResult: {
            detail: components["schemas"]["ScoreStep"];
            freshness: string;
            generation: string;
            interpreted?: components["schemas"]["Interpreted"];
            /** @description Queries of the judgement sets of the index that have the text of the first text clause, with what they say about the document and how well the generation answers them; at most 20. Absent when there are none, when they cannot be read, and for keys without indexes.read. */
            judgements?: components["schemas"]["JudgedDocument"][];
            matched: boolean;
            relaxed?: components["schemas"]["Relaxed"];
            /** @description The second pass; absent without one. */
            rescored?: components["schemas"]["ScoreStep"];
            score: number;
            tookMs: number;
        };
        FacetRequest: {
            /**
             * @description hierarchy: how many levels.
             * @default 1
             */
            depth?: number | null;
            /** @description Fields whose filters this facet does not follow; its own when left out. */
            excludeFilters?: string[] | null;
            /** @description ranges: fields counted where a document has no value. */
            fallback?: components["schemas"]["InterpretTarget"][] | null;
            /** @description A field with facet. */
            field: string;
            /** @default 10 */
            limit?: number | null;
            /** @description Name of the result; the field when left out. */
            name?: string | null;
            /**
             * @description By count, by value, or as the search settings declare.
             * @default count
             * @enum {string|null}
             */
            order?: "count" | "value" | "declared" | null;
            /** @description hierarchy: the level to count below. */
            path?: string | null;
            /** @description Buckets of numbers and timestamps, from inclusive, to exclusive. */
            ranges?: {
                from?: unknown;
                to?: unknown;
            }[] | null;
            /** @description ranges: documents whose value of the field counts; all when left out. */
            when?: components["schemas"]["Clause"][] | null;
        };
        FacetRequestOutput: {
            /**
             * @description hierarchy: how many levels.
             * @default 1
             */
            depth?: number;
            /** @description Fields whose filters this facet does not follow; its own when left out. */
            excludeFilters?: string[];
            /** @description ranges: fields counted where a document has no value. */
            fallback?: components["schemas"]["InterpretTargetOutput"][];
            /** @description A field with facet. */
            field: string;
            /** @default 10 */
            limit?: number;
            /** @description Name of the result; the field when left out. */
            name?: string;
            /**
             * @description By count, by value, or as the search settings declare.
             * @default count
             * @enum {string}
             */
            order?: "count" | "value" | "declared";
            /** @description hierarchy: the level to count below. */
            path?: string;
            /** @description Buckets of numbers and timestamps, from inclusive, to exclusive. */
            ranges?: {
                from?: unknown;
                to?: unknown;
            }[];
            /** @description ranges: documents whose value of the field counts; all when left out. */
            when?: components["schemas"]["ClauseOutput"][];
        };
        FacetResult: {
            buckets?: {
                /** Format: int64 */
                count?: number;
                from?: unknown;
                to?: unknown;
            }[];
            totalValues?: number;
            values?: components["schemas"]["FacetValue"][];
        };
        FacetValue: {
            /** Format: int64 */
            count: number;
            label?: string;
            path?: string;
            totalValues?: number;
            value: unknown;
            values?: components["schemas"]["FacetValue"][];
        };
        FacetValuesRequest: {
            filters?: components["schemas"]["Clause"][] | null;
            freshness?: components["schemas"]["FreshnessRequest"] | null;
            /** @default 10 */
            limit?: number | null;
            locale?: string | null;
            /**
             * @default count
             * @enum {string|null}
             */
            order?: "count" | "value" | "declared" | null;
            prefix?: string | null;
            query?: components["schemas"]["Clause"][] | null;
        };
        FacetValuesResult: {
            freshness: string;
            generation: string;
            tookMs: number;
            totalValues: number;
            values: components["schemas"]["FacetValue"][];
        };
        FailedEntry: {
            errors: components["schemas"]["ErrorDetail"][];
            /** Format: int32 */
            line?: number;
            /** Format: int32 */
            position: number;
        };
        /** @description A field of an index. A usage is turned on by its object; an empty one takes the defaults. What is set beside a role is merged with what the role gives: null switches a usage, or a member of it, off. */
        Field: {
            /** @description The field is searched by the beginning of words. */
            autocomplete?: components["schemas"]["TextUsage"] | null;
            /** @description Length of a vector; required for the type vector. */
            dimensions?: number | null;
            /** @description The values of the field can be counted. */
            facet?: Record<string, never> | null;
            /** @description The fields of an object. */
            fields?: {
                [key: string]: components["schemas"]["Field"];
            } | null;
            /** @description The field can be filtered by. */
            filter?: Record<string, never> | null;
            /** @description Values are paths, counted and filtered level by level. */
            hierarchy?: {
                /** @default / */
                separator?: string | null;
            } | null;
            /** @description The graph of a vector field. */
            hnsw?: {
                /** @default 100 */
                efConstruction?: number | null;
                /** @default 16 */
                m?: number | null;
            } | null;
            /** @description The field that tells the objects of a list apart. */
            key?: string | null;
            /** @description How exact values of a string are compared. */
            keyword?: {
                /** @default true */
                caseFolding?: boolean | null;
            } | null;
            /** @description The field holds one value per language. */
            locales?: {
                defaultLocale?: string | null;
                /** @enum {string|null} */
                fallback?: "enabled" | "disabled" | null;
                locales?: string[] | null;
                only?: string[] | null;
            } | null;
            /** @description The field is searched as text. */
            matching?: components["schemas"]["TextUsage"] | null;
            /**
             * @description For a list of objects: nested keeps the values apart, so that one and the same value can be asked for; flattened mixes them.
             * @enum {string|null}
             */
            mode?: "flattened" | "nested" | null;
            /**
             * @description The field holds a list of values.
             * @default false
             */
            multiple?: boolean | null;
            /**
             * @description Names the document; at most one field, a string or a whole number.
             * @default false
             */
            primaryKey?: boolean | null;
            /**
             * @description How vectors are packed.
             * @default none
             * @enum {string|null}
             */
            quantization?: "none" | "int8" | "int4" | null;
            /**
             * @description A document without a value is refused.
             * @default false
             */
            required?: boolean | null;
            /**
             * @description The usual way a field of that kind is used, in place of the usages below. id is the primary key; title, description and code are searched as text; tag is searched, filtered and counted; path is a hierarchy.
             * @enum {string|null}
             */
            role?: "id" | "title" | "description" | "tag" | "path" | "code" | "timestamp" | "geo" | null;
            /** @description A number that is only ranked by and can be refreshed in place. */
            signal?: Record<string, never> | null;
            /**
             * @description How vectors are compared.
             * @default cosine
             * @enum {string|null}
             */
            similarity?: "cosine" | "dot_product" | "euclidean" | null;
            /** @description Hits can be ordered by the field. */
            sort?: {
                /**
                 * @default locale
                 * @enum {string|null}
                 */
                collation?: "locale" | "binary" | null;
                /**
                 * @default last
                 * @enum {string|null}
                 */
                missing?: "last" | "first" | null;
            } | null;
            /**
             * @description Kept for answers where the index keeps no source.
             * @default false
             */
            stored?: boolean | null;
            /**
             * @description timestamp takes ISO 8601 with an offset, geo_point an object with lat and lon, vector a list of numbers.
             * @enum {string}
             */
            type: "string" | "boolean" | "int32" | "int64" | "float" | "double" | "timestamp" | "geo_point" | "vector" | "object";
            /** @description Currency code or unit of a number, so that typed text such as under 20 EUR is read as a filter. */
            unit?: string | null;
            /** @description Bounds of a number. */
            validation?: {
                max?: number | null;
                min?: number | null;
            } | null;
        };
        /** @description A field of an index. A usage is turned on by its object; an empty one takes the defaults. What is set beside a role is merged with what the role gives: null switches a usage, or a member of it, off. */
        FieldOutput: {
            /** @description The field is searched by the beginning of words. */
            autocomplete?: components["schemas"]["TextUsageOutput"];
            /** @description Length of a vector; required for the type vector. */
            dimensions?: number;
            /** @description The values of the field can be counted. */
            facet?: Record<string, never>;
            /** @description The fields of an object. */
            fields?: {
                [key: string]: components["schemas"]["FieldOutput"];
            };
            /** @description The field can be filtered by. */
            filter?: Record<string, never>;
            /** @description Values are paths, counted and filtered level by level. */
            hierarchy?: {
                /** @default / */
                separator?: string;
            };
            /** @description The graph of a vector field. */
            hnsw?: {
                /** @default 100 */
                efConstruction?: number;
                /** @default 16 */
                m?: number;
            };
            /** @description The field that tells the objects of a list apart. */
            key?: string;
            /** @description How exact values of a string are compared. */
            keyword?: {
                /** @default true */
                caseFolding?: boolean;
            };
            /** @description The field holds one value per language. */
            locales?: {
                defaultLocale?: string;
                /** @enum {string} */
                fallback?: "enabled" | "disabled";
                locales?: string[];
                only?: string[];
            };
            /** @description The field is searched as text. */
            matching?: components["schemas"]["TextUsageOutput"];
            /**
             * @description For a list of objects: nested keeps the values apart, so that one and the same value can be asked for; flattened mixes them.
             * @enum {string}
             */
            mode?: "flattened" | "nested";
            /**
             * @description The field holds a list of values.
             * @default false
             */
            multiple?: boolean;
            /**
             * @description Names the document; at most one field, a string or a whole number.
             * @default false
             */
            primaryKey?: boolean;
            /**
             * @description How vectors are packed.
             * @default none
             * @enum {string}
             */
            quantization?: "none" | "int8" | "int4";
            /**
             * @description A document without a value is refused.
             * @default false
             */
            required?: boolean;
            /**
             * @description The usual way a field of that kind is used, in place of the usages below. id is the primary key; title, description and code are searched as text; tag is searched, filtered and counted; path is a hierarchy.
             * @enum {string}
             */
            role?: "id" | "title" | "description" | "tag" | "path" | "code" | "timestamp" | "geo";
            /** @description A number that is only ranked by and can be refreshed in place. */
            signal?: Record<string, never>;
            /**
             * @description How vectors are compared.
             * @default cosine
             * @enum {string}
             */
            similarity?: "cosine" | "dot_product" | "euclidean";
            /** @description Hits can be ordered by the field. */
            sort?: {
                /**
                 * @default locale
                 * @enum {string}
                 */
                collation?: "locale" | "binary";
                /**
                 * @default last
                 * @enum {string}
                 */
                missing?: "last" | "first";
            };
            /**
             * @description Kept for answers where the index keeps no source.
             * @default false
             */
            stored?: boolean;
            /**
             * @description timestamp takes ISO 8601 with an offset, geo_point an object with lat and lon, vector a list of numbers.
             * @enum {string}
             */
            type: "string" | "boolean" | "int32" | "int64" | "float" | "double" | "timestamp" | "geo_point" | "vector" | "object";
            /** @description Currency code or unit of a number, so that typed text such as under 20 EUR is read as a filter. */
            unit?: string;
            /** @description Bounds of a number. */
            validation?: {
                max?: number;
                min?: number;
            };
        };
        FreshnessRequest: {
            atLeast?: string | null;
        };
        FreshnessRequestOutput: {
            atLeast?: string;
        };
        GenerationEntry: {
            /** Format: date-time */
            createdAt?: string;
            live: boolean;
            name: string;
        };
        Grant: {
            indexes?: string[];
            permissions?: string[];
        };
        Hit: {
            document?: components["schemas"]["Document"];
            highlights?: {
                [key: string]: string[];
            };
            id?: string;
            index?: number;
            key?: unknown;
            matched?: {
                [key: string]: components["schemas"]["MatchedValues"];
            };
            /** @description Words of a relaxed text that the document does not hold. */
            missing?: string[];
            score?: number;
            value?: {
                [key: string]: unknown;
            };
        };
        Index: {
            definition: components["schemas"]["DefinitionOutput"];
            /** @description Only in answers to commit and promote. */
            freshness?: string;
            generation: string;
            generations: components["schemas"]["GenerationEntry"][];
            live: boolean;
            name: string;
            status: {
                /** @enum {string} */
                engineCompatibility?: "current" | "ending" | "unreadable" | "unknown";
                engineCreatedMajor?: number;
                indexer?: {
                    address?: string;
                    node?: string;
                };
                readOnly: boolean;
                settingsUnsupportedFeatures?: string[];
                /** @enum {string} */
                state: "needs_pull" | "pulling" | "usable" | "modified" | "pushing" | "unsupported" | "incompatible" | "closed";
            };
            /** @description Also the ETag. */
            version: string;
        };
        IndexList: {
            indexes: {
                generations: components["schemas"]["GenerationEntry"][];
                liveGeneration?: string;
                name: string;
            }[];
            next?: string;
        };
        Indexers: {
            candidates: {
                address?: string;
                /** Format: date-time */
                expiresAt?: string;
                node?: string;
            }[];
            claims: {
                address?: string;
                /** Format: date-time */
                expiresAt?: string;
                index?: string;
                node?: string;
            }[];
        };
        /** @description A field with a unit that a typed quantity is read on. */
        InterpretTarget: {
            /** @description Read where a document has no value. */
            fallback?: components["schemas"]["InterpretTarget"][] | null;
            field: string;
            /** @description Documents it is read on; all when left out. */
            when?: components["schemas"]["Clause"][] | null;
        };
        /** @description A field with a unit that a typed quantity is read on. */
        InterpretTargetOutput: {
            /** @description Read where a document has no value. */
            fallback?: components["schemas"]["InterpretTargetOutput"][];
            field: string;
            /** @description Documents it is read on; all when left out. */
            when?: components["schemas"]["ClauseOutput"][];
        };
        /** @description The filters that were read out of typed text. */
        Interpreted: {
            filters: {
                fallback?: components["schemas"]["InterpretTargetOutput"][];
                field: string;
                match: components["schemas"]["MatcherOutput"];
                when?: components["schemas"]["ClauseOutput"][];
                words: string[];
            }[];
            /** @description The text that remains. */
            text: string;
        };
        JudgedDocument: {
            /** @description Expectations that name the document. */
            expect?: string[];
            /** @description Of the document; absent when it is not judged. */
            grade?: number;
            /** @description Of the query, when it has one. */
            id?: string;
            /** @description The key that should come first. */
            known?: string;
            /** @description nDCG@10 of the judged search. */
            ndcg?: number;
            /** @description Place of the query in the set, from 0. */
            position: number;
            /** @description Of the document among the first 100 hits of the judged search; absent when it is not among them. */
            rank?: number;
            /** @description Name of the judgement set. */
            set: string;
            /** @description Of the query, unless it is a whole search. */
            text?: string;
            /** @description Expectations of the query that are not met. */
            unmet?: string[];
        };
        /** @description A search, by text or whole, with what it should find: grades, a known key or expectations. */
        JudgedQuery: {
            /** @description What must hold among the first 100 hits. */
            expect?: {
                /** @description Pairs of keys, the first before the second. */
                above?: string[][] | null;
                /**
                 * Format: int64
                 * @description Hits in all.
                 */
                atLeast?: number | null;
                mustHit?: string[] | null;
                mustNotHit?: string[] | null;
            } | null;
            /** @description By key; 0 is not relevant. At least one is above 0. */
            grades?: {
                [key: string]: number;
            } | null;
            /** @description Names the query in reports and changes; no other query of the set has it. */
            id?: string | null;
            /** @description The key that should come first; the same as a single grade of 1. */
            known?: string | null;
            /** @description Of the text. */
            locale?: string | null;
            /** @description Instead of the text. Limit, paging, facets and highlighting are left out. */
            search?: components["schemas"]["SearchRequest"] | null;
            /** @description Searched as a text clause with defaults. */
            text?: string | null;
            /**
             * @description In the means.
             * @default 1
             */
            weight?: number | null;
        };
        /** @description A search, by text or whole, with what it should find: grades, a known key or expectations. */
        JudgedQueryOutput: {
            /** @description What must hold among the first 100 hits. */
            expect?: {
                /** @description Pairs of keys, the first before the second. */
                above?: string[][];
                /**
                 * Format: int64
                 * @description Hits in all.
                 */
                atLeast?: number;
                mustHit?: string[];
                mustNotHit?: string[];
            };
            /** @description By key; 0 is not relevant. At least one is above 0. */
            grades?: {
                [key: string]: number;
            };
            /** @description Names the query in reports and changes; no other query of the set has it. */
            id?: string;
            /** @description The key that should come first; the same as a single grade of 1. */
            known?: string;
            /** @description Of the text. */
            locale?: string;
            /** @description Instead of the text. Limit, paging, facets and highlighting are left out. */
            search?: components["schemas"]["SearchRequestOutput"];
            /** @description Searched as a text clause with defaults. */
            text?: string;
            /**
             * @description In the means.
             * @default 1
             */
            weight?: number;
        };
        JudgementList: {
            judgements: {
                name: string;
            }[];
        };
        /**
         * @description A judgement set. As lines, each is a query, and one may hold the bounds alone.
         * @example {
         *       "bounds": {
         *         "minNdcg": 0.6
         *       },
         *       "queries": [
         *         {
         *           "grades": {
         *             "1": 3
         *           },
         *           "text": "red lamp"
         *         },
         *         {
         *           "known": "2",
         *           "text": "blue lamp"
         *         }
         *       ]
         *     }
         */
        Judgements: {
            /** @description What must hold for a generation to be promoted with verify. */
            bounds?: {
                /**
                 * @description Every expectation is met.
                 * @default false
                 */
                expectations?: boolean | null;
                /** @description Largest loss of nDCG against the other side. */
                maxLoss?: number | null;
                /** @description Smallest nDCG. */
                minNdcg?: number | null;
            } | null;
            queries: components["schemas"]["JudgedQuery"][];
            readonly version?: string;
        };
        /**
         * @description A judgement set. As lines, each is a query, and one may hold the bounds alone.
         * @example {
         *       "bounds": {
         *         "minNdcg": 0.6
         *       },
         *       "queries": [
         *         {
         *           "grades": {
         *             "1": 3
         *           },
         *           "text": "red lamp"
         *         },
         *         {
         *           "known": "2",
         *           "text": "blue lamp"
         *         }
         *       ]
         *     }
         */
        JudgementsOutput: {
            /** @description What must hold for a generation to be promoted with verify. */
            bounds?: {
                /**
                 * @description Every expectation is met.
                 * @default false
                 */
                expectations?: boolean;
                /** @description Largest loss of nDCG against the other side. */
                maxLoss?: number;
                /** @description Smallest nDCG. */
                minNdcg?: number;
            };
            queries: components["schemas"]["JudgedQueryOutput"][];
            readonly version?: string;
        };
        Key: {
            /** Format: date-time */
            createdAt: string;
            description: string;
            /** Format: date-time */
            expiresAt: string | null;
            grants: components["schemas"]["Grant"][];
            id: string;
        };
        KeyList: {
            anonymousKey: string | null;
            keys: components["schemas"]["Key"][];
            next?: string;
            rootKeyConfigured: boolean;
        };
        /**
         * @example {
         *       "description": "web shop",
         *       "grants": [
         *         {
         *           "indexes": [
         *             "books",
         *             "shop-*"
         *           ],
         *           "role": "reader"
         *         }
         *       ]
         *     }
         */
        KeyRequest: {
            description?: string | null;
            /** @description When the key stops working, a timestamp with an offset; blank, null and left out stand for never. */
            expiresAt?: string | null;
            /** @description What the key may do: a role or permissions, on indexes named or given by a prefix followed by *. */
            grants: {
                indexes?: string[] | null;
                permissions?: string[] | null;
                /** @enum {string|null} */
                role?: "reader" | "writer" | "admin" | null;
            }[];
        };
        KeyWithCredential: {
            /** @description Send it as a bearer token. It is shown only here. */
            credential: string;
            key: components["schemas"]["Key"];
        };
        /** @description The values of one nested list that matched. */
        MatchedValues: {
            totalValues: number;
            values?: {
                [key: string]: unknown;
            }[];
        };
        /** @description A matcher by its type; an object with only value is equals. */
        Matcher: {
            /** @description range: above. */
            gt?: unknown;
            /** @description range: not below; for timestamps ISO 8601 with an offset. */
            gte?: unknown;
            /**
             * @description text: as in a text clause.
             * @default all
             * @enum {string|null}
             */
            join?: "all" | "any" | null;
            /** @description distance. */
            lat?: number | null;
            /** @description distance. */
            lon?: number | null;
            /** @description range: below. */
            lt?: unknown;
            /** @description range: not above. */
            lte?: unknown;
            /**
             * @description text: as in a text clause.
             * @default all
             * @enum {string|null}
             */
            match?: "all" | "any" | "phrase" | "user" | null;
            /** @description under: a level of a hierarchy. */
            path?: string | null;
            /**
             * @description text: as in a text clause.
             * @default last_token
             * @enum {string|null}
             */
            prefix?: "last_token" | "off" | null;
            /** @description distance: metres. */
            radius?: number | null;
            /**
             * @description text: as in a text clause.
             * @default unmatched
             * @enum {string|null}
             */
            relax?: "unmatched" | "words" | "off" | null;
            /**
             * @description text: as in a text clause.
             * @default 0
             */
            slop?: number | null;
            /** @description text: what to look for. */
            text?: string | null;
            /**
             * @default equals
             * @enum {string|null}
             */
            type?: "equals" | "in" | "any" | "prefix" | "under" | "range" | "ranges" | "text" | "distance" | null;
            /**
             * @description text: as in a text clause.
             * @default auto
             * @enum {string|null}
             */
            typos?: "auto" | "off" | null;
            /** @description equals, prefix. */
            value?: unknown;
            /** @description in: values; ranges: objects with from and to. */
            values?: unknown[] | null;
        };
        /** @description A matcher by its type; an object with only value is equals. */
        MatcherOutput: {
            /** @description range: above. */
            gt?: unknown;
            /** @description range: not below; for timestamps ISO 8601 with an offset. */
            gte?: unknown;
            /**
             * @description text: as in a text clause.
             * @default all
             * @enum {string}
             */
            join?: "all" | "any";
            /** @description distance. */
            lat?: number;
            /** @description distance. */
            lon?: number;
            /** @description range: below. */
            lt?: unknown;
            /** @description range: not above. */
            lte?: unknown;
            /**
             * @description text: as in a text clause.
             * @default all
             * @enum {string}
             */
            match?: "all" | "any" | "phrase" | "user";
            /** @description under: a level of a hierarchy. */
            path?: string;
            /**
             * @description text: as in a text clause.
             * @default last_token
             * @enum {string}
             */
            prefix?: "last_token" | "off";
            /** @description distance: metres. */
            radius?: number;
            /**
             * @description text: as in a text clause.
             * @default unmatched
             * @enum {string}
             */
            relax?: "unmatched" | "words" | "off";
            /**
             * @description text: as in a text clause.
             * @default 0
             */
            slop?: number;
            /** @description text: what to look for. */
            text?: string;
            /**
             * @default equals
             * @enum {string}
             */
            type?: "equals" | "in" | "any" | "prefix" | "under" | "range" | "ranges" | "text" | "distance";
            /**
             * @description text: as in a text clause.
             * @default auto
             * @enum {string}
             */
            typos?: "auto" | "off";
            /** @description equals, prefix. */
            value?: unknown;
            /** @description in: values; ranges: objects with from and to. */
            values?: unknown[];
        };
        PageLink: {
            current?: boolean;
            cursor: string;
            /** Format: int64 */
            number: number;
        };
        /** @description Numbered pages around the current one. */
        PageList: {
            /** Format: int64 */
            count: number;
            /** @description Absent when the last page is too deep. */
            end?: components["schemas"]["PageLink"][];
            middle: components["schemas"]["PageLink"][];
            next?: components["schemas"]["PageLink"];
            previous?: components["schemas"]["PageLink"];
            start: components["schemas"]["PageLink"][];
        };
        /**
         * @example {
         *       "search": {
         *         "query": [
         *           {
         *             "match": "user",
         *             "text": "coat",
         *             "type": "text"
         *           }
         *         ]
         *       },
         *       "settings": {
         *         "synonyms": {
         *           "clothes": {
         *             "rules": [
         *               {
         *                 "equivalent": [
         *                   "jacket",
         *                   "coat"
         *                 ]
         *               }
         *             ]
         *           }
         *         }
         *       }
         *     }
         */
        PreviewRequest: {
            search?: components["schemas"]["SearchRequest"] | null;
            /** @description Search with these instead of the stored ones; {}, or leaving them out, is none. */
            settings?: components["schemas"]["SearchSettings"] | null;
        };
        Ranking: {
            signals?: components["schemas"]["Signal"][] | null;
            tieBreakers?: {
                /**
                 * @default descending
                 * @enum {string|null}
                 */
                direction?: "ascending" | "descending" | null;
                field: string;
            }[] | null;
        };
        RankingOutput: {
            signals?: components["schemas"]["SignalOutput"][];
            tieBreakers?: {
                /**
                 * @default descending
                 * @enum {string}
                 */
                direction?: "ascending" | "descending";
                field: string;
            }[];
        };
        RegistryAudit: {
            indexes: {
                generations?: {
                    /** @description Objects that a damaged generation lacks in the bucket. */
                    lacking?: number;
                    name?: string;
                    registered?: boolean;
                    /** Format: date-time */
                    removedAt?: string;
                    /** @enum {string} */
                    stored?: "synced" | "damaged" | "incomplete" | "missing";
                }[];
                live?: string;
                name?: string;
                proposedLive?: string;
                registered?: boolean;
                /** Format: date-time */
                removedAt?: string;
            }[];
            /** @description Copies on the disk of the answering node that the registry ceased to list although nobody removed them. */
            keptCopies?: string[];
            /** @enum {string} */
            registry: "present" | "absent" | "corrupt";
            unusable: string[];
        };
        RegistryRepair: {
            addedGenerations: string[];
            createdIndexes: string[];
            /** @description Generations that stay listed although the bucket holds no commit of them. */
            kept?: string[];
            /** @description Generations that the bucket does not hold whole and no node could give back. */
            lost?: string[];
            promoted: string[];
            restored: string[];
            /** @description Generations that nodes stored again. */
            uploaded?: string[];
        };
        RegistryRepairRequest: {
            /** @default false */
            promoteNewest?: boolean | null;
            restore?: string[] | null;
            /**
             * @description Nodes store again what the bucket lost and they hold.
             * @default false
             */
            restoreFromNodes?: boolean | null;
        };
        ReindexJob: {
            /** Format: int64 */
            backlog: number;
            /** Format: int64 */
            documentsCopied: number;
            error: string | null;
            /** Format: date-time */
            finishedAt: string | null;
            freshness: string | null;
            id: string | null;
            index: string;
            node: string | null;
            /** @enum {string} */
            phase: "pending" | "copying" | "replaying" | "ready" | "promoting" | "done" | "failed" | "cancelled";
            /** @enum {string} */
            promote: "auto" | "manual";
            source: string;
            /** Format: int64 */
            sourceDocuments: number;
            /** Format: date-time */
            startedAt: string;
            startedBy: string | null;
            target: string;
            /** Format: date-time */
            updatedAt: string;
            /** @description What the judgement set says of the target. A job that does not keep its bounds stays ready. */
            verification?: {
                failures?: string[];
                held: boolean;
                judgements: string;
                liveNdcg?: number;
                ndcg?: number;
                p?: number;
                /** Format: date-time */
                verifiedAt: string;
                /** @description Queries that speak most against the target. */
                worst?: string[];
            };
            /** @description Judgement set the target is verified by. */
            verify?: string;
        };
        ReindexList: {
            next?: string;
            reindexes: components["schemas"]["ReindexJob"][];
        };
        ReindexRequest: {
            /** @description Source generation; the live one when left out. */
            from?: string | null;
            /**
             * @default auto
             * @enum {string|null}
             */
            promote?: "auto" | "manual" | null;
            /** @description Judgement set whose bounds the target has to keep before it is promoted. */
            verify?: string | null;
        };
        /** @description The words that were dropped because nothing matched all of them. */
        Relaxed: {
            dropped: {
                /** @enum {string} */
                reason: "unmatched" | "common";
                word: string;
            }[];
            /** @description The text that was searched for. */
            text: string;
        };
        ScoreStep: {
            children: components["schemas"]["ScoreStep"][];
            clause?: string;
            clauseType?: string;
            description: string;
            field?: string;
            locale?: string;
            matched: boolean;
            score: number;
            usage?: string;
        };
        /** @description The texts that are searched for most, in lower case, estimated within maxError. Nothing is known of who sent them. */
        SearchList: {
            /** @description New searches are counted. */
            counted: boolean;
            searches: {
                /** Format: int64 */
                count: number;
                /**
                 * Format: int64
                 * @description How much of the count may belong to other texts.
                 */
                maxError: number;
                meanMs: number;
                text: string;
                /**
                 * Format: int64
                 * @description Searches that found nothing.
                 */
                zeroResults: number;
            }[];
        };
        /**
         * @example {
         *       "facets": [
         *         {
         *           "field": "author"
         *         }
         *       ],
         *       "filters": [
         *         {
         *           "field": "price",
         *           "match": {
         *             "lte": 20,
         *             "type": "range"
         *           }
         *         }
         *       ],
         *       "limit": 10,
         *       "query": [
         *         {
         *           "match": "user",
         *           "text": "dispossesed",
         *           "type": "text"
         *         }
         *       ],
         *       "sort": [
         *         {
         *           "field": "published",
         *           "order": "desc"
         *         }
         *       ]
         *     }
         */
        SearchRequest: {
            /** @description The page after a cursor. */
            after?: string | null;
            /** @description The page before a cursor. */
            before?: string | null;
            /** @description Values to count. */
            facets?: components["schemas"]["FacetRequest"][] | null;
            /** @description The fields of documents to answer; all when left out. */
            fields?: string[] | null;
            /** @description What hits must match without being ranked by it; field and nested clauses. */
            filters?: components["schemas"]["Clause"][] | null;
            freshness?: components["schemas"]["FreshnessRequest"] | null;
            /** @description Fields to show matches in. */
            highlight?: {
                /** @description By field; null takes the defaults. */
                fields?: {
                    [key: string]: {
                        /** @default 3 */
                        fragments?: number | null;
                        /** @default 150 */
                        length?: number | null;
                        /**
                         * @description Stands after a match.
                         * @default </em>
                         */
                        post?: string | null;
                        /**
                         * @description Stands before a match.
                         * @default <em>
                         */
                        pre?: string | null;
                    } | null;
                } | null;
            } | null;
            /** @description Makes the matching values of a list of objects the hits. */
            hits?: {
                fields?: string[] | null;
                path: string;
                when?: components["schemas"]["Clause"][] | null;
            } | null;
            /** @default 10 */
            limit?: number | null;
            /** @description The language of the text and of the answer. */
            locale?: string | null;
            /** @description Lists of objects of which the values that matched are answered. */
            matched?: {
                /** @description By list; null takes the defaults. */
                fields?: {
                    [key: string]: {
                        fields?: string[] | null;
                        /** @default 3 */
                        limit?: number | null;
                    } | null;
                } | null;
            } | null;
            /** @default 0 */
            offset?: number | null;
            /** @description Asks for cursors of pages around this one. */
            pages?: {
                /** @default 9 */
                max?: number | null;
            } | null;
            /** @description What hits must match and are ranked by; every document when empty. */
            query?: components["schemas"]["Clause"][] | null;
            /** @description Ranks the best hits once more. */
            rescore?: {
                boost?: components["schemas"]["Clause"][] | null;
                signals?: components["schemas"]["Signal"][] | null;
                /** @default 1 */
                weight?: number | null;
                window: number;
            } | null;
            /** @description Ranks by values of fields, beside those of the index. */
            signals?: components["schemas"]["Signal"][] | null;
            /**
             * @default add
             * @enum {string|null}
             */
            signalsMode?: "add" | "replace" | null;
            /** @description By relevance when left out. */
            sort?: {
                /** @description Fields used where a document has no value. */
                fallback?: components["schemas"]["InterpretTarget"][] | null;
                field?: string | null;
                lat?: number | null;
                lon?: number | null;
                /** @enum {string|null} */
                order?: "asc" | "desc" | null;
                /**
                 * @default field
                 * @enum {string|null}
                 */
                type?: "field" | "score" | "distance" | null;
                /** @description Documents whose value of the field counts; all when left out. */
                when?: components["schemas"]["Clause"][] | null;
            }[] | null;
            /**
             * @description Whether all hits are counted.
             * @default estimate
             * @enum {string|null}
             */
            total?: "estimate" | "exact" | null;
        };
        /**
         * @example {
         *       "facets": [
         *         {
         *           "field": "author"
         *         }
         *       ],
         *       "filters": [
         *         {
         *           "field": "price",
         *           "match": {
         *             "lte": 20,
         *             "type": "range"
         *           }
         *         }
         *       ],
         *       "limit": 10,
         *       "query": [
         *         {
         *           "match": "user",
         *           "text": "dispossesed",
         *           "type": "text"
         *         }
         *       ],
         *       "sort": [
         *         {
         *           "field": "published",
         *           "order": "desc"
         *         }
         *       ]
         *     }
         */
        SearchRequestOutput: {
            /** @description The page after a cursor. */
            after?: string;
            /** @description The page before a cursor. */
            before?: string;
            /** @description Values to count. */
            facets?: components["schemas"]["FacetRequestOutput"][];
            /** @description The fields of documents to answer; all when left out. */
            fields?: string[];
            /** @description What hits must match without being ranked by it; field and nested clauses. */
            filters?: components["schemas"]["ClauseOutput"][];
            freshness?: components["schemas"]["FreshnessRequestOutput"];
            /** @description Fields to show matches in. */
            highlight?: {
                /** @description By field; null takes the defaults. */
                fields?: {
                    [key: string]: {
                        /** @default 3 */
                        fragments?: number;
                        /** @default 150 */
                        length?: number;
                        /**
                         * @description Stands after a match.
                         * @default </em>
                         */
                        post?: string;
                        /**
                         * @description Stands before a match.
                         * @default <em>
                         */
                        pre?: string;
                    } | null;
                };
            };
            /** @description Makes the matching values of a list of objects the hits. */
            hits?: {
                fields?: string[];
                path: string;
                when?: components["schemas"]["ClauseOutput"][];
            };
            /** @default 10 */
            limit?: number;
            /** @description The language of the text and of the answer. */
            locale?: string;
            /** @description Lists of objects of which the values that matched are answered. */
            matched?: {
                /** @description By list; null takes the defaults. */
                fields?: {
                    [key: string]: {
                        fields?: string[];
                        /** @default 3 */
                        limit?: number;
                    } | null;
                };
            };
            /** @default 0 */
            offset?: number;
            /** @description Asks for cursors of pages around this one. */
            pages?: {
                /** @default 9 */
                max?: number;
            };
            /** @description What hits must match and are ranked by; every document when empty. */
            query?: components["schemas"]["ClauseOutput"][];
            /** @description Ranks the best hits once more. */
            rescore?: {
                boost?: components["schemas"]["ClauseOutput"][];
                signals?: components["schemas"]["SignalOutput"][];
                /** @default 1 */
                weight?: number;
                window: number;
            };
            /** @description Ranks by values of fields, beside those of the index. */
            signals?: components["schemas"]["SignalOutput"][];
            /**
             * @default add
             * @enum {string}
             */
            signalsMode?: "add" | "replace";
            /** @description By relevance when left out. */
            sort?: {
                /** @description Fields used where a document has no value. */
                fallback?: components["schemas"]["InterpretTargetOutput"][];
                field?: string;
                lat?: number;
                lon?: number;
                /** @enum {string} */
                order?: "asc" | "desc";
                /**
                 * @default field
                 * @enum {string}
                 */
                type?: "field" | "score" | "distance";
                /** @description Documents whose value of the field counts; all when left out. */
                when?: components["schemas"]["ClauseOutput"][];
            }[];
            /**
             * @description Whether all hits are counted.
             * @default estimate
             * @enum {string}
             */
            total?: "estimate" | "exact";
        };
        SearchResult: {
            documents?: components["schemas"]["Total"];
            facets?: {
                [key: string]: components["schemas"]["FacetResult"];
            };
            freshness: string;
            generation: string;
            hits: components["schemas"]["Hit"][];
            interpreted?: components["schemas"]["Interpreted"];
            page: {
                limit: number;
                next?: string;
                offset?: number;
                pages?: components["schemas"]["PageList"];
                previous?: string;
            };
            relaxed?: components["schemas"]["Relaxed"];
            tookMs: number;
            total: components["schemas"]["Total"];
        };
        /**
         * @description What can be set for searches of an index without changing its definition.
         * @example {
         *       "fields": {
         *         "author": {
         *           "interpret": {},
         *           "suggest": {}
         *         }
         *       },
         *       "synonyms": {
         *         "genres": {
         *           "rules": [
         *             {
         *               "equivalent": [
         *                 "novel",
         *                 "book"
         *               ]
         *             }
         *           ]
         *         }
         *       }
         *     }
         */
        SearchSettings: {
            /**
             * @description Count the texts that are searched for, on nodes that allow it.
             * @default false
             */
            countSearches?: boolean | null;
            /** @description What is read out of typed text, suggested and labelled, by field. */
            fields?: {
                [key: string]: {
                    interpret?: Record<string, never> | null;
                    suggest?: Record<string, never> | null;
                    values?: {
                        labels?: {
                            [key: string]: string;
                        } | null;
                        /** Format: int32 */
                        order?: number | null;
                        value: string;
                    }[] | null;
                };
            } | null;
            readonly freshness?: string;
            /** @description Replaces the ranking of the definition. */
            ranking?: components["schemas"]["Ranking"] | null;
            /** @description Words that are searched for one another, by the name of the set. */
            synonyms?: {
                [key: string]: {
                    /** @default 0.8 */
                    boost?: number | null;
                    fields?: string[] | null;
                    rules?: components["schemas"]["SynonymRule"][] | null;
                };
            } | null;
            /** @description Words that are only found as typed. */
            typoExclusions?: {
                [key: string]: {
                    fields?: string[] | null;
                    words?: string[] | null;
                };
            } | null;
            readonly unsupportedFeatures?: string[];
            readonly version?: string;
        };
        /**
         * @description What can be set for searches of an index without changing its definition.
         * @example {
         *       "fields": {
         *         "author": {
         *           "interpret": {},
         *           "suggest": {}
         *         }
         *       },
         *       "synonyms": {
         *         "genres": {
         *           "rules": [
         *             {
         *               "equivalent": [
         *                 "novel",
         *                 "book"
         *               ]
         *             }
         *           ]
         *         }
         *       }
         *     }
         */
        SearchSettingsOutput: {
            /**
             * @description Count the texts that are searched for, on nodes that allow it.
             * @default false
             */
            countSearches?: boolean;
            /** @description What is read out of typed text, suggested and labelled, by field. */
            fields?: {
                [key: string]: {
                    interpret?: Record<string, never>;
                    suggest?: Record<string, never>;
                    values?: {
                        labels?: {
                            [key: string]: string;
                        };
                        /** Format: int32 */
                        order?: number;
                        value: string;
                    }[];
                };
            };
            readonly freshness?: string;
            /** @description Replaces the ranking of the definition. */
            ranking?: components["schemas"]["RankingOutput"];
            /** @description Words that are searched for one another, by the name of the set. */
            synonyms?: {
                [key: string]: {
                    /** @default 0.8 */
                    boost?: number;
                    fields?: string[];
                    rules?: components["schemas"]["SynonymRuleOutput"][];
                };
            };
            /** @description Words that are only found as typed. */
            typoExclusions?: {
                [key: string]: {
                    fields?: string[];
                    words?: string[];
                };
            };
            readonly unsupportedFeatures?: string[];
            readonly version?: string;
        };
        /** @description A field and exactly one shape. */
        Signal: {
            decay?: {
                halfLife: number;
            } | null;
            field: string;
            linear?: {
                ceiling: number;
            } | null;
            saturation?: {
                pivot: number;
            } | null;
            /** @default 1 */
            weight?: number | null;
        };
        /** @description A field and exactly one shape. */
        SignalOutput: {
            decay?: {
                halfLife: number;
            };
            field: string;
            linear?: {
                ceiling: number;
            };
            saturation?: {
                pivot: number;
            };
            /** @default 1 */
            weight?: number;
        };
        /**
         * @example {
         *       "limit": 5,
         *       "text": "urs"
         *     }
         */
        SuggestRequest: {
            filters?: components["schemas"]["Clause"][] | null;
            freshness?: components["schemas"]["FreshnessRequest"] | null;
            /** @default 5 */
            limit?: number | null;
            locale?: string | null;
            /** @description What was typed so far. */
            text?: string | null;
            /**
             * @default auto
             * @enum {string|null}
             */
            typos?: "auto" | "off" | null;
        };
        SuggestResult: {
            freshness: string;
            generation: string;
            suggestions: {
                corrected?: boolean;
                /** Format: int64 */
                count: number;
                field: string;
                label?: string;
                text: string;
                /** Format: int32 */
                typed: number;
                value: string;
            }[];
            tookMs: number;
        };
        /** @description Exactly one of equivalent and mapping. */
        SynonymRule: {
            equivalent?: string[] | null;
            mapping?: {
                from: string[];
                to: string[];
            } | null;
        };
        /** @description Exactly one of equivalent and mapping. */
        SynonymRuleOutput: {
            equivalent?: string[];
            mapping?: {
                from: string[];
                to: string[];
            };
        };
        /** @description How a string is searched as text. */
        TextUsage: {
            /** @description How text becomes terms; by the language of the field when left out. */
            analyzer?: components["schemas"]["Analyzer"] | null;
            /** @description none turns off the parts of compounds. */
            decompound?: string | null;
            /** @description Ranks words as they were typed above their other forms. */
            exact?: {
                /** @default 2 */
                boost?: number | null;
            } | null;
            /** @description Matches can be shown in the text. */
            highlight?: Record<string, never> | null;
            /**
             * @description How much a match in a short text counts more.
             * @default moderate
             * @enum {string|null}
             */
            lengthNormalization?: "none" | "moderate" | "strong" | null;
            /** @description Words are also found with typing mistakes. */
            typoTolerance?: {
                /** @default 5 */
                minLengthOneTypo?: number | null;
                /** @default 9 */
                minLengthTwoTypos?: number | null;
                numbers?: Record<string, never> | null;
                /** @default 1 */
                prefixLength?: number | null;
            } | null;
            /**
             * @description How much a match in this field counts.
             * @default 1
             */
            weight?: number | null;
        };
        /** @description How a string is searched as text. */
        TextUsageOutput: {
            /** @description How text becomes terms; by the language of the field when left out. */
            analyzer?: components["schemas"]["AnalyzerOutput"];
            /** @description none turns off the parts of compounds. */
            decompound?: string;
            /** @description Ranks words as they were typed above their other forms. */
            exact?: {
                /** @default 2 */
                boost?: number;
            };
            /** @description Matches can be shown in the text. */
            highlight?: Record<string, never>;
            /**
             * @description How much a match in a short text counts more.
             * @default moderate
             * @enum {string}
             */
            lengthNormalization?: "none" | "moderate" | "strong";
            /** @description Words are also found with typing mistakes. */
            typoTolerance?: {
                /** @default 5 */
                minLengthOneTypo?: number;
                /** @default 9 */
                minLengthTwoTypos?: number;
                numbers?: Record<string, never>;
                /** @default 1 */
                prefixLength?: number;
            };
            /**
             * @description How much a match in this field counts.
             * @default 1
             */
            weight?: number;
        };
        /** @description Changes words one after the other. Exactly one of them. */
        TokenFilter: {
            asciiFolding?: {
                /** @default false */
                preserveOriginal?: boolean | null;
            } | null;
            decompound?: {
                locale?: string | null;
            } | null;
            /** @description Beginnings of words. */
            edgeNgram?: {
                /** @default 20 */
                maxGram?: number | null;
                /** @default 1 */
                minGram?: number | null;
            } | null;
            /** @description Pieces of words. */
            ngram?: {
                maxGram?: number | null;
                minGram?: number | null;
            } | null;
            normalize?: {
                /** @default true */
                caseFolding?: boolean | null;
            } | null;
            stemming?: {
                locale?: string | null;
            } | null;
            /** @description Drops words: those of a language, a list, or a named list; those of the field's language when empty. */
            stopwords?: {
                locale?: string | null;
                named?: string | null;
                words?: string[] | null;
            } | null;
            synonyms?: {
                named: string;
            } | null;
        };
        /** @description Changes words one after the other. Exactly one of them. */
        TokenFilterOutput: {
            asciiFolding?: {
                /** @default false */
                preserveOriginal?: boolean;
            };
            decompound?: {
                locale?: string;
            };
            /** @description Beginnings of words. */
            edgeNgram?: {
                /** @default 20 */
                maxGram?: number;
                /** @default 1 */
                minGram?: number;
            };
            /** @description Pieces of words. */
            ngram?: {
                maxGram?: number;
                minGram?: number;
            };
            normalize?: {
                /** @default true */
                caseFolding?: boolean;
            };
            stemming?: {
                locale?: string;
            };
            /** @description Drops words: those of a language, a list, or a named list; those of the field's language when empty. */
            stopwords?: {
                locale?: string;
                named?: string;
                words?: string[];
            };
            synonyms?: {
                named: string;
            };
        };
        /** @description Cuts text into words. Exactly one of them. */
        Tokenizer: {
            /** @description At the word boundaries of Unicode. */
            icu?: Record<string, never> | null;
            /** @description Nowhere: the whole text is one word. */
            keyword?: Record<string, never> | null;
            /** @description At everything but letters. */
            letter?: Record<string, never> | null;
            /** @description At white space. */
            whitespace?: Record<string, never> | null;
        };
        /** @description Cuts text into words. Exactly one of them. */
        TokenizerOutput: {
            /** @description At the word boundaries of Unicode. */
            icu?: Record<string, never>;
            /** @description Nowhere: the whole text is one word. */
            keyword?: Record<string, never>;
            /** @description At everything but letters. */
            letter?: Record<string, never>;
            /** @description At white space. */
            whitespace?: Record<string, never>;
        };
        Total: {
            /** Format: int64 */
            count: number;
            /** @description false means that the count is a lower bound. */
            exact: boolean;
        };
        UpdateResult: {
            failed: components["schemas"]["FailedEntry"][];
            freshness: string;
            missing: string[];
            /** Format: int32 */
            updated: number;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
