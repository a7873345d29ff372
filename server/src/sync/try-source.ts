import type { Kysely } from 'kysely'
import { canonicalHolder } from '../addresses/addresses.ts'
import { type Clock, SECOND } from '../clock.ts'
import type { DB } from '../database/tables.ts'
import { OutgoingError } from '../outgoing/outgoing-error.ts'
import type { Sender } from '../outgoing/outgoing.ts'
import type { SourceSites } from '../settings/source-sites.ts'
import { finalBlock } from './chain/blocks.ts'
import { nftOf } from './chain/nft-holders.ts'
import { erc20Of } from './chain/wallet-balance.ts'
import { readTransferLogs } from './chain/transfer-logs.ts'
import { transfersIn } from './chain/transfers.ts'
import type { TokenBalances } from './chain/transfer-holders.ts'
import type { Reading } from './reading.ts'
import { SourceError } from './source-error.ts'
import { isLiveSource, kindOf, type Source } from './source.ts'
import type { Act } from './source-kind.ts'

const MAX_SHOWN = 20
const MAX_TEXT = 200
const TIMEOUT = 15 * SECOND

export interface Trial {
  /** False if the source failed; `message` is the reason. A source that needs no request says what members do. */
  works: boolean
  message: string | null
  /** Entries that were read, and of these entries that are not holders of the type. */
  read: number
  invalid: number
  /** Whether these are all entries of the source. */
  complete: boolean
  /** For a source without a list: whether the address holds the credential. */
  holds: boolean | null
  entries: { entry: string; holder: string | null }[]
}

export interface TrialRequest {
  source: Source
  credType: string
  /** For a source without a list. */
  address: string | undefined
}

const actTexts: Record<Act, string> = {
  quiz: 'the settings are valid; members become holders when they pass the quiz on the page of a quest',
  visit: 'the settings are valid; members become holders when they open their link on the page of a quest',
}

/** Enough was read. */
class Enough extends Error {}

/** Reads the first entries of a source, and stores nothing. A failure of the source is a result. */
export async function trySource(
  deps: { kysely: Kysely<DB>; outgoing: Sender; clock: Clock; sites: SourceSites },
  { source, credType, address }: TrialRequest,
): Promise<Trial> {
  const trial: Trial = {
    works: true,
    message: null,
    read: 0,
    invalid: 0,
    complete: false,
    holds: null,
    entries: [],
  }
  const { act } = kindOf(source.kind)
  if (act) return { ...trial, complete: true, message: actTexts[act] }
  const signal = AbortSignal.timeout(TIMEOUT)
  const reading: Reading = {
    ...deps,
    signal,
    timeout: TIMEOUT,
    // A user waits for the response, so retries do not pause.
    pause: async () => signal.throwIfAborted(),
    async give(entries) {
      for (const entry of entries) note(trial, credType, entry)
      if (trial.read >= MAX_SHOWN) throw new Enough()
    },
  }
  try {
    const token = tokenOf(source)
    const { check, list } = kindOf(source.kind)
    if (isLiveSource(source)) trial.holds = (await check?.(reading, source, address ?? '')) ?? null
    else if (token) await readFirstTransfers(reading, token)
    else await list?.(reading, source, '')
    trial.complete = token === undefined
  } catch (error) {
    if (error instanceof Enough) return trial
    if (signal.aborted)
      return { ...trial, works: false, message: `the source did not respond within ${TIMEOUT / SECOND} seconds` }
    if (error instanceof SourceError || error instanceof OutgoingError)
      return { ...trial, works: false, message: error.message }
    throw error
  }
  return trial
}

function note(trial: Trial, credType: string, entry: unknown): void {
  const holder = typeof entry === 'string' ? canonicalHolder(credType, entry) : undefined
  trial.read++
  if (holder === undefined) trial.invalid++
  const text = typeof entry === 'string' ? entry : (JSON.stringify(entry) ?? '')
  if (trial.entries.length < MAX_SHOWN) trial.entries.push({ entry: text.slice(0, MAX_TEXT), holder: holder ?? null })
}

/** The recipients of the first transfers, without the balances that a run computes. */
async function readFirstTransfers(reading: Reading, token: TokenBalances): Promise<void> {
  const { node, startBlock, maxBlockRange } = token
  const to = Math.min(await finalBlock(reading, node, token.confirmations), startBlock + maxBlockRange - 1)
  if (to < startBlock) throw new SourceError(`block ${startBlock} (startBlock) is not final yet`)
  const tokenIds = token.tokenIds && new Set(token.tokenIds.map(BigInt))
  const scan = { ...token, from: startBlock, to, maxRange: maxBlockRange }
  const first = await readTransferLogs(reading, node, scan).next()
  const logs = first.done ? [] : first.value.logs
  const recipients = logs.flatMap((log) => transfersIn(log, token.standard, tokenIds).map((transfer) => transfer.to))
  await reading.give([...new Set(recipients)])
}

/** The token whose transfers a source follows; undefined for other sources. */
function tokenOf(source: Source): TokenBalances | undefined {
  if (source.kind === 'CONTRACT_NFT_HOLDER') return nftOf(source)
  return source.kind === 'WALLET_BALANCE' ? erc20Of(source) : undefined
}
