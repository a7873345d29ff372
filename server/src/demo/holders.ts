import { base58 } from '@scure/base'
import { canonicalSolanaAddress } from '../addresses/addresses.ts'
import type { HolderRecord } from '../ingest/records.ts'
import { credentials, type DemoCredential } from './credentials.ts'
import { chosenName, EXAMPLE_ADDRESS, type Person } from './people.ts'
import { type SeededRandom, seededRandom } from './seeded-random.ts'

/** Holders come from the community, the keenest first, so that the same people meet several conditions. */
export function* holderRecords(people: readonly Person[]): Generator<HolderRecord> {
  for (const credential of credentials) {
    const { id, holders } = credential
    const random = seededRandom(`holders of credential ${id}`)
    const candidates = people.flatMap((person) => nameAsHolder(random, credential, person) ?? [])
    const listed = new Set<string>(isHeldByExample(credential) ? [EXAMPLE_ADDRESS] : [])
    for (const name of candidates)
      if (listed.size < holders && random.chance(Math.min(0.9, (1.5 * holders) / candidates.length))) listed.add(name)
    while (listed.size < holders) listed.add(stranger(random, credential))
    for (const address of listed) yield { credentialId: id, address }
  }
}

/** The large lists of wallets; not the small ones that are kept by hand. */
function isHeldByExample({ credType, holders }: DemoCredential): boolean {
  return credType === 'EVM_ADDRESS' && holders > 100
}

/** How a person stands on the list: by wallet, or on accounts of other platforms sometimes by name. */
function nameAsHolder(random: SeededRandom, { credType }: DemoCredential, person: Person): string | undefined {
  const { address, username } = person
  if (credType === 'EMAIL') return undefined
  if (credType === 'SOLANA_ADDRESS') return canonicalSolanaAddress(address)
  if (!address.startsWith('0x')) return undefined
  return credType !== 'EVM_ADDRESS' && username !== undefined && random.chance(0.15) ? handle(username) : address
}

function stranger(random: SeededRandom, { credType }: DemoCredential): string {
  switch (credType) {
    case 'EVM_ADDRESS':
      return `0x${random.hex(40)}`
    case 'SOLANA_ADDRESS':
      return base58.encode(random.bytes(32))
    case 'EMAIL':
      return `${handle(chosenName(random))}@mail.example`
    case 'TWITTER':
    case 'DISCORD':
    case 'GITHUB':
      return handle(chosenName(random))
  }
}

function handle(name: string): string {
  return name.replace(/\W/g, '_').toLowerCase()
}
