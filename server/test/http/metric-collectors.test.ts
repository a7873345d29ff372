import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pino } from 'pino'
import { parse } from 'yaml'
import { logOptions } from '../../src/logging/log.ts'
import { aggregateMetrics } from '../../src/workers/aggregate-metrics.ts'
import { ingestToken, send } from '../ingest-api/arrange.ts'
import { waitingSessions } from '../support/database.ts'
import { ask } from '../support/ask.ts'
import { holdLocks } from '../support/held.ts'
import { findJq } from '../support/jq.ts'
import { createPersonas, type Personas } from '../support/personas.ts'
import { startService, type TestService } from '../support/service.ts'

const root = join(import.meta.dirname, '../../..')
const file = (name: string) => readFileSync(join(root, name), 'utf8')

const hasPromtool = spawnSync('promtool', ['--version']).status === 0

/** The log lines of the service. */
const lines: string[] = []
const createLogTo = (write: (line: string) => void) => pino(logOptions('info'), { write })

let service: TestService
let personas: Personas
beforeAll(async () => {
  const log = createLogTo((line) => lines.push(line))
  service = await startService({ log, settings: { QUESTBOARD_SECRET: 'a secret of at least thirty-two characters' } })
  personas = await createPersonas(service.deps)
})
afterAll(() => service.stop())

const figures = async () => (await fetch(`${service.url}/metrics`)).text()
const valueOf = (text: string, name: string) => {
  const line = text.split('\n').find((each) => each.startsWith(`${name} `))
  return line === undefined ? undefined : Number(line.slice(name.length + 1))
}

/** All metric names in the text, including those of histograms. */
function namesIn(text: string): Set<string> {
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type] as const)
  return new Set(
    types.flatMap(([name, type]) =>
      type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : name,
    ),
  )
}

const namesUsed = (expression: string) => expression.match(/\b(?:questboard|nodejs|process)_[a-z0-9_]+/g) ?? []

describe('/metrics', () => {
  test('counts queries by status and field, and other requests by part and status', async () => {
    await ask(service.url, '{ __typename }', {})
    await ask(service.url, '{ space(id: 1) { name } }', { token: personas.business })
    await ask(service.url, '{ a: space(id: 1) { name } quest(id: "x") { name } }', { token: personas.business })
    await fetch(`${service.url}/docs`).then((answer) => answer.text())
    await fetch(`${service.url}/nowhere/at/all`).then((answer) => answer.text())
    const text = await figures()
    expect(valueOf(text, 'questboard_queries_total{status="401",operation=""}')).toBe(1)
    expect(valueOf(text, 'questboard_queries_total{status="200",operation="space"}')).toBe(1)
    expect(valueOf(text, 'questboard_queries_total{status="200",operation="several"}')).toBe(1)
    expect(valueOf(text, 'questboard_query_duration_seconds_count')).toBe(3)
    expect(valueOf(text, 'questboard_requests_total{area="docs",status="200"}')).toBe(1)
    expect(valueOf(text, 'questboard_requests_total{area="pages",status="404"}')).toBe(1)
  })

  test('counts failed fields in a response by code', async () => {
    const failed = async (code: string) => valueOf(await figures(), `questboard_field_errors_total{code="${code}"}`)
    const [before, internal] = [(await failed('NOT_FOUND')) ?? 0, await failed('INTERNAL_ERROR')]
    expect(internal).toBe(0)
    await service.database.query('ALTER TABLE quests RENAME TO quests_away')
    const query = '{ a: space(id: 99) { name } b: space(id: 98) { name } quest(id: "GCnone") { name } }'
    const answer = await ask(service.url, query, { token: personas.business })
    await service.database.query('ALTER TABLE quests_away RENAME TO quests')
    expect([answer.status, answer.errors?.length]).toEqual([200, 3])
    expect([await failed('NOT_FOUND'), await failed('INTERNAL_ERROR')]).toEqual([before + 2, 1])
  })

  test('reports pending work', async () => {
    const { database, clock } = service
    const past = new Date(clock.now() - 90_000)
    await database.query(`INSERT INTO spaces (space_id, name, created_at) VALUES (7, 'Space', now())`)
    await database.query(
      `INSERT INTO quests (quest_id, space_id, name, type, status, auto_status, end_time, next_transition_at, created_at)
       VALUES ('GClate0001', 7, 'Late', 'Drop', 'Active', true, $1, $1, $1)`,
      [past],
    )
    await new Promise((resolve) => setTimeout(resolve, 600))
    const text = await figures()
    expect(valueOf(text, 'questboard_database_up')).toBe(1)
    expect(valueOf(text, 'questboard_quest_transitions_late_seconds')).toBe(90)
    expect(valueOf(text, 'questboard_webhook_messages_due')).toBe(0)
    expect(valueOf(text, 'questboard_sync_sources{state="failed"}')).toBe(0)
    expect(valueOf(text, 'questboard_queries_under_way{state="running"}')).toBe(0)
    expect(valueOf(text, 'questboard_database_waiting{pool="requests"}')).toBe(0)
  })

  test('reads pending work with one query at a time', async () => {
    const { database } = service
    const blocker = await holdLocks(database.pool, ['LOCK TABLE webhook_endpoints IN ACCESS EXCLUSIVE MODE'])
    const first = figures()
    await new Promise((resolve) => setTimeout(resolve, 600))
    const second = figures()
    await new Promise((resolve) => setTimeout(resolve, 100))
    const looking = await waitingSessions(database)
    await blocker.release()
    expect(looking).toBe(1)
    expect((await Promise.all([first, second])).map((text) => valueOf(text, 'questboard_database_up'))).toEqual([1, 1])
  })

  test('reports an unreachable database when several processes are asked', async () => {
    const processes = [{ readMetrics: service.app.metrics.values }]
    const blocker = await holdLocks(service.database.pool, ['LOCK TABLE webhook_endpoints IN ACCESS EXCLUSIVE MODE'])
    await new Promise((resolve) => setTimeout(resolve, 600))
    const { body } = await aggregateMetrics(() => processes).render()
    await blocker.release()
    expect(valueOf(body, 'questboard_database_up')).toBe(0)
    expect(valueOf(body, 'questboard_workers{state="serving"}')).toBe(1)
  })

  test('keeps the number of labels limited for many different requests', async () => {
    for (let i = 0; i < 30; i++) {
      await ask(service.url, `query Name${i} { space(id: ${i + 1}) { name } }`, { token: personas.business })
      await fetch(`${service.url}/path${i}/${i}`).then((answer) => answer.text())
    }
    const lines = (await figures()).split('\n').filter((line) => line.startsWith('questboard_'))
    expect(lines.length).toBeLessThan(150)
  })
})

