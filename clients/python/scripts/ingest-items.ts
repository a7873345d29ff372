import { awardFields } from '../../../server/src/ingest/kinds/awards.ts'
import type { Fields } from '../../../server/src/ingest/check.ts'
import { batchKinds } from '../../../server/src/ingest-api/batch-kinds.ts'
import { completionFields } from '../../../server/src/ingest-api/completions.ts'
import { itemSchema } from '../../../server/src/ingest-api/item-schema.ts'
import { referralFields } from '../../../server/src/ingest-api/referrals.ts'
import { reversalFields } from '../../../server/src/ingest-api/reversals.ts'
import type { JsonSchema } from '../../../server/src/api/json-schema.ts'
import { docstring, HEADER, literals } from './python-text.ts'

/** The class of the items of each route. */
const CLASSES: Record<string, string> = {
  spaces: 'SpaceItem',
  sprints: 'SprintItem',
  points: 'PointsItem',
  starboards: 'StarboardItem',
  users: 'UserItem',
  samples: 'SampleItem',
  links: 'LinkItem',
  credentials: 'CredentialItem',
  holders: 'HolderItem',
  quests: 'QuestItem',
  participants: 'ParticipantItem',
}

/** The names of the classes inside of items. */
const NESTED: Record<string, string> = {
  credentialGroups: 'GroupItem',
  conditions: 'ConditionItem',
  rewards: 'RewardItem',
}

/** The typed dictionaries of what the ingest API accepts, from the fields that validate it. */
export function ingestItemsFile(): string {
  const items: Array<[name: string, text: string, fields: Fields]> = [
    ['Award', 'Points for a member of a space.', awardFields],
    ['Reversal', 'Takes an entry of the ledger back: name it by `key` or by `entry`.', reversalFields],
    ['Completion', 'A completion of a quest by an address.', completionFields],
    ['Referral', 'The member who referred another.', referralFields],
    ...batchKinds.flatMap(({ path, summary, kind }): Array<[string, string, Fields]> => {
      const name = CLASSES[path]
      return name === undefined ? [] : [[name, `${summary}.`, kind.fields]]
    }),
  ]
  const classes: string[] = []
  for (const [name, text, fields] of items) classes.push(typedDict(name, text, itemSchema(fields), classes))
  return [
    HEADER,
    '"""The items that the ingest API accepts, with the names of import files."""\n',
    'from __future__ import annotations\n',
    'from typing import Literal, NotRequired, TypedDict\n',
    classes.join('\n'),
  ].join('\n')
}

type Schema = JsonSchema & Record<string, unknown>

function typedDict(name: string, text: string, schema: JsonSchema, classes: string[]): string {
  const { properties = {}, required = [] } = schema as { properties?: Record<string, Schema>; required?: string[] }
  const fields = Object.entries(properties).map(([field, of]) => {
    const type = typeText(of, field, classes)
    const description = typeof of.description === 'string' ? of.description : undefined
    const allowed =
      description === undefined ? '' : docstring(`${description[0]?.toUpperCase()}${description.slice(1)}.`, '    ')
    return `    ${field}: ${required.includes(field) ? type : `NotRequired[${type}]`}\n${allowed}`
  })
  return `\nclass ${name}(TypedDict):\n${docstring(text, '    ')}\n${fields.join('\n')}`
}

const SIMPLE: Record<string, string> = { string: 'str', integer: 'int', number: 'float', boolean: 'bool', null: 'None' }

function typeText(schema: Schema, field: string, classes: string[]): string {
  const { anyOf, type } = schema as { anyOf?: Schema[]; type?: string | string[] }
  if (anyOf) return [...new Set(anyOf.map((one) => typeText(one, field, classes)))].join(' | ')
  if (Array.isArray(schema.enum)) return literals(schema.enum as string[])
  if (Array.isArray(type)) return type.map((one) => SIMPLE[one]).join(' | ')
  if (type === 'array') return `list[${typeText(schema.items as Schema, field, classes)}]`
  if (type === 'object') {
    const name = NESTED[field]
    if (name === undefined) throw new Error(`the client has no class for ${field}`)
    classes.push(typedDict(name, `An element of \`${field}\`.`, schema, classes))
    return name
  }
  if (type === undefined) return 'str | int'
  const simple = SIMPLE[type]
  if (simple === undefined) throw new Error(`the client has no type for ${field}: ${type}`)
  return simple
}
