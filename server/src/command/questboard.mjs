#!/usr/bin/env node
// The entry of `questboard`. An older Node, as with `npx`, starts the Node of the dependencies, which runs TypeScript
// directly.
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'

const OLDEST = 24

if (Number(/^v(\d+)\./.exec(process.version)?.[1] ?? 0) >= OLDEST) await import('./main.ts')
else {
  const { projectNode } = await import('../../../scripts/install/project-node.mjs')
  const main = fileURLToPath(new URL('main.ts', import.meta.url))
  const child = spawn(projectNode(), [main, ...process.argv.slice(2)], { stdio: 'inherit' })
  // A terminal sends Ctrl-C to both processes.
  const atTerminal = [process.stdin, process.stdout, process.stderr].some((stream) => stream.isTTY)
  process.on('SIGINT', () => atTerminal || child.kill('SIGINT'))
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
}
