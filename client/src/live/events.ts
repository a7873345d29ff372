/** One event of `text/event-stream`. */
export interface ServerEvent {
  name: string
  data: string
}

/** The events of a stream so far. They outlive its connections. */
export interface StreamMemory {
  /** The id of the last event. */
  lastId?: string
  /** The wait before the next connection in milliseconds. */
  retryMs?: number
}

/** Reads the lines of a stream, as `EventSource` does. `feed` returns the events that a chunk completes. */
export function createEventParser(memory: StreamMemory): { feed: (chunk: string) => ServerEvent[] } {
  let rest = ''
  let id: string | undefined
  let name = ''
  let data: string[] = []

  function line(text: string): ServerEvent | undefined {
    if (text === '') {
      const event = data.length > 0 ? { name, data: data.join('\n') } : undefined
      if (event && id !== undefined) memory.lastId = id
      name = ''
      data = []
      return event
    }
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(text) ?? []
    if (field === 'data') data.push(value)
    else if (field === 'event') name = value
    else if (field === 'id') id = value
    else if (field === 'retry' && /^\d+$/.test(value)) memory.retryMs = Number(value)
    return undefined
  }

  return {
    feed(chunk) {
      // A carriage return at the end can be the first half of a line break.
      const lines = (rest + chunk).split(/\r\n|\n|\r(?!$)/)
      rest = lines.pop() ?? ''
      return lines.flatMap((text) => line(text) ?? [])
    },
  }
}
