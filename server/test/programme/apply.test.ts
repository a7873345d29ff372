import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { importRecords } from '../../src/ingest/import-records.ts'
import { type Programmes, startProgrammes } from './arrange.ts'

const PROGRAMME = `
spaces:
  - spaceId: 40
    name: Meridian
    description: |
      Two lines
      of text
    slug: meridian
    sprints:
      - sprintId: 1
        name: Season one
        startTime: 2026-11-01T00:00:00Z
    credentials:
      - id: "9007199254740993"
        name: Early member
        credType: EVM_ADDRESS
        credSource: CSV
        source: {kind: CSV, url: {env: LIST_URL}, headers: {authorization: {env: LIST_KEY}}}
    quests:
      - id: GCbeacon
        name: Light the beacon
        type: Drop
        autoStatus: true
        loyaltyPoints: 25
        credentialGroups:
          - conditionRelation: ALL
            conditions: [{credentialId: 9007199254740993}, {credentialId: 500}]
            rewards: [{rewardType: LOYALTYPOINTS, rewardCount: 25}]
      - {id: GCold, name: Old, type: Drop, status: Expired}
credentials:
  - {id: 500, name: Shared, credType: EVM_ADDRESS, credSource: CSV}
starboards:
  - {id: aura, name: Aura, type: TWITTER, tags: [defi, games]}
`

let programmes: Programmes
beforeAll(async () => {
  programmes = await startProgrammes()
  vi.stubEnv('LIST_URL', 'https://lists.example/holders?key=in-the-url')
  vi.stubEnv('LIST_KEY', 'Bearer in-the-header')
})
afterEach(async () => {
  const tables = [
    'spaces',
    'credentials',
    'credential_sources',
    'starboards',
    'security_events',
    'space_pages',
    'sprints',
    'quests',
  ]
  await programmes.deps.database.query(`TRUNCATE ${tables.join(', ')} CASCADE`)
})
afterAll(() => programmes.close())

const apply = (text: string, ...options: string[]) => programmes.apply({ 'meridian.yaml': text }, ...options)
const log = () =>
  programmes.deps.database.query<{ event: string; details: Record<string, string> }>(
    'SELECT event, details FROM security_events ORDER BY event, details::text',
  )
const count = async (table: string) => (await programmes.deps.database.query(`SELECT FROM ${table}`)).length