describe('files and pages that use the metrics', () => {
  const rules = (parse(file('deploy/prometheus/alerts.yaml')) as { groups: [{ rules: Rule[] }] }).groups[0].rules
  const panels = (JSON.parse(file('deploy/grafana/questboard.json')) as { panels: Panel[] }).panels

  interface Rule {
    alert: string
    expr: string
    for: string
    labels: { severity: string }
    annotations: { summary: string; action: string }
  }
  interface Panel {
    id: number
    title: string
    targets: { expr: string }[]
  }

  test.each(rules.map((rule) => [rule.alert, rule] as const))('%s uses only existing metrics', async (_, rule) => {
    const known = namesIn(await figures())
    expect(rule.expr).toMatch(/questboard|process_|nodejs_/)
    for (const name of namesUsed(rule.expr)) expect(known).toContain(name)
    expect(['page', 'warn', 'info']).toContain(rule.labels.severity)
    expect(rule.annotations.action).not.toBe('')
  })

  test('each rule has a test case', () => {
    const { tests } = parse(file('deploy/prometheus/alerts.test.yaml')) as { tests: { promql_expr_test: object[] }[] }
    const fired = tests.flatMap(({ promql_expr_test }) =>
      [...JSON.stringify(promql_expr_test).matchAll(/alertname=\\"(\w+)/g)].map(([, name]) => name),
    )
    expect([...new Set(fired)].toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted())
  })

  test.skipIf(!hasPromtool)('promtool accepts the rules, and each fires exactly when it should', () => {
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', 'alerts.test.yaml'], {
      cwd: join(root, 'deploy/prometheus'),
      encoding: 'utf8',
    })
    expect({ status, stdout, stderr }).toMatchObject({ status: 0 })
  })

  test('defines every metric that the panels of the dashboard use', async () => {
    const known = namesIn(await figures())
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    for (const { title, targets } of panels)
      for (const { expr } of targets) {
        expect(namesUsed(expr).length, title).toBeGreaterThan(0)
        for (const name of namesUsed(expr)) expect(known, title).toContain(name)
      }
  })

  test('defines every label that the dashboard and the rules use', async () => {
    const text = await figures()
    const expressions = [
      ...rules.map(({ expr }) => expr),
      ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ]
    for (const expression of expressions)
      for (const [, name = '', matchers = ''] of expression.matchAll(/\b(questboard_\w+)\{([^}]*)\}/g)) {
        const sample = new RegExp(`^${name}\\{([^}]*)\\}`, 'm').exec(text)?.[1]
        for (const [, label] of matchers.matchAll(/(\w+)(?:=~?|!=)/g))
          if (sample !== undefined) expect(sample, expression).toContain(`${label}="`)
      }
  })

  test('an alert and a panel use each metric of pages and streams, with values that exist', async () => {
    const text = await figures()
    const section = /### Pages and streams\n([\s\S]*?)\n## /.exec(file('docs/watch.md'))?.[1] ?? ''
    const names = new Set<string>([...namesUsed(section), 'questboard_live_stalled_total'])
    expect(names.size).toBe(4)
    const ofPanels = panels.flatMap(({ targets }) => targets.flatMap(({ expr }): string[] => namesUsed(expr)))
    expect(ofPanels).toEqual(expect.arrayContaining(['questboard_live_streams', ...names]))
    for (const name of names) {
      const users = rules.filter(({ expr }) => expr.includes(name))
      expect(users.length, name).toBeGreaterThan(0)
      for (const { alert, expr } of users)
        for (const [, label, values = ''] of expr.matchAll(new RegExp(`${name}\\{(\\w+)=~"([^"]+)"\\}`, 'g')))
          for (const value of values.split('|')) expect(text, alert).toContain(`${name}{${label}="${value}"}`)
    }
  })

  test('lists exactly the existing metrics in docs/watch.md', async () => {
    const listed = [...file('docs/watch.md').matchAll(/^\| `(questboard_\w+)`/gm)].map(([, name]) => name)
    const types = [...(await figures()).matchAll(/^# TYPE (questboard_\S+)/gm)].map(([, name]) => name)
    expect(listed.toSorted()).toEqual(types.toSorted())
  })

  test('names only existing metrics in the pages', async () => {
    const known = namesIn(await figures())
    const types = new Set([...(await figures()).matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name))
    for (const page of globSync('docs/*.md', { cwd: root }))
      for (const name of file(page).match(/\bquestboard_[a-z_]+_(?:total|seconds|bytes)\b/g) ?? [])
        expect(known.has(name) || types.has(name), `${page}: ${name}`).toBe(true)
  })
})

describe('docs/watch.md', () => {
  const page = file('docs/watch.md')
  const block = (language: string, index = 0) =>
    [...page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))][index]?.[1] ?? ''

  test('shows a real line of the log', async () => {
    await ask(service.url, '{ space(id: 7) { loyaltyPointsRanks { totalCount } } }', { token: personas.business })
    const shown = JSON.parse(block('json')) as object
    const line = JSON.parse(lines.findLast((each) => each.includes('"query"')) ?? '') as object
    expect(Object.keys(line)).toEqual(Object.keys(shown))
    expect(line).toMatchObject({ level: 30, operation: 'space.loyaltyPointsRanks', status: 200, msg: 'query' })
  })

  test('shows the line of an ingest request', async () => {
    const token = await ingestToken(service)
    await send(service, 'spaces', [{ spaceId: 8, name: 'Logged' }], { token })
    const line = JSON.parse(lines.findLast((each) => each.includes('"ingest"')) ?? '') as object
    expect(line).toMatchObject({
      token_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      operation: 'POST /ingest/v1/spaces',
      status: 200,
      msg: 'ingest',
    })
    expect(lines.join('')).not.toContain(token)
  })

  test('finds the requests of one token in the log', async () => {
    const query = '{ space(id: 7) { name } }'
    await ask(service.url, query, { token: personas.business })
    await ask(service.url, query, { token: personas.owner })
    await ask(service.url, '{ nothing }', { token: personas.owner })
    const { token_id: tokenId } = JSON.parse(lines.at(-1) ?? '') as { token_id: string }
    const folder = mkdtempSync(join(tmpdir(), 'questboard-log-'))
    writeFileSync(join(folder, 'questboard.log'), lines.join(''))
    const env = { ...process.env, TOKEN_ID: tokenId }
    expect(execFileSync('sh', ['-c', block('sh', 0)], { cwd: folder, env, encoding: 'utf8' })).toBe(block('text', 0))
    if (findJq() !== undefined) {
      const told = execFileSync('sh', ['-c', block('sh', 1)], { cwd: folder, env, encoding: 'utf8' })
        .trim()
        .split('\n')
      const columns = (text: string) => text.split('\t')
      expect(told.map((each) => [columns(each)[1], columns(each)[3]])).toEqual([
        ['200', 'space'],
        ['400', 'refused'],
      ])
      for (const shown of [...block('text', 1).trim().split('\n'), ...told])
        expect(shown).toMatch(/^[\d-]+T[\d:.]+Z\t\d{3}\t[\d.]+\t\w+\t[0-9a-f]{32}$/)
    } else process.stderr.write('The jq line of docs/watch.md is not run: this machine has no jq.\n')
    rmSync(folder, { recursive: true })
  })

  test('shows how to scrape: YAML, the port, the file of the rules', () => {
    const config = parse(block('yaml')) as {
      scrape_configs: [{ job_name: string; static_configs: [{ targets: string[] }] }]
      rule_files: [string]
    }
    const [{ job_name, static_configs }] = config.scrape_configs
    expect(file('deploy/prometheus/alerts.yaml')).toContain(`up{job="${job_name}"}`)
    for (const target of static_configs[0].targets) expect(target).toMatch(/:4000$/)
    expect(file(`deploy/prometheus/${config.rule_files[0]}`)).not.toBe('')
  })
})
