import { expect, test } from 'vitest'
import { statementOfService, statementsOfService } from '../../../../bench/references/statements.ts'

test('the references send as many values as the statements of the service have parameters', () => {
  expect(statementsOfService()).toMatchObject({ page: { name: 'space.page-after' }, holds: { name: 'holders.holds' } })
})

test('a benchmark that sends another number of values stops with the name of the statement', () => {
  expect(() => statementOfService('holds', 4)).toThrow(
    'the statement holders.holds has 3 parameters; the benchmark sends 4',
  )
})
