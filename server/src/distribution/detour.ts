import type { Reader } from '@questboard/pg-read-pipeline'
import { SECOND } from '../clock.ts'
import { unavailable } from '../errors.ts'
import type { OwningNode } from './owning-node.ts'

/** The way of a read through the coordinator, while the node of its rows does not respond to the service. */
export type Detour = <Rows>(node: OwningNode, ask: (reader: Reader) => Promise<Rows>) => Promise<Rows>

/** Milliseconds that a request waits for a read on the detour. */
const PATIENCE = SECOND / 2

/**
 * If the node hangs, the coordinator waits for it, too, and it cannot cancel the statement. So a request does not wait
 * long, and as long as one read of a node is late, no other read of this node is sent.
 * @param reader connections to the coordinator that only the detour uses, because they may all hang
 */
export function createDetour(reader: Reader): Detour {
  const late = new Map<OwningNode, number>()
  const add = (node: OwningNode, count: number) => {
    const now = (late.get(node) ?? 0) + count
    if (now === 0) late.delete(node)
    else late.set(node, now)
  }
  return (node, ask) => {
    const refusal = () => unavailable(new Error(`the coordinator waits for the node ${node.name}`))
    if (late.has(node)) return Promise.reject(refusal())
    return new Promise((resolve, reject) => {
      let isLate = false
      const timer = setTimeout(() => {
        isLate = true
        add(node, 1)
        reject(refusal())
      }, PATIENCE)
      void ask(reader)
        .then(resolve, reject)
        .finally(() => {
          clearTimeout(timer)
          if (isLate) add(node, -1)
        })
    })
  }
}
