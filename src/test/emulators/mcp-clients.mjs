// Uses Runnel's MCP server with the official clients: that of the revisions with a handshake, and
// that of the revision without one. Says what it saw.
// Usage: node mcp-clients.mjs URL KEY
import assert from 'node:assert/strict';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const [url, key] = process.argv.slice(2);
const info = { name: 'test', version: '1.0.0' };
const options = { requestInit: { headers: { Authorization: `Bearer ${key}` } } };

async function use(name, client, transport) {
  const said = (what) => console.log(`ok ${name} ${what}`);
  await client.connect(transport);
  assert.equal(client.getServerVersion().name, 'runnel');
  assert.equal(transport.protocolVersion ?? client.getNegotiatedProtocolVersion(), name);
  said('connects');

  const { tools } = await client.listTools();
  assert.deepEqual(
    tools.map((tool) => tool.name),
    ['start_run', 'send_message', 'stop_run', 'list_runs', 'get_run', 'read_transcript'],
  );
  said('lists tools');

  const call = async (tool, given) => {
    const result = await client.callTool({ name: tool, arguments: given });
    assert.ok(!result.isError, JSON.stringify(result));
    return result.content[0].text;
  };
  const json = async (tool, given) => JSON.parse(await call(tool, given));

  const { run_id } = await json('start_run', { prompt: 'ASK which colour?', title: `Ask ${name}` });
  const waiting = await json('get_run', { run_id, wait_seconds: 40 });
  assert.equal(waiting.state, 'BLOCKED');
  assert.equal(waiting.status_message.message, 'which colour?');
  said('starts a run and waits for its question');

  await call('send_message', { run_id, message: 'green – 👋' });
  const done = await json('get_run', { run_id, wait_seconds: 40 });
  assert.equal(done.state, 'SUCCEEDED');
  assert.equal(done.status_message.message, 'heard: green – 👋');
  said('answers it');

  assert.match(await call('read_transcript', { run_id }), /said: heard: green – 👋/);
  said('reads the transcript');

  const { runs } = await json('list_runs', { query: `Ask ${name}` });
  assert.deepEqual(runs.map((run) => run.run_id), [run_id]);
  said('lists runs');

  const slow = await json('start_run', { prompt: 'SLOW' });
  assert.equal((await json('stop_run', { run_id: slow.run_id })).state, 'CANCELLED');
  said('stops a run');

  const refused = await client.callTool({ name: 'get_run', arguments: { run_id: 'none' } });
  assert.equal(refused.isError, true);
  await assert.rejects(client.callTool({ name: 'no_such_tool', arguments: {} }), /no_such_tool/);
  said('reads errors');
  await client.close();
}

await use('2025-11-25', new OldClient(info), new OldTransport(new URL(url), options));
await use(
  '2026-07-28',
  new Client(info, { versionNegotiation: { mode: 'auto' } }),
  new StreamableHTTPClientTransport(new URL(url), options),
);
