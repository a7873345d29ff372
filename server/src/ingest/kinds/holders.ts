import { canonicalListedHolder } from '../../addresses/addresses.ts'
import { copyText } from '../../database/copy.ts'
import { fault, type FaultFormat, unknownReference, wrongFormat } from '../../texts/faults.ts'
import { isEmpty, type RowEncoder } from '../check.ts'
import { bigId, type Field } from '../fields.ts'
import type { Kind } from '../kind.ts'
import { type Problems, quoteValue, textOfJson } from '../problems.ts'
import { addHolders, knownHolders, newHolders, removeHolders } from './holders.queries.ts'

/** The type (`CredType` in the schema) of each credential, by id. */
export type CredentialTypes = ReadonlyMap<string, string>

const MAX_ADDRESS_LENGTH = 320
const allowedByType: Record<string, string> = {
  EVM_ADDRESS: 'an EVM address: 0x and 40 hex digits',
  SOLANA_ADDRESS: 'a Solana address: base58 of 32 bytes',
}
const formatByType: Record<string, FaultFormat> = { EVM_ADDRESS: 'evm_address', SOLANA_ADDRESS: 'solana_address' }
const anyHolder = `an address, handle or mail address of 1 to ${MAX_ADDRESS_LENGTH} characters, without control characters`

const address: Field = {
  column: 'address',
  type: 'text COLLATE "C"',
  allowed: `${anyHolder}; of an EVM or Solana credential an address of that chain`,
  schema: { type: 'string', minLength: 1, maxLength: MAX_ADDRESS_LENGTH },
  fallback: undefined,
  fault: wrongFormat('member'),
  read: (value) => (typeof value === 'string' ? value : undefined),
}

/**
 * Holders of credentials. The type of the credential determines how an address is validated and normalized.
 * @param only the credential of lines that name none
 * @param canonical the check of an address; sources, unlike imports, must not list own addresses
 */
export function holders(types: CredentialTypes, only?: string, canonical = canonicalListedHolder): Kind {
  const id = bigId('credential_id')
  return {
    fields: { credentialId: only === undefined ? id : { ...id, fallback: only }, address },
    key: undefined,
    rules: [],
    encoder: (problems) => holderEncoder(types, only, problems, canonical),
    tables: ['credential_holders'],
    news: newHolders,
    merge: (trx, { now }) => addHolders(trx, now),
  }
}

/** Like holders, but removes them from their lists. */
export function formerHolders(types: CredentialTypes, only?: string): Kind {
  return { ...holders(types, only), news: knownHolders, merge: (trx, { now }) => removeHolders(trx, now) }
}

function holderEncoder(
  types: CredentialTypes,
  only: string | undefined,
  problems: Problems,
  canonicalOf: typeof canonicalListedHolder,
): RowEncoder {
  const ids = bigId('credential_id')
  return ({ line, values }) => {
    const [id, given] = values
    const credentialId = isEmpty(id) ? only : ids.read(id)
    const type = credentialId === undefined ? undefined : types.get(credentialId)
    if (type === undefined) {
      const reason = isEmpty(id) ? `is missing; allowed: ${ids.allowed}` : `${quoteValue(id)} is not a known credential`
      if (isEmpty(id)) problems.add({ line, field: 'credentialId', reason, fault: fault('missing') })
      else
        problems.add({
          line,
          field: 'credentialId',
          reason: `${reason}; import it first`,
          fault: unknownReference(textOfJson(id).slice(0, 60)),
          code: 'NOT_FOUND',
        })
    }
    const canonical = typeof given === 'string' ? canonicalOf(type ?? '', given) : undefined
    if (
      !canonical ||
      canonical.length > MAX_ADDRESS_LENGTH ||
      !canonical.isWellFormed() ||
      canonical.includes('\uFFFD')
    ) {
      const allowed = allowedByType[type ?? ''] ?? anyHolder
      const reason = isEmpty(given)
        ? `is missing; allowed: ${allowed}`
        : `${quoteValue(given)} is not allowed; allowed: ${allowed}`
      problems.add({
        line,
        field: 'address',
        reason,
        fault: isEmpty(given) ? fault('missing') : wrongFormat(formatByType[type ?? ''] ?? 'member'),
      })
      return undefined
    }
    return type === undefined ? undefined : `${line}\t0\t${credentialId}\t${copyText(canonical)}\n`
  }
}
