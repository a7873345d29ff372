/* eslint-disable @typescript-eslint/no-explicit-any, @typescript-eslint/no-unsafe-argument,
   @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access,
   @typescript-eslint/no-unsafe-return -- a syntax tree of some two hundred kinds of nodes, of which a dozen are read */
import { parseSync } from 'libpg-query'
import type { Placement } from '../../src/distribution/placements.ts'
import type { Sent } from './statement-tap.ts'

/** Reads a statement like a distributed engine: the tables that it uses, and the distribution value of each. */
export interface Route {
  /** `table` if it is not distributed, `table column=value`, or `table column=?` without a value. */
  touches: string[]
  /** The reasons why the statement cannot run on one node. */
  problems: string[]
  /** Whether it inserts inside WITH, which Citus runs in steps and not on one node. */
  inSteps: boolean
}

export interface Layout {
  placements: Readonly<Record<string, Placement>>
  columns: ReadonlyMap<string, ReadonlySet<string>>
}

// A node of the syntax tree of libpg-query: an object with one key, the kind of the node, whose value has the fields.
type Node = any

/** The known equalities of a column of a table reference or subquery. */
interface Atom {
  constant?: string
  /** Atoms with the same value. One direction only for an outer join or a subquery. */
  equals: Set<Atom>
}

interface Item {
  name: string
  columns: Map<string, Atom> | undefined
  atom(column: string): Atom | undefined
}

interface Scope {
  items: Item[]
  outer: Scope | undefined
  queries: Map<string, Map<string, Atom>>
  depth: number
}

interface Use {
  table: string
  atom: Atom | undefined
  writes: boolean
}

/** Statements that touch no table. */
const withoutTables = new Set(['TransactionStmt', 'VariableSetStmt'])

