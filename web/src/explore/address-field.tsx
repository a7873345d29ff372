import { Autocomplete } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type Account, sessionQuery } from '../api/session.ts'
import { explore as texts, signIn } from '../texts/index.ts'

const t = texts.quest

interface AddressFieldProps {
  value: string
  onChange: (value: string) => void
  /** Whether the last value was rejected as an invalid address. */
  refused: boolean
  /** Next to a button, the field takes the remaining width. */
  wide?: boolean
}

/** An address to check, with the linked identities of the account as suggestions. */
export function AddressField({ value, onChange, refused, wide = false }: AddressFieldProps) {
  const account = useQuery(sessionQuery).data?.account
  return (
    <Autocomplete
      label={t.address}
      description={t.addressHelp}
      value={value}
      onChange={onChange}
      data={suggestionsOf(account)}
      // A filled field shows every suggestion, not only those that contain its text.
      filter={({ options }) => options}
      error={refused ? t.noAddress : undefined}
      maxLength={320}
      autoComplete="off"
      spellCheck={false}
      className={wide ? 'wide-field' : undefined}
    />
  )
}

/** The identities of an account as conditions name them, by kind. */
function suggestionsOf(account: Account | null | undefined) {
  const byKind = new Map<string, Set<string>>()
  for (const { kind, subject, username } of account?.identities ?? []) {
    const group = signIn.kinds[kind] ?? kind
    byKind.set(group, (byKind.get(group) ?? new Set()).add(username ?? subject))
  }
  const seen = new Set<string>()
  return [...byKind].map(([group, items]) => ({
    group,
    // The component refuses two options with one value.
    items: [...items].filter((item) => !seen.has(item) && seen.add(item)),
  }))
}

/** The address that a check begins with: a chain address if there is one, because every credential accepts it. */
export function firstAddressOf(account: Account | null | undefined): string {
  const address = account?.identities.find(({ kind }) => kind.endsWith('Address'))
  return address?.subject ?? suggestionsOf(account)[0]?.items[0] ?? ''
}
