// check.mjs DIR: each link of the built site leads to a file that is there, and to a heading that it has.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const site = process.argv[2];
const pages = readdirSync(site, { recursive: true }).filter((file) => file.endsWith('.html') && file !== '404.html');
const text = Object.fromEntries(pages.map((page) => [page, readFileSync(join(site, page), 'utf8')]));
const ids = (page) => new Set([...(text[page] ?? '').matchAll(/ id="([^"]*)"/g)].map(([, id]) => id));

const broken = [];
let links = 0;
for (const page of pages) {
  for (const [, href] of text[page].matchAll(/<a [^>]*href="([^"]*)"/g)) {
    if (/^[a-z]+:/.test(href)) {
      continue;
    }
    links++;
    const [path, anchor] = decodeURI(href).split('#');
    const file = !path ? page : path.startsWith('/') ? path.slice(1) : join(dirname(page), path);
    const other = normalize(file === '' || file.endsWith('/') ? file + 'index.html' : file);
    if (!existsSync(join(site, other)) || (anchor && !ids(other).has(anchor))) {
      broken.push(`${page}: ${href}`);
    }
  }
}
broken.forEach((link) => console.error(`leads nowhere: ${link}`));
console.log(`${pages.length} pages, ${links} links, ${broken.length} of them broken`);
process.exit(broken.length === 0 && pages.length > 40 ? 0 : 1);
