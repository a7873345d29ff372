import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { banDescriptions } from '../../server/src/dashboard/operator/ban-route-descriptions.ts'
import { operatorDescriptions } from '../../server/src/dashboard/operator/route-descriptions.ts'
import { accountDescriptions } from '../../server/src/dashboard/account/account-route-descriptions.ts'
import { appDescriptions } from '../../server/src/dashboard/apps/app-route-descriptions.ts'
import {
  ingestTokenDescriptions,
  tokenDescriptions,
} from '../../server/src/dashboard/tokens/token-route-descriptions.ts'
import { webhookDescriptions } from '../../server/src/dashboard/webhooks/webhook-route-descriptions.ts'
import { credentialDescriptions } from '../../server/src/content/credentials/credential-route-descriptions.ts'
import { questDescriptions } from '../../server/src/content/quests/quest-route-descriptions.ts'
import { pointDescriptions } from '../../server/src/content/spaces/point-route-descriptions.ts'
import { snapshotDescriptions } from '../../server/src/content/spaces/snapshot-route-descriptions.ts'
import { spaceDescriptions, sprintDescriptions } from '../../server/src/content/spaces/space-route-descriptions.ts'
import { starboardDescriptions } from '../../server/src/content/starboards/starboard-route-descriptions.ts'
import { kinds } from '../../server/src/ingest/kinds.ts'
import { credentialGroups } from '../../server/src/ingest/kinds/quest-groups.ts'
import { ruleDocument } from '../../server/src/rules/rule-kinds.ts'
import { banRequestShape } from '../../server/src/bans/ban-request.ts'
import { endpointShape } from '../../server/src/webhooks/endpoint-form.ts'
import { kindOf, parseSource, sourceKinds, SourceRefusedError } from '../../server/src/sync/source.ts'
import { teamDescriptions } from '../../server/src/teams/route-descriptions.ts'
import { queryCodes } from '../../server/src/error-codes.ts'
import { faultOfIssue } from '../../server/src/text/fault-of-issue.ts'
import {
  describeFault,
  type Fault,
  faultCodes,
  type FaultCatalogue,
  faultFormats,
  faultTypes,
} from '../../server/src/texts/faults.ts'
import {
  errorsIn,
  invalidArgumentsIn,
  problemsWithoutFault,
  type ThrownError,
} from '../../server/test/thrown-errors.ts'
import { errors as germanErrors, queryErrors } from '../src/texts/de/errors.ts'
import { faults as germanFaults } from '../src/texts/de/faults.ts'
import { german } from '../src/texts/de/index.ts'
import { faults as english } from '../src/texts/en/faults.ts'
import { formatFor } from '../src/texts/format.ts'

const forms = {
  ...{ accountDescriptions, appDescriptions, banDescriptions, credentialDescriptions, ingestTokenDescriptions },
  ...{ operatorDescriptions, pointDescriptions, questDescriptions, snapshotDescriptions, spaceDescriptions },
  ...{ sprintDescriptions, starboardDescriptions, teamDescriptions, tokenDescriptions, webhookDescriptions },
}

/** The bodies of all forms, and the schemas of rules and sources. */
const shapes: [string, z.ZodType][] = [
  ...Object.entries(forms).flatMap(([group, operations]) =>
    Object.entries(operations as Record<string, { body?: z.ZodType | { shape: z.ZodType } }>).flatMap(
      ([name, { body }]): [string, z.ZodType][] =>
        body ? [[`${group}.${name}`, '_zod' in body ? body : body.shape]] : [],
    ),
  ),
  ['rules', ruleDocument],
  ...sourceKinds.map((kind): [string, z.ZodType] => [`source ${kind}`, kindOf(kind).schema]),
]

interface Check {
  check: string
  type?: string
  fn?: unknown
  params?: object
  pattern?: RegExp
  format?: string
  minimum?: number
  maximum?: number
  value?: number
  length?: number
}
interface Definition {
  type: string
  checks?: { _zod: { def: Check } }[]
  [part: string]: unknown
}

