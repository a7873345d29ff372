import { listen, readBody } from './listen.ts'
import type { PlaceInBoard } from './loyalty-page.ts'
import { optionsOfProcess, prepared } from './prepared.ts'

/**
 * S2, S3: a handler as one writes it by hand for one purpose: the same SQL as the service, as named prepared statements
 * of `pg`'s own pool, `JSON.stringify`, no GraphQL, no token, no quota.
 */
interface PageRequest {
  page: PlaceInBoard
}

interface EligibleRequest {
  eligible: { credentialId: string; address: string }
}

const ask = prepared(optionsOfProcess())

async function eligible({ credentialId, address }: EligibleRequest['eligible']) {
  return { data: { credential: { eligible: (await ask.holds(credentialId, address)) ? 1 : 0 } } }
}

await listen((request, response) => {
  void (async () => {
    const asked = JSON.parse(await readBody(request)) as PageRequest | EligibleRequest
    const answer =
      'page' in asked
        ? { data: { spaceLoyaltyPointsRanks: await ask.page(asked.page) } }
        : await eligible(asked.eligible)
    const body = JSON.stringify(answer)
    response.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
    })
    response.end(body)
  })()
})
