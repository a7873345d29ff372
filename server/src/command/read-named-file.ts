import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { InvalidArgumentError } from 'commander'

const reasons: Record<string, (path: string) => string> = {
  ENOENT: (path) => `the file ${path} does not exist.`,
  EISDIR: (path) => `${path} is a folder; name a file.`,
  EACCES: (path) => `${path} is not readable for this user.`,
}

/**
 * Reads a file named by an option.
 * @throws InvalidArgumentError that names the option and the absolute path
 */
export async function readNamedFile(option: string, path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const reason = reasons[error.code ?? '']?.(resolve(path)) ?? error.message
    throw new InvalidArgumentError(`${option}: ${reason}`)
  })
}
