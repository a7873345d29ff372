import { Button, Group, SegmentedControl, Stack } from '@mantine/core'
import { useEffect, useId, useRef, useState } from 'react'
import { ApiFailure, type FieldProblem } from '../api/call.ts'
import type { Rule, RuleSet } from '../api/rules.ts'
import { describeFault } from '../shell/describe-fault.ts'
import { labelled } from '../shell/field-fault.ts'
import { showFirstWrongField } from '../shell/first-wrong-field.ts'
import { Empty } from '../shell/empty.tsx'
import { Section } from '../shell/section.tsx'
import { rules as t } from '../texts/index.ts'
import { changesOf, type Draft, draftOf, newRule } from './drafts.ts'
import { JsonField } from './json-field.tsx'
import { changed } from './rule-form.tsx'
import { RuleRow } from './rule-row.tsx'
import { Unpublished } from './unpublished.tsx'
import { type Edits, ruleOf } from './use-draft.ts'

interface EditorProps {
  spaceId: number
  /** The rules in force; null without rules. */
  stored: RuleSet | null
  lead: string | undefined
  edits: Edits
  /** Whether the edited rules differ from those in force. */
  modified: boolean
  problems: readonly FieldProblem[]
  setProblems: (problems: readonly FieldProblem[]) => void
}

/** The rules of a space, with a form for each, or as JSON. */
export function Editor({ spaceId, stored, lead, edits, modified, problems, setProblems }: EditorProps) {
  const { editing, round } = edits
  const [asJson, setAsJson] = useState(false)
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set())
  const [added, setAdded] = useState<number>()
  const before = stored?.rules ?? []
  const drafts = editing?.drafts ?? storedDrafts(stored)
  const after = drafts.map(ruleOf)
  const changes = new Map(changesOf(before, after).map(({ id, what }) => [id, what]))
  const edit = (next: readonly Draft[]) => edits.edit({ base: editing?.base ?? stored?.version ?? 0, drafts: next })
  /** Problems name rules by their places. */
  const move = (next: readonly Draft[]) => {
    setProblems([])
    edit(next)
  }
  const add = () => {
    const draft = draftOf(newRule('claim', after))
    setOpen(new Set([...open, draft.key]))
    setAdded(draft.key)
    edit([...drafts, draft])
  }
  const toggle = (key: number) =>
    setOpen(new Set(open.has(key) ? [...open].filter((one) => one !== key) : [...open, key]))
  const discard = () => {
    setProblems([])
    edits.start(undefined)
    setOpen(new Set())
  }
  const faultsOf = (index: number): FieldProblem[] => {
    const place = `rules.${index}.`
    return problems.flatMap((problem) =>
      problem.field.startsWith(place) ? [{ ...problem, field: problem.field.slice(place.length) }] : [],
    )
  }
  const listId = useId()
  const list = useRef<HTMLDivElement>(null)
  const [shown, setShown] = useState(problems)
  if (shown !== problems) {
    setShown(problems)
    const refused = drafts.flatMap(({ key }, index) => (faultsOf(index).length > 0 ? [key] : []))
    if (refused.length > 0) setOpen(new Set([...open, ...refused]))
  }
  useEffect(() => {
    if (problems.length > 0 && list.current) showFirstWrongField(list.current)
  }, [problems])
  return (
    <>
      {modified && editing && (
        <Unpublished
          spaceId={spaceId}
          base={editing.base}
          before={before}
          after={after}
          onRefused={(error) => setProblems(problemsIn(error))}
          onPublished={discard}
          discard={discard}
        />
      )}
      <Section title={modified ? t.edited : t.inForce} {...(lead !== undefined && !modified && { lead })}>
        {(drafts.length > 0 || asJson) && (
          <SegmentedControl
            className="rule-view"
            size="xs"
            aria-label={t.view}
            value={asJson ? 'json' : 'forms'}
            onChange={(value) => setAsJson(value === 'json')}
            data={[
              { value: 'forms', label: t.forms },
              { value: 'json', label: t.json },
            ]}
          />
        )}
        <Stack gap="sm" ref={list}>
          {asJson ? (
            <JsonField
              key={round}
              rules={after}
              error={
                problems.length === 0
                  ? undefined
                  : problems.map((problem) => labelled(problem, problem.field)).join('; ')
              }
              onChange={(rules) => move(rules.map(draftOf))}
            />
          ) : (
            <>
              {drafts.length === 0 && (
                <Empty icon="pulse" title={t.none} text={t.noneText}>
                  <Button aria-controls={listId} onClick={add}>
                    {t.add}
                  </Button>
                </Empty>
              )}
              <ul id={listId} className="rows">
                {drafts.map(({ key, rule }, index) => {
                  const replace = (next: Rule) => edit(drafts.with(index, { key, rule: next }))
                  const faults = faultsOf(index)
                  const what = changes.get(rule.id)
                  return (
                    <RuleRow
                      key={key}
                      spaceId={spaceId}
                      rule={rule}
                      state={what === 'added' || what === 'changed' ? what : null}
                      editor={{
                        open: open.has(key),
                        takesFocus: key === added,
                        toggle: () => toggle(key),
                        faults,
                        faultAt: (path) => {
                          const problem = faults.find(({ field }) => field === path)
                          return problem && describeFault(problem)
                        },
                        onChange: (changes) => replace(changed(rule, changes)),
                        onKind: (kind) => replace(newRule(kind, after.toSpliced(index, 1))),
                        onRemove: () => move(drafts.toSpliced(index, 1)),
                      }}
                    />
                  )
                })}
              </ul>
              {drafts.length > 0 && (
                <Group>
                  <Button variant="default" aria-controls={listId} onClick={add}>
                    {t.add}
                  </Button>
                </Group>
              )}
            </>
          )}
        </Stack>
      </Section>
    </>
  )
}

/** The drafts of stored rules, which are the same objects as long as the rules are. */
const known = new WeakMap<RuleSet, readonly Draft[]>()
export function storedDrafts(stored: RuleSet | null): readonly Draft[] {
  if (stored === null) return []
  const drafts = known.get(stored) ?? stored.rules.map(draftOf)
  known.set(stored, drafts)
  return drafts
}

export function problemsIn(error: Error): readonly FieldProblem[] {
  return error instanceof ApiFailure ? error.problems.filter(({ field }) => field.startsWith('rules.')) : []
}
