import type { SourceKind } from '../api/sources.ts'
import { content, sources as texts } from '../texts/index.ts'

/** A list without a source, in place of a kind of sources. Its `credSource` is CSV. */
export const OWN_LIST = 'LIST'

/** The name of a kind; a kind without a text keeps its key. */
export const kindName = (kind: string): string => texts.kinds[kind] ?? kind

interface FieldText {
  label: string
  help?: string
}

/** The texts of a setting: of its kind, of its path, or of its name. A setting without a text is named by its key. */
export function fieldText(kind: string, path: string): FieldText {
  const name = path.split('.').at(-1) ?? path
  // A subgraph has the settings of a GraphQL source.
  const own = `${kind === 'SUBGRAPH' ? 'GRAPHQL' : kind}.${path}`
  return texts.fields[own] ?? texts.fields[path] ?? texts.fields[name] ?? { label: inWords(name) }
}

/** `maxBlockRange` becomes `Max block range`. */
function inWords(name: string): string {
  const words = name.replace(/([a-z0-9])([A-Z])/g, (_, end: string, start: string) => `${end} ${start.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The name of a kind with a short description, for a list in which it is chosen. */
export function describedKind(kind: string): string {
  const about = texts.about[kind]
  return about === undefined ? kindName(kind) : `${kindName(kind)}: ${about}`
}

/** Common groups first. */
const GROUPS: readonly SourceKind['group'][] = ['members', 'platforms', 'chains', 'lists', 'checks']

export function groupKinds(
  kinds: readonly SourceKind[],
  labelOf = kindName,
): { group: string; items: { value: string; label: string }[] }[] {
  const groups = [...new Set([...GROUPS, ...kinds.map(({ group }) => group)])]
  return groups
    .map((group) => ({
      group: texts.groups[group] ?? group,
      items: kinds.filter((kind) => kind.group === group).map(({ kind }) => ({ value: kind, label: labelOf(kind) })),
    }))
    .filter(({ items }) => items.length > 0)
}

/** The title of the form of a source, and what it does. */
export function headingOf(kind: Pick<SourceKind, 'act' | 'lists'>): { title: string; lead: string } {
  if (kind.act === 'quiz') return { title: content.source.quiz, lead: content.source.quizLead }
  if (kind.act === 'visit') return { title: content.source.visit, lead: content.source.visitLead }
  return { title: texts.title, lead: kind.lists ? texts.lead : texts.liveLead }
}

/** Describes the source of holders for a source kind, or for a value of `credSource`. */
export function filledBy(kind: SourceKind | undefined): string {
  if (kind === undefined) return texts.filled.import
  if (kind.act !== null) return texts.filled[kind.act]
  return kind.lists ? texts.filled.runs : texts.filled.checks
}
