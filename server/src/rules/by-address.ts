/** The rows of one history, which arrive in the order of members. */
export interface Feed<Row> {
  /** The member of the next row; undefined at the end. */
  peek(): Promise<string | undefined>
  /**
   * The next rows, if they are of this member.
   * @throws the error, before it reads on, if there are more than `most`
   */
  take(address: string, most: number, tooMany: () => Error): Promise<Row[]>
}

export function feedOf<Row extends { address: string }>(pages: AsyncIterator<Row[]>): Feed<Row> {
  let page: Row[] = []
  let at = 0
  const current = async (): Promise<Row | undefined> => {
    while (at === page.length) {
      const next = await pages.next()
      if (next.done) return undefined
      page = next.value
      at = 0
    }
    return page[at]
  }
  return {
    peek: async () => (await current())?.address,
    async take(address, most, tooMany) {
      const rows: Row[] = []
      for (let row = await current(); row?.address === address; row = await current()) {
        if (rows.length >= most) throw tooMany()
        rows.push(row)
        at++
      }
      return rows
    },
  }
}

/** A history without rows. */
export const noFeed: Feed<never> = { peek: async () => undefined, take: async () => [] }

/** The first member in the order of bytes, which is the order of the database. */
export async function nextMember(feeds: readonly Feed<unknown>[]): Promise<string | undefined> {
  let first: string | undefined
  for (const feed of feeds) {
    const address = await feed.peek()
    if (address !== undefined && (first === undefined || isBefore(address, first))) first = address
  }
  return first
}

const isBefore = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0
