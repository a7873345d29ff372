export { bytesArray, numberArray, textArray } from './array-literal.ts'
export { createReadPipeline, type ReadPipeline, type ReadPipelineOptions } from './read-pipeline.ts'
export { sharedLookup } from './shared-lookup.ts'
export { declaredStatements, type Fields, type Reader, statement, type Statement, type Value } from './statement.ts'
