import type { Clock } from '../clock.ts'
import type { CacheValidators } from './cache-validators.ts'
import type { Cursors } from './signed-cursors.ts'
import type { Reader } from '@questboard/pg-read-pipeline'

/** The areas of data that a token may read. */
export const AREAS = ['starboard', 'space', 'credential', 'quest'] as const
export type Area = (typeof AREAS)[number]

/** The arguments that all resolvers share. */
export interface Context {
  reader: Reader
  clock: Clock
  cursors: Cursors
  /** The newest known versions of boards, by space. Only a hint for the choice of a statement. */
  newestBoards: Map<number, number>
  /** Each resolver adds the validators of its data. */
  cacheValidators: CacheValidators
  /** The account that owns the request's token. */
  accountId: string
  /** The areas of the token. The fields are already checked; this is for arguments that name an object of another area. */
  areas: readonly string[]
  /** Set for a publishable token: it can read these spaces, and no mail addresses or handles of members. */
  spacesOfToken?: readonly number[] | undefined
  /** Checks a holder at the source of a credential; undefined if the holder list decides instead. */
  checkLive(credentialId: string, holder: string): Promise<boolean | undefined>
  /** Applies due transitions of quests before they are shown. */
  applyDueTransitions(): Promise<unknown>
}

/** The information about a field that its resolver receives. */
export interface FieldInfo {
  /** Adds an error at this field, which still returns a value. */
  report(error: Error): void
}

export type Arguments = Readonly<Record<string, unknown>>

/** Returns the value of a field. If it throws a ServiceError, the field is null, and the error has its path. */
// Each resolver declares its parent and the arguments that the schema defines.
export type Resolver<Parent = never, Args = never> = (
  parent: Parent,
  args: Args,
  context: Context,
  field: FieldInfo,
) => unknown

/** Reads a field's value from its parent without I/O. The default is the property with the field's name. */
export type Getter<Parent = never> = (parent: Parent) => unknown

/** Fields by type and name: `{ Query: { space: … } }`. */
export interface FieldTable {
  resolvers: Record<string, Record<string, Resolver>>
  getters?: Record<string, Record<string, Getter>>
}
