import { type Connection, found } from './connection.ts'
import { invalidResponse } from './errors.ts'
import { idText } from './ids.ts'
import type { RequestOptions } from './options.ts'
import { eligibilityReliable, type Verdict } from './rules.ts'
import type { Credential, Space, SyncStatus } from './schema.ts'

export type CredentialInfo = Omit<Credential, 'eligible' | 'curatorSpace'> & {
  /** The space that looks after the credential; null when there is none. */
  curatorSpace: Pick<Space, 'id' | 'name'> | null
}

export interface EligibilityOptions extends RequestOptions {
  /** A quest that gives the question its context. */
  campaignId?: string | null
}

/** Whether an address holds a credential, and how far that answer can be trusted. */
export interface Eligibility {
  eligible: boolean
  syncStatus: SyncStatus
  /** Whether the answer is reliable (specification 3.3), and why not. */
  reliable: Verdict<'not_synced'>
}

/** Reads one credential. Every method fails with `Credential not found` when there is none of this id. */
export interface CredentialReader {
  readonly id: string
  info(options?: RequestOptions): Promise<CredentialInfo>
  /** Whether the address holds the credential, with the state of its list from the same answer. */
  eligibility(address: string, options?: EligibilityOptions): Promise<Eligibility>
  /** Whether the address holds the credential; `eligibility` also says whether that is reliable. */
  eligible(address: string, options?: EligibilityOptions): Promise<boolean>
}

const NOT_FOUND = 'Credential not found'

const INFO =
  'query credential($credId:ID!){credential(id:$credId){id name description credType credSource chain referenceLink itemCount lastUpdate lastSync syncStatus curatorSpace{id name}}}'
const ELIGIBLE =
  'query eligible($credId:ID!,$address:String!,$campaignId:ID){credential(id:$credId){syncStatus eligible(address:$address,campaignId:$campaignId)}}'

export function readCredential(connection: Connection, id: string | number | bigint): CredentialReader {
  const credId = idText(id)

  async function eligibility(address: string, { campaignId = null, ...options }: EligibilityOptions = {}) {
    const { credential } = await connection.ask('eligibility', ELIGIBLE, { credId, address, campaignId }, options)
    const { eligible, syncStatus } = found(credential, NOT_FOUND)
    if (eligible === null) throw invalidResponse('The service did not say whether the address is eligible')
    return { eligible: eligible === 1, syncStatus, reliable: eligibilityReliable({ syncStatus }) }
  }

  return {
    id: credId,
    eligibility,
    eligible: async (address, options) => (await eligibility(address, options)).eligible,
    async info(options) {
      const { credential } = await connection.ask('eligibility', INFO, { credId }, options)
      return found(credential, NOT_FOUND)
    },
  }
}
