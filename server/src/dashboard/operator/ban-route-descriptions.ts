import { fault, wrongFormat } from '../../texts/faults.ts'
import { z } from 'zod'
import { canonicalMember } from '../../addresses/addresses.ts'
import { readTextParameter, readUuid, uuidParameter } from '../../api/read-body.ts'
import type { RouteDescription } from '../../api/route-description.ts'
import {
  ADDRESS,
  banRequestShape,
  banShape,
  canonicalBanned,
  newBanShape,
  subjectShape,
} from '../../bans/ban-request.ts'
import { invalidField } from '../../errors.ts'

const tag = 'Operators'
/** As in the body of a new ban. */
const MAX_ACCOUNT = 200
const STATES = ['active', 'ended'] as const

export interface BanQuery {
  spaceId: number | undefined
  account: string | undefined
  address: string | undefined
  state: (typeof STATES)[number] | undefined
  after: string | undefined
}

function readBanQuery({ space, account, address, state, after }: Record<string, unknown>): BanQuery {
  if (space !== undefined && (typeof space !== 'string' || !/^[1-9]\d{0,9}$/.test(space)))
    throw invalidField('space', 'must be a space id', wrongFormat('space_id'))
  const found = STATES.find((known) => known === state)
  if (state !== undefined && !found)
    throw invalidField('state', `must be one of ${STATES.join(', ')}`, fault('not_one_of', { allowed: STATES }))
  if (account !== undefined && (typeof account !== 'string' || account.trim() === ''))
    throw invalidField('account', 'must be a username or id', fault('unknown_account'))
  const member = typeof address === 'string' ? canonicalMember(address) : undefined
  if (address !== undefined && member === undefined)
    throw invalidField('address', 'must be an address or handle', wrongFormat('member'))
  return {
    spaceId: space === undefined ? undefined : Math.min(Number(space), 2_147_483_647),
    account: account === undefined ? undefined : readAccount(account),
    address: member,
    state: found,
    after: after === undefined ? undefined : readUuid(typeof after === 'string' ? after : '', 'Ban'),
  }
}

const readAccount = (text: string) => readTextParameter('account', text.trim(), 1, MAX_ACCOUNT)

function readSubjectQuery({ account, address }: Record<string, unknown>): { account: string } | { address: string } {
  if (typeof account === 'string' && account.trim() !== '' && address === undefined)
    return { account: readAccount(account) }
  const member = typeof address === 'string' && account === undefined ? canonicalBanned(address) : undefined
  if (member !== undefined) return { address: member }
  if (account !== undefined && address !== undefined)
    throw invalidField('account', 'and address are both given; name one of them', fault('one_of_two'))
  throw address === undefined
    ? invalidField('account', 'must be a username or id, or name an address instead', fault('missing'))
    : invalidField('address', ADDRESS, wrongFormat('member'))
}

export const banDescriptions = {
  bans: {
    method: 'GET',
    path: '/api/operator/bans',
    who: 'operator',
    summary: 'List bans',
    tag,
    query: {
      space: { description: 'bans in this space, and in all spaces', shape: z.int() },
      account: { description: 'bans of this account: its username or id', shape: z.string() },
      address: {
        description: 'bans that cover this address; ended bans only if they name the address itself',
        shape: z.string(),
      },
      state: { description: 'default: all', shape: z.enum(STATES) },
      after: { description: 'the `next` of the previous page', shape: z.string() },
    },
    readQuery: readBanQuery,
    answer: {
      description: 'Newest first, 50 a page.',
      shape: z.strictObject({ items: z.array(banShape), next: z.string().nullable() }),
    },
    errors: { 404: 'The account does not exist.' },
  },
  banSubject: {
    method: 'GET',
    path: '/api/operator/bans/subject',
    who: 'operator',
    summary: 'Show what a ban would cover',
    tag,
    query: {
      account: { description: 'a username or id', shape: z.string() },
      address: { description: 'an address or handle, in place of the account', shape: z.string() },
    },
    readQuery: readSubjectQuery,
    answer: { description: 'The addresses, and the boards with points of them.', shape: subjectShape },
    errors: { 404: 'The account does not exist.' },
  },
  ban: {
    method: 'POST',
    path: '/api/operator/bans',
    who: 'operator',
    recentSignIn: true,
    summary: 'Ban an account or an address',
    description:
      'Claims are refused at once. The members leave the boards before the response, unless a large import holds a board. A ban of an account includes all its addresses, and those that it links later.',
    tag,
    body: banRequestShape,
    answer: { status: 201, description: 'The ban, and the boards that it changes.', shape: newBanShape },
    errors: { 404: 'The account or the space does not exist.', 409: 'The same ban exists.' },
  },
  liftBan: {
    method: 'POST',
    path: '/api/operator/bans/:id/lift',
    who: 'operator',
    recentSignIn: true,
    summary: 'Lift a ban',
    description: 'The members return to the boards with all their points.',
    tag,
    params: { id: uuidParameter('of the ban', 'Ban') },
    answer: { description: 'The ended ban.', shape: banShape },
    errors: { 409: 'The ban has already ended.' },
  },
} as const satisfies Record<string, RouteDescription>
