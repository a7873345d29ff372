import { z } from 'zod'
import { hostOf, sourceKind } from '../source-kind.ts'
import { chain, evmAddress, logs, units } from '../source-settings.ts'
import { checkedBlock, holdsBalance, holdsTokens } from './balance-checks.ts'
import { readFirstRecipients, readTransferHolders, type TokenBalances } from './transfer-holders.ts'

const schema = z.strictObject({
  ...chain,
  ...logs,
  kind: z.literal('CONTRACT_NFT_HOLDER'),
  contract: evmAddress,
  standard: z.enum(['ERC721', 'ERC1155']),
  /** Only these tokens count; all without it. */
  tokenIds: z.array(units).min(1).max(1_000).optional(),
  minimum: units.default('1'),
})

/** The token whose transfers the source follows. */
const nftOf = ({ rpcUrl, headers, ...token }: z.output<typeof schema>): TokenBalances => ({
  ...token,
  tokenIds: token.tokenIds,
  node: { url: rpcUrl, headers },
})

export const nftHolders = sourceKind({
  schema,
  credType: 'EVM_ADDRESS',
  host: ({ rpcUrl }) => hostOf(rpcUrl),
  list: (reading, source, credentialId) => readTransferHolders(reading, credentialId, nftOf(source)),
  sample: (reading, source) => readFirstRecipients(reading, nftOf(source)),
  async check(context, source, holder) {
    const node = { url: source.rpcUrl, headers: source.headers }
    const { standard, tokenIds } = source
    // A contract of ERC-1155 has no balance over all tokens.
    if (standard === 'ERC1155' && !tokenIds) return undefined
    const block = await checkedBlock(context, node, source.confirmations)
    if (tokenIds) return holdsTokens(context, node, { ...source, tokenIds, block }, holder)
    return holdsBalance(context, node, { ...source, block }, holder)
  },
})
