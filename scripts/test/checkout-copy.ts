import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'

const CHECKOUT = join(import.meta.dirname, '../..')
const NEVER_LOOKED_AT = ['deploy', 'test']
/** scripts/install.mjs writes it again without removing it. */
const STAMP = ['node_modules', '.questboard-installed']
const NOT_COMMITTED = ['node_modules', 'dist', 'dist.new', 'dist.old', 'data', 'test-artifacts', '.data', '.git']

/** A checkout in a folder with a space in its name, and an npm that installs without a network. */
export interface CheckoutCopy {
  path: string
  /** The path of a file that the caller may write: other copies keep theirs. */
  file(...path: string[]): string
  /** Runs scripts/install.mjs; the variables control the fake npm (see NPM below). */
  install(words?: string[], run?: Run): Promise<Outcome>
  /** The steps that `--plan` prints. */
  plan(...words: string[]): Promise<string[]>
  /** The arguments of each npm call. */
  npmCalls(): string[]
  /** A copy with links to the same files, until a test asks for one of them with `file`. */
  copy(): CheckoutCopy
  remove(): void
}

export interface Run {
  env?: Record<string, string>
  uid?: number
  node?: string
  /** Receives all of standard error so far, whenever it grows. */
  onStderr?: (text: string) => void
}

export interface Outcome {
  status: number | null
  stdout: string
  stderr: string
}

/** A fake npm that links the packages of this checkout instead of installing them. */
const NPM = `#!/bin/sh
if [ "$1" = config ]; then
  [ "$3" = https-proxy ] && echo "$HTTPS_PROXY"
  exit
fi
echo "$@" >> "$NPM_LOG"
while [ -n "$NPM_WAITS_FOR" ] && ! [ -e "$NPM_WAITS_FOR" ]; do sleep 0.05; done
rm -rf node_modules && mkdir node_modules
[ -n "$NPM_INTERRUPTED" ] && kill -9 $$
ln -s "$NPM_PACKAGES"/* "$NPM_PACKAGES"/.bin "$NPM_PACKAGES"/.package-lock.json node_modules/
# Packages of one workspace alone, where another needs another version.
for own in "$NPM_PACKAGES"/../*/node_modules; do
  workspace=$(basename "$(dirname "$own")")
  if [ -d "$own" ]; then rm -rf "$workspace/node_modules"; ln -s "$own" "$workspace/node_modules"; fi
done
`

/** The committed and new files that an installation reads, without packages and builds. */
export function freshCheckout(): CheckoutCopy {
  const checkout = emptyCopy()
  cpSync(CHECKOUT, checkout.path, {
    recursive: true,
    filter: (source) => source === CHECKOUT || ![...NOT_COMMITTED, ...NEVER_LOOKED_AT].includes(basename(source)),
  })
  return checkout
}

function emptyCopy(): CheckoutCopy {
  const place = mkdtempSync(join(tmpdir(), 'questboard fresh '))
  chmodSync(place, 0o755)
  const path = join(place, 'check out')
  const log = join(place, 'npm.log')
  mkdirSync(join(place, 'bin'))
  writeFileSync(join(place, 'bin', 'npm'), NPM, { mode: 0o755 })
  writeFileSync(log, '')
  const copy: CheckoutCopy = {
    path,
    file: (...parts) => ownFile(join(path, ...parts)),
    async install(words = [], { env = {}, uid, node = process.execPath, onStderr } = {}) {
      const child = spawn(node, [join(path, 'scripts', 'install.mjs'), ...words], {
        cwd: tmpdir(),
        env: {
          PATH: [join(place, 'bin'), dirname(node), '/usr/bin', '/bin'].join(delimiter),
          NPM_LOG: log,
          NPM_PACKAGES: join(CHECKOUT, 'node_modules'),
          ...env,
        },
        ...(uid === undefined ? {} : { uid, gid: uid }),
      })
      let seen = ''
      if (onStderr) child.stderr.on('data', (chunk: Buffer) => onStderr((seen += chunk.toString())))
      const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
      return { status: child.exitCode, stdout, stderr }
    },
    plan: async (...words) =>
      (await copy.install(['--plan', ...words])).stdout.split('\n').filter((line) => line !== ''),
    npmCalls: () =>
      readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => line !== ''),
    copy() {
      const other = emptyCopy()
      linkTree(path, other.path)
      other.file(...STAMP)
      return other
    },
    remove: () => rmSync(place, { recursive: true, force: true }),
  }
  return copy
}

function linkTree(from: string, to: string): void {
  mkdirSync(to)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const source = join(from, entry.name)
    const target = join(to, entry.name)
    if (entry.isDirectory()) linkTree(source, target)
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target)
    else linkSync(source, target)
  }
}

/** Replaces a file with other links by a copy of it. */
function ownFile(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found?.isFile() && found.nlink > 1) {
    copyFileSync(path, `${path}.own`)
    renameSync(`${path}.own`, path)
  }
  return path
}
