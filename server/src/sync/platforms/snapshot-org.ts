import { fault } from '../../texts/faults.ts'
import { pattern } from '../../text/fault-of-issue.ts'
import { z } from 'zod'
import { checksummed } from '../../addresses/evm-checksum.ts'
import { parseJson } from '../lists/json-entries.ts'
import type { SourceContext, Reading } from '../reading.ts'
import { SourceError } from '../source-error.ts'
import { hostOf, sourceKind } from '../source-kind.ts'
import { listed, secret } from '../source-settings.ts'
import { requestPlatform } from './platform-request.ts'

const schema = z
  .strictObject({
    ...listed,
    kind: z.literal('SNAPSHOT_ORG'),
    /** Voters of one proposal. */
    proposal: z
      .string()
      .regex(pattern('snapshot_proposal', /^[A-Za-z0-9]{1,100}$/), 'must be the id of a proposal, such as 0x586d…')
      .optional(),
    /** Voters of all proposals of a space. */
    space: z
      .string()
      .regex(pattern('snapshot_space', /^[a-z0-9.:-]{1,100}$/), 'must be the id of a space, such as ens.eth')
      .optional(),
    apiKey: secret.optional(),
  })
  .refine(({ proposal, space }) => (proposal === undefined) !== (space === undefined), {
    message: 'must be set if space is not set, and cannot be set together with space',
    params: fault('one_of_two'),
    path: ['proposal'],
  })
type SnapshotSource = z.output<typeof schema>

const voteShape = z.looseObject({ voter: z.string(), created: z.int() })
const bodyShape = z.looseObject({
  data: z.looseObject({ votes: z.array(voteShape).nullable() }).nullish(),
  errors: z.array(z.looseObject({ message: z.string().optional() })).optional(),
})

/** The limits of the API. */
const PAGE_SIZE = 1_000
const MAX_SKIP = 5_000

const QUERY = `query Votes($where: VoteWhere!, $first: Int!, $skip: Int!) {
  votes(where: $where, first: $first, skip: $skip, orderBy: "created", orderDirection: asc) { voter created }
}`

/** Voters of a proposal or of a space on Snapshot. */
export const snapshotOrg = sourceKind({
  schema,
  platform: true,
  credType: 'EVM_ADDRESS',
  host: () => 'snapshot.org',
  list: readVoters,
  check: hasVoted,
})

/**
 * The API limits `skip`, so each page begins at the time of the last vote of the page before it; votes of that second are
 * then read again. `skip` is used only after a page that ends in the second in which it began.
 */
async function readVoters(reading: Reading, source: SnapshotSource): Promise<void> {
  for (let since = 0, skip = 0; ;) {
    const votes = await sendQuery(reading, source, { created_gte: since }, { first: PAGE_SIZE, skip })
    await reading.give(votes.map(({ voter }) => voter))
    if (votes.length < PAGE_SIZE) return
    const last = votes.at(-1)?.created ?? 0
    if (last < since) throw new SourceError('the votes are not sorted by time')
    skip = last === since ? skip + PAGE_SIZE : 0
    if (skip > MAX_SKIP) throw new SourceError(`more than ${MAX_SKIP} votes have the same time`)
    since = last
  }
}

/**
 * The API compares addresses as text. It stores EVM addresses in mixed case (EIP-55). The query also contains the
 * lower-case spelling, in case a vote has it.
 */
async function hasVoted(context: SourceContext, source: SnapshotSource, holder: string): Promise<boolean> {
  const votes = await sendQuery(context, source, { voter_in: [checksummed(holder), holder] }, { first: 1, skip: 0 })
  return votes.some(({ voter }) => voter.toLowerCase() === holder)
}

async function sendQuery(
  context: SourceContext,
  { proposal, space, apiKey }: SnapshotSource,
  where: Record<string, unknown>,
  page: { first: number; skip: number },
): Promise<z.output<typeof voteShape>[]> {
  const of = proposal === undefined ? { space } : { proposal }
  const answer = await requestPlatform(context, {
    url: context.sites.snapshot,
    method: 'POST',
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      ...(apiKey !== undefined && { 'x-api-key': apiKey }),
    },
    body: JSON.stringify({ query: QUERY, variables: { where: { ...of, ...where }, ...page } }),
  })
  const host = hostOf(answer.url)
  const { data } = bodyShape.safeParse(parseJson(answer.text, host))
  if (data?.errors && data.errors.length > 0)
    throw new SourceError(`${host} returned an error: ${(data.errors[0]?.message ?? '').slice(0, 200)}`, {
      temporary: true,
    })
  if (!data?.data?.votes) throw new SourceError(`${host} returned a response without a list of votes`)
  return data.data.votes
}
