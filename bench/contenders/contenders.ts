import { currentCommit, ROOT } from './git.ts'
import { openWorktree } from './worktree.ts'
import { openWorld, type World } from './world.ts'

/** The worlds to compare: this tree's first, then the other commit's, if any. */
export interface Contenders extends AsyncDisposable {
  worlds: World[]
  /** The commits, by the name of the world. */
  commits: Record<string, string>
}

/** The name of this tree's world. */
export const HERE = 'here'

export async function openContenders({
  against,
  inspect = false,
}: {
  against: string | undefined
  inspect?: boolean
}): Promise<Contenders> {
  await using opened = new AsyncDisposableStack()
  const commits: Record<string, string> = { [HERE]: currentCommit() }
  const worlds = [opened.use(await openWorld({ name: HERE, root: ROOT, inspect }))]
  if (against !== undefined) {
    const { root, commit } = opened.use(await openWorktree(against))
    worlds.push(opened.use(await openWorld({ name: against, root, inspect })))
    commits[against] = commit
  }
  const kept = opened.move()
  return { worlds, commits, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

/** The order of the worlds in a round: reversed every other round, so that none is always first. */
export function orderInRound<T>(contenders: T[], round: number): T[] {
  return round % 2 === 0 ? contenders : contenders.toReversed()
}
