// A phone. "phone.js create DIR" makes jobs while it is offline: nobody tells it of a server. "phone.js sync DIR URL", perhaps
// days later, replicates, waits until all of them have ended, and prints what became of them.
const PouchDB = require('pouchdb');
const [task, folder, url] = process.argv.slice(2);

// The example of the guide.
function ask(db, id, to, subject) {
  return db.put({_id: 'job:email:' + id, data: {to, subject}, times: {created: Date.now()}});
}

function synchronize(db, url, show) {
  db.changes({live: true, since: 'now', include_docs: true}).on('change', change => show(change.doc));
  return db.sync(url, {live: true, retry: true, selector: {_id: {$gte: 'job:', $lt: 'job;'}}});
}
// End of the example.

async function create(db) {
  await ask(db, '1', 'ada@example.org', 'Hello');
  await ask(db, '2', 'bob@example.org', 'Hello');
  await ask(db, '3', 'eve@example.org', 'Nothing');
  await db.put({...await db.get('job:email:3'), status: 'cancelled'});
  await db.close();
}

async function sync(db) {
  const ended = {};
  const end = new Promise((resolve, reject) => {
    const show = doc => {
      if (/^(success|failed|cancelled)$/.test(doc.status)) {
        ended[doc._id] = doc.result === undefined ? doc.status : doc.result;
      }
      if (Object.keys(ended).length === 2) {
        resolve();
      }
    };
    synchronize(db, url, show).on('error', reject).on('denied', reject);
  });
  await end;
  console.log(JSON.stringify({ended, conflicts: (await db.allDocs({include_docs: true, conflicts: true})).rows
    .filter(row => row.doc._conflicts).length}));
  process.exit(0);
}

(task === 'create' ? create : sync)(new PouchDB(folder)).catch(trouble => {
  console.error(trouble);
  process.exit(1);
});
