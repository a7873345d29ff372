import { type ContentKind, contentKinds, type ContentRecord, editableFields } from '../content/records/content-kinds.ts'
import { SLUG, SLUG_RULE } from '../public-pages/slug.ts'
import { isEmpty, problemOf } from '../ingest/check.ts'
import type { Field } from '../ingest/fields.ts'
import { kinds } from '../ingest/kinds.ts'
import { type ObjectId, readObjectId } from '../objects/object-kinds.ts'
import type { Rule } from '../rules/rule-kinds.ts'
import { type FileProblem, ProgrammeRefusedError } from './problems.ts'
import { type ParsedFile, type Path, pathOf } from './parsed-file.ts'
import { readDescribedRules } from './rules-of-space.ts'

export interface DescribedObject {
  kind: ContentKind
  id: ObjectId
  record: ContentRecord
  /** The last part of the address of a space's page; null removes the page. */
  slug?: string | null
  /** The rules of a space that give points. */
  rules?: Rule[]
  /** The lists of a space that the file contains. */
  lists?: readonly (typeof IN_SPACE)[number][]
  /** The source of a credential; null removes it. */
  source?: unknown
  problem: (field: string, message: string) => FileProblem
}

interface Level {
  kind: ContentKind
  /** Members that are not fields of the record. */
  more: readonly string[]
  /** Fields that the place in the file determines. */
  implied: readonly string[]
}

const levels = {
  spaces: { kind: contentKinds.space, more: ['slug', 'sprints', 'credentials', 'quests', 'rules'], implied: [] },
  sprints: { kind: contentKinds.sprint, more: [], implied: ['spaceId'] },
  credentials: { kind: contentKinds.credential, more: ['source'], implied: ['curatorSpaceId'] },
  quests: { kind: contentKinds.quest, more: [], implied: ['spaceId'] },
  starboards: { kind: contentKinds.starboard, more: [], implied: [] },
} as const satisfies Record<string, Level>
type LevelName = keyof typeof levels

const TOP: readonly LevelName[] = ['spaces', 'credentials', 'starboards']
const IN_SPACE = ['sprints', 'credentials', 'quests'] as const
/** Quests name credentials, and all others name spaces. */
const ORDER = ['space', 'sprint', 'credential', 'quest', 'starboard']

/**
 * The objects of files, in the order in which they can be stored. Fields are validated, references are not.
 * @throws ProgrammeRefusedError
 */
export function readObjects(files: readonly ParsedFile[]): DescribedObject[] {
  const problems: FileProblem[] = []
  const objects = files.flatMap((file) => new Reader(file, problems).read())
  findDuplicates(objects, problems)
  if (problems.length > 0) {
    const names = files.map(({ name }) => name)
    const place = ({ file }: FileProblem) => names.indexOf(file)
    throw new ProgrammeRefusedError(problems.toSorted((a, b) => place(a) - place(b) || a.line - b.line))
  }
  return objects.toSorted((a, b) => ORDER.indexOf(a.kind.name) - ORDER.indexOf(b.kind.name))
}

function findDuplicates(objects: readonly DescribedObject[], problems: FileProblem[]): void {
  const first = new Map<string, FileProblem>()
  for (const { kind, id, problem } of objects) {
    const name = `${kind.name} ${id.text}`
    const here = problem('', '')
    const before = first.get(name)
    if (before)
      problems.push({
        ...here,
        message: `describes the ${name} again; it is also at ${before.path} in line ${before.line} of ${before.file}`,
      })
    else first.set(name, here)
  }
}

type Members = Record<string, unknown>
const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

class Reader {
  readonly #file: ParsedFile
  readonly #problems: FileProblem[]

  constructor(file: ParsedFile, problems: FileProblem[]) {
    this.#file = file
    this.#problems = problems
  }

