import { expect, it } from 'vitest'
import { feedOf } from '../../src/rules/by-address.ts'

it('rejects a history with too many rows of one member before it reads the end', async () => {
  let pages = 0
  async function* endless() {
    for (;;) {
      pages++
      yield Array.from({ length: 10 }, () => ({ address: 'ann' }))
    }
  }
  const tooMany = () => new Error('too many')
  await expect(feedOf(endless()).take('ann', 25, tooMany)).rejects.toThrow('too many')
  expect(pages).toBe(3)
})

it('reads a history with just as many rows as allowed', async () => {
  async function* rows() {
    yield [{ address: 'ann' }, { address: 'ann' }]
    yield [{ address: 'ann' }, { address: 'bob' }]
  }
  const feed = feedOf(rows())
  const tooMany = () => new Error('too many')
  expect(await feed.take('ann', 3, tooMany)).toHaveLength(3)
  expect(await feed.peek()).toBe('bob')
})
