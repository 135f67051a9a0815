// What only an endpoint can check, such as an owner key, is taken at the gateway for what the endpoint said of it before. The
// memory is this isolate's own: what it does not know costs one call to learn.

/** How many are remembered of each kind; those that were noted longest ago are forgotten first. */
const MEMORY = 10_000

/** For how long a proof counts after an endpoint has last accepted it, in milliseconds. */
const ACCEPTED_MS = 3_600_000

/**
 * For how long after an endpoint was asked about a proof other calls wait for its answer, in milliseconds. An endpoint whose
 * database does not answer says so within this time. A call whose client has gone may never learn its answer.
 */
const WAIT_MS = 5_000
/** Between two looks, because a request on Workers cannot wait for a promise of another one. */
const PAUSE_MS = 20

/** Until when each counts, in milliseconds. */
const accepted = new Map<string, number>()
/** Those that are not accepted: when the endpoint was asked, in milliseconds, or that it has refused. */
const others = new Map<string, number | 'refused'>()

/**
 * Whether an endpoint has accepted this proof of who calls within the last hour. Of calls that begin with the same proof at the
 * same time one is asked about, and the others wait for what its endpoint answers: so an owner's first calls are not taken for a
 * stranger's.
 */
export async function isAccepted(proof: string): Promise<boolean> {
  while (isBeingAsked(proof)) await pause()
  if (isRecentlyAccepted(proof)) return true
  if (others.get(proof) !== 'refused') remember(others, proof, Date.now())
  return false
}

/** The same of what is known by now: asks nobody and waits for nothing. */
export const isRecentlyAccepted = (proof: string): boolean => Date.now() < (accepted.get(proof) ?? 0)

function isBeingAsked(proof: string): boolean {
  const state = others.get(proof)
  return typeof state === 'number' && Date.now() < state + WAIT_MS
}

const pause = () => new Promise<void>((resolve) => setTimeout(resolve, PAUSE_MS))

/** Notes what an endpoint made of a proof; null: its answer does not tell. */
export function note(proof: string, isGood: boolean | null): void {
  if (isGood === null) {
    if (others.get(proof) !== 'refused') others.delete(proof)
    return
  }
  accepted.delete(proof)
  others.delete(proof)
  if (isGood) remember(accepted, proof, Date.now() + ACCEPTED_MS)
  else remember(others, proof, 'refused')
}

function remember<State>(memory: Map<string, State>, proof: string, state: State): void {
  memory.set(proof, state)
  const [oldest] = memory.size > MEMORY ? memory.keys() : []
  if (oldest !== undefined) memory.delete(oldest)
}
