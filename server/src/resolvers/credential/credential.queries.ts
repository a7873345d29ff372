import { type Reader, statement } from '@questboard/pg-read-pipeline'
import type { CacheValidator } from '../../graphql/cache-validators.ts'

export interface CredentialRow {
  /** Changes with the credential, its holder list, or its space. */
  version: string
  id: string
  name: string
  description: string
  credType: string
  credSource: string
  chain: string | null
  referenceLink: string
  itemCount: number
  lastUpdate: Date
  lastSync: Date
  syncStatus: string
  space_id: string | null
  space_name: string | null
  space_description: string | null
}

const credentialById = statement<CredentialRow>(
  'credential.by-id',
  `SELECT c.xmin::text || ':' || coalesce(s.xmin::text, '') AS version, credential_id::text AS id, c.name, c.description, cred_type AS "credType", cred_source AS "credSource",
          chain, reference_link AS "referenceLink", item_count AS "itemCount", last_update AS "lastUpdate",
          last_sync AS "lastSync", sync_status AS "syncStatus",
          s.space_id::text AS space_id, s.name AS space_name, s.description AS space_description
   FROM credentials c LEFT JOIN spaces s ON s.space_id = c.curator_space_id
   WHERE credential_id = $1`,
  undefined,
  { priority: true },
)

export interface CampaignRow {
  status: string
  is_private: boolean
  space_id: string
  owner_account_id: string | null
}

const campaignWithCredential = statement<CampaignRow>(
  'credential.campaign',
  `SELECT q.status, q.is_private, s.space_id::text AS space_id, s.owner_account_id
   FROM quests q JOIN spaces s ON s.space_id = q.space_id
   WHERE q.quest_id = $1
     AND EXISTS (SELECT FROM quest_conditions WHERE quest_id = $1 AND credential_id = $2)`,
)

/** Finds a credential, and how to check later that it and its holder list are unchanged. */
export async function findCredential(
  reader: Reader,
  id: string,
): Promise<{ credential: Readonly<CredentialRow>; validator: CacheValidator } | undefined> {
  const [credential] = await reader.readShared(credentialById, [id])
  return (
    credential && { credential, validator: { statement: credentialById, values: [id], version: credential.version } }
  )
}

export async function findCampaign(
  reader: Reader,
  questId: string,
  credentialId: string,
): Promise<CampaignRow | undefined> {
  return (await reader.read(campaignWithCredential, [questId, credentialId]))[0]
}
