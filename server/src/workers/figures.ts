import { setTimeout as sleep } from 'node:timers/promises'
import { AggregatorRegistry } from 'prom-client'
import type { Figures, RenderedFigures } from './messages.ts'

/** A process of this instance, which can be asked for its figures. */
export interface Teller {
  tell(): Promise<Figures>
}

export interface AllFigures {
  /** The text of `/metrics` for all processes together; whoever asks meanwhile gets the same. */
  render: () => Promise<RenderedFigures>
  /** Keeps what a process that has ended had counted when it was last asked, so that no total goes backwards. */
  hasEnded: (teller: Teller) => void
}

/** Of a process that does not answer within this time only its totals are told, as they were when it last did. */
const PATIENCE = 1_000

/**
 * Adds up the service's own figures over the processes, each in the way that the figure asks for; those of Node stand
 * one by one, by their label `worker`.
 * @param tellers the processes that there are now
 */
export function addUpFigures(tellers: () => readonly Teller[]): AllFigures {
  const latest = new Map<Teller, Figures>()
  /** The totals of those that have ended. */
  let gone: Figures[] = []
  let underWay: Promise<RenderedFigures> | undefined

  async function ask(teller: Teller): Promise<Figures> {
    const told = teller.tell().then(
      (figures) => {
        if (tellers().includes(teller)) latest.set(teller, figures)
        return figures
      },
      () => undefined, // it has gone, or could not tell them
    )
    const figures = await Promise.race([told, sleep(PATIENCE, undefined, { ref: false })])
    return figures ?? totalsOf(latest.get(teller) ?? [])
  }

  async function render(): Promise<RenderedFigures> {
    const told = await Promise.all(tellers().map(async (teller) => ({ teller, figures: await ask(teller) })))
    // Nothing is awaited from here on: each process is either there or among those gone, and not both.
    const there = tellers()
    const ofThoseThere = told.filter(({ teller }) => there.includes(teller)).map(({ figures }) => figures)
    if (gone.length > 1) gone = [addUp(gone).getMetricsAsArray() as unknown as Figures]
    const sum = addUp([...gone, ...ofThoseThere])
    return { type: sum.contentType, body: await sum.metrics() }
  }

  return {
    render: () => (underWay ??= render().finally(() => (underWay = undefined))),
    hasEnded(teller) {
      const totals = totalsOf(latest.get(teller) ?? [])
      latest.delete(teller)
      if (totals.length > 0) gone.push(totals)
    },
  }
}

function addUp(processes: readonly Figures[]) {
  return AggregatorRegistry.aggregate(
    processes.map((figures) =>
      // What Node tells of a process differs by its label: there is nothing to add up.
      figures.map((figure) => (isOwn(figure) ? figure : { ...figure, aggregator: 'first' })),
    ),
  )
}

const totalsOf = (figures: Figures): Figures =>
  figures.filter((figure) => isOwn(figure) && ['counter', 'histogram'].includes(String(figure.type)))

const isOwn = ({ name }: { name: string }) => name.startsWith('questboard_')
