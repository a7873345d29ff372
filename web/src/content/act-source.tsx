import { type QuizForm as Quiz, type StoredSource, type Trial, type VisitForm as Visit } from '../api/sources.ts'
import { useMutation } from '../shell/use-mutation.ts'
import { content as texts } from '../texts/index.ts'
import { QuizForm } from './quiz-form.tsx'
import { RemoveSource } from './remove-source.tsx'
import { VisitForm } from './visit-form.tsx'

const t = texts.source

/** What the form of a source does, for a credential that exists or is created with its source. */
export interface SourceActions<Form> {
  /** The label of the button that saves. */
  action?: string
  /** @param version of the source that the form has read */
  save: (form: Form, version: string | null) => Promise<unknown>
  test: (form: Form, address?: string) => Promise<Trial>
}

interface ActSourceProps extends SourceActions<Quiz | Visit> {
  kind: 'QUIZ' | 'VISIT_LINK'
  stored: Pick<StoredSource, 'source' | 'version'>
  /** The credential whose source can be removed; undefined if it has none. */
  removable?: string | undefined
}

export const isActKind = (credSource: string): credSource is ActSourceProps['kind'] =>
  credSource === 'QUIZ' || credSource === 'VISIT_LINK'

/** A source whose holders completed an action (quiz or visit) on the page of a quest. */
export function ActSource({ kind, stored, removable, action, ...actions }: ActSourceProps) {
  const { source, version } = stored
  const store = useMutation({ mutationFn: (form: Quiz | Visit) => actions.save(form, version) })
  const test = useMutation({ mutationFn: (form: Quiz) => actions.test(form) })
  const save = (form: Quiz | Visit) => {
    test.reset()
    store.mutate(form)
  }
  const remove = removable !== undefined && (
    <RemoveSource
      credentialId={removable}
      question={kind === 'QUIZ' ? t.removeQuiz : t.removeVisit}
      label={kind === 'QUIZ' ? t.removeWholeQuiz : t.removeWholeVisit}
      removed={kind === 'QUIZ' ? t.removedQuiz : t.removedVisit}
    />
  )
  const form = {
    action: action ?? (kind === 'QUIZ' ? t.saveQuiz : t.saveVisit),
    pending: store.isPending,
    error: store.error ?? test.error,
    save,
    remove,
  }
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
