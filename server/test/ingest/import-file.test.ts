import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { importFile } from '../../src/ingest/import-file.ts'
import { ImportRefusedError } from '../../src/ingest/problems.ts'
import type { Step } from '../../src/ingest/import-rows.ts'
import { ImportFileError } from '../../src/ingest/source.ts'
import { testClock } from '../support/clock.ts'
import { createTestDatabase, isCluster, type TestDatabase } from '../support/database.ts'
import { importText, problemsOf, temporaryFile } from './files.ts'

const A = `0x${'a'.repeat(40)}`
const B = `0x${'b'.repeat(40)}`
let database: TestDatabase
let deps: Parameters<typeof importText>[0]
beforeAll(async () => {
  database = await createTestDatabase()
  deps = { database, clock: testClock() }
})
afterAll(() => database.drop())
beforeEach(async () => {
  await database.query(
    'TRUNCATE quest_participants, quest_claims, quest_conditions, spaces, ledger_entries, board_moves, board_entries, board_past, other_board_changes, credentials, credential_holders, starboards, profiles CASCADE',
  )
  await importText(deps, 'spaceId,name\n40,Forty\n')
})

const stored = () =>
  database.query('SELECT sprint_id, address, points FROM board_entries ORDER BY sprint_id, points DESC, address')

describe('file formats', () => {
  const rows = [
    { sprint_id: 0, address: A, points: 5 },
    { sprint_id: 0, address: B, points: 3 },
  ]
  test.each([
    ['CSV', `spaceId,address,points\n40,${A},5\n40,${B},3\n`],
    ['CSV without a last line feed', `spaceId,address,points\n40,${A},5\n40,${B},3`],
    [
      'CSV with CRLF, blank lines and a byte-order mark',
      `\uFEFFspaceId,address,points\r\n\r\n40,${A},5\r\n\r\n40,${B},3\r\n`,
    ],
    ['CSV with quotes', `"spaceId","address","points"\n"40","${A}","5"\n40,"${B}",3\n`],
    ['CSV with semicolons', `spaceId;address;points\n40;${A};5\n40;${B};3\n`],
    ['CSV with tabs', `spaceId\taddress\tpoints\n40\t${A}\t5\n40\t${B}\t3\n`],
    ['CSV with columns in any order', `points,spaceId,sprintId,address\n5,40,,${A}\n3,40,0,${B}\n`],
    [
      'NDJSON',
      `{"spaceId":40,"address":"${A}","points":5}\n\n{"points":"3","spaceId":"40","address":"${B}","sprintId":null}\n`,
    ],
  ])('imports %s, also gzipped', async (_, content) => {
    expect(await importText(deps, content)).toMatchObject({ kind: 'points', read: 2, added: 2 })
    expect(await stored()).toEqual(rows)
    await database.query('TRUNCATE board_entries, board_past, other_board_changes, ledger_entries, board_moves')
    await database.query('UPDATE boards SET member_count = 0')
    expect(await importText(deps, gzipSync(content))).toMatchObject({ read: 2, added: 2 })
    expect(await stored()).toEqual(rows)
  })

  test('accepts chunks that end within a character', async () => {
    const bytes = Buffer.from(`spaceId,address,points,username\n40,${A},5,Zoë 🦊\n40,${B},3,"two\nlines"\n`)
    for (const content of [bytes, gzipSync(bytes)])
      await importFile(deps, '-', {
        standardInput: Readable.from(Array.from(content, (byte) => Buffer.from([byte]))),
      })
    expect(await database.query('SELECT username FROM profiles ORDER BY address')).toEqual([
      { username: 'Zoë 🦊' },
      { username: 'two\nlines' },
    ])
  })

  test('reads several gzip members of one file', async () => {
    const content = Buffer.concat([gzipSync(`spaceId,address,points\n40,${A},5\n`), gzipSync(`40,${B},3\n`)])
    expect(await importText(deps, content)).toMatchObject({ read: 2, added: 2 })
  })

  test('rejects a truncated gzip file and stores nothing', async () => {
    const content = gzipSync(
      `spaceId,address,points\n${Array.from({ length: 5000 }, (_, n) => `40,member${n * 7919},${n}`).join('\n')}`,
    )
    const cut = importText(deps, content.subarray(0, content.length - 200))
    await expect(cut).rejects.toThrow(ImportFileError)
    await expect(cut).rejects.toThrow('The gzip file is damaged or incomplete')
    expect(await stored()).toEqual([])
  })

  test.each([
    ['', 'The file is empty.'],
    ['\n\n', 'The file is empty.'],
    ['spaceId,address,points\n', 'The file has a header but no records.'],
    [`[{"spaceId":40}]`, 'The file is a JSON array; write one object per line (NDJSON).'],
    ['\uFEFFspaceId,name\n', 'The file is UTF-16; save it as UTF-8.'],
  ])('rejects %j', async (content, message) => {
    const bytes = message.includes('UTF-16') ? Buffer.from(content, 'utf16le') : Buffer.from(content)
    await expect(importText(deps, bytes)).rejects.toThrow(message)
  })

  test('names a missing file in the error', async () => {
    await expect(importFile(deps, '/no/such/file.csv', { standardInput: process.stdin })).rejects.toThrow(
      'The file /no/such/file.csv does not exist.',
    )
  })
})

