import type { RouteDescription } from '../api/route-description.ts'
import { proofShape, snapshotShape, statementShape } from './response-shapes.ts'

const tag = 'Snapshots'
const id = 'of a public snapshot'
const errors = {
  404: 'The snapshot does not exist or is private, or the address is not in it.',
  409: 'The snapshot is not sealed.',
  429: 'Too many requests from this network.',
}
const forOtherOrigins = 'Scripts of all origins may call it.'

export const publicDescriptions = {
  show: {
    method: 'GET',
    path: '/api/snapshots/:id',
    who: 'anyone',
    summary: 'Show a public snapshot',
    description: `Counts, digest and Merkle root. ${forOtherOrigins}`,
    tag,
    params: { id },
    answer: { description: 'The snapshot.', shape: snapshotShape },
    errors,
  },
  proof: {
    method: 'GET',
    path: '/api/snapshots/:id/proof/:address',
    who: 'anyone',
    summary: 'Prove that an address is in a public snapshot',
    description: `The proof is for OpenZeppelin's MerkleProof contract. ${forOtherOrigins}`,
    tag,
    params: { id, address: 'an EVM address' },
    answer: { description: 'The proof.', shape: proofShape },
    errors: {
      ...errors,
      400: 'The address is malformed.',
      404: 'The snapshot does not exist or is private, or the address is not in its Merkle tree.',
    },
  },
  statement: {
    method: 'GET',
    path: '/api/snapshots/:id/statement/:address',
    who: 'anyone',
    summary: 'Get a signed statement about an address in a public snapshot',
    description: `The statement is signed as a JWT and, for EVM addresses, as EIP-712. ${forOtherOrigins}`,
    tag,
    params: { id, address: 'a member of the snapshot' },
    answer: { description: 'The statement.', shape: statementShape },
    errors: { 400: 'The address is malformed.', ...errors },
  },
} as const satisfies Record<string, RouteDescription>
