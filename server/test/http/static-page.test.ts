import { expect, test } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { missingPage } from '../../src/http/missing-page.ts'
import { pageTexts } from '../../src/texts/page-texts.ts'

const page = missingPage(loadConfig({}).brand, pageTexts.en, 'page')

test('preloads the font of its style before the style', () => {
  const [, font = ''] = /src:\s*url\('([^']+)'\)/.exec(page) ?? []
  const preload = `<link rel="preload" href="${font}" as="font" type="font/woff2" crossorigin>`
  expect(page).toContain(preload)
  expect(page.indexOf(preload)).toBeLessThan(page.indexOf('<style>'))
})