describe('the kind of a file', () => {
  test('comes from the file name', async () => {
    const path = await temporaryFile('2026-11-spaces.csv.gz', gzipSync('spaceId,name\n41,Forty-one\n'))
    expect(await importFile(deps, path, { standardInput: process.stdin })).toMatchObject({ kind: 'spaces', added: 1 })
  })

  test('comes from the fields if only one kind matches', async () => {
    expect(await importText(deps, '{"spaceId":40,"sprintId":1,"name":"One"}')).toMatchObject({ kind: 'sprints' })
  })

  test('must come from --kind if neither name nor fields match one kind', async () => {
    await expect(importText(deps, 'name,colour\nx,y\n')).rejects.toThrow(
      'The name and the fields of the file match no single kind. Add --kind.\nKinds and fields:\n  spaces: spaceId, name,',
    )
  })

  test('the error suggests it, with the field, if one field is misspelled', async () => {
    await expect(importText(deps, 'spaceId,adress,points\n40,0x1,2\n')).rejects.toThrow(
      'The most similar kind is points, which has no "adress" (address?).\nThe name and the fields',
    )
  })

  test('the error lists all kinds and fields if the header is unknown', async () => {
    await expect(importText(deps, 'wallet;amount\nx;1\n')).rejects.toThrow(
      /match no single kind[\s\S]*\n {2}points: spaceId,/,
    )
    await expect(importText(deps, '0xab\n0xcd\n')).rejects.toThrow(
      /neither JSON nor a header[\s\S]*\n {2}points: spaceId,/,
    )
  })

  test.each(['# Read me\n\nname,points', '<!doctype html>', 'Some words and no table', '\ufffdPNG\r\n\x1a\n\0'])(
    'the error suggests none for a file without data: %j',
    async (text) => {
      const refused = importText(deps, text)
      const begins = text.includes('\0') ? 'is a binary file. ' : 'begins with "'
      await expect(refused).rejects.toThrow(`The file contains no data that can be imported; it ${begins}`)
      await expect(refused).rejects.not.toThrow('Kinds and fields')
    },
  )

  test('does not follow from a JSON object on several lines', async () => {
    await expect(importText(deps, '{\n  "spaceId": 40\n}\n')).rejects.toThrow('a JSON object on several lines')
  })

  test('must be holders for --replace and --credential', async () => {
    const points = 'spaceId,address,points\n40,ann,1\n'
    await expect(importText(deps, points, { replace: true })).rejects.toThrow(
      '--replace applies only to holders, and this file contains points. Leave it out',
    )
    await expect(importText(deps, points, { credentialId: '5' })).rejects.toThrow(
      '--credential applies only to holders',
    )
    await expect(importText(deps, points, { kind: 'points', replace: true })).rejects.toThrow(
      '--replace applies only to holders',
    )
  })

  test('may have ids above 2^53 as digits or text; the import rejects numbers that lost digits', async () => {
    const line = (id: string) => `{"id":${id},"name":"x","credType":"EMAIL","credSource":"CSV"}`
    expect(await importText(deps, [line('9007199254740993'), line('"9007199254740995"')].join('\n'))).toMatchObject({
      added: 2,
    })
    await expect(problemsOf(importText(deps, line('1e17')))).resolves.toEqual([
      expect.stringContaining('write ids above 2^53 as text'),
    ])
    await expect(problemsOf(importText(deps, line('1e999')))).resolves.toEqual([expect.stringContaining('"1e999"')])
  })

  test('given by --kind decides which fields are valid', async () => {
    await expect(problemsOf(importText(deps, `spaceId,name\n40,Forty\n`, { kind: 'points' }))).resolves.toEqual([
      'line 1, name: is not a field of this kind; allowed: spaceId, sprintId, address, points, username, avatar',
      'line 1, address: is missing from the header',
      'line 1, points: is missing from the header',
    ])
  })
})