/** The faults that the checks of a shape can produce. Checks that run code, such as transforms, are not in the shape. */
function faultsIn(shape: z.ZodType, seen = new Set<z.ZodType>()): Fault[] {
  if (seen.has(shape)) return []
  seen.add(shape)
  const definition = shape._zod.def as unknown as Definition
  // Formats such as `z.iso.datetime()` are a shape and a check at once.
  const checks = [...(definition.checks ?? []).map(({ _zod }) => _zod.def), definition as unknown as Check]
  return [...checks.flatMap(faultOfCheck), ...partsOf(definition).flatMap((part) => faultsIn(part, seen))]
}

function partsOf(definition: Definition): z.ZodType[] {
  return Object.entries(definition)
    .filter(([name]) => name !== 'checks')
    .flatMap(([, part]): unknown[] => [
      part,
      ...(typeof part === 'object' && part !== null ? (Object.values(part) as unknown[]) : []),
    ])
    .filter((part): part is z.ZodType => typeof part === 'object' && part !== null && '_zod' in part)
}

function faultOfCheck({ check, fn, params, ...def }: Check): Fault[] {
  const issue = (rest: object) => [faultOfIssue({ path: [], message: '', input: '', ...rest } as never)]
  switch (check) {
    case 'custom':
      return fn === undefined ? [] : issue({ code: 'custom', params })
    case 'string_format':
      return issue({ code: 'invalid_format', format: def.format, pattern: def.pattern && String(def.pattern) })
    case 'min_length':
      return issue({ code: 'too_small', origin: 'string', minimum: def.minimum })
    case 'max_length':
      return issue({ code: 'too_big', origin: 'string', maximum: def.maximum })
    case 'greater_than':
      return issue({ code: 'too_small', origin: 'number', minimum: def.value })
    case 'less_than':
      return issue({ code: 'too_big', origin: 'number', maximum: def.value })
    case 'multiple_of':
      return issue({ code: 'not_multiple_of', divisor: def.value })
    default:
      return []
  }
}

/** Faults of a value that checks with code refuse. */
function refused(shape: z.ZodType, value: unknown): string[] {
  const { error } = shape.safeParse(value, { reportInput: true })
  return error?.issues.map((issue) => `${issue.path.join('.')} ${faultOfIssue(issue).code}`) ?? []
}

const CATALOGUES: [string, FaultCatalogue][] = [
  ['en', english],
  ['de', germanFaults],
]
const textIn = (catalogue: FaultCatalogue, fault: Fault) => describeFault(fault, catalogue, String)

