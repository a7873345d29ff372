import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { requireNoResponse, runInRequest } from '../../src/database/request-context.ts'
import { createGroupCommit, RowLocked } from '../../src/database/group-commit.ts'

test('stores items that waited for another request after the response to that request', async () => {
  const stored: string[][] = []
  const queue = createGroupCommit<string, string, string>({
    items: 'items',
    together: 10,
    maxWaiting: 100,
    maxPerSender: 100,
    async store(_key, items) {
      await setImmediate()
      requireNoResponse()
      stored.push([...items])
      return { outcomes: [...items] }
    },
  })
  const request = async (id: string) => {
    let answered = false
    const outcomes = await runInRequest({ id, isResponseSent: () => answered }, () =>
      queue.submit(id, new Map([['row', [id]]])),
    )
    answered = true
    return outcomes.get('row')
  }
  expect(await Promise.all(['first', 'second', 'third'].map(request))).toEqual([['first'], ['second'], ['third']])
  expect(stored).toEqual([['first'], ['second', 'third']])
})

/** A queue of items such as `a1`, whose row is `a`, for one key. */
function queueWithRows(fails: (item: string) => boolean) {
  const locked = new Set<string>()
  const stored: string[] = []
  const queue = createGroupCommit<string, string, string>({
    items: 'items',
    rowOf: (item) => item.charAt(0),
    together: 2,
    maxWaiting: 100,
    maxPerSender: 100,
    async store(_key, items) {
      await setImmediate()
      const row = items.map((item) => item.charAt(0)).find((name) => locked.has(name))
      if (row !== undefined) throw new RowLocked(row, undefined)
      if (items.some(fails)) throw new Error('failed')
      stored.push(...items)
      return { outcomes: [...items] }
    },
  })
  const submit = async (item: string) => (await queue.submit(item, new Map([['key', [item]]]))).get('key')
  return { locked, stored, submit, waiting: queue.waiting }
}

test('items of a locked row do not hold up those of other rows, however many they are', async () => {
  const { locked, stored, submit, waiting } = queueWithRows(() => false)
  locked.add('a').add('b')
  const held = ['a1', 'a2', 'a3', 'b1', 'a4', 'a5'].map(submit)
  expect(await Promise.all(['c1', 'd1', 'c2'].map(submit))).toEqual([['c1'], ['d1'], ['c2']])
  expect(stored).toEqual(['c1', 'd1', 'c2'])
  expect(waiting()).toBe(6)
  locked.clear()
  expect(await Promise.all(held)).toEqual([['a1'], ['a2'], ['a3'], ['b1'], ['a4'], ['a5']])
  expect(stored.filter((item) => item.startsWith('a'))).toEqual(['a1', 'a2', 'a3', 'a4', 'a5'])
  expect(waiting()).toBe(0)
})

test('does not try an item again that failed beside an item of a locked row', async () => {
  let failures = 0
  const { locked, stored, submit, waiting } = queueWithRows((item) => {
    if (item === 'c1') failures++
    return item === 'c1'
  })
  locked.add('a')
  const first = submit('b1')
  const held = submit('a1')
  await expect(submit('c1')).rejects.toThrow('failed')
  expect(await first).toEqual(['b1'])
  const before = failures
  locked.clear()
  expect(await held).toEqual(['a1'])
  expect([failures, stored, waiting()]).toEqual([before, ['b1', 'a1'], 0])
})
