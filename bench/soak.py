"""A soak of `imn serve` with mixed traffic, or an overload test.

Soak: good texts of many lengths, lists, explanations, requests in the shape of Azure Language, bad
requests, uploads that finish, uploads that are cancelled, clients that break off; every few seconds
a line with the resident memory. It fails if an answer has a wrong status, if the server ends, or if
memory is larger in the last third of the time than in the second.

Overload: the rate that the server sustains is measured, then four times as many requests arrive. It
fails if a refusal takes longer than 50 ms (p99), an accepted request is not answered, memory grows,
or the server does not answer normally a second later.
"""

import argparse
import http.client
import json
import pathlib
import random
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time

import page

SENTENCES = (
    "The soup was cold and far too salty for my taste.",
    "Our waiter smiled and brought fresh bread at once.",
    "The keyboard feels cheap, though the screen is bright.",
    "I would not order the dumplings again.",
    "Great battery life!",
    "Crème brûlée: superb 😀",
    "The staff ignored us, but the view was lovely.",
)


class Server:
    def __init__(self, binary, folder, *arguments):
        command = [
            str(binary),
            "serve",
            "--port",
            "0",
            "--jobs-dir",
            str(folder),
            "--log-level",
            "error",
            *arguments,
        ]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            found = re.search(r"listening on http://127.0.0.1:(\d+)", line)
            if found:
                self.port = int(found.group(1))
                break
        else:
            sys.exit("the server does not start")
        threading.Thread(
            target=lambda: [sys.stderr.write(line) for line in self.process.stderr], daemon=True
        ).start()

    def memory(self):
        """Resident megabytes."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1e3

    def ask(self, method, path, body=None, media="application/json"):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=90)
        try:
            connection.request(
                method, path, body, {"Content-Type": media} if body is not None else {}
            )
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def stop(self):
        self.process.terminate()
        return self.process.wait(60)


def text(draw, most):
    return " ".join(draw.choice(SENTENCES) for _ in range(draw.randint(1, most)))


def one(server, draw):
    """One piece of traffic: what it was, its status, and the statuses that are right."""
    kind = draw.random()
    busy = {429}
    if kind < 0.5:
        body = json.dumps({"inputs": text(draw, 4)})
        return "text", server.ask("POST", "/analyze", body)[0], {200} | busy
    if kind < 0.65:
        body = json.dumps({"inputs": [text(draw, 8) for _ in range(draw.randint(1, 60))] + [""]})
        return "list", server.ask("POST", "/analyze", body)[0], {200} | busy
    if kind < 0.72:
        return (
            "explanation",
            server.ask("POST", "/explain", json.dumps({"inputs": text(draw, 30)}))[0],
            {200} | busy,
        )
    if kind < 0.8:
        documents = [{"id": str(i), "text": text(draw, 5)} for i in range(5)]
        body = {
            "kind": "SentimentAnalysis",
            "analysisInput": {"documents": documents},
            "parameters": {"opinionMining": True},
        }
        return (
            "azure",
            server.ask("POST", "/language/:analyze-text?api-version=2023-04-01", json.dumps(body))[
                0
            ],
            {200} | busy,
        )
    if kind < 0.84:
        return (
            "long text",
            server.ask("POST", "/analyze", json.dumps({"inputs": text(draw, 800)[:65000]}))[0],
            {200, 413} | busy,
        )
    if kind < 0.92:
        body, status = draw.choice(
            [
                ("{", 400),
                ("{}", 422),
                ('{"inputs": []}', 400),
                ('{"inputs": "' + "x" * 70000 + '"}', 413),
            ]
        )
        return "bad request", server.ask("POST", "/analyze", body)[0], {status}
    if kind < 0.96:
        with socket.create_connection(("127.0.0.1", server.port)) as gone:
            gone.sendall(
                b"POST /analyze HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                b"Content-Length: 500\r\n\r\n{"
            )
        return "broken off", 0, {0}
    rows = "".join(f'{i},"{text(draw, 3)}"\n' for i in range(draw.randint(1, 200)))
    status, answer = server.ask(
        "POST", "/jobs?name=soak.csv", ("id,text\n" + rows).encode(), "text/csv"
    )
    if status != 202:
        return "job", status, {202} | busy
    job = json.loads(answer)["id"]
    if draw.random() < 0.3:
        server.ask("DELETE", f"/jobs/{job}")
    server.ask("GET", f"/jobs/{job}/events")
    state = json.loads(server.ask("GET", f"/jobs/{job}")[1])["state"]
    if state == "finished":
        for form in ("csv", "parquet"):
            status, _ = server.ask("GET", f"/jobs/{job}/result?format={form}")
            if status != 200:
                return "result", status, {200}
    return "job", server.ask("DELETE", f"/jobs/{job}")[0], {204}


def soak(server, options):
    counts, wrong, lock = {}, [], threading.Lock()
    end = time.time() + options.seconds

    def work(number):
        draw = random.Random(number)
        while time.time() < end and not wrong:
            try:
                name, status, right = one(server, draw)
            except OSError as error:
                name, status, right = "connection", str(error), set()
            with lock:
                counts[name, status] = counts.get((name, status), 0) + 1
                if status not in right:
                    wrong.append((name, status))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(options.clients)]
    for thread in threads:
        thread.start()
    say = page.Printed()
    say(f"{options.clients} clients send mixed traffic for {options.seconds:.0f} seconds.")
    say()
    say("| seconds | resident memory in MB | requests so far |")
    say("|---|---|---|")
    memory, start = [], time.time()
    while any(thread.is_alive() for thread in threads):
        time.sleep(options.seconds / 12)
        memory.append(server.memory())
        say(f"| {time.time() - start:.0f} | {memory[-1]:.0f} | {sum(counts.values()):,} |")
    say()
    say("| traffic | status | requests |")
    say("|---|---|---|")
    for (name, status), count in sorted(counts.items(), key=str):
        say(f"| {name} | {status or 'none'} | {count:,} |")
    if wrong:
        sys.exit(f"wrong answer: {wrong[0]}")
    third = max(1, len(memory) // 3)
    first, middle, last = memory[:third], memory[third:-third] or memory, memory[-third:]
    say()
    say(
        f"At most {max(first):.0f} MB in the first third of the time, {max(middle):.0f} MB in the "
        f"second, {max(last):.0f} MB in the last."
    )
    # The first third is the warm-up.
    if max(last) > 1.05 * max(middle) + 5:
        sys.exit("memory grows")
    return say


def overload(server, options, folder):
    bodies = pathlib.Path(folder) / "bodies"
    draw = random.Random(1)
    bodies.write_text("\n".join(json.dumps({"inputs": text(draw, 2)}) for _ in range(2000)))

    def load(connections, seconds, *rate):
        command = [
            options.folder / "examples/load",
            f"127.0.0.1:{server.port}",
            bodies,
            connections,
            seconds,
            *rate,
        ]
        done = subprocess.run(
            [str(part) for part in command], capture_output=True, text=True, check=True
        )
        return json.loads(done.stdout)

    load(32, 1)
    sustained = load(64, max(2, options.seconds / 6))["per_second"]
    before = server.memory()
    memory, stop = [], threading.Event()

    def watch():
        while not stop.wait(0.2):
            memory.append(server.memory())

    watching = threading.Thread(target=watch)
    watching.start()
    result = load(900, options.seconds, 4 * sustained)
    stop.set()
    watching.join()
    time.sleep(1)
    after = load(1, 1)
    refused, answered = result["statuses"].get("429", 0), result["statuses"].get("200", 0)
    lost = sum(
        count for status, count in result["statuses"].items() if status not in ("200", "429")
    )
    third = max(1, len(memory) // 3)
    sent = sum(result["statuses"].values())
    say = page.Printed()
    say("| measured | value |")
    say("|---|---|")
    say(f"| sustained, 64 connections | {sustained:.0f} requests per second |")
    say(f"| asked for, 900 connections | {4 * sustained:.0f} requests per second |")
    say(f"| sent in {options.seconds:.0f} s | {sent:,} requests |")
    say(f"| answered | {answered:,} |")
    say(f"| refused with 429 | {refused:,} |")
    say(f"| neither | {lost:,} |")
    for name, kind in (("refusals", "refused"), ("answers", "ok")):
        times = result[kind] or {"p50": 0, "p99": 0}
        say(f"| time of {name}, p50 and p99 | {times['p50']:.1f} and {times['p99']:.1f} ms |")
    say(f"| memory before | {before:.0f} MB |")
    say(
        f"| memory in the first and last third, at most | {max(memory[:third]):.0f} and "
        f"{max(memory[-third:]):.0f} MB |"
    )
    say(f"| time of an answer a second later, p50 | {after['ok']['p50']:.1f} ms |")
    problems = [
        problem
        for problem, there in (
            ("nothing was refused", not refused),
            ("requests were lost", lost),
            ("refusals take longer than 50 ms", refused and result["refused"]["p99"] > 50),
            ("memory grows", max(memory[-third:]) > 1.2 * max(memory[:third]) + 30),
            ("the server does not recover", set(after["statuses"]) != {"200"}),
        )
        if there
    ]
    if problems:
        sys.exit("; ".join(problems))
    return say


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "folder", type=pathlib.Path, help="where the binaries were built, target/release"
    )
    parser.add_argument(
        "--seconds",
        type=float,
        help="time of the traffic (default: 600, or 30 with --overload)",
    )
    parser.add_argument(
        "--clients", type=int, default=12, help="clients of the soak (default: %(default)s)"
    )
    parser.add_argument("--model", help="the model (default: that of the program)")
    parser.add_argument(
        "--write", action="store_true", help="also put the tables into docs/reliability.md"
    )
    parser.add_argument(
        "--overload", action="store_true", help="four times the load that the server sustains"
    )
    options = parser.parse_args()
    options.seconds = options.seconds or (30 if options.overload else 600)
    arguments = ["--model", options.model] if options.model else []
    if not options.overload:
        # Long texts take a while when all clients send one.
        arguments += ["--request-timeout", "60"]
    with tempfile.TemporaryDirectory() as folder:
        server = Server(options.folder / "imn", pathlib.Path(folder) / "jobs", *arguments)
        try:
            if options.overload:
                printed = overload(server, options, folder)
            else:
                printed = soak(server, options)
        finally:
            code = server.stop()
        if code:
            sys.exit(f"the server ended with {code}")
    if options.write:
        name = "overload" if options.overload else "soak"
        page.write("docs/reliability.md", name, printed.text())


if __name__ == "__main__":
    main()
