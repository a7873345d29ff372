import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { MAX_PER_SECOND } from '../../../src/access/authenticate-publishable.ts'
import { MAX_DOCUMENT_LENGTH, MAX_DOCUMENTS, MAX_NEW_DOCUMENTS } from '../../../src/access/persisted-documents.ts'
import { MAX_ORIGINS, MAX_SPACES } from '../../../src/access/publishable-scope.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../../src/clock.ts'
import { describeSettings } from '../../../src/config.ts'
import * as holders from '../../../src/content/holders/holder-route-descriptions.ts'
import { MAX_SNAPSHOTS, MAX_WAITING } from '../../../src/content/spaces/snapshot-route-descriptions.ts'
import { MAX_SPRINTS } from '../../../src/graphql/page-size.ts'
import * as document from '../../../src/graphql/limits.ts'
import { ADMITTED } from '../../../src/http/admission.ts'
import { TOKEN_SHARE } from '../../../src/live/limits.ts'
import { MAX_PIPELINED, MAX_PIPELINED_TOTAL, MAX_CONNECTIONS } from '../../../src/http/connections.ts'
import { MAX_OTHER_REQUESTS } from '../../../src/http/other-requests.ts'
import { MAX_UNSENT_BYTES } from '../../../src/http/unsent-responses.ts'
import * as ingest from '../../../src/ingest-api/limits.ts'
import * as imports from '../../../src/ingest-uploads/limits.ts'
import * as lifetimes from '../../../src/lifetimes.ts'
import {
  avatarReadsByNetwork,
  publicPagesByNetwork,
  logoReadsByNetwork,
  logosByAccount,
  shareImagesByNetwork,
  snapshotLookUpsByAccount,
  snapshotsByAccount,
} from '../../../src/rate-limits/limits.ts'
import { MAX_PENDING } from '../../../src/rules/logs.ts'
import { MAX_LOGS } from '../../../src/sync/chain/event-logs.queries.ts'
import { root } from './blocks.ts'

const setting = new Map(describeSettings().map(({ name, staticDefault }) => [name, staticDefault]))
const liveStreams = Number(setting.get('QUESTBOARD_LIVE_STREAMS'))
const notice = Number(setting.get('QUESTBOARD_STOP_NOTICE_SECONDS'))
const { MAX_BODY_BYTES, MAX_TOKENS, MAX_DEPTH, MAX_FIELDS, MAX_ALIASES, MAX_COST, MAX_ADDRESSES } = document

/** The first two columns of the tables in a section of docs/limits.md. */
function rowsBelow(heading: string): Map<string, string> {
  const section =
    readFileSync(join(root, 'docs/limits.md'), 'utf8').split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  const rows = section
    .replaceAll(/^\|.*\n\| -.*\n/gm, '')
    .split('\n')
    .filter((line) => line.startsWith('|'))
  return new Map(
    rows.map((line) => line.split('|').map((cell) => cell.trim())).map(([, what = '', is = '']) => [what, is]),
  )
}

const number = (value: number) => value.toLocaleString('en')

