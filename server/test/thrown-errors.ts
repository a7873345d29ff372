import ts from 'typescript'

/** The functions and classes of errors, with the code or its position, and the position of the field. */
const CONSTRUCTORS: Record<string, { code: number | string; field?: number }> = {
  ServiceError: { code: 0 },
  conflict: { code: 0 },
  fieldConflict: { code: 1 },
  identityError: { code: 0 },
  ApiError: { code: 0 },
  ObjectError: { code: 0 },
  SnapshotError: { code: 0, field: 2 },
  LedgerError: { code: 0, field: 2 },
  ImportFileError: { code: 'INVALID_ARGUMENT' },
  OauthError: { code: 0 },
}

export interface ThrownError {
  place: string
  /** The function or class that creates it. */
  constructorName: string
  code: string
  text: string
  /** Whether an argument is a fault, or the field of a request. */
  isOfField: boolean
}

/** The errors of a source whose codes are literals. */
export function errorsIn(path: string, text: string): ThrownError[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const found: ThrownError[] = []
  const visit = (node: ts.Node): void => {
    node.forEachChild(visit)
    if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return
    const { expression, arguments: args = [] } = node
    const constructorName = expression.getText()
    const positions = Object.hasOwn(CONSTRUCTORS, constructorName) ? CONSTRUCTORS[constructorName] : undefined
    if (!positions) return
    const { code: position, field } = positions
    const isOfField = hasFault(args.slice(1)) || (field !== undefined && isPresent(args[field]))
    const { line } = source.getLineAndCharacterOfPosition(node.getStart())
    for (const code of codesOf(typeof position === 'string' ? position : args[position]))
      found.push({ place: `${path}:${line + 1}`, constructorName, code, text: node.getText(), isOfField })
  }
  visit(source)
  return found
}

/** The places of objects that name a field and why it is refused, without a fault for texts in other languages. */
export function problemsWithoutFault(path: string, text: string): string[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    node.forEachChild(visit)
    if (!ts.isObjectLiteralExpression(node)) return
    const names = node.properties.map(({ name }) => name?.getText() ?? 'spread')
    const isProblem = names.includes('field') && names.includes('message')
    if (!isProblem || names.includes('fault') || names.includes('spread')) return
    found.push(`${path}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`)
  }
  visit(source)
  return found
}

/** The messages of `invalidArgument` and `invalidFilter` that are literals. */
export function invalidArgumentsIn(text: string): string[] {
  return [...text.matchAll(/\binvalid(?:Argument|Filter)\(\s*'([^']+)'/g)].map(([, message = '']) => message)
}

const isPresent = (field: ts.Expression | undefined) => field !== undefined && field.getText() !== 'undefined'

/** Whether an argument is, creates or contains a fault. */
const hasFault = (args: readonly ts.Expression[]): boolean =>
  args.some((one) => /\b(?:fault|wrongFormat|unknownReference|ONE_OBJECT|unknownKind)\b/.test(withoutTexts(one)))

const withoutTexts = (node: ts.Node): string =>
  ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)
    ? ''
    : node.getChildCount() === 0
      ? node.getText()
      : node.getChildren().map(withoutTexts).join(' ')

/** The literals of an argument; none if a caller passes the code. */
function codesOf(code: ts.Expression | string | undefined): string[] {
  if (code === undefined) return []
  if (typeof code === 'string') return [code]
  if (ts.isStringLiteralLike(code)) return [code.text]
  return ts.isConditionalExpression(code) ? [code.whenTrue, code.whenFalse].flatMap(codesOf) : []
}
