import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Row } from '../harness/row.ts'
import { embeddedVersion } from '../processes/server-versions.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const VITEST = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs')
const TEST = 'server/test/spec/attacks/9-dump-and-logs.test.ts'

interface Report {
  numPassedTests: number
  numTotalTests: number
  testResults: { startTime: number; endTime: number; message: string }[]
}

export const row: Row = {
  name: 'T9',
  title: 'a dump of the database and the log of a busy run hold nothing that any endpoint accepts',
  measures: [
    {
      title: 'rules broken: a secret in the dump or the log, or a value of them that is accepted',
      bound: '<=',
      limit: 0,
    },
    { title: 'rules checked', bound: '>=', limit: 4 },
  ],
  ownServer: embeddedVersion,
  async run({ say }) {
    const report = await runTest()
    const broken = report.numTotalTests - report.numPassedTests
    for (const { message } of report.testResults) if (broken > 0) say(message)
    const times = report.testResults.map(({ startTime, endTime }) => (endTime - startTime) / 1000)
    return {
      values: [broken, report.numTotalTests],
      figures: [{ side: 'the run', unit: 's', rounds: times }],
      notes: [
        `\`${TEST}\`, which \`npm test\` runs, too: tokens of every class, codes, secrets, cookies, challenges and passkeys are made, used, misused and made to fail inside, with the log at its most talkative level. Then each is sought in all rows of all tables and in all lines, whole, in part and in usual encodings; and every word and hash of the dump is tried as a token, a code, a secret, a cookie and an authorization request.`,
      ],
    }
  },
}

async function runTest(): Promise<Report> {
  const folder = await mkdtemp(join(tmpdir(), 'questboard-t9-'))
  const file = join(folder, 'report.json')
  try {
    const args = [VITEST, 'run', TEST, '--reporter=json', `--outputFile=${file}`]
    const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] })
    await once(child, 'exit')
    return JSON.parse(await readFile(file, 'utf8')) as Report
  } finally {
    await rm(folder, { recursive: true })
  }
}
