//! The tantivy side of the benchmark: one command per line on standard input,
//! one JSON response per line on standard output. bench/README.md describes the
//! protocol.

use serde_json::{json, Value};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::ops::Bound;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tantivy::aggregation::agg_req::Aggregations;
use tantivy::aggregation::{AggContextParams, AggregationCollector};
use tantivy::collector::{Count, TopDocs};
use tantivy::query::{AllQuery, BooleanQuery, FuzzyTermQuery, Occur, PhraseQuery, Query, RangeQuery, RegexQuery, TermQuery};
use tantivy::schema::{document::Value as DocumentValue, *};
use tantivy::tokenizer::{LowerCaser, SimpleTokenizer, TextAnalyzer};
use tantivy::{doc, Index, IndexReader, IndexWriter, Order, ReloadPolicy, Searcher, Term};

type Failure = Box<dyn std::error::Error + Send + Sync>;

struct Fields {
    id: Field,
    text: Field,
    repo: Field,
    component: Field,
    year: Field,
    ts: Field,
}

fn schema() -> (Schema, Fields) {
    let mut b = Schema::builder();
    let words = TextFieldIndexing::default()
        .set_tokenizer("words")
        .set_index_option(IndexRecordOption::WithFreqsAndPositions);
    let fields = Fields {
        id: b.add_text_field("id", STRING | STORED),
        text: b.add_text_field("text", TextOptions::default().set_indexing_options(words)),
        repo: b.add_text_field("repo", STRING | FAST),
        component: b.add_text_field("component", STRING | FAST),
        year: b.add_i64_field("year", INDEXED | FAST),
        ts: b.add_i64_field("ts", INDEXED | FAST),
    };
    (b.build(), fields)
}

fn with_words(index: &Index) {
    index
        .tokenizers()
        .register("words", TextAnalyzer::builder(SimpleTokenizer::default()).filter(LowerCaser).build());
}

fn document(f: &Fields, line: &str) -> Result<TantivyDocument, Failure> {
    let v: Value = serde_json::from_str(line)?;
    let word = |name: &str| v[name].as_str().unwrap_or("").to_string();
    let mut d = doc!(
        f.id => word("id"),
        f.text => format!("{}\n{}", word("title"), word("body")),
    );
    for (name, field) in [("repo", f.repo), ("component", f.component)] {
        let value = word(name);
        if !value.is_empty() {
            d.add_text(field, value);
        }
    }
    if let Some(n) = v["year"].as_i64() {
        d.add_i64(f.year, n);
    }
    if let Some(n) = v["ts"].as_i64() {
        d.add_i64(f.ts, n);
    }
    Ok(d)
}

/// The age of the last commit after which the next one is made.
const COMMIT_INTERVAL: Duration = Duration::from_secs(5);

/// A steady stream of updates while queries run.
struct Trickle {
    stop: Arc<AtomicBool>,
    changed: Arc<AtomicBool>,
    began: Instant,
    writing: JoinHandle<Result<u64, Failure>>,
}

struct Driver {
    open: Option<(Index, IndexReader, Fields)>,
    trickle: Option<Trickle>,
}

impl Driver {
    fn run(&mut self, c: &Value) -> Result<Value, Failure> {
        match c["do"].as_str().unwrap_or("") {
            "hello" => Ok(json!({"engine": "tantivy", "version": tantivy::version_string(), "runtime": "Rust, release build"})),
            "index" => self.index(c),
            "open" => self.open(c),
            "query" => self.query(c),
            "throughput" => self.throughput(c),
            "update" => self.update(c),
            "trickle" => self.start_trickle(c),
            "still" => self.still(),
            other => Err(format!("unknown command {other}").into()),
        }
    }

