import { optional, positive, text, time } from '../fields.ts'
import type { Kind } from '../kind.ts'
import { newsOf, upsertStaged, type UpsertTarget } from '../upsert.queries.ts'
import { endBeforeStart, spaceMustExist } from './rules.queries.ts'

const spaceFields = {
  spaceId: positive('space_id'),
  name: text('name', 200),
  description: text('description', 10_000, optional),
}

const spaceTarget: UpsertTarget = { table: 'spaces', key: ['space_id'], fields: spaceFields }

export const spaces: Kind = {
  fields: spaceFields,
  key: { field: 'spaceId', columns: ['space_id'] },
  rules: [],
  tables: ['spaces'],
  news: newsOf(spaceTarget),
  merge: (trx, { now, staging }) => upsertStaged(trx, staging, { ...spaceTarget, stamps: { created_at: now } }),
}

const sprintFields = {
  spaceId: positive('space_id'),
  sprintId: positive('sprint_id'),
  name: text('name', 200, { fallback: '' }),
  startTime: time('start_time', optional),
  endTime: time('end_time', optional),
}
const sprintTarget: UpsertTarget = { table: 'sprints', key: ['space_id', 'sprint_id'], fields: sprintFields }

export const sprints: Kind = {
  fields: sprintFields,
  key: { field: 'sprintId', columns: sprintTarget.key },
  rules: [spaceMustExist('spaceId', 'space_id'), endBeforeStart(sprintTarget, 'endTime', 'start_time', 'end_time')],
  tables: ['sprints'],
  news: newsOf(sprintTarget),
  merge: (trx, { staging }) => upsertStaged(trx, staging, sprintTarget),
}
