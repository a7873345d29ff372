import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createGate } from '../../src/live/gate.ts'

test('runs a bounded number of tasks, lets others wait, and refuses more', async () => {
  const gate = createGate(2, 1)
  const ends: (() => void)[] = []
  const task = () => gate(() => new Promise<void>((resolve) => ends.push(resolve)))
  const [first, second, third] = [task(), task(), task()]
  await expect(task()).rejects.toThrow('overloaded')
  expect(ends).toHaveLength(2)
  ends[0]?.()
  await first
  await nextTurn()
  expect(ends).toHaveLength(3)
  for (const end of ends) end()
  await Promise.all([second, third])
  await expect(gate(async () => 'free')).resolves.toBe('free')
})

test('frees a turn when a task fails', async () => {
  const gate = createGate(1, 1)
  await expect(gate(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  await expect(gate(async () => 'free')).resolves.toBe('free')
})
