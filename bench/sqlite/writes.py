"""Writes documents to SQLite FTS5 one at a time, durably: writes.py CORPUS DIRECTORY SECONDS CLIENTS...

Every client is a thread with its own connection. Prints one line of JSON for
each number of clients.
"""

import json
import sqlite3
import sys
import threading
import time

corpus, directory, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])


def connect(path):
    connection = sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    return connection


def read(count):
    documents = []
    with open(corpus, encoding="utf-8") as lines:
        for line in lines:
            d = json.loads(line)
            documents.append((d.get("id"), d.get("repo"), d.get("component"), d.get("year"), d.get("ts"), d.get("body", "")))
            if len(documents) == count:
                break
    return documents


def write(connection, document, key):
    connection.execute("BEGIN IMMEDIATE")
    row = connection.execute("INSERT INTO documents(id, repo, component, year, ts) VALUES (?, ?, ?, ?, ?)", (key, *document[1:5])).lastrowid
    connection.execute("INSERT INTO texts(rowid, body) VALUES (?, ?)", (row, document[5]))
    connection.execute("COMMIT")


def run(clients, documents):
    path = f"{directory}/{clients}.db"
    first = connect(path)
    first.execute("CREATE TABLE documents(id TEXT PRIMARY KEY, repo TEXT, component TEXT, year INTEGER, ts INTEGER)")
    first.execute("CREATE VIRTUAL TABLE texts USING fts5(body, tokenize='unicode61')")
    connections = [connect(path) for _ in range(clients)]
    times = [[] for _ in range(clients)]
    began, processor = time.monotonic(), time.process_time()

    def client(number):
        count = 0
        while time.monotonic() - began < seconds:
            document = documents[(count * clients + number) % len(documents)]
            asked = time.monotonic()
            write(connections[number], document, f"{number}-{count}")
            times[number].append(time.monotonic() - asked)
            count += 1

    threads = [threading.Thread(target=client, args=(n,)) for n in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took, processor = time.monotonic() - began, time.process_time() - processor
    all_times = sorted(t for of in times for t in of)
    print(json.dumps({"Store": f"SQLite {sqlite3.sqlite_version}, in process", "Clients": clients, "Writes": len(all_times), "Seconds": took,
                      "P50": all_times[len(all_times) // 2] * 1e3, "P99": all_times[len(all_times) * 99 // 100] * 1e3,
                      "Processor": processor / len(all_times) * 1e6}), flush=True)


read_documents = read(20_000)
for count in sys.argv[4:]:
    run(int(count), read_documents)
