import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { refuseWhenAnswered, whileUnanswered } from '../../src/database/answered.ts'
import { createGroupCommit } from '../../src/database/group-commit.ts'

test('items that waited for the items of another request are stored after the response to it', async () => {
  const stored: string[][] = []
  const queue = createGroupCommit<string, string, string>({
    items: 'items',
    together: 10,
    maxWaiting: 100,
    maxPerSender: 100,
    async store(_key, items) {
      await setImmediate()
      refuseWhenAnswered()
      stored.push([...items])
      return { outcomes: [...items] }
    },
  })
  const request = async (id: string) => {
    let answered = false
    const outcomes = await whileUnanswered({ id, wasAnswered: () => answered }, () =>
      queue.submit(id, new Map([['row', [id]]])),
    )
    answered = true
    return outcomes.get('row')
  }
  expect(await Promise.all(['first', 'second', 'third'].map(request))).toEqual([['first'], ['second'], ['third']])
  expect(stored).toEqual([['first'], ['second', 'third']])
})
