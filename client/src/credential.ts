import { inBatches } from './batches.ts'
import { type Connection, found } from './connection.ts'
import { invalidResponse } from './errors.ts'
import { idText } from './ids.ts'
import type { RequestOptions } from './options.ts'
import { eligibilityReliable, type Verdict } from './rules.ts'
import type { Credential, Space, SyncStatus } from './schema.ts'

export type CredentialInfo = Omit<Credential, 'eligible' | 'curatorSpace'> & {
  /** The space that maintains the credential, or null. */
  curatorSpace: Pick<Space, 'id' | 'name'> | null
}

export interface EligibilityOptions extends RequestOptions {
  /** The ID of the quest for which the eligibility is checked. */
  campaignId?: string | null
}

/** The eligibility of an address for a credential. */
export interface Eligibility {
  eligible: boolean
  syncStatus: SyncStatus
  /** Whether the result is reliable, and why not. */
  reliable: Verdict<'not_synced'>
}

/** Reads one credential. All methods fail with `Credential not found` if it does not exist. */
export interface CredentialReader {
  readonly id: string
  info(options?: RequestOptions): Promise<CredentialInfo>
  /** Whether the address holds the credential, with the sync status of the list. */
  eligibility(address: string, options?: EligibilityOptions): Promise<Eligibility>
  /**
   * Checks many addresses, 100 per request. The keys of the map are the given addresses. If the service rejects an
   * address, the call fails, and `errors` of the QuestboardError have its position.
   */
  eligibilityOf(addresses: Iterable<string>, options?: EligibilityOptions): Promise<Map<string, Eligibility>>
  /** Whether the address holds the credential; `eligibility` also returns whether that is reliable. */
  eligible(address: string, options?: EligibilityOptions): Promise<boolean>
}

const NOT_FOUND = 'Credential not found'

const INFO =
  'query credential($credId:ID!){credential(id:$credId){id name description credType credSource chain referenceLink itemCount lastUpdate lastSync syncStatus curatorSpace{id name}}}'
const ELIGIBLE =
  'query eligible($credId:ID!,$address:String!,$campaignId:ID){credential(id:$credId){syncStatus eligible(address:$address,campaignId:$campaignId)}}'

/** Addresses are variables: batches of one size have the same document, which the service compiles only once. */
function batchDocument(count: number): string {
  const numbers = Array.from({ length: count }, (_, index) => index)
  const variables = numbers.map((n) => `$a${n}:String!`).join(' ')
  const fields = numbers.map((n) => `a${n}:eligible(address:$a${n},campaignId:$campaignId)`).join(' ')
  return `query eligibilityOf($credId:ID!,$campaignId:ID ${variables}){credential(id:$credId){syncStatus ${fields}}}`
}

interface Batch {
  credential: (Record<`a${number}`, number | null> & { syncStatus: SyncStatus }) | null
}

export function readCredential(connection: Connection, id: string | number | bigint): CredentialReader {
  const credId = idText(id)

  async function eligibility(address: string, { campaignId = null, ...options }: EligibilityOptions = {}) {
    const { credential } = await connection.ask('eligibility', ELIGIBLE, { credId, address, campaignId }, options)
    const { eligible, syncStatus } = found(credential, NOT_FOUND)
    return readEligibility(eligible, syncStatus)
  }

  function eligibilityOf(
    addresses: Iterable<string>,
    { campaignId = null, ...options }: EligibilityOptions = {},
  ): Promise<Map<string, Eligibility>> {
    return inBatches(addresses, async (batch) => {
      const given = Object.fromEntries(batch.map((address, n) => [`a${n}`, address]))
      const question = { query: batchDocument(batch.length), variables: { credId, campaignId, ...given } }
      const { credential } = (await connection.send(question, connection.settings.cache.eligibility, options)) as Batch
      const answers = found(credential, NOT_FOUND)
      return batch.map((_, n) => readEligibility(answers[`a${n}`] ?? null, answers.syncStatus))
    })
  }

  return {
    id: credId,
    eligibility,
    eligibilityOf,
    eligible: async (address, options) => (await eligibility(address, options)).eligible,
    async info(options) {
      const { credential } = await connection.ask('eligibility', INFO, { credId }, options)
      return found(credential, NOT_FOUND)
    },
  }
}

function readEligibility(eligible: number | null, syncStatus: SyncStatus): Eligibility {
  if (eligible === null) throw invalidResponse('The response does not say whether the address is eligible')
  return { eligible: eligible === 1, syncStatus, reliable: eligibilityReliable({ syncStatus }) }
}
