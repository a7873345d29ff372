import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { watchHeartbeats } from '../../src/workers/heartbeat.ts'

test('replaces a process that no longer responds once, and keeps one that responds', async () => {
  const heartbeats = watchHeartbeats({ interval: 2, maxSilence: 10, maxSilenceAlone: 60_000 })
  let silent = 0
  let living = 0
  let asked = 0
  const dead = heartbeats.watch({ ask: () => asked++, onUnresponsive: () => silent++ })
  const alive = heartbeats.watch({ ask: () => alive.answered(), onUnresponsive: () => living++ })
  try {
    await expect.poll(() => silent).toBe(1)
    await sleep(30)
  } finally {
    for (const heartbeat of [dead, alive]) heartbeat.end()
  }
  expect({ asked, silent, living }).toEqual({ asked: 5, silent: 1, living: 0 })
})

test('waits longer for silent processes as long as no other process responds', async () => {
  let answering = false
  const replaced: string[] = []
  const asked = { silent: 0, other: 0 }
  const heartbeats = watchHeartbeats({ interval: 2, maxSilence: 10, maxSilenceAlone: 60_000 })
  const silent = heartbeats.watch({ ask: () => asked.silent++, onUnresponsive: () => replaced.push('silent') })
  const other = heartbeats.watch({
    ask() {
      asked.other++
      if (answering) other.answered()
    },
    onUnresponsive: () => replaced.push('other'),
  })
  try {
    await expect.poll(() => Math.min(asked.silent, asked.other)).toBeGreaterThan(10)
    expect(replaced).toEqual([])
    answering = true
    await expect.poll(() => replaced).toEqual(['silent'])
    const before = asked.other
    await expect.poll(() => asked.other - before).toBeGreaterThan(10)
  } finally {
    for (const heartbeat of [silent, other]) heartbeat.end()
  }
  expect(replaced).toEqual(['silent'])
})
