// Only an endpoint can verify an owner key, so the gateway remembers the endpoint's earlier verdicts. The memory belongs to this isolate:
// an unknown key costs one call.

/** Number of entries per map; the oldest are evicted first. */
const MEMORY = 10_000

/** How long a proof counts after an endpoint has last accepted it, in milliseconds. */
const ACCEPTED_MS = 3_600_000

/**
 * How long other calls with the same proof wait for the endpoint's verdict on the first one, in milliseconds. An endpoint whose database
 * does not respond reports that within this time. If the client of the first call disconnects, its verdict may never be known.
 */
const WAIT_MS = 5_000
/** Polling interval: on Workers a request cannot await a promise of another request. */
const PAUSE_MS = 20

/** Accepted proofs, and until when each counts, in milliseconds. */
const accepted = new Map<string, number>()
/** Other proofs: when the endpoint received the first call, in milliseconds, or that it has refused. */
const others = new Map<string, number | 'refused'>()

/**
 * Whether an endpoint has accepted this proof within the last hour. Of concurrent calls with the same new proof the first one goes through,
 * and the others wait for the endpoint's verdict on it: so a burst of an owner's first calls is not limited like that of a guest.
 */
export async function isAccepted(proof: string): Promise<boolean> {
  while (isBeingAsked(proof)) await pause()
  if (isRecentlyAccepted(proof)) return true
  if (others.get(proof) !== 'refused') remember(others, proof, Date.now())
  return false
}

/** The same from memory only, without a call or a wait. */
export const isRecentlyAccepted = (proof: string): boolean => Date.now() < (accepted.get(proof) ?? 0)

function isBeingAsked(proof: string): boolean {
  const state = others.get(proof)
  return typeof state === 'number' && Date.now() < state + WAIT_MS
}

const pause = () => new Promise<void>((resolve) => setTimeout(resolve, PAUSE_MS))

/** Records an endpoint's verdict on a proof; null if its response shows none. */
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
