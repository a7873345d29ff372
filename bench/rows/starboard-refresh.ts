import { DAY, MINUTE } from '../../server/src/clock.ts'
import { refreshStarboard } from '../../server/src/ranking/starboards/refresh.ts'
import type { BenchDatabase } from '../data/bench-database.ts'
import { addSamples, LAST_DAY, prepareStarboard, resetStarboard, STARBOARD } from '../data/starboard.ts'
import { interleave, median, ratios, timed } from '../harness/rounds.ts'
import type { Row } from '../harness/row.ts'

/** Every refresh comes a few minutes after the one before, with a new sample of every handle. */
const STEP = 5 * MINUTE

/**
 * The window over exactly the samples that a refresh has to read: those of now and of the beginnings of the three
 * periods. Their times are parameters, so the statement does not search for them.
 */
const SAME_ROWS = `
  SELECT count(*), sum(rank), max(score) FROM (
    SELECT handle, score, rank() OVER (PARTITION BY sampled_at ORDER BY score DESC) AS rank
    FROM score_samples WHERE starboard_id = $1 AND sampled_at = ANY ($2::timestamptz[])
  ) ranked`

/** The same figures as a plain query over the samples. */
const PLAIN = `
  SELECT count(*), sum(rank), max(score) FROM (
    SELECT period, handle, score, rank() OVER (PARTITION BY period ORDER BY score DESC) AS rank
    FROM unnest($2::timestamptz[]) AS period CROSS JOIN LATERAL (
      SELECT DISTINCT ON (handle) handle, score FROM score_samples
      WHERE starboard_id = $1 AND sampled_at <= period ORDER BY handle, sampled_at DESC
    ) newest
  ) ranked`

export const row: Row = {
  name: 'S8',
  title: 'refresh of a starboard with its changes of 24 h, 7 d and 30 d',
  measures: [
    { title: 'time in that of one SQL window rank() over the same rows', bound: '<=', limit: 3 },
    { title: 'the same if 1 % of the handles have a new sample', bound: '<=', limit: 0.3 },
  ],
  async run(context) {
    const database = await context.reading()
    await prepareStarboard(database, context)
    await resetStarboard(database)
    const timeOf = (round: number) => LAST_DAY + (round + 1) * STEP
    const measured = await interleave(
      context.rounds + 1,
      {
        refresh: (round) => timed(() => publish(database, timeOf(round), context.sizes.handles)),
        sameRows: (round) => timed(() => rank(database, SAME_ROWS, edges(timeOf(round), LAST_DAY))),
        plain: (round) => timed(() => rank(database, PLAIN, edges(timeOf(round), timeOf(round)))),
      },
      (round) => addSamples(database, new Date(timeOf(round))),
    )
    const small = await interleave(
      context.rounds + 1,
      {
        refresh: (round) => timed(() => publish(database, timeOf(context.rounds + 1 + round), context.sizes.handles)),
        sameRows: () => timed(() => rank(database, SAME_ROWS, edges(timeOf(context.rounds), LAST_DAY))),
      },
      (round) => addSamples(database, new Date(timeOf(context.rounds + 1 + round)), 0.01),
    )
    await resetStarboard(database)
    // The first refresh has no ranking before it, and meets cold caches: it warms up.
    const [refresh, sameRows, plain] = [measured.refresh, measured.sameRows, measured.plain].map((all) => all.slice(1))
    const figures = { refresh: refresh ?? [], sameRows: sameRows ?? [], plain: plain ?? [] }
    const [few = [], whole = []] = [small.refresh, small.sameRows].map((all) => all?.slice(1))
    return {
      values: [median(ratios(figures.refresh, figures.sameRows)), median(ratios(few, whole))],
      figures: [
        { side: `refresh of ${context.sizes.handles} handles, published`, unit: 'ms', rounds: figures.refresh },
        { side: 'refresh after new samples of 1 %, published', unit: 'ms', rounds: few },
        { side: 'rank() over the same rows, found by time', unit: 'ms', rounds: figures.sameRows },
        { side: 'rank() of the same figures, asked for plainly', unit: 'ms', rounds: figures.plain },
      ],
      notes: [
        'A refresh finds the newest sample of every handle now and 24 hours, 7 and 30 days ago among the samples of 31 days, ranks them, compares the ranking with the published one and stores it with all figures of the pages, in one transaction with a durable commit. If few handles changed, it does so for these handles only. The reference ranks the same 4 samples of each handle, which it receives by their times; it compares and stores nothing.',
      ],
    }
  },
}

async function publish(database: BenchDatabase, at: number, handles: number): Promise<void> {
  const outcome = await refreshStarboard({ database, clock: { now: () => at } }, STARBOARD)
  if (!outcome.published || outcome.userCount !== handles) throw new Error('the refresh published nothing')
}

async function rank({ pool }: BenchDatabase, text: string, times: Date[]): Promise<void> {
  const { rows } = await pool.query<{ count: number }>(text, [STARBOARD, times])
  if (!rows[0] || rows[0].count === 0) throw new Error('the reference ranked no user')
}

/** When the newest samples were taken, and those at the beginnings of the periods. */
function edges(now: number, at: number): Date[] {
  return [now, at - DAY, at - 7 * DAY, at - 30 * DAY].map((time) => new Date(time))
}
