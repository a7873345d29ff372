import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { pathOf, startActs } from '../../verify/act-fixture.ts'

const { service, member, questOn } = await startActs()
afterAll(() => service.close())

const jsonOf = (page: string): object[] =>
  [...readFileSync(join(import.meta.dirname, '../../../..', page), 'utf8').matchAll(/```json\n(.*?)```/gs)].map(
    ([, text = '']) => JSON.parse(text) as object,
  )

test('the quiz of the manual gives the documented answer', async () => {
  const quiz = jsonOf('docs/sync.md').find((source) => 'kind' in source && source.kind === 'QUIZ')
  const [body, result] = jsonOf('docs/quests.md')
  const asked = await questOn(quiz as object)
  const { browser } = await member()
  const answered = await browser.call('POST', `${pathOf(asked)}/attempts`, body)
  expect(answered.json()).toEqual(result)
})
