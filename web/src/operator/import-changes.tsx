import { Text } from '@mantine/core'
import type { FileImport } from '../api/imports.ts'
import { Link } from 'wouter'
import { Notice } from '../shell/notice.tsx'
import { number } from '../shell/numbers.ts'
import { Section } from '../shell/section.tsx'
import { imports as t } from '../texts/operator-pages.ts'

/** The spaces whose points change, how, and new members that can be typing errors. */
function PointEffects({ one }: { one: FileImport }) {
  const { kind, spaces, spaceCount, takenBack, banned, state, preview } = one
  if (spaces === null) return null
  const { count = 0, examples = [] } = preview?.newNames ?? {}
  return (
    <>
      <Text size="sm">{kind === 'awards' ? t.addsPoints : t.setsPoints}</Text>
      <Text size="sm">
        {t.inSpaces}{' '}
        {spaces.map(({ id, name }, place) => (
          <span key={id}>
            {place > 0 && ', '}
            <Link href={`/content/spaces/${id}/points`} className="text-link">
              {name ?? id}
            </Link>
          </span>
        ))}
        {spaceCount !== null && spaceCount > spaces.length && ` ${t.moreSpaces(spaceCount - spaces.length)}`}
      </Text>
      {takenBack !== null && takenBack > 0 && (
        <Notice kind="warning" title={t.takenBack(takenBack)}>
          <p>{t.takenBackHelp}</p>
        </Notice>
      )}
      {banned !== null && banned > 0 && (
        <Notice kind="warning" title={t.banned(banned)}>
          <p>{t.bannedHelp}</p>
        </Notice>
      )}
      {state === 'checked' && count > 0 && (
        <Notice kind="warning" title={t.newNames(count)}>
          <p>{t.newNamesHelp(examples.join(', '))}</p>
        </Notice>
      )}
    </>
  )
}

/** The changes of an import: planned after the check, made after the import. */
export function ImportChanges({ one }: { one: FileImport }) {
  const { state, added, changed, removed, replace } = one
  if (added === null || !['checked', 'storing', 'stored'].includes(state)) return null
  const isStored = state === 'stored'
  const nothing = added === 0 && changed === 0 && (removed ?? 0) === 0
  return (
    <Section title={isStored ? t.changed : t.wouldChange} {...(state === 'checked' && { lead: t.checkedLead })}>
      <PointEffects one={one} />
      {replace && !isStored && <Text size="sm">{t.replaces}</Text>}
      {nothing && !isStored && <Text>{t.nothingToDo}</Text>}
      <dl className="values facts">
        {(['lines', 'added', 'changed', 'unchanged', 'removed'] as const).map((name) =>
          one[name] === null ? null : (
            <div key={name}>
              <dt>{t.labels[name]}</dt>
              <dd>{number(one[name])}</dd>
            </div>
          ),
        )}
      </dl>
    </Section>
  )
}
