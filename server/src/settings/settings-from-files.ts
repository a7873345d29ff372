import { readFileSync } from 'node:fs'

type Environment = Record<string, string | undefined>

/** The suffix of a variable that names the file with a setting's value. */
const ENDING = '_FILE'

export interface FileProblem {
  name: string
  says: string
}

/**
 * Settings may come from files, as Docker, Kubernetes and systemd hand out secrets: `DATABASE_URL_FILE` names the file
 * that contains `DATABASE_URL`. White space around the value is removed.
 * @returns the environment with the values of those files, and the problems of files that cannot be used
 */
export function withFiles(
  environment: Environment,
  names: readonly string[],
): { environment: Environment; problems: FileProblem[] } {
  const read: Environment = {}
  const problems: FileProblem[] = []
  for (const name of names) {
    const file = environment[name + ENDING]
    if (file === undefined || file === '') continue
    if (environment[name]) {
      problems.push({ name, says: `and ${name}${ENDING} are both set; set one of them` })
      continue
    }
    try {
      read[name] = readFileSync(file, 'utf8').trim()
      if (read[name] === '') problems.push({ name, says: `is empty: no value in ${file} (${name}${ENDING})` })
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      problems.push({ name, says: `cannot be read from ${file} (${name}${ENDING}, ${code})` })
    }
  }
  return { environment: { ...environment, ...read }, problems }
}
