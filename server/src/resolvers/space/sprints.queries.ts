import { type Reader, statement } from '@questboard/pg-read-pipeline'
import { MAX_SPRINTS } from '../../graphql/page-size.ts'

export interface SprintRow {
  id: number
  name: string
  startTime: Date | null
  endTime: Date | null
}

const sprints = statement<SprintRow>(
  'space.sprints',
  `SELECT sprint_id AS id, name, start_time AS "startTime", end_time AS "endTime" FROM sprints
   WHERE space_id = $1 ORDER BY sprint_id DESC LIMIT ${MAX_SPRINTS}`,
)

/** The sprints of a space, newest first. */
export async function readSprints(reader: Reader, spaceId: number): Promise<SprintRow[]> {
  return reader.read(sprints, [spaceId])
}
