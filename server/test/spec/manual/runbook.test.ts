import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { root } from './blocks.ts'

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const runbook = read('docs/runbook.md')

interface Rule {
  alert: string
  labels: { severity: string }
  annotations: { runbook: string }
}
const rules = (parse(read('deploy/prometheus/alerts.yaml')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
)

test('the runbook has one entry for each alert', () => {
  const entries = [...runbook.matchAll(/^### (Questboard\w+)$/gm)].map(([, name]) => name)
  expect(entries.toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted())
})

test.each(rules)(
  'the entry of $alert has its severity, symptom, cause and action, and the alert links to it',
  (rule) => {
    const { alert, annotations, labels } = rule
    const entry = runbook.split(`\n### ${alert}\n`)[1]?.split(/\n##+ /)[0] ?? ''
    expect(entry).toContain(`- **Severity:** ${labels.severity}\n`)
    for (const part of ['Symptom', 'Cause', 'Action'])
      expect(entry).toMatch(new RegExp(`^- \\*\\*${part}:\\*\\* \\S`, 'm'))
    expect(annotations.runbook).toBe(`docs/runbook.md#${alert.toLowerCase()}`)
  },
)

test('the service logs the messages of the runbook', () => {
  const source = globSync('server/src/**/*.ts', { cwd: root }).map(read).join('\n')
  const quoted = [
    ...runbook.replaceAll(/\s+/g, ' ').matchAll(/(?:search the service log for|says once a minute) `([^`"]+)`/gi),
  ]
  const messages = quoted.map(([, message = '']) => message)
  expect(messages.length).toBeGreaterThan(3)
  for (const message of messages) expect(source).toContain(message)
})
