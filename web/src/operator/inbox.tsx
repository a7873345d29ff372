import { Text } from '@mantine/core'
import { Link } from 'wouter'
import type { Inbox as Counts } from '../api/operator.ts'
import { number } from '../shell/numbers.ts'
import { Section } from '../shell/section.tsx'
import { operator as texts } from '../texts/operator-pages.ts'

const t = texts.inbox

/** The page for each kind of work. */
const pages: Record<keyof Counts, string> = {
  appsPending: '/operator/apps',
  appChanges: '/operator/apps',
  syncsFailed: '/operator/syncs',
  syncsHeld: '/operator/syncs',
  deliveriesLate: '/operator/health',
  webhooksDisabled: '/operator/health',
  bansEnding: '/operator/bans',
}

const names = Object.keys(t.counts) as (keyof Counts)[]

/** The pending work of operators, with links to the pages on which they do it. */
export function Inbox({ counts }: { counts: Counts }) {
  const pending = names.filter((name) => counts[name] > 0)
  return (
    <Section title={t.title}>
      {pending.length === 0 ? (
        <Text>{t.nothing}</Text>
      ) : (
        <ul className="rows">
          {pending.map((name) => (
            <li key={name} className="row">
              <Link href={pages[name]} className="text-link" aria-label={`${t.counts[name]}: ${number(counts[name])}`}>
                {t.counts[name]}
              </Link>
              <Text fw={600}>{number(counts[name])}</Text>
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}
