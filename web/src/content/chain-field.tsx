import { Text, TextInput } from '@mantine/core'
import { useId } from 'react'

/** Names of chains that the field offers. The service accepts others, too. */
const CHAINS = [
  ...['ETHEREUM', 'BSC', 'MATIC', 'ARBITRUM', 'OPTIMISM', 'BASE', 'AVALANCHE', 'GRAVITY_ALPHA', 'LINEA', 'SCROLL'],
  ...['ZKSYNC_ERA', 'MANTLE', 'BLAST', 'CELO', 'GNOSIS', 'FANTOM'],
  ...['SOLANA', 'SEI', 'APTOS', 'INJECTIVE', 'FLOW'],
]

interface ChainFieldProps {
  label: string
  help?: string
  /** What a name that is not in the list means; it can be a typing error. */
  noteOnOther?: (chain: string) => string
  value: string
  error: string | undefined
  onChange: (chain: string) => void
}

/** The chain of a quest or of a credential. */
export function ChainField({ label, help, noteOnOther, value, error, onChange }: ChainFieldProps) {
  const list = useId()
  const chain = value.trim()
  const isOther = chain !== '' && !CHAINS.includes(chain.toUpperCase())
  return (
    <div>
      <TextInput
        label={label}
        description={help}
        list={list}
        value={value}
        error={error}
        onChange={(event) => onChange(event.currentTarget.value)}
        autoComplete="off"
        spellCheck={false}
      />
      <datalist id={list}>
        {CHAINS.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {isOther && noteOnOther && (
        <Text size="sm" role="status" mt={4}>
          {noteOnOther(chain)}
        </Text>
      )}
    </div>
  )
}
