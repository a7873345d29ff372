import { queryOptions } from '@tanstack/react-query'
import { send } from './call.ts'
import { change, queryClient } from './session.ts'

// The sources of credentials (docs/sync.md).

export type QuestionType = 'single' | 'several' | 'text'

export interface QuestionForm {
  question: string
  type: QuestionType
  options?: string[]
  /** Stored answers have a name only; sending it keeps them. */
  answers: string[] | { stored: string }
}

export interface QuizForm {
  kind: 'QUIZ'
  questions: QuestionForm[]
  passMark?: number
  attempts: number
  periodSeconds: number
}

export interface VisitForm {
  kind: 'VISIT_LINK'
  target: string
}

/** The settings of any kind. */
export interface SourceSettings {
  kind: string
  [setting: string]: unknown
}

export interface SourceField {
  /** Its path in the source, such as `next.page.parameter`. */
  path: string
  type: 'text' | 'number' | 'flag' | 'choice' | 'lines' | 'headers' | 'json' | 'variants'
  required: boolean
  default: unknown
  writeOnly: boolean
  choices: string[]
  variant: { of: string; name: string } | null
  minimum: number | null
  maximum: number | null
  maxLength: number | null
  orNumber: boolean
}

export interface SourceKind {
  kind: string
  group: 'lists' | 'chains' | 'platforms' | 'members' | 'checks'
  lists: boolean
  checks: boolean
  act: 'quiz' | 'visit' | null
  credType: string | null
  identityKind: string | null
  credSource: string
  fields: SourceField[]
}

export type RunState = 'waiting' | 'running' | 'done' | 'failed' | 'held'

export interface StoredSource {
  source: QuizForm | VisitForm | SourceSettings | null
  kind: string | null
  host: string | null
  publicOnly: boolean
  state: RunState | null
  reason: string | null
  failures: number
  nextRunAt: string | null
  lastRunAt: string | null
  lastSuccessAt: string | null
  version: string | null
}

export interface Trial {
  works: boolean
  message: string | null
  read: number
  invalid: number
  complete: boolean
  holds: boolean | null
  entries: { entry: string; holder: string | null }[]
}

export interface ListState {
  syncedAt: string | null
  failing: boolean
  inTeam: boolean
}

export type AnySource = QuizForm | VisitForm | SourceSettings

const WATCH_MS = 2_000
const pathOf = (id: string) => `/api/credentials/${encodeURIComponent(id)}/source`

/** The kinds of sources and their settings, which change with the version of the service only. */
export const kindsQuery = queryOptions({
  staleTime: Infinity,
  queryKey: ['source-kinds'],
  queryFn: async () => (await send<{ kinds: SourceKind[] }>('GET', '/api/sources/kinds')).kinds,
})

export const sourceQuery = (id: string) =>
  queryOptions({
    staleTime: 0,
    queryKey: ['content', 'source', id],
    queryFn: () => send<StoredSource>('GET', pathOf(id)),
    // A run is watched to its end.
    refetchInterval: ({ state }) => (state.data && runs(state.data) ? WATCH_MS : false),
  })

/** Whether a run takes place, or begins within seconds. */
export const runs = ({ state, nextRunAt }: StoredSource): boolean =>
  state === 'running' || (state === 'waiting' && nextRunAt !== null && Date.parse(nextRunAt) <= Date.now())

/** Whether the list of a credential is current; for every account. */
export const listStateQuery = (id: string) =>
  queryOptions({
    staleTime: 0,
    queryKey: ['list-state', id],
    queryFn: () => send<ListState>('GET', `/api/credentials/${encodeURIComponent(id)}/list`),
  })

/** A credential that exists, or that the source is for. */
export type TestedFor = { credentialId: string } | { spaceId: number; credType: string }

/** Tests a source, and stores nothing. @param address for kinds without a list */
export const testSource = (credential: TestedFor, source: AnySource, address?: string) =>
  change<Trial>('POST', '/api/sources/test', { ...credential, source, ...(address !== undefined && { address }) })

/** @param version of the source that is replaced */
export async function storeSource(id: string, source: AnySource, version: string | null): Promise<StoredSource> {
  const stored = await change<StoredSource>('PUT', pathOf(id), { source, version })
  await queryClient.invalidateQueries({ queryKey: ['content', 'credential', id] })
  queryClient.setQueryData(sourceQuery(id).queryKey, stored)
  return stored
}

export async function removeSource(id: string): Promise<void> {
  await change('DELETE', pathOf(id))
  await queryClient.invalidateQueries({ queryKey: sourceQuery(id).queryKey })
  await queryClient.invalidateQueries({ queryKey: ['content', 'credential', id] })
}

/** Starts a run. @param options.confirm whether it may remove any number of holders */
export async function runSource(id: string, options: { confirm: boolean }): Promise<void> {
  try {
    await change('POST', `${pathOf(id)}/run`, options)
  } finally {
    await queryClient.invalidateQueries({ queryKey: sourceQuery(id).queryKey })
  }
}