export function routeOf({ text, values }: Sent, layout: Layout): Route {
  const { stmts = [] } = parseSync(text) as { stmts?: { stmt: Node }[] }
  const uses: Use[] = []
  let inSteps = false
  const depths = new Map<Atom, number>()

  const make = (depth: number, constant?: string): Atom => {
    const atom: Atom = { equals: new Set(), ...(constant !== undefined && { constant }) }
    depths.set(atom, depth)
    return atom
  }
  const follow = (from: Atom, to: Atom) => from.equals.add(to)
  const equate = (a: Atom | undefined, b: Atom | undefined, only?: ReadonlySet<Atom>) => {
    if (!a || !b) return
    const [da, db] = [depths.get(a) ?? 0, depths.get(b) ?? 0]
    // The value of the outer query also applies to a subquery, but not the reverse.
    if (da >= db && (!only || only.has(a))) follow(a, b)
    if (db >= da && (!only || only.has(b))) follow(b, a)
  }

  function tableItem(relation: Node, scope: Scope, writes: boolean): Item {
    const table: string = relation.relname
    const name: string = relation.alias?.aliasname ?? table
    const query = relation.schemaname ? undefined : findQuery(table, scope)
    if (query) return queryItem(name, query, scope)
    const own = layout.columns.get(table)
    const placement = layout.placements[table]
    const atoms = new Map<string, Atom>([...(own ?? [])].map((column) => [column, make(scope.depth)]))
    if (!relation.schemaname?.startsWith('pg_') && !table.startsWith('pg_'))
      uses.push({ table, writes, atom: placement?.kind === 'distributed' ? atoms.get(placement.column) : undefined })
    return { name, columns: own && atoms, atom: (column) => atoms.get(column) }
  }

  /** The result of a query, as a table of the outer query. */
  function queryItem(name: string, found: Map<string, Atom>, scope: Scope): Item {
    const columns = new Map<string, Atom>()
    for (const [column, atom] of found) {
      const shown = make(scope.depth)
      follow(shown, atom)
      columns.set(column, shown)
    }
    return { name, columns, atom: (column) => columns.get(column) }
  }

  function findQuery(name: string, scope: Scope | undefined): Map<string, Atom> | undefined {
    return scope && (scope.queries.get(name) ?? findQuery(name, scope.outer))
  }

  function column(fields: Node[], scope: Scope | undefined): Atom | undefined {
    if (!scope) return undefined
    const names = fields.map((field) => field.String?.sval as string)
    const wanted = names.at(-1) as string
    for (const item of scope.items) {
      if (names.length > 1 && item.name !== names.at(-2)) continue
      const atom = item.atom(wanted)
      if (atom) return atom
    }
    return column(fields, scope.outer)
  }

  /** The atom of an expression that is a column or does not depend on a row. */
  function atomOf(node: Node, scope: Scope): Atom | undefined {
    if (!node) return undefined
    if (node.TypeCast) return atomOf(node.TypeCast.arg, scope)
    if (node.CollateClause) return atomOf(node.CollateClause.arg, scope)
    if (node.ColumnRef) return column(node.ColumnRef.fields, scope)
    const constant = constantOf(node)
    return constant === undefined ? undefined : make(0, constant)
  }

  function constantOf(node: Node): string | undefined {
    if (node.TypeCast) return constantOf(node.TypeCast.arg)
    if (node.ParamRef) return values[node.ParamRef.number - 1] ?? undefined
    if (node.A_Const) {
      const { ival, fval, sval, boolval } = node.A_Const
      return String(ival ? (ival.ival ?? 0) : (fval?.fval ?? sval?.sval ?? boolval?.boolval ?? 'null'))
    }
    if (node.FuncCall) {
      const given = (node.FuncCall.args ?? []).map(constantOf) as (string | undefined)[]
      if (given.includes(undefined)) return undefined
      return `${node.FuncCall.funcname.at(-1).String.sval}(${given.join(',')})`
    }
    return undefined
  }

  /** The only element of an array parameter. */
  function onlyElement(node: Node): string | undefined {
    const text = constantOf(node)
    if (text === undefined || !/^\{.*\}$/s.test(text)) return undefined
    const elements = new Set(
      text
        .slice(1, -1)
        .split(',')
        .map((one) => one.replace(/^"(.*)"$/s, '$1')),
    )
    return elements.size === 1 ? [...elements][0]?.replaceAll('\\\\', '\\') : undefined
  }

  /** @param only the columns that a condition of an outer join narrows */
  function condition(node: Node, scope: Scope, only?: ReadonlySet<Atom>): void {
    if (!node) return
    if (node.BoolExpr?.boolop === 'AND_EXPR') {
      for (const part of node.BoolExpr.args) condition(part, scope, only)
      return
    }
    if (node.A_Expr && node.A_Expr.name?.at(-1)?.String?.sval === '=') {
      const { kind, lexpr, rexpr } = node.A_Expr
      if (kind === 'AEXPR_OP') {
        const [left, right] = [lexpr, rexpr].map((side) => side.RowExpr?.args as Node[] | undefined)
        if (left && right) left.forEach((one, i) => equate(atomOf(one, scope), atomOf(right[i], scope), only))
        else equate(atomOf(lexpr, scope), atomOf(rexpr, scope), only)
      }
      if (kind === 'AEXPR_OP_ANY') {
        const element = onlyElement(rexpr)
        if (element !== undefined) equate(atomOf(lexpr, scope), make(0, element), only)
      }
      if (kind === 'AEXPR_IN' && rexpr.List.items.length === 1)
        equate(atomOf(lexpr, scope), atomOf(rexpr.List.items[0], scope), only)
    }
    if (node.SubLink?.subLinkType === 'ANY_SUBLINK' && !node.SubLink.operName) {
      const { testexpr, subselect } = node.SubLink
      const found = [...query(subselect, scope).values()]
      const tested = (testexpr.RowExpr?.args as Node[] | undefined) ?? [testexpr]
      tested.forEach((one, i) => {
        const atom = atomOf(one, scope)
        if (atom && found[i] && (!only || only.has(atom))) follow(atom, found[i])
      })
      expressions(testexpr, scope)
      return
    }
    expressions(node, scope)
  }

  /** Finds queries inside an expression. */
  function expressions(node: Node, scope: Scope): void {
    if (node === null || typeof node !== 'object') return
    if (node.SelectStmt) return void query(node, scope)
    for (const child of Object.values(node as object)) expressions(child, scope)
  }

  function from(node: Node, scope: Scope): Set<Atom> {
    const added = (item: Item): Set<Atom> => {
      scope.items.push(item)
      return new Set(item.columns?.values() ?? [])
    }
    if (node.RangeVar) return added(tableItem(node.RangeVar, scope, false))
    if (node.RangeSubselect) {
      const { subquery, alias, lateral } = node.RangeSubselect
      const outer = lateral ? scope : { ...scope, items: [] }
      const found = query(subquery, outer)
      const names = (alias?.colnames as Node[] | undefined)?.map((one) => one.String.sval as string)
      const columns = names ? new Map([...found.values()].map((atom, i) => [names[i] ?? '', atom])) : found
      return added(queryItem(alias?.aliasname ?? '', columns, scope))
    }
    if (node.RangeFunction) {
      expressions(node.RangeFunction.functions, scope)
      const { alias } = node.RangeFunction
      const names = ((alias?.colnames as Node[] | undefined) ?? []).map((one) => one.String.sval as string)
      const columns = new Map(names.map((name) => [name, make(scope.depth)]))
      return added(queryItem(alias?.aliasname ?? '', columns, scope))
    }
    if (!node.JoinExpr) return new Set()
    const { jointype, larg, rarg, quals, usingClause } = node.JoinExpr
    const left = from(larg, scope)
    const items = scope.items.length
    const right = from(rarg, scope)
    const narrowed = { JOIN_INNER: undefined, JOIN_LEFT: right, JOIN_RIGHT: left }[jointype as 'JOIN_INNER']
    const only = jointype === 'JOIN_FULL' ? new Set<Atom>() : narrowed
    for (const { String: name } of usingClause ?? []) {
      const [a, b] = [scope.items.slice(0, items), scope.items.slice(items)].map((side) =>
        side.map((item) => item.atom(name.sval)).find(Boolean),
      )
      equate(a, b, only)
    }
    condition(quals, scope, only)
    return new Set([...left, ...right])
  }

  function withQueries(clause: Node, scope: Scope): void {
    for (const { CommonTableExpr: one } of clause?.ctes ?? []) {
      if (one.ctequery.InsertStmt) inSteps = true
      const found = query(one.ctequery, { ...scope, items: [] })
      const names = (one.aliascolnames as Node[] | undefined)?.map((name) => name.String.sval as string)
      scope.queries.set(one.ctename, names ? new Map([...found.values()].map((a, i) => [names[i] ?? '', a])) : found)
    }
  }

  function targets(list: Node[], scope: Scope): Map<string, Atom> {
    const columns = new Map<string, Atom>()
    list.forEach(({ ResTarget: { name, val } }, place) => {
      const fields = val.ColumnRef?.fields as Node[] | undefined
      if (fields?.at(-1).A_Star) {
        const items =
          fields.length > 1 ? scope.items.filter((item) => item.name === fields[0].String.sval) : scope.items
        for (const item of items) for (const [own, atom] of item.columns ?? []) columns.set(own, atom)
        return
      }
      expressions(val, scope)
      const shown = make(scope.depth)
      const atom = atomOf(val, scope)
      if (atom) follow(shown, atom)
      columns.set(name ?? fields?.at(-1).String.sval ?? `?${place}`, shown)
    })
    return columns
  }

  /** The columns of the result of a query. */
  function query(statement: Node, outer: Scope | undefined): Map<string, Atom> {
    const scope: Scope = { items: [], outer, queries: new Map(), depth: (outer?.depth ?? 0) + 1 }
    const { SelectStmt, InsertStmt, UpdateStmt, DeleteStmt } = statement
    if (SelectStmt) return select(SelectStmt, scope)
    if (InsertStmt) return insert(InsertStmt, scope)
    const change = UpdateStmt ?? DeleteStmt
    if (!change) {
      const [kind = ''] = Object.keys(statement as object)
      if (!withoutTables.has(kind)) throw new Error(`nothing is known of the tables of a ${kind}`)
      return new Map()
    }
    withQueries(change.withClause, scope)
    scope.items.push(tableItem(change.relation, scope, true))
    for (const item of change.fromClause ?? change.usingClause ?? []) from(item, scope)
    condition(change.whereClause, scope)
    expressions(change.targetList, scope)
    return targets(change.returningList ?? [], scope)
  }

  function select(node: Node, scope: Scope): Map<string, Atom> {
    withQueries(node.withClause, scope)
    if (node.op !== 'SETOP_NONE') {
      const arms = [node.larg, node.rarg].map((arm) => query({ SelectStmt: arm }, scope))
      const [first, second] = arms.map((arm) => [...arm])
      return new Map(
        (first ?? []).map(([name, atom], i) => {
          const value = valueOf(atom)
          const other = second?.[i] && valueOf(second[i][1])
          return [name, make(scope.depth, value !== undefined && value === other ? value : undefined)]
        }),
      )
    }
    for (const item of node.fromClause ?? []) from(item, scope)
    condition(node.whereClause, scope)
    expressions([node.havingClause, node.sortClause, node.groupClause, node.limitCount], scope)
    if (node.valuesLists) {
      const rows = (node.valuesLists as Node[]).map(({ List }) => List.items as Node[])
      return new Map(
        (rows[0] ?? []).map((_, i) => {
          const given = new Set(rows.map((row) => constantOf(row[i])))
          return [`column${i + 1}`, make(scope.depth, given.size === 1 ? [...given][0] : undefined)]
        }),
      )
    }
    return targets(node.targetList ?? [], scope)
  }

  function insert(node: Node, scope: Scope): Map<string, Atom> {
    withQueries(node.withClause, scope)
    const given = node.selectStmt ? [...query(node.selectStmt, scope).values()] : []
    const item = tableItem(node.relation, scope, true)
    scope.items.push(item)
    const names = node.cols
      ? (node.cols as Node[]).map(({ ResTarget }) => ResTarget.name as string)
      : [...(item.columns?.keys() ?? [])]
    names.forEach((name, i) => {
      const [atom, value] = [item.atom(name), given[i]]
      if (atom && value) follow(atom, value)
    })
    return targets(node.returningList ?? [], scope)
  }

  for (const { stmt } of stmts) query(stmt, undefined)
  return { ...judge(uses, layout), inSteps }
}

