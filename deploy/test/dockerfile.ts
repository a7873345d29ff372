import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface Instruction {
  name: string
  /** The text after the keyword, with continued lines joined. */
  words: string
}

/** The instructions of a Dockerfile by stage. */
export function stagesOf(dockerfile: string): { name: string | undefined; instructions: Instruction[] }[] {
  const lines = dockerfile
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line !== '')
  const stages: { name: string | undefined; instructions: Instruction[] }[] = []
  for (const line of lines) {
    const [, name = '', words = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? []
    if (name === 'FROM') stages.push({ name: / AS (\w+)$/.exec(words)?.[1], instructions: [] })
    stages.at(-1)?.instructions.push({ name, words })
  }
  return stages
}

/** Returns whether the patterns of a .dockerignore exclude a path; a pattern applies at the top or, with **, anywhere. */
export function ignoredBy(dockerignore: string): (path: string) => boolean {
  const patterns = dockerignore
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const anywhere = line.startsWith('**/')
      const glob = (anywhere ? line.slice(3) : line).replaceAll('.', '\\.').replaceAll('*', '[^/]*')
      return new RegExp(`${anywhere ? '(^|/)' : '^'}${glob}(/|$)`)
    })
  return (path) => patterns.some((pattern) => pattern.test(path))
}

/** Runs the COPY and RUN steps of the last stage of a Dockerfile in a folder instead of the image. */
export async function assemble(
  instructions: readonly Instruction[],
  { from, image }: { from: Record<string, string>; image: string },
): Promise<void> {
  let workdir = '/'
  for (const { name, words } of instructions) {
    const inImage = (path: string) => join(image, path.startsWith('/') ? path : join(workdir, path))
    if (name === 'WORKDIR') mkdirSync(join(image, (workdir = words)), { recursive: true })
    if (name === 'RUN') await run('sh', ['-c', words], { cwd: join(image, workdir) })
    if (name !== 'COPY') continue
    const [, stage = '', places = ''] = /^--from=(\w+) (.*)$/.exec(words) ?? []
    const sources = places.split(' ')
    const target = sources.pop() as string
    for (const source of sources) {
      // Programs of the stage's base image.
      if (!source.startsWith('/build/')) continue
      const path = `${from[stage]}${source.slice('/build'.length)}`
      const intoFolder = target.endsWith('/') && statSync(path).isFile()
      const to = intoFolder ? join(inImage(target), basename(source)) : inImage(target)
      cpSync(path, to, { recursive: true, verbatimSymlinks: true })
    }
  }
}

interface Locked {
  link?: boolean
  dependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}

/**
 * The folders of node_modules that `npm ci --workspace=server --omit=dev --omit=optional` would leave, computed from
 * the lockfile: all dependencies of the service.
 */
export function productionPackages(root: string): string[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>
  }
  const found = new Set<string>()
  const visit = (path: string): void => {
    const { dependencies = {}, peerDependencies = {} } = packages[path] ?? {}
    for (const name of Object.keys({ ...dependencies, ...peerDependencies })) {
      const place = placeOf(path, name, packages)
      if (place === undefined || found.has(place)) continue
      found.add(place)
      visit(place)
    }
  }
  visit('server')
  return [...found]
}

/** The folder in which Node finds a package from another package: its own node_modules, or that of a parent folder. */
function placeOf(from: string, name: string, packages: Record<string, Locked>): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const place = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`
    if (packages[place]) return place
    if (folder === '') return undefined
  }
}
