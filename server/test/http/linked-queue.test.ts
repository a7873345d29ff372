import { expect, test } from 'vitest'
import { LinkedQueue, type LinkedItem } from '../../src/http/linked-queue.ts'
import { SlotList } from '../../src/http/slot-list.ts'

interface Person extends LinkedItem {
  name: string
}

const person = (name: string): Person => ({ name, before: undefined, behind: undefined })

/** The names in the line; reading removes them. */
function names(line: LinkedQueue<Person>): string {
  let text = ''
  for (let next = line.first; next; next = line.first) {
    text += next.name
    line.remove(next)
  }
  expect(line.size).toBe(0)
  return text
}

test.each([
  ['first', 'a', 'bcd'],
  ['in the middle', 'c', 'abd'],
  ['last', 'd', 'abc'],
])('keeps the order when an entry leaves (%s), and appends it when it returns', (_, who, left) => {
  const people = [...'abcd'].map(person)
  const leaves = people.find(({ name }) => name === who) as Person
  for (const back of [false, true]) {
    const line = new LinkedQueue<Person>()
    for (const one of people) line.add(one)
    line.remove(leaves)
    expect([leaves.before, leaves.behind, line.size]).toEqual([undefined, undefined, 3])
    if (back) line.add(leaves)
    expect(names(line)).toBe(back ? left + who : left)
  }
})

test('is empty after its only entry leaves, and accepts new entries', () => {
  const line = new LinkedQueue<Person>()
  const one = person('a')
  line.add(one)
  line.remove(one)
  expect([line.first, line.size]).toEqual([undefined, 0])
  line.add(one)
  line.add(person('b'))
  expect(names(line)).toBe('ab')
})

test('reuses a free place and keeps the other places', () => {
  const places = new SlotList<string>()
  const [a, b, c] = ['a', 'b', 'c'].map((item) => places.take(item)) as [number, number, number]
  places.leave(b)
  expect([places.size, places.all()]).toEqual([2, ['a', 'c']])
  expect(places.take('d')).toBe(b)
  places.leave(a)
  places.leave(c)
  expect([places.size, places.all()]).toEqual([1, ['d']])
})
