import {
  createQuestboard,
  createSignIn,
  eligibilityReliable,
  groupMet,
  questAcceptsParticipation,
  QuestboardError,
} from '@questboard/client'
import { verifyLogoutToken } from '@questboard/client/logout'

/** The same calls for every runtime. */
export interface CheckOptions {
  baseUrl: string
  accessToken?: string
  starboardId: string
  credentialId: string
  holder: string
}

/** Uses every part of the client once; the results are the same in every runtime. */
export async function runChecks({ baseUrl, accessToken, ...ids }: CheckOptions): Promise<Record<string, unknown>> {
  const questboard = createQuestboard({
    baseUrl,
    ...(accessToken !== undefined && { accessToken }),
    pages: { minimumWaitMs: 0, maximumWaitMs: 5 },
  })
  const starboard = questboard.starboard(ids.starboardId)
  const space = questboard.space(40)
  const quest = questboard.quest('GCquest002')
  const ranks: number[] = []
  for await (const member of space.members()) ranks.push(member.rank)
  let users = 0
  for await (const page of starboard.users().pages()) users += page.edges.length
  const [group] = await quest.credentialGroups(ids.holder)
  const facts = await quest.info()
  return {
    basicInfo: await starboard.basicInfo(),
    users,
    user: await starboard.user('user2'),
    nobody: await starboard.user('nobody'),
    detail: await starboard.userDetail(ids.holder),
    space: await space.info(),
    ranks,
    search: await space.findRank(ids.holder),
    eligibility: await questboard.credential(ids.credentialId).eligibility(ids.holder),
    quests: (await questboard.questPage({ first: 3 })).list.map(({ id }) => id),
    document: await questboard.query('query ($id: Int!) { space(id: $id) { name } }', { id: 40 }),
    group: group && groupMet(group),
    accepts: questAcceptsParticipation(facts, new Date((facts.startTime ?? 0) * 1_000)),
    reliable: eligibilityReliable({ syncStatus: 'SYNCING' }),
    refusal: await failureOf(questboard.space(41).info()),
    abort: await failureOf(questboard.space(42).info({ signal: AbortSignal.abort(new Error('enough')) })),
    unreachable: await failureOf(createQuestboard({ baseUrl: 'http://127.0.0.1:1' }).space(1).info()),
    signIn: await beginSignIn(),
    logout: await verifyExample(),
  }
}

async function failureOf(request: Promise<unknown>): Promise<unknown> {
  try {
    return await request
  } catch (error) {
    if (!(error instanceof QuestboardError)) return String(error)
    return [error.name, error.code, error.category, error.httpStatus]
  }
}

async function beginSignIn(): Promise<unknown> {
  const signIn = createSignIn({
    baseUrl: 'https://id.example.com',
    clientId: 'app',
    redirectUri: 'https://app.example.com/callback',
    randomBytes: (length) => new Uint8Array(length).fill(7),
  })
  return signIn.begin()
}

/** A key and a token of an issuer that exists only here: the runtime verifies a real RS256 signature. */
async function verifyExample(): Promise<unknown> {
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
  const parameters = { ...algorithm, modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) }
  const { publicKey, privateKey } = await crypto.subtle.generateKey(parameters, true, ['sign', 'verify'])
  const issuer = 'https://id.example.com'
  const documents: Record<string, object> = {
    [`${issuer}/.well-known/openid-configuration`]: { issuer, jwks_uri: `${issuer}/keys` },
    [`${issuer}/keys`]: { keys: [{ ...(await crypto.subtle.exportKey('jwk', publicKey)), kid: 'k', use: 'sig' }] },
  }
  const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }
  const claims = { iss: issuer, aud: 'app', iat: 1_000, exp: 1_120, jti: 'j', sub: 'Zoë', sid: 's', events }
  const options = {
    issuer,
    clientId: 'app',
    clock: { now: () => 1_000_000, sleep: () => Promise.resolve() },
    fetch: async (url: string) => Response.json(documents[url]),
  }
  const signed = [{ alg: 'RS256', kid: 'k', typ: 'logout+jwt' }, claims].map(base64UrlOf).join('.')
  const signature = await crypto.subtle.sign(algorithm, privateKey, new TextEncoder().encode(signed))
  const valid = `${signed}.${base64Url(new Uint8Array(signature))}`
  const { subject, sessionId } = await verifyLogoutToken(valid, options)
  const forged = `${signed}.${base64Url(new Uint8Array(256))}`
  const refusal = await verifyLogoutToken(forged, options).catch((error: { code: string }) => error.code)
  return [subject, sessionId, refusal]
}

const base64UrlOf = (value: object) => base64Url(new TextEncoder().encode(JSON.stringify(value)))

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