describe('apply', () => {
  it('stores all objects, and nothing when it runs again', async () => {
    expect(await apply(PROGRAMME)).toBe(
      [
        '+ space 40 "Meridian"',
        '+ sprint 40-1 "Season one"',
        '+ credential 9007199254740993 "Early member"',
        '+ credential 500 "Shared"',
        '+ quest GCbeacon "Light the beacon"',
        '+ quest GCold "Old"',
        '+ starboard aura "Aura"',
        '7 created, 0 changed, 0 unchanged',
      ].join('\n'),
    )
    const events = await log()
    expect(events.map(({ event }) => event).toSorted()).toEqual([
      ...Array.from({ length: 7 }, () => 'data.created'),
      'space.published',
      'sync.source-set',
    ])
    expect(events.every(({ details }) => details.by === 'command')).toBe(true)
    expect(await apply(PROGRAMME)).toBe('0 created, 0 changed, 7 unchanged')
    expect(await log()).toEqual(events)
  })

  it('changes the fields that files name, and keeps others', async () => {
    await apply(PROGRAMME)
    await importRecords(programmes.deps, 'holders', [{ credentialId: 500, address: '0x' + '1'.repeat(40) }])
    const changed = PROGRAMME.replace('loyaltyPoints: 25', 'loyaltyPoints: 50')
      .replace('rewardCount: 25', 'rewardCount: 50')
      .replace('slug: meridian', 'slug: null')
      .replace('    description: |\n      Two lines\n      of text\n', '')
    const expected = [
      '~ space 40 "Meridian"',
      '    slug: "meridian" -> null',
      '~ quest GCbeacon "Light the beacon"',
      '    loyaltyPoints: 25 -> 50',
      '    credentialGroups[0].rewards[0].rewardCount: 25 -> 50',
      '0 created, 2 changed, 5 unchanged',
    ].join('\n')
    const before = await log()
    expect(await apply(changed, '--diff')).toBe(`${expected}. Only compared: nothing was stored.`)
    expect(await log()).toEqual(before)
    expect(await apply(changed)).toBe(expected)
    expect(await log()).toContainEqual({
      event: 'data.changed',
      details: { kind: 'quest', id: 'GCbeacon', space: '40', fields: 'loyaltyPoints, credentialGroups', by: 'command' },
    })
    const [space] = await programmes.deps.database.query('SELECT description FROM spaces')
    expect(space).toEqual({ description: 'Two lines\nof text\n' })
  })

  it('prints the differences with --quiet, because they are the result, and no confirmation', async () => {
    const differences = await apply(PROGRAMME, '--diff', '--quiet')
    expect(differences).toMatch(/^\+ space 40 "Meridian"\n[^]*nothing was stored\.$/)
    expect(await apply(PROGRAMME, '--diff')).toBe(differences)
    expect(await apply(PROGRAMME, '--quiet')).toBe('')
    expect(await count('spaces')).toBe(1)
  })

  it('moves objects between spaces, and removes a source with null', async () => {
    await apply(PROGRAMME)
    const moved = `
spaces:
  - {spaceId: 41, name: Other, quests: [{id: GCold}]}
credentials:
  - {id: "9007199254740993", source: null}
`
    expect(await apply(moved)).toBe(
      [
        '+ space 41 "Other"',
        '~ credential 9007199254740993 "Early member"',
        '    source: {"everySeconds":3600,"mostRemoved":0.5,"invalid":"refuse","kind":"CSV","url":{"stored":"lists.example"},"headers":{"auth… -> null',
        '~ quest GCold "Old"',
        '    spaceId: 40 -> 41',
        '1 created, 2 changed, 0 unchanged',
      ].join('\n'),
    )
    expect(await count('credential_sources')).toBe(0)
  })

  it('stores all files together, or nothing', async () => {
    const space = 'spaces: [{spaceId: 40, name: Meridian}]'
    const quest = (credential: number) => `
spaces:
  - spaceId: 41
    name: Other
    quests:
      - id: GCone
        name: One
        type: Drop
        credentialGroups:
          - conditionRelation: ALL
            conditions:
              - credentialId: 500
              - credentialId: ${credential}
`
    const credentials = 'credentials: [{id: 500, name: Shared, credType: EVM_ADDRESS, credSource: CSV}]'
    const files = (credential: number) => ({ 'a.yaml': quest(credential), 'b.json': credentials, 'c.yaml': space })
    await expect(programmes.apply(files(9))).rejects.toThrow(
      'Nothing was stored: 1 problem\n' +
        'a.yaml:13:31: spaces[0].quests[0].credentialGroups[0].conditions[1].credentialId: ' +
        'is "9", which is not a known credential',
    )
    expect([await count('spaces'), await count('credentials'), await log()]).toEqual([0, 0, []])
    expect(await programmes.apply(files(500))).toContain('4 created')
  })

  it('names the line, the field and the allowed values of all invalid fields', async () => {
    const invalid = `
spaces:
  - spaceId: 40
    name: Meridian
    slug: No Slug
    sprint: []
    quests:
      - {id: GCone, name: "", type: Dropp, spaceId: 41}
      - {id: GCtwo, name: Two, type: Drop, credentialGroups: [{conditionRelation: SOME}]}
    credentials:
      - {id: 500, name: A, credType: EVM_ADDRESS, credSource: CSV, participantsCount: 1}
      - {name: B, credType: EVM_ADDRESS, credSource: CSV}
  - {spaceId: 40, name: Again}
starboards: {}
`
    const { message } = (await apply(invalid).catch((error: unknown) => error)) as Error
    expect(message.split('\n')).toEqual([
      'Nothing was stored: 10 problems',
      expect.stringMatching(/^meridian.yaml:5:11: spaces\[0\].slug: must be 1 to 40 characters/),
      'meridian.yaml:6:13: spaces[0].sprint: is not a field here; allowed: spaceId, name, description, slug, sprints, credentials, quests, rules',
      expect.stringMatching(/^meridian.yaml:8:53: spaces\[0\].quests\[0\].spaceId: is not a field here/),
      expect.stringMatching(/^meridian.yaml:8:27: spaces\[0\].quests\[0\].name: is missing/),
      expect.stringMatching(/quests\[0\].type: "Dropp" is not allowed; allowed: one of Drop, MysteryBox/),
      expect.stringMatching(
        /^meridian.yaml:9:83: .*quests\[1\].credentialGroups\[0\].conditionRelation: must be one of ALL, ANY/,
      ),
      expect.stringMatching(
        /^meridian.yaml:11:87: spaces\[0\].credentials\[0\].participantsCount: is not a field here/,
      ),
      expect.stringMatching(
        /^meridian.yaml:12:9: spaces\[0\].credentials\[1\].id: is missing; allowed: a whole number/,
      ),
      'meridian.yaml:13:5: spaces[1]: describes the space 40 again; it is also at spaces[0] in line 3 of meridian.yaml',
      'meridian.yaml:14:13: starboards: must be a list of starboards',
    ])
  })

  it.each([
    ['a: [1', 'meridian.yaml:1:6: is not valid YAML: '],
    ['spaces:\n  - {spaceId: 40, spaceId: 41}', 'meridian.yaml:2:19: is not valid YAML: Map keys must be unique'],
    ['- spaces', 'meridian.yaml:1:1: must be an object with the lists spaces, credentials, starboards'],
    ['', 'must be an object with the lists'],
    ['spaces: !!js/function x', 'meridian.yaml:1:9: is not valid YAML: Unresolved tag'],
    [
      'a: &a [x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c]',
      'Excessive alias count',
    ],
    ['spaces:\n  - {spaceId: 40}', 'meridian.yaml:2:5: spaces[0].name: is missing'],
    ['spaces: [{spaceId: 99999999999999999999, name: A}]', 'spaces[0].spaceId: "99999999999999999999" is not allowed'],
  ])('refuses %j', async (text, message) => {
    await expect(apply(text)).rejects.toThrow(message)
    expect(await count('spaces')).toBe(0)
  })

  it('refuses a slug of another space, and names the line', async () => {
    await apply('spaces: [{spaceId: 39, name: First, slug: meridian}]')
    await expect(apply(PROGRAMME)).rejects.toThrow(
      'meridian.yaml:3:5: spaces[0]: Another space has the address /s/meridian',
    )
  })

  it.each([
    [
      '{kind: CSV, url: {env: MISSING_NAME}}',
      'source.url: needs the environment variable MISSING_NAME, which is not set',
    ],
    ['{kind: CSV, url: {stored: lists.example}}', 'source.url: has no stored value; give the value'],
    ['{kind: REST, url: https://a.example, every: 1}', 'source: has no setting "every"'],
    [
      '{kind: API, url: "https://a.example/{address}"}',
      'source.kind: API does not fit a credential whose credSource is CSV',
    ],
  ])('refuses the source %s', async (source, message) => {
    const text = `credentials:\n  - {id: 500, name: A, credType: EVM_ADDRESS, credSource: CSV, source: ${source}}`
    await expect(apply(text)).rejects.toThrow(message)
    expect(await count('credentials')).toBe(0)
  })

  it('hashes the answers of a quiz, and finds the same quiz unchanged', async () => {
    const text = (answer: string) => `credentials:
  - id: "5001"
    name: Quiz
    credType: EVM_ADDRESS
    credSource: QUIZ
    source:
      kind: QUIZ
      questions:
        - {question: Which?, type: single, options: [Sei, Sui], answers: [Sei]}
        - {question: Who?, type: text, answers: [${answer}]}
`
    expect(await apply(text('Ada'))).toContain('1 created')
    expect(await apply(text('Ada'))).toContain('0 created, 0 changed, 1 unchanged')
    const changed = await apply(text('Grace'))
    expect(changed).toContain('0 created, 1 changed')
    expect(changed).not.toMatch(/Ada|Grace/)
  })

  it('hides the secrets of sources', async () => {
    await apply(PROGRAMME)
    vi.stubEnv('LIST_KEY', 'Bearer another-key')
    const printed = await apply(PROGRAMME)
    vi.stubEnv('LIST_KEY', 'Bearer in-the-header')
    expect(printed).toContain('    source: "(hidden)" -> "(hidden)"\n0 created, 1 changed')
  })
})