describe('bad lines', () => {
  test('the error reports all with line, field, reason and allowed values; the import stores nothing', async () => {
    const content = [
      'spaceId,sprintId,address,points,username', // 1
      `40,,${A},5,fine`, // 2
      `forty,,${A},5,`, // 3
      `40,,,5,`, // 4
      `40,,${B},5.5,${'x'.repeat(101)}`, // 5
      `40,,${B}`, // 6
      `99,,${B},1,`, // 7
      `40,8,${B},1,`, // 8
      `40,,"two`, // 9
      `lines",1,ok`, // 10
      `40,,"broken"quote,1,`, // 11
      `40,,c,2147483648,`, // 12
      `40,,${A.toUpperCase().replace('X', 'x')},6,`, // 13
    ].join('\n')
    expect(await problemsOf(importText(deps, content))).toEqual([
      'line 3, spaceId: "forty" is not allowed; allowed: a whole number from 1 to 2147483647',
      'line 4, address: is missing; allowed: an address or name of 1 to 90 bytes, without control characters',
      'line 5, points: "5.5" is not allowed; allowed: a whole number from -2147483648 to 2147483647',
      `line 5, username: "${'x'.repeat(60)}…" is not allowed; allowed: UTF-8 text of at most 100 characters, without NUL`,
      'line 6: has 3 fields; allowed: 5, as in the header',
      'line 7, spaceId: "99" is not a known space; import it first',
      'line 8, sprintId: sprint 8 of space 40 is not known; import it first (kind sprints)',
      'line 9, address: "two\\nlines" is not allowed; allowed: an address or name of 1 to 90 bytes, without control characters',
      'line 11: text follows a closing quote; write a quote inside a quoted field twice',
      'line 12, points: "2147483648" is not allowed; allowed: a whole number from -2147483648 to 2147483647',
      'line 13, address: has the same key as line 2; a key may occur once in a file',
    ])
    expect(await stored()).toEqual([])
    expect(await database.query('SELECT FROM profiles')).toEqual([])
  })

  test('the error reports those of NDJSON in the same way', async () => {
    const content = [
      `{"spaceId":40,"address":"${A}","points":5}`,
      `{"spaceId":40,"address":"${A}","points":5`,
      `"text"`,
      `{"spaceId":40,"address":true,"points":[],"wallet":1}`,
      `{"spaceId":40,"address":"\\ud800","points":1}`,
      `{"spaceId":40,"address":"a\\u0000b","points":1}`,
    ].join('\n')
    const problems = await problemsOf(importText(deps, content))
    expect(problems.map((line) => line.replace(/; allowed: .*|\(.*\)/, ''))).toEqual([
      expect.stringMatching(/^line 2: "\{.*…" is not JSON /),
      'line 3: "text" is not an object with the fields spaceId, sprintId, address, points, username, avatar',
      'line 4, wallet: is not a field of this kind',
      'line 4, address: "true" is not allowed',
      'line 4, points: "[]" is not allowed',
      'line 5, address: "\\ud800" is not allowed',
      'line 6, address: "a\\u0000b" is not allowed',
    ])
  })

  test('include bytes that are not UTF-8', async () => {
    const content = Buffer.concat([
      Buffer.from(`spaceId,address,points,username\n40,${A},5,Jos`),
      Buffer.from([0xe9]),
      Buffer.from('\n'),
    ])
    expect(await problemsOf(importText(deps, content))).toEqual([
      'line 2, username: "Jos�" is not allowed; allowed: UTF-8 text of at most 100 characters, without NUL',
    ])
  })

  test('the error lists up to one hundred, and counts the rest', async () => {
    const lines = Array.from({ length: 250 }, (_, n) => `40,member${n},x`)
    const refused = importText(deps, `spaceId,address,points\n${lines.join('\n')}\n`)
    await expect(refused).rejects.toThrow(/^Nothing was stored: 250 problems\n[^]*\n… and 150 more$/)
    const { problems, count } = (await refused.catch((error: unknown) => error)) as ImportRefusedError
    expect([problems.length, problems[0]?.line, problems[99]?.line, count]).toEqual([100, 2, 101, 250])
  })

  test('the error counts those after the first hundred also for unknown references', async () => {
    const lines = Array.from({ length: 250 }, (_, n) => `${n + 100},member${n},1`)
    await expect(importText(deps, `spaceId,address,points\n${lines.join('\n')}\n`)).rejects.toMatchObject({
      count: 250,
    })
  })
})

