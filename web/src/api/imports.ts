import { operator, shell } from '../texts/index.ts'
import { ApiFailure } from './call.ts'
import { queryClient, sessionQuery } from './session.ts'

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

export interface ImportOptions {
  /** If empty, the service derives the kind from the fields of the file. */
  kind: string
  credentialId: string
  replace: boolean
}

export type ImportState =
  | { at: 'sending'; share: number }
  | { at: 'reading' | 'writing' | 'publishing'; read: number }
  | { at: 'storing'; stored: number; of: Step }
  | { at: 'stored'; kind: string; read: number; added: number; changed: number }
  | { at: 'refused'; message?: string; count: number; problems: { line: number; field?: string; reason: string }[] }
  | { at: 'failed'; message: string }
  /** Stopped by the user. A part that was being committed at that moment remains stored. */
  | { at: 'stopped' }

/** One kind of stored data, such as names or board rows. `atMost`: some lines may repeat stored data. */
interface Step {
  what: string
  total: number
  atMost: boolean
}

interface Line {
  phase?: 'reading' | 'writing' | 'publishing'
  result?: 'stored' | 'refused' | 'failed'
  read?: number
  stored?: number
  of?: Step
  message?: string
}

/**
 * Uploads a file and reports progress. It uses XMLHttpRequest because fetch reports no upload progress.
 * @returns a function that stops the import
 */
export function importFile(file: File, options: ImportOptions, tell: (state: ImportState) => void): () => void {
  const { kind, credentialId, replace } = options
  const query = new URLSearchParams({
    ...(kind !== '' && { kind }),
    ...(credentialId !== '' && { credentialId }),
    ...(replace && { replace: 'true' }),
  })
  const request = new XMLHttpRequest()
  let begun = false
  let stopped = false
  const fail = (message: string) => tell({ at: 'failed', message })
  request.upload.onprogress = ({ loaded, total }) => {
    begun = true
    tell({ at: 'sending', share: total === 0 ? 1 : loaded / total })
  }
  request.onprogress = () => {
    const line = lastLine(request.responseText)
    if (line?.stored && line.of) tell({ at: 'storing', stored: line.stored, of: line.of })
    else if (line?.phase) tell({ at: line.phase, read: line.read ?? 0 })
  }
  request.onerror = () => fail(begun ? operator.imports.broken : shell.unreachable)
  request.onload = () => {
    const line = lastLine(request.responseText)
    if (line?.result) tell({ ...line, at: line.result } as ImportState)
    else fail(refusalOf(request.responseText) ?? shell.badStatus(request.status))
  }
  void queryClient.fetchQuery(sessionQuery).then(
    ({ csrfToken }) => {
      if (stopped) return
      request.open('POST', `/api/operator/imports?${query}`)
      request.setRequestHeader('x-csrf-token', csrfToken)
      request.setRequestHeader('content-type', 'application/octet-stream')
      request.send(file)
    },
    (error: unknown) => {
      if (!stopped) fail(error instanceof ApiFailure ? error.message : String(error))
    },
  )
  return () => {
    stopped = true
    request.abort()
    tell({ at: 'stopped' })
  }
}

/** The last line that has come in whole. */
function lastLine(text: string): Line | undefined {
  const last = text
    .slice(0, text.lastIndexOf('\n') + 1)
    .trim()
    .split('\n')
    .at(-1)
  return last === undefined || last === '' ? undefined : (JSON.parse(last) as Line)
}

function refusalOf(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { error?: { message?: string } }).error?.message
  } catch {
    return undefined // a proxy in between answers HTML
  }
}