    fn index(&mut self, c: &Value) -> Result<Value, Failure> {
        let began = Instant::now();
        let cpu = cpu_seconds();
        let dir = c["dir"].as_str().ok_or("dir")?;
        std::fs::create_dir_all(dir)?;
        let (schema, f) = schema();
        let index = Index::create_in_dir(dir, schema)?;
        with_words(&index);
        let threads = c["threads"].as_u64().unwrap_or(2) as usize;
        let mut writer: IndexWriter = index.writer_with_num_threads(threads, 512 << 20)?;
        let commits = c["commits"].as_bool().unwrap_or(false);
        let written = written_bytes();
        let mut docs = 0u64;
        let mut committed = Instant::now();
        for line in BufReader::with_capacity(1 << 20, std::fs::File::open(c["corpus"].as_str().ok_or("corpus")?)?).lines() {
            writer.add_document(document(&f, &line?)?)?;
            docs += 1;
            if commits && (docs % 10_000 == 0 || committed.elapsed() > COMMIT_INTERVAL) {
                writer.commit()?;
                committed = Instant::now();
            }
        }
        writer.commit()?;
        let seconds = began.elapsed().as_secs_f64();
        let mut merged = 0.0;
        if c["merge"].as_bool().unwrap_or(false) {
            let before = Instant::now();
            let ids = index.searchable_segment_ids()?;
            if ids.len() > 1 {
                writer.merge(&ids).wait()?;
                writer.commit()?;
            }
            writer.garbage_collect_files().wait()?;
            merged = before.elapsed().as_secs_f64();
        }
        let before = Instant::now();
        writer.wait_merging_threads()?;
        let rested = before.elapsed().as_secs_f64();
        let mut bytes = 0;
        for entry in std::fs::read_dir(dir)? {
            bytes += entry?.metadata()?.len();
        }
        Ok(json!({"docs": docs, "seconds": seconds, "merge_seconds": merged, "rest_seconds": rested, "written": written_bytes() - written, "cpu_seconds": cpu_seconds() - cpu, "bytes": bytes, "peak_rss": status("VmHWM:")}))
    }

    fn open(&mut self, c: &Value) -> Result<Value, Failure> {
        let began = Instant::now();
        let index = Index::open_in_dir(c["dir"].as_str().ok_or("dir")?)?;
        with_words(&index);
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        let searcher: Searcher = IndexReader::searcher(&reader);
        let (docs, segments) = (searcher.num_docs(), searcher.segment_readers().len());
        let (_, fields) = schema();
        self.open = Some((index, reader, fields));
        Ok(json!({"docs": docs, "segments": segments, "seconds": began.elapsed().as_secs_f64(), "rss": status("VmRSS:")}))
    }

    /// Rewrites per_second documents a second while queries run, and commits
    /// every 5 seconds, until the command still ends it.
    fn start_trickle(&mut self, c: &Value) -> Result<Value, Failure> {
        self.open(c)?;
        let (index, _, _) = self.open.as_ref().ok_or("no open index")?;
        let mut writer: IndexWriter = index.writer_with_num_threads(1, 64 << 20)?;
        let documents: Vec<Value> = c["documents"].as_array().ok_or("documents")?.clone();
        let pause = Duration::from_secs_f64(1.0 / c["per_second"].as_f64().ok_or("per_second")?);
        let (stop, changed) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let (stopped, shown, began) = (stop.clone(), changed.clone(), Instant::now());
        let writing = std::thread::spawn(move || -> Result<u64, Failure> {
            let (_, f) = schema();
            let (mut written, mut committed) = (0u64, Instant::now());
            while !stopped.load(Ordering::Relaxed) {
                std::thread::sleep((pause * written as u32).saturating_sub(began.elapsed()));
                let d = &documents[written as usize % documents.len()];
                writer.delete_term(Term::from_field_text(f.id, d["id"].as_str().unwrap_or("")));
                writer.add_document(document(&f, &d.to_string())?)?;
                written += 1;
                if committed.elapsed() > COMMIT_INTERVAL {
                    writer.commit()?;
                    shown.store(true, Ordering::Relaxed);
                    committed = Instant::now();
                }
            }
            Ok(written)
        });
        self.trickle = Some(Trickle { stop, changed, began, writing });
        Ok(json!({}))
    }

    /// Makes commits since the last query visible; this is not timed.
    fn refresh(&self) -> Result<(), Failure> {
        if let (Some(t), Some((_, reader, _))) = (&self.trickle, &self.open) {
            if t.changed.swap(false, Ordering::Relaxed) {
                reader.reload()?;
            }
        }
        Ok(())
    }

    fn still(&mut self) -> Result<Value, Failure> {
        let t = self.trickle.take().ok_or("no trickle")?;
        t.stop.store(true, Ordering::Relaxed);
        let written = t.writing.join().map_err(|_| "the trickle panicked")??;
        let (_, reader, _) = self.open.as_ref().ok_or("no open index")?;
        let segments = reader.searcher().segment_readers().len();
        Ok(json!({"documents": written, "seconds": t.began.elapsed().as_secs_f64(), "segments": segments}))
    }

