#!/usr/bin/env python3
"""Records the databases of an older Runnel in the middle of its work. See README.md.

Usage: record.py RUNNEL_JAR JAVA FOLDER
"""

import hashlib
import hmac
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = "recorded-signing-secret"
AGENT = """said=$(tail -n 1)
case "$said" in
  ask*) echo '::blocked Which branch?' ;;
  work*) sleep 600 ;;
  *) echo "Done: $said." ;;
esac
"""


class Slack(BaseHTTPRequestHandler):
    """Answers as Slack does, until it is told to fail in a channel."""

    protocol_version = "HTTP/1.1"
    posts = []
    failing = set()
    lock = threading.Lock()

    def do_POST(self):
        method = urllib.parse.urlsplit(self.path).path.rsplit("/", 1)[1]
        body = self.body().decode()
        fields = json.loads(body) if body.startswith("{") else dict(urllib.parse.parse_qsl(body))
        channel = fields.get("channel", "")
        if channel in self.failing:
            self.send_response(503)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        answer = {"ok": True}
        if method == "auth.test":
            answer.update(
                url="https://acme.slack.com/", team_id="T0ACME", user="runnel", user_id="U0RUNNEL", bot_id="B0RUNNEL"
            )
        elif method == "users.info":
            answer["user"] = {"id": fields["user"], "team_id": "T0ACME", "profile": {"display_name": "Ann"}}
        elif method in ("conversations.replies", "conversations.history"):
            answer["messages"] = []
        elif method == "chat.postMessage":
            with self.lock:
                ts = "%d.%06d" % (time.time(), len(self.posts))
                self.posts.append((channel, ts, fields.get("text", "")))
            answer.update(channel=channel, ts=ts)
        text = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST

    def body(self):
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        whole = b""
        while size := int(self.rfile.readline(), 16):
            whole += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return whole

    def log_message(self, *_):
        pass


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


def end_agents(home):
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/environ" % process, "rb") as file:
                variables = file.read().split(b"\0")
            if b"HOME=" + home.encode() in variables:
                os.kill(int(process), signal.SIGKILL)
        except OSError:
            pass  # It is gone, or another user's.


def until(what, holds):
    for _ in range(300):
        found = holds()
        if found:
            return found
        time.sleep(0.2)
    raise AssertionError("never: " + what)


def main(jar, java, folder):
    slack = ThreadingHTTPServer(("127.0.0.1", 0), Slack)
    threading.Thread(target=slack.serve_forever, daemon=True).start()
    home = tempfile.mkdtemp()
    port = free_port()
    node = "http://127.0.0.1:%d" % port
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": home,
        "PORT": str(port),
        "RUNNEL_DATA": home + "/data",
        "RUNNEL_AGENT_COMMAND": AGENT,
        "RUNNEL_AGENTS_ISOLATION": "none",
        "RUNNEL_REMINDERS": "30m",
        "SLACK_SIGNING_SECRET": SECRET,
        "SLACK_BOT_TOKEN": "xoxb-recorded",
        "SLACK_API_URL": "http://127.0.0.1:%d/api/" % slack.server_address[1],
    }
    log = open(home + "/log", "w")
    runnel = subprocess.Popen([java, "-jar", jar, "serve"], cwd=home, env=environment, stdout=log, stderr=log)

    def ready():
        try:
            return urllib.request.urlopen(node + "/readyz").status == 200
        except OSError:
            return False

    try:
        work(home, node, ready)
    finally:
        runnel.kill()
        runnel.wait()
        end_agents(home)
    for name in ("runnel.db", "agent-runs.db"):
        target = os.path.join(folder, name)
        if os.path.exists(target):
            os.remove(target)
        with sqlite3.connect(home + "/data/" + name) as database:
            database.execute("VACUUM INTO ?", (target,))


def work(home, node, ready):
    until("ready", ready)
    key = open(home + "/data/agent-api-key").read().strip()

    def send(kind, body):
        at = str(int(time.time()))
        sign = hmac.new(SECRET.encode(), ("v0:%s:%s" % (at, body)).encode(), hashlib.sha256).hexdigest()
        request = urllib.request.Request(
            node + "/slack/events",
            body.encode(),
            {"Content-Type": kind, "X-Slack-Request-Timestamp": at, "X-Slack-Signature": "v0=" + sign},
        )
        assert urllib.request.urlopen(request).status == 200

    def command(channel, text):
        fields = {
            "command": "/agent",
            "text": text,
            "team_id": "T0ACME",
            "channel_id": channel,
            "user_id": "U0ANN",
            "user_name": "ann",
            "trigger_id": "trigger-of-" + channel,
        }
        send("application/x-www-form-urlencoded", urllib.parse.urlencode(fields))

    def reply(channel, thread, text):
        said = {"type": "message", "channel": channel, "user": "U0ANN", "text": text}
        said.update(ts="%f" % time.time(), thread_ts=thread)
        event = {"type": "event_callback", "team_id": "T0ACME", "event_id": "Ev" + channel, "event": said}
        event["authorizations"] = [{"user_id": "U0RUNNEL", "is_bot": True}]
        send("application/json", json.dumps(event))

    def api(path, body=None):
        request = urllib.request.Request(
            node + "/api/v1/agent/" + path,
            None if body is None else json.dumps(body).encode(),
            {"Authorization": "Bearer " + key, "Content-Type": "application/json"},
        )
        return json.load(urllib.request.urlopen(request))

    def rows(question):
        with sqlite3.connect(home + "/data/runnel.db") as database:
            return database.execute(question).fetchall()

    def seen(channel, words):
        return until(channel, lambda: [post for post in Slack.posts if post[0] == channel and words in post[2]])

    # A run that has ended, one that asks, and one that works and is told more.
    command("C0DONE", "finish it")
    seen("C0DONE", "Done: finish it")
    command("C0ASKS", "ask me")
    seen("C0ASKS", "Which branch?")
    command("C0WORKS", "work on it")
    seen("C0WORKS", "")
    until("a binding", lambda: rows("SELECT 1 FROM bindings WHERE conversation LIKE '%C0WORKS%'"))
    reply("C0WORKS", seen("C0WORKS", "")[0][1], "and on that")
    # An end that cannot be posted.
    command("C0LOST", "end it")
    seen("C0LOST", "")
    Slack.failing.add("C0LOST")
    # A start that cannot open its thread.
    Slack.failing.add("C0DOWN")
    command("C0DOWN", "start it later")
    api("schedules", {"name": "yearly", "cron_schedule": "0 0 1 1 *", "prompt": "look at it", "enabled": True})
    until("the run ends", lambda: all(
        run["state"] != "INPROGRESS" or run["title"].startswith("work") for run in api("runs")["runs"]))
    until("a notice waits", lambda: rows(
        "SELECT 1 FROM outbox WHERE state = 0 AND why IS NOT NULL AND conversation LIKE '%C0LOST%'"))
    until("a delivery waits", lambda: rows("SELECT 1 FROM inbox WHERE state = 0 AND conversation LIKE '%C0DOWN%'"))
    until("the reply is sent", lambda: not rows(
        "SELECT 1 FROM inbox WHERE state = 0 AND conversation LIKE '%C0WORKS%'"))


main(*sys.argv[1:])
