import type { Config } from '../../config.ts'

const SECRET_NAME = /secret|token|password|rpc|node/i
const MIN_LENGTH = 4

/** All secrets in the settings, longest first, to remove them from messages of other programs. */
export function secretsOf(config: Config): string[] {
  const found = new Set<string>()
  const look = (name: string, value: unknown): void => {
    if (typeof value === 'string') for (const secret of partsOf(name, value)) found.add(secret)
    else if (value instanceof Map) for (const entry of value.values()) look(name, entry)
    else if (typeof value === 'object' && value !== null)
      for (const [key, member] of Object.entries(value)) look(`${name}.${key}`, member)
  }
  look('', { ...config })
  return [...found].filter((secret) => secret.length >= MIN_LENGTH).sort((one, other) => other.length - one.length)
}

/** The secret parts of a value: the password of a URL, path and query of a node's URL, or the whole value. */
function partsOf(name: string, value: string): string[] {
  const secret = SECRET_NAME.test(name)
  if (!/^[a-z]+:\/\//i.test(value) || !URL.canParse(value)) return secret ? [value] : []
  const { password, searchParams, pathname, search } = new URL(value)
  return [
    password,
    decode(password),
    searchParams.get('password') ?? '',
    ...(secret ? [pathname.slice(1), search.slice(1)] : []),
  ]
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text // an unencoded percent sign in the password
  }
}
