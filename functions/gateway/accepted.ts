// What only an endpoint can check, such as an owner key, is taken at the gateway for what the endpoint said of it before. The
// memory is this isolate's own: what it does not know costs one call to learn.

/** How many are remembered of each kind; the oldest are forgotten first. */
const MEMORY = 10_000

/**
 * For how long after an endpoint was asked about a proof other calls wait for its answer, in milliseconds. An endpoint whose
 * database does not answer says so within this time. A call whose client has gone may never learn its answer.
 */
const WAIT_MS = 5_000
/** Between two looks, because a request on Workers cannot wait for a promise of another one. */
const PAUSE_MS = 20

const accepted = new Set<string>()
/** Those that are not accepted: when the endpoint was asked, in milliseconds, or that it has refused. */
const others = new Map<string, number | 'refused'>()

/**
 * Whether an endpoint has accepted this proof of who calls. Of calls that begin with the same proof at the same time one is
 * asked about, and the others wait for what its endpoint answers: so an owner's first calls are not taken for a stranger's.
 */
export async function isAccepted(proof: string): Promise<boolean> {
  while (isBeingAsked(proof)) await pause()
  if (accepted.has(proof)) return true
  if (others.get(proof) !== 'refused') remember(proof, Date.now())
  return false
}

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
  if (isGood) {
    accepted.add(proof)
    forgetOldest(accepted)
  } else remember(proof, 'refused')
}

function remember(proof: string, state: number | 'refused'): void {
  others.set(proof, state)
  forgetOldest(others)
}

function forgetOldest(memory: Set<string> | Map<string, unknown>): void {
  const [oldest] = memory.size > MEMORY ? memory.keys() : []
  if (oldest !== undefined) memory.delete(oldest)
}
