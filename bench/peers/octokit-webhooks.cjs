// @octokit/webhooks with its own middleware for Node.js, and one handler.
(async () => {
  const { createServer } = await import('node:http');
  const { Webhooks, createNodeMiddleware } = await import('@octokit/webhooks');
  const { port, host, secret } = require('./common.cjs');
  const log = { debug() {}, info() {}, warn() {}, error: console.error };
  const webhooks = new Webhooks({ secret, log });
  webhooks.on('issues.labeled', async () => {});
  createServer(createNodeMiddleware(webhooks, { path: '/webhooks/github', log })).listen(port, host);
})();
