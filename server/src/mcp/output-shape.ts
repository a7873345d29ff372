import {
  getNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  parse,
  type SelectionSetNode,
} from 'graphql'
import { z } from 'zod'
import { schema } from '../graphql/schema.ts'

/**
 * The shape of `data` of a document without fragments. It has no descriptions, because some clients put it into the
 * context of the model.
 */
export function outputShape(document: string): z.ZodObject {
  const [operation] = parse(document).definitions
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('the document has no operation')
  return objectShape(operation.selectionSet, schema.getQueryType() as GraphQLObjectType)
}

function objectShape({ selections }: SelectionSetNode, type: GraphQLObjectType): z.ZodObject {
  const fields = selections.map((node) => {
    if (node.kind !== Kind.FIELD) throw new Error('the document has a fragment')
    const field = type.getFields()[node.name.value]
    if (!field) throw new Error(`${type.name} has no field ${node.name.value}`)
    return [node.alias?.value ?? field.name, shapeOf(field.type, node.selectionSet)]
  })
  return z.object(Object.fromEntries(fields) as z.ZodRawShape)
}

function shapeOf(type: GraphQLOutputType, selections: SelectionSetNode | undefined): z.ZodType {
  if (!isNonNullType(type)) return present(type, selections).nullable()
  return present(type.ofType as GraphQLOutputType, selections)
}

function present(type: GraphQLOutputType, selections: SelectionSetNode | undefined): z.ZodType {
  if (isListType(type)) return z.array(shapeOf(type.ofType, selections))
  if (isObjectType(type)) return objectShape(selections as SelectionSetNode, type)
  if (isEnumType(type)) return z.enum(type.getValues().map(({ name }) => name))
  const { name } = getNamedType(type)
  if (name === 'Boolean') return z.boolean()
  return name === 'ID' || name === 'String' ? z.string() : z.number()
}
