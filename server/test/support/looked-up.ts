import { createHook } from 'node:async_hooks'

/** Counts the look-ups during `work`: those of the system, which use a thread, and those of name servers. */
export async function lookedUp(work: () => Promise<unknown>): Promise<{ system: number; nameServers: number }> {
  const counted = { system: 0, nameServers: 0 }
  const hook = createHook({
    init(_, type) {
      if (type === 'GETADDRINFOREQWRAP') counted.system++
      if (type === 'QUERYWRAP') counted.nameServers++
    },
  })
  hook.enable()
  try {
    await work()
  } finally {
    hook.disable()
  }
  return counted
}
