// Saves documents with PouchDB: reads a request {url, docs} a line, and prints what became of the documents, a line each.
const {createInterface} = require('node:readline');
const {createRequire} = require('node:module');
const {join} = require('node:path');

const PouchDB = createRequire(join(process.env.COUCHJOBS_POUCHDB, 'package.json'))('pouchdb');

(async () => {
  for await (const line of createInterface({input: process.stdin})) {
    const {url, docs} = JSON.parse(line);
    let rows = [];
    try {
      rows = await new PouchDB(url, {skip_setup: true}).bulkDocs(docs);
    } catch (trouble) {
      console.error(`cannot save documents: ${trouble.message}`);
    }
    console.log(JSON.stringify(rows));
  }
})();
