import { createRecent } from '../cache/recent-cache.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/connection.ts'
import { LAST_USED_RESOLUTION } from '../lifetimes.ts'
import type { Logger } from '../logging/log.ts'
import { findDocument, keepDocument } from './persisted-documents.queries.ts'

/**
 * Documents that clients name by their SHA-256 instead of sending them. Each token has its own, and everyone can read a
 * publishable token. So a document is stored only after this token has run it, its number is limited, and new ones replace
 * those that were not used for longest.
 */
export interface PersistedDocuments {
  /** Counts a document whose hash is wrong. */
  refuse(): void
  find(tokenId: string, hash: string): Promise<string | undefined>
  /** Stores a document whose hash was checked, or records its use. */
  keep(tokenId: string, hash: string, document: string): Promise<void>
}

/** `refused`: the hash is wrong, or the document exceeds a limit, so that it is not stored. */
export const DOCUMENT_OUTCOMES = ['found', 'not found', 'stored', 'refused'] as const
export type DocumentOutcome = (typeof DOCUMENT_OUTCOMES)[number]

export const MAX_DOCUMENTS = 200
export const MAX_NEW_DOCUMENTS = 30
/** Longer documents are not stored. */
export const MAX_DOCUMENT_LENGTH = 10_000

const CAPACITY_CHARACTERS = 8_000_000
const ENTRY_CHARACTERS = 500

interface Known {
  document: string
  notedAt: number
}

export function createPersistedDocuments(
  { database, clock, log }: { database: Database; clock: Clock; log: Logger },
  count: (outcome: DocumentOutcome) => void,
): PersistedDocuments {
  const known = createRecent<Known>(CAPACITY_CHARACTERS, (_, { document }) => document.length + ENTRY_CHARACTERS)
  const keyOf = (tokenId: string, hash: string) => `${tokenId} ${hash}`

  return {
    refuse: () => count('refused'),
    async find(tokenId, hash) {
      const cached = known.get(keyOf(tokenId, hash))
      const document = cached?.document ?? (await findDocument(database, tokenId, Buffer.from(hash, 'hex')))
      count(document === undefined ? 'not found' : 'found')
      return document
    },
    async keep(tokenId, hash, document) {
      if (document.length > MAX_DOCUMENT_LENGTH) return count('refused')
      const now = clock.now()
      const cached = known.get(keyOf(tokenId, hash))
      if (cached && Math.abs(now - cached.notedAt) < LAST_USED_RESOLUTION) return
      known.set(keyOf(tokenId, hash), { document, notedAt: now })
      const kept = { tokenId, hash: Buffer.from(hash, 'hex'), document, now: new Date(now) }
      try {
        const result = await keepDocument(database.pool, kept, { max: MAX_DOCUMENTS, maxNew: MAX_NEW_DOCUMENTS })
        if (result !== 'noted') count(result)
      } catch (error) {
        log.warn({ err: error }, 'could not store a persisted document')
      }
    },
  }
}
