import { expect, it } from 'vitest'
import { listSections } from '../sections.ts'
import { root } from './build.ts'

it('lists pages and their headings without Markdown', () => {
  const sections = listSections(root)
  expect(sections).toContainEqual({ href: '/docs/webhooks', title: 'Webhooks' })
  expect(sections).toContainEqual({ href: '/docs/pages#home-page', title: 'Home page', page: 'The pages' })
  expect(sections.filter(({ title }) => /[`[\]]|\*\*/.test(title))).toEqual([])
})
