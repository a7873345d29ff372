import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type Programmes, startProgrammes } from '../../programme/arrange.ts'

const guide = readFileSync(new URL('../../../../docs/guides/programme-in-git.md', import.meta.url), 'utf8')
const blocks = [...guide.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language, text]) => ({ language, text }))
const [file = ''] = blocks.flatMap(({ language, text = '' }) => (language === 'yaml' ? [text] : []))
const [compared, changed, refused] = blocks.flatMap(({ language, text = '' }) =>
  language === 'text' ? [text.trim()] : [],
)

let programmes: Programmes
beforeAll(async () => {
  programmes = await startProgrammes()
  vi.stubEnv('LIST_KEY', 'Bearer key')
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await programmes.close()
})

it('prints what the guide shows', async () => {
  const apply = (text: string, ...options: string[]) => programmes.apply({ 'meridian.yaml': text }, ...options)
  expect(await apply(file, '--diff')).toBe(compared)
  expect(await apply(file)).toContain('5 created')
  expect(await apply(file.replace('loyaltyPoints: 25', 'loyaltyPoints: 50'))).toBe(changed)
  await expect(apply(file.replace('type: Drop', 'type: Dropp'))).rejects.toThrow(refused)
  const exported = await programmes.export('--space', '40', '--starboard', 'aura')
  expect(exported).toContain('stored: lists.example')
  expect(await apply(exported, '--diff')).toContain('0 created, 0 changed, 5 unchanged')
})
