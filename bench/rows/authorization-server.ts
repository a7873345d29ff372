import { benchApp, CALLBACK } from '../data/oauth.ts'
import { interleave, median, ratios, WARM_UP } from '../harness/rounds.ts'
import type { BenchContext, Row, RowResult } from '../harness/row.ts'
import { type LoadGenerator, startLoadGenerator } from '../load/load.ts'
import { PINNING } from '../processes/cores.ts'
import { startOidcProvider } from '../processes/oidc-provider.ts'
import { startService } from '../processes/service.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const CONNECTIONS = 16
const SECONDS = 3
/** Access tokens that are looked up in turn. */
const TOKENS = 256

export const row: Row = {
  name: 'O1',
  title: 'the authorization server against oidc-provider on PostgreSQL',
  measures: [
    { title: 'codes redeemed a second', bound: '>=', limit: 1 },
    { title: 'codes redeemed a second, with an id_token', bound: '>=', limit: 1 },
    { title: 'token details a second, in introspections of oidc-provider', bound: '>=', limit: 5 },
  ],
  async run(context) {
    const generator = startLoadGenerator()
    try {
      return await measure(context, generator)
    } finally {
      await generator.close()
    }
  },
}

async function measure(context: BenchContext, generator: LoadGenerator): Promise<RowResult> {
  const [ourDatabase, theirDatabase] = [await context.fresh('o1_ours'), await context.fresh('o1_theirs')]
  const app = await benchApp(ourDatabase)
  const service = await startService(ourDatabase)
  const provider = await startOidcProvider(theirDatabase)
  const count = context.quick ? 300 : 4000
  const grant = (credentials: string) => (code: string) =>
    `${credentials}&grant_type=authorization_code&redirect_uri=${encodeURIComponent(CALLBACK)}&code=${code}`

  const ours = { url: `${service.url}/oauth/auth/2/token`, pid: service.pid, headers: FORM }
  const theirs = { url: `${provider.url}/token`, pid: provider.pid, headers: FORM }
  const redeem = (target: typeof ours, bodies: string[]) =>
    generator.run(target, { bodies, once: true, connections: CONNECTIONS })
  const atOurs = (scopes: string[]) => async () =>
    (await redeem(ours, (await app.codes(count, scopes)).map(grant(app.credentials)))).perSecond
  const atTheirs = (scope: string) => async () =>
    (await redeem(theirs, (await provider.seed(count, scope)).codes.map(grant(provider.credentials)))).perSecond

  const tokens = await Promise.all(
    (await app.codes(TOKENS, ['EVMAddress'])).map(async (code) => {
      const answer = await fetch(ours.url, { method: 'POST', headers: FORM, body: grant(app.credentials)(code) })
      return ((await answer.json()) as { access_token: string }).access_token
    }),
  )
  const { accessTokens } = await provider.seed(TOKENS, 'data')
  const detail = { url: `${service.url}/oauth/api/2/token`, pid: service.pid }
  const bearers = tokens.map((token) => `authorization: Bearer ${token}\r\n`)
  const introspection = { url: `${provider.url}/token/introspection`, pid: provider.pid, headers: FORM }
  const introspected = accessTokens.map((token) => `${provider.credentials}&token=${token}`)
  const load = { connections: CONNECTIONS, seconds: context.quick ? 0.5 : SECONDS }

  const sides = {
    ours: atOurs(['EVMAddress']),
    theirs: atTheirs('data'),
    oursSigned: atOurs(['openid']),
    theirsSigned: atTheirs('openid'),
    detail: async () => (await generator.run(detail, { ...load, method: 'GET', bodies: bearers })).perSecond,
    introspection: async () => (await generator.run(introspection, { ...load, bodies: introspected })).perSecond,
  }
  try {
    const measured = await interleave(WARM_UP + context.rounds, sides)
    const of = (side: keyof typeof sides) => measured[side].slice(WARM_UP)
    return {
      values: [
        median(ratios(of('ours'), of('theirs'))),
        median(ratios(of('oursSigned'), of('theirsSigned'))),
        median(ratios(of('detail'), of('introspection'))),
      ],
      figures: [
        { side: 'redemptions', unit: '/s', rounds: of('ours') },
        { side: 'redemptions, oidc-provider', unit: '/s', rounds: of('theirs') },
        { side: 'redemptions with an id_token', unit: '/s', rounds: of('oursSigned') },
        { side: 'redemptions with an id_token, oidc-provider', unit: '/s', rounds: of('theirsSigned') },
        { side: 'token details', unit: '/s', rounds: of('detail') },
        { side: 'introspections, oidc-provider', unit: '/s', rounds: of('introspection') },
      ],
      notes: [
        `Each round redeems ${count} codes, each once, on ${CONNECTIONS} connections, into an access token that lives a day and a refresh token. oidc-provider stores everything except its client, which is in its configuration, in PostgreSQL, through an adapter that follows its documentation and prepares every statement (bench/references/pg-adapter.ts); id_tokens are RS256 on both sides. Three rounds before those that count warm up.`,
        'Token detail has no counterpart in the standards; the nearest is introspection, which looks a token up for an app that authenticates itself.',
        PINNING,
      ],
    }
  } finally {
    await provider.stop()
    await service.stop()
  }
}
