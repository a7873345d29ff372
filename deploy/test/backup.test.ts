import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask } from '../../server/test/support/ask.ts'
import { giveAwards } from '../../server/test/support/awards.ts'
import { testClock } from '../../server/test/support/clock.ts'
import type { TestDatabase } from '../../server/test/support/database.ts'
import { createPersonas, type Personas } from '../../server/test/support/personas.ts'
import {
  databaseAt,
  findPostgresTools,
  openWorkshop,
  startCluster,
  urlIn,
  type Workshop,
} from '../../server/test/support/postgres-tools.ts'
import { startService } from '../../server/test/support/service.ts'

const tools = findPostgresTools()
if (tools === undefined)
  process.stderr.write('docs/backup.md is not run: this machine has no PostgreSQL with its tools.\n')

/** The commands and settings of docs/backup.md in their order. */
const page = await readFile(join(import.meta.dirname, '../../docs/backup.md'), 'utf8')
const blocks = [...page.matchAll(/```(sh|ini)\n([\s\S]*?)```/g)].map(([, , text = '']) => text)
const [saveSecret = '', restoreSecret = '', dump = '', restoredUrl = '', restore = '', ...more] = blocks
const [settings = '', baseBackup = '', moment = '', goBack = '', endCursors = '', ...others] = more

const clock = testClock()
const SECRET = 'a secret of at least thirty-two characters'
const FIRST = `0x${'a1'.repeat(20)}`
const SECOND = `0x${'b2'.repeat(20)}`
const PAGE =
  '{ spaceLoyaltyPointsRanks(spaceId: 7) { totalCount pageInfo { endCursor hasNextPage } list { points address { address } } } }'

describe.skipIf(tools === undefined)('docs/backup.md', () => {
  let workshop: Workshop
  let url: string
  let database: TestDatabase
  let personas: Personas
  /** The page writes /backup and /restored for folders of the operator. */
  const here = (text: string) =>
    text.replaceAll('/backup', `${workshop.folder}/backup`).replaceAll('/restored', `${workshop.folder}/restored`)
  const award = (address: string, points: number) =>
    database.kysely.transaction().execute((trx) => giveAwards(trx, [{ spaceId: 7, address, points }], clock))

  /** The response of a service on a database to the same query. */
  async function answerOn(connectionString: string, token: string) {
    const opened = await databaseAt(connectionString)
    const service = await startService({ database: opened, clock, settings: { QUESTBOARD_SECRET: SECRET } })
    const answer = await ask(service.url, PAGE, { token })
    await service.stop()
    await opened.close()
    return answer
  }

  beforeAll(async () => {
    workshop = await openWorkshop(tools as string)
    await workshop.shell('mkdir --parents backup/wal')
    url = await startCluster(workshop, 'data', here(settings))
    database = await databaseAt(url)
    const service = await startService({ database, clock, settings: { QUESTBOARD_SECRET: SECRET } })
    personas = await createPersonas(service.deps)
    await service.stop()
    await database.query(`INSERT INTO spaces (space_id, name, created_at) VALUES (7, 'Space', now())`)
    await award(FIRST, 10)
  })
  afterAll(async () => {
    await database?.close()
    for (const data of ['data', 'restored'])
      await workshop?.shell(`pg_ctl --pgdata=${data} --mode=immediate stop || true`)
    await workshop?.remove()
  })

  test('contains only commands that this test runs', () => {
    expect(others).toEqual([])
    expect(endCursors).toContain('psql')
    // The tests have other names and times.
    expect([restoredUrl, moment]).toEqual([
      expect.stringMatching(/^export RESTORED_URL=/),
      expect.stringMatching(/^MOMENT=/),
    ])
  })

  test('restores the file of the secret', async () => {
    const folder = { QUESTBOARD_DATA_DIR: workshop.folder }
    await workshop.shell('echo first > secret')
    await workshop.shell(saveSecret, folder)
    await workshop.shell('echo second > secret')
    await workshop.shell(restoreSecret, folder)
    expect(await workshop.shell('cat secret; stat --format=%a secret')).toBe('first\n600\n')
  })

  test('restores a dump with the same responses and tokens, and can end old cursors', async () => {
    const before = await answerOn(url, personas.business)
    expect(before.errors).toBeUndefined()
    const restored = urlIn(workshop, 'questboard_restored')
    await workshop.shell(here(dump), { DATABASE_URL: url })
    await workshop.shell(here(restore), { DATABASE_URL: url, RESTORED_URL: restored })
    expect((await answerOn(restored, personas.business)).data).toEqual(before.data)
    await workshop.shell(endCursors, { RESTORED_URL: restored })
    const ended = (await answerOn(restored, personas.business)).data
    expect(ended).not.toEqual(before.data)
  })

  test('restores a base backup and the log to any moment', async () => {
    await workshop.shell(here(baseBackup), { DATABASE_URL: url })
    await award(SECOND, 5)
    const [row] = await database.query<{ now: string }>('SELECT clock_timestamp()::text AS now')
    await sleep(20)
    await database.query('DELETE FROM board_entries')
    await database.query('SELECT pg_switch_wal()')
    await database.close()
    await workshop.shell('pg_ctl --pgdata=data --mode=fast --wait stop')
    await workshop.shell(here(goBack), { MOMENT: row?.now ?? '', DATABASE_URL: url })
    const { data } = await answerOn(url, personas.business)
    expect(data).toMatchObject({
      spaceLoyaltyPointsRanks: { list: [{ address: { address: FIRST } }, { address: { address: SECOND } }] },
    })
  })
})
