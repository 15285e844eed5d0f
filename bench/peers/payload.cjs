// Writes GitHub's own example of issues.labeled, with 12 zeros that the generator replaces by a counter.
const fs = require('node:fs');
const all = require('@octokit/webhooks-examples');
const it = (all.default || all).find((each) => each.name === 'issues').examples.find((each) => each.action === 'labeled');
// Each delivery is about another repository: a second one about the same change would not be stored.
it.repository.full_name = 'Codertocat/Hello-000000000000';
it.installation ??= { id: 2, node_id: 'MDIzOkludGVncmF0aW9uSW5zdGFsbGF0aW9uMg==' };
fs.writeFileSync(process.argv[2], JSON.stringify(it));
