import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Programmes, startProgrammes } from './arrange.ts'

const PROGRAMME = `
spaces:
  - spaceId: 40
    name: Meridian
    quests:
      - {id: GCbeacon, name: Light the beacon, type: Drop}
    rules:
      - id: first-steps
        kind: claim
        description: A quest is completed
        points: 10
        quests: [GCbeacon]
        cap: {points: 50, per: week}
      - id: early
        kind: holder
        description: Early members
        credential: '500'
        points: 5
credentials:
  - {id: 500, name: Early member, credType: EVM_ADDRESS, credSource: CSV}
`
const FIRST_RULE = /\n {6}- id: first-steps[^]*?(?=\n {6}- id: early)/
const [firstRule = ''] = FIRST_RULE.exec(PROGRAMME) ?? []

let programmes: Programmes
beforeAll(async () => {
  programmes = await startProgrammes()
})
afterEach(async () => {
  await programmes.deps.database.query(
    'TRUNCATE spaces, space_versions, space_rules, rule_sets, credentials, security_events, quests CASCADE',
  )
})
afterAll(() => programmes.close())

const apply = (text: string, ...options: string[]) => programmes.apply({ 'meridian.yaml': text }, ...options)
const query = (text: string) => programmes.deps.database.query(text)
const versions = () => query('SELECT version, created_by AS "by" FROM rule_sets ORDER BY version')

describe('the rules of a space in a file', () => {
  it('apply stores them after the quests and credentials that they name, once', async () => {
    expect(await apply(PROGRAMME)).toContain('3 created, 0 changed, 0 unchanged')
    expect(await versions()).toEqual([{ version: 1, by: null }])
    expect(await query(`SELECT details FROM security_events WHERE event = 'rules.changed'`)).toEqual([
      { details: { space: '40', version: '1', by: 'command' } },
    ])
    expect(await apply(PROGRAMME)).toBe('0 created, 0 changed, 3 unchanged')
    expect(await versions()).toHaveLength(1)
  })

  it('apply compares them by their ids, and stores the next version', async () => {
    await apply(PROGRAMME)
    const changed = PROGRAMME.replace('points: 10', 'points: 20').replace('per: week', 'per: month')
    const expected = [
      '~ space 40 "Meridian"',
      '    rules.first-steps.cap.per: "week" -> "month"',
      '    rules.first-steps.points: 10 -> 20',
      '0 created, 1 changed, 2 unchanged',
    ].join('\n')
    expect(await apply(changed, '--diff')).toBe(`${expected}. Only compared: nothing was stored.`)
    expect(await versions()).toHaveLength(1)
    expect(await apply(changed)).toBe(expected)
    expect(await versions()).toHaveLength(2)
  })

  it('apply adds, removes and reorders them', async () => {
    await apply(PROGRAMME)
    const one = PROGRAMME.replace(FIRST_RULE, '')
    expect(await apply(one)).toContain('    rules.first-steps: {"id":"first-steps",')
    const reversed = one.replace('points: 5', `points: 5${firstRule}`)
    expect(await apply(reversed)).toContain('    rules.first-steps: null -> {"id":"first-steps",')
    expect(await apply(PROGRAMME)).toContain('    rules: "early, first-steps" -> "first-steps, early"\n0 created')
  })

  it('stay if a file does not name them, and end with an empty list', async () => {
    await apply(PROGRAMME)
    const space = (rules: string) => `spaces: [{spaceId: 40${rules}}]`
    expect(await apply(space(''))).toBe('0 created, 0 changed, 1 unchanged')
    expect(await apply(space(', rules: []'))).toContain('0 created, 1 changed, 0 unchanged')
    expect(await apply(space(', rules: null'))).toBe('0 created, 0 changed, 1 unchanged')
    expect(await query('SELECT rules FROM rule_sets WHERE version = 2')).toEqual([{ rules: [] }])
  })

  it('create no version in a space without rules if the list is empty', async () => {
    await apply('spaces: [{spaceId: 40, name: Meridian, rules: []}]')
    expect(await versions()).toEqual([])
  })

  it('apply names invalid ones with their lines, and stores nothing', async () => {
    const invalid = PROGRAMME.replace('points: 10', 'points: ten').replace('kind: holder', 'kind: lottery')
    const { message } = (await apply(invalid).catch((error: unknown) => error)) as Error
    expect(message.split('\n')).toEqual([
      'Nothing was stored: 2 problems',
      'meridian.yaml:11:17: spaces[0].rules[0].points: must be a whole number from 1 to 1000000',
      expect.stringMatching(/^meridian.yaml:15:15: spaces\[0\].rules\[1\].kind: must be one of claim, award, holder/),
    ])
    expect(await query('SELECT FROM spaces')).toEqual([])
  })

  it('apply rejects all objects if they name an unknown quest or credential', async () => {
    const { message } = (await apply(
      PROGRAMME.replace('quests: [GCbeacon]', 'quests: [GCbeacon, GCother]').replace(`'500'`, `'501'`),
    ).catch((error: unknown) => error)) as Error
    expect(message.split('\n')).toEqual([
      'Nothing was stored: 2 problems',
      'meridian.yaml:12:28: spaces[0].rules[0].quests[1]: is no quest of space 40',
      'meridian.yaml:17:21: spaces[0].rules[1].credential: is no credential',
    ])
    expect(await query('SELECT FROM spaces')).toEqual([])
  })

  it('export leaves out default settings, and its file changes nothing', async () => {
    await apply(PROGRAMME)
    const exported = await programmes.export('--space', '40')
    expect(exported).toContain(
      [
        '    rules:',
        '      - id: first-steps',
        '        kind: claim',
        '        description: A quest is completed',
        '        cap:',
        '          points: 50',
        '          per: week',
        '        quests:',
        '          - GCbeacon',
        '        points: 10',
        '      - id: early',
      ].join('\n'),
    )
    expect(exported).not.toMatch(/sprint|existing/)
    expect(await apply(exported, '--diff')).toContain('0 created, 0 changed, 2 unchanged')
  })
})
