import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { send } from './call.ts'
import { change, type Identity, queryClient } from './session.ts'

const path = '/api/operator/people'
const key = (...parts: unknown[]) => ['operator', 'people', ...parts]

interface Person {
  id: string
  username: string
  createdAt: string
  operator: boolean
}

export interface ListedPerson extends Person {
  suspendedAt: string | null
  identities: { kind: string; subject: string; username: string | null }[]
  passkeys: number
}

interface Token {
  tokenId: string
  name: string
  createdAt: string
  expiresAt: string | null
  revokedAt: string | null
  lastUsedAt: string | null
}

export interface PersonProfile extends Person {
  suspension: { suspendedAt: string; reason: string } | null
  identities: Identity[]
  passkeys: number
  sessions: number
  lastSeenAt: string | null
  tokens: (Token & { plan: string })[]
  ingestTokens: Token[]
  webhooks: {
    webhookId: string
    host: string
    description: string
    events: string[]
    disabledReason: string | null
  }[]
  apps: { clientId: string; name: string; status: string }[]
  spaces: { spaceId: number; name: string; role: 'owner' | 'admin' | 'editor' | 'viewer' }[]
  points: { spaceId: number; name: string; address: string; points: number }[]
}

/** The first accounts that a search of operators finds. */
export const foundPeopleQuery = (search: string, count: number) =>
  queryOptions({
    queryKey: key('found', search, count),
    queryFn: () =>
      send<{ items: ListedPerson[] }>('GET', `${path}?first=${count}&search=${encodeURIComponent(search)}`),
  })

export const peopleQuery = (search: string) =>
  infiniteQueryOptions({
    queryKey: key('list', search),
    queryFn: ({ pageParam }) =>
      send<{ items: ListedPerson[]; next: string | null }>(
        'GET',
        `${path}?first=50&search=${encodeURIComponent(search)}${pageParam === '' ? '' : `&after=${encodeURIComponent(pageParam)}`}`,
      ),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next ?? undefined,
    staleTime: 0,
  })

const pathOf = (id: string, action = '') => `${path}/${encodeURIComponent(id)}${action}`

export const personQuery = (id: string) =>
  queryOptions({ queryKey: key('one', id), queryFn: () => send<PersonProfile>('GET', pathOf(id)), staleTime: 0 })

/** Reads the lists and profiles again. */
const readAgain = () => queryClient.invalidateQueries({ queryKey: key() })

export async function suspendPerson(id: string, reason: string): Promise<void> {
  await change('POST', pathOf(id, '/suspend'), { reason })
  await readAgain()
}

export async function resumePerson(id: string): Promise<void> {
  await change('POST', pathOf(id, '/resume'))
  await readAgain()
}

export async function setOperator(id: string, operator: boolean): Promise<void> {
  await change(operator ? 'PUT' : 'DELETE', pathOf(id, '/operator'))
  await readAgain()
}

type TokensOfPerson = 'tokens' | 'ingest-tokens'

export async function revokePersonToken(id: string, kind: TokensOfPerson, tokenId: string): Promise<void> {
  await change('DELETE', pathOf(id, `/${kind}/${tokenId}`))
  await readAgain()
}

export async function deletePersonWebhook(id: string, webhookId: string): Promise<void> {
  await change('DELETE', pathOf(id, `/webhooks/${webhookId}`))
  await readAgain()
}

/** The link is in this response only. */
export const inviteOperator = () => change<{ url: string; expiresAt: string }>('POST', '/api/operator/invitations')

export const exportPerson = (id: string): Promise<Record<string, unknown>> => change('POST', pathOf(id, '/export'))

export async function erasePerson(id: string): Promise<void> {
  await change('DELETE', pathOf(id))
  queryClient.removeQueries({ queryKey: key('one', id) })
  await queryClient.invalidateQueries({ queryKey: key('list') })
}

const addresses = '/api/operator/addresses'

/** `underAddresses` has the rows that contain the address, by table. */
export const exportAddress = (address: string) =>
  change<{ underAddresses: Record<string, unknown[]> }>('POST', `${addresses}/export`, { address })

export interface ErasedAddress {
  boards: number
  quests: number
  links: number
  bans: number
}

export const eraseAddress = (address: string) => change<ErasedAddress>('POST', `${addresses}/erase`, { address })
