// Measures Runnel beside its peers on this machine: `node bench/bench.mjs --help`.
import { execFileSync, spawn } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';

const HELP = `node bench/bench.mjs [options]

  --only A,B       these contenders (default: all)
  --kinds A,B      command, message, reply, github (default: all)
  --rounds N       contenders take turns in each (default: 3)
  --warm N         seconds of load on both cores before the first figure, since a JIT needs them (default: 30)
  --seconds N      of each measurement (default: 5)
  --rates A,B      also at these rates a second (default: 500; 0 for none)
  --overload N     seconds at twice the capacity, then a kill -9 under load, for those that keep deliveries (default: 0)
  --jar FILE       another build of Runnel (default: target/runnel-all.jar)
  --out FILE       raw results, one JSON object a line
`;
const here = path.dirname(new URL(import.meta.url).pathname);
process.chdir(here);
const options = { kinds: 'command,message,reply,github', rounds: '3', warm: '30', seconds: '5', rates: '500', overload: '0', jar: '../target/runnel-all.jar' };
for (let i = 2; i < process.argv.length; i += 2) {
  if (!process.argv[i].startsWith('--') || process.argv[i + 1] === undefined) {
    console.log(HELP);
    process.exit(process.argv[i] === '--help' ? 0 : 2);
  }
  options[process.argv[i].slice(2)] = process.argv[i + 1];
}
fs.mkdirSync('work', { recursive: true });
const out = options.out || 'work/results.jsonl';
const JAVA = path.join(process.env.JAVA_HOME || '/usr', 'bin/java');
const SECRET = 'bench-secret-0123456789';
const PAYLOAD = 'work/issues.labeled.json';
const PORT = 3950;
const JVM = ['-XX:+UseSerialGC', '-XX:+UseCompactObjectHeaders', '-Xmx256m', '-Xss512k', '--enable-native-access=ALL-UNNAMED', '-cp', `${options.jar}:work/classes`];
const GITHUB = ['github'];
const SLACK = ['command', 'message', 'reply'];
// The reference of a kind is its first peer.
const contenders = [
  { id: 'runnel', name: 'Runnel, whole', kinds: [...SLACK, ...GITHUB], command: ['../runnel', 'serve'], keeps: true },
  { id: 'front-door', name: 'Runnel, receiving side alone', kinds: [...SLACK, ...GITHUB], command: [JAVA, ...frontDoor(), '-cp', `${options.jar}:work/classes`, 'FrontDoor'], keeps: true },
  { id: 'slack-bolt', name: '@slack/bolt', kinds: SLACK, command: ['node', 'peers/slack-bolt.cjs'] },
  { id: 'probot', name: 'probot', kinds: GITHUB, command: ['node', 'peers/probot.cjs'] },
  { id: 'octokit', name: '@octokit/webhooks', kinds: GITHUB, command: ['node', 'peers/octokit-webhooks.cjs'] },
  { id: 'javalin', name: 'bare Javalin', kinds: [...SLACK, ...GITHUB], command: [JAVA, ...JVM, 'BareJavalin'] },
];
const chosen = contenders.filter((it) => !options.only || options.only.split(',').includes(it.id));
const pathOf = (kind) => (kind === 'github' ? '/webhooks/github' : '/slack/events');
const sleep = (ms) => new Promise((done) => { setTimeout(done, ms); });
const log = (...words) => console.error(new Date().toISOString().slice(11, 19), ...words);
const run = (command, args, cwd = '.') => execFileSync(command, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] });

/** The launcher's options and its cache of classes, so that the receiving side alone runs as the whole does. */
function frontDoor() {
  const launcher = fs.readFileSync('../runnel', 'utf8');
  const flags = [...launcher.matchAll(/^options="(?:\$options )?([^$"]+)"$/gm)].flatMap((it) => it[1].split(' '));
  const cache = fs.readdirSync('../target').find((it) => it.endsWith('.aot'));
  return cache ? [...flags, `-XX:AOTCache=../target/${cache}`] : flags;
}

function prepare() {
  if (!fs.existsSync('peers/node_modules')) run('npm', ['ci', '--no-audit', '--no-fund'], 'peers');
  if (!fs.existsSync(PAYLOAD)) run('node', ['peers/payload.cjs', PAYLOAD]);
  run(JAVA.replace(/java$/, 'javac'), ['-nowarn', '-proc:none', '-d', 'work/classes', '-cp', options.jar, ...fs.readdirSync('java').map((it) => `java/${it}`)]);
}

