import { useMutation } from '@tanstack/react-query'
import {
  type QuizForm as Quiz,
  type StoredSource,
  storeSource,
  testSource,
  type VisitForm as Visit,
} from '../api/sources.ts'
import { toast } from '../shell/toasts.tsx'
import { content as texts } from '../texts/index.ts'
import { QuizForm } from './quiz-form.tsx'
import { RemoveSource } from './remove-source.tsx'
import { VisitForm } from './visit-form.tsx'

const t = texts.source

interface ActSourceProps {
  credentialId: string
  kind: 'QUIZ' | 'VISIT_LINK'
  stored: StoredSource
}

export const isActKind = (credSource: string): credSource is ActSourceProps['kind'] =>
  credSource === 'QUIZ' || credSource === 'VISIT_LINK'

/** A source whose holders completed an action (quiz or visit) on the page of a quest. */
export function ActSource({ credentialId, kind, stored }: ActSourceProps) {
  const { source, version } = stored
  const store = useMutation({
    mutationFn: (form: Quiz | Visit) => storeSource(credentialId, form, version),
    onSuccess: () => toast(texts.saved),
  })
  const test = useMutation({ mutationFn: (form: Quiz) => testSource(credentialId, form) })
  const save = (form: Quiz | Visit) => {
    test.reset()
    store.mutate(form)
  }
  const remove = version !== null && (
    <RemoveSource credentialId={credentialId} question={kind === 'QUIZ' ? t.removeQuiz : t.removeVisit} />
  )
  const form = { pending: store.isPending, error: store.error ?? test.error, save, remove }
  if (kind === 'QUIZ')
    return (
      <QuizForm
        saved={source?.kind === 'QUIZ' ? (source as Quiz) : undefined}
        testing={test.isPending}
        test={(quiz, onSuccess) => {
          store.reset()
          test.mutate(quiz, { onSuccess })
        }}
        {...form}
      />
    )
  return <VisitForm saved={source?.kind === 'VISIT_LINK' ? (source as Visit) : undefined} {...form} />
}
