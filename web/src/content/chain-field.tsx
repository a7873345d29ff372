import { Text, TextInput } from '@mantine/core'
import { useId } from 'react'
import { content as texts } from '../texts/index.ts'

const t = texts.quest

/** Names of chains that the field offers. The service accepts others, too, and treats them as EVM chains. */
const CHAINS = [
  ...['ETHEREUM', 'BSC', 'MATIC', 'ARBITRUM', 'OPTIMISM', 'BASE', 'AVALANCHE', 'GRAVITY_ALPHA', 'LINEA', 'SCROLL'],
  ...['ZKSYNC_ERA', 'MANTLE', 'BLAST', 'CELO', 'GNOSIS', 'FANTOM'],
  ...['SOLANA', 'SEI', 'APTOS', 'INJECTIVE', 'FLOW'],
]

interface ChainFieldProps {
  value: string
  error: string | undefined
  onChange: (chain: string) => void
}

/** The chain of a quest. A name that is not in the list gets a notice, because it can be a typing error. */
export function ChainField({ value, error, onChange }: ChainFieldProps) {
  const list = useId()
  const chain = value.trim()
  const isOther = chain !== '' && !CHAINS.includes(chain.toUpperCase())
  return (
    <div>
      <TextInput
        label={t.chain}
        description={t.chainHelp}
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
      {isOther && (
        <Text size="sm" role="status" mt={4}>
          {t.otherChain(chain)}
        </Text>
      )}
    </div>
  )
}
