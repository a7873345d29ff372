interface Lockfile {
  packages: Record<string, { optional?: boolean; engines?: unknown }>
}

/**
 * npm silently omits an optional package if its `engines` exclude the Node that runs npm. The packages run
 * on the project's Node instead, so the lockfile must not contain engines for them.
 */
export function withoutEnginesOfOptionalPackages(lockfile: string): string {
  const parsed = JSON.parse(lockfile) as Lockfile
  for (const entry of Object.values(parsed.packages)) if (entry.optional === true) delete entry.engines
  return `${JSON.stringify(parsed, null, 2)}\n`
}
