package bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.LowerCaseFilter;
import org.apache.lucene.analysis.Tokenizer;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.analysis.util.CharTokenizer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.IntField;
import org.apache.lucene.document.LongField;
import org.apache.lucene.document.SortedDocValuesField;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.facet.FacetResult;
import org.apache.lucene.facet.FacetsCollector;
import org.apache.lucene.facet.FacetsCollectorManager;
import org.apache.lucene.facet.LongValueFacetCounts;
import org.apache.lucene.facet.StringDocValuesReaderState;
import org.apache.lucene.facet.StringValueFacetCounts;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.StoredFields;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.FuzzyQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.MatchAllDocsQuery;
import org.apache.lucene.search.PhraseQuery;
import org.apache.lucene.search.PrefixQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortField;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TopFieldCollectorManager;
import org.apache.lucene.search.TopScoreDocCollectorManager;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.store.MMapDirectory;
import org.apache.lucene.util.BytesRef;

/**
 * The Lucene side of the benchmark: one command per line on standard input, one JSON response per
 * line on standard output. bench/README.md describes the protocol.
 */
public final class Driver {
  private static final ObjectMapper JSON = new ObjectMapper();
  private final PrintStream out;
  private DirectoryReader reader;
  private IndexSearcher searcher;
  private Analyzer analyzer = new Words();

  private Driver(PrintStream out) {
    this.out = out;
  }

  /** Maximal runs of letters and digits, lower-cased: the reference analysis of the corpus. */
  private static final class Words extends Analyzer {
    @Override
    protected TokenStreamComponents createComponents(String field) {
      Tokenizer source = CharTokenizer.fromTokenCharPredicate(Character::isLetterOrDigit);
      return new TokenStreamComponents(source, new LowerCaseFilter(source));
    }
  }

