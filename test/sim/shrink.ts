import type { PartialHistory, PartialLife } from './parts.ts'
import type { Faults } from './play.ts'

/** After this time the shortest history so far has to do. */
const LONGEST_SECONDS = 120
/** How often a life is played alone before it is believed to need the others: what breaks by a race does so now and then. */
const TRIES = 3

export interface FailingHistory {
  history: PartialHistory
  faults: Faults
}

/**
 * Leaves out what a history breaks without: lives, then the kills, then steps, each by playing the rest. What breaks only now
 * and then may be left longer than it need be.
 */
export async function shrink(
  whole: PartialHistory,
  faults: Faults,
  play: (part: PartialHistory) => Promise<Faults>,
): Promise<FailingHistory> {
  const deadline = Date.now() + LONGEST_SECONDS * 1000
  let broken: FailingHistory = { history: whole, faults }

  /** Whether it breaks without something, too: then that is left out from now on. */
  async function leaveOut(history: PartialHistory): Promise<boolean> {
    if (Date.now() > deadline) return false
    const found = await play(history)
    if (found.size > 0) broken = { history, faults: found }
    return found.size > 0
  }

  const broke = whole.lives.filter(({ number }) => faults.has(number))
  for (const life of broke.flatMap((each) => Array<PartialLife>(TRIES).fill(each))) {
    if (await leaveOut({ ...whole, lives: [life] })) break
  }
  if (broken.history.kills.length > 0) await leaveOut({ ...broken.history, kills: [] })
  for (const { number, steps } of broken.history.lives.length > 1 ? [] : broken.history.lives) {
    for (const place of steps.keys()) {
      const lives = broken.history.lives.map((life) => (life.number === number ? without(life, place) : life))
      if (steps[place]) await leaveOut({ ...broken.history, lives })
    }
  }
  return broken
}

const without = (life: PartialLife, place: number): PartialLife => ({
  ...life,
  steps: life.steps.map((step, index) => (index === place ? null : step)),
})
