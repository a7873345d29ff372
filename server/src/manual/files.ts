import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

/** The address of the service in the Markdown files. */
const DEFAULT_ADDRESS = 'http://localhost:4000'
const DEFAULT_ADDRESSES = /http:\/\/localhost:4000\b/g
const INLINE_SCRIPTS = /<script(?: id="[^"]*")?>([^]*?)<\/script>/g

const MEDIA_TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

export interface ManualFile {
  type: string
  content: Buffer
  /** The content compressed; undefined for formats that contain compressed data. */
  gzipped: Buffer | undefined
  etag: string
  /** Sources of the page's inline scripts for the Content-Security-Policy. */
  scripts: string
  /** Whether the name changes with the content. */
  immutable: boolean
}

/**
 * Reads files of the built manual and keeps them until they change on disk.
 * @param folder the built manual; may be missing, and may be replaced while the service runs
 * @param issuer the address of this installation; it replaces the address in the examples
 */
export function manualFiles(folder: string, issuer: string): (name: string) => Promise<ManualFile | undefined> {
  const known = new Map<string, { modified: number; file: Promise<ManualFile> }>()
  return async (name) => {
    const path = join(folder, name)
    const found = await stat(path).catch(() => undefined)
    if (!found?.isFile()) return undefined
    const kept = known.get(name)
    if (kept?.modified === found.mtimeMs) return kept.file
    const file = read(path, issuer)
    known.set(name, { modified: found.mtimeMs, file })
    file.catch(() => known.delete(name))
    return file
  }
}

async function read(path: string, issuer: string): Promise<ManualFile> {
  const type = MEDIA_TYPES[extname(path)] ?? 'application/octet-stream'
  const source = await readFile(path)
  const hasAddress = source.includes(DEFAULT_ADDRESS)
  const content = hasAddress ? Buffer.from(source.toString().replace(DEFAULT_ADDRESSES, () => issuer)) : source
  return {
    type,
    content,
    gzipped: /^text|json|svg/.test(type) ? await promisify(gzip)(content) : undefined,
    etag: `"${sha256(content).slice(0, 22)}"`,
    scripts: type.startsWith('text/html') ? scriptSources(content.toString()) : '',
    immutable: path.includes('/assets/') && !hasAddress,
  }
}

const scriptSources = (html: string): string =>
  [...html.matchAll(INLINE_SCRIPTS)].map(([, script = '']) => `'sha256-${sha256(script)}'`).join(' ')

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('base64')
