import { createHash } from 'node:crypto'
import { z } from 'zod'
import { canonicalHolder } from '../addresses/addresses.ts'
import { importRecords } from '../ingest/import-records.ts'
import type { CredentialRecord } from '../ingest/records.ts'
import { replaceList } from '../sync/replace-list.ts'
import { isWebLink } from '../text/links.ts'
import { findLocalCredential } from './local-credential.queries.ts'
import { collect, type Mirroring } from './mirroring.ts'
import { refusal } from './source-client.ts'

const CREDENTIAL = `query Credential($id: ID!) {
  credential(id: $id) {
    id name description credType credSource chain referenceLink itemCount syncStatus lastUpdate lastSync
    curatorSpace { id name }
  }
}`
const ADDRESSES_PER_QUERY = 10

const time = z.union([z.int(), z.string()]).nullish()
const credentialShape = z.looseObject({
  credential: z
    .looseObject({
      name: z.string(),
      description: z.string().nullish(),
      credType: z.string(),
      credSource: z.string(),
      chain: z.string().nullish(),
      referenceLink: z.string().nullish(),
      itemCount: z.int().nullish(),
      syncStatus: z.string(),
      lastUpdate: time,
      lastSync: time,
      curatorSpace: z.looseObject({ id: z.union([z.string(), z.int()]), name: z.string() }).nullish(),
    })
    .nullable(),
})
const eligibleShape = z.looseObject({ credential: z.record(z.string(), z.unknown()).nullable() })

/**
 * Copies a credential. If it has its own source in the mirror, the runs of this source set its status. Otherwise the status
 * is SYNCED only if the mirror has a list of holders and the mirrored service reports SYNCED. The query API has no list of
 * holders. With `addresses`, the list becomes those of these addresses that the mirrored service reports as eligible.
 */
export async function mirrorCredential(
  mirroring: Mirroring,
  id: string,
  addresses: readonly string[] | undefined,
): Promise<void> {
  const what = `credential ${id}`
  const { data, errors } = await mirroring.client.ask(CREDENTIAL, { id }, credentialShape)
  if (!data.credential) throw refusal(what, errors)
  const { name, description, credType, credSource, chain, referenceLink, itemCount } = data.credential
  const { syncStatus, lastUpdate, lastSync } = data.credential
  const space = data.credential.curatorSpace
  if (space) await importRecords(mirroring, 'spaces', [{ spaceId: Number(space.id), name: space.name }])
  const record: CredentialRecord = {
    id,
    name,
    description: description ?? '',
    credType,
    credSource,
    chain: chain ?? null,
    // The mirrored service may return a text that is not a link.
    referenceLink: isWebLink(referenceLink ?? '') ? (referenceLink ?? '') : '',
    curatorSpaceId: space ? Number(space.id) : null,
  }
  const count = `the source has ${itemCount ?? 'an unknown number of'} holders`
  const stored = await findLocalCredential(mirroring.database.kysely, id)
  // Without a list, the status SYNCING shows clients that 0 holders is not the real number.
  const statusFields = (hasList: boolean): Partial<CredentialRecord> =>
    stored.hasSource
      ? {}
      : { syncStatus: hasList && syncStatus === 'SYNCED' ? 'SYNCED' : 'SYNCING', lastUpdate, lastSync }
  await importRecords(mirroring, 'credentials', [{ ...record, ...statusFields(stored.hasHolders) }])
  if (addresses === undefined) {
    mirroring.say(`${what}: copied without holders (${count}); see --addresses`)
    return
  }
  const asked = [...new Set(addresses.flatMap((address) => canonicalHolder(credType, address) ?? []))]
  const eligible = await readEligibility(mirroring, what, id, asked)
  const list = { credentialId: id, credType, mostRemoved: 1, invalid: 'refuse', confirmed: true } as const
  const done = await replaceList(mirroring, { ...list, succeed: async () => {} }, (give) => give(eligible))
  await importRecords(mirroring, 'credentials', [{ ...record, ...statusFields(true) }])
  mirroring.say(
    `${what}: ${done.holders} of ${asked.length} addresses are eligible, ${done.added} new, ${done.removed} gone (${count})`,
  )
}

async function readEligibility(
  mirroring: Mirroring,
  what: string,
  id: string,
  addresses: readonly string[],
): Promise<string[]> {
  if (addresses.length === 0) return []
  // The result depends on the addresses, so it is stored under their hash.
  const list = createHash('sha256').update(addresses.join('\n')).digest('hex').slice(0, 16)
  const spool = await collect<string>(
    mirroring,
    `${what} for ${addresses.length} addresses (${list})`,
    async (cursor) => {
      const from = Number(cursor ?? 0)
      const part = addresses.slice(from, from + ADDRESSES_PER_QUERY)
      const names = part.map((_, i) => `$a${i}: String!`).join(', ')
      const fields = part.map((_, i) => `a${i}: eligible(address: $a${i})`).join(' ')
      const query = `query Eligible($id: ID!, ${names}) { credential(id: $id) { ${fields} } }`
      const variables = { id, ...Object.fromEntries(part.map((address, i) => [`a${i}`, address])) }
      const { data, errors } = await mirroring.client.ask(query, variables, eligibleShape)
      if (!data.credential || errors.length > 0) throw refusal(what, errors)
      const next = from + part.length
      const answers = data.credential
      return {
        items: part.filter((_, i) => answers[`a${i}`] === 1 || answers[`a${i}`] === true),
        next: next < addresses.length ? String(next) : undefined,
        total: undefined,
      }
    },
  )
  const eligible: string[] = []
  for await (const address of spool.items()) eligible.push(address)
  await spool.remove()
  return eligible
}
