import { SECOND } from '../clock.ts'
import { STATEMENT_LIFETIME } from '../lifetimes.ts'
import { signJwt } from '../oauth/sign-jwt.ts'
import { signerAddress } from '../secrets/ethereum-key.ts'
import type { Services } from '../services.ts'
import { PLATFORM } from '../settings/site.ts'
import { findMember, type FoundMember } from './proof.ts'
import type { Snapshot } from './snapshots.queries.ts'
import { type Field, signTypedData, type TypedData } from './typed-data.ts'

export interface Statement {
  snapshotId: string
  address: string
  /** The sentence that is signed. */
  text: string
  asOf: Date
  rank?: number
  points?: number
  /** Signed by a published key of the installation (GET /oauth/jwks). */
  jwt: string
  /** Null without QUESTBOARD_STATEMENT_KEY, and for addresses that are not EVM addresses. */
  eip712: (TypedData & { signer: string; signature: string }) | null
}

const uint = (name: string): Field => ({ name, type: 'uint256' })
const account: Field = { name: 'account', type: 'address' }

const statementTypes = {
  RankStatement: [
    account,
    uint('spaceId'),
    uint('sprintId'),
    uint('rank'),
    { name: 'points', type: 'int256' },
    uint('asOf'),
  ],
  CredentialStatement: [account, uint('credentialId'), uint('asOf')],
  QuestStatement: [account, { name: 'questId', type: 'string' }, uint('asOf')],
} as const satisfies Record<string, readonly Field[]>

const JWT_TYPE = 'statement+jwt'

/** Signs a statement about the entry of an address in a sealed snapshot. @throws SnapshotError */
export async function stateMember(services: Services, snapshot: Snapshot, text: string): Promise<Statement> {
  return signStatement(services, snapshot, await findMember(services.database.kysely, snapshot, text))
}

export async function signStatement(
  services: Services,
  snapshot: Snapshot,
  { address, rank, points }: FoundMember,
): Promise<Statement> {
  const facts = factsOf(snapshot, address, { rank, points })
  const now = Math.floor(services.clock.now() / SECOND)
  const life = { iat: now, exp: now + STATEMENT_LIFETIME / SECOND }
  const claims = { iss: services.site.issuer, sub: address, ...life, snapshot: snapshot.id, ...facts.claims }
  const jwt = await signJwt(services, JWT_TYPE, claims)
  const key = services.config.statementKey
  const data: TypedData = {
    domain: { name: PLATFORM, version: '1' },
    types: { [facts.type]: statementTypes[facts.type] },
    primaryType: facts.type,
    message: { account: address, ...facts.message },
  }
  const eip712 =
    key !== undefined && /^0x[0-9a-f]{40}$/.test(address)
      ? { ...data, signer: signerAddress(key), signature: signTypedData(key, data) }
      : null
  const standing = snapshot.kind === 'space' ? { rank, points } : {}
  return { snapshotId: snapshot.id, address, text: facts.text, asOf: snapshot.asOf, ...standing, jwt, eip712 }
}

interface Facts {
  type: keyof typeof statementTypes
  text: string
  claims: Record<string, string | number>
  message: Record<string, string>
}

function factsOf(snapshot: Snapshot, address: string, { rank, points }: { rank: number; points: number }): Facts {
  const { kind, spaceId, sprintId, credentialId, questId, asOf } = snapshot
  const seconds = Math.floor(asOf.getTime() / SECOND)
  const at = asOf.toISOString()
  if (kind === 'credential')
    return {
      type: 'CredentialStatement',
      text: `${address} holds the credential ${credentialId} as of ${at}`,
      claims: { credential: credentialId ?? '', as_of: seconds },
      message: { credentialId: credentialId ?? '', asOf: String(seconds) },
    }
  if (kind === 'quest')
    return {
      type: 'QuestStatement',
      text: `${address} participates in the quest ${questId} as of ${at}`,
      claims: { quest: questId ?? '', as_of: seconds },
      message: { questId: questId ?? '', asOf: String(seconds) },
    }
  const board = sprintId === null ? `the space ${spaceId}` : `the sprint ${sprintId} of the space ${spaceId}`
  return {
    type: 'RankStatement',
    text: `${address} has rank ${rank} with ${points} points in ${board} as of ${at}`,
    claims: {
      space: String(spaceId),
      ...(sprintId !== null && { sprint: String(sprintId) }),
      rank,
      points,
      as_of: seconds,
    },
    message: {
      spaceId: String(spaceId),
      sprintId: String(sprintId ?? 0),
      rank: String(rank),
      points: String(points),
      asOf: String(seconds),
    },
  }
}
