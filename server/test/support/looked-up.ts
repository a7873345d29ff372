import { createHook } from 'node:async_hooks'

/** What `work` has this process look up: at the system, which takes a thread, and at name servers. */
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
