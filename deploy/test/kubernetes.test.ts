import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { MINUTE } from '../../server/src/clock.ts'
import { installModels, modelsFailure, modules } from './kubernetes-models/install.ts'

const run = promisify(execFile)
const CHECKOUT = join(import.meta.dirname, '../..')

interface Manifest {
  apiVersion: string
  kind: string
}
type Model = new (manifest: object) => { validate(): void }

const documents = parseAllDocuments(readFileSync(join(CHECKOUT, 'deploy/kubernetes/questboard.yaml'), 'utf8'))
const manifests = documents.map((document) => document.toJS() as Manifest)
const nameOf = ({ apiVersion, kind }: Manifest) => `kubernetes-models/${apiVersion}/${kind}`

const failure = await modelsFailure()
if (failure !== undefined)
  process.stderr.write(`The schemas of Kubernetes do not check the manifests of deploy/kubernetes: ${failure}.\n`)

describe.skipIf(failure !== undefined)('the schemas of Kubernetes (skipped without the npm registry)', () => {
  let folder: string
  beforeAll(async () => {
    await installModels()
    folder = mkdtempSync(join(tmpdir(), 'questboard-kubernetes-'))
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    symlinkSync(modules, join(folder, 'node_modules'))
  }, 10 * MINUTE)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const validate = (manifest: Manifest): void => {
    const models = createRequire(join(folder, 'package.json'))(nameOf(manifest)) as Record<string, Model>
    new models[manifest.kind]!(manifest).validate()
  }

  it.each(manifests)('accept the values of the $kind', (manifest) => {
    validate(manifest)
    expect(() => validate({ ...manifest, metadata: 'questboard' } as Manifest)).toThrow()
  })

  // The validators accept unknown fields. The types do not.
  it('have all fields of the manifests', { timeout: 5 * MINUTE }, async () => {
    const lines = manifests.flatMap((manifest, i) => [
      `import type { I${manifest.kind} } from '${nameOf(manifest)}'`,
      `export const _${i}: I${manifest.kind} = ${JSON.stringify(manifest)}`,
      '// @ts-expect-error',
      `export const _${i}_other: I${manifest.kind} = ${JSON.stringify({ ...manifest, unknown: 1 })}`,
    ])
    writeFileSync(join(folder, 'manifests.ts'), lines.join('\n'))
    const tsc = join(CHECKOUT, 'node_modules/typescript/bin/tsc')
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', 'manifests.ts']
    await run(process.execPath, [tsc, ...options], { cwd: folder }).catch((error: Error & { stdout: string }) =>
      expect.fail(`${error.message}\n${error.stdout}`),
    )
  })
})
