import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createCssVariablesTheme, type ShikiTransformer } from 'shiki'
import { defineConfig } from 'vitepress'
import { LANGUAGE_COOKIE } from '../../server/src/texts/languages.ts'
import { contents, contributorPages, manualPages, outputOf } from '../contents.ts'
import { editLink, headingId, linkPages, type Repository } from '../links.ts'
import { listSections } from '../sections.ts'

const ROOT = join(import.meta.dirname, '../..')
/** The service replaces it by the address of the installation. */
const ADDRESS = 'http://localhost:4000'
const DESCRIPTION = 'Loyalty programmes, quests and credentials of communities'

const { repository } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { repository?: Repository }

const files = new Set(manualPages.map(({ file }) => file))
const folders = ['bench', 'client', 'docs', 'examples']

/** The Content-Security-Policy forbids style attributes, so tokens get classes. The colours are in theme/style.css. */
const tokenClasses: ShikiTransformer = {
  name: 'token-classes',
  span(node) {
    const [, kind] = /--shiki-token-([a-z-]+)/.exec(String(node.properties.style)) ?? []
    delete node.properties.style
    if (kind !== undefined) this.addClassToHast(node, `token-${kind}`)
  },
}

/** Marks the document for readers in German before it is painted. Everyone gets the same file. */
const READER_LANGUAGE = `{const chosen=/(?:^|; ?)${LANGUAGE_COOKIE}=(de|en)(?:;|$)/.exec(document.cookie)?.[1]
const known=navigator.languages.map(tag=>tag.slice(0,2).toLowerCase()).find(tag=>tag==='de'||tag==='en')
document.documentElement.dataset.reader=chosen??known??'en'}`

export default defineConfig({
  srcDir: ROOT,
  srcExclude: ['!(bench|client|docs|examples)/**/*', ...otherMarkdown()],
  outDir: 'dist',
  rewrites: Object.fromEntries(manualPages.map((page) => [page.file, outputOf(page)])),
  base: '/docs/',
  cleanUrls: true,
  metaChunk: true,
  // The Content-Security-Policy has no directive for prefetch requests.
  router: { prefetchLinks: false },
  lang: 'en',
  title: 'Questboard',
  titleTemplate: ':title · Questboard',
  description: DESCRIPTION,
  // The app stores the visitor's choice under this name. Disabling transitions needs an inline style.
  appearance: { storageKey: 'mantine-color-scheme-value', disableTransition: false },
  transformHtml: (html) =>
    html
      .replaceAll('vitepress-theme-appearance', 'mantine-color-scheme-value')
      // Scripts set these styles again, and theme/style.css replaces the first. The policy forbids them in HTML.
      .replaceAll(/ style="(?:position:relative|--vp-vh:0px);"/g, ''),
  buildEnd: ({ outDir }) => writeFileSync(join(outDir, 'sections.json'), JSON.stringify(listSections(ROOT))),
  head: [
    ['script', {}, READER_LANGUAGE],
    ['meta', { name: 'color-scheme', content: 'light dark' }],
    ['meta', { property: 'og:type', content: 'website' }],
    ['meta', { property: 'og:site_name', content: 'Questboard' }],
    ['meta', { property: 'og:description', content: DESCRIPTION }],
    ['meta', { property: 'og:image', content: `${ADDRESS}/assets/share.png` }],
    ['meta', { property: 'og:image:width', content: '1200' }],
    ['meta', { property: 'og:image:height', content: '630' }],
    ['meta', { property: 'og:image:alt', content: 'Questboard' }],
    ['meta', { name: 'twitter:card', content: 'summary_large_image' }],
    ['link', { rel: 'icon', href: '/assets/icon.svg', type: 'image/svg+xml' }],
  ],
  transformHead: ({ title, pageData }) => [
    ['meta', { property: 'og:title', content: title }],
    [
      'meta',
      { property: 'og:url', content: `${ADDRESS}/docs/${pageData.relativePath.replace(/(?:index)?\.md$/, '')}` },
    ],
  ],
  ignoreDeadLinks: 'localhostLinks',
  markdown: {
    theme: createCssVariablesTheme(),
    codeTransformers: [tokenClasses],
    anchor: { slugify: headingId },
    attrs: { disable: true },
    emoji: { enabled: [] },
    config: linkPages,
  },
  themeConfig: {
    logoLink: { link: '/', target: '_self' },
    sidebar: contents.map(({ title, pages }) => ({
      text: title,
      items: pages.map(({ label, slug }) => ({ text: label, link: `/${slug}` })),
    })),
    outline: [2, 3],
    externalLinkIcon: false,
    ...editLink(repository),
    search: {
      provider: 'local',
      options: {
        _render(source, env, markdown) {
          if (contributorPages.some(({ file }) => file === env.relativePath)) return ''
          // The search needs the words of the code, not its colours.
          markdown.set({ highlight: null })
          return markdown.render(source, env)
        },
      },
    },
  },
  vite: { build: { assetsInlineLimit: 0, chunkSizeWarningLimit: 2_000 } },
})

/** Markdown files in the folders of the manual that are not pages of it. */
function otherMarkdown(): string[] {
  const all = globSync(['*.md', `{${folders.join(',')}}/**/*.md`], { cwd: ROOT, exclude: ['**/node_modules/**'] })
  return all.filter((file) => !files.has(file))
}
