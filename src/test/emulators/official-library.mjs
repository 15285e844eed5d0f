// Drives an Agent Run Service with the official TypeScript library, and says what it saw.
// Usage: node official-library.mjs BASE_URL KEY
import assert from 'node:assert/strict';
import OzAPI from 'oz-agent-sdk';

const [baseURL, apiKey] = process.argv.slice(2);
const client = new OzAPI({ baseURL, apiKey, maxRetries: 0 });
const said = (what) => console.log(`ok ${what}`);

async function until(runId, wanted) {
  for (let look = 0; look < 200; look++) {
    const run = await client.agent.runs.retrieve(runId);
    if (wanted.includes(run.state)) return run;
    await new Promise((later) => setTimeout(later, 50));
  }
  throw new Error(`run ${runId} did not become ${wanted}`);
}

async function refused(status, call) {
  await assert.rejects(call, (error) => error.status === status && error.error.type.length > 0);
}

const created = await client.agent.run({
  prompt: 'say "hello" – 👋',
  title: 'Hello',
  config: { name: 'greeting', model_id: 'some', mcp_servers: { t: { command: 'tool', args: ['a'] } } },
});
assert.equal(created.task_id, created.run_id);
said('creates on /agent/run');

const plural = await client.post('/agent/runs', { body: { prompt: 'say more' } });
assert.ok(plural.run_id);
said('creates on /agent/runs');

const run = await until(created.run_id, ['SUCCEEDED']);
assert.equal(run.prompt, 'say "hello" – 👋');
assert.equal(run.title, 'Hello');
assert.equal(run.agent_config.mcp_servers.t.command, 'tool');
assert.equal(run.source, 'API');
assert.ok(run.session_link && run.session_id && run.conversation_id);
assert.match(run.status_message.message, /hello/);
said('retrieves');

const page = await client.agent.runs.list({ name: 'greeting', state: ['SUCCEEDED', 'FAILED'], limit: 1 });
assert.equal(page.runs.length, 1);
assert.equal(page.page_info.has_next_page, false);
const first = await client.agent.runs.list({ limit: 1, sort_by: 'created_at', sort_order: 'asc' });
assert.equal(first.page_info.has_next_page, true);
const second = await client.agent.runs.list({
  limit: 1, sort_by: 'created_at', sort_order: 'asc', cursor: first.page_info.next_cursor,
});
assert.notEqual(second.runs[0].run_id, first.runs[0].run_id);
const timed = await client.agent.runs.list({ created_after: new Date(0).toISOString(), q: 'hello' });
assert.equal(timed.runs.length, 1);
said('lists');

const followUp = await client.post(`/agent/runs/${created.run_id}/followups`, { body: { message: 'again' } });
assert.ok('followup_id' in followUp && followUp.outcome === 'handoff_execution');
await until(created.run_id, ['SUCCEEDED']);
said('follows up');

const slow = await client.agent.run({ prompt: 'SLOW' });
await until(slow.run_id, ['INPROGRESS']);
assert.equal(await client.agent.runs.cancel(slow.run_id), slow.run_id);
assert.equal((await client.agent.runs.retrieve(slow.run_id)).state, 'CANCELLED');
await refused(400, client.agent.runs.cancel(slow.run_id));
said('cancels');

const skills = await client.agent.list({ sort_by: 'name' });
assert.ok(Array.isArray(skills.agents));
said('lists skills');

const schedule = await client.agent.schedules.create({ name: 'nightly', cron_schedule: '0 2 * * *', prompt: 'tidy' });
assert.equal((await client.agent.schedules.retrieve(schedule.id)).name, 'nightly');
assert.equal((await client.agent.schedules.pause(schedule.id)).enabled, false);
assert.equal((await client.agent.schedules.resume(schedule.id)).enabled, true);
assert.equal(
  (await client.agent.schedules.update(schedule.id, { name: 'weekly', cron_schedule: '0 2 * * 1', enabled: true, prompt: 'tidy' })).name,
  'weekly',
);
assert.equal((await client.agent.schedules.list()).schedules.length, 1);
assert.equal((await client.agent.schedules.delete(schedule.id)).success, true);
said('keeps schedules');

await refused(400, client.agent.run({}));
await refused(404, client.agent.runs.retrieve('nobody'));
await refused(401, new OzAPI({ baseURL, apiKey: 'wk-wrong', maxRetries: 0 }).agent.runs.list());
await refused(400, client.agent.runs.list({ limit: 0 }));
said('reads errors');

const { data, response } = await client.agent.runs.retrieve(created.run_id).withResponse();
assert.equal(response.status, 200);
assert.equal(data.run_id, created.run_id);
said('shows raw responses');
