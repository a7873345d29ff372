import { spawnSync } from 'node:child_process'
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'

/**
 * Makes a workspace's package as it is published: compiled modules, types, and a package.json that exports them. In the
 * checkout the package exports its sources, so that development needs no build.
 */
export async function buildPackage(source: string, target: string): Promise<void> {
  await rm(target, { recursive: true, force: true })
  await mkdir(target, { recursive: true })
  compile(source, target)
  await pointToModules(target)
  const { exports, ...given } = JSON.parse(await readFile(join(source, 'package.json'), 'utf8')) as Manifest
  const { name, version, description, license, type, sideEffects, engines, keywords, peerDependencies } = given
  const manifest = {
    ...{ name, version, description, keywords, license, type, sideEffects },
    exports: Object.fromEntries(Object.entries(exports).map(([entry, module]) => [entry, compiledOf(module)])),
    engines,
    peerDependencies,
  }
  await writeFile(join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  await cp(join(source, 'README.md'), join(target, 'README.md'))
  await cp(join(import.meta.dirname, '..', 'LICENSE'), join(target, 'LICENSE'))
}

type Manifest = Record<string, unknown> & { exports: Record<string, string> }

/** The modules of an entry that the checkout exports as a source. */
function compiledOf(module: string): { types: string; default: string } {
  const path = module.replace(/^\.\/src\//, './').replace(/\.ts$/, '')
  return { types: `${path}.d.ts`, default: `${path}.js` }
}

function compile(source: string, target: string): void {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
  const project = join(source, 'tsconfig.build.json')
  const { status, stdout, stderr } = spawnSync(process.execPath, [tsc, '--project', project, '--outDir', target], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`the package cannot be compiled:\n${stdout}${stderr}`)
}

/** The compiler rewrites the endings of imports in modules, but not in declarations. */
async function pointToModules(target: string): Promise<void> {
  for (const name of await readdir(target, { recursive: true })) {
    if (!name.endsWith('.d.ts')) continue
    const text = await readFile(join(target, name), 'utf8')
    await writeFile(join(target, name), text.replace(/(from ['"]\.[^'"]*)\.ts(['"])/g, '$1.js$2'))
  }
}

// npm runs scripts of a workspace in its folder.
if (import.meta.main) await buildPackage(process.cwd(), resolve(process.argv[2] ?? 'dist'))