test('the limits of docs/limits.md match the code', () => {
  const tested: [RegExp, string][] = [
    [/^request body of/, `${number(MAX_BODY_BYTES)} bytes`],
    [/^tokens /, number(MAX_TOKENS)],
    [/^depth /, `${MAX_DEPTH} fields`],
    [/^fields of a document/, number(MAX_FIELDS)],
    [/aliases/, number(MAX_ALIASES)],
    [/^cost /, number(MAX_COST)],
    [/^addresses of a batch/, number(MAX_ADDRESSES)],
    [/^sprints of a space/, number(MAX_SPRINTS)],
    [
      /^queries of one network/,
      `half of each limit of the token's plan; if the plan has no limit per second, ${MAX_PER_SECOND} a second`,
    ],
    [/^stored documents/, number(MAX_DOCUMENTS)],
    [/^characters of a stored document/, number(MAX_DOCUMENT_LENGTH)],
    [/^new stored documents/, `${MAX_NEW_DOCUMENTS} a minute`],
    [/^origins and spaces/, `${MAX_ORIGINS} origins, ${MAX_SPACES} spaces`],
    [/^queries on the plan `free`/, `${setting.get('QUESTBOARD_FREE_PER_SECOND')} a second, 1,000 a UTC day`],
    [/^event logs \(EVM\)/, number(MAX_LOGS)],
    [/^event logs that/, number(MAX_PENDING)],
    [/^snapshots of a space$/, number(MAX_SNAPSHOTS)],
    [/^snapshots of a space that wait/, number(MAX_WAITING)],
    [/^previews and new snapshots/, `${snapshotsByAccount.max} in a UTC hour`],
    [/^look-ups of members/, `${snapshotLookUpsByAccount.max} a minute`],
    [/^public pages/, `${publicPagesByNetwork.max} a minute`],
    [/^logos of spaces$/, `${number(logoReadsByNetwork.max)} a minute`],
    [/^uploaded pictures of members/, `${number(avatarReadsByNetwork.max)} a minute`],
    [/^images for link previews/, `${shareImagesByNetwork.max} a minute`],
    [/^uploaded logos of an account/, `${logosByAccount.max} in a UTC hour`],
    [/^uploaded file$/, `${imports.MAX_KEPT_BYTES / 1024 ** 3} GiB`],
    [/^uploads at the same time/, number(imports.MAX_UPLOADS)],
    [/^text of a change$/, `${holders.MAX_BODY / 1024 ** 2} MiB, ${number(holders.MAX_LINES)} lines`],
    [/^changes at the same time$/, `${holders.MAX_CONCURRENT} per worker, 1 of an account per worker`],
    [/^time of a change$/, `${lifetimes.LIST_CHANGE_TIMEOUT / MINUTE} minutes`],
    [/^unfinished imports/, number(imports.MAX_UNFINISHED)],
    [/^batch of the ingest API/, `${number(ingest.MAX_ITEMS)} items, ${ingest.BODY_LIMIT / 1024 ** 2} MiB`],
    [/^concurrent requests of one ingest token/, number(ingest.MAX_CONCURRENT_REQUESTS)],
    [
      /^awards in the queue/,
      `${number(ingest.MAX_QUEUED_AWARDS)}; ${number(ingest.MAX_QUEUED_AWARDS_PER_TOKEN)} of one token`,
    ],
    [
      /^bytes of batches/,
      `${ingest.BYTES_UNDER_WAY / 1024 ** 2} MiB; ${ingest.BYTES_OF_ONE / 1024 ** 2} MiB of one token`,
    ],
    [/^running queries/, `${ADMITTED.running}; fewer on a [busy worker](#overload)`],
    [/^waiting queries/, `${number(ADMITTED.waiting)}; fewer on a [busy worker](#overload)`],
    [/^other concurrent requests/, number(MAX_OTHER_REQUESTS)],
    [/^requests to `GET/, 'the same as for queries'],
    [/^unsent responses/, `${MAX_UNSENT_BYTES / 1024 ** 2} MiB`],
    [/^pipelined requests of a connection/, number(MAX_PIPELINED)],
    [/^pipelined requests of a worker/, number(MAX_PIPELINED_TOTAL)],
    [/^connections/, number(MAX_CONNECTIONS)],
    [/^streams of live boards/, number(liveStreams)],
    [/^streams of one token/, number(liveStreams * TOKEN_SHARE)],
  ]
  // server/test/database checks the rows about pages, points and addresses.
  expectRows(rowsBelow('Limits'), tested, /in a page|^points of|^address on/)
  for (const perHour of [snapshotsByAccount, logosByAccount]) expect(perHour.seconds * SECOND).toBe(HOUR)
  for (const perMinute of [publicPagesByNetwork, logoReadsByNetwork, avatarReadsByNetwork, shareImagesByNetwork])
    expect(perMinute.seconds * SECOND).toBe(MINUTE)
  expect(Number(setting.get('QUESTBOARD_FREE_PER_DAY'))).toBe(1_000)
})

test('the lifetimes of docs/limits.md match the code', () => {
  const { SAMPLES_IN_FULL, SAMPLE_HISTORY } = lifetimes
  const tested: [RegExp, string][] = [
    [/^cursor$/, `at least ${spelt(lifetimes.CURSOR_LIFETIME)} after the first page of its list was read`],
    [/^replaced rows and rankings/, spelt(lifetimes.DEAD_ROW_LIFETIME)],
    // The check of the leases runs as often.
    [/^units of a daily quota/, `within ${spelt(2 * lifetimes.QUOTA_LEASE_LIFETIME)} after the lease`],
    [/^response to `GET/, spelt(lifetimes.PUBLIC_RESPONSE_LIFETIME)],
    [/^usage counters/, spelt(lifetimes.USAGE_FLUSH_INTERVAL)],
    [/^last requests of a token/, spelt(lifetimes.REQUEST_LOG_FLUSH_INTERVAL)],
    [/^messages and attempts/, spelt(lifetimes.WEBHOOK_LOG_LIFETIME)],
    [/^keys of awards/, spelt(lifetimes.AWARD_KEY_RETENTION)],
    [/^score samples/, `all for ${spelt(SAMPLES_IN_FULL)}, then one a day for two years`],
    [/^abandoned replacement/, `${spelt(lifetimes.ABANDONED_REPLACEMENT)} without progress`],
    [/^time between SIGTERM/, `\`QUESTBOARD_STOP_NOTICE_SECONDS\` (${notice} seconds)`],
    [/^running requests/, spelt(lifetimes.DRAIN_TIMEOUT)],
    [/^query in the queue/, spelt(lifetimes.MAX_QUERY_WAIT)],
    [/^head of a request/, spelt(lifetimes.HEAD_TIMEOUT)],
    [/^receiving a request/, `${spelt(lifetimes.REQUEST_TIMEOUT)} each`],
    [/^response without progress/, spelt(lifetimes.ANSWER_DEADLINE)],
    [/^idle connection/, spelt(lifetimes.IDLE_CONNECTION)],
    [/^blocked worker$/, spelt(lifetimes.MAX_UNRESPONSIVE)],
    [/^blocked worker, while/, spelt(lifetimes.MAX_UNRESPONSIVE_ALONE)],
  ]
  expectRows(rowsBelow('Timeouts and lifetimes'), tested)
  expect(SAMPLE_HISTORY).toBe(2 * 365 * DAY)
  expect(lifetimes.ANSWER_DEADLINE).toBe(lifetimes.REQUEST_TIMEOUT)
})

/** Each row is checked and matches the code. */
function expectRows(rows: ReadonlyMap<string, string>, tested: readonly [RegExp, string][], others = /^$/): void {
  const found = [...rows].filter(([what]) => !others.test(what))
  const wanted = found.map(([what]) => [what, tested.find(([pattern]) => pattern.test(what))?.[1]])
  expect(found).toEqual(wanted)
  expect(found).toHaveLength(tested.length)
}

function spelt(milliseconds: number): string {
  const units = [
    [DAY, 'day'],
    [HOUR, 'hour'],
    [MINUTE, 'minute'],
    [SECOND, 'second'],
  ] as const
  const [unit, name] = units.find(([unit]) => milliseconds % unit === 0 && milliseconds >= unit) ?? [SECOND, 'second']
  const value = milliseconds / unit
  return `${value} ${value === 1 ? name : `${name}s`}`
}
