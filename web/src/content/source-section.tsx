import { useMutation, useQuery } from '@tanstack/react-query'
import {
  type QuizForm as Quiz,
  sourceQuery,
  type StoredSource,
  storeSource,
  testSource,
  type VisitForm as Visit,
} from '../api/sources.ts'
import { Fault } from '../shell/fault.tsx'
import { Loading } from '../shell/loading.tsx'
import { Section } from '../shell/section.tsx'
import { toast } from '../shell/toasts.tsx'
import { content as texts } from '../texts/index.ts'
import { QuizForm } from './quiz-form.tsx'
import { RemoveSource } from './remove-source.tsx'
import { VisitForm } from './visit-form.tsx'

const t = texts.source

interface SourceSectionProps {
  credentialId: string
  kind: 'QUIZ' | 'VISIT_LINK'
}

export const hasForm = (credSource: string): credSource is SourceSectionProps['kind'] =>
  credSource === 'QUIZ' || credSource === 'VISIT_LINK'

/** The source of a credential whose kind has a form. */
export function SourceSection({ credentialId, kind }: SourceSectionProps) {
  const read = useQuery({ ...sourceQuery(credentialId), refetchOnWindowFocus: false })
  return (
    <Section title={kind === 'QUIZ' ? t.quiz : t.visit} lead={kind === 'QUIZ' ? t.quizLead : t.visitLead}>
      {read.data ? (
        <Forms key={read.data.version} credentialId={credentialId} kind={kind} stored={read.data} />
      ) : read.error ? (
        <Fault error={read.error} />
      ) : (
        <Loading rows={3} />
      )}
    </Section>
  )
}

function Forms({ credentialId, kind, stored }: SourceSectionProps & { stored: StoredSource }) {
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
        saved={source && 'questions' in source ? source : undefined}
        testing={test.isPending}
        test={(quiz, onSuccess) => {
          store.reset()
          test.mutate(quiz, { onSuccess })
        }}
        {...form}
      />
    )
  return <VisitForm saved={source && 'target' in source ? source : undefined} {...form} />
}
