import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { ApiFailure, problemsOf } from '../api/call.ts'
import { changeHolders, checkHolders, type ListChange, type Mode, MODES } from '../api/holders.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { describeFault } from '../shell/describe-fault.ts'
import { Fault } from '../shell/fault.tsx'
import { Notice } from '../shell/notice.tsx'
import { ProblemTable } from '../shell/problem-table.tsx'
import { Section } from '../shell/section.tsx'
import { toast } from '../shell/toasts.tsx'
import { useUnsaved } from '../shell/unsaved.ts'
import { useMutation } from '../shell/use-mutation.ts'
import { holders as t } from '../texts/index.ts'
import { emptyList, isTooLarge, type ListDraft, ListText } from './list-text.tsx'

/** Where the manual describes lists of holders. */
const MANUAL = '/docs/pages#lists-of-holders'
/** The ID of the section. */
export const LIST_PLACE = 'list'

/** Characters of a refused line. */
const MAX_SHOWN = 80

/** Changes the list of holders of a credential: the lines are checked first, and then stored. */
export function ListForm({ credentialId }: { credentialId: string }) {
  const [draft, setDraft] = useState<ListDraft>(emptyList)
  const [mode, setMode] = useState<Mode>('add')
  const check = useMutation({ mutationFn: () => checkHolders(credentialId, mode, draft.text) })
  const store = useMutation({
    mutationFn: () => changeHolders(credentialId, mode, draft.text),
    onSuccess: ({ lines }) => {
      toast(t.stored(lines))
      setDraft(emptyList)
      check.reset()
    },
  })
  const forget = () => {
    check.reset()
    store.reset()
  }
  const edit = (changed: ListDraft) => {
    forget()
    setDraft(changed)
  }
  useUnsaved(draft.text !== '')
  const error = store.error ?? check.error
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isTooLarge(draft)) check.mutate()
  }
  return (
    <div id={LIST_PLACE}>
      <Section title={t.change} lead={t.giveLead}>
        <form onSubmit={submit} noValidate>
          <Stack gap="sm">
            <ListText draft={draft} onChange={edit} error={faultOfText(error)} />
            <NativeSelect
              className="content-lines"
              label={t.mode}
              value={mode}
              onChange={(event) => {
                forget()
                setMode(event.currentTarget.value as Mode)
              }}
              data={MODES.map((value) => ({ value, label: t.modes[value] }))}
            />
            {faultOfText(error) === undefined && <Fault error={error} />}
            <Group>
              <Button
                type="submit"
                variant={check.data ? 'default' : 'filled'}
                loading={check.isPending}
                disabled={draft.text.trim() === ''}
              >
                {t.check}
              </Button>
              {check.data && (
                <StoreButton mode={mode} found={check.data} pending={store.isPending} store={() => store.mutate()} />
              )}
            </Group>
            {check.data && <ListResult found={check.data} text={draft.text} />}
            <Text size="sm">
              <a href={MANUAL} className="text-link">
                {t.manual}
              </a>
            </Text>
          </Stack>
        </form>
      </Section>
    </div>
  )
}

/** The message for the text as a whole. */
export function faultOfText(error: Error | null): string | undefined {
  const [problem] = error instanceof ApiFailure ? problemsOf(error) : []
  return problem?.field === 'text' ? describeFault(problem) : undefined
}

interface StoreButtonProps {
  mode: Mode
  found: ListChange
  pending: boolean
  store: () => void
}

function StoreButton({ mode, found: { added, removed, refused }, pending, store }: StoreButtonProps) {
  if (refused > 0 || added + removed === 0) return null
  const label = mode === 'replace' ? t.actions.replace : t.actions[mode](mode === 'add' ? added : removed)
  if (removed > 0)
    return (
      <ConfirmButton size="sm" label={label} question={t.removeQuestion(removed)} pending={pending} onConfirm={store} />
    )
  return (
    <Button loading={pending} onClick={store}>
      {label}
    </Button>
  )
}

/** What a text would change, and the lines that are refused. */
export function ListResult({ found, text }: { found: ListChange; text: string }) {
  const { added, removed, refused, problems } = found
  const counts = (['added', 'removed', 'unchanged', 'refused'] as const).flatMap((name) =>
    found[name] > 0 ? [t.results[name](found[name])] : [],
  )
  const nothing = added + removed === 0
  const advice = refused > 0 ? t.correct : nothing ? t.noChange : undefined
  const lines = problems.length > 0 ? text.split('\n') : []
  return (
    <Notice kind={refused + removed > 0 ? 'warning' : nothing ? 'plain' : 'good'} title={counts.join(' · ')}>
      {advice}
      {problems.length > 0 && (
        <ProblemTable
          label={t.problem}
          lead={problems.length < refused ? t.firstProblems(problems.length) : undefined}
          titles={{ line: t.line, subject: t.text, reason: t.problem }}
          rows={problems.map(({ line, reason, fault }) => ({
            line,
            subject: lines[line - 1]?.trim().slice(0, MAX_SHOWN),
            reason: fault?.code === 'missing_column' ? t.noColumn : describeFault({ message: reason, fault }),
          }))}
        />
      )}
    </Notice>
  )
}