describe('export', () => {
  it('prints a file that changes nothing', async () => {
    await apply(PROGRAMME)
    const exported = await programmes.export('--space', '40', '--starboard', 'aura')
    expect(exported).not.toMatch(/in-the-(url|header)/)
    expect(exported).toContain('id: "9007199254740993"')
    expect(await apply(exported, '--diff')).toBe(
      '0 created, 0 changed, 7 unchanged. Only compared: nothing was stored.',
    )
    expect(await programmes.export('--all')).toBe(exported)
    const json = await programmes.export('--all', '--json')
    expect(await apply(json, '--diff')).toContain('7 unchanged')
  })

  it('prints a stored link that is not a URL, and applies the file with other changes', async () => {
    await apply(PROGRAMME)
    await programmes.deps.database.query("UPDATE credentials SET reference_link = 'See the forum'")
    const exported = await programmes.export('--all')
    expect(exported).toContain('referenceLink: See the forum')
    expect(await apply(exported)).toContain('7 unchanged')
    expect(await apply(exported.replace('Early member', 'First member'))).toContain('1 changed, 6 unchanged')
    await expect(apply(exported.replace('See the forum', 'See the blog'))).rejects.toThrow('referenceLink')
  })

  it('prints a file for another installation, without the values of sources', async () => {
    await apply(PROGRAMME.replace(/\n +source: .*/, ''))
    const exported = await programmes.export('--all')
    await programmes.deps.database.query(
      'TRUNCATE spaces, credentials, starboards, quests, sprints, space_pages CASCADE',
    )
    expect(await apply(exported)).toContain('7 created')
    expect(await programmes.export('--all')).toBe(exported)
  })

  it('names an unknown space', async () => {
    await expect(programmes.export('--space', '77')).rejects.toThrow('The space 77 does not exist')
    await expect(async () => programmes.export()).rejects.toThrow('name a --space or --starboard, or use --all')
  })
})
