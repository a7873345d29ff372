import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { rules } from './rules.ts'

const tests = readdirSync(import.meta.dirname)
  .filter((file) => /^\d.*\.test\.ts$/.test(file))
  .flatMap((file) => testsOf(file))

test('has a test for every rule', () => {
  const tested = new Set(tests.map(({ rule }) => rule))
  expect(Object.keys(rules).filter((rule) => !tested.has(rule))).toEqual([])
})

test('starts every name with a rule of the section of its file', () => {
  const strays = tests.filter(
    ({ file, rule }) => rules[rule] === undefined || !rule.startsWith(`${/^[\d.]*\d/.exec(file)?.[0]}.`),
  )
  expect(strays.map(({ file, name }) => `${file}: ${name}`)).toEqual([])
})

test('uses MUST, SHOULD or MAY after the rule', () => {
  expect(tests.filter(({ name }) => !/^\S+ (MUST|SHOULD|MAY) /.test(name)).map(({ name }) => name)).toEqual([])
})

/** The names of all tests of a file. */
function testsOf(file: string): { file: string; name: string; rule: string }[] {
  const text = readFileSync(join(import.meta.dirname, file), 'utf8')
  const found: { file: string; name: string; rule: string }[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && rootOf(node.expression) === 'test') {
      const [first] = node.arguments
      if (first && !ts.isArrayLiteralExpression(first) && isNamed(node)) {
        const name = ts.isStringLiteralLike(first) ? first.text : first.getText()
        found.push({ file, name, rule: name.split(' ')[0] ?? '' })
      }
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true))
  return found
}

function rootOf(expression: ts.Expression): string {
  if (ts.isIdentifier(expression)) return expression.text
  if (ts.isPropertyAccessExpression(expression) || ts.isCallExpression(expression)) return rootOf(expression.expression)
  return ''
}

/** `test(name, …)` and `test.each(table)(name, …)`, not the call that takes the table. */
function isNamed(call: ts.CallExpression): boolean {
  return !(ts.isPropertyAccessExpression(call.expression) && call.expression.name.text === 'each')
}
