import type { z } from 'zod'
import type { Random } from '../random.ts'
import type { SourceContext, Reading } from './reading.ts'

/** The action with which a member becomes a holder. */
export type Act = 'quiz' | 'visit'

/**
 * A kind of source: its settings, and what it can do. A source can list all holders, or check one, or both; or it waits
 * for an act of each member.
 */
export interface SourceKind<Schema extends z.ZodType = z.ZodType, S = z.output<Schema>> {
  schema: Schema
  /** The type of the credentials that it can decide; without it, all types. */
  credType?: string
  /**
   * The kind of identities that it checks, whatever the type of the credential: those that are linked to the account of
   * an address. Without it, the address itself.
   */
  identityKind?: string
  /** Whether the settings of the operator determine the host, so that it may be in a private network. */
  platform?: boolean
  /** The act of members. A source with an act has no list and no check. */
  act?: Act
  /** Replaces settings that nobody may read again, before the source is stored. */
  conceal?: (source: S, random: Random, stored: unknown) => S
  /** The host that operators see; may be empty. */
  host: (source: S) => string
  /** Gives every holder. */
  list?: (reading: Reading, source: S, credentialId: string) => Promise<void>
  /**
   * Gives the first holders and stores nothing, for lists that are computed from stored values.
   * @returns whether these are all holders
   */
  sample?: (reading: Reading, source: S) => Promise<boolean>
  /**
   * Whether one holder, in canonical form, has the credential; undefined if the source cannot say.
   * @throws SourceError, OutgoingError
   */
  check?: (context: SourceContext, source: S, holder: string) => Promise<boolean | undefined>
}

/** Keeps the type of the schema. */
export const sourceKind = <Schema extends z.ZodType>(kind: SourceKind<Schema>): SourceKind<Schema> => kind

export const hostOf = (url: string): string => URL.parse(url)?.host ?? ''