test('keeps its connection usable after a stream fails', async () => {
  const many = Array.from({ length: 30_000 }, (_, n) => `40,member${n},1`).join('\n')
  const broken = (async function* () {
    yield Buffer.from(`spaceId,address,points\n${many}`)
    throw new Error('the disk is gone')
  })()
  await expect(importFile(deps, '-', { standardInput: Readable.from(broken) })).rejects.toThrow('the disk is gone')
  for (let n = 0; n < 12; n++)
    expect(await importText(deps, `spaceId,address,points\n40,${A},${n + 1}\n`)).toMatchObject({ read: 1 })
  expect(await database.query('SELECT address FROM board_entries')).toEqual([{ address: A }])
})

test('reports progress and total of each step while it stores lines', async () => {
  // A cluster reports the beginning of each step, and more only for tables of the coordinator.
  const counts = (...stored: number[]) => (isCluster() ? stored.slice(0, 1) : stored)
  const steps = async (content: string, options = {}) => {
    const reported = new Map<Step, number[]>()
    const stored = (count: number, step: Step) => reported.set(step, [...(reported.get(step) ?? []), count])
    const progress = { opened() {}, phase() {}, read() {}, stored }
    await importText(deps, content, { ...options, progress })
    return [...reported].map(([{ what, total, atMost }, [first = 0, ...more]]) => [
      what,
      total,
      atMost,
      ...counts(first, ...more),
    ])
  }
  const nothing = (what: string, total: number) => [what, total, true, 0]
  const members = (points: (n: number) => number) => {
    const lines = Array.from({ length: 5_000 }, (_, n) => `40,member${n},${points(n)},name ${n}\n`)
    return `spaceId,address,points,username\n${lines.join('')}`
  }
  expect(await steps(members(() => 1))).toEqual([
    nothing('lines', 5_000),
    ['names', 5_000, false, ...counts(0, 1_024, 2_048, 3_072, 4_096)],
    nothing('rows', 5_000),
    ['rows', 5_000, false, ...counts(0, 1_024, 2_048, 3_072, 4_096)],
    nothing('entries', 5_000),
    nothing('lines', 5_000),
  ])
  // Each changed row is also copied to `board_past`.
  expect(await steps(members((n) => (n < 2_500 ? 2 : 1)))).toEqual([
    nothing('lines', 5_000),
    nothing('rows', 5_000),
    ['rows', 5_000, false, ...counts(0, 1_024, 2_048, 3_072, 4_096)],
    nothing('entries', 5_000),
    nothing('lines', 5_000),
  ])
  const spaces = Array.from({ length: 2_500 }, (_, n) => `${n + 100},Space ${n}\n`).join('')
  const some = ['lines', 2_500, true, ...counts(0, 1_024, 2_048)]
  expect(await steps(`spaceId,name\n${spaces}`)).toEqual([some, nothing('lines', 2_500)])
  await importText(deps, 'id,name,credType,credSource\n5,Five,DISCORD,CSV\n')
  const holders = Array.from({ length: 2_500 }, (_, n) => `holder${n}\n`).join('')
  const intoCredential = { credentialId: '5' }
  expect(await steps(holders, intoCredential)).toEqual([some, nothing('lines', 2_500)])
  expect(await steps(holders, intoCredential)).toEqual([nothing('lines', 2_500), nothing('lines', 2_500)])
})

test('stores nothing if the import is aborted', async () => {
  const stopping = new AbortController()
  const endless = (async function* () {
    yield Buffer.from('spaceId,address,points\n')
    for (let n = 0; ; n++) {
      yield Buffer.from(`40,member${n},1\n`.repeat(1))
      if (n === 5_000) stopping.abort(new Error('stopped'))
    }
  })()
  const stopped = importFile({ ...deps, signal: stopping.signal }, '-', { standardInput: Readable.from(endless) })
  await expect(stopped).rejects.toThrow('stopped')
  expect(await stored()).toEqual([])
})
