import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { BUGS, type Bug, seedBug } from './bugs.ts'
import { createHistory } from './history.ts'
import { type Faults, play } from './play.ts'
import { type Stage, startStage } from './stage.ts'

/** `SEED=7 BUGS=all npx vitest run test/sim/bugs.test.ts` plays another history, with all bugs instead of every eighth. */
const SEED = Number(process.env.SEED ?? 1)
const LIVES = Number(process.env.LIVES ?? 50)
const PLAYED = BUGS.filter((_, place) => process.env.BUGS === 'all' || place % 8 === 0)
/** How many lives are played at the same time. No more are played once one shows the bug. */
const TOGETHER = 6

/** The violations of a bug's invariant. */
const seen = (faults: Faults, { invariant }: Bug) =>
  [...faults.values()].flat().filter((fault) => fault.startsWith(`${invariant}: `))

/** Plays lives until one shows the bug. Returns how many were played; null if none of them shows it. */
async function livesUntilSeen(stage: Stage, bug: Bug): Promise<number | null> {
  const [first, ...others] = PROCESSOR_NAMES.filter(bug.isPossible ?? (() => true))
  const history = { ...createHistory(SEED, LIVES, [first!, ...others]), kills: [] }
  for (let from = 0; from < LIVES; from += TOGETHER) {
    const lives = history.lives.slice(from, from + TOGETHER)
    const faults = await play(stage, { ...history, lives }, (found) => seen(found, bug).length > 0)
    if (seen(faults, bug).length > 0) return from + lives.length
  }
  return null
}

describe(`${LIVES} lives see`, () => {
  const started = new AsyncDisposableStack()
  let stage: Stage
  beforeAll(async () => {
    stage = await startStage(started)
  })
  afterAll(() => started.disposeAsync())

  test.each(PLAYED.map((bug) => [bug.name, bug] as const))('%s', { timeout: 600_000 }, async (_name, bug) => {
    const mend = await seedBug(stage, bug)
    const count = await livesUntilSeen(stage, bug).finally(mend)
    expect(count, `none of ${LIVES} lives violates the invariant "${bug.invariant}"`).not.toBeNull()
  })
})