    fn query(&self, c: &Value) -> Result<Value, Failure> {
        self.refresh()?;
        let (_, reader, f) = self.open.as_ref().ok_or("no open index")?;
        let searcher = reader.searcher();
        let q = &c["query"];
        let (mut best, mut bare) = (f64::MAX, f64::MAX);
        let mut found = Found::default();
        let mut top = Vec::new();
        for _ in 0..c["repeat"].as_u64().unwrap_or(1) {
            let began = Instant::now();
            found = search(&searcher, f, q)?;
            bare = bare.min(began.elapsed().as_secs_f64() * 1e6);
            top = keys(&searcher, f, &found)?;
            best = best.min(began.elapsed().as_secs_f64() * 1e6);
        }
        let mut answer = json!({"count": found.count, "exact": found.exact, "us": best, "bare_us": bare, "top": top});
        if let Some(facets) = found.facets {
            answer["facets"] = facets;
        }
        Ok(answer)
    }

    fn throughput(&self, c: &Value) -> Result<Value, Failure> {
        self.refresh()?;
        let (_, reader, f) = self.open.as_ref().ok_or("no open index")?;
        let queries = c["queries"].as_array().ok_or("queries")?;
        let total = queries.len() * c["rounds"].as_u64().unwrap_or(1) as usize;
        let next = AtomicUsize::new(0);
        let cpu = cpu_seconds();
        let began = Instant::now();
        std::thread::scope(|scope| {
            for _ in 0..c["threads"].as_u64().unwrap_or(1) {
                scope.spawn(|| {
                    let searcher = reader.searcher();
                    loop {
                        let n = next.fetch_add(1, Ordering::Relaxed);
                        if n >= total {
                            return;
                        }
                        let found = search(&searcher, f, &queries[n % queries.len()]).expect("search");
                        keys(&searcher, f, &found).expect("keys");
                    }
                });
            }
        });
        Ok(json!({"queries": total, "seconds": began.elapsed().as_secs_f64(), "cpu_seconds": cpu_seconds() - cpu}))
    }

    fn update(&mut self, c: &Value) -> Result<Value, Failure> {
        let index = Index::open_in_dir(c["dir"].as_str().ok_or("dir")?)?;
        with_words(&index);
        let (_, f) = schema();
        let mut writer: IndexWriter = index.writer_with_num_threads(1, 64 << 20)?;
        let reader: IndexReader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        let began = Instant::now();
        for d in c["documents"].as_array().ok_or("documents")? {
            writer.delete_term(Term::from_field_text(f.id, d["id"].as_str().unwrap_or("")));
            writer.add_document(document(&f, &d.to_string())?)?;
        }
        writer.commit()?;
        reader.reload()?;
        let seconds = began.elapsed().as_secs_f64();
        Ok(json!({"seconds": seconds}))
    }
}

#[derive(Default)]
struct Found {
    count: usize,
    exact: bool,
    top: Vec<tantivy::DocAddress>,
    facets: Option<Value>,
}

/// Loads the stored keys of the hits, as a search result shows them.
fn keys(searcher: &tantivy::Searcher, f: &Fields, found: &Found) -> Result<Vec<String>, Failure> {
    let mut top = Vec::with_capacity(found.top.len());
    for address in &found.top {
        let d: TantivyDocument = searcher.doc(*address)?;
        top.push(d.get_first(f.id).and_then(|v| v.as_str().map(str::to_string)).unwrap_or_default());
    }
    Ok(top)
}

fn parse(f: &Fields, q: &Value) -> Result<Box<dyn Query>, Failure> {
    let terms: Vec<Term> = q["terms"]
        .as_array()
        .map(|a| a.iter().filter_map(|t| t.as_str()).map(|t| Term::from_field_text(f.text, t)).collect())
        .unwrap_or_default();
    let one = |t: &Term| -> Box<dyn Query> { Box::new(TermQuery::new(t.clone(), IndexRecordOption::WithFreqs)) };
    let many = |o: Occur| -> Box<dyn Query> { Box::new(BooleanQuery::new(terms.iter().map(|t| (o, one(t))).collect())) };
    let query: Box<dyn Query> = match q["op"].as_str().unwrap_or("") {
        "all" => Box::new(AllQuery),
        "term" | "and" if terms.len() == 1 => one(&terms[0]),
        "and" | "term" => many(Occur::Must),
        "or" => many(Occur::Should),
        "phrase" => Box::new(PhraseQuery::new(terms.clone())),
        "prefix" => Box::new(RegexQuery::from_pattern(&format!("{}.*", q["terms"][0].as_str().unwrap_or("")), f.text)?),
        "fuzzy" => Box::new(FuzzyTermQuery::new(terms[0].clone(), 1, true)),
        other => return Err(format!("op {other}").into()),
    };
    let filter = &q["filter"];
    if filter.is_null() {
        return Ok(query);
    }
    let mut parts = vec![(Occur::Must, query)];
    if let Some(repo) = filter["repo"].as_str() {
        let t = TermQuery::new(Term::from_field_text(f.repo, repo), IndexRecordOption::Basic);
        parts.push((Occur::Must, Box::new(tantivy::query::ConstScoreQuery::new(Box::new(t), 0.0)) as Box<dyn Query>));
    }
    if let (Some(low), Some(high)) = (filter["year_gte"].as_i64(), filter["year_lte"].as_i64()) {
        let r = RangeQuery::new(Bound::Included(Term::from_field_i64(f.year, low)), Bound::Included(Term::from_field_i64(f.year, high)));
        parts.push((Occur::Must, Box::new(tantivy::query::ConstScoreQuery::new(Box::new(r), 0.0)) as Box<dyn Query>));
    }
    Ok(Box::new(BooleanQuery::new(parts)))
}