describe('the faults of the forms', () => {
  it('covers the bodies of forms', () => {
    expect(shapes.length).toBeGreaterThan(50)
    expect(shapes.flatMap(([, shape]) => faultsIn(shape)).length).toBeGreaterThan(200)
  })

  it.each(shapes)('have a name and a text in both languages: %s', (_, shape) => {
    const faults = faultsIn(shape)
    const unnamed = faults.filter(
      ({ code, parameters }) => code === 'not_allowed' || (code === 'wrong_format' && parameters.format === 'pattern'),
    )
    expect(unnamed).toEqual([])
    for (const [language, catalogue] of CATALOGUES)
      for (const fault of faults) expect(textIn(catalogue, fault), `${language} ${fault.code}`).toMatch(/^\p{Lu}/u)
  })

  it('have a text for each field of records', () => {
    for (const [kind, { fields }] of Object.entries(kinds))
      for (const [name, { fault }] of Object.entries(fields))
        for (const [language, catalogue] of CATALOGUES)
          expect(textIn(catalogue, fault), `${language} ${kind}.${name}`).toBeTruthy()
  })

  it('have texts with exactly the parameters of their codes', () => {
    for (const [language, { texts }] of CATALOGUES)
      for (const [code, names] of Object.entries(faultCodes)) {
        const places = [...texts[code as Fault['code']].matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
        expect(places.toSorted(), `${language} ${code}`).toEqual([...names].toSorted())
      }
  })

  it('have texts for all formats and types, and no others', () => {
    for (const [language, { texts, formats, types }] of CATALOGUES) {
      expect(Object.keys(formats).toSorted(), language).toEqual([...faultFormats].toSorted())
      expect(Object.keys(types).toSorted(), language).toEqual([...faultTypes].toSorted())
      expect(Object.keys(texts).toSorted(), language).toEqual(Object.keys(faultCodes).toSorted())
    }
  })

  it('have the label of the field in German', () => {
    const { shell, serverApi } = german(formatFor('de'))
    const text = textIn(germanFaults, { code: 'too_long', parameters: { max: 100 } }) ?? ''
    expect(shell.fault(serverApi.tokens.name, text)).toBe(`${serverApi.tokens.name}: Höchstens 100 Zeichen.`)
  })

  it('keep the message of a code, format or type without a text of the page', () => {
    const [[, catalogue]] = CATALOGUES as [[string, FaultCatalogue]]
    const text = (code: string, parameters: Fault['parameters']) =>
      describeFault({ code, parameters }, catalogue, String)
    expect(text('toString', {})).toBeUndefined()
    expect(text('wrong_format', { format: 'future' })).toBeUndefined()
    expect(text('wrong_type', { expected: 'future' })).toBeUndefined()
    expect(text('too_long', { max: 3, more: 'x' })).toBe('At most 3 characters.')
  })
})

/** Rooms whose errors only programs and commands receive. */
const WITHOUT_PAGES = /^(?:command|ingest-api|mcp|oauth\/(?!apps\.ts|consent\.ts))/

/** The errors of a source that have neither a field nor a fault, with their codes in the JSON API. */
const refusalsIn = (path: string, text: string) =>
  errorsIn(path, text)
    .filter(({ constructorName, isOfField }) => constructorName !== 'ServiceError' && !isOfField)
    .map((error) => ({ ...error, code: error.code.toLowerCase() }))

const server = join(import.meta.dirname, '../../server/src')
const sources = globSync('**/*.ts', { cwd: server })
  .filter((path) => !WITHOUT_PAGES.test(path))
  .map((path) => ({ path, text: readFileSync(join(server, path), 'utf8') }))

describe('errors of fields', () => {
  /** Programs send the files of a programme, and pages do not. */
  const problemsIn = ({ path, text }: { path: string; text: string }) =>
    path.startsWith('programme/') ? [] : problemsWithoutFault(path, text)

  it('have a fault', () => {
    expect(sources.flatMap(problemsIn)).toEqual([])
  })

  it('appear in each form', () => {
    const text = `throw invalidFields([{ field: 'a', message }])\n({ field: 'a', message: 'b', fault: f })`
    expect(problemsIn({ path: 'a.ts', text })).toEqual(['a.ts:1'])
  })
})

describe('errors of queries', () => {
  const inRooms = sources.filter(({ path }) => /^(errors\.ts|graphql|resolvers)/.test(path))
  const messages = inRooms.flatMap(({ text }) => invalidArgumentsIn(text))

  /** The queries of the pages and the session of their readers do not cause these. */
  const ofPrograms = new Set([
    ...['token_required', 'invalid_token', 'persisted_query_not_found', 'version_expired', 'invalid_argument'],
    ...['complexity_limit_exceeded', 'depth_limit_exceeded', 'method_not_allowed', 'not_acceptable'],
    ...['unsupported_media_type', 'range_not_satisfiable', 'expectation_failed', 'headers_too_large'],
    ...['Address not provided', 'Too many addresses', 'Invalid pagination', 'Invalid space ID', 'Invalid sinceVersion'],
    ...['Invalid type filter', 'Invalid status filter', 'The document asks for the same fields too often'],
  ])

  it('have a text in German for their code, or else for their message', () => {
    const codes = Object.keys(queryCodes).map((code) => code.toLowerCase())
    expect(messages).toContain('Invalid address')
    expect(
      [
        ...codes.filter((code) => !Object.hasOwn(germanErrors, code)),
        ...messages.filter((message) => !Object.hasOwn(queryErrors, message)),
      ].filter((one) => !ofPrograms.has(one)),
    ).toEqual([])
  })

  it('have no German text for a message that the service does not send', () => {
    const text = inRooms.map((source) => source.text).join('')
    expect(Object.keys(queryErrors).filter((message) => !text.includes(`'${message}'`))).toEqual([])
  })
})

describe('errors without a field', () => {
  const refusals = sources.flatMap(({ path, text }) => refusalsIn(path, text))

  /** The pages say these in other words. */
  const saidByPages = new Set(['claim_refused'])
  /** Messages about the paths and options of commands, and about a client that is gone. */
  const ofCommands = /\$\{option\}|--map names|The file \$\{resolve|is a folder|client has disconnected/
  const unknown = ({ code, text }: ThrownError) =>
    !Object.hasOwn(germanErrors, code) &&
    !saidByPages.has(code) &&
    !(code === 'invalid_argument' && ofCommands.test(text))

  it('have a text in German', () => {
    expect(new Set(refusals.map(({ code }) => code)).size).toBeGreaterThan(60)
    expect(refusals.filter(unknown).map(({ place, code }) => `${place} ${code}`)).toEqual([])
  })

  it('have no German text that nothing uses', () => {
    const possible = new Set([
      ...refusals.map(({ code }) => code),
      ...Object.keys(queryCodes).map((code) => code.toLowerCase()),
    ])
    expect(Object.keys(germanErrors).filter((code) => !possible.has(code))).toEqual([])
  })

  it.each([
    `throw conflict('new_code', 'Text')`,
    `throw conflict(\n  'new_code',\n  \`with the word fault\`,\n)`,
    `throw new ApiError('new_code', 'Text')`,
    `throw identityError('new_code', 'Text')`,
    `throw new SnapshotError('NEW_CODE', 'Text')`,
    `throw conflict(one ? 'new_code' : 'not_found', 'Text')`,
  ])('appear in each form: %s', (text) => {
    expect(refusalsIn('a.ts', text).map(({ code }) => code)).toContain('new_code')
  })

  it('need no text for their code if they have a field or a fault', () => {
    expect(refusalsIn('a.ts', `conflict('new_code', 'Text', fault('not_kept'))`)).toEqual([])
    expect(refusalsIn('a.ts', `new SnapshotError('NEW_CODE', 'Text', 'at')`)).toEqual([])
  })
})

describe('checks with code', () => {
  const rule = { id: 'a', description: 'A', kind: 'claim', points: 1 }

  it.each([
    [{ ...rule, from: '2026-01-02T00:00:00Z', until: '2026-01-01T00:00:00Z' }, 'rules.0.until not_after_start'],
    [{ ...rule, kind: 'streak', on: 'award', days: 2, quests: ['GChdWUjXX3'] }, 'rules.0.quests only_for_claims'],
    [{ ...rule, kind: 'daily' }, 'rules.0.holdersOf one_of_two'],
    [{ ...rule, kind: 'referral', points: 0 }, 'rules.0.points no_reward'],
    [{ ...rule, kind: 'multiply' }, 'rules.0.kind not_one_of'],
    [{ ...rule, points: '1' }, 'rules.0.points wrong_type'],
    [{ ...rule, points: 0 }, 'rules.0.points too_low'],
    [{ ...rule, points: undefined }, 'rules.0.points missing'],
    [{ ...rule, id: 'A' }, 'rules.0.id wrong_format'],
  ])('of rules have faults: %j', (value, expected) => {
    expect(refused(ruleDocument, { rules: [value] })).toEqual([expected])
  })

  it('of several rules have faults', () => {
    expect(refused(ruleDocument, { rules: [rule, rule] })).toEqual(['rules.1.id not_unique'])
  })

  it('of webhooks have faults', () => {
    const form = { url: 'https://hooks.example', events: ['points.awarded'] }
    expect(refused(endpointShape, { ...form, url: 'ftp://hooks.example' })).toEqual(['url wrong_format'])
    expect(refused(endpointShape, { ...form, url: `https://hooks.example/${'ü'.repeat(700)}` })).toEqual([
      'url too_long',
    ])
    expect(refused(endpointShape, { ...form, events: [] })).toEqual(['events too_few'])
    expect(refused(endpointShape, { events: form.events })).toEqual(['url missing'])
  })

  it('of bans have faults', () => {
    expect(refused(banRequestShape, { address: '\n', reason: 'a' })).toEqual(['address wrong_format'])
    expect(refused(banRequestShape, { reason: 'a' })).toEqual(['account one_of_two'])
  })

  it('of groups have faults', () => {
    const group = { id: '1', conditionRelation: 'ALL', conditions: [{ credentialId: 'x' }] }
    const parts = credentialGroups.parts?.([group, { ...group, conditions: [] }]) ?? []
    expect(parts.map(({ path, fault }) => [path, fault.code])).toEqual([
      ['[0].conditions[0].credentialId', 'wrong_format'],
    ])
    const twice =
      credentialGroups.parts?.([
        { ...group, conditions: [] },
        { ...group, conditions: [] },
      ]) ?? []
    expect(twice.map(({ path, fault }) => [path, fault.code])).toEqual([['', 'not_unique']])
  })

  const node = { rpcUrl: 'https://node.example' }
  const event = { ...node, startBlock: 0, kind: 'EVM_EVENT', contract: `0x${'1'.repeat(40)}` }
  const staked = { ...event, event: 'event Staked(address indexed user, uint256 amount)' }
  const question = { question: 'Q', type: 'single', options: ['a', 'b'], answers: ['a'] }

  it.each([
    [{ ...staked, member: 'owner' }, 'member not_one_of'],
    [{ ...staked, member: 'user', amount: 'user' }, 'amount not_one_of'],
    [{ ...staked, member: 'user', minimum: '1' }, 'minimum needs_amount'],
    [{ ...event, event: 'Staked', member: 'user' }, 'event wrong_format'],
    [{ ...event, event: 'Staked(uint256 amount)', member: 'amount' }, 'event no_address'],
    [{ ...event, event: 'Left(address user)', member: 'user', amount: 'user' }, 'amount no_number'],
    [{ ...staked, contract: '0x', member: 'user' }, 'contract wrong_format'],
    [{ kind: 'QUIZ', questions: [{ ...question, answers: ['c'] }] }, 'questions.0.answers not_one_of'],
    [{ kind: 'QUIZ', questions: [{ ...question, answers: ['a', 'b'] }] }, 'questions.0.answers one_answer'],
    [{ kind: 'QUIZ', questions: [{ ...question, options: ['a', 'a'] }] }, 'questions.0.options not_unique'],
    [{ kind: 'QUIZ', questions: [{ ...question, options: undefined }] }, 'questions.0.options missing'],
    [{ kind: 'QUIZ', questions: [question], passMark: 2 }, 'passMark above_questions'],
    [{ kind: 'VISIT_LINK', target: 'http://page.example' }, 'target wrong_format'],
    [{ kind: 'NONE' }, 'kind not_one_of'],
    [
      { ...node, kind: 'WALLET_BALANCE', minimum: '1', asset: { erc20: 'x', startBlock: 0 } },
      'asset.erc20 wrong_format',
    ],
  ])('of sources have faults: %j', (source, expected) => {
    const refusal = () => parseSource(source)
    expect(refusal).toThrow(SourceRefusedError)
    try {
      refusal()
    } catch (error) {
      const { problems } = error as SourceRefusedError
      expect(problems.map(({ path, fault }) => `${path} ${fault?.code}`)).toEqual([expected])
    }
  })
})
