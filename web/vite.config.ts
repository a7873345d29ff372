import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants as zlib } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/** Pages that are not built here name these files too: server/src/http/static-page.ts and the manual's style. */
const STABLE_NAMES = /^inter-.*\.woff2$/

/** Modules that every page of the console loads, and the sign-in page does not: the list of pages, and the texts for operators. */
const CONSOLE =
  /\/src\/(navigation\/|shell\/(page-layout|breadcrumb)\.|texts\/operator-pages\.|texts\/en\/(bans|imports|operator|operator-pages|people)\.)/

// The pages are served under a strict Content-Security-Policy: nothing inline, nothing from elsewhere.
export default defineConfig({
  plugins: [react(), compressAssets()],
  resolve: { dedupe: ['graphql', 'react', 'react-dom'] },
  build: {
    target: 'es2023',
    rolldownOptions: {
      input: { app: 'app.html' },
      output: {
        // Else a page loads up to 85 files, many under 1 kB. With a lower count, sign-in loads what only the console uses.
        codeSplitting: {
          groups: [
            { name: 'shared', minShareCount: 18, priority: 2, test: (id) => !CONSOLE.test(id) },
            { name: 'console', priority: 1, test: CONSOLE },
          ],
        },
        assetFileNames: ({ names: [name = ''] }) =>
          STABLE_NAMES.test(name) ? 'assets/[name][extname]' : 'assets/[name]-[hash][extname]',
      },
    },
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: { proxy: { '/query': 'http://localhost:4000', '/schema.graphql': 'http://localhost:4000' } },
})

/** Writes a Brotli copy of each larger text file, so that the service does not compress responses. */
function compressAssets(): Plugin {
  return {
    name: 'compress-assets',
    apply: 'build',
    async writeBundle({ dir = '' }) {
      const assets = join(dir, 'assets')
      for (const name of await readdir(assets)) {
        if (!/\.(js|css|svg)$/.test(name)) continue
        const content = await readFile(join(assets, name))
        if (content.length < 1_000) continue
        const params = { [zlib.BROTLI_PARAM_QUALITY]: 7 }
        await writeFile(join(assets, `${name}.br`), await promisify(brotliCompress)(content, { params }))
      }
    },
  }
}
