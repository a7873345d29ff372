import { spawnSync } from 'node:child_process'
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'

const source = resolve(import.meta.dirname, '..')

/**
 * Makes the package as it is published: modules and types by the TypeScript compiler, and a package.json that leads to
 * them. In the workspace the package leads to its sources, so that nothing has to be built for development.
 */
export async function buildPackage(target: string): Promise<void> {
  await rm(target, { recursive: true, force: true })
  await mkdir(target, { recursive: true })
  compile(target)
  await pointToModules(target)
  const { name, version, description, license, type, sideEffects, engines, keywords } = JSON.parse(
    await readFile(join(source, 'package.json'), 'utf8'),
  ) as Record<string, unknown>
  const manifest = {
    ...{ name, version, description, keywords, license, type, sideEffects },
    exports: { '.': { types: './index.d.ts', default: './index.js' } },
    engines,
  }
  await writeFile(join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  await cp(join(source, 'README.md'), join(target, 'README.md'))
  await cp(join(source, '..', 'LICENSE'), join(target, 'LICENSE'))
}

function compile(target: string): void {
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

if (import.meta.main) await buildPackage(resolve(process.argv[2] ?? join(source, 'dist')))
