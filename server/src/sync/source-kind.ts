import type { z } from 'zod'
import type { Random } from '../random.ts'
import type { SourceContext, Reading } from './reading.ts'

/** The action with which a member becomes a holder. */
export type Act = 'quiz' | 'visit'

/**
 * A kind of source: its settings and abilities. A source lists all holders, or checks one, or both. Or each member becomes
 * a holder by an act.
 */
export interface SourceKind<Schema extends z.ZodType = z.ZodType, S = z.output<Schema>> {
  schema: Schema
  /** The settings that only one value of the setting `format` uses, with this value. */
  formats?: Readonly<Record<string, string>>
  /** The type of the credentials that it can decide; without it, all types. */
  credType?: string
  /**
   * The kind of the linked identities that it checks in place of the address, for every type of credential. Without it, the
   * source checks the address itself.
   */
  identityKind?: string
  /** Whether the settings of the operator determine the host, so that it may be in a private network. */
  platform?: boolean
  /** The act of members. A source with an act has no list and no check. */
  act?: Act
  /** Replaces settings that must not be readable later, before the source is stored. */
  conceal?: (source: S, random: Random, stored: unknown) => S
  /** The host that operators see; may be empty. */
  host: (source: S) => string
  /** Passes every holder to `give`. */
  list?: (reading: Reading, source: S, credentialId: string) => Promise<void>
  /**
   * Passes on the first holders and stores nothing. For lists that are computed from stored values.
   * @returns whether these are all holders
   */
  sample?: (reading: Reading, source: S) => Promise<boolean>
  /**
   * Whether one holder, in canonical form, has the credential; undefined if the source cannot decide.
   * @throws SourceError, OutgoingError
   */
  check?: (context: SourceContext, source: S, holder: string) => Promise<boolean | undefined>
}

/** Returns the kind with the type of its schema. */
export const sourceKind = <Schema extends z.ZodType>(kind: SourceKind<Schema>): SourceKind<Schema> => kind

export const hostOf = (url: string): string => URL.parse(url)?.host ?? ''
