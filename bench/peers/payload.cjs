// Writes GitHub's own example of issues.labeled, with 12 zeros that the generator replaces by a counter.
const fs = require('node:fs');
const all = require('@octokit/webhooks-examples');
const it = (all.default || all).find((each) => each.name === 'issues').examples.find((each) => each.action === 'labeled');
it.issue.body = `${it.issue.body || ''} 000000000000`;
it.issue.updated_at = '2019-05-15T15:20:18Z000000000000'.replace('Z000000000000', 'Z');
it.installation ??= { id: 2, node_id: 'MDIzOkludGVncmF0aW9uSW5zdGFsbGF0aW9uMg==' };
fs.writeFileSync(process.argv[2], JSON.stringify(it));
