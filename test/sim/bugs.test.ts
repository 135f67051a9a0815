import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BUGS, seedBug, withBug } from './bugs.ts'
import { historyOf } from './history.ts'
import { LAWS } from './judge.ts'
import { play } from './play.ts'
import { type Stage, startStage } from './stage.ts'

/** `SEED=7 STORM=1 npx vitest run test/sim/bugs.test.ts` plays another history. */
const SEED = Number(process.env.SEED ?? 1)
const LIVES = Number(process.env.LIVES ?? 50)

test('each law has a bug that it sees, and each bug can be made in the tree as it is', () => {
  expect(new Set(BUGS.map(({ law }) => law))).toEqual(new Set(LAWS.map(({ name }) => name)))
  for (const bug of BUGS) expect(withBug(bug)).toContain(bug.instead)
})

describe.runIf(process.env.STORM)(`${LIVES} lives see`, () => {
  const started = new AsyncDisposableStack()
  let stage: Stage
  beforeAll(async () => {
    stage = await startStage(started)
  }, 60_000)
  afterAll(() => started.disposeAsync())

  test.each(BUGS.map((bug) => [bug.name, bug] as const))('%s', { timeout: 600_000 }, async (_name, bug) => {
    const mend = await seedBug(stage, bug)
    const faults = await play(stage, { ...historyOf(SEED, LIVES), kills: [] })
    await mend()
    const lives = [...faults].filter(([, found]) => found.some((fault) => fault.startsWith(`${bug.law}: `)))
    console.log(`${bug.name}: seen in ${lives.length} lives`)
    expect(lives.length).toBeGreaterThan(0)
  })
})
