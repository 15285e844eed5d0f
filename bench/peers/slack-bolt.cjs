// @slack/bolt with its default HTTPReceiver. It acknowledges a command at once and keeps nothing. It listens to
// messages, as a bot in a channel does.
const { App, HTTPReceiver } = require('@slack/bolt');
const { port, host, secret } = require('./common.cjs');
const receiver = new HTTPReceiver({ signingSecret: secret, logLevel: 'error' });
const app = new App({
  receiver,
  logLevel: 'error',
  authorize: async () => ({ botToken: 'xoxb-bench', botId: 'B0BENCH', botUserId: 'U0BENCH', teamId: 'T0001EXAMPLE' }),
});
app.command('/agent', async ({ ack }) => { await ack(); });
app.message(async () => {});
receiver.start({ port, host });
