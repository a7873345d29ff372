import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type UploadedImage, versionOf } from '../images/uploaded-image.ts'
import type { Records } from '../ingest/records.ts'
import { linesOf, openSource } from '../ingest/source.ts'

const DATA = join(import.meta.dirname, 'data')

/** All times in `data/` are relative to this time. */
const DATA_TIME = Date.parse('2026-01-01T00:00:00.000Z')

const TIME_FORMAT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

const FILES = {
  spaces: 'spaces.ndjson',
  sprints: 'sprints.ndjson',
  points: 'points.ndjson.gz',
  starboards: 'starboards.ndjson',
  users: 'users.ndjson.gz',
  links: 'links.ndjson.gz',
  samples: 'samples.ndjson.gz',
  credentials: 'credentials.ndjson',
  holders: 'holders.ndjson.gz',
  quests: 'quests.ndjson',
  participants: 'participants.ndjson.gz',
} satisfies Partial<Record<keyof Records, string>>

export type DemoKind = keyof typeof FILES

/** Reads the demo records of one kind. Shifts their times so that the demo is as current at `now` as it was written. */
export async function* readDemoRecords<K extends DemoKind>(kind: K, now: number): AsyncGenerator<Records[K]> {
  const shift = (_name: string, value: unknown): unknown =>
    typeof value === 'string' && TIME_FORMAT.test(value)
      ? new Date(Date.parse(value) - DATA_TIME + now).toISOString()
      : value
  const { bytes } = await openSource(join(DATA, FILES[kind]), { standardInput: process.stdin })
  for await (const lines of linesOf(bytes))
    for (const line of lines) if (line !== '') yield JSON.parse(line, shift) as Records[K]
}

/** The logo of a demo space: a square PNG file, as `squarePicture` makes it from an upload. */
export function readDemoLogo(spaceId: number): UploadedImage {
  const picture = readFileSync(join(DATA, 'logos', `${spaceId}.png`))
  return { picture, version: versionOf(picture) }
}
