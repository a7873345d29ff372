import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './blocks.ts'

/** The addresses of the pages in the shell, which files of `web/src/navigation` declare; constants are replaced by their values. */
export function addressesIn(files: string): string[] {
  return globSync(files, { cwd: root }).flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8')
    const constants = new Map(
      [...text.matchAll(/^const (\w+) = '(\/[^']*)'/gm)].map(([, name, value]) => [name, value]),
    )
    const valueOf = (name = '') => constants.get(name) ?? name
    return [...text.matchAll(/\bpath: (?:'([^']+)'|`([^`]+)`|(\w+)),/g)].map(
      ([, plain, template, name]) =>
        plain ?? template?.replaceAll(/\$\{(\w+)\}/g, (_, inner: string) => valueOf(inner)) ?? valueOf(name),
    )
  })
}
