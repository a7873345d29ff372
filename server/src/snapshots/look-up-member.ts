import type { Services } from '../services.ts'
import { buildProof, findMember } from './proof.ts'
import type { Snapshot } from './snapshots.queries.ts'
import { signStatement, type Statement } from './statements.ts'

/** What the pages show of one member of a sealed list. */
export interface SnapshotMember extends Statement {
  /** The hashes of the Merkle proof; null outside of the tree. */
  proof: string[] | null
}

/** @throws SnapshotError if the address is malformed or not in the list */
export async function lookUpMember(services: Services, snapshot: Snapshot, text: string): Promise<SnapshotMember> {
  const { kysely } = services.database
  const member = await findMember(kysely, snapshot, text)
  const [statement, proof] = await Promise.all([
    signStatement(services, snapshot, member),
    buildProof(kysely, snapshot, member),
  ])
  return { ...statement, proof: proof?.proof ?? null }
}