fn search(searcher: &Searcher, f: &Fields, q: &Value) -> Result<Found, Failure> {
    let query = parse(f, q)?;
    let k = q["k"].as_u64().unwrap_or(10) as usize;
    if q["mode"] == "count" {
        return Ok(Found { count: query.count(searcher)?, exact: true, ..Default::default() });
    }
    let facets = q["facets"].as_array().filter(|a| !a.is_empty());
    if let Some(names) = facets {
        let request: HashMap<String, Value> = names
            .iter()
            .filter_map(|n| n.as_str())
            .map(|n| (n.to_string(), json!({"terms": {"field": n, "size": 10}})))
            .collect();
        let aggregations: Aggregations = serde_json::from_value(json!(request))?;
        let collector = AggregationCollector::from_aggs(aggregations, AggContextParams::default());
        let (top, count, counted) = searcher.search(&query, &(TopDocs::with_limit(k).order_by_score(), Count, collector))?;
        let result = serde_json::to_value(counted)?;
        let lists: Vec<Value> = names
            .iter()
            .filter_map(|n| n.as_str())
            .map(|n| {
                let buckets = result[n]["buckets"].as_array().cloned().unwrap_or_default();
                Value::Array(buckets.iter().map(|b| json!([b["key"], b["doc_count"]])).collect())
            })
            .collect();
        return Ok(Found { count, exact: true, top: top.into_iter().map(|(_, a)| a).collect(), facets: Some(Value::Array(lists)) });
    }
    if let Some(sort) = q["sort"].as_str() {
        let top: Vec<tantivy::DocAddress> = if sort.ends_with("ts") {
            let order = if sort.starts_with('-') { Order::Desc } else { Order::Asc };
            searcher
                .search(&query, &TopDocs::with_limit(k).order_by_fast_field::<i64>("ts", order))?
                .into_iter()
                .map(|(_, a)| a)
                .collect()
        } else {
            searcher
                .search(&query, &TopDocs::with_limit(k).order_by_string_fast_field(sort, Order::Asc))?
                .into_iter()
                .map(|(_, a)| a)
                .collect()
        };
        let exact = q["exact"].as_bool().unwrap_or(false);
        let count = if exact { searcher.search(&query, &Count)? } else { top.len() };
        return Ok(Found { count, exact, top, facets: None });
    }
    if q["exact"].as_bool().unwrap_or(false) {
        let (top, count) = searcher.search(&query, &(TopDocs::with_limit(k).order_by_score(), Count))?;
        return Ok(Found { count, exact: true, top: top.into_iter().map(|(_, a)| a).collect(), facets: None });
    }
    let top = searcher.search(&query, &TopDocs::with_limit(k).order_by_score())?;
    Ok(Found { count: top.len(), exact: false, top: top.into_iter().map(|(_, a)| a).collect(), facets: None })
}

fn status(field: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    text.lines()
        .find(|l| l.starts_with(field))
        .and_then(|l| l.split_whitespace().nth(1))
        .and_then(|n| n.parse::<u64>().ok())
        .unwrap_or(0)
        * 1024
}

/// Returns the number of bytes that this process has written to files so far.
fn written_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/self/io").unwrap_or_default();
    text.lines().find_map(|l| l.strip_prefix("wchar: ")?.parse().ok()).unwrap_or(0)
}

fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = text.rsplit(')').next().unwrap_or("");
    let parts: Vec<&str> = after.split_whitespace().collect();
    let ticks = |i: usize| parts.get(i).and_then(|p| p.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

fn main() {
    let mut driver = Driver { open: None, trickle: None };
    let out = std::io::stdout();
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        let answer = match serde_json::from_str::<Value>(&line) {
            Ok(c) => driver.run(&c).unwrap_or_else(|e| json!({"error": e.to_string()})),
            Err(e) => json!({"error": e.to_string()}),
        };
        let mut out = out.lock();
        let _ = writeln!(out, "{answer}");
        let _ = out.flush();
    }
}
