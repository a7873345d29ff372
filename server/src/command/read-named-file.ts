import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { InvalidArgumentError } from 'commander'

const reasons: Record<string, (path: string) => string> = {
  ENOENT: (path) => `there is no file ${path}.`,
  EISDIR: (path) => `${path} is a folder; name a file.`,
  EACCES: (path) => `${path} may not be read by this user.`,
}

/**
 * The text of a file that an option names.
 * @throws InvalidArgumentError that names the option and the whole path
 */
export async function readNamedFile(option: string, path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const reason = reasons[error.code ?? '']?.(resolve(path)) ?? error.message
    throw new InvalidArgumentError(`${option}: ${reason}`)
  })
}
