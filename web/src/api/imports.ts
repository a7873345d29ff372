import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { loadFaultTexts } from '../texts/faults.ts'
import { shell } from '../texts/index.ts'
import { ApiFailure, failureOf, type FieldFault, readError, send } from './call.ts'
import { change, queryClient, sessionQuery } from './session.ts'

export const KINDS = [
  'spaces',
  'sprints',
  'points',
  'awards',
  'starboards',
  'users',
  'samples',
  'links',
  'credentials',
  'holders',
  'quests',
  'participants',
] as const

const path = '/api/operator/imports'
const key = (...parts: unknown[]) => ['operator', 'imports', ...parts]

export const templateOf = (kind: string) => `${path}/templates/${kind}.csv`

export type ImportState =
  'uploading' | 'checking' | 'checked' | 'storing' | 'stored' | 'refused' | 'failed' | 'cancelled' | 'expired'

export interface Author {
  id: string
  /** Null if the account was deleted. */
  username: string | null
}

export interface Problem {
  fault?: FieldFault | undefined
  line: number
  field?: string
  reason: string
}

export interface ListedImport {
  id: string
  fileName: string
  bytes: number
  by: Author
  kind: string | null
  credentialId: string | null
  replace: boolean
  state: ImportState
  lines: number | null
  added: number | null
  changed: number | null
  unchanged: number | null
  removed: number | null
  /** For awards: the unchanged lines whose awards were taken back before. */
  takenBack: number | null
  /** For awards: the new lines whose points count only when a ban ends. */
  banned: number | null
  problemCount: number
  /** The reason why the whole file is invalid, or the import failed; null if only lines are invalid. */
  message: string | null
  fault: FieldFault | null
  createdAt: string
  appliedBy: Author | null
  endedAt: string | null
  /** The first spaces whose points the file changes; null for other kinds. */
  spaces: { id: number; name: string | null }[] | null
  /** All of them. */
  spaceCount: number | null
  undo: {
    by: Author
    /** Null while the entries are reversed. */
    endedAt: string | null
    reversed: number
    before: number
    refused: number
  } | null
}

export interface FileImport extends ListedImport {
  preview: Preview | null
  progress: Progress | null
  /** The first hundred. */
  problems: Problem[]
}

export interface Preview {
  kind: string | null
  columns: { name: string; known: boolean }[]
  rows: { line: number; values: string[] }[]
  /** For points: new members that are named by no address. */
  newNames?: { count: number; examples: string[] }
}

/** One kind of stored data, such as names or board rows. `atMost`: some lines may repeat stored data. */
interface Progress {
  phase: 'reading' | 'writing' | 'publishing'
  read: number
  stored?: number
  of?: { what: string; total: number; atMost: boolean }
}

/** The page of one import shows its progress; the history only its state. */
const WATCH_MS = { one: 1_000, list: 5_000 }
/** Whether the service works on it. An upload is the work of a browser, and cannot be cancelled. */
export const isWorking = ({ state }: ListedImport) => state === 'checking' || state === 'storing'
const isBeingUndone = ({ undo }: ListedImport) => undo !== null && undo.endedAt === null
const isChanging = (one: ListedImport) => one.state === 'uploading' || isWorking(one) || isBeingUndone(one)

/** Read again while one is uploaded, checked or stored. */
export const importsQuery = infiniteQueryOptions({
  queryKey: key('list'),
  queryFn: async ({ pageParam }) => {
    const page = await send<{ items: ListedImport[]; next: string | null }>(
      'GET',
      `${path}${pageParam === '' ? '' : `?after=${pageParam}`}`,
    )
    if (page.items.some(({ fault }) => fault)) await loadFaultTexts()
    return page
  },
  initialPageParam: '',
  getNextPageParam: ({ next }) => next ?? undefined,
  staleTime: 0,
  refetchInterval: ({ state }) =>
    state.data?.pages.some(({ items }) => items.some(isChanging)) ? WATCH_MS.list : false,
})

export const importQuery = (id: string) =>
  queryOptions({
    queryKey: key('one', id),
    queryFn: async () => {
      const one = await send<FileImport>('GET', `${path}/${encodeURIComponent(id)}`)
      if (one.problems.length > 0 || one.fault) await loadFaultTexts()
      return one
    },
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data && isChanging(state.data) ? WATCH_MS.one : false),
  })

async function act(id: string, action: 'apply' | 'cancel' | 'undo'): Promise<void> {
  try {
    const shown = await change<FileImport>('POST', `${path}/${id}/${action}`)
    queryClient.setQueryData(importQuery(id).queryKey, shown)
  } finally {
    // After an error, the page may be outdated too.
    await queryClient.invalidateQueries({ queryKey: key() })
  }
}
export const applyImport = (id: string): Promise<void> => act(id, 'apply')
export const cancelImport = (id: string): Promise<void> => act(id, 'cancel')

export const undoImport = (id: string): Promise<void> => act(id, 'undo')

export interface UploadOptions {
  /** If empty, the service derives the kind from the name and the fields of the file. */
  kind: string
  credentialId: string
  replace: boolean
  /** From 0 to 1. */
  onProgress: (share: number) => void
  signal: AbortSignal
}

/** Uploads a file, whose check then begins. It uses XMLHttpRequest because fetch reports no upload progress. */
export async function uploadFile(file: File, options: UploadOptions): Promise<FileImport> {
  const { kind, credentialId, replace, onProgress, signal } = options
  const query = new URLSearchParams({
    fileName: file.name,
    ...(kind !== '' && { kind }),
    ...(credentialId !== '' && { credentialId }),
    ...(replace && { replace: 'true' }),
  })
  // Browsers read a refusal only after they have sent the file, and the service does not wait for that.
  await send('GET', '/api/sessions/recent')
  const { csrfToken } = await queryClient.fetchQuery(sessionQuery)
  const request = new XMLHttpRequest()
  const answered = new Promise<FileImport>((resolve, reject) => {
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total)
    request.onerror = () => reject(new ApiFailure(0, 'unreachable', shell.unreachable))
    request.onabort = () => reject(new DOMException('stopped', 'AbortError'))
    request.onload = () => {
      if (request.status === 201) resolve(JSON.parse(request.responseText) as FileImport)
      else void loadFaultTexts().then(() => reject(failureOf(request.status, readError(request.responseText))))
    }
  })
  signal.addEventListener('abort', () => request.abort(), { once: true })
  request.open('POST', `${path}/uploads?${query}`)
  request.setRequestHeader('x-csrf-token', csrfToken)
  request.setRequestHeader('content-type', 'application/octet-stream')
  request.send(file)
  const uploaded = await answered
  void queryClient.invalidateQueries({ queryKey: key('list') })
  return uploaded
}
