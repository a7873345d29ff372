import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const FILE = join(import.meta.dirname, '..', 'RESULTS.md')
const INTRODUCTION = `# Results

Written by \`npm run bench\`; how each measure is made stands in [README.md](README.md). A row keeps its last result until
it is run again.`

/** Puts the sections of the rows that ran into bench/RESULTS.md; those of the others stay as they are. */
export async function writeResults(sections: ReadonlyMap<string, string>): Promise<void> {
  const kept = await readFile(FILE, 'utf8').then(sectionsOf, () => new Map<string, string>())
  const all = new Map([...kept, ...sections])
  const names = [...all.keys()].toSorted(inOrder)
  const summary = names.flatMap((name) => verdictLines(all.get(name) ?? ''))
  const texts = names.map((name) => all.get(name)?.trim() ?? '')
  await writeFile(FILE, `${[INTRODUCTION, `\`\`\`text\n${summary.join('\n')}\n\`\`\``, ...texts].join('\n\n')}\n`)
}

/** Sorts S2 before S10, and S before T. */
export function inOrder(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true })
}

function sectionsOf(text: string): Map<string, string> {
  const parts = text.split(/^(?=## )/m).slice(1)
  return new Map(parts.map((part) => [/^## (\S+)/.exec(part)?.[1] ?? '', part]))
}

function verdictLines(section: string): string[] {
  return [...section.matchAll(/^\S+ \S+ [<>]= \S+ (?:pass|fail)$/gm)].map(([line]) => line)
}
