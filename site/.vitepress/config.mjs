// The site: the Markdown of the repository as it is. The README is the first page, and its lists are the navigation.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';

const home = join(dirname(fileURLToPath(import.meta.url)), '../..');
/** Where the sources can be read, such as https://code.example.org/couchjobs. Without it what is no page is named and not linked. */
const repository = process.env.COUCHJOBS_HOME_URL;
const sections = ['Start', 'Use', 'Operate', 'Understand'];

/** As code hosts make anchors from headings, so that the same links work there. */
function slugify(heading) {
  return heading.trim().toLowerCase().replace(/[^\p{L}\p{N}_\- ]/gu, '').replaceAll(' ', '-');
}

function sidebar() {
  const readme = readFileSync(join(home, 'README.md'), 'utf8');
  return sections.map((section) => ({
    text: section,
    collapsed: section !== 'Start',
    items: [...readme.split(`\n## ${section}\n`)[1].split('\n## ')[0].matchAll(/\[([^\]]+)\]\(([^)#]+)\.md\)/g)]
      .map(([, text, page]) => ({ text: text[0].toUpperCase() + text.slice(1), link: '/' + page })),
  }));
}

/** What is no page of the site is shown by the code host, or null. A link to nothing ends the build. */
function target(href, page) {
  if (/^([a-z]+:|#)/.test(href)) {
    return href;
  }
  const [path, anchor] = href.split('#');
  const file = normalize(join(dirname(page), path)).replace(/\/$/, '');
  if (!existsSync(join(home, file))) {
    throw new Error(`${page}: there is no ${href}`);
  }
  if (!file.endsWith('.md')) {
    return repository && `${repository}/${statSync(join(home, file)).isDirectory() ? 'tree' : 'blob'}/main/${file}`;
  }
  const other = file === 'README.md' ? 'index.md' : file;
  return './' + relative(dirname(page), other) + (anchor ? '#' + anchor : '');
}

/** Indented code looks as fenced code does. */
function adapt(md) {
  md.core.ruler.push('couchjobs', (state) => {
    for (const block of state.tokens) {
      if (block.type === 'code_block') {
        Object.assign(block, { type: 'fence', tag: 'code', markup: '```', info: 'txt' });
      }
      const open = [];
      for (const token of block.children || []) {
        if (token.type === 'link_open') {
          open.push(token);
          const href = target(token.attrGet('href'), state.env.relativePath);
          token.tag = href ? 'a' : 'span';
          token.attrs = href ? [['href', href]] : null;
          token.type = href ? token.type : 'plain_open';
        } else if (token.type === 'link_close') {
          token.tag = open.pop().tag;
          token.type = token.tag === 'a' ? token.type : 'plain_close';
        }
      }
    }
  });
}

export default defineConfig({
  title: 'couchjobs',
  description: 'A job queue for the JVM that lives in the CouchDB you already have.',
  srcDir: '..',
  srcExclude: ['**/target/**', '.github/**', 'site/**'],
  cacheDir: '../target/site-cache',
  rewrites: { 'README.md': 'index.md' },
  cleanUrls: false,
  markdown: {
    html: false,
    linkify: false,
    anchor: { slugify },
    config: adapt,
  },
  // The pages are outside of the folder that has the packages.
  vite: { resolve: { alias: [{ find: /^vue(?=$|\/)/, replacement: join(home, 'site/node_modules/vue') }] } },
  themeConfig: {
    sidebar: sidebar(),
    outline: [2, 3],
    search: { provider: 'local' },
    nav: repository ? [{ text: 'Source', link: repository }] : [],
  },
});
