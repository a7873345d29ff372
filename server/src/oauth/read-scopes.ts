import { allScopes, findScope } from '../settings/scopes.ts'
import { invalidScope } from './errors.ts'

export interface RequestedScopes {
  scopes: string[]
  /** The names in the app's spelling; null if they equal the scopes. */
  names: string[] | null
}

/** RFC 6749 3.3: separated by spaces, in any order; duplicates are ignored. @throws OauthError invalid_scope */
export function readScopes(text: string | undefined, aliases: readonly string[]): RequestedScopes {
  const names = [...new Set((text ?? '').split(' ').filter((name) => name !== ''))]
  const found = names.map((name) => {
    const scope = findScope(name, aliases)
    if (scope !== undefined) return scope
    const all = [...allScopes, ...aliases].join(' ')
    throw invalidScope(`The scope ${name.slice(0, 60)} does not exist; the scopes are: ${all}`)
  })
  return { scopes: [...new Set(found)], names: names.every((name, n) => name === found[n]) ? null : names }
}
