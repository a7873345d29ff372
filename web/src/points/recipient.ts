import { runQuery } from '../api/graph.ts'
import { canSearch, searchAllQuery } from '../api/search.ts'
import { queryClient } from '../api/session.ts'

/** A member that a text can mean. */
export interface Candidate {
  address: string
  username: string
  points: number
}

/** Addresses of wallets name exactly one member, who may be new. */
const WALLET =
  /^(?:(?:evm:)?0x[0-9a-f]{40}|(?:aptos:)?0x[0-9a-f]{60,64}|(?:inj|sei)1[0-9a-z]{38}|[1-9A-HJ-NP-Za-km-z]{43,44})$/i

const ON_BOARD = `query AwardRecipient($id: Int!, $addresses: [String!]!) {
  space(id: $id) { addressesLoyaltyPoints(addresses: $addresses) { address points } }
}`

interface OnBoard {
  space: { addressesLoyaltyPoints: ({ address: string; points: number } | null)[] } | null
}

/**
 * The members of a board whose address or shown name is the text. Undefined if the text is the address of a wallet,
 * which needs no search.
 */
export async function findCandidates(spaceId: number, text: string): Promise<Candidate[] | undefined> {
  if (WALLET.test(text)) return undefined
  const [board, found] = await Promise.all([
    runQuery<OnBoard>({ query: ON_BOARD, variables: { id: spaceId, addresses: [text] } }),
    canSearch(text) ? queryClient.fetchQuery({ ...searchAllQuery(text), staleTime: 0 }) : undefined,
  ])
  const name = text.toLowerCase()
  const named = (found?.members ?? []).filter(
    (member) => member.spaceId === spaceId && member.username.toLowerCase() === name,
  )
  const exact = (board.space?.addressesLoyaltyPoints ?? [])
    .filter((member) => member !== null)
    .map((member) => ({ ...member, username: '' }))
  return [...exact, ...named.filter(({ address }) => !exact.some((one) => one.address === address))]
}