function valueOf(atom: Atom, seen = new Set<Atom>()): string | undefined {
  if (atom.constant !== undefined) return atom.constant
  seen.add(atom)
  for (const other of atom.equals)
    if (!seen.has(other)) {
      const value = valueOf(other, seen)
      if (value !== undefined) return value
    }
  return undefined
}

function judge(uses: readonly Use[], { placements }: Layout): Pick<Route, 'touches' | 'problems'> {
  const kindOf = (table: string) => placements[table]?.kind ?? 'local'
  const places = new Set<string>()
  const touches = new Set<string>()
  const problems = new Set<string>()
  for (const { table, atom } of uses) {
    const placement = placements[table]
    if (placement?.kind !== 'distributed') {
      touches.add(table)
      if (placement?.kind === 'single') places.add('one worker=')
      continue
    }
    const value = atom && valueOf(atom)
    touches.add(`${table} ${placement.column}=${value ?? '?'}`)
    if (value === undefined) problems.add(`${table} without one ${placement.column}`)
    else places.add(`${placement.column}=${value}`)
  }
  if (places.size > 1) problems.add(`${places.size} values: ${[...places].map((one) => one.split('=')[0]).join(', ')}`)
  const kinds = new Set(uses.map(({ table }) => kindOf(table)))
  if (kinds.has('distributed') && kinds.has('local'))
    problems.add('distributed tables together with one of the coordinator')
  if (kinds.has('distributed') && uses.some(({ table, writes }) => writes && kindOf(table) === 'reference'))
    problems.add('writes a table of every node together with a distributed one')
  return { touches: [...touches].toSorted(), problems: [...problems].toSorted() }
}