  read(): DescribedObject[] {
    const { value } = this.#file
    if (!isMembers(value)) {
      this.#refuse([], `must be an object with the lists ${TOP.join(', ')}`)
      return []
    }
    this.#refuseUnknown([], value, TOP)
    return TOP.flatMap((name) => this.#list(name, [name], value[name], {}))
  }

  #list(name: LevelName, path: Path, value: unknown, implied: ContentRecord): DescribedObject[] {
    if (value === undefined || value === null) return []
    if (Array.isArray(value)) return value.flatMap((item, index) => this.#object(name, [...path, index], item, implied))
    this.#refuse(path, `must be a list of ${name}`)
    return []
  }

  #object(name: LevelName, path: Path, value: unknown, implied: ContentRecord): DescribedObject[] {
    const level: Level = levels[name]
    const { kind } = level
    const { fields } = kinds[kind.records]
    const names = [...kind.key, ...editableFields(kind).map(([field]) => field)].filter(
      (field) => !level.implied.includes(field),
    )
    const allowed = [...names, ...level.more]
    if (!isMembers(value)) {
      this.#refuse(path, `must be an object with the fields ${allowed.join(', ')}`)
      return []
    }
    this.#refuseUnknown(path, value, allowed)
    const record: ContentRecord = { ...implied }
    for (const field of names) {
      if (value[field] !== undefined) record[field] = value[field]
      if (value[field] !== undefined || kind.key.includes(field))
        this.#check([...path, field], fields[field] as Field, value[field])
    }
    const id = idOf(kind, record)
    if (id === undefined) return []
    const object: DescribedObject = {
      kind,
      id,
      record,
      problem: (field, message) => this.#file.problem([...path, ...pathOf(field)], message),
    }
    if (name === 'spaces') {
      this.#readSlug(path, value.slug, object)
      this.#readRules(path, value.rules, object)
      object.lists = IN_SPACE.filter((list) => Array.isArray(value[list]))
    }
    if (name === 'credentials' && value.source !== undefined) object.source = value.source
    return [object, ...(name === 'spaces' ? this.#contents(path, value, id.spaceId ?? 0) : [])]
  }

  #contents(path: Path, value: Members, spaceId: number): DescribedObject[] {
    return IN_SPACE.flatMap((name) =>
      this.#list(name, [...path, name], value[name], { [levels[name].implied[0]]: spaceId }),
    )
  }

  #readSlug(path: Path, slug: unknown, object: DescribedObject): void {
    if (slug === undefined) return
    if (slug === null || (typeof slug === 'string' && SLUG.test(slug))) object.slug = slug
    else this.#refuse([...path, 'slug'], SLUG_RULE)
  }

  #readRules(path: Path, described: unknown, object: DescribedObject): void {
    if (described === undefined) return
    const rules = readDescribedRules(described)
    if (Array.isArray(rules)) object.rules = rules
    else for (const { field, message } of rules.problems) this.#refuse([...path, ...pathOf(field)], message)
  }

  #check(path: Path, spec: Field, value: unknown): void {
    if (isEmpty(value)) {
      if (spec.fallback === undefined) this.#refuse(path, problemOf(spec, value))
      return
    }
    if (spec.read(value) !== undefined) return
    const parts = spec.parts?.(value) ?? []
    for (const part of parts) this.#refuse([...path, ...pathOf(part.path)], part.reason)
    if (parts.length === 0) this.#refuse(path, problemOf(spec, value))
  }

  #refuseUnknown(path: Path, value: Members, allowed: readonly string[]): void {
    for (const name of Object.keys(value))
      if (!allowed.includes(name)) this.#refuse([...path, name], `is not a field here; allowed: ${allowed.join(', ')}`)
  }

  #refuse(path: Path, message: string): void {
    this.#problems.push(this.#file.problem(path, message))
  }
}

export function idOf(kind: ContentKind, record: ContentRecord): ObjectId | undefined {
  const { fields } = kinds[kind.records]
  const parts = kind.key.map((field) => (isEmpty(record[field]) ? undefined : fields[field]?.read(record[field])))
  return parts.includes(undefined) ? undefined : readObjectId(kind.name, parts.join('-'))
}
