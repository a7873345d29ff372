import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Block, blocksOf, commandLines, pages, root } from './blocks.ts'

/** The test that runs a block or compares it with the code, or the reason why no test does. */
interface Account {
  file: string | RegExp
  language: string
  /** Limits the entry to blocks that match. */
  like?: RegExp
  /** A test file that names the page or lists all pages. */
  test?: string
  reason?: string
}

const commands = 'server/test/spec/manual/commands.test.ts'
const excerpts = 'server/test/spec/manual/examples.test.ts'
const accounts: Account[] = [
  { file: /./, language: 'sh', like: /(^|bin\/)questboard [a-z]/m, test: commands },
  { file: /^docs\/(import|ingest)\.md$/, language: '', like: /bin\/questboard [a-z]/, test: commands },
  { file: /./, language: 'sh', like: /^([A-Z_]+=\S+ )*npm (start|test|run)|^npx vitest/, test: commands },
  { file: /./, language: 'sh', like: /npx node examples\//, test: 'client/test/examples/apps.test.ts' },
  {
    file: /^docs\/(quick-start|guides\/leaderboard)\.md$/,
    language: 'sh',
    like: /^python3 -m http\.server 3000/,
    test: 'client/test/examples/leaderboard-widget.test.ts',
  },
  { file: /./, language: 'ts', like: /^\/\/ examples\//, test: excerpts },
  { file: /./, language: 'js', like: /^\/\/ examples\//, test: excerpts },
  { file: /./, language: 'html', like: /^<!-- examples\//, test: excerpts },
  { file: /./, language: 'ini', like: /^# deploy\//, test: excerpts },
  { file: /./, language: 'yaml', like: /^# deploy\//, test: excerpts },
  { file: /./, language: 'nginx', like: /^# deploy\//, test: excerpts },
  { file: 'README.md', language: 'sh', like: /curl/, test: 'server/test/spec/manual/docs.test.ts' },
  { file: 'README.md', language: 'json', test: 'server/test/spec/manual/docs.test.ts' },
  { file: 'README.md', language: 'text', test: commands },
  { file: 'docs/pages.md', language: 'sh', like: /curl/, test: 'server/test/spec/manual/docs.test.ts' },
  { file: 'docs/pages.md', language: 'json', test: 'server/test/spec/manual/docs.test.ts' },
  { file: 'docs/deploy.md', language: 'sql', test: 'server/test/spec/manual/docs.test.ts' },
  { file: 'docs/grow-a-cluster.md', language: 'sql', test: 'server/test/distribution/distribute/growing.test.ts' },
  { file: 'docs/grow-a-cluster.md', language: 'text', reason: 'the output of psql, with numbers of one cluster' },
  { file: 'docs/quick-start.md', language: 'sh', like: /curl/, test: 'server/test/spec/manual/docs.test.ts' },
  { file: 'docs/quick-start.md', language: 'sh', like: /^export QUESTBOARD_TOKEN=/, test: commands },
  {
    file: /^docs\/(api|guides\/(credential-gate|sync-roles))\.md$/,
    language: 'graphql',
    test: 'server/test/spec/manual/docs.test.ts',
  },
  { file: /^docs\/(api|errors)\.md$/, language: 'json', test: 'server/test/spec/manual/docs.test.ts' },
  {
    file: /^(client\/README|docs\/client|docs\/guides\/(sync-roles|award-points|leaderboard))\.md$/,
    language: 'ts',
    test: 'client/test/readme.test.ts',
  },
  {
    file: 'client/README.md',
    language: 'sh',
    like: /^mkdir -p \.\.\/my-app\nnpm run build --workspace client\n|^cd \.\.\/my-app\nnpm install/,
    test: 'client/test/package.test.ts',
  },
  { file: 'docs/guides/browser.md', language: 'js', test: 'server/test/spec/manual/browser.test.ts' },
  { file: 'docs/guides/browser.md', language: 'text', like: /^Token/, test: commands },
  { file: 'docs/guides/browser.md', language: 'text', like: /^HTTP/, test: 'server/test/spec/manual/browser.test.ts' },
  { file: 'docs/guides/browser.md', language: 'json', test: 'server/test/spec/manual/browser.test.ts' },
  { file: 'docs/guides/browser.md', language: 'sh', like: /^curl/, test: 'server/test/spec/manual/browser.test.ts' },
  { file: 'docs/guides/browser.md', language: 'nginx', test: 'deploy/test/cdn.test.ts' },
  { file: 'docs/live.md', language: 'sh', test: 'server/test/spec/manual/live.test.ts' },
  { file: 'docs/live.md', language: 'text', test: 'server/test/spec/manual/live.test.ts' },
  { file: 'docs/live.md', language: 'js', test: 'server/test/spec/manual/live.test.ts' },
  { file: 'docs/live.md', language: 'graphql', test: 'server/test/spec/manual/live.test.ts' },
  { file: 'docs/live.md', language: 'json', test: 'server/test/spec/manual/live.test.ts' },
  { file: 'docs/python.md', language: 'python', test: 'clients/python/test/manual.test.ts' },
  {
    file: 'docs/python.md',
    language: 'sh',
    reason: 'pip downloads the dependencies; python.test.ts builds the package',
  },
  { file: 'docs/ingest.md', language: 'sh', test: 'server/test/spec/manual/ingest.test.ts' },
  { file: 'docs/ingest.md', language: 'json', test: 'server/test/spec/manual/ingest.test.ts' },
  { file: 'docs/mcp.md', language: 'sh', like: /^curl/, test: 'server/test/spec/manual/mcp.test.ts' },
  { file: 'docs/mcp.md', language: 'json', test: 'server/test/spec/manual/mcp.test.ts' },
  { file: 'docs/mcp.md', language: 'text', test: 'server/test/spec/manual/mcp.test.ts' },
  { file: 'docs/mcp.md', language: 'ts', test: 'server/test/mcp/user-caller.test.ts' },
  {
    file: 'docs/mcp.md',
    language: 'sh',
    like: /^npx @model/,
    reason: 'it installs 110 MB; conformance.test.ts replays it',
  },
  { file: 'docs/mcp.md', language: 'sh', like: /^claude/, reason: 'it needs a program of another maker' },
  { file: 'docs/mcp.md', language: 'ini', reason: 'the hosts are of other makers' },
  { file: 'docs/ledger.md', language: 'sh', like: /^curl/, test: 'server/test/spec/manual/ledger.test.ts' },
  { file: 'docs/ledger.md', language: 'json', test: 'server/test/spec/manual/ledger.test.ts' },
  {
    file: 'docs/content.md',
    language: 'sh',
    like: /api\/quests|api\/session|CSRF=|\/holders/,
    test: 'server/test/spec/manual/content.test.ts',
  },
  { file: 'docs/content.md', language: 'json', test: 'server/test/spec/manual/content.test.ts' },
  { file: 'docs/content.md', language: 'sh', like: /sources\/test/, reason: 'the host of the list does not exist' },
  { file: 'docs/content.md', language: 'text', like: /^\{"works"/, reason: 'the host of the list does not exist' },
  {
    file: 'docs/content.md',
    language: 'text',
    like: /^\{"(id|items|csrf|cred|lines)/,
    test: 'server/test/spec/manual/content.test.ts',
  },
  {
    file: 'docs/guides/programme-in-git.md',
    language: 'text',
    test: 'server/test/spec/manual/programme-in-git.test.ts',
  },
  {
    file: 'docs/guides/programme-in-git.md',
    language: 'yaml',
    test: 'server/test/spec/manual/programme-in-git.test.ts',
  },
  { file: 'docs/guides/run-a-quest.md', language: 'yaml', test: 'server/test/spec/manual/run-a-quest.test.ts' },
  { file: 'docs/guides/run-a-quest.md', language: 'text', test: 'server/test/spec/manual/run-a-quest.test.ts' },
  { file: 'docs/guides/run-a-quest.md', language: 'json', test: 'server/test/spec/manual/run-a-quest.test.ts' },
  { file: 'docs/oauth.md', language: 'sh', like: /\/claim/, test: 'server/test/oauth/quest-claim.test.ts' },
  {
    file: 'docs/oauth.md',
    language: 'sh',
    like: /\/verifications/,
    test: 'server/test/oauth/quest-verification.test.ts',
  },
  {
    file: 'docs/oauth.md',
    language: 'sh',
    like: /\/oauth(\?|\/auth\/2\/token)/,
    test: 'server/test/spec/manual/oauth.test.ts',
  },
  { file: 'docs/oauth.md', language: 'text', test: 'server/test/spec/manual/oauth.test.ts' },
  { file: 'docs/oauth.md', language: 'json', test: 'server/test/spec/manual/oauth.test.ts' },
  {
    file: 'docs/guides/sign-in-without-a-server.md',
    language: 'sh',
    like: /\/revoke/,
    test: 'server/test/spec/sign-in/public-clients.test.ts',
  },
  ...['ts', 'ini', 'json', 'yaml'].map((language) => ({
    file: 'docs/guides/sign-in-to-other-apps.md',
    language,
    test: 'server/test/spec/manual/sign-in-to-other-apps.test.ts',
  })),
  { file: 'docs/webhooks.md', language: 'json', test: 'server/test/spec/manual/webhooks.test.ts' },
  { file: 'docs/webhooks.md', language: 'js', test: 'server/test/spec/manual/webhooks.test.ts' },
  {
    file: /^docs\/(snapshots|guides\/airdrop)\.md$/,
    language: 'ts',
    test: 'server/test/spec/manual/snapshots.test.ts',
  },
  {
    file: /^docs\/(snapshots|guides\/airdrop)\.md$/,
    language: 'solidity',
    test: 'server/test/spec/manual/snapshots.test.ts',
  },
  { file: 'docs/quests.md', language: 'json', test: 'server/test/spec/manual/quizzes.test.ts' },
  { file: 'docs/pages.md', language: 'html', test: 'web/test/embeds.test.ts' },
  { file: 'docs/rules.md', language: 'json', like: /"rules"/, test: commands },
  { file: 'docs/rules.md', language: 'json', like: /"summary"/, test: 'server/test/spec/manual/rules.test.ts' },
  { file: 'docs/rules.md', language: 'json', like: /"kind": "log"/, test: 'server/test/rules/logs.test.ts' },
  { file: 'docs/rules.md', language: 'sh', like: /^curl/, test: 'server/test/spec/manual/rules.test.ts' },
  { file: 'docs/sync.md', language: 'json', test: commands },
  { file: 'docs/sync.md', language: 'sh', like: /^QUESTBOARD_OUTGOING_HOSTS=/, test: commands },
  { file: 'docs/mirror.md', language: 'text', reason: 'the command needs another service' },
  { file: 'docs/backup.md', language: 'sh', test: 'deploy/test/backup.test.ts' },
  { file: 'docs/backup.md', language: 'ini', test: 'deploy/test/backup.test.ts' },
  { file: 'docs/watch.md', language: 'yaml', test: 'server/test/http/metric-collectors.test.ts' },
  { file: 'docs/watch.md', language: 'json', test: 'server/test/http/metric-collectors.test.ts' },
  { file: 'docs/watch.md', language: 'sh', test: 'server/test/http/metric-collectors.test.ts' },
  { file: 'docs/settings.md', language: 'text', like: /^(ok|PORT)/, test: commands },
  { file: 'docs/settings.md', language: 'text', like: /^Questboard/, test: 'server/test/spec/manual/docs.test.ts' },
  {
    file: /^docs\/(bans|import|ledger|rules|operations|pages|ranking|security|personal-data|scale|ingest|sync|watch|webhooks|guides\/(airdrop|award-points|leaderboard|migrate|sign-in(-to-other-apps|-without-a-server)?))\.md$/,
    language: 'text',
    test: commands,
  },
  { file: 'docs/quick-start.md', language: 'text', like: /^spaces: |^Token/, test: commands },
  {
    file: 'docs/quick-start.md',
    language: 'text',
    like: /^Questboard is ready/,
    test: 'server/test/spec/manual/docs.test.ts',
  },
  { file: 'docs/quick-start.md', language: 'json', test: 'server/test/spec/manual/docs.test.ts' },
  { file: 'docs/operations.md', language: 'sh', like: /readyz/, test: 'server/test/spec/manual/docs.test.ts' },
  { file: 'docs/runbook.md', language: 'sql', test: 'server/test/spec/manual/docs.test.ts' },
  { file: 'docs/runbook.md', language: 'text', test: 'server/test/spec/manual/docs.test.ts' },
  { file: 'docs/runbook.md', language: 'sh', like: /journalctl/, reason: 'it needs systemd' },
  { file: 'docs/database-urls.md', language: 'text', test: 'server/test/database/connection-url.test.ts' },
  { file: 'docs/database-urls.md', language: 'sh', test: 'server/test/database/connection-url.test.ts' },
  { file: 'docs/import.md', language: 'text', like: /export\.csv/, reason: 'the file is an export of the reader' },
  { file: 'docs/cli.md', language: 'sh', test: 'server/test/spec/manual/cli-page.test.ts' },
  { file: 'docs/cli.md', language: 'text', test: 'server/test/spec/manual/cli-page.test.ts' },
  { file: 'docs/cli.md', language: 'bash', test: 'server/test/spec/repository/generated.test.ts' },
  {
    file: 'bench/RESULTS.md',
    language: 'text',
    reason: 'what `npm run bench` printed on the day that stands above it',
  },
]

const fits = ({ file, language, like }: Account, block: Block) =>
  (typeof file === 'string' ? file === block.file : file.test(block.file)) &&
  language === block.language &&
  (like?.test(block.text.replace(/\\\n\s*/g, '')) ?? true)

const blocks = pages.flatMap(blocksOf)

test('each example of the README and the manual has a test or a reason', () => {
  const without = blocks.filter((block) => !accounts.some((account) => fits(account, block)))
  expect(without.map(({ file, line, language, text }) => `${file}:${line} ${language} ${text.slice(0, 60)}`)).toEqual(
    [],
  )
})

test('each entry of the list matches an example', () => {
  const idle = accounts.filter((account) => !blocks.some((block) => fits(account, block)))
  expect(idle).toEqual([])
})

test('the test of an example names its page or lists all pages', () => {
  for (const account of accounts.filter(({ test }) => test !== undefined)) {
    const source = readFileSync(join(root, account.test as string), 'utf8')
    if (/manualPages|from '.\/blocks.ts'|README/.test(source)) continue
    for (const { file } of blocks.filter((block) => fits(account, block))) expect(source).toContain(file)
  }
})

test('each page begins with what its reader can do after it', () => {
  const readers = [...pages, 'clients/python/README.md'].filter(
    (file) => !/^(docs\/decisions|bench|examples)\/|^CONTRIBUTING/.test(file),
  )
  expect(readers.length).toBeGreaterThan(50)
  const without = readers.filter((file) => !/^# .+\n\nAfter this page\b/.test(readFileSync(join(root, file), 'utf8')))
  expect(without).toEqual([])
})

const isCommand = ({ language, text }: Block) =>
  ['sh', 'bash'].includes(language) || (language === '' && /bin\/questboard [a-z]/.test(text))

/** Output in a separate block, in the block of the command, or described by a sentence before or after it. */
function showsOutput(block: Block, next: Block | undefined, following: string): boolean {
  const described = /\b(prints?|returns|responds|response|shows?)\b/
  if (block.language === '' && /^\$ .*\n(?!\$)./m.test(block.text)) return true
  if (next !== undefined && ['text', 'json'].includes(next.language) && !/^#/m.test(next.introduction)) return true
  const [paragraph = ''] = following.trim().split('\n\n')
  return described.test(paragraph) || described.test(block.introduction.trim().split('\n\n').at(-1) ?? '')
}

test('the manual shows or describes the output of each command', () => {
  // The synopsis of a command, and a program of another maker that no test runs.
  const isExempt = ({ text }: Block) => /\bFILE…|^npx @model/.test(text)
  const manual = pages.filter((file) => !/^(docs\/decisions|bench|examples)\/|^CONTRIBUTING/.test(file))
  const silent = manual.flatMap((file) => {
    const markdown = readFileSync(join(root, file), 'utf8')
    const all = blocksOf(file)
    return all.filter((block, i) => {
      if (!isCommand(block) || isExempt(block)) return false
      const next = all[i + 1]
      const end = markdown.indexOf('\n```', markdown.indexOf(block.text)) + 4
      const following = next?.introduction ?? markdown.slice(end)
      return !showsOutput(block, next, following.split(/^#/m)[0] ?? '')
    })
  })
  expect(silent.map(({ file, line, text }) => `${file}:${line} ${text.split('\n')[0]}`)).toEqual([])
})

test('examples start only existing npm scripts', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object }
  const names = blocks
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text }) => commandLines(text))
    .flatMap((line) => /(?:^| )npm (?:run )?([a-z]+)/.exec(line)?.[1] ?? [])
    .filter((name) => name !== 'install' && name !== 'pack')
  expect(names.length).toBeGreaterThan(5)
  for (const name of names) expect(Object.keys(scripts)).toContain(name)
})
