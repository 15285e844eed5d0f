// probot, as its documentation serves it from Node.js, with one handler.
(async () => {
  const { createServer } = await import('node:http');
  const { generateKeyPairSync } = await import('node:crypto');
  const { createNodeMiddleware, createProbot } = await import('probot');
  const { port, host, secret } = require('./common.cjs');
  // The handler never calls GitHub, so any key will do.
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const probot = createProbot({ overrides: { appId: 1, privateKey, secret, logLevel: 'fatal' } });
  const app = (it) => { it.on('issues.labeled', async () => {}); };
  const middleware = await createNodeMiddleware(app, { probot, webhooksPath: '/webhooks/github' });
  createServer((req, res) => middleware(req, res, () => { res.writeHead(404); res.end(); })).listen(port, host);
})();
