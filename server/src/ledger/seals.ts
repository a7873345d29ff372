import { createHash } from 'node:crypto'
import type { Kysely } from 'kysely'
import { HOUR } from '../clock.ts'
import type { DB } from '../database/tables.ts'
import type { Logger } from '../logging/log.ts'
import type { Random } from '../random.ts'
import { lockSpaces } from '../ranking/boards.queries.ts'
import { ERASED, type Month, monthOf, saltedName } from '../ranking/ledger.ts'
import { type EntryPosition, LEDGER_START } from './entry.ts'
import {
  type DigestEntry,
  entriesOfMonth,
  listMonths,
  listSeals,
  membersWithoutSalt,
  type Seal,
  storeSalts,
  storeSeal,
  unsealedSpaces,
} from './seals.queries.ts'

/** Clocks of instances may differ, and transactions of the last minute may still run. */
const SEAL_DELAY = HOUR
const SALT_BYTES = 16
/** Small, because awards of the space wait for a batch of salts. */
const SALTS_PER_BATCH = 2_000
const ENTRIES_PER_READ = 5_000
/** The previous digest for the first month of a space. */
const BEGINNING = Buffer.alloc(32)

export interface SealDependencies {
  random: Random
  log: Logger
}

const rangeOf = (month: string): Month => monthOf(new Date(`${month}-01T00:00:00Z`))

/** Seals the months that have ended, oldest first. @returns the number of seals */
export async function sealEndedMonths(kysely: Kysely<DB>, deps: SealDependencies, now: number): Promise<number> {
  let sealed = 0
  for (const name of await listMonths(kysely)) {
    const month = rangeOf(name)
    if (month.to.getTime() + SEAL_DELAY > now) break
    for (const spaceId of await unsealedSpaces(kysely, month)) {
      const { digest, entryCount } = await sealMonth(kysely, deps, { spaceId, name, now })
      deps.log.info(
        { spaceId, month: name, entries: entryCount, digest: digest.toString('hex') },
        'a month of a ledger was sealed',
      )
      sealed++
    }
  }
  return sealed
}

async function sealMonth(
  kysely: Kysely<DB>,
  { random }: SealDependencies,
  { spaceId, name, now }: { spaceId: number; name: string; now: number },
): Promise<Omit<Seal, 'month'>> {
  const month = rangeOf(name)
  for (let after: string | undefined = ''; after !== undefined;) {
    const from: string = after
    after = await kysely.transaction().execute(async (trx) => {
      // The lock waits for transactions that still add entries. An erasure runs either before this batch, and has no
      // salts, or after it, and uses them.
      await lockSpaces(trx, [spaceId])
      const members = await membersWithoutSalt(trx, spaceId, month, { after: from, limit: SALTS_PER_BATCH })
      await storeSalts(
        trx,
        spaceId,
        members,
        members.map(() => random.bytes(SALT_BYTES)),
      )
      return members.length < SALTS_PER_BATCH ? undefined : members.at(-1)
    })
  }
  const seal = await kysely
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (trx) => {
      const earlier = (await listSeals(trx, spaceId)).filter((one) => one.month < name)
      return digestOf(trx, spaceId, name, earlier.at(-1)?.digest)
    })
  await storeSeal(kysely, spaceId, month, { ...seal, sealedAt: new Date(now) })
  return seal
}

/** The digest of the entries of a month: the SHA-256 of the digest before it, the space, the month and all entries. */
async function digestOf(
  trx: Kysely<DB>,
  spaceId: number,
  name: string,
  before: Buffer = BEGINNING,
): Promise<{ entryCount: number; digest: Buffer }> {
  const hash = createHash('sha256')
    .update(before)
    .update(`${JSON.stringify({ spaceId, month: name })}\n`)
  let entryCount = 0
  for (let after: EntryPosition = LEDGER_START; ;) {
    const read = await entriesOfMonth(trx, spaceId, rangeOf(name), after, ENTRIES_PER_READ)
    for (const entry of read) hash.update(lineOf(entry))
    entryCount += read.length
    const last = read.at(-1)
    if (!last || read.length < ENTRIES_PER_READ) return { entryCount, digest: hash.digest() }
    after = last
  }
}

/** JSON without null fields, so that a later version can add fields. */
function lineOf({ version, position, time, sprintId, address, salt, ...rest }: DigestEntry): string {
  const fields = { version, position, time, sprintId, member: memberOf(address, salt), ...rest }
  return `${JSON.stringify(fields, (_, value: unknown) => value ?? undefined)}\n`
}

/** The name that replaces the address if the member is erased. An address without a salt was not sealed. */
function memberOf(address: string, salt: Buffer | null): string {
  if (address.startsWith(ERASED)) return address
  return salt === null ? `unknown:${address}` : saltedName(address, salt)
}

export interface SealReport {
  sealed: Seal[]
  /** The first month whose entries do not match its seal, or have none. */
  broken: { month: string; reason: 'changed' | 'no seal' } | undefined
}

/** Compares the entries of a space with its seals, in the snapshot of the transaction. */
export async function verifySeals(trx: Kysely<DB>, spaceId: number): Promise<SealReport> {
  const sealed = await listSeals(trx, spaceId)
  const seals = new Map(sealed.map((seal) => [seal.month, seal]))
  const last = sealed.at(-1)?.month ?? ''
  let before: Buffer | undefined
  for (const month of [...new Set([...(await listMonths(trx)), ...seals.keys()])].sort()) {
    if (month > last) break
    const seal = seals.get(month)
    const { entryCount, digest } = await digestOf(trx, spaceId, month, before)
    if (!seal && entryCount > 0) return { sealed, broken: { month, reason: 'no seal' } }
    if (!seal) continue
    if (seal.entryCount !== entryCount || !seal.digest.equals(digest))
      return { sealed, broken: { month, reason: 'changed' } }
    before = digest
  }
  return { sealed, broken: undefined }
}
