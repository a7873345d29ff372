import { wrongFormat } from '../../texts/faults.ts'
import { z } from 'zod'
import { isCredentialId } from '../../resolvers/credential-id.ts'
import { hostOf, sourceKind } from '../source-kind.ts'
import { chain, evmAddress, logs, units } from '../source-settings.ts'
import { checkedBlock, holdsBalance, holdsNative } from './balance-checks.ts'
import { isHolder } from './balances.queries.ts'
import { type NativeBalances, readNativeHolders } from './native-holders.ts'
import { readFirstRecipients, readTransferHolders, type TokenBalances } from './transfer-holders.ts'

const schema = z.strictObject({
  ...chain,
  kind: z.literal('WALLET_BALANCE'),
  minimum: units,
  asset: z.union(
    [
      z.strictObject({ erc20: evmAddress, ...logs }),
      /** Native balances leave no logs, so the addresses that may hold are the holders of another credential. */
      z.strictObject({
        nativeOfHoldersOf: z.string().refine(isCredentialId, {
          error: 'must be the id of a credential',
          params: wrongFormat('credential_id'),
        }),
      }),
    ],
    'must be one of {"erc20": contract, "startBlock": number}, {"nativeOfHoldersOf": credential id}',
  ),
})

/** The token whose transfers the source follows; undefined for native balances. */
function erc20Of(source: z.output<typeof schema>): TokenBalances | undefined {
  const { rpcUrl, headers, asset, minimum, confirmations } = source
  if ('nativeOfHoldersOf' in asset) return undefined
  const { erc20: contract, startBlock, maxBlockRange } = asset
  const node = { url: rpcUrl, headers }
  return { node, contract, standard: 'ERC20', tokenIds: undefined, minimum, startBlock, confirmations, maxBlockRange }
}

const nativeOf = ({ rpcUrl, headers, asset, ...balance }: z.output<typeof schema>): NativeBalances => ({
  ...balance,
  node: { url: rpcUrl, headers },
  candidates: 'nativeOfHoldersOf' in asset ? asset.nativeOfHoldersOf : '',
})

export const walletBalance = sourceKind({
  schema,
  credType: 'EVM_ADDRESS',
  host: ({ rpcUrl }) => hostOf(rpcUrl),
  list(reading, source, credentialId) {
    const token = erc20Of(source)
    return token ? readTransferHolders(reading, credentialId, token) : readNativeHolders(reading, nativeOf(source))
  },
  async sample(reading, source) {
    const token = erc20Of(source)
    if (token) return readFirstRecipients(reading, token)
    await readNativeHolders(reading, nativeOf(source))
    return true
  },
  async check(context, { rpcUrl, headers, asset, minimum, confirmations }, holder) {
    const node = { url: rpcUrl, headers }
    if ('nativeOfHoldersOf' in asset && !(await isHolder(context.kysely, asset.nativeOfHoldersOf, holder))) return false
    const block = await checkedBlock(context, node, confirmations)
    if ('nativeOfHoldersOf' in asset) return holdsNative(context, node, { minimum, block }, holder)
    return holdsBalance(context, node, { contract: asset.erc20, minimum, block }, holder)
  },
})
