import { queryOptions } from '@tanstack/react-query'
import { send } from './call.ts'
import { change, queryClient } from './session.ts'

// The sources of credentials that have a form (docs/sync.md).

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

export interface StoredSource {
  source: QuizForm | VisitForm | { kind: string } | null
  version: string | null
}

const pathOf = (id: string) => `/api/credentials/${encodeURIComponent(id)}/source`

export const sourceQuery = (id: string) =>
  queryOptions({
    staleTime: 0,
    queryKey: ['content', 'source', id],
    queryFn: () => send<StoredSource>('GET', pathOf(id)),
  })

/** Checks the settings of a source, and stores nothing. */
export const testSource = (credentialId: string, source: QuizForm | VisitForm) =>
  change<{ works: boolean }>('POST', '/api/sources/test', { credentialId, source })

/** @param version of the source that is replaced */
export async function storeSource(
  id: string,
  source: QuizForm | VisitForm,
  version: string | null,
): Promise<StoredSource> {
  const stored = await change<StoredSource>('PUT', pathOf(id), { source, version })
  await queryClient.invalidateQueries({ queryKey: ['content', 'credential', id] })
  queryClient.setQueryData(sourceQuery(id).queryKey, stored)
  return stored
}

export async function removeSource(id: string): Promise<void> {
  await change('DELETE', pathOf(id))
  queryClient.setQueryData(sourceQuery(id).queryKey, { source: null, version: null })
  await queryClient.invalidateQueries({ queryKey: ['content', 'credential', id] })
}
