import { expect, test } from 'vitest'
import { connectionsOf, connectionsToWorker } from '../../src/doctor/connections.ts'

const nodeUrls = new Map<string, string>()
const two = { workers: 2, readConnections: 4, poolSize: 10 }
const one = { workers: 1, readConnections: 4, poolSize: 10 }

test('the coordinator of a cluster receives the read connections twice, and one of each worker process', () => {
  expect(connectionsOf({ ...two, nodeUrls }, { isCoordinator: false })).toBe(48)
  expect(connectionsOf({ ...two, nodeUrls }, { isCoordinator: true })).toBe(60)
  expect(connectionsOf({ ...two, nodeUrls: undefined }, { isCoordinator: true })).toBe(48)
  expect(connectionsOf({ ...one, nodeUrls }, { isCoordinator: true })).toBe(41)
})

test('a node receives the connections of reads, awards and background work, and one of Citus for each connection to the coordinator', () => {
  expect(connectionsToWorker({ ...two, nodeUrls })).toBe(66)
  expect(connectionsToWorker({ ...two, nodeUrls: undefined })).toBe(48)
})
