import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The examples of docs/python.md as one program. */
export async function manualProgram(): Promise<string> {
  const markdown = await readFile(join(import.meta.dirname, '../../../docs/python.md'), 'utf8')
  return [...markdown.matchAll(/```python\n([\s\S]*?)```/g)].map(([, code]) => code).join('\n')
}
