import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import type { Clock } from '../../src/clock.ts'
import { mirrorCommand, mirrorDisplay } from '../../src/command/mirror.ts'

const questboard = (...args: string[]) =>
  mirrorCommand(async () => {
    throw new Error('the database was opened')
  })
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .parseAsync(args, { from: 'user' })
const from = ['--from', 'https://source.example', '--token', 't']

test.each<[string[], RegExp]>([
  [['--token', 't'], /required option '--from <url>'/],
  [['--from', 'ftp://source.example', '--token', 't'], /absolute http or https URL/],
  [['--from', 'https://a:b@source.example', '--token', 't'], /must not contain a user name/],
  [[...from, '--space', 'forty'], /whole number from 1 to 2147483647/],
  [[...from, '--credential', 'x'], /numeric id/],
  [['--from', 'https://source.example', '--space', '1'], /--token-file or --token/],
  [[...from, '--token-file', 'f', '--space', '1'], /--token-file or --token/],
  [
    ['--from', 'https://source.example', '--token-file', '/dev/null', '--space', '1'],
    /first line of \/dev\/null is not/,
  ],
  [[...from], /Specify what to copy/],
  [[...from, '--starboard', '1', '--sprint', '2'], /--sprint needs exactly one --space/],
  [[...from, '--space', '1', '--addresses', 'f'], /--addresses needs a --credential/],
])('rejects %j before it opens the database', async (args, message) => {
  await expect(questboard(...args)).rejects.toThrow(message)
})

test.each([
  ['--token-file', ['--from', 'https://source.example', '--token-file', 'missing.txt', '--space', '1']],
  ['--addresses', [...from, '--credential', '1', '--addresses', 'missing.txt']],
])('prints the absolute path of a missing file of %s', async (option, args) => {
  await expect(questboard(...args)).rejects.toThrow(`${option}: the file ${resolve('missing.txt')} does not exist.`)
})

test('shows rate and time left with the first page', () => {
  let now = 0
  const lines: string[] = []
  const clock = { now: () => now } as Clock
  const { progress } = mirrorDisplay({ write: (text) => lines.push(text) }, clock, [])
  progress('space 40', 0, undefined)
  now = 500
  progress('space 40', 1_000, 10_000)
  expect(lines).toEqual(['space 40: 1,000 of 10,000, 2,000/s, 0:05 left\n'])
  now = 1_000
  progress('space 40', 2_000, 10_000)
  expect(lines).toHaveLength(1)
  now = 6_000
  progress('space 40', 9_000, 10_000)
  expect(lines[1]).toBe('space 40: 9,000 of 10,000, 1,500/s, 0:01 left\n')
})

test('reads the token from the first line of a file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'questboard-mirror-'))
  const file = join(folder, 'source.token')
  writeFileSync(file, 'qbs_of_the_source\n')
  const orders = ['--from', 'https://source.example', '--token-file', file, '--space', '1']
  await expect(questboard(...orders)).rejects.toThrow('the database was opened')
  rmSync(folder, { recursive: true })
})