  public static void main(String[] args) throws Exception {
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    Driver driver = new Driver(out);
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line; (line = in.readLine()) != null; ) {
      JsonNode command = JSON.readTree(line);
      ObjectNode answer;
      try {
        answer = driver.run(command);
      } catch (Exception e) {
        answer = JSON.createObjectNode().put("error", e.toString());
      }
      out.println(JSON.writeValueAsString(answer));
      out.flush();
    }
  }

  private ObjectNode run(JsonNode command) throws Exception {
    if (command.has("analysis")) {
      analyzer = analyzerOf(command.get("analysis").asText());
    }
    return switch (command.get("do").asText()) {
      case "hello" -> hello();
      case "index" -> index(command);
      case "open" -> open(command);
      case "query" -> query(command);
      case "throughput" -> throughput(command);
      case "update" -> update(command);
      case "mixed" -> mixed(command);
      case "trickle" -> trickle(command);
      case "still" -> still();
      default -> throw new IllegalArgumentException("unknown command");
    };
  }

  private static Analyzer analyzerOf(String language) {
    return switch (language) {
      case "ar" -> new org.apache.lucene.analysis.ar.ArabicAnalyzer();
      case "de" -> new org.apache.lucene.analysis.de.GermanAnalyzer();
      case "en" -> new EnglishAnalyzer();
      case "es" -> new org.apache.lucene.analysis.es.SpanishAnalyzer();
      case "fi" -> new org.apache.lucene.analysis.fi.FinnishAnalyzer();
      case "fr" -> new org.apache.lucene.analysis.fr.FrenchAnalyzer();
      case "hi" -> new org.apache.lucene.analysis.hi.HindiAnalyzer();
      case "ja", "ko", "zh" -> new org.apache.lucene.analysis.cjk.CJKAnalyzer();
      case "ru" -> new org.apache.lucene.analysis.ru.RussianAnalyzer();
      case "sv" -> new org.apache.lucene.analysis.sv.SwedishAnalyzer();
      case "tr" -> new org.apache.lucene.analysis.tr.TurkishAnalyzer();
      default -> throw new IllegalArgumentException("analysis " + language);
    };
  }

  private ObjectNode hello() {
    boolean vector = ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent();
    return JSON.createObjectNode()
        .put("engine", "lucene")
        .put("version", org.apache.lucene.util.Version.LATEST.toString())
        .put("runtime", "Java " + System.getProperty("java.version") + (vector ? ", vector module active" : ", no vector module"));
  }

  private ObjectNode index(JsonNode c) throws Exception {
    long began = System.nanoTime();
    long cpu = cpu();
    Path dir = Path.of(c.get("dir").asText());
    IndexWriterConfig config = new IndexWriterConfig(analyzer);
    config.setSimilarity(new BM25Similarity());
    config.setRAMBufferSizeMB(256);
    config.setUseCompoundFile(false);
    int threads = c.path("threads").asInt(2);
    boolean commits = c.path("commits").asBoolean(false);
    long written = written();
    AtomicLong docs = new AtomicLong();
    AtomicLong committed = new AtomicLong(began);
    try (IndexWriter writer = new IndexWriter(FSDirectory.open(dir), config)) {
      ArrayBlockingQueue<List<String>> queue = new ArrayBlockingQueue<>(threads * 4);
      List<Thread> workers = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        Thread t = new Thread(() -> {
          try {
            for (List<String> lines; !(lines = queue.take()).isEmpty(); ) {
              for (String line : lines) {
                writer.addDocument(document(JSON.readTree(line)));
                long added = docs.incrementAndGet();
                if (commits && isDue(added, committed)) writer.commit();
              }
            }
          } catch (Exception e) {
            throw new RuntimeException(e);
          }
        });
        t.start();
        workers.add(t);
      }
      try (BufferedReader in = Files.newBufferedReader(Path.of(c.get("corpus").asText()))) {
        List<String> lines = new ArrayList<>();
        for (String line; (line = in.readLine()) != null; ) {
          lines.add(line);
          if (lines.size() == 500) {
            queue.put(lines);
            lines = new ArrayList<>();
          }
        }
        if (!lines.isEmpty()) queue.put(lines);
      }
      for (int i = 0; i < threads; i++) queue.put(List.of());
      for (Thread t : workers) t.join();
      writer.commit();
      double seconds = (System.nanoTime() - began) / 1e9;
      double merged = 0;
      if (c.path("merge").asBoolean(false)) {
        long before = System.nanoTime();
        writer.forceMerge(1);
        writer.commit();
        merged = (System.nanoTime() - before) / 1e9;
      }
      double rested = c.has("rest") ? rest(writer, config, c.get("rest").asDouble()) : 0;
      writer.close();
      long bytes = 0;
      try (var files = Files.list(dir)) {
        for (Path f : (Iterable<Path>) files::iterator) bytes += Files.size(f);
      }
      return JSON.createObjectNode()
          .put("docs", docs.get())
          .put("seconds", seconds)
          .put("merge_seconds", merged)
          .put("rest_seconds", rested)
          .put("written", written() - written)
          .put("cpu_seconds", (cpu() - cpu) / 1e9)
          .put("bytes", bytes)
          .put("peak_rss", peakRss());
    }
  }

  /** Reports whether a commit is due: every 10,000 documents, and when the last one was more than 5 seconds ago. */
  private static boolean isDue(long docs, AtomicLong committed) {
    long last = committed.get();
    long now = System.nanoTime();
    return (docs % 10_000 == 0 || now - last > COMMIT_NANOS) && committed.compareAndSet(last, now);
  }

  private static final long COMMIT_NANOS = 5_000_000_000L;

  /** Waits until no merge runs or is pending, commits their results, and returns the seconds that this took. */
  private static double rest(IndexWriter writer, IndexWriterConfig config, double limit) throws Exception {
    long began = System.nanoTime();
    var scheduler = (org.apache.lucene.index.ConcurrentMergeScheduler) config.getMergeScheduler();
    while ((writer.hasPendingMerges() || scheduler.mergeThreadCount() > 0) && (System.nanoTime() - began) / 1e9 < limit) {
      Thread.sleep(50);
    }
    writer.commit();
    return (System.nanoTime() - began) / 1e9;
  }

  private static Document document(JsonNode n) {
    Document d = new Document();
    d.add(new StringField("id", n.get("id").asText(), Field.Store.YES));
    String body = n.path("body").asText("");
    d.add(new TextField("text", n.path("title").asText("") + "\n" + body, Field.Store.NO));
    text(d, n, "repo");
    text(d, n, "component");
    if (n.has("year")) d.add(new IntField("year", n.get("year").asInt(), Field.Store.NO));
    if (n.has("ts")) d.add(new LongField("ts", n.get("ts").asLong(), Field.Store.NO));
    return d;
  }

  private static void text(Document d, JsonNode n, String field) {
    String value = n.path(field).asText("");
    if (value.isEmpty()) return;
    d.add(new StringField(field, value, Field.Store.NO));
    d.add(new SortedDocValuesField(field, new BytesRef(value)));
  }

  private ObjectNode open(JsonNode c) throws Exception {
    long began = System.nanoTime();
    reader = DirectoryReader.open(new MMapDirectory(Path.of(c.get("dir").asText())));
    searcher = new IndexSearcher(reader);
    searcher.setQueryCache(null);
    searcher.setSimilarity(new BM25Similarity());
    return JSON.createObjectNode()
        .put("docs", reader.numDocs())
        .put("segments", reader.leaves().size())
        .put("seconds", (System.nanoTime() - began) / 1e9)
        .put("rss", rss());
  }

  private Query parse(JsonNode q) throws Exception {
    List<String> terms = new ArrayList<>();
    for (JsonNode t : q.path("terms")) terms.add(t.asText());
    BooleanQuery.Builder all = new BooleanQuery.Builder();
    Query query;
    switch (q.get("op").asText()) {
      case "all" -> query = new MatchAllDocsQuery();
      case "term", "and" -> {
        if (terms.size() == 1) {
          query = new TermQuery(new Term("text", terms.get(0)));
          break;
        }
        for (String t : terms) all.add(new TermQuery(new Term("text", t)), BooleanClause.Occur.MUST);
        query = all.build();
      }
      case "or" -> {
        for (String t : terms) all.add(new TermQuery(new Term("text", t)), BooleanClause.Occur.SHOULD);
        query = all.build();
      }
      case "phrase" -> query = new PhraseQuery("text", terms.toArray(new String[0]));
      case "prefix" -> query = new PrefixQuery(new Term("text", terms.get(0)));
      case "fuzzy" -> query = new FuzzyQuery(new Term("text", terms.get(0)), 1, 1);
      case "text" -> {
        try (var tokens = analyzer.tokenStream("text", q.get("text").asText())) {
          var term = tokens.addAttribute(org.apache.lucene.analysis.tokenattributes.CharTermAttribute.class);
          tokens.reset();
          while (tokens.incrementToken()) all.add(new TermQuery(new Term("text", term.toString())), BooleanClause.Occur.SHOULD);
          tokens.end();
        }
        query = all.build();
      }
      case "box" -> {
        // What a search box built on Lucene does: match each word exactly or with one typo, and the last as a prefix.
        List<String> words = new ArrayList<>();
        try (var tokens = analyzer.tokenStream("text", q.get("text").asText())) {
          var term = tokens.addAttribute(org.apache.lucene.analysis.tokenattributes.CharTermAttribute.class);
          tokens.reset();
          while (tokens.incrementToken()) words.add(term.toString());
          tokens.end();
        }
        for (int i = 0; i < words.size(); i++) {
          Term t = new Term("text", words.get(i));
          all.add(new org.apache.lucene.search.BoostQuery(new TermQuery(t), 4), BooleanClause.Occur.SHOULD);
          if (words.get(i).length() >= 4) all.add(new FuzzyQuery(t, words.get(i).length() >= 8 ? 2 : 1, 1), BooleanClause.Occur.SHOULD);
          if (i == words.size() - 1) {
            all.add(new PrefixQuery(t, PrefixQuery.SCORING_BOOLEAN_REWRITE), BooleanClause.Occur.SHOULD);
          }
        }
        query = all.build();
      }
      default -> throw new IllegalArgumentException("op " + q.get("op"));
    }
    JsonNode filter = q.get("filter");
    if (filter != null && !filter.isNull()) {
      BooleanQuery.Builder b = new BooleanQuery.Builder();
      b.add(query, BooleanClause.Occur.MUST);
      if (filter.has("repo")) b.add(new TermQuery(new Term("repo", filter.get("repo").asText())), BooleanClause.Occur.FILTER);
      if (filter.has("year_gte"))
        b.add(IntField.newRangeQuery("year", filter.get("year_gte").asInt(), filter.get("year_lte").asInt()), BooleanClause.Occur.FILTER);
      query = b.build();
    }
    return query;
  }

  private record Found(long count, boolean exact, ScoreDoc[] top, ArrayNode facets) {}

  private Found search(JsonNode q, Query query, StringDocValuesReaderState[] states) throws Exception {
    int k = q.path("k").asInt(10);
    if (q.path("mode").asText().equals("count")) return new Found(searcher.count(query), true, new ScoreDoc[0], null);
    int threshold = q.path("exact").asBoolean(false) ? Integer.MAX_VALUE : k;
    if (q.has("facets") && q.get("facets").size() > 0) {
      FacetsCollectorManager.FacetsResult result = FacetsCollectorManager.search(searcher, query, k, new FacetsCollectorManager());
      FacetsCollector collected = result.facetsCollector();
      ArrayNode facets = JSON.createArrayNode();
      int i = 0;
      for (JsonNode f : q.get("facets")) {
        String name = f.asText();
        FacetResult r = name.equals("year")
            ? new LongValueFacetCounts("year", collected).getTopChildren(10, "year")
            : new StringValueFacetCounts(states[i], collected).getTopChildren(10, name);
        ArrayNode values = facets.addArray();
        if (r != null) for (var v : r.labelValues) values.addArray().add(v.label).add(v.value.longValue());
        i++;
      }
      TopDocs top = result.topDocs();
      return new Found(top.totalHits.value(), true, top.scoreDocs, facets);
    }
    TopDocs top;
    if (q.hasNonNull("sort")) {
      String s = q.get("sort").asText();
      Sort sort = new Sort(s.startsWith("-") || s.equals("ts")
          ? LongField.newSortField("ts", s.startsWith("-"), org.apache.lucene.search.SortedNumericSelector.Type.MIN)
          : new SortField(s, SortField.Type.STRING));
      top = searcher.search(query, new TopFieldCollectorManager(sort, k, null, threshold));
    } else {
      top = searcher.search(query, new TopScoreDocCollectorManager(k, null, threshold));
    }
    return new Found(top.totalHits.value(), top.totalHits.relation() == org.apache.lucene.search.TotalHits.Relation.EQUAL_TO, top.scoreDocs, null);
  }

  private StringDocValuesReaderState[] states(JsonNode q) throws Exception {
    if (!q.has("facets")) return null;
    StringDocValuesReaderState[] states = new StringDocValuesReaderState[q.get("facets").size()];
    for (int i = 0; i < states.length; i++) {
      String name = q.get("facets").get(i).asText();
      if (!name.equals("year")) states[i] = state(name);
    }
    return states;
  }

  private final java.util.concurrent.ConcurrentHashMap<String, StringDocValuesReaderState> known = new java.util.concurrent.ConcurrentHashMap<>();

  private StringDocValuesReaderState state(String name) throws Exception {
    StringDocValuesReaderState s = known.get(name);
    if (s == null) {
      s = new StringDocValuesReaderState(reader, name);
      known.put(name, s);
    }
    return s;
  }

  private static final java.util.Set<String> KEY = java.util.Set.of("id");

  /** Loads the stored keys of the hits, as a search result shows them. */
  private List<String> keys(Found found) throws Exception {
    List<String> keys = new ArrayList<>(found.top.length);
    StoredFields stored = reader.storedFields();
    for (ScoreDoc d : found.top) keys.add(stored.document(d.doc, KEY).get("id"));
    return keys;
  }

  private ObjectNode query(JsonNode c) throws Exception {
    refresh();
    JsonNode q = c.get("query");
    var states = states(q);
    int repeat = c.path("repeat").asInt(1);
    long best = Long.MAX_VALUE;
    long bare = Long.MAX_VALUE;
    Found found = null;
    List<String> keys = List.of();
    for (int i = 0; i < repeat; i++) {
      long began = System.nanoTime();
      found = search(q, parse(q), states);
      bare = Math.min(bare, System.nanoTime() - began);
      keys = keys(found);
      best = Math.min(best, System.nanoTime() - began);
    }
    ObjectNode a =
        JSON.createObjectNode().put("count", found.count).put("exact", found.exact).put("us", best / 1e3).put("bare_us", bare / 1e3);
    ArrayNode top = a.putArray("top");
    for (String key : keys) top.add(key);
    if (found.facets != null) a.set("facets", found.facets);
    return a;
  }

  private ObjectNode throughput(JsonNode c) throws Exception {
    refresh();
    JsonNode queries = c.get("queries");
    int threads = c.path("threads").asInt(1);
    int rounds = c.path("rounds").asInt(1);
    AtomicInteger next = new AtomicInteger();
    int total = queries.size() * rounds;
    long cpu = cpu();
    long began = System.nanoTime();
    List<Thread> workers = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      Thread t = new Thread(() -> {
        try {
          for (int n; (n = next.getAndIncrement()) < total; ) {
            JsonNode q = queries.get(n % queries.size());
            keys(search(q, parse(q), states(q)));
          }
        } catch (Exception e) {
          throw new RuntimeException(e);
        }
      });
      t.start();
      workers.add(t);
    }
    for (Thread t : workers) t.join();
    double seconds = (System.nanoTime() - began) / 1e9;
    return JSON.createObjectNode().put("queries", total).put("seconds", seconds).put("cpu_seconds", (cpu() - cpu) / 1e9);
  }

  /** Rewrites documents by id, commits, and opens a reader that sees the changes. */
  private ObjectNode update(JsonNode c) throws Exception {
    IndexWriterConfig config = new IndexWriterConfig(analyzer);
    config.setUseCompoundFile(false);
    try (IndexWriter writer = new IndexWriter(FSDirectory.open(Path.of(c.get("dir").asText())), config)) {
      DirectoryReader before = DirectoryReader.open(writer);
      long began = System.nanoTime();
      for (JsonNode d : c.get("documents")) {
        writer.updateDocument(new Term("id", d.get("id").asText()), document(d));
      }
      writer.commit();
      DirectoryReader after = DirectoryReader.openIfChanged(before);
      double seconds = (System.nanoTime() - began) / 1e9;
      if (after != null) after.close();
      before.close();
      return JSON.createObjectNode().put("seconds", seconds);
    }
  }

  /** Searches in one thread while another rewrites documents; every second a reader that sees the changes is opened. */
  private ObjectNode mixed(JsonNode c) throws Exception {
    IndexWriterConfig config = new IndexWriterConfig(analyzer);
    config.setUseCompoundFile(false);
    config.setRAMBufferSizeMB(256);
    try (IndexWriter writer = new IndexWriter(FSDirectory.open(Path.of(c.get("dir").asText())), config)) {
      var manager = new org.apache.lucene.search.SearcherManager(writer, new org.apache.lucene.search.SearcherFactory() {
        @Override
        public IndexSearcher newSearcher(org.apache.lucene.index.IndexReader r, org.apache.lucene.index.IndexReader previous) {
          IndexSearcher s = new IndexSearcher(r);
          s.setQueryCache(null);
          s.setSimilarity(new BM25Similarity());
          return s;
        }
      });
      var stop = new java.util.concurrent.atomic.AtomicBoolean();
      AtomicLong written = new AtomicLong();
      JsonNode documents = c.get("documents");
      long began = System.nanoTime();
      Thread t = new Thread(() -> {
        try {
          long last = System.nanoTime();
          while (!stop.get()) {
            JsonNode d = documents.get((int) (written.get() % documents.size()));
            writer.updateDocument(new Term("id", d.get("id").asText()), document(d));
            written.incrementAndGet();
            if (System.nanoTime() - last > 1_000_000_000L) {
              writer.commit();
              manager.maybeRefreshBlocking();
              last = System.nanoTime();
            }
          }
        } catch (Exception e) {
          throw new RuntimeException(e);
        }
      });
      t.start();
      JsonNode queries = c.get("queries");
      long searches = 0;
      double limit = c.get("seconds").asDouble();
      while ((System.nanoTime() - began) / 1e9 < limit) {
        JsonNode q = queries.get((int) (searches++ % queries.size()));
        searcher = manager.acquire();
        try {
          search(q, parse(q), null);
        } finally {
          manager.release(searcher);
        }
      }
      double seconds = (System.nanoTime() - began) / 1e9;
      stop.set(true);
      t.join();
      manager.close();
      return JSON.createObjectNode().put("searches", searches).put("documents", written.get()).put("seconds", seconds);
    }
  }

  private IndexWriter trickling;
  private Thread trickle;
  private long trickleBegan;
  private final AtomicLong trickled = new AtomicLong();
  private final java.util.concurrent.atomic.AtomicBoolean changed = new java.util.concurrent.atomic.AtomicBoolean();

  /** Rewrites per_second documents a second while queries run, and commits every 5 seconds, until the command still ends it. */
  private ObjectNode trickle(JsonNode c) throws Exception {
    IndexWriterConfig config = new IndexWriterConfig(analyzer);
    config.setUseCompoundFile(false);
    config.setRAMBufferSizeMB(256);
    trickling = new IndexWriter(new MMapDirectory(Path.of(c.get("dir").asText())), config);
    show(DirectoryReader.open(trickling));
    JsonNode documents = c.get("documents");
    long pause = (long) (1e9 / c.get("per_second").asDouble());
    trickleBegan = System.nanoTime();
    trickle = new Thread(() -> {
      try {
        long last = System.nanoTime();
        while (!Thread.currentThread().isInterrupted()) {
          java.util.concurrent.locks.LockSupport.parkNanos(trickleBegan + trickled.get() * pause - System.nanoTime());
          JsonNode d = documents.get((int) (trickled.get() % documents.size()));
          trickling.updateDocument(new Term("id", d.get("id").asText()), document(d));
          trickled.incrementAndGet();
          if (System.nanoTime() - last > COMMIT_NANOS) {
            trickling.commit();
            changed.set(true);
            last = System.nanoTime();
          }
        }
      } catch (Exception e) {
        throw new RuntimeException(e);
      }
    });
    trickle.setDaemon(true);
    trickle.start();
    return JSON.createObjectNode();
  }

  private void show(DirectoryReader next) {
    reader = next;
    searcher = new IndexSearcher(reader);
    searcher.setQueryCache(null);
    searcher.setSimilarity(new BM25Similarity());
    known.clear();
  }

  /** Makes commits since the last query visible; this is not timed. */
  private void refresh() throws Exception {
    if (!changed.getAndSet(false)) return;
    DirectoryReader next = DirectoryReader.openIfChanged(reader);
    if (next == null) return;
    reader.close();
    show(next);
  }

  private ObjectNode still() throws Exception {
    trickle.interrupt();
    trickle.join();
    double seconds = (System.nanoTime() - trickleBegan) / 1e9;
    int segments = reader.leaves().size();
    reader.close();
    trickling.close();
    return JSON.createObjectNode().put("documents", trickled.get()).put("seconds", seconds).put("segments", segments);
  }

  private static long cpu() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
  }

  private static long statusField(String name) throws Exception {
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith(name)) return Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024;
    }
    return 0;
  }

  /** Returns the number of bytes that this process has written to files so far. */
  private static long written() throws Exception {
    for (String line : Files.readAllLines(Path.of("/proc/self/io"))) {
      if (line.startsWith("wchar: ")) return Long.parseLong(line.substring(7));
    }
    return 0;
  }

  private static long rss() throws Exception {
    return statusField("VmRSS:");
  }

  private static long peakRss() throws Exception {
    return statusField("VmHWM:");
  }
}
