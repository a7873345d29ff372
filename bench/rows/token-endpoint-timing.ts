import { randomBytes } from 'node:crypto'
import { systemRandom } from '../../server/src/random.ts'
import { issueCredential } from '../../server/src/secrets/oauth-token-format.ts'
import { type BenchApp, benchApp, CALLBACK } from '../data/oauth.ts'
import { median } from '../harness/rounds.ts'
import type { BenchContext, Figure, Row, RowResult } from '../harness/row.ts'
import { distinguishable, timeInTurn } from '../load/timings.ts'
import { startService } from '../processes/service.ts'

/** This number of failures of one app in a minute is below the limit. */
const TRIES = 60
const TYPE = 'application/x-www-form-urlencoded'
const LIMIT = 0.05

export const row: Row = {
  name: 'O2',
  title: 'failures of the token endpoint take the same time, whatever was wrong',
  measures: [
    { title: 'unknown app and wrong secret, distance from 0 to 0.5', bound: '<=', limit: LIMIT },
    { title: 'unknown code and code of another app', bound: '<=', limit: LIMIT },
    { title: 'unknown refresh token and that of another app', bound: '<=', limit: LIMIT },
  ],
  run: measure,
}

async function measure(context: BenchContext): Promise<RowResult> {
  const samples = context.quick ? 200 : 3000
  const database = await context.fresh('o2')
  const apps: BenchApp[] = []
  for (let n = 0; n < Math.ceil(samples / TRIES) + 1; n++) apps.push(await benchApp(database))
  const [own, other] = apps as [BenchApp, BenchApp]
  // Each failure seems to come from another network, so that no limit is reached.
  const service = await startService(database, { settings: { QUESTBOARD_TRUSTED_PROXIES: '127.0.0.1' } })
  const url = `${service.url}/oauth/auth/2/token`
  let asked = 0
  const ask = (fields: string, status: number) => {
    asked++
    const address = `10.${(asked >> 14) & 255}.${(asked >> 7) & 127}.${asked & 127}`
    return { url, status, body: fields, headers: { 'content-type': TYPE, 'x-forwarded-for': address } }
  }
  try {
    const strangers = apps.map(() => randomBytes(10).toString('hex'))
    const wrong = issueCredential('secret', systemRandom).value
    const client = (name: (n: number) => string) => (sample: number) =>
      ask(`client_id=${name(Math.floor(sample / TRIES))}&client_secret=${wrong}&code=x`, 401)
    const foreignCodes = await other.codes(samples, ['EVMAddress'])
    const redeem = (code: string) => ask(`${own.credentials}&code=${code}`, 400)
    const foreignTokens = await refreshTokens(url, other, Math.min(samples, 200))
    const refresh = (token: string) => ask(`${own.credentials}&grant_type=refresh_token&refresh_token=${token}`, 400)
    const unknown = (kind: 'code' | 'refresh') => issueCredential(kind, systemRandom).value

    const clients = await timeInTurn(samples, {
      unknown: client((n) => strangers[n] as string),
      known: client((n) => apps[n]?.clientId as string),
    })
    const codes = await timeInTurn(samples, {
      unknown: () => redeem(unknown('code')),
      known: (sample) => redeem(foreignCodes[sample] as string),
    })
    const tokens = await timeInTurn(samples, {
      unknown: () => refresh(unknown('refresh')),
      known: (sample) => refresh(foreignTokens[sample % foreignTokens.length] as string),
    })
    return {
      values: [clients, codes, tokens].map(({ unknown: a, known: b }) => distinguishable(a, b)),
      figures: [
        ...figures('unknown app', 'wrong secret', clients),
        ...figures('unknown code', 'code of another app', codes),
        ...figures('unknown refresh token', 'refresh token of another app', tokens),
      ],
      notes: [
        `${samples} answers of each side, one request at a time, the sides in turn. The value is how far the chance that an answer of one side takes longer than one of the other is from a half (Mann and Whitney): at 0 the time reveals nothing, at 0.5 everything. The table has the medians of tenths of the run.`,
      ],
    }
  } finally {
    await service.stop()
  }
}

/** Refresh tokens of an app, each from a redemption. */
async function refreshTokens(url: string, app: BenchApp, count: number): Promise<string[]> {
  const tokens: string[] = []
  for (const code of await app.codes(count, ['EVMAddress'])) {
    const body = `${app.credentials}&code=${code}&redirect_uri=${encodeURIComponent(CALLBACK)}`
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': TYPE }, body })
    tokens.push(((await response.json()) as { refresh_token: string }).refresh_token)
  }
  return tokens
}

function figures(a: string, b: string, timed: { unknown: number[]; known: number[] }): Figure[] {
  const tenths = (times: number[]) =>
    Array.from({ length: 10 }, (_, tenth) =>
      median(times.slice((tenth * times.length) / 10, ((tenth + 1) * times.length) / 10)),
    )
  return [
    { side: a, unit: 'µs', rounds: tenths(timed.unknown) },
    { side: b, unit: 'µs', rounds: tenths(timed.known) },
  ]
}
