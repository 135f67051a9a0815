import type { PartialHistory, PartialLife } from './parts.ts'
import type { Faults } from './play.ts'

/** How long to search. The result is the shortest history found by then. */
const LONGEST_SECONDS = 120
/** How often a life is played alone before we conclude that it fails only with the others: a race does not fail every time. */
const TRIES = 3

export interface FailingHistory {
  history: PartialHistory
  faults: Faults
}

/**
 * Shortens a failing history: leaves out lives, then the kills, then steps, and plays the rest each time to see whether it still fails. A
 * history that fails only now and then may remain longer than necessary.
 */
export async function shrink(
  whole: PartialHistory,
  faults: Faults,
  play: (part: PartialHistory) => Promise<Faults>,
): Promise<FailingHistory> {
  const deadline = Date.now() + LONGEST_SECONDS * 1000
  let broken: FailingHistory = { history: whole, faults }

  /** Plays a shorter history. If it fails, too, the search continues with it. Returns whether it failed. */
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
