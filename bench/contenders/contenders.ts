import { hereRef, ROOT } from './git.ts'
import { openWorktree } from './worktree.ts'
import { openWorld, type World } from './world.ts'

/** The worlds that are compared: this tree's first, then the other commit's, if there is one. */
export interface Contenders extends AsyncDisposable {
  worlds: World[]
  /** What was measured, by the worlds' names. */
  commits: Record<string, string>
}

/** What this tree's world is called. */
export const HERE = 'here'

export async function openContenders({
  against,
  inspect = false,
}: {
  against: string | undefined
  inspect?: boolean
}): Promise<Contenders> {
  await using opened = new AsyncDisposableStack()
  const commits: Record<string, string> = { [HERE]: hereRef() }
  const worlds = [opened.use(await openWorld({ name: HERE, root: ROOT, inspect }))]
  if (against !== undefined) {
    const { root, commit } = opened.use(await openWorktree(against))
    worlds.push(opened.use(await openWorld({ name: against, root, inspect })))
    commits[against] = commit
  }
  const kept = opened.move()
  return { worlds, commits, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

/** The worlds in the order of a round: turned around every other time, so that none is always measured first. */
export function inTurn<T>(contenders: T[], round: number): T[] {
  return round % 2 === 0 ? contenders : contenders.toReversed()
}