let live = [];
function start(it) {
  const data = it.keeps ? fs.mkdtempSync(path.resolve('work/data.')) : '';
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, JAVA_HOME: process.env.JAVA_HOME || '', PORT: String(PORT), SECRET, MALLOC_ARENA_MAX: '1',
    SLACK_SIGNING_SECRET: SECRET, SLACK_BOT_TOKEN: 'xoxb-bench', SLACK_API_URL: `http://127.0.0.1:${PORT + 1}/api/`,
    GITHUB_WEBHOOK_SECRET: SECRET, GITHUB_TOKEN: 'bench', GITHUB_API_URL: `http://127.0.0.1:${PORT + 1}/github`, RUNNEL_TRIGGER_LABEL: 'bug',
    RUNNEL_AGENT_API_URL: `http://127.0.0.1:${PORT + 1}/api/v1`, RUNNEL_AGENT_API_KEY: 'bench-key-0123456789', RUNNEL_DATA: data };
  const log = fs.openSync(`work/${it.id}.log`, 'w');
  const child = spawn(it.command[0], it.command.slice(1), { env, detached: true, stdio: ['ignore', log, log] });
  fs.closeSync(log);
  const server = { pid: child.pid, data, exited: false };
  child.on('exit', () => { server.exited = true; });
  live.push(server);
  return server;
}
async function stop(server) {
  live = live.filter((it) => it !== server);
  for (const [signal, tries] of [['SIGTERM', 200], ['SIGKILL', 40]]) {
    for (let i = 0; i < tries && pids(server).length; i++) {
      try { if (i === 0) process.kill(-server.pid, signal); } catch { /* it has ended */ }
      await sleep(50);
    }
  }
  if (server.data) fs.rmSync(server.data, { recursive: true, force: true });
}
function pids(server) {
  return fs.readdirSync('/proc').filter((it) => /^\d+$/.test(it)).filter((it) => {
    try {
      const stat = fs.readFileSync(`/proc/${it}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return Number(fields[2]) === server.pid && fields[0] !== 'Z';
    } catch { return false; }
  });
}
const rss = (server) => pids(server).reduce((sum, it) => sum + Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${it}/status`, 'utf8'))?.[1] || 0), 0) / 1024;

function signed(kind, secret) {
  const n = String(crypto.randomInt(1e11)).padStart(12, '0');
  const sign = (text) => crypto.createHmac('sha256', secret).update(text).digest('hex');
  if (kind === 'github') {
    const body = fs.readFileSync(PAYLOAD, 'utf8').replace('000000000000', n);
    return [body, { 'Content-Type': 'application/json', 'X-GitHub-Event': 'issues', 'X-GitHub-Delivery': `72d3162e-cc78-11e3-81ab-${n}`, 'X-Hub-Signature-256': `sha256=${sign(body)}` }];
  }
  const time = Math.floor(Date.now() / 1000);
  const body = kind === 'command'
    ? `team_id=T0001EXAMPLE&channel_id=C2147483705&user_id=U2147483697&user_name=steve&command=%2Fagent&text=list&trigger_id=13345224609.${n}.8f`
    : JSON.stringify({ team_id: 'T0001EXAMPLE', api_app_id: 'A1', type: 'event_callback', event_id: `Ev${n}`, event: { type: 'message', channel_type: 'channel', user: 'U2147483697', text: 'hi', ts: '1758300000.000100', channel: 'C2147483705' }, authorizations: [{ team_id: 'T0001EXAMPLE', user_id: 'U0BOTEXAMPLE', is_bot: true }] });
  return [body, { 'Content-Type': kind === 'command' ? 'application/x-www-form-urlencoded' : 'application/json', 'X-Slack-Request-Timestamp': String(time), 'X-Slack-Signature': `v0=${sign(`v0:${time}:${body}`)}` }];
}
function post(kind, secret = SECRET) {
  const [body, headers] = signed(kind, secret);
  return new Promise((done) => {
    const request = http.request({ host: '127.0.0.1', port: PORT, path: pathOf(kind), method: 'POST', headers: { ...headers, 'Content-Length': Buffer.byteLength(body) }, agent: false, timeout: 5000 },
      (response) => { response.resume(); response.on('end', () => done(response.statusCode)); });
    request.on('error', () => done(0));
    request.on('timeout', () => request.destroy());
    request.end(body);
  });
}
async function firstAcknowledgement(server, it, kind) {
  const begin = process.hrtime.bigint();
  for (let i = 0; i < 5000 && !server.exited; i++) {
    if (Math.floor(await post(kind) / 100) === 2) return Number(process.hrtime.bigint() - begin) / 1e6;
    await sleep(3);
  }
  throw new Error(`${it.id} does not acknowledge: ${fs.readFileSync(`work/${it.id}.log`, 'utf8').slice(-800)}`);
}
function generate(kind, server, options, core) {
  const args = ['-c', core, JAVA, '-XX:+UseSerialGC', '-Xmx256m', '-cp', 'work/classes', 'LoadGenerator', '--port', PORT, '--path', pathOf(kind), '--kind', kind, '--secret', SECRET, '--payload', PAYLOAD, '--pids', pids(server).join(','), ...options];
  return new Promise((done, failed) => {
    const child = spawn('taskset', args.map(String), { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.on('data', (it) => { text += it; });
    child.on('exit', (code) => { try { done(JSON.parse(text)); } catch { failed(new Error(`The generator ended with ${code}: ${text}`)); } });
  });
}
const pin = (server, core) => { for (const it of pids(server)) execFileSync('taskset', ['-apc', core, it], { stdio: 'ignore' }); };

/** Slack's Web API, GitHub's API and the Agent Run API, as far as Runnel calls them: each start is a run that goes on. */
function platforms() {
  let runs = 0;
  const servers = http.createServer((request, response) => {
    const chunks = [];
    request.on('data', (it) => chunks.push(it));
    request.on('end', () => {
      const answer = (status, it) => { response.writeHead(status, { 'Content-Type': 'application/json' }); response.end(JSON.stringify(it)); };
      if (request.url.startsWith('/api/v1/')) {
        if (request.method === 'GET') return answer(200, { runs: [], page_info: { has_next_page: false } });
        return answer(200, { run_id: `run-${++runs}`, task_id: `run-${runs}`, state: 'INPROGRESS' });
      }
      if (request.url.startsWith('/api/auth.test')) return answer(200, { ok: true, url: 'http://127.0.0.1/', team: 'bench', user: 'bot', team_id: 'T0001EXAMPLE', user_id: 'U0BOTEXAMPLE', bot_id: 'B0BENCH' });
      if (request.url.startsWith('/api/')) return answer(200, { ok: true, channel: 'C2147483705', ts: `${Math.floor(Date.now() / 1000)}.${String(++runs).padStart(6, '0')}` });
      return answer(404, { message: 'Not Found' });
    });
  });
  return new Promise((done) => { servers.listen(PORT + 1, '127.0.0.1', () => done(servers)); });
}

/** Twice the capacity; what 500 a second meet two seconds later; and how many acknowledged deliveries a kill -9 loses. */
async function strain(kind, server, result) {
  result.overload = await generate(kind, server, ['--warm', 0, '--seconds', options.overload, '--rate', 2 * result.full.perSecond, '--connections', 500], '1');
  result.afterwards = await generate(kind, server, ['--warm', 2, '--seconds', options.seconds, '--rate', 500], '1');
  const load = generate(kind, server, ['--warm', 0, '--seconds', 30, '--acknowledged', 'work/acknowledged'], '1');
  await sleep(5000);
  for (const it of pids(server)) process.kill(it, 'SIGKILL');
  result.beforeKill = (await load).acknowledged;
  result.lost = Number(execFileSync(JAVA, ['--enable-native-access=ALL-UNNAMED', '-cp', `${options.jar}:work/classes`, 'Missing', `${server.data}/runnel.db`, 'work/acknowledged']));
}

/** How long the disk takes to keep four pages for good, in ms, at 500 a second: no durable acknowledgement is faster. */
async function flush() {
  const file = fs.openSync('work/flush', 'w');
  const pages = crypto.randomBytes(4 * 4096);
  const times = [];
  for (let i = 0; i < 1000; i++) {
    const begin = process.hrtime.bigint();
    fs.writeSync(file, pages, 0, pages.length, (i % 200) * pages.length);
    fs.fdatasyncSync(file);
    times.push(Number(process.hrtime.bigint() - begin) / 1e6);
    await sleep(2);
  }
  fs.closeSync(file);
  fs.rmSync('work/flush');
  return median(times);
}

async function measure(it, kind, round) {
  const server = start(it);
  try {
    const result = { id: it.id, kind, round, startMs: await firstAcknowledgement(server, it, kind), refusesForgery: Math.floor(await post(kind, 'wrong') / 100) === 4 };
    await sleep(3000);
    result.idleMib = rss(server);
    if (Number(options.warm) > 0) await generate(kind, server, ['--warm', 0, '--seconds', options.warm], '0,1');
    pin(server, '0');
    result.full = await generate(kind, server, ['--warm', 2, '--seconds', options.seconds], '1');
    for (const rate of options.rates.split(',').map(Number).filter((each) => each > 0)) {
      result[`at${rate}`] = await generate(kind, server, ['--warm', 1, '--seconds', options.seconds, '--rate', rate], '1');
    }
    result.loadedMib = rss(server);
    if (it.keeps && kind !== 'message' && kind !== 'reply' && Number(options.overload) > 0) await strain(kind, server, result);
    fs.appendFileSync(out, `${JSON.stringify(result)}\n`);
    log(it.id, kind, `start ${result.startMs.toFixed(0)} ms, idle ${result.idleMib.toFixed(0)} MiB, ${result.full.perSecond} a second, ${result.full.cpuMicros} us, p50 at rates ${Object.keys(result).filter((each) => each.startsWith('at')).map((each) => result[each].p50)}, others ${result.full.otherCpu}`);
    return result;
  } catch (e) {
    log(it.id, kind, 'FAILED', e.message);
    return undefined;
  } finally {
    await stop(server);
  }
}

const median = (list) => { const it = list.filter(Number.isFinite).sort((a, b) => a - b); return it.length ? (it[(it.length - 1) >> 1] + it[it.length >> 1]) / 2 : NaN; };
function table(results) {
  const show = (it, digits = 0) => (Number.isFinite(it) ? it.toFixed(digits) : '-');
  for (const kind of options.kinds.split(',')) {
    const of = (id, get) => results.filter((it) => it.kind === kind && it.id === id).map(get);
    const ids = [...new Set(results.filter((it) => it.kind === kind).map((it) => it.id))];
    const reference = ['slack-bolt', 'probot'].find((it) => ids.includes(it));
    // Ratios are taken within a round, so that a slow minute of the machine hits both sides.
    const ratio = (id, other, get) => median(of(id, (it) => it).map((mine) => get(mine) / get(results.find((it) => it.kind === kind && it.round === mine.round && it.id === other) ?? { full: {} })));
    const rates = options.rates.split(',').filter((it) => Number(it) > 0);
    console.log(`\n${kind}\n\n| | a second | CPU each, us | x ${reference ?? '-'} | x bare Javalin | ${rates.map((it) => `p50 at ${it}/s, ms | quiet p99, ms | `).join('')}first acknowledgement, ms | idle, MiB | after load, MiB |`);
    console.log(`|---|${'---:|'.repeat(7 + rates.length * 2)}`);
    for (const id of ids) {
      console.log(`| ${contenders.find((it) => it.id === id).name} | ${show(median(of(id, (it) => it.full.perSecond)))} | ${show(median(of(id, (it) => it.full.cpuMicros)))} | ${show(ratio(id, reference, (it) => it.full.perSecond), 2)} | ${show(ratio(id, 'javalin', (it) => it.full.perSecond), 2)} | ${rates.map((rate) => `${show(median(of(id, (it) => it[`at${rate}`].p50)) / 1000, 2)} | ${show(median(of(id, (it) => it[`at${rate}`].quietP99)) / 1000, 2)} | `).join('')}${show(median(of(id, (it) => it.startMs)))} | ${show(median(of(id, (it) => it.idleMib)))} | ${show(median(of(id, (it) => it.loadedMib)))} |`);
    }
  }
}

/** The figures of `strain`, one line for each contender and kind. */
function strains(results) {
  for (const it of results.filter((each) => each.overload)) {
    console.log(`${it.id} ${it.kind} round ${it.round}: at twice the capacity ${it.overload.acknowledged} acknowledged, ${it.overload.late} late, ${it.overload.refused} refused, ${it.overload.broken} broken, ${it.overload.unanswered} unanswered, slowest ${(it.overload.max / 1000).toFixed(0)} ms; at 500/s two seconds later p50 ${(it.afterwards.p50 / 1000).toFixed(2)} ms; ${it.lost} of ${it.beforeKill} lost by kill -9`);
  }
}

process.on('SIGINT', () => { for (const it of live) try { process.kill(-it.pid, 'SIGKILL'); } catch { /* it has ended */ } process.exit(130); });
prepare();
const stub = await platforms();
const results = [];
const flushes = [];
for (let round = 1; round <= Number(options.rounds); round++) {
  flushes.push(await flush());
  for (const kind of options.kinds.split(',')) {
    const turn = chosen.filter((it) => it.kinds.includes(kind));
    for (let i = 0; i < turn.length; i++) {
      const result = await measure(turn[(i + round) % turn.length], kind, round);
      if (result) results.push(result);
    }
  }
}
stub.close();
console.log(`${os.cpus().length} x ${os.cpus()[0].model}, ${execFileSync('uname', ['-r']).toString().trim()}, Node.js ${process.version}; a flush of the disk ${median(flushes).toFixed(2)} ms`);
table(results);
strains(results);
process.exit(0);
